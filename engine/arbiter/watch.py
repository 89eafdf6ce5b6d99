"""What was seen since the table last agreed with the referee: the evidence that a verdict rests on."""

from __future__ import annotations

import msgspec

from engine.arbiter.expectation import Expectation, plain
from engine.table import Layout, Observation, Order, Seat, Sighting, Spot, Touch, ZoneSight


class Watch(msgspec.Struct, frozen=True):
    """base: the table when it last agreed. touches, hands, lost: everything since. since: when it stopped to agree."""

    base: Expectation
    touches: tuple[Touch, ...] = ()
    hands: frozenset[Seat] | None = frozenset()
    lost: frozenset[int] = frozenset()
    since: float | None = None


def agreed(layout: Layout, observation: Observation) -> Watch:
    """A fresh watch: the table in `observation` is `layout`, and its tracks are the pieces'."""
    tracks: dict[Spot, int] = {}
    for zone in layout.zones:
        seen = sight_of(observation, zone.zone, zone.order)
        for index, sighting in enumerate(paired(zone.pieces, seen)):
            if sighting is not None:
                tracks[Spot(zone.zone, index)] = sighting.track
    return Watch(plain(layout, tracks))


def gather(watch: Watch, observation: Observation) -> Watch:
    """The watch with one more observation's touches, hands and losses."""
    merged = {touch.track: touch for touch in watch.touches}
    for touch in observation.touched:
        merged[touch.track] = _both(merged[touch.track], touch) if touch.track in merged else touch
    return msgspec.structs.replace(
        watch,
        touches=tuple(merged.values()),
        hands=_union(watch.hands, observation.hands),
        lost=watch.lost | observation.lost,
        since=observation.at if watch.since is None else watch.since,
    )


def sight_of(observation: Observation, zone: str, order: Order) -> ZoneSight:
    """What is seen in a zone; nothing if vision did not look there."""
    for sight in observation.zones:
        if sight.zone == zone:
            return sight
    return ZoneSight(zone, order, ())


def paired(pieces: tuple[object, ...], seen: ZoneSight) -> tuple[Sighting | None, ...]:
    """For each expected piece the sighting at its spot: by number; in an area by looks, then whatever is left."""
    if seen.order is not Order.AREA:
        padded = (*seen.pieces, *(None for _ in pieces))
        return padded[: len(pieces)]
    rest = [sighting for sighting in seen.pieces if sighting is not None]
    found: list[Sighting | None] = []
    for piece in pieces:
        same = next((s for s in rest if (s.kind, s.face) == _looks(piece)), None)
        if same is not None:
            rest.remove(same)
        found.append(same)
    return tuple(sighting if sighting is not None or not rest else rest.pop(0) for sighting in found)


def _looks(piece: object) -> tuple[object, object]:
    return getattr(piece, "kind", None), getattr(piece, "face", None)


def _both(a: Touch, b: Touch) -> Touch:
    return Touch(a.track, a.lifted or b.lifted, max(a.certainty, b.certainty), _union(a.hands, b.hands))


def _union(a: frozenset[Seat] | None, b: frozenset[Seat] | None) -> frozenset[Seat] | None:
    return None if a is None or b is None else a | b
