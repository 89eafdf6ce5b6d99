"""Loads extensions of other distributions (docs/developers/extensions.md).

They are entry points in `table_referee.extensions`, such as `referee_club.extension:extension`. That module must import
only this one, for a fast start.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING

import msgspec

from device.resources import extension_entries

if TYPE_CHECKING:
    from device.settings.table import TableSettings

_log = logging.getLogger(__name__)


class Extension(msgspec.Struct, frozen=True):
    """An extension.

    Attributes:
      name: Of its entry point.
      commands: Module of each `referee` command, with `PANEL` (help heading) and `command` or `app`.
      pages: Module whose `open_pages` serves pages in the daemon (`device.daemon.hooks`); "" for none.
      signing: Module whose `open_signing` signs matches in the daemon, and whose `sign_match` signs a stored one.
      services: By unit command: returns why it has nothing to do, or "", without the slow import.
    """

    name: str
    commands: Mapping[str, str] = {}
    services: Mapping[str, Callable[[TableSettings], str]] = {}
    pages: str = ""
    signing: str = ""


@cache
def extensions() -> tuple[Extension, ...]:
    """Return installed extensions, sorted by name; failing ones are logged and left out."""
    found = []
    for entry in extension_entries():
        try:
            extension = entry.load()
        except Exception as error:  # noqa: BLE001  whatever another distribution raises, the program starts without it
            _log.error("the extension %s is left out: %s", entry.name, error)
            continue
        if not isinstance(extension, Extension):
            _log.error("the extension %s is left out: %s is no Extension", entry.name, entry.value)
            continue
        found.append(extension)
    return tuple(found)


def commands(taken: frozenset[str]) -> dict[str, str]:
    """Return each extension command's module.

    Args:
      taken: Built-in names; duplicates are logged and left out.
    """
    found: dict[str, str] = {}
    for extension in extensions():
        for name, module in extension.commands.items():
            if name in taken or name in found:
                _log.error("the command %s of the extension %s is left out: there is one", name, extension.name)
            else:
                found[name] = module
    return found


def signer() -> str | None:
    """Return the module that signs matches; None without one."""
    return next((each.signing for each in extensions() if each.signing), None)


def service(command: str) -> Callable[[TableSettings], str] | None:
    """Return a command's service check; None if it has none."""
    return next((each.services[command] for each in extensions() if command in each.services), None)
