"""The evidence for a verdict: what was seen since the table last agreed with the referee."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from msgspec.structs import replace

from engine.arbiter.expectation import Expectation, Holding, plain
from engine.arbiter.look import paired, sight_of
from engine.table import Face, Layout, Observation, Order, Piece, Seat, Sight, Spot, Touch

SURE = 0.9
"""Probability from which a touch counts as certain."""

SUSPECT = 0.5
"""Probability from which a touch must at least be explained."""


class Evidence(msgspec.Struct, frozen=True):
    """base: the table when it last agreed. seen: the newest look, as it counts. touches, hands, lost: everything since.

    odd: tracks that nothing explained even then: everybody took the table to be right all the same.
    """

    base: Expectation
    seen: Observation
    touches: tuple[Touch, ...] = ()
    hands: frozenset[Seat] | None = frozenset()
    lost: frozenset[int] = frozenset()
    odd: frozenset[int] = frozenset()

    def touch(self, track: int | None) -> Touch | None:
        """How a piece was handled; None if it was not, or came since."""
        return None if track is None else next((touch for touch in self.touches if touch.track == track), None)

    def known(self) -> set[int | None]:
        """Tracks of the table as it last agreed."""
        return {holding.track for holding in self.base.holdings()}

    def hidden(self) -> set[int | None]:
        """Tracks of its hidden pieces."""
        return {holding.track for holding in self.base.holdings() if holding.hidden}


def agreed(layout: Layout, observation: Observation) -> Evidence:
    """Evidence of nothing: the table in `observation` is `layout`, and its tracks are the pieces'."""
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
    base = plain(layout, tracks, frozenset(missing))
    return Evidence(base, observation, odd=frozenset(odd - set(tracks.values())))


def gather(evidence: Evidence, observation: Observation) -> Evidence:
    """The evidence with one more look, and its touches, hands and losses."""
    merged = {touch.track: touch for touch in evidence.touches}
    for touch in observation.touched:
        merged[touch.track] = _both(merged[touch.track], touch) if touch.track in merged else touch
    return replace(
        evidence,
        base=_named(evidence.base, observation),
        seen=observation,
        touches=tuple(merged.values()),
        hands=_union(evidence.hands, observation.hands),
        lost=evidence.lost | observation.lost,
    )


def forgotten(base: Expectation) -> Expectation:
    """The expectation without the tracks of hidden pieces: which of them is which is no longer known."""
    zones = tuple(
        (name, order, tuple(replace(h, track=None) if h and h.piece.face is Face.DOWN else h for h in holdings))
        for name, order, holdings in base.zones
    )
    return replace(base, zones=zones)


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
    return replace(base, zones=zones)


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
            row[wrong] = replace(one, track=other.track)
            row[right] = replace(other, track=track)
    return tuple(row)


def _differs(held: Piece, seen: Piece) -> bool:
    """Two kinds, both face up: a piece that was not turned is no other."""
    return held.face is seen.face and held.kind != seen.kind


def _both(a: Touch, b: Touch) -> Touch:
    return Touch(a.track, a.lifted or b.lifted, max(a.certainty, b.certainty), _union(a.hands, b.hands))


def _union(a: frozenset[Seat] | None, b: frozenset[Seat] | None) -> frozenset[Seat] | None:
    return None if a is None or b is None else a | b
