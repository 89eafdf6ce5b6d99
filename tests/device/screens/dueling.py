"""Screens of Dueling Runes as they come up in a duel that was fought (records/runes.txt)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from device import games
from device.screens.screen import Screen
from device.session.state import Setup, SetupPage
from device.session.table import Table
from engine.catalogue import complete
from tests.device.screens.recorded import Recording, opened, pick
from tests.device.session.conftest import Mat, Seated

DUEL = Recording("runes", Path(__file__).parent / "records" / "runes.txt")


def dueling() -> dict[str, Screen]:
    """By name, in the order in which they come."""
    return {**_setting_out(), **_laying(), **_casting(), **_special(), **_drawing(), **_ending()}


def _phase(name: str, seat: str, more: Callable[[Any], bool] = lambda _: True) -> Callable[[Any], bool]:
    there = DUEL.phase(name, seat)
    return lambda state: there(state) and state.turn > 2 and more(state)


def _setting_out() -> dict[str, Screen]:
    """Everything lies as it should; what is left to do before the match begins."""
    known = DUEL.known
    table = Seated(Table(("a", "b"), {"runes": known}, camera=True, mats=games.mats(["runes"])))
    stage = Setup(
        SetupPage.CHECK,
        "runes",
        ("a", "b"),
        dict(complete(known.spec.options, {"life_counter": "own"})),
        {"kind": "none"},
    )
    table.session = msgspec.structs.replace(table.session, stage=stage)
    state = known.game.setup(stage.options, stage.seats, table.session.seed)
    table.see(Mat(known.game.layout(state)).observe(0.0))
    return {"duel set-up": table.screen("a")}


def _laying() -> dict[str, Screen]:
    table = DUEL.when(_phase("Laying", "a"))
    shown = {"duel lay": table.screen("a"), "duel lay table": table.screen("table")}
    table = DUEL.when(_phase("Revealing", "b"))
    return {**shown, "duel reveal": table.screen("b")}


def _casting() -> dict[str, Screen]:
    """What can be cast, at whom, with how much energy; what the others then may do; what came of it."""
    table = DUEL.when(_phase("Casting", "a", lambda state: len(DUEL.known.game.choices(state, "a", ("cast",))) > 1))
    shown = {"duel casting": table.screen("a"), "duel casting table": table.screen("table")}
    shown["duel actions"] = opened(table, "a")
    pick(table, "a", "Cast")
    shown["duel spells"] = table.screen("a")
    table = DUEL.when(_phase("Responding", "b", lambda state: bool(state.phase.spells)))
    shown |= {"duel announced": table.screen("b"), "duel announced table": table.screen("table")}
    shown["duel responses"] = opened(table, "b")
    table = DUEL.when(_phase("Forgetting", "a"))
    return {**shown, "duel forgetting": table.screen("a"), "duel forgetting menu": opened(table, "a")}


def _special() -> dict[str, Screen]:
    table = DUEL.when(_phase("Paying", "a"))
    shown = {"duel paying": table.screen("a"), "duel paying table": table.screen("table")}
    table = DUEL.when(_phase("Laying", "a", lambda state: len(state.wizards[0].effects) > 1))
    return {**shown, "duel effects": table.screen("a"), "duel effects table": table.screen("table")}


def _drawing() -> dict[str, Screen]:
    table = DUEL.when(_phase("DrawPhase", "a", lambda state: len(state.story) > 2))
    return {"duel draw": table.screen("a"), "duel draw table": table.screen("table")}


def _ending() -> dict[str, Screen]:
    table = DUEL.when(lambda state: DUEL.known.game.outcome(state) is not None)
    shown = {"duel result": table.screen("a")}
    table.press("a", "choose")
    return {**shown, "duel over": table.screen("a"), "duel over table": table.screen("table")}
