"""A match that pauses: nothing that the camera sees is recorded before it goes on."""

from __future__ import annotations

from device import games
from device.session.messages import Restarted
from device.session.table import Table
from engine.entry import Pause, Settle
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
