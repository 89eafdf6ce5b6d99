"""Opens the server of pages, which an extension brings (`device.extensions.Extension.pages`)."""

from __future__ import annotations

import logging
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import msgspec

from device.clock import Clock
from device.daemon.maintenance import Maintenance
from device.daemon.referee import ReceptionPort
from device.extensions import extensions
from device.settings.table import TableSettings
from engine.errors import RefereeError
from engine.table import Seat

_log = logging.getLogger(__name__)


class PageServerSetup(msgspec.Struct, frozen=True):
    """What a server of pages is opened with.

    folder: for its sockets.
    displayed: returns seats with a working display.
    """

    settings: TableSettings
    folder: Path
    clock: Clock
    maintenance: Maintenance
    displayed: Callable[[], frozenset[Seat]] = frozenset


async def open_page_server(setup: PageServerSetup) -> ReceptionPort | None:
    """Return the server, listening. Return None if the table wants no pages or, logged, if nothing serves them."""
    if not setup.settings.pages.on:
        return None
    module = next((each.pages for each in extensions() if each.pages), None)
    if module is None:
        _log.error("pages.on: nothing installed serves pages; install table-referee[phones], or write on = false")
        return None
    try:
        opened: ReceptionPort = await import_module(module).open_pages(setup)
    except RefereeError as error:
        _log.error("%s", error)
        return None
    return opened
