"""Screens of Planet X as they come up in a match that was played: golden playthrough "duel", taken up at one point or
another, with a display for each or one for both."""

from __future__ import annotations

from pathlib import Path

from device.key_gestures import Button, Gesture, Key
from device.screens.screen import Screen
from tests.device.screens.recorded import Recording, opened, pick

DUEL = Recording("planetx", Path(__file__).resolve().parents[2] / "engine" / "planetx" / "golden" / "duel.txt")


def stargazing() -> dict[str, Screen]:
    """By name, in the order in which they come."""
    return {**_asking(), **_theories(), **_shared(), **_locating(), **_ending()}


def _asking() -> dict[str, Screen]:
    table = DUEL.when(DUEL.phase("Choosing", "a"))
    shown = {"sky level": opened(table, "a")}
    table = DUEL.when(lambda state: DUEL.phase("Acting", "a")(state) and len(state.deeds) > 6)
    shown |= {"sky turn": table.screen("a"), "sky table": table.screen("table")}
    shown["sky actions"] = opened(table, "a")
    pick(table, "a", "Survey", "gas clouds")
    shown["sky survey"] = table.screen("a")
    table.press("a", "choose", "choose")
    shown["sky answer"], shown["sky announced"] = table.screen("a"), table.screen("table")
    table.press("a", "next")
    shown["sky history"] = table.screen("a")
    return shown


def _theories() -> dict[str, Screen]:
    table = DUEL.when(DUEL.phase("Pledging", "a"))
    shown = {"sky theory phase": table.screen("a"), "sky theories": opened(table, "a")}
    table = DUEL.when(DUEL.phase("Placing", "b"))
    shown["sky placing"] = opened(table, "b")
    table = DUEL.when(lambda state: bool(state.conferences) and DUEL.phase("Acting", "a")(state))
    return {**shown, "sky conference": table.screen("table"), "sky own": table.screen("a")}


def _locating() -> dict[str, Screen]:
    table = DUEL.when(lambda state: DUEL.phase("Acting", "b")(state) and len(state.deeds) > 4)
    table.press("b", "choose")
    pick(table, "b", "Locate")
    shown = {"sky locate": table.screen("b")}
    table.press("b", "choose", "choose")
    return {**shown, "sky locate last word": table.screen("b")}


def _shared() -> dict[str, Screen]:
    """A secret on a display that goes from hand to hand: hidden, held, and on its way to the other."""
    table = DUEL.when(lambda state: DUEL.phase("Acting", "a")(state) and len(state.deeds) > 6, shared=True)
    shown = {"sky shared hidden": table.screen(None)}
    table.give(Key(None, Button.BACK, Gesture.DOWN, table.now))
    shown["sky shared held"] = table.screen(None)
    table.press(None, "choose")
    shown["sky shared menu"] = table.screen(None)
    table.give(Key(None, Button.BACK, Gesture.UP, table.now))
    shown["sky shared let go"] = table.screen(None)
    return shown


def _ending() -> dict[str, Screen]:
    table = DUEL.when(lambda state: DUEL.known.game.outcome(state) is not None)
    table.press("a", "choose")
    return {"sky score": table.screen("a")}
