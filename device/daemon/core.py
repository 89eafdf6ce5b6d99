"""The session with its journal: every input is one step, and nothing shows before it is on disk (law 2)."""

from __future__ import annotations

import logging
import random
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Protocol

import msgspec

from device.files import write_whole
from device.journal import Journal, JournalError
from device.keys import Key
from device.screens.screen import Screen
from device.session.messages import Append, Effect, Input, Keep, KeepDeck, Leave, Look, Restarted, Unkept
from device.session.opening import look_at_stage, power_on
from device.session.screens import language_of, screens
from device.session.state import Session
from device.session.step import step, wake_at
from device.session.table import Table
from engine.entry import Entry, Start
from engine.errors import Refusal
from engine.text import say
from vision.link import Report, ToWorker

_log = logging.getLogger(__name__)
RETRY_S = 5.0
"""How long after the disk refused it an observation is tried again."""


class Outlet(Protocol):
    """Where what follows from a step goes."""

    def show(self, display: str, screen: Screen, language: str) -> None: ...

    def look(self, message: ToWorker) -> None: ...


class Core:
    """Owns the present session. Not for several threads: the daemon's loop calls it."""

    def __init__(
        self,
        table: Table,
        journal: Journal,
        outlet: Outlet,
        *,
        now: Callable[[], float],
        seed: int,
        fresh_seed: Callable[[], int] | None = None,
        decks: Path | None = None,
    ) -> None:
        """seed: of the first match that is begun. fresh_seed: of each after it; without it they follow from `seed`, so
        that one seed gives a whole simulated evening. A real table wants secrets: whoever has seen one match laid out
        could work out the next. decks: below which the owner's cards are kept; None: corrections last until power-off.
        """
        self._decks = decks
        self.table, self._journal, self._outlet, self._now = table, journal, outlet, now
        self._fresh_seed = fresh_seed or partial(random.Random(seed).getrandbits, 62)
        self._shown: dict[str, tuple[Screen, str]] = {}
        self._retry: Report | None = None
        self.session, effects = self._power_on(seed)
        self._carry_out(effects)
        self._refresh()

    def take(self, given: Input) -> None:
        """One input: step, journal, then everything that may be seen of it."""
        retry = self._retry
        if retry is not None and (_weighs(given) or given.at >= retry.at + RETRY_S):
            self._retry = None
            self._step(msgspec.structs.replace(retry, at=given.at))
        self._step(given)
        self._refresh()

    def wake_at(self) -> float | None:
        """When a `Tick` is due although nothing happens."""
        retry = None if self.session.unkept is None else self.session.now + RETRY_S
        return min((time for time in (wake_at(self.session), retry) if time is not None), default=None)

    def seen_anew(self) -> None:
        """A new vision worker waits for its orders."""
        self.take(Restarted(self._now()))
        for look in look_at_stage(self.table, self.session):
            self._outlet.look(look.message)

    def show_all(self) -> None:
        """Sends every screen again."""
        self._shown.clear()
        self._refresh()

    def _power_on(self, seed: int) -> tuple[Session, tuple[Effect, ...]]:
        language = self._journal.kept("language")
        now = self._now()
        try:
            return power_on(self.table, self._unfinished(), seed=seed, now=now, language=language)
        except Refusal as refusal:
            _log.error("match %s cannot be gone on with, but is kept: %s", self._journal.current, refusal)
            return power_on(self.table, (), seed=seed, now=now, language=language)

    def _unfinished(self) -> Sequence[Entry]:
        return () if self._journal.current is None else self._journal.entries(self._journal.current)

    def _step(self, given: Input) -> None:
        following, effects = step(self.table, self.session, given)
        try:
            kept = self._keep(effects)
        except (JournalError, OSError) as error:
            _log.error("%s", error)
            self._retry = given if isinstance(given, Report) else self._retry
            refused = Unkept(
                given.at, say("The journal cannot be written. Nothing was accepted: make room on the disk.")
            )
            following, effects = step(self.table, self.session, refused)
            kept = False
        if any(isinstance(effect, Append) and isinstance(effect.entries[0], Start) for effect in effects):
            following = msgspec.structs.replace(following, seed=self._fresh_seed())
        self.session = msgspec.structs.replace(following, unkept=None) if kept else following
        self._carry_out(effects)

    def _keep(self, effects: Sequence[Effect]) -> bool:
        """All that a step leaves on disk goes there together. True if entries were written."""
        entries = tuple(entry for effect in effects if isinstance(effect, Append) for entry in effect.entries)
        settings = {effect.name: effect.value for effect in effects if isinstance(effect, Keep)}
        leave = any(isinstance(effect, Leave) for effect in effects)
        for effect in effects:
            if isinstance(effect, KeepDeck):
                self._keep_deck(effect)
        if entries or settings or leave:
            self._journal.write(entries, settings=settings, leave=leave)
        return bool(entries)

    def _keep_deck(self, kept: KeepDeck) -> None:
        """Raises OSError if the cards cannot be written: then the game is played with them as they were."""
        known = self.table.games[kept.game]
        if self._decks is not None:
            write_whole(self._decks / known.spec.data["deck"], kept.deck.toml().encode())
        played = msgspec.structs.replace(known, game=kept.deck.game(), deck=kept.deck)
        self.table = msgspec.structs.replace(self.table, games={**self.table.games, kept.game: played})

    def _carry_out(self, effects: Sequence[Effect]) -> None:
        for effect in effects:
            if isinstance(effect, Look):
                self._outlet.look(effect.message)

    def _refresh(self) -> None:
        for display, screen in screens(self.table, self.session).items():
            shown = (screen, language_of(self.session, display))
            if self._shown.get(display) != shown:
                self._shown[display] = shown
                self._outlet.show(display, *shown)


def _weighs(given: Input) -> bool:
    """Before this, an observation that could not be kept has to be tried again."""
    return isinstance(given, Key) or (isinstance(given, Report) and given.observation is not None)
