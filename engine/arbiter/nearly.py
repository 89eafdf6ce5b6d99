"""Checks that nothing plainly seen speaks against a reading of a table that is partly unseen or not understood.

Then nobody is refused, and nothing is accepted: the players are asked (law 4).
"""

from __future__ import annotations

from msgspec.structs import replace

from engine.arbiter.compare import Fit, compare_handling, compare_zone, fits
from engine.arbiter.expectation import Expectation, Holding
from engine.arbiter.watch import Watch, paired, sight_of
from engine.table import Observation, Order, Sight, Sighting, ZoneSight

Holdings = tuple[Holding | None, ...]


def nearly(
    expected: Expectation, watch: Watch, observation: Observation, *, dimly: bool = False, whole: bool = False
) -> bool:
    """True if all that the actions change is plainly seen, and all else that is plainly seen is as expected.

    Pieces that are left alone may be out of sight, things may lie there that cannot be told, and another back may show
    on a pile: of that hardly anything tells which card it is. dimly: not even what they change need be seen. whole:
    nothing may be out of sight, only covered or unknown.
    """
    if compare_handling(expected, _calmer(expected, watch, observation), observation) is Fit.NO:
        return False
    calm = _calmed(expected) if dimly else expected
    return all(_zone(name, order, row, watch, observation, whole=whole) for name, order, row in calm.zones)


def _calmer(expected: Expectation, watch: Watch, observation: Observation) -> Watch:
    """Without touches that need no explanation: of what only lay on a pile, or is not plainly seen to lie there now."""
    plain = {s.track for zone in observation.zones for s in zone.pieces if s and s.sight is Sight.SEEN}
    backs = {h.track for _, order, zone in watch.base.zones if order is Order.PILE for h in zone if h and h.hidden}
    telling = (plain | {handling.track for handling in expected.handled}) - backs
    return replace(watch, touches=tuple(touch for touch in watch.touches if touch.track in telling))


def _calmed(expected: Expectation) -> Expectation:
    """As if nothing had been changed."""
    zones = tuple(
        (name, order, tuple(h and replace(h, changed=False) for h in row)) for name, order, row in expected.zones
    )
    return replace(expected, zones=zones)


def _zone(name: str, order: Order, holdings: Holdings, watch: Watch, observation: Observation, *, whole: bool) -> bool:
    if compare_zone(name, order, holdings, watch, observation) is Fit.FULL:
        return True
    seen = sight_of(observation, name, order)
    pieces = tuple(holding.piece if holding else None for holding in holdings)
    tracks = tuple(holding.track if holding else None for holding in holdings)
    pairs = tuple(zip(holdings, paired(pieces, seen, tracks, loosely=True), strict=True))
    known = {holding.track for holding in watch.base.holdings()}
    if whole and not all(h is None or _lies(h, s, known) for h, s in pairs):
        return False
    return _plain(pairs, seen) and all(_allowed(h, s, known, watch) for h, s in pairs)


def _lies(holding: Holding, sighting: Sighting | None, known: set[int | None]) -> bool:
    """Whether something lies where this piece belongs, and it is not one that is known to belong elsewhere."""
    if sighting is None:
        return holding.missed
    return sighting.track == holding.track or sighting.track not in known or sighting.sight is Sight.SEEN


def _plain(pairs: tuple[tuple[Holding | None, Sighting | None], ...], seen: ZoneSight) -> bool:
    """Whether everything that is plainly seen has a piece that it is."""
    explained = {sighting.track for _, sighting in pairs if sighting is not None}
    return all(s is None or s.sight is not Sight.SEEN or s.track in explained for s in seen.pieces)


def _allowed(holding: Holding | None, sighting: Sighting | None, known: set[int | None], watch: Watch) -> bool:
    unsure = sighting is None or sighting.sight is not Sight.SEEN
    if holding is None or unsure:
        return unsure and (holding is None or not holding.changed)
    return fits(holding, sighting, known, watch) is not Fit.NO
