"""Ideal eyes: a table of tracked pieces that carries out traces exactly, and reports them as perfect vision would."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

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
    Trace,
    ZoneSight,
)


@dataclass
class IdealTable:
    """Physical pieces by zone, each a (track, Piece) pair; face-down pieces keep their track wherever they go."""

    zones: dict[str, list[tuple[int, Piece] | None]]
    orders: dict[str, Arrangement]
    serial: int = 0
    touched: dict[int, Touch] = field(default_factory=dict)
    hands: frozenset[Seat] = frozenset()
    _next: int = 0

    @classmethod
    def of(cls, layout: Layout) -> IdealTable:
        table = cls({}, {zone.zone: zone.order for zone in layout.zones})
        for zone in layout.zones:
            table.zones[zone.zone] = [None if piece is None else table._new(piece) for piece in zone.pieces]
        return table

    def perform(self, trace: Trace, hand: Seat | None = None) -> None:
        """Carries out a trace, with the first hand that may, or with `hand`."""
        by = hand or min(trace.hands, default="a")
        sources = {m.source: self.zones[m.source.zone][m.source.index] for m in trace.moves if m.source}
        for spot in trace.handled:
            held = self.zones[spot.zone][spot.index]
            assert held is not None
            self.touched[held[0]] = Touch(held[0], spot in trace.lifted, 1.0, frozenset({by}))
        self.hands |= {by}
        targets = {m.target: m.source for m in trace.moves if m.target}
        left = {
            name: [
                p for i, p in enumerate(zone) if Spot(name, i) not in sources or self.orders[name] is Arrangement.CELLS
            ]
            for name, zone in self.zones.items()
        }
        for zone in trace.layout.zones:
            rest = iter(left.get(zone.zone, ()))
            self.orders[zone.zone] = zone.order
            self.zones[zone.zone] = [
                self._arrive(Spot(zone.zone, i), piece, sources, targets, rest) for i, piece in enumerate(zone.pieces)
            ]
        came = [self.zones[to.zone][to.index] for to, source in targets.items() if source is None]
        self.touched |= {held[0]: Touch(held[0], True, 1.0, frozenset({by})) for held in came if held is not None}

    def observe(self, at: float = 0.0) -> Observation:
        self.serial += 1
        seen = Observation(
            self.serial,
            at,
            tuple(ZoneSight(name, self.orders[name], tuple(map(_sight, zone))) for name, zone in self.zones.items()),
            tuple(self.touched.values()),
            frozenset(),
            self.hands,
            (),
            Health.OK,
        )
        self.touched, self.hands = {}, frozenset()
        return seen

    def _arrive(
        self,
        spot: Spot,
        piece: Piece | None,
        sources: dict[Spot, tuple[int, Piece] | None],
        targets: dict[Spot, Spot | None],
        rest: Iterator[tuple[int, Piece] | None],
    ) -> tuple[int, Piece] | None:
        if spot in targets:
            origin = targets[spot]
            came = sources.get(origin) if origin else None
            assert piece is not None
            return (came[0], piece) if came else self._new(piece)
        if self.orders[spot.zone] is Arrangement.AREA:
            return self._area(piece, rest)
        stays = next(rest, None)
        return None if piece is None else (stays[0], piece) if stays else self._new(piece)

    def _area(self, piece: Piece | None, rest: Iterator[tuple[int, Piece] | None]) -> tuple[int, Piece] | None:
        assert piece is not None
        for zone in self.zones.values():
            for held in zone:
                if held is not None and held[1] == piece and self.orders[_zone_of(self, held)] is Arrangement.AREA:
                    return held
        return self._new(piece)

    def _new(self, piece: Piece) -> tuple[int, Piece]:
        self._next += 1
        return self._next, piece


def _zone_of(table: IdealTable, held: tuple[int, Piece]) -> str:
    return next(name for name, zone in table.zones.items() if held in zone)


def _sight(held: tuple[int, Piece] | None) -> Sighting | None:
    if held is None:
        return None
    track, piece = held
    return Sighting(track, piece.kind if piece.face is Face.UP else None, piece.face, Sight.SEEN, 1.0, 0.0, 0.0, 0.0)
