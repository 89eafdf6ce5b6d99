"""Screens of a real sitting: what players read on their displays in the course of an evening, taken as it comes."""

from __future__ import annotations

import msgspec

from device import games
from device.key_gestures import Gesture
from device.screens.screen import Screen
from device.session.match_start import again
from device.session.matches import LiveMatch
from device.session.messages import Tick
from device.session.state import Setup
from device.session.table import KnownGame, Table
from engine.catalogue import complete
from engine.entry import Start
from engine.table import Face, Observation, Touch
from tests.device.session.conftest import Mat, Seated, tellstones


def evening() -> dict[str, Screen]:
    """By name, in the order in which they came."""
    return {**_at_the_camera(), **_after_a_power_cut(), **_with_one_display()}


def _table() -> Table:
    mats = games.mats(["tellstones"])
    return Table(("a", "b"), {"tellstones": tellstones()}, camera=True, mats=mats, screen=True)


def _at_the_camera() -> dict[str, Screen]:
    shown: dict[str, Screen] = {}
    table = Seated(_table())
    table.pick("a", "English", "More rules", "Peek at three: Rival's turn or yours")
    shown["option"] = table.screen("a")
    table.press("a", "back", "back", "back", "back")
    table.start(first_stone="scales")
    lying = Mat(table.layout())
    table.session = msgspec.structs.replace(table.session, stage=_checking(table))
    table.see(_without_line(lying.observe(0.0)))
    shown["set-up check"] = table.screen("a")
    table.see(lying.observe(0.0))
    table.press("a", "choose")
    _do(table, lying, "a", "place crown left", "b")
    table.act("b", "Place", "Sword", "left end")
    shown["owed"] = table.screen("b")
    table.press("b", "choose")
    shown["done"] = table.screen("b")
    table.press("b", "back")
    lying.do(table.match.pending.trace if table.match.pending else table.trace("b", ("place", "sword", "left")))
    table.see(lying.observe(0.0, frozenset("a")))
    table.long("b")
    shown["menu"] = table.screen("b")
    table.pick("b", "Undo")
    shown["consent"] = table.screen("a")
    table.pick("a", "Decline")
    _do(table, lying, "a", "hide crown", "b")
    table.press("a", "next")
    shown["history"] = table.screen("a")
    table.press("a", "back")
    table.see(_lifted(lying.observe(0.0), 0))
    shown["question"] = table.screen(table.play.case.question.seat if table.play.case.question else "b")
    table.pick("b", "Something else")
    shown["doubt"] = table.screen("b")
    table.see(_swept(lying.observe(0.0)))
    table.now += 10.0
    table.give(Tick(table.now))
    shown["disorder"] = table.screen("b")
    table.see(lying.observe(0.0))
    _challenged(table, lying, shown)
    return shown


def _checking(table: Seated) -> Setup:
    """The last page of the set-up, as for a rematch."""
    stage = again(LiveMatch(table.table, table.session))[0].stage
    assert isinstance(stage, Setup)
    return stage


def _challenged(table: Seated, lying: Mat, shown: dict[str, Screen]) -> None:
    """A stone is named, turned up, and is another than the referee believed."""
    _do(table, lying, "b", "hide scales", "a")
    table.press("a", "choose")
    table.pick("a", "Challenge")
    shown["stones"] = table.screen("a")
    table.pick("a", "stone 1", "Yes")
    table.press("b", "choose")
    table.pick("b", "Scales", "Yes")
    shown["to turn up"] = table.screen("b")
    table.see(_turned(lying.observe(0.0), 0, "scales", "b"))
    shown["another face"] = table.screen("a")
    table.pick("a", "Decline")
    table.long("b")
    table.pick("b", "Correct the referee")
    shown["correction"] = table.screen("b")
    table.press("b", "back", "back")
    table.press("b", "choose")
    table.pick("b", "Done")
    table.long("b")
    table.pick("b", "Resign", "B resigns")
    shown["result"] = table.screen("a")


def _after_a_power_cut() -> dict[str, Screen]:
    table = Seated(_table())
    table.start("10:00 + 5 s", first_stone="scales")
    lying = Mat(table.layout())
    table.see(lying.observe(0.0))
    _do(table, lying, "a", "hide scales", "b")
    return {"restart": Seated(_table(), table.entries).screen("b")}


def _with_one_display() -> dict[str, Screen]:
    spec = games.spec("planetx")
    options = dict(complete(spec.options, {"level": "youth"}))
    table = Seated(
        Table((), {"planetx": KnownGame(spec, games.game(spec))}, shared=True, screen=True),
        [Start(0.0, "planetx", options, ("a", "b"), 5)],
    )
    table.press(None, "choose")
    table.press(None, "back", gesture=Gesture.DOWN)
    count = len(table.entries)
    while len(table.entries) == count:
        table.press(None, "choose")
    table.press(None, "back", gesture=Gesture.UP)
    shown = {"news to read": table.screen(None)}
    table.press(None, "choose")
    return {**shown, "hand on": table.screen(None)}


def _do(table: Seated, lying: Mat, seat: str, words: str, hand: str) -> None:
    lying.do(table.trace(seat, tuple(words.split())))
    table.see(lying.observe(0.0, frozenset(hand)))


def _without_line(seen: Observation) -> Observation:
    """The same, as if the Line were bare."""
    line = msgspec.structs.replace(seen.zone("line"), pieces=())
    return msgspec.structs.replace(seen, zones=tuple(line if z.zone == "line" else z for z in seen.zones))


def _swept(seen: Observation) -> Observation:
    """The same, as if a sleeve had swept the Line away into the Pool."""
    line, pool = seen.zone("line"), seen.zone("pool")
    swept = tuple(Touch(stone.track, True, 1.0, None) for stone in line.pieces if stone is not None)
    zones = {
        "line": msgspec.structs.replace(line, pieces=()),
        "pool": msgspec.structs.replace(pool, pieces=(*pool.pieces, *line.pieces)),
    }
    there = tuple(zones.get(zone.zone, zone) for zone in seen.zones)
    return msgspec.structs.replace(seen, zones=there, touched=swept, hands=None)


def _lifted(seen: Observation, place: int) -> Observation:
    """The same, with some evidence that a stone of the Line was lifted."""
    stone = seen.zone("line").pieces[place]
    assert stone is not None
    return msgspec.structs.replace(seen, touched=(Touch(stone.track, True, 0.7, None),), hands=None)


def _turned(seen: Observation, place: int, kind: str, hand: str) -> Observation:
    line = seen.zone("line")
    pieces = list(line.pieces)
    stone = pieces[place]
    assert stone is not None
    pieces[place] = msgspec.structs.replace(stone, kind=kind, face=Face.UP)
    line = msgspec.structs.replace(line, pieces=tuple(pieces))
    zones = tuple(line if zone.zone == "line" else zone for zone in seen.zones)
    touched = (Touch(stone.track, True, 1.0, frozenset(hand)),)
    return msgspec.structs.replace(seen, zones=zones, touched=touched, hands=frozenset(hand))
