"""The evidence for a verdict: the newest observation, and all touches since the last agreement.

A seat's word overrules contrary detections, each until it changes (`overrule`, `as_counted`); displays keep showing
them (`doubt`)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from itertools import combinations

import msgspec
from msgspec.structs import replace

from engine.arbiter.expectation import Expectation, ExpectedPiece, expectation_of
from engine.table import (
    Arrangement,
    Face,
    Health,
    Layout,
    Observation,
    Piece,
    Seat,
    Sight,
    Sighting,
    Spot,
    Touch,
    ZoneSight,
)
from engine.text import Text, say

Pair = tuple[int, int]

APART_MM = 6.0
"""Least distance in mm between two visible pieces' centres; every strip is wider."""

SURE = 0.9
"""Probability from which a touch is certain."""

SUSPECT = 0.5
"""Probability from which a touch needs an explanation."""


# --- since the table last agreed


class Evidence(msgspec.Struct, frozen=True):
    """Everything since table and match last agreed.

    base: expected table, with tracks
    seen: newest observation, with denials applied
    hands, lost: see `Observation`
    odd: tracks that no piece explained even then"""

    base: Expectation
    seen: Observation
    touches: tuple[Touch, ...] = ()
    hands: frozenset[Seat] | None = frozenset()
    lost: frozenset[int] = frozenset()
    odd: frozenset[int] = frozenset()

    def touch(self, track: int | None) -> Touch | None:
        return None if track is None else next((touch for touch in self.touches if touch.track == track), None)

    def known_tracks(self) -> set[int | None]:
        return {holding.track for holding in self.base.holdings()}

    def hidden_tracks(self) -> set[int | None]:
        return {holding.track for holding in self.base.holdings() if holding.hidden}

    def came(self) -> set[int | None]:
        """Return tracks now in zones, but not in the base."""
        return {track for track in lying(self.seen) if track not in self.known_tracks()}


def agreement(layout: Layout, observation: Observation, last: Expectation | None = None) -> Evidence:
    """Begin evidence with a table that matches `layout`, and assign its tracks.

    last: earlier expectation, whose tracks identify pieces that look alike."""
    before = {} if last is None else {name: holdings for name, _, holdings in last.zones}
    tracks: dict[Spot, int] = {}
    missing: set[Spot] = set()
    odd: set[int] = set()
    for zone in layout.zones:
        seen = sight_of(observation, zone.zone, zone.order)
        odd |= {sighting.track for sighting in seen.pieces if sighting is not None}
        known = _known_tracks(zone.pieces, before.get(zone.zone, ()))
        pairs = zip(zone.pieces, pair_sightings(zone.pieces, seen, known, loosely=True), strict=True)
        for index, (piece, sighting) in enumerate(pairs):
            piled = zone.order is Arrangement.PILE and sighting is not None and sighting.sight is Sight.COVERED
            if sighting is not None and piece is not None:
                tracks[Spot(zone.zone, index)] = sighting.track
            if piece is not None and (sighting is None or piled):
                missing.add(Spot(zone.zone, index))
    base = expectation_of(layout, tracks, frozenset(missing))
    return Evidence(base, observation, odd=frozenset(odd - set(tracks.values())))


def _known_tracks(
    pieces: tuple[Piece | None, ...], holdings: tuple[ExpectedPiece | None, ...]
) -> tuple[int | None, ...]:
    if tuple(None if h is None else h.piece for h in holdings) != pieces:
        return ()
    return tuple(None if h is None else h.track for h in holdings)


def gather(evidence: Evidence, observation: Observation) -> Evidence:
    """Add an observation with its touches, hands and losses."""
    merged = {touch.track: touch for touch in evidence.touches}
    for touch in observation.touched:
        merged[touch.track] = _both(merged[touch.track], touch) if touch.track in merged else touch
    return replace(
        evidence,
        base=_name_tracks(evidence.base, observation),
        seen=observation,
        touches=tuple(merged.values()),
        hands=_union(evidence.hands, observation.hands),
        lost=evidence.lost | observation.lost,
    )


def without_hidden_tracks(base: Expectation) -> Expectation:
    zones = tuple(
        (name, order, tuple(replace(h, track=None) if h and h.piece.face is Face.DOWN else h for h in holdings))
        for name, order, holdings in base.zones
    )
    return replace(base, zones=zones)


def _name_tracks(base: Expectation, observation: Observation) -> Expectation:
    kinds: dict[int | None, str | None] = {
        s.track: s.kind
        for zone in observation.zones
        for s in zone.pieces
        if s is not None and s.sight is Sight.SEEN and s.face is Face.UP
    }
    zones = tuple(
        (name, order, _keep_tracks(holdings, kinds) if order is Arrangement.AREA else holdings)
        for name, order, holdings in base.zones
    )
    return replace(base, zones=zones)


def _keep_tracks(
    holdings: tuple[ExpectedPiece | None, ...], kinds: Mapping[int | None, str | None]
) -> tuple[ExpectedPiece | None, ...]:
    row = list(holdings)
    for track, kind in kinds.items():
        piece = Piece(kind)
        wrong = next((i for i, h in enumerate(row) if h and h.track == track and _differs(h.piece, piece)), None)
        right = next((i for i, h in enumerate(row) if h and h.piece == piece and kinds.get(h.track) != kind), None)
        one, other = (None if place is None else row[place] for place in (wrong, right))
        if wrong is not None and right is not None and one is not None and other is not None:
            row[wrong] = replace(one, track=other.track)
            row[right] = replace(other, track=track)
    return tuple(row)


def _differs(held: Piece, seen: Piece) -> bool:
    return held.face is seen.face and held.kind != seen.kind


def _both(a: Touch, b: Touch) -> Touch:
    return Touch(a.track, a.lifted or b.lifted, max(a.certainty, b.certainty), _union(a.hands, b.hands))


def _union(a: frozenset[Seat] | None, b: frozenset[Seat] | None) -> frozenset[Seat] | None:
    return None if a is None or b is None else a | b


# --- one look at a zone


def lying(observation: Observation) -> dict[int, tuple[str, int]]:
    """Return each track's zone and number; in areas the number means nothing."""
    return {s.track: (zone.zone, n) for zone in observation.zones for n, s in enumerate(zone.pieces) if s is not None}


def sight_of(observation: Observation, zone: str, order: Arrangement) -> ZoneSight:
    for sight in observation.zones:
        if sight.zone == zone:
            return sight
    return ZoneSight(zone, order, ())


def plainly_seen(layout: Layout, observation: Observation) -> dict[Spot, Sighting] | None:
    """Return the detection of each piece; None unless all of them, and nothing else, are plainly there.

    A pile's lower cards may be covered. Zones out of view do not count."""
    watched = {zone.zone for zone in observation.zones}
    zones = [zone for zone in layout.zones if zone.zone in watched]
    if observation.health is not Health.OK or observation.strays or watched - {zone.zone for zone in zones}:
        return None
    found: dict[Spot, Sighting] = {}
    for zone in zones:
        seen = sight_of(observation, zone.zone, zone.order)
        spots = [i for i, piece in enumerate(zone.pieces) if piece or zone.order is not Arrangement.AREA]
        pieces = tuple(zone.pieces[i] for i in spots)
        if len(seen.pieces) != len(pieces):
            return None
        for index, piece, sighting in zip(spots, pieces, pair_sightings(pieces, seen), strict=True):
            if piece is None and sighting is None:
                continue
            below = zone.order is Arrangement.PILE and index < len(pieces) - 1
            plain = sighting is not None and sighting.sight in (Sight.SEEN, Sight.COVERED if below else Sight.SEEN)
            if piece is None or sighting is None or not plain or not looked_like(piece, sighting):
                return None
            found[Spot(zone.zone, index)] = sighting
    return found


def wrong_spots(layout: Layout, observation: Observation) -> frozenset[Spot]:
    """Return the spots whose piece is missing or plainly looks different."""
    wrong = set[Spot]()
    for zone in layout.zones:
        seen = pair_sightings(zone.pieces, sight_of(observation, zone.zone, zone.order))
        for index, (piece, sighting) in enumerate(zip(zone.pieces, seen, strict=True)):
            if piece is not None and (sighting is None or not may_be(piece, sighting)):
                wrong.add(Spot(zone.zone, index))
    return frozenset(wrong)


class ZoneContents:
    def __init__(self, observation: Observation) -> None:
        self._observation = observation
        self._zones: dict[str, frozenset[Piece] | None] = {}

    def may_be(self, zone: str, piece: Piece) -> bool:
        if zone not in self._zones:
            self._zones[zone] = self._pieces(zone)
        found = self._zones[zone]
        return found is None or piece in found

    def _pieces(self, zone: str) -> frozenset[Piece] | None:
        seen = [s for each in self._observation.zones if each.zone == zone for s in each.pieces if s is not None]
        if any(sighting.sight is not Sight.SEEN or sighting.face is None for sighting in seen):
            return None
        return frozenset(Piece(s.kind if s.face is Face.UP else None, s.face) for s in seen if s.face is not None)


# --- which is which


def pair_sightings(
    pieces: tuple[object, ...], seen: ZoneSight, tracks: tuple[int | None, ...] = (), *, loosely: bool = False
) -> tuple[Sighting | None, ...]:
    """Pair each expected piece with a detection: cells and piles by number; areas by looks, then track, guess, and the
    rest. Rows and splays with a wrong count, or `loosely`, align in order."""
    if seen.order in (Arrangement.ROW, Arrangement.SPLAY) and (loosely or len(seen.pieces) != len(pieces)):
        return _align(pieces, seen.pieces, tracks or (None,) * len(pieces))
    if seen.order is not Arrangement.AREA:
        return seen.pieces[: len(pieces)] + (None,) * (len(pieces) - len(seen.pieces))
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
    for index, piece in enumerate(pieces):
        kind, face = _looks(piece)
        guessed = None if kind is None or face is not Face.UP else next((s for s in rest if s.guess == kind), None)
        if found[index] is None and guessed is not None:
            rest.remove(guessed)
            found[index] = guessed
    return tuple(sighting if sighting is not None or not rest else rest.pop(0) for sighting in found)


def align(first: int, second: int, worth: Callable[[int, int], int]) -> tuple[Pair, ...]:
    """Return the order-preserving pairs of two rows with the highest total worth; those worth 0 are excluded.

    first, second: lengths."""
    best: list[tuple[int, tuple[Pair, ...]]] = [(0, ())] * (second + 1)
    for one in range(first):
        row = [best[0]]
        for other in range(second):
            score, pairs = best[other]
            options = [best[other + 1], row[-1]]
            if (gain := worth(one, other)) > 0:
                options.append((score + gain, (*pairs, (one, other))))
            row.append(max(options, key=lambda option: option[0]))
        best = row
    return best[-1][1]


def _align(
    pieces: tuple[object, ...], seen: tuple[Sighting | None, ...], tracks: tuple[int | None, ...]
) -> tuple[Sighting | None, ...]:
    def worth(number: int, place: int) -> int:
        sighting, track = seen[place], tracks[number]
        likeness = _likeness(pieces[number], sighting)
        own = track is not None and sighting is not None and sighting.track == track
        return likeness and 2 * likeness + own

    found: list[Sighting | None] = [None] * len(pieces)
    for number, place in align(len(pieces), len(seen), worth):
        found[number] = seen[place]
    return tuple(found)


def _likeness(piece: object, sighting: Sighting | None) -> int:
    if sighting is None:
        return 0
    if sighting.sight is not Sight.SEEN:
        return 1
    return 2 * (isinstance(piece, Piece) and looked_like(piece, sighting))


def _looks(piece: object) -> tuple[object, object]:
    return getattr(piece, "kind", None), getattr(piece, "face", None)


def may_be(piece: Piece, sighting: Sighting) -> bool:
    return sighting.sight is not Sight.SEEN or looked_like(piece, sighting)


def looked_like(piece: Piece, sighting: Sighting) -> bool:
    kind = sighting.kind if sighting.face is Face.UP else None
    return (kind, sighting.face) == (piece.kind, piece.face)


# --- one in the place of another


def with_covered(observation: Observation) -> Observation:
    """Mark a piece as covered if a newer track is at its place. Vision may detect a turned or pushed piece twice."""
    zones = tuple(_uncover(zone) for zone in observation.zones)
    return observation if zones == observation.zones else replace(observation, zones=zones)


def _uncover(zone: ZoneSight) -> ZoneSight:
    if zone.order in (Arrangement.CELLS, Arrangement.PILE):
        return zone
    seen = [s for s in zone.pieces if s is not None and s.sight is Sight.SEEN]
    below = {min(a.track, b.track) for a, b in combinations(seen, 2) if _together(a, b)}
    if not below:
        return zone
    return replace(zone, pieces=tuple(s and (_cover(s) if s.track in below else s) for s in zone.pieces))


def _together(a: Sighting, b: Sighting) -> bool:
    return math.hypot(a.x_mm - b.x_mm, a.y_mm - b.y_mm) < APART_MM


def _cover(sighting: Sighting) -> Sighting:
    return replace(sighting, sight=Sight.COVERED)


# --- a seat's word


class Denial(msgspec.Struct, frozen=True):
    """A plain detection that a seat denies. truly: the piece to believe instead, if any. called: the place's name."""

    zone: str
    order: Arrangement
    place: int
    track: int
    kind: str | None
    face: Face | None
    truly: Piece | None
    called: Text


def overrule(layout: Layout, observation: Observation) -> tuple[Denial, ...]:
    found: list[Denial] = []
    for zone in layout.zones:
        seen = sight_of(observation, zone.zone, zone.order)
        believed = {
            s.track: p for p, s in zip(zone.pieces, pair_sightings(zone.pieces, seen), strict=True) if s is not None
        }
        for place, sighting in enumerate(seen.pieces):
            if sighting is None or sighting.sight is not Sight.SEEN:
                continue
            truly = believed.get(sighting.track)
            if _shown_piece(sighting) != truly:
                kind, face = sighting.kind, sighting.face
                called = zone.place(place)
                found.append(Denial(zone.zone, seen.order, place, sighting.track, kind, face, truly, called))
    return tuple(found)


def as_counted(observation: Observation, overruled: tuple[Denial, ...]) -> tuple[Observation, tuple[Denial, ...]]:
    """Apply denials to an observation; return it, and the denials that still hold. A changed piece ends its denial."""
    standing: list[Denial] = []

    def counts(zone: ZoneSight, place: int, sighting: Sighting | None) -> Sighting | None:
        each = next((word for word in overruled if _is(word, zone, place, sighting)), None)
        if sighting is None or each is None:
            return sighting
        standing.append(each)
        return replace(sighting, kind=each.truly.kind, face=each.truly.face) if each.truly is not None else None

    def zone_of(zone: ZoneSight) -> ZoneSight:
        pieces = tuple(counts(zone, place, sighting) for place, sighting in enumerate(zone.pieces))
        kept = pieces if zone.order is Arrangement.CELLS else tuple(piece for piece in pieces if piece is not None)
        return replace(zone, pieces=kept)

    if not overruled:
        return observation, ()
    return replace(observation, zones=tuple(zone_of(zone) for zone in observation.zones)), tuple(standing)


def _is(word: Denial, zone: ZoneSight, place: int, sighting: Sighting | None) -> bool:
    if sighting is None or sighting.sight is not Sight.SEEN or zone.zone != word.zone:
        return False
    same = (sighting.track, sighting.kind, sighting.face) == (word.track, word.kind, word.face)
    return same and (zone.order is not Arrangement.CELLS or place == word.place)


def doubt(each: Denial) -> Text:
    """Return the public sentence about a denied detection."""
    if each.face is Face.DOWN or each.kind is None:
        return say("The camera sees something face down at {place}.", place=each.called)
    if each.order is Arrangement.AREA:
        return say("The camera sees {piece} in {zone}.", piece=Text(each.kind), zone=each.called)
    return say("The camera sees {piece} at {place}.", piece=Text(each.kind), place=each.called)


def _shown_piece(sighting: Sighting) -> Piece | None:
    if sighting.face is None:
        return None
    return Piece(sighting.kind if sighting.face is Face.UP else None, sighting.face)
