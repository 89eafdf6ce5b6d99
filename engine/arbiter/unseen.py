"""Says what is missing or cannot be identified, beside the question of what happened (law 5: no hidden name)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from engine.arbiter.expectation import Expectation, Holding
from engine.arbiter.watch import Watch, paired, sight_of
from engine.table import Face, Observation, Sight, Sighting, ZoneSight
from engine.text import Text, say


def unseen(watch: Watch, observation: Observation) -> Text | None:
    """The first thing of the table as it last agreed that nobody can tell now; None if everything is plainly seen."""
    gone = _gone(watch, observation)
    for name, order, _ in watch.base.zones:
        seen = sight_of(observation, name, order)
        told = next(_in_zone(watch.base, name, seen, gone, watch.odd), None)
        if told is not None:
            return told
    return None


def _gone(watch: Watch, observation: Observation) -> Counter[str | int | None]:
    """Kinds that lay face up, and tracks of hidden pieces, that are plainly seen nowhere: not what was moved."""
    plain = [p for zone in observation.zones for p in zone.pieces if p is not None and p.sight is Sight.SEEN]
    lay = Counter(_mark(holding) for holding in watch.base.holdings())
    return lay - Counter(p.kind if p.face is Face.UP else p.track for p in plain)


def _mark(holding: Holding) -> str | int | None:
    return holding.piece.kind if holding.piece.face is Face.UP else holding.track


def _in_zone(
    base: Expectation,
    name: str,
    seen: ZoneSight,
    gone: Counter[str | int | None],
    odd: frozenset[int],
) -> Iterator[Text]:
    holdings = next(row for zone, _, row in base.zones if zone == name)
    pieces = tuple(holding.piece if holding else None for holding in holdings)
    tracks = tuple(holding.track if holding else None for holding in holdings)
    found = paired(pieces, seen, tracks, loosely=True)
    for index, (holding, sighting) in enumerate(zip(holdings, found, strict=True)):
        place = base.place(name, seen.order, index)
        if holding is None or holding.missed or gone[_mark(holding)] == 0:
            continue
        if sighting is None and holding.piece.kind is not None:
            yield say("Not seen: {piece}, {zone}.", piece=Text(holding.piece.kind), zone=Text(name))
        elif sighting is None:
            yield say("Not seen: {place}.", place=place)
        elif _unclear(sighting) and sighting.track != holding.track:
            yield say("Not clear: {place}.", place=place)
    explained = {sighting.track for sighting in found if sighting is not None} | odd
    if any(_unclear(sighting) and sighting.track not in explained for sighting in seen.pieces if sighting):
        yield say("Not clear: {place}.", place=Text(name))


def _unclear(sighting: Sighting) -> bool:
    return sighting.sight is not Sight.SEEN
