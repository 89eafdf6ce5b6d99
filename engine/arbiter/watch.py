"""Collects what was seen since the table last agreed with the referee: the evidence for a verdict."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from engine.arbiter.alignment import aligned
from engine.arbiter.expectation import Expectation, Holding, plain
from engine.table import Face, Layout, Observation, Order, Piece, Seat, Sight, Sighting, Spot, Touch, ZoneSight


class Watch(msgspec.Struct, frozen=True):
    """base: the table when it last agreed. touches, hands, lost: everything since. since: when it stopped to agree.

    odd: tracks that nothing explained even then: everybody took the table to be right all the same.
    """

    base: Expectation
    touches: tuple[Touch, ...] = ()
    hands: frozenset[Seat] | None = frozenset()
    lost: frozenset[int] = frozenset()
    since: float | None = None
    odd: frozenset[int] = frozenset()


def agreed(layout: Layout, observation: Observation) -> Watch:
    """A fresh watch: the table in `observation` is `layout`, and its tracks are the pieces'."""
    tracks: dict[Spot, int] = {}
    missing: set[Spot] = set()
    odd: set[int] = set()
    for zone in layout.zones:
        seen = sight_of(observation, zone.zone, zone.order)
        odd |= {sighting.track for sighting in seen.pieces if sighting is not None}
        pairs = zip(zone.pieces, paired(zone.pieces, seen, loosely=True), strict=True)
        for index, (piece, sighting) in enumerate(pairs):
            piled = zone.order is Order.PILE and sighting is not None and sighting.sight is Sight.COVERED
            if sighting is not None and piece is not None:
                tracks[Spot(zone.zone, index)] = sighting.track
            if piece is not None and (sighting is None or piled):
                missing.add(Spot(zone.zone, index))
    return Watch(plain(layout, tracks, frozenset(missing)), odd=frozenset(odd - set(tracks.values())))


def gather(watch: Watch, observation: Observation) -> Watch:
    """The watch with one more observation's touches, hands and losses."""
    merged = {touch.track: touch for touch in watch.touches}
    for touch in observation.touched:
        merged[touch.track] = _both(merged[touch.track], touch) if touch.track in merged else touch
    return msgspec.structs.replace(
        watch,
        base=_named(watch.base, observation),
        touches=tuple(merged.values()),
        hands=_union(watch.hands, observation.hands),
        lost=watch.lost | observation.lost,
        since=observation.at if watch.since is None else watch.since,
    )


def _named(base: Expectation, observation: Observation) -> Expectation:
    """The base with the tracks of an area's pieces that were not known when it agreed, and are named now.

    Of several unknown pieces in an area nothing told which was which: their first tracks were dealt out.
    """
    kinds: dict[int | None, str | None] = {
        s.track: s.kind
        for zone in observation.zones
        for s in zone.pieces
        if s is not None and s.sight is Sight.SEEN and s.face is Face.UP
    }
    zones = tuple(
        (name, order, _retracked(holdings, kinds) if order is Order.AREA else holdings)
        for name, order, holdings in base.zones
    )
    return msgspec.structs.replace(base, zones=zones)


def _retracked(
    holdings: tuple[Holding | None, ...], kinds: Mapping[int | None, str | None]
) -> tuple[Holding | None, ...]:
    """Pieces that lie face up, each with the track under which its kind is seen."""
    row = list(holdings)
    for track, kind in kinds.items():
        piece = Piece(kind)
        wrong = next((i for i, h in enumerate(row) if h and h.track == track and _differs(h.piece, piece)), None)
        right = next((i for i, h in enumerate(row) if h and h.piece == piece and kinds.get(h.track) != kind), None)
        one, other = (None if place is None else row[place] for place in (wrong, right))
        if wrong is not None and right is not None and one is not None and other is not None:
            row[wrong] = msgspec.structs.replace(one, track=other.track)
            row[right] = msgspec.structs.replace(other, track=track)
    return tuple(row)


def _differs(held: Piece, seen: Piece) -> bool:
    """Two kinds, both face up: a piece that was not turned is no other."""
    return held.face is seen.face and held.kind != seen.kind


def sight_of(observation: Observation, zone: str, order: Order) -> ZoneSight:
    """What is seen in a zone; nothing if vision did not look there."""
    for sight in observation.zones:
        if sight.zone == zone:
            return sight
    return ZoneSight(zone, order, ())


def paired(
    pieces: tuple[object, ...], seen: ZoneSight, tracks: tuple[int | None, ...] = (), *, loosely: bool = False
) -> tuple[Sighting | None, ...]:
    """For each expected piece the sighting at its spot: by number; in an area by looks, then whatever is left.

    In a row or splay that does not show as many as it should, those that look right get as many as they can; loosely:
    also if it shows as many, for what cannot be told may be no piece, and another one may be out of sight.
    tracks: the pieces', if they are known; of what is left in an area each gets its own first.
    """
    if seen.order in (Order.ROW, Order.SPLAY) and (loosely or len(seen.pieces) != len(pieces)):
        return _aligned(pieces, seen.pieces, tracks or (None,) * len(pieces))
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
    for index, track in enumerate(tracks):
        own = next((s for s in rest if s.track == track), None)
        if found[index] is None and own is not None:
            rest.remove(own)
            found[index] = own
    return tuple(sighting if sighting is not None or not rest else rest.pop(0) for sighting in found)


def _aligned(
    pieces: tuple[object, ...], seen: tuple[Sighting | None, ...], tracks: tuple[int | None, ...]
) -> tuple[Sighting | None, ...]:
    """The longest pairing in order of pieces with sightings that may be they; what is plainly seen counts for more.

    Of hidden pieces, which look alike, each gets its own track if it can.
    """

    def worth(number: int, place: int) -> int:
        sighting, track = seen[place], tracks[number]
        likeness = _likeness(pieces[number], sighting)
        own = track is not None and sighting is not None and sighting.track == track
        return likeness and 2 * likeness + own

    found: list[Sighting | None] = [None] * len(pieces)
    for number, place in aligned(len(pieces), len(seen), worth):
        found[number] = seen[place]
    return tuple(found)


def _likeness(piece: object, sighting: Sighting | None) -> int:
    if sighting is None:
        return 0
    if sighting.sight is not Sight.SEEN:
        return 1
    return 2 * ((sighting.kind if sighting.face is Face.UP else None, sighting.face) == _looks(piece))


def _looks(piece: object) -> tuple[object, object]:
    return getattr(piece, "kind", None), getattr(piece, "face", None)


def _both(a: Touch, b: Touch) -> Touch:
    return Touch(a.track, a.lifted or b.lifted, max(a.certainty, b.certainty), _union(a.hands, b.hands))


def _union(a: frozenset[Seat] | None, b: frozenset[Seat] | None) -> frozenset[Seat] | None:
    return None if a is None or b is None else a | b
