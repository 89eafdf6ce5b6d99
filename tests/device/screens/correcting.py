"""Screens on which the owner of a real deck says what is printed on its cards."""

from __future__ import annotations

from device import games
from device.screens.screen import Screen
from device.session.table import KnownGame, Table
from engine.table import Arrangement, Face, Observation, Sight, Sighting, ZoneSight
from tests.device.session.conftest import Seated


def correcting() -> dict[str, Screen]:
    """By name, in the order in which they come."""
    spec = games.spec("fence")
    known = KnownGame(spec, *games.build(spec))
    seated = Seated(Table(("a", "b"), {"fence": known}, camera=True, mats=games.mats(["fence"])))
    seated.pick("a", "English", "More rules", "Numbers on the cards")
    card = Sighting(1, "parry-riposte-5", Face.UP, Sight.SEEN, 0.99, 0.0, 0.0, 0.0)
    seated.see(Observation(1, 0.0, (ZoneSight("lane-green", Arrangement.SPLAY, (card,)),)))
    shown = {"deck cards": seated.screen("a")}
    seated.press("a", "choose")
    shown["deck numbers"] = seated.screen("a")
    seated.pick("a", "Speed: 5")
    shown["deck speed"] = seated.screen("a")
    seated.press("a", "back")
    seated.pick("a", "Mark T: Yes", "Mark T: No")
    return {**shown, "deck fault": seated.screen("a")}
