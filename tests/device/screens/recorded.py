"""Recorded matches, taken up at one moment or another, with a display for each seat and the table or one for all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from device import games
from device.key_gestures import Button, Gesture, Key
from device.screens.screen import Screen
from device.session.state import PanelMode
from device.session.table import KnownGame, Table
from engine import notation
from engine.entry import Act, Entry, Source
from engine.table import Seat
from tests.device.session.conftest import Seated


class Recording:
    """One match in notation."""

    def __init__(self, game: str, path: Path) -> None:
        spec = games.spec(game)
        self._path, self.known = path, KnownGame(spec, games.game(spec))

    @cached_property
    def _played(self) -> tuple[tuple[Entry, Any], ...]:
        """Each entry, the start among them, and the state after it."""
        name, game = self.known.spec.name, self.known.game
        record = notation.parse(self._path.read_text("utf-8"), {name: self.known.spec})
        first = game.setup(record.start.options, record.start.seats, record.start.seed)
        return ((record.start, first), *self._lines(record))

    def _lines(self, record: notation.Record) -> Iterator[tuple[Entry, Any]]:
        """As if a camera had seen what was done: nothing is left to be carried out."""
        for line in notation.play(self.known.game, record):
            entry = line.entry
            if isinstance(entry, Act):
                entry = msgspec.structs.replace(entry, source=Source.CAMERA)
            if entry is not None:
                yield entry, line.match.state

    def when(self, holds: Callable[[Any], bool], *, shared: bool = False) -> Seated:
        """A table at which the match has come to the first state of which this holds. Raises StopIteration if none."""
        return self.after(next(place for place, (_, state) in enumerate(self._played) if holds(state)), shared=shared)

    def after(self, count: int, *, shared: bool = False) -> Seated:
        """A table at which so many actions were done."""
        seats = self._played[0][0].seats
        table = Table(() if shared else seats, {self.known.spec.name: self.known}, shared=shared, screen=True)
        seated = Seated(table, [entry for entry, _ in self._played[: count + 1]])
        seated.give(Key(None if shared else "a", Button.BACK, Gesture.UP, 0.0))  # the welcome goes with the first press
        if shared:
            seated.press(None, "choose")  # whose it is takes it
        for seat in table.panels:
            looking(seated, seat)
        return seated

    def phase(self, name: str, seat: Seat) -> Callable[[Any], bool]:
        """True of a state in that phase in which the seat may act."""
        return lambda state: type(state.phase).__name__ == name and seat in self.known.game.actors(state)


def pick(table: Seated, seat: Seat | None, *beginnings: str) -> None:
    """Chooses lines of menus by how they begin."""
    for beginning in beginnings:
        menu = table.screen(seat).menu
        assert menu is not None, (beginning, table.screen(seat))
        table.pick(seat, next(str(item) for item in menu.items if str(item).startswith(beginning)))


def opened(table: Seated, seat: Seat) -> Screen:
    """The menu of the seat's turn."""
    if table.screen(seat).menu is None:
        table.press(seat, "choose")
    return table.screen(seat)


def looking(table: Seated, seat: Seat) -> Screen:
    """The seat's view, if need be behind the menu that opened by itself."""
    if (
        table.play.menu_state(seat).mode is PanelMode.VIEW
        and not table.play.asks(seat)
        and table.screen(seat).menu is not None
    ):
        table.press(seat, "back")
    return table.screen(seat)
