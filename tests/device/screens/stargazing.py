"""Screens of Planet X as they come up in a match that was played: golden playthrough "duel", taken up at one point or
another, with a display for each or one for both."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from device import games
from device.keys import Button, Gesture, Key
from device.screens.screen import Screen
from device.session.table import Known, Table
from engine import notation
from engine.entry import Entry
from tests.device.session.conftest import Seated

DUEL = Path(__file__).resolve().parents[2] / "engine" / "planetx" / "golden" / "duel.txt"


def stargazing() -> dict[str, Screen]:
    """By name, in the order in which they come."""
    return {**_asking(), **_theories(), **_shared(), **_locating(), **_ending()}


@cache
def _known() -> Known:
    spec = games.spec("planetx")
    return Known(spec, games.game(spec))


@cache
def _played() -> tuple[tuple[Entry, Any], ...]:
    """Each accepted entry, the start among them, and the state after it."""
    record = notation.parse(DUEL.read_text("utf-8"), {"planetx": _known().spec})
    lines = [line for line in notation.play(_known().game, record) if line.entry is not None]
    first = _known().game.setup(record.start.options, record.start.seats, record.start.seed)
    return ((record.start, first), *((line.entry, line.match.state) for line in lines if line.entry is not None))


def _when(holds: Callable[[Any], bool], *, shared: bool = False) -> Seated:
    """A table at which the match has come to the first state of which this holds."""
    count = next(place for place, (_, state) in enumerate(_played()) if holds(state)) + 1
    panels = () if shared else ("a", "b")
    table = Table(panels, {"planetx": _known()}, shared=shared, screen=True)
    seated = Seated(table, [entry for entry, _ in _played()[:count]])
    seated.give(Key(None if shared else "a", Button.BACK, Gesture.UP, 0.0))  # the welcome goes with the first press
    return seated


def _phase(name: str, seat: str) -> Callable[[Any], bool]:
    return lambda state: type(state.phase).__name__ == name and seat in _known().game.actors(state)


def _pick(table: Seated, seat: str | None, *beginnings: str) -> None:
    """Chooses lines of menus by how they begin."""
    for beginning in beginnings:
        menu = table.screen(seat).menu
        assert menu is not None, (beginning, table.screen(seat))
        table.pick(seat, next(str(item) for item in menu.items if str(item).startswith(beginning)))


def _asking() -> dict[str, Screen]:
    table = _when(_phase("Choosing", "a"))
    shown = {"sky level": _opened(table, "a")}
    table = _when(lambda state: _phase("Acting", "a")(state) and len(state.deeds) > 6)
    shown |= {"sky turn": table.screen("a"), "sky table": table.screen("table")}
    shown["sky actions"] = _opened(table, "a")
    _pick(table, "a", "Survey", "gas clouds")
    shown["sky survey"] = table.screen("a")
    table.press("a", "choose", "choose")
    shown["sky answer"], shown["sky announced"] = table.screen("a"), table.screen("table")
    table.press("a", "next")
    shown["sky history"] = table.screen("a")
    return shown


def _opened(table: Seated, seat: str) -> Screen:
    table.press(seat, "choose")
    return table.screen(seat)


def _theories() -> dict[str, Screen]:
    table = _when(_phase("Pledging", "a"))
    shown = {"sky theory phase": table.screen("a"), "sky theories": _opened(table, "a")}
    table = _when(_phase("Placing", "b"))
    shown["sky placing"] = _opened(table, "b")
    table = _when(lambda state: bool(state.conferences) and _phase("Acting", "a")(state))
    return {**shown, "sky conference": table.screen("table"), "sky own": table.screen("a")}


def _locating() -> dict[str, Screen]:
    table = _when(lambda state: _phase("Acting", "b")(state) and len(state.deeds) > 4)
    table.press("b", "choose")
    _pick(table, "b", "Locate")
    shown = {"sky locate": table.screen("b")}
    table.press("b", "choose", "choose")
    return {**shown, "sky locate last word": table.screen("b")}


def _shared() -> dict[str, Screen]:
    """A secret on a display that goes from hand to hand: hidden, held, and on its way to the other."""
    table = _when(lambda state: _phase("Acting", "a")(state) and len(state.deeds) > 6, shared=True)
    shown = {"sky shared hidden": table.screen(None)}
    table.give(Key(None, Button.BACK, Gesture.DOWN, table.now))
    shown["sky shared held"] = table.screen(None)
    table.press(None, "choose")
    shown["sky shared menu"] = table.screen(None)
    table.give(Key(None, Button.BACK, Gesture.UP, table.now))
    shown["sky shared let go"] = table.screen(None)
    return shown


def _ending() -> dict[str, Screen]:
    table = _when(lambda state: _known().game.outcome(state) is not None)
    table.press("a", "choose")
    return {"sky score": table.screen("a")}
