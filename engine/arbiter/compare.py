"""Compares what was seen with what was expected. One comparison for all games (law 3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from enum import IntEnum

from engine.arbiter.expectation import Expectation, Handling, Holding
from engine.arbiter.watch import Watch, paired, sight_of
from engine.table import Face, Layout, Observation, Order, Piece, Sight, Sighting, Touch, ZoneLayout, ZoneSight

SURE = 0.9
"""Probability from which a touch counts as certain."""

SUSPECT = 0.5
"""Probability from which a touch must at least be explained."""


class Fit(IntEnum):
    """How well an expectation fits. WEAK: nothing speaks against it, but not all of it was positively seen."""

    NO = 0
    WEAK = 1
    FULL = 2


def sieve(watch: Watch, observation: Observation) -> Callable[[Layout], bool]:
    """A quick test that many layouts in a row can be put to: False if the looks alone show that a layout is not there.

    What passes must still be compared. Layouts that follow one another differ in few zones, so each answer is kept.
    """
    last: dict[str, tuple[ZoneLayout, bool]] = {}
    missed = {name for name, _, zone in watch.base.zones if any(holding and holding.missed for holding in zone)}

    def passes(layout: Layout) -> bool:
        for zone in layout.zones:
            before = last.get(zone.zone)
            if before is None or (before[0] is not zone and before[0] != zone):
                right = zone.zone in missed or _looks_right(zone, watch, observation)
                before = last[zone.zone] = zone, right
            if not before[1]:
                return False
        return True

    return passes


def _looks_right(zone: ZoneLayout, watch: Watch, observation: Observation) -> bool:
    seen = _without(sight_of(observation, zone.zone, zone.order), watch.odd)
    pieces = zone.pieces if zone.order is not Order.AREA else tuple(p for p in zone.pieces if p is not None)
    if _miscounted(zone.order, _count(seen), len(pieces)):
        return False
    pairs = zip(pieces, paired(pieces, seen), strict=True)
    return all(s is None if p is None else s is not None and _may_be(p, s) for p, s in pairs)


def _may_be(piece: Piece, sighting: Sighting) -> bool:
    """Whether a sighting looks like a piece, or hides what it is."""
    kind = sighting.kind if sighting.face is Face.UP else None
    return sighting.sight is not Sight.SEEN or (kind, sighting.face) == (piece.kind, piece.face)


def _count(seen: ZoneSight) -> int:
    """Pieces seen in a zone; in cells the empty ones count as well."""
    return len(seen.pieces) if seen.order is Order.CELLS else sum(s is not None for s in seen.pieces)


def compare(expected: Expectation, watch: Watch, observation: Observation) -> Fit:
    """The fit of layout, tracks, handling and hands, whichever is least.

    What lies outside every zone does not count: a piece that is missing is missed where it belongs.
    """
    fit = Fit.FULL
    for name, order, holdings in expected.zones:
        if fit is Fit.NO:
            return fit
        fit = min(fit, compare_zone(name, order, holdings, watch, observation, done=bool(expected.handled)))
    if fit is Fit.NO:
        return fit
    return min(fit, compare_handling(expected, watch, observation))


def compare_zone(
    name: str,
    order: Order,
    holdings: tuple[Holding | None, ...],
    watch: Watch,
    observation: Observation,
    *,
    done: bool = False,
) -> Fit:
    """The fit of one zone, hands and handling apart.

    done: something was done, so that what seems to have come with it, and cannot be told, may be no piece at all.
    """
    seen = _without(sight_of(observation, name, order), watch.odd)
    known = {holding.track for holding in watch.base.holdings()}
    if _miscounted(order, _count(seen), len(holdings)):
        holdings = tuple(holding for holding in holdings if not _agreed(holding, watch))
    odd = _count(seen) - len(holdings) if done and order is Order.AREA else 0
    strange = odd > 0 and odd <= sum(
        s is not None and s.sight is Sight.UNKNOWN and s.track not in known for s in seen.pieces
    )
    if _miscounted(order, _count(seen), len(holdings)) and not strange:
        return Fit.NO
    pieces = tuple(holding.piece if holding else None for holding in holdings)
    fit = Fit.WEAK if strange else Fit.FULL
    tracks = tuple(holding.track if holding else None for holding in holdings)
    for holding, sighting in zip(holdings, paired(pieces, seen, tracks), strict=True):
        fit = min(fit, fits(holding, sighting, known, watch))
        if (
            order is Order.PILE
            and sighting is not None
            and sighting.sight is Sight.COVERED
            and not _agreed(holding, watch)
        ):
            fit = Fit.NO  # what covers a pile is most likely another card
        if fit is Fit.NO:
            break
    return fit


def _agreed(holding: Holding | None, watch: Watch) -> bool:
    """Whether everybody took the table to be right although this piece was not seen, and nobody took it up since."""
    return holding is not None and holding.missed and not _taken_up(holding, watch)


def _taken_up(holding: Holding, watch: Watch) -> bool:
    own = (touch for touch in watch.touches if touch.track == holding.track)
    return any(touch.lifted and touch.certainty >= SURE for touch in own)


def perhaps_taken(holding: Holding, sighting: Sighting, watch: Watch) -> bool:
    """Whether a piece is hidden now, and a hand may have lifted it: vision is not sure whether it is still there."""
    if sighting.sight is not Sight.COVERED or holding.track != sighting.track or _agreed(holding, watch):
        return False
    own = (touch for touch in watch.touches if touch.track == holding.track)
    return any(touch.lifted and SUSPECT <= touch.certainty < SURE and touch.hands != frozenset() for touch in own)


def _without(seen: ZoneSight, odd: frozenset[int]) -> ZoneSight:
    """What is seen, but for what nobody could tell when the table agreed, and still cannot."""
    if odd.isdisjoint(sighting.track for sighting in seen.pieces if sighting is not None):
        return seen
    known = tuple(None if s is None or (s.track in odd and s.sight is not Sight.SEEN) else s for s in seen.pieces)
    kept = known if seen.order is Order.CELLS else tuple(s for s in known if s is not None)
    return ZoneSight(seen.zone, seen.order, kept)


def _miscounted(order: Order, seen: int, wanted: int) -> bool:
    """Of a pile only the top is seen, so it is there or not; elsewhere every piece counts."""
    return seen > 0 and wanted == 0 if order is Order.PILE else seen != wanted


def fits(holding: Holding | None, sighting: Sighting | None, known: set[int | None], watch: Watch) -> Fit:
    """The fit of one piece. known: tracks of the table as it last agreed."""
    if holding is None or sighting is None:
        return Fit.FULL if sighting is None and (holding is None or _agreed(holding, watch)) else Fit.NO
    if sighting.sight is not Sight.SEEN:
        return _unseen(holding, sighting, known, watch)
    if not _may_be(holding.piece, sighting):
        return Fit.NO
    return _hidden(holding, sighting, known, watch.lost) if holding.hidden else Fit.FULL


def _unseen(holding: Holding, sighting: Sighting, known: set[int | None], watch: Watch) -> Fit:
    """A covered or unknown piece may stand only for what the action leaves alone, and what was not plainly lifted."""
    if sighting.track == holding.track and holding.changed:
        return Fit.WEAK
    if sighting.track == holding.track:
        if sighting.sight is Sight.UNKNOWN and _taken_up(holding, watch):
            return Fit.NO
        return Fit.WEAK if perhaps_taken(holding, sighting, watch) else Fit.FULL
    return Fit.NO if sighting.track in known else Fit.WEAK


def _hidden(holding: Holding, sighting: Sighting, known: set[int | None], lost: frozenset[int]) -> Fit:
    """A face-down piece is told only by its track."""
    if sighting.track == holding.track:
        return Fit.FULL
    if sighting.track in known:
        return Fit.NO
    return Fit.WEAK if sighting.track in lost or not holding.changed else Fit.FULL


def hand_fit(handling: Handling, watch: Watch, observation: Observation) -> Fit:
    """Was it one of the hands that may do it?"""
    touch = _touch(handling, watch) if handling.brought is None else _arrival(handling, watch, observation)
    seen = touch.hands if touch is not None else watch.hands
    if not handling.hands:
        return Fit.FULL
    if not seen:
        return Fit.WEAK
    if not seen & handling.hands:
        return Fit.NO
    return Fit.FULL if seen <= handling.hands else Fit.WEAK


def compare_handling(expected: Expectation, watch: Watch, observation: Observation) -> Fit:
    """The fit of what was handled, and of whose hands did it."""
    fit = _unexplained(expected, watch)
    for handling in expected.handled:
        if fit is Fit.NO:
            break
        if handling.lifted:
            fit = min(fit, _lifted(_touch(handling, watch)))
        elif handling.gone:
            fit = min(fit, _taken(_touch(handling, watch), expected, watch))
        fit = min(fit, hand_fit(handling, watch, observation))
    return fit


def _touch(handling: Handling, watch: Watch) -> Touch | None:
    if handling.track is None:
        return None
    return next((touch for touch in watch.touches if touch.track == handling.track), None)


def _arrival(handling: Handling, watch: Watch, observation: Observation) -> Touch | None:
    """How a piece from outside every zone was handled, if it is the only one of its looks that came to its zone."""
    known = {holding.track for holding in watch.base.holdings()}
    piece = handling.brought
    zone = next((sight for sight in observation.zones if sight.zone == handling.zone), None)
    came = {s.track for s in zone.pieces if s is not None and piece and _may_be(piece, s)} - known if zone else set()
    return next((touch for touch in watch.touches if {touch.track} == came), None)


def _lifted(touch: Touch | None) -> Fit:
    """Nothing but the lifting itself shows that a piece was looked at."""
    if touch is None or touch.certainty < SUSPECT:
        return Fit.NO
    return Fit.FULL if touch.lifted and touch.certainty >= SURE else Fit.WEAK


def _taken(touch: Touch | None, expected: Expectation, watch: Watch) -> Fit:
    """Another back in its place alone does not show that a hidden piece was taken: it may be the same, seen anew."""
    away = frozenset(handling.track for handling in expected.handled if handling.gone)
    return Fit.FULL if touch is not None and touch.certainty >= SURE and surely_taken(away, watch) else Fit.WEAK


def surely_taken(away: frozenset[int | None], watch: Watch) -> bool:
    """Whether what was touched of the table are these pieces alone: a back that merely lay in the shadow of a hand that
    was at work on something else may look like another, too.
    """
    lay = {holding.track for holding in watch.base.holdings()}
    touched = {touch.track for touch in watch.touches if touch.certainty >= (SUSPECT if touch.lifted else 1.0)}
    return any(touch.track in away and touch.certainty >= SURE for touch in watch.touches) and touched & lay <= away


def _pushed(expected: Expectation, watch: Watch) -> frozenset[int | None]:
    """Pieces of rows and splays that gained or lost one, or both: the others make room or close ranks unlifted."""
    close = (Order.ROW, Order.SPLAY)
    before = {name: [h.track for h in row if h] for name, order, row in watch.base.zones if order in close}
    after = {name: [h.track for h in row if h] for name, _, row in expected.zones if name in before}
    return frozenset(track for name, row in before.items() if Counter(row) != Counter(after[name]) for track in row)


def _unexplained(expected: Expectation, watch: Watch) -> Fit:
    """A hidden piece that was lifted without anything to explain it speaks against the reading.

    What no longer lies on the table was lifted to be taken away, as the last card of a pile that is drawn from.
    """
    left = {holding.track for holding in expected.holdings()}
    gone = {holding.track for holding in watch.base.holdings()} - left
    explained = gone | {handling.track for handling in expected.handled}
    pushed = _pushed(expected, watch)
    hidden = {holding.track for holding in watch.base.holdings() if holding.hidden}
    fit = Fit.FULL
    for touch in watch.touches:
        if touch.track in explained or touch.track not in hidden or touch.certainty < SUSPECT:
            continue
        if touch.lifted and touch.certainty >= SURE and touch.track not in pushed:
            return Fit.NO
        if touch.lifted or touch.track not in pushed:
            fit = Fit.WEAK
    return fit
