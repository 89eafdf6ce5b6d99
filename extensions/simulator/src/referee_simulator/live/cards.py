"""A live table's real cards, with the dealer's unseen work. Pure.

People move cards; unwatched draws, refills and shuffles are the dealer's. After each action, piles and hands follow the
dealer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

import msgspec

from engine.table import Arrangement, Face, Layout, Seat
from referee_simulator.table.ground_truth import Body, Truth, lying, members
from referee_simulator.table.holding import Holding
from referee_simulator.table.places import cell_place, zones
from referee_simulator.table.setting import card_set, make_bodies, piece_set
from vision.mat import Mat, MatZone

Hands = Mapping[Seat, tuple[int, ...]]


def alike(one: Truth, other: Truth, mat: Mat, shown: Layout) -> bool:
    """Return True if both tables have the same pieces outside piles, ignoring faces and places within areas. shown:
    their layout."""
    names = [zone.zone for zone in shown.zones if zone.order is not Arrangement.PILE]
    return _kinds(one, mat, names) == _kinds(other, mat, names)


def _kinds(truth: Truth, mat: Mat, names: Iterable[str]) -> list[list[str | None]]:
    return [[b.kind if b else None for b in members(truth, zones(mat)[name])] for name in names]


def deal_cards(truth: Truth, mat: Mat, holding: Holding, shown: Layout) -> Truth:
    """Return the table with all cards dealt as the dealer has them. shown: tells piles' faces."""
    name = card_set(mat, holding).name
    others = [tuple(b for b in where if b.set != name) for where in (truth.bodies, truth.away)]
    number = 1 + max((b.id for b in (*truth.bodies, *truth.away)), default=-1)
    piles: list[Body] = []
    for zone_name, kinds in holding.stacks.items():
        bodies = make_bodies(kinds, piece_set(name), number)
        piles += [_lay(body, zones(mat)[zone_name], _face(shown, zone_name)) for body in bodies]
        number += len(bodies)
    away = make_bodies(holding.away, piece_set(name), number)
    return Truth((*piles, *others[0]), (*others[1], *away))


def hands_of(truth: Truth, holding: Holding, seats: Iterable[Seat], before: Hands) -> Hands:
    free = {body.id: body.kind for body in truth.away}
    hands: dict[Seat, tuple[int, ...]] = {}
    missing: dict[Seat, Counter[str]] = {}
    for seat in seats:
        wanted = Counter(holding.hand(seat))
        kept = []
        for ident in before.get(seat, ()):
            if ident in free and wanted[free[ident]]:
                wanted[free[ident]] -= 1
                kept.append(ident)
        hands[seat], missing[seat] = tuple(kept), +wanted
        for ident in kept:
            del free[ident]
    for seat, wanted in missing.items():
        for kind in wanted.elements():
            found = next((ident for ident, name in free.items() if name == kind), None)
            if found is not None:
                del free[found]
                hands[seat] = (*hands[seat], found)
    return hands


def tidy_cards(truth: Truth, mat: Mat, holding: Holding, shown: Layout) -> Truth | None:
    """Return the table with piles and absent cards as the dealer has them; None if the rest differs from the dealer's
    belief or something visible would change. shown: tells empty piles' faces."""
    name = card_set(mat, holding).name
    piles = {zone: lying(truth, zones(mat)[zone]) for zone in holding.stacks}
    piled = {body.id for pile in piles.values() for body in pile}
    cards = [body for body in (*truth.bodies, *truth.away) if body.set == name]
    open_cards = Counter(b.kind for b in truth.bodies if b.set == name and b.id not in piled)
    unwatched = Counter(chain(holding.away, *holding.stacks.values()))
    if open_cards + unwatched != Counter(body.kind for body in cards):
        return None
    if any(_shows(pile, holding.stacks[zone]) for zone, pile in piles.items()):
        return None
    return _restack(truth, mat, holding, piles, shown)


def _shows(pile: Sequence[Body], kinds: Sequence[str]) -> bool:
    if not pile or pile[-1].face is Face.DOWN:
        return False
    return tuple(body.kind for body in pile) != tuple(kinds[: len(pile)])


def _restack(truth: Truth, mat: Mat, holding: Holding, piles: Mapping[str, tuple[Body, ...]], shown: Layout) -> Truth:
    name = card_set(mat, holding).name
    spare = [body for body in truth.away if body.set == name]
    kept: dict[str, tuple[Body, ...]] = {}
    for zone, pile in piles.items():
        surplus = max(0, len(pile) - len(holding.stacks[zone]))
        spare += pile[:surplus]
        kept[zone] = pile[surplus:]
    bodies: list[Body] = []
    for zone, pile in kept.items():
        kinds, face = holding.stacks[zone], pile[-1].face if pile else _face(shown, zone)
        missing = len(kinds) - len(pile)
        added, spare = [_lay(b, zones(mat)[zone], face) for b in spare[:missing]], spare[missing:]
        whole = (*pile, *added) if face is Face.UP else (*added, *pile)
        bodies += [msgspec.structs.replace(b, kind=kind) for b, kind in zip(whole, kinds, strict=True)]
    moved = {body.id for body in chain(bodies, *piles.values())}
    rest = tuple(body for body in truth.bodies if body.id not in moved)
    others = tuple(body for body in truth.away if body.set != name)
    return Truth((*bodies, *rest), (*others, *_rename_spare(spare, holding.away)))


def _rename_spare(spare: Sequence[Body], away: Sequence[str]) -> Iterable[Body]:
    """Rename as few absent cards as possible."""
    wanted = Counter(away)
    keep: dict[int, str] = {}
    for body in spare:
        if wanted[body.kind]:
            wanted[body.kind] -= 1
            keep[body.id] = body.kind
    new = iter((+wanted).elements())
    return [msgspec.structs.replace(body, kind=keep.get(body.id) or next(new)) for body in spare]


def _lay(body: Body, zone: MatZone, face: Face) -> Body:
    x, y, angle = cell_place(zone.box, body)
    return msgspec.structs.replace(body, x=x, y=y, angle=angle, face=face, lift_mm=0.0, tilt_deg=0.0)


def _face(shown: Layout, zone: str) -> Face:
    top = next((z.pieces[0] for z in shown.zones if z.zone == zone and z.pieces), None)
    return Face.UP if top is None else top.face
