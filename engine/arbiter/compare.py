"""Grading how well an observation fits an expectation (law 3): the lowest grade of pieces, handling and hands."""

from __future__ import annotations

from collections import Counter
from enum import IntEnum

from msgspec.structs import replace

from engine.arbiter.evidence import SURE, SUSPECT, Evidence, ZoneContents, looked_like, may_be, pair_sightings, sight_of
from engine.arbiter.expectation import Expectation, ExpectedPiece, Handling
from engine.table import Arrangement, Layout, Piece, Sight, Sighting, Spot, Touch, ZoneLayout, ZoneSight

ExpectedPieces = tuple[ExpectedPiece | None, ...]


class FitGrade(IntEnum):
    """The fit of an expectation. FULL is accepted, NO rejected; anything between is asked (law 4)."""

    NO = 0
    """A plain detection contradicts it."""
    DIM = 1
    """No plain detection contradicts it; even changed pieces may be out of sight."""
    NEAR = 2
    """Changed pieces are plainly seen; others may be out of sight."""
    WHOLE = 3
    """As NEAR, and every expected place holds something."""
    WEAK = 4
    """Every piece is accounted for, but not all positively, or the hand is unclear."""
    FULL = 5
    """Everything was positively seen."""


def compare(expected: Expectation, evidence: Evidence, *, loosely: bool = False) -> FitGrade:
    """Return the lowest fit of layout, tracks, handling and hands: NO, WEAK or FULL.

    loosely: allow pieces out of sight, unnamed objects, and another card back on a pile; then any grade but WEAK"""
    if loosely:
        return _compare_loosely(expected, evidence)
    fit, known, done = _handling(expected, evidence), evidence.known_tracks(), bool(expected.handled)
    for name, order, holdings in expected.zones:
        if fit is FitGrade.NO:
            break
        fit = min(fit, _zone(name, order, holdings, evidence, known, done=done))
    return fit


class Sieve:
    """A cached quick test of many layouts (`engine.game.ZonePrefilter`). Those that pass still need `compare`."""

    def __init__(self, evidence: Evidence, before: Layout | None = None) -> None:
        """before: layout before the actions, for `only` and `allows`."""
        self._evidence = evidence
        self._lying = ZoneContents(evidence.seen)
        self._missed = {name for name, _, row in evidence.base.zones if any(held and held.missed for held in row)}
        self._last: dict[str, tuple[ZoneLayout, bool]] = {}
        self._wrong: ZoneLayout | None = None
        zones = () if before is None else before.zones
        self._changed = frozenset(zone.zone for zone in zones if not self._right(zone))

    def is_touched(self, spot: Spot) -> bool:
        return True

    def lies(self, zone: str, piece: Piece) -> bool:
        return zone in self._missed or self._lying.may_be(zone, piece)

    def only(self, *zones: str) -> bool:
        return self._changed.issubset(zones)

    def passes(self, layout: Layout) -> bool:
        if self._wrong in layout.zones:
            return False
        for zone in layout.zones:
            if not self._right(zone):
                self._wrong = zone
                return False
        return True

    def allows(self, *zones: ZoneLayout) -> bool:
        return self.only(*(zone.zone for zone in zones)) and all(map(self._right, zones))

    def _right(self, zone: ZoneLayout) -> bool:
        before = self._last.get(zone.zone)
        if before is None or (before[0] is not zone and before[0] != zone):
            right = zone.zone in self._missed or _looks_right(zone, self._evidence)
            before = self._last[zone.zone] = zone, right
        return before[1]


def _looks_right(zone: ZoneLayout, evidence: Evidence) -> bool:
    seen = _without(sight_of(evidence.seen, zone.zone, zone.order), evidence.odd)
    pieces = zone.pieces if zone.order is not Arrangement.AREA else tuple(p for p in zone.pieces if p is not None)
    if zone.order is Arrangement.AREA and len(pieces) < _count(seen):
        return _count(seen) - len(pieces) <= sum(s is not None and s.sight is Sight.UNKNOWN for s in seen.pieces)
    if _is_miscounted(zone.order, _count(seen), len(pieces)):
        return False
    pairs = zip(pieces, pair_sightings(pieces, seen), strict=True)
    return all(s is None if p is None else s is not None and may_be(p, s) for p, s in pairs)


# --- zones, each piece accounted for


def _zone(
    name: str,
    order: Arrangement,
    holdings: ExpectedPieces,
    evidence: Evidence,
    known: set[int | None],
    *,
    done: bool = False,
) -> FitGrade:
    """Return one zone's fit: FULL, WEAK or NO.

    known: tracks at the last agreement. done: an action was done, so surplus unknown detections in an area may be
    nothing."""
    seen = _without(sight_of(evidence.seen, name, order), evidence.odd)
    if _is_miscounted(order, _count(seen), len(holdings)):
        holdings = tuple(holding for holding in holdings if not _is_agreed(holding, evidence))
    odd = _count(seen) - len(holdings) if done and order is Arrangement.AREA else 0
    strange = odd > 0 and odd <= sum(
        s is not None and s.sight is Sight.UNKNOWN and s.track not in known for s in seen.pieces
    )
    if _is_miscounted(order, _count(seen), len(holdings)) and not strange:
        return FitGrade.NO
    pieces, tracks = _pieces(holdings), _tracks(holdings)
    fit = FitGrade.WEAK if strange else FitGrade.FULL
    for holding, sighting in zip(holdings, pair_sightings(pieces, seen, tracks), strict=True):
        if holding is None and sighting is None:
            continue
        fit = min(fit, _piece(holding, sighting, known, evidence))
        if (
            order is Arrangement.PILE
            and sighting is not None
            and sighting.sight is Sight.COVERED
            and not _is_agreed(holding, evidence)
        ):
            fit = FitGrade.NO  # what covers a pile is most likely another card
        if fit is FitGrade.NO:
            break
    return fit


def _pieces(holdings: ExpectedPieces) -> tuple[object, ...]:
    return tuple(holding.piece if holding else None for holding in holdings)


def _tracks(holdings: ExpectedPieces) -> tuple[int | None, ...]:
    return tuple(holding.track if holding else None for holding in holdings)


def _is_agreed(holding: ExpectedPiece | None, evidence: Evidence) -> bool:
    """Return True if players confirmed the table without sight of this piece, and nobody lifted it since."""
    return holding is not None and holding.missed and not _taken_up(holding, evidence)


def _taken_up(holding: ExpectedPiece, evidence: Evidence) -> bool:
    own = (touch for touch in evidence.touches if touch.track == holding.track)
    return any(touch.lifted and touch.certainty >= SURE for touch in own)


def perhaps_taken(holding: ExpectedPiece, sighting: Sighting, evidence: Evidence) -> bool:
    if sighting.sight is not Sight.COVERED or holding.track != sighting.track or _is_agreed(holding, evidence):
        return False
    own = (touch for touch in evidence.touches if touch.track == holding.track)
    return any(touch.lifted and SUSPECT <= touch.certainty < SURE and touch.hands != frozenset() for touch in own)


def _count(seen: ZoneSight) -> int:
    return len(seen.pieces) if seen.order is Arrangement.CELLS else sum(s is not None for s in seen.pieces)


def _without(seen: ZoneSight, odd: frozenset[int]) -> ZoneSight:
    if not odd or odd.isdisjoint(sighting.track for sighting in seen.pieces if sighting is not None):
        return seen
    known = tuple(None if s is None or (s.track in odd and s.sight is not Sight.SEEN) else s for s in seen.pieces)
    kept = known if seen.order is Arrangement.CELLS else tuple(s for s in known if s is not None)
    return ZoneSight(seen.zone, seen.order, kept)


def _is_miscounted(order: Arrangement, seen: int, wanted: int) -> bool:
    return seen > 0 and wanted == 0 if order is Arrangement.PILE else seen != wanted


def _piece(
    holding: ExpectedPiece | None, sighting: Sighting | None, known: set[int | None], evidence: Evidence
) -> FitGrade:
    if holding is None or sighting is None:
        return FitGrade.FULL if sighting is None and (holding is None or _is_agreed(holding, evidence)) else FitGrade.NO
    if sighting.sight is not Sight.SEEN:
        return _unseen(holding, sighting, known, evidence)
    if not may_be(holding.piece, sighting):
        return FitGrade.NO
    return _fit_hidden(holding, sighting, known, evidence.lost) if holding.hidden else FitGrade.FULL


def _unseen(holding: ExpectedPiece, sighting: Sighting, known: set[int | None], evidence: Evidence) -> FitGrade:
    """Return the fit of a covered or unknown detection: FULL only if unchanged and not lifted."""
    if sighting.track == holding.track and holding.changed:
        return FitGrade.WEAK
    if sighting.track == holding.track:
        taken_up = _taken_up(holding, evidence)
        if sighting.sight is Sight.UNKNOWN and taken_up:
            return FitGrade.NO
        turned = taken_up and not looked_like(holding.piece, sighting)
        return FitGrade.WEAK if turned or perhaps_taken(holding, sighting, evidence) else FitGrade.FULL
    return FitGrade.NO if sighting.track in known else FitGrade.WEAK


def _fit_hidden(holding: ExpectedPiece, sighting: Sighting, known: set[int | None], lost: frozenset[int]) -> FitGrade:
    if sighting.track == holding.track:
        return FitGrade.FULL
    if sighting.track in known:
        return FitGrade.NO
    return FitGrade.WEAK if sighting.track in lost or not holding.changed else FitGrade.FULL


# --- zones, some of it out of sight


def _compare_loosely(expected: Expectation, evidence: Evidence) -> FitGrade:
    if _handling(expected, _calmer(expected, evidence)) is FitGrade.NO:
        return FitGrade.NO
    fit = FitGrade.FULL
    for name, order, holdings in expected.zones:
        fit = min(fit, _zone_loosely(name, order, holdings, evidence))
        if fit is FitGrade.NO:
            break
    return fit


def _calmer(expected: Expectation, evidence: Evidence) -> Evidence:
    """Remove touches of pile tops, and of pieces neither plainly seen nor expected to be handled."""
    plain = {s.track for zone in evidence.seen.zones for s in zone.pieces if s and s.sight is Sight.SEEN}
    backs = {
        h.track for _, order, zone in evidence.base.zones if order is Arrangement.PILE for h in zone if h and h.hidden
    }
    telling = (plain | {handling.track for handling in expected.handled}) - backs
    return replace(evidence, touches=tuple(touch for touch in evidence.touches if touch.track in telling))


def _zone_loosely(name: str, order: Arrangement, holdings: ExpectedPieces, evidence: Evidence) -> FitGrade:
    as_done = _zone_as(name, order, holdings, evidence)
    if as_done is not FitGrade.NO or not any(holding and holding.changed for holding in holdings):
        return as_done
    unchanged = tuple(holding and replace(holding, changed=False) for holding in holdings)
    return min(FitGrade.DIM, _zone_as(name, order, unchanged, evidence))


def _zone_as(name: str, order: Arrangement, holdings: ExpectedPieces, evidence: Evidence) -> FitGrade:
    known = evidence.known_tracks()
    if _zone(name, order, holdings, evidence, known) is FitGrade.FULL:
        return FitGrade.FULL
    seen = sight_of(evidence.seen, name, order)
    pieces, tracks = _pieces(holdings), _tracks(holdings)
    pairs = tuple(zip(holdings, pair_sightings(pieces, seen, tracks, loosely=True), strict=True))
    if not _plain(pairs, seen) or not all(_is_allowed(h, s, known, evidence) for h, s in pairs):
        return FitGrade.NO
    return FitGrade.WHOLE if all(h is None or _lies(h, s, known) for h, s in pairs) else FitGrade.NEAR


def _lies(holding: ExpectedPiece, sighting: Sighting | None, known: set[int | None]) -> bool:
    if sighting is None:
        return holding.missed
    return sighting.track == holding.track or sighting.track not in known or sighting.sight is Sight.SEEN


def _plain(pairs: tuple[tuple[ExpectedPiece | None, Sighting | None], ...], seen: ZoneSight) -> bool:
    explained = {sighting.track for _, sighting in pairs if sighting is not None}
    return all(s is None or s.sight is not Sight.SEEN or s.track in explained for s in seen.pieces)


def _is_allowed(
    holding: ExpectedPiece | None, sighting: Sighting | None, known: set[int | None], evidence: Evidence
) -> bool:
    unsure = sighting is None or sighting.sight is not Sight.SEEN
    if holding is None or unsure:
        return unsure and (holding is None or not holding.changed)
    return _piece(holding, sighting, known, evidence) is not FitGrade.NO


# --- handling and hands


def hand_fit(handling: Handling, evidence: Evidence) -> FitGrade:
    touch = evidence.touch(handling.track) if handling.brought is None else _arrival(handling, evidence)
    seen = touch.hands if touch is not None else evidence.hands
    if not handling.hands:
        return FitGrade.FULL
    if not seen:
        return FitGrade.WEAK
    if not seen & handling.hands:
        return FitGrade.NO
    return FitGrade.FULL if seen <= handling.hands else FitGrade.WEAK


def _handling(expected: Expectation, evidence: Evidence) -> FitGrade:
    fit = _fit_unexplained(expected, evidence)
    for handling in expected.handled:
        if fit is FitGrade.NO:
            break
        if handling.lifted:
            fit = min(fit, _fit_lifted(evidence.touch(handling.track)))
        elif handling.gone:
            fit = min(fit, _fit_taken(evidence.touch(handling.track), expected, evidence))
        fit = min(fit, hand_fit(handling, evidence))
    return fit


def _arrival(handling: Handling, evidence: Evidence) -> Touch | None:
    piece = handling.brought
    zone = next((sight for sight in evidence.seen.zones if sight.zone == handling.zone), None)
    if zone is None or piece is None:
        return None
    came = {s.track for s in zone.pieces if s is not None and may_be(piece, s)} - evidence.known_tracks()
    return next((touch for touch in evidence.touches if {touch.track} == came), None)


def _fit_lifted(touch: Touch | None) -> FitGrade:
    if touch is None or touch.certainty < SUSPECT:
        return FitGrade.NO
    return FitGrade.FULL if touch.lifted and touch.certainty >= SURE else FitGrade.WEAK


def _fit_taken(touch: Touch | None, expected: Expectation, evidence: Evidence) -> FitGrade:
    """Return the fit of a taken hidden piece. Another back alone is no proof: it may be the same card."""
    away = frozenset(handling.track for handling in expected.handled if handling.gone)
    return (
        FitGrade.FULL
        if touch is not None and touch.certainty >= SURE and surely_taken(away, evidence)
        else FitGrade.WEAK
    )


def surely_taken(away: frozenset[int | None], evidence: Evidence) -> bool:
    """Return True if a piece of `away`, and no other known one, was touched. A hand's shadow can change a back."""
    touched = {touch.track for touch in evidence.touches if touch.certainty >= (SUSPECT if touch.lifted else 1.0)}
    surely = any(touch.track in away and touch.certainty >= SURE for touch in evidence.touches)
    return surely and touched & evidence.known_tracks() <= away


def _pushed_tracks(expected: Expectation, evidence: Evidence) -> frozenset[int | None]:
    close = (Arrangement.ROW, Arrangement.SPLAY)
    before = {name: [h.track for h in row if h] for name, order, row in evidence.base.zones if order in close}
    after = {name: [h.track for h in row if h] for name, _, row in expected.zones if name in before}
    return frozenset(track for name, row in before.items() if Counter(row) != Counter(after[name]) for track in row)


def _fit_unexplained(expected: Expectation, evidence: Evidence) -> FitGrade:
    """Return the fit of lifted hidden pieces that the reading does not explain. Those that left the table are
    explained."""
    left = {holding.track for holding in expected.holdings()}
    explained = (evidence.known_tracks() - left) | {handling.track for handling in expected.handled}
    hidden = evidence.hidden_tracks()
    if not any(t.track in hidden and t.track not in explained and t.certainty >= SUSPECT for t in evidence.touches):
        return FitGrade.FULL
    pushed, fit = _pushed_tracks(expected, evidence), FitGrade.FULL
    for touch in evidence.touches:
        if touch.track in explained or touch.track not in hidden or touch.certainty < SUSPECT:
            continue
        if touch.lifted and touch.certainty >= SURE and touch.track not in pushed:
            return FitGrade.NO
        if touch.lifted or touch.track not in pushed:
            fit = FitGrade.WEAK
    return fit
