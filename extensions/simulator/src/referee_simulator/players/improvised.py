"""Improvised cheats with any pieces on the table, without knowledge of the game."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from itertools import combinations

import msgspec

from engine.table import Arrangement, Face, Layout, Move, Spot, Trace
from referee_simulator.hands.acts import Doer, Work
from referee_simulator.hands.restoring import in_order
from referee_simulator.hands.scripts import Script, finish
from referee_simulator.table.ground_truth import Body, Shape, Truth, inside, layout, members
from referee_simulator.table.places import Pose, zones
from vision.mat import Mat, MatZone

COASTER = Body(
    id=9001,
    kind="coaster",
    set="coaster",
    x=0.0,
    y=0.0,
    face=Face.DOWN,
    shape=Shape.CARD,
    width=64.0,
    height=64.0,
    thickness=2.0,
)
"""A foreign object."""

OPEN = (Arrangement.ROW, Arrangement.AREA, Arrangement.CELLS)


class Mischief(msgspec.Struct, frozen=True):
    """An improvised act: name, scripts and visible trace."""

    kind: str
    scripts: tuple[Script, ...]
    trace: Trace


def mischief(
    truth: Truth, names: tuple[str, ...], *, mat: Mat, doer: Doer, rng: random.Random, begins: float
) -> Mischief | None:
    """Draw one of the possible acts, equally likely; None without one. names: the game's zones."""
    tricks = list(_TRICKS.items())
    rng.shuffle(tricks)
    for kind, trick in tricks:
        work = Work(truth, mat, doer, rng, begins)
        if trick(work, [zones(mat)[name] for name in names], rng):
            scripts = work.scripts()
            seen = visible_trace(truth, finish(truth, scripts), names, mat)
            return Mischief(f"improvised: {kind}", scripts, msgspec.structs.replace(seen, hands=frozenset({doer.seat})))
    return None


def visible_trace(before: Truth, after: Truth, names: tuple[str, ...], mat: Mat) -> Trace:
    """Return the visible trace between two tables, without hands and lifting."""
    was, now = _places(before, names, mat), _places(after, names, mat)
    stays = _stays(was, now, layout(before, mat, names))
    moves = tuple(
        Move(was.get(ident), now.get(ident))
        for ident in sorted(was.keys() | now.keys())
        if ident not in stays and was.get(ident) != now.get(ident)
    )
    faces = {body.id: body.face for body in before.bodies}
    turned = frozenset(was[body.id] for body in after.bodies if body.id in was and faces[body.id] is not body.face)
    return Trace(layout(after, mat, names), moves, turned)


def _places(truth: Truth, names: tuple[str, ...], mat: Mat) -> dict[int, Spot]:
    by_name = zones(mat)
    lying = ((name, members(truth, by_name[name])) for name in names)
    return {body.id: Spot(name, index) for name, row in lying for index, body in enumerate(row) if body is not None}


def _stays(was: Mapping[int, Spot], now: Mapping[int, Spot], before: Layout) -> frozenset[int]:
    stays: set[int] = set()
    for zone in before.zones:
        both = [i for i in was if i in now and was[i].zone == now[i].zone == zone.zone]
        if zone.order is Arrangement.AREA:
            stays |= set(both)
        elif zone.order is Arrangement.ROW:
            both.sort(key=lambda ident: was[ident])
            again = sorted(both, key=lambda ident: now[ident])
            stays |= in_order([both.index(ident) for ident in again], both)
    return frozenset(stays)


def _lying(truth: Truth, where: list[MatZone]) -> list[Body]:
    open_zones = [zone for zone in where if zone.order in OPEN]
    return [b for b in truth.bodies if not b.held and any(inside(zone.box, b.x, b.y) for zone in open_zones)]


def _two_turned(work: Work, where: list[MatZone], rng: random.Random) -> bool:
    lying = _lying(work.truth, where)
    if len(lying) < 2:
        return False
    for body in rng.sample(lying, 2):
        work.turn(body)
    return True


def _turned_and_exchanged(work: Work, where: list[MatZone], rng: random.Random) -> bool:
    lying = _lying(work.truth, where)
    if len(lying) < 3:
        return False
    one, first, second = rng.sample(lying, 3)
    work.turn(one)
    work.exchange(first, second, set())
    return True


def _across(work: Work, where: list[MatZone], rng: random.Random) -> bool:
    lying = [(b, zone.name) for zone in where if zone.order in OPEN for b in members(work.truth, zone) if b is not None]
    pairs = [(a, b) for (a, here), (b, there) in combinations(lying, 2) if here != there and a.set == b.set]
    if not pairs:
        return False
    first, second = rng.choice(pairs)
    work.exchange(first, second, set())
    return True


def _slid(work: Work, where: list[MatZone], rng: random.Random) -> bool:
    lying = _lying(work.truth, where)
    rng.shuffle(lying)
    for body in lying:
        for zone in where:
            to = _straight(body, zone)
            if zone.order in OPEN and not inside(zone.box, body.x, body.y) and _free(work.truth, body, to):
                work.slide(body, to)
                return True
    return False


def _straight(body: Body, zone: MatZone) -> Pose:
    rim = max(body.width, body.height) / 2
    box = zone.box
    x = min(max(body.x, box.x + rim), max(box.x + rim, box.x + box.width - rim))
    y = min(max(body.y, box.y + rim), max(box.y + rim, box.y + box.height - rim))
    return x, y, body.angle


def _free(truth: Truth, body: Body, to: Pose) -> bool:
    reach = max(body.width, body.height)
    steps = [(body.x + (to[0] - body.x) * k / 10, body.y + (to[1] - body.y) * k / 10) for k in range(1, 11)]
    others = [b for b in truth.bodies if b.id != body.id]
    return all(abs(x - b.x) > reach or abs(y - b.y) > reach for b in others for x, y in steps)


def _coaster(work: Work, where: list[MatZone], rng: random.Random) -> bool:
    zone = rng.choice(where)
    x, y = rng.uniform(0.3, 0.7), rng.uniform(0.3, 0.7)
    work.lay(COASTER, (zone.box.x + x * zone.box.width, zone.box.y + y * zone.box.height, rng.uniform(0, 90)))
    return True


_TRICKS: Mapping[str, Callable[[Work, list[MatZone], random.Random], bool]] = {
    "two turned": _two_turned,
    "turned and exchanged": _turned_and_exchanged,
    "exchanged across": _across,
    "slid": _slid,
    "coaster": _coaster,
}
