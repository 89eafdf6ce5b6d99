"""The expected table after some actions, piece by piece, with tracks."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from engine.table import Arrangement, Face, Layout, Piece, Seat, Spot, Trace, ZoneLayout, place_name
from engine.text import Text


class ExpectedPiece(msgspec.Struct, frozen=True):
    """An expected piece with its track; None if unknown, as for one that came since the last agreement.

    changed: carried or turned over, so it must be positively seen
    loose: may have been replaced by rule, as a pile's top
    missed: out of sight even at the agreement"""

    piece: Piece
    track: int | None
    changed: bool = False
    loose: bool = False
    missed: bool = False

    @property
    def hidden(self) -> bool:
        """True if face down and not `loose`: only the track identifies it."""
        return self.piece.face is Face.DOWN and not self.loose


Zones = tuple[tuple[str, Arrangement, tuple[ExpectedPiece | None, ...]], ...]


class Handling(msgspec.Struct, frozen=True):
    """A piece that an action handles.

    lifted: picked up and put back
    hands: seats that may do it; empty is any
    zone, brought: destination and piece, if from outside
    gone: a hidden piece leaves its zone for outside"""

    track: int | None
    lifted: bool
    hands: frozenset[Seat]
    zone: str = ""
    brought: Piece | None = None
    gone: bool = False


class Expectation(msgspec.Struct, frozen=True):
    """The table after some actions, and the handling they need. places: names of places (see
    `engine.table.ZoneLayout`)."""

    zones: Zones
    handled: tuple[Handling, ...] = ()
    places: Mapping[str, tuple[Text, ...]] = {}

    def track(self, spot: Spot) -> int | None:
        """Return the track at a spot; None if empty or unknown."""
        holding = self._at(spot)
        return holding.track if holding is not None else None

    def misses(self, spot: Spot) -> bool:
        holding = self._at(spot)
        return holding is not None and holding.missed

    def _at(self, spot: Spot) -> ExpectedPiece | None:
        zone = next(holdings for name, _, holdings in self.zones if name == spot.zone)
        return zone[spot.index]

    def place(self, zone: str, order: Arrangement, index: int) -> Text:
        return place_name(zone, order, index, self.places.get(zone, ()))

    def holdings(self) -> tuple[ExpectedPiece, ...]:
        return tuple(h for _, _, zone in self.zones for h in zone if h is not None)


def carry(before: Expectation, trace: Trace) -> Expectation:
    """Return the expectation after one more action; pieces keep their tracks."""
    zones = {name: list(zone) for name, _, zone in before.zones}
    sources = {move.source: zones[move.source.zone][move.source.index] for move in trace.moves if move.source}
    carried = {move.target: sources[move.source] if move.source else None for move in trace.moves if move.target}
    turned = {_track(zones, spot) for spot in trace.turned} - {None}
    left = _remove(zones, [spot for spot in sources if spot is not None], trace.layout)
    after = tuple(
        (zone.zone, zone.order, _refill(zone, left[zone.zone], carried, turned)) for zone in trace.layout.zones
    )
    leaving = {move.source for move in trace.moves if move.target is None}
    handled = tuple(
        Handling(_track(zones, spot), spot in trace.lifted, trace.hands, gone=spot in leaving and _hides(zones, spot))
        for spot in sorted(trace.handled)
    )
    targets = [move.target for move in trace.moves if move.source is None]
    brought = tuple(Handling(None, False, trace.hands, to.zone, trace.layout.at(to)) for to in targets if to)
    return Expectation(after, before.handled + handled + brought, before.places)


def expectation_of(layout: Layout, tracks: dict[Spot, int], missing: frozenset[Spot] = frozenset()) -> Expectation:
    """Return the expectation of an unhandled table. missing: spots without a detection."""

    def holding(zone: ZoneLayout, index: int, piece: Piece | None) -> ExpectedPiece | None:
        spot = Spot(zone.zone, index)
        if piece is None:
            return None
        return ExpectedPiece(piece, tracks.get(spot), loose=zone.open, missed=spot in missing)

    return Expectation(
        tuple(
            (zone.zone, zone.order, tuple(holding(zone, index, piece) for index, piece in enumerate(zone.pieces)))
            for zone in layout.zones
        ),
        places={zone.zone: zone.places for zone in layout.zones if zone.places},
    )


def _track(zones: dict[str, list[ExpectedPiece | None]], spot: Spot) -> int | None:
    holding = zones[spot.zone][spot.index]
    return holding.track if holding is not None else None


def _hides(zones: dict[str, list[ExpectedPiece | None]], spot: Spot) -> bool:
    holding = zones[spot.zone][spot.index]
    return holding is not None and holding.hidden


def _remove(
    zones: dict[str, list[ExpectedPiece | None]], sources: list[Spot], after: Layout
) -> dict[str, list[ExpectedPiece | None]]:
    gone = {(spot.zone, spot.index) for spot in sources}
    left: dict[str, list[ExpectedPiece | None]] = {}
    for zone in after.zones:
        stays = zones.get(zone.zone, [])
        if zone.order is Arrangement.CELLS:
            left[zone.zone] = [None if (zone.zone, i) in gone else h for i, h in enumerate(stays)]
        else:
            left[zone.zone] = [h for i, h in enumerate(stays) if (zone.zone, i) not in gone]
    return left


def _refill(
    zone: ZoneLayout,
    left: list[ExpectedPiece | None],
    carried: dict[Spot, ExpectedPiece | None],
    turned: set[int | None],
) -> tuple[ExpectedPiece | None, ...]:
    if zone.order is Arrangement.AREA:
        return _refill_area(zone, left, carried)
    rest = iter(left)
    filled: list[ExpectedPiece | None] = []
    for index, piece in enumerate(zone.pieces):
        arrived = Spot(zone.zone, index) in carried
        stays = None if arrived and zone.order is not Arrangement.CELLS else next(rest, None)
        holding = carried[Spot(zone.zone, index)] if arrived else stays
        if piece is None:
            filled.append(None)
        elif holding is None:
            filled.append(ExpectedPiece(piece, None, True, zone.open))
        else:
            changed = arrived or holding.changed or holding.track in turned or piece.face is not holding.piece.face
            filled.append(ExpectedPiece(piece, holding.track, changed, zone.open, holding.missed and not changed))
    return tuple(filled)


def _refill_area(
    zone: ZoneLayout, left: list[ExpectedPiece | None], carried: dict[Spot, ExpectedPiece | None]
) -> tuple[ExpectedPiece | None, ...]:
    stayed = [holding for holding in left if holding is not None]
    filled: list[ExpectedPiece | None] = []
    for index, piece in enumerate(zone.pieces):
        if piece is None:
            continue
        if Spot(zone.zone, index) in carried:
            arrived = carried[Spot(zone.zone, index)]
            filled.append(ExpectedPiece(piece, arrived.track if arrived else None, True))
            continue
        same = next((holding for holding in stayed if holding.piece == piece), None)
        if same is not None:
            stayed.remove(same)
        missed = same is not None and same.missed and not same.changed
        filled.append(ExpectedPiece(piece, same.track if same else None, same is None or same.changed, missed=missed))
    return tuple(filled)
