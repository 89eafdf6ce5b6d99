"""Extensions: what other distributions add to the program (docs/developers/extensions.md).

A distribution names its extension in the entry-point group `table_referee.extensions`: the extension's name, and where
its `Extension` is, such as `referee_club.extension:extension`. That module imports nothing but this one, so that an
extension costs nothing until one of its commands is given.
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
    """An extension of the program.

    Attributes:
        name: As its entry point is called.
        commands: The module of each command of `referee`, by the command's name. The module has a `PANEL`, the heading
            under which the help lists it, and a function `command`, or an `app` of several commands.
        services: For each command that a unit starts as `referee COMMAND --table FILE`, a function that returns why it
            has nothing to do at a table; "" if it has. It is asked before the command is imported, which takes a small
            computer seconds.
    """

    name: str
    commands: Mapping[str, str] = {}
    services: Mapping[str, Callable[[TableSettings], str]] = {}


@cache
def extensions() -> tuple[Extension, ...]:
    """Return the installed extensions, by name. One that cannot be loaded is left out, with an error in the log."""
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
    """Return the module of each command that extensions add.

    Args:
        taken: Names of the program's own commands. An extension's command of such a name, or of one that an earlier
            extension has, is left out, with an error in the log.
    """
    found: dict[str, str] = {}
    for extension in extensions():
        for name, module in extension.commands.items():
            if name in taken or name in found:
                _log.error("the command %s of the extension %s is left out: there is one", name, extension.name)
            else:
                found[name] = module
    return found


def service(command: str) -> Callable[[TableSettings], str] | None:
    """Return what says why the service of a command has nothing to do (`Extension.services`); None if it is none."""
    return next((each.services[command] for each in extensions() if command in each.services), None)
