"""Texts that players read on their own displays: clocks, ends, pauses and reasons."""

from __future__ import annotations

from device.session.messages import Tick
from device.session.table import Table
from engine.game import OptionValue
from tests.device.session.conftest import Seated, tellstones

MOVE_CLOCK: dict[str, OptionValue] = {"kind": "move", "seconds": 30}
CHESS_CLOCK: dict[str, OptionValue] = {"kind": "chess", "seconds": 300, "increment": 0}


def seated(clock: dict[str, OptionValue] | None = None) -> Seated:
    table = Seated(Table(("a", "b"), {"tellstones": tellstones()}, screen=True, clock=clock or {"kind": "none"}))
    table.start(first_stone="scales", clock="No clock" if clock is None else clock_line(clock))
    return table


def clock_line(clock: dict[str, OptionValue]) -> str:
    return "30 s a move" if clock["kind"] == "move" else "5:00 + 0 s"


def test_the_end_says_whose_time_is_up() -> None:
    table = seated(MOVE_CLOCK)
    table.act("a", "Place", "Crown", "left end")
    table.now += 31.0
    table.give(Tick(table.now))
    assert table.match.result is not None
    for display in ("a", "b", "table"):
        assert str(table.screen(display).prompt) == "Time is up for B. A wins: B gave up."


def test_a_display_shows_its_own_clock_if_none_runs() -> None:
    table = seated(CHESS_CLOCK)
    table.act("a", "Place", "Crown", "left end")
    assert (table.screen("a").running, table.screen("b").running) == (1, 1)
    table.long("a")
    table.pick("a", "Pause")
    assert (table.screen("a").running, table.screen("b").running) == (0, 1)


def test_a_pause_closes_open_moves() -> None:
    table = seated()
    table.press("a", "choose")
    assert table.screen("a").menu is not None
    table.long("b")
    table.pick("b", "Pause")
    assert table.screen("a").menu is None
    assert str(table.screen("a").prompt) == "Paused. CHOOSE: go on."
    assert str(table.screen("table").prompt) == "Paused."


def test_a_draw_leaves_nobody_to_play() -> None:
    table = seated()
    table.long("a")
    table.pick("a", "Offer a draw")
    table.pick("b", "Agree")
    table.long("a")
    table.pick("a", "Help")
    assert "your turn" not in table.text("a")
