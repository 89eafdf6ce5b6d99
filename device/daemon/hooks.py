"""Opens the parts that extensions bring to the daemon (`device.extensions.Extension.pages`, `.signing`)."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

import msgspec

from device.clock import Clock
from device.daemon.core import Core, EntryListener
from device.daemon.maintenance import Maintenance
from device.daemon.referee import PagesPort
from device.extensions import extensions, signer
from device.journal.match_info import Secret
from device.session.table import KnownGame
from device.settings.table import TableSettings
from engine.errors import RefereeError
from engine.table import Seat
from engine.text import Text

_log = logging.getLogger(__name__)


class PagesSetup(msgspec.Struct, frozen=True):
    """Arguments of `open_pages`. folder: the runtime directory. displayed: returns seats with a working display."""

    settings: TableSettings
    folder: Path
    clock: Clock
    maintenance: Maintenance
    displayed: Callable[[], frozenset[Seat]] = frozenset


async def open_pages(setup: PagesSetup) -> PagesPort | None:
    """Return the server of pages, listening. Return None if the table wants none or, logged, if none can be opened."""
    if not setup.settings.pages.on:
        return None
    module = next((each.pages for each in extensions() if each.pages), None)
    if module is None:
        _log.error("pages.on: nothing installed serves pages; install table-referee[phones], or write on = false")
        return None
    opened: PagesPort | None = await _open(module, "open_pages", setup)
    setup.maintenance.pages = opened
    return opened


class SigningPort(Protocol):
    """Signs matches and publishes what everybody may know."""

    @property
    def listener(self) -> EntryListener: ...

    def secret(self) -> Secret:
        """Return a new match's secret, to which it is committed."""
        ...

    def shown_key(self) -> tuple[str, str]:
        """Return the public key as text and for a QR code. Raises OSError."""
        ...

    def prepare(self, games: Iterable[KnownGame]) -> None:
        """Load the key and rehearse signing, to save time later. Log faults. Thread-safe."""
        ...

    def connect(self, core: Core, wrong: Callable[[], tuple[Text, ...]]) -> None:
        """Summarise this core's table. wrong: returns the owner's faults, worst first."""
        ...

    async def run(self) -> None:
        """Publish until cancelled."""
        ...

    async def close(self) -> None: ...


class SigningSetup(msgspec.Struct, frozen=True):
    """Arguments of `open_signing`. folder: the runtime directory."""

    settings: TableSettings
    folder: Path
    clock: Clock


async def open_signing(setup: SigningSetup) -> SigningPort | None:
    """Return the signing of matches; None, logged, if it can't be opened."""
    module = signer()
    if module is None:
        _log.info("matches are not signed: table-referee[record] is not installed")
        return None
    opened: SigningPort | None = await _open(module, "open_signing", setup)
    return opened


async def _open(module: str, hook: str, setup: PagesSetup | SigningSetup) -> Any:
    """Return what a module's hook opens; None, logged, if it can't."""
    try:
        return await getattr(import_module(module), hook)(setup)
    except RefereeError as error:
        _log.error("%s", error)
    except Exception:  # noqa: BLE001  whatever another distribution raises, the table plays without it
        _log.exception("%s of %s fails: the table goes on without it", hook, module)
    return None
