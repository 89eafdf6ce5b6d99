"""Dueling Runes on displays and pages: who gave up, and the rules for the seats that play."""

from __future__ import annotations

import pytest

from device import games
from device.session.page_views import sheet
from device.session.table import KnownGame, Table
from engine.catalogue import complete
from engine.entry import Act, Entry, Resign, Settle, Source, Start
from engine.game import OptionValue
from engine.view import Gauge
from tests.device.session.conftest import Seated

SEATS = ("a", "b", "c")


def seated(*after: Entry, **options: OptionValue) -> Seated:
    spec = games.spec("runes")
    known = KnownGame(spec, games.game(spec))
    start = Start(0.0, "runes", dict(complete(spec.options, options)), SEATS, 1, {"kind": "none"})
    return Seated(Table(SEATS, {"runes": known}), (start, *after))


def laid(seat: str) -> tuple[Entry, ...]:
    return Act(1.0, seat, ("lay",)), Settle(1.0, Source.BUTTONS)


@pytest.mark.parametrize("audience", [*SEATS, None])
def test_who_gave_up_has_no_life_on_any_page(audience: str | None) -> None:
    table = seated(*laid("a"), Resign(2.0, "c"))
    shown = [panel for panel in sheet(table.table, table.session, audience).panels if isinstance(panel, Gauge)]
    assert len(shown) == 2


def test_who_gave_up_cannot_resign_again() -> None:
    table = seated(*laid("a"), Resign(2.0, "c"))
    assert {seat: "Resign" in menu_of(table, seat) for seat in SEATS} == {"a": True, "b": True, "c": False}


@pytest.mark.parametrize(
    ("answers", "lives"), [(("1 player", "Seat B"), "AB"), (("2 players", "Seats A C"), "AC"), (("3 players",), "ABC")]
)
def test_only_seats_that_play_have_a_life_among_the_rules(answers: tuple[str, ...], lives: str) -> None:
    spec = games.spec("runes")
    table = Seated(Table(SEATS, {"runes": KnownGame(spec, games.game(spec))}))
    table.pick("a", "English", *answers, "More rules")
    menu = table.screen("a").menu
    assert menu is not None
    offered = [str(item) for item in menu.items if "Life of" in str(item)]
    assert offered == [f"Life of seat {seat}: 12" for seat in lives]


def test_a_counter_spell_that_may_be_cast_at_any_time_is_named_above_its_targets() -> None:
    table = seated(*laid("a"), counter_times="always")
    shown = table.text("a")
    assert "Spells at B fail" in shown
    assert "B / C: lay a card. You may cast a Counter Spell." in shown


def menu_of(table: Seated, seat: str) -> list[str]:
    table.long(seat)
    menu = table.screen(seat).menu
    assert menu is not None
    return [str(item) for item in menu.items]
