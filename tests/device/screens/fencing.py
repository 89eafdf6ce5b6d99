"""Screens of Ready... Fence! as they come up in a bout that was fenced (records/fence.txt)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from device.screens.screen import Screen
from tests.device.screens.recorded import Recording, opened, pick

BOUT = Recording("fence", Path(__file__).parent / "records" / "fence.txt")


def fencing() -> dict[str, Screen]:
    """By name, in the order in which they come."""
    return {**_before(), **_turns(), **_phrase(), **_late(), **_ending()}


def _before() -> dict[str, Screen]:
    table = BOUT.after(0)
    return {"bout hands": opened(table, "a")}


def _turns() -> dict[str, Screen]:
    table = BOUT.after(16)
    shown = {"bout turn": table.screen("b"), "bout waits": table.screen("a"), "bout table": table.screen("table")}
    shown["bout actions"] = opened(table, "b")
    pick(table, "b", "Play a card")
    shown["bout cards"] = table.screen("b")
    return shown


def _phrase() -> dict[str, Screen]:
    """An attack, what may answer it, the phrase as it grows, the touch, and the table put in order."""
    table = BOUT.after(17)
    shown = {"bout attacked": table.screen("a"), "bout phrase table": table.screen("table")}
    shown["bout answers"] = opened(table, "a")
    table = BOUT.after(19)
    shown |= {"bout long phrase": table.screen("a"), "bout long phrase table": table.screen("table")}
    table = BOUT.when(_touched)
    shown |= {"bout touch": table.screen("a"), "bout touch table": table.screen("table")}
    return shown


def _touched(state: Any) -> bool:
    return type(state.phase).__name__ == "Clearing" and any(state.phase.touches)


def _late() -> dict[str, Screen]:
    table = BOUT.when(lambda state: state.piles.timer == 1)
    shown = {"bout last card": table.screen("table")}
    table = BOUT.when(lambda state: state.stage.value == "overtime")
    return {**shown, "bout overtime": table.screen("b"), "bout overtime table": table.screen("table")}


def _ending() -> dict[str, Screen]:
    table = BOUT.when(lambda state: BOUT.known.game.outcome(state) is not None)
    shown = {"bout result": table.screen("a"), "bout result table": table.screen("table")}
    table.press("a", "choose")
    return {**shown, "bout over": table.screen("a")}
