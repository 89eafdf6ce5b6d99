"""Matches that pause, and those whose time rests."""

from __future__ import annotations

from device import games
from device.session.messages import Restarted, Tick, Unkept
from device.session.table import Table
from engine.entry import Pause, Settle
from engine.game import OptionValue
from engine.text import say
from tests.device.session.conftest import Mat, Seated, tellstones


def test_an_order_carried_out_in_a_pause_counts_afterwards_though_the_camera_restarted() -> None:
    mats = games.mats(["tellstones"])
    table = Seated(Table(("a", "b"), {"tellstones": tellstones()}, screen=True, camera=True, mats=mats))
    table.start(first_stone="scales")
    lying = Mat(table.layout())
    table.see(lying.observe(0.0))
    table.press("a", "choose", "choose")
    while table.match.pending is None:
        table.press("a", "choose")
    ordered = table.match.pending.trace
    table.long("b")
    table.pick("b", "Pause")
    table.now += 1.0
    table.give(Restarted(table.now))
    lying.do(ordered)
    table.see(lying.observe(0.0, frozenset("b")))
    assert isinstance(table.entries[-1], Pause)
    table.press("a", "choose")
    assert isinstance(table.entries[-1], Settle)
    assert table.match.pending is None


def test_no_flag_falls_while_nothing_that_is_done_can_be_kept() -> None:
    clock: dict[str, OptionValue] = {"kind": "move", "seconds": 30}
    table = Seated(Table(("a", "b"), {"tellstones": tellstones()}, screen=True, clock=clock))
    table.start(first_stone="scales")
    table.act("a", "Place", "Crown", "left end")
    table.now += 5.0
    table.give(Unkept(table.now, say("The disk is full.")))
    table.now += 60.0
    table.give(Tick(table.now))
    assert table.match.result is None
    table.act("b", "Place", "Sword", "left end")
    assert table.match.result is None


def test_a_resignation_in_a_pause_is_put_right_and_a_match_that_is_over_cannot_be_continued() -> None:
    table = Seated(Table(("a", "b"), {"tellstones": tellstones()}, screen=True))
    table.start(first_stone="scales")
    table.long("a")
    table.pick("a", "Pause")
    table.long("b")
    table.pick("b", "Resign", "B resigns")
    table.pick("a", "Undo or correct")
    menu = table.screen("a").menu
    assert menu is not None
    assert "Continue" not in map(str, menu.items)
    table.pick("a", "Correct the referee", "Whose turn it is", "Seat A")
    table.pick("b", "Agree")
    assert table.match.result is None
    table.long("a")
    table.pick("a", "Continue")
    assert not table.match.paused
