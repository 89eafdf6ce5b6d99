"""The missing steps of a begun action, as sentences.

Hidden pieces, and pieces still in a hand, are named by place only (law 5)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from engine.arbiter.evidence import Evidence, may_be, sight_of
from engine.arbiter.expectation import Expectation, ExpectedPiece
from engine.arbiter.repair import piece_name
from engine.table import Arrangement, Face, Move, Piece, Sight, Sighting, Spot, Trace, ZoneLayout
from engine.text import Text, say

ALTERNATIVES = 2
"""Most ways to go on that are listed; with more, the players know best."""


def to_go_on(traces: tuple[Trace, ...], evidence: Evidence) -> tuple[Text, ...]:
    """Return the missing steps of the candidates that lack least; () if nothing was begun or too many ways remain."""
    begun = (steps(trace, evidence.base, evidence) for trace in traces if _may_be_begun(trace, evidence))
    every = tuple(dict.fromkeys(missing for missing, done in begun if missing and done))
    least = min(map(len, every), default=0)
    ways = tuple(missing for missing in every if len(missing) == least)
    if not ways or len(ways) > ALTERNATIVES or (len(ways) > 1 and least > 1):
        return ()
    first, *others = ways
    return (*first, *(say("Or: {step}", step=step) for (step,) in others))


def is_part(done: Trace, whole: Trace) -> bool:
    """Return True if one action is part of the other; a piece may still be in a hand."""
    ways = {(move.source, move.target) for move in whole.moves}
    sources = {source for source, _ in ways if source is not None}
    taken = all((m.source, m.target) in ways or (m.target is None and m.source in sources) for m in done.moves)
    return taken and done.turned <= whole.turned and done.lifted <= whole.lifted


def steps(trace: Trace, start: Expectation, evidence: Evidence | None) -> tuple[tuple[Text, ...], int]:
    """Return the missing steps, and the number begun or done.

    start: the table before. evidence: None means that all steps are missing."""
    missing: list[Text] = []
    done = 0
    for move in trace.moves:
        left, came = _has_left(move, trace, start, evidence), _came(move, trace, start, evidence)
        done += left or came
        if not came or not (left or move.target):
            missing.extend(_move(move, trace, start, left=left))
            if move.target is not None and move.source in trace.turned:
                missing.append(turn(trace, move.target))
        elif move.target is not None and _wrong_side_up(move.target, trace, evidence):
            missing.append(turn(trace, move.target))
    for spot in sorted(trace.turned - {move.source for move in trace.moves}):
        if _wrong_side_up(spot, trace, evidence):
            missing.append(turn(trace, spot))
        else:
            done += 1
    return tuple(dict.fromkeys(missing)), done


def turn(trace: Trace, spot: Spot) -> Text:
    place, piece = trace.layout.zone(spot.zone).place(spot.index), trace.layout.at(spot)
    if piece is not None and piece.face is Face.DOWN:
        return say("Turn {place} face down.", place=place)
    return say("Turn {place} face up.", place=place)


def _move(move: Move, trace: Trace, start: Expectation, *, left: bool) -> Iterator[Text]:
    target = None if move.target is None else trace.layout.zone(move.target.zone).place(move.target.index)
    held, source = (
        (None, None) if move.source is None else (_held_piece(start, move.source), _place(start, move.source))
    )
    if target is None:
        if source is not None:
            yield say("Clear {place}.", place=source)
    elif held is None or source is None:
        yield say("Something is missing: {place}.", place=target)
    elif left:
        yield say("Move {piece} to {place}.", piece=piece_name(held.piece), place=target)
    else:
        yield say("Move {piece}: {source} → {target}.", piece=piece_name(held.piece), source=source, target=target)


def _place(start: Expectation, spot: Spot) -> Text:
    order = next((order for name, order, _ in start.zones if name == spot.zone), Arrangement.AREA)
    return start.place(spot.zone, order, spot.index)


def _held_piece(start: Expectation, spot: Spot) -> ExpectedPiece | None:
    zone = next((holdings for name, _, holdings in start.zones if name == spot.zone), ())
    return zone[spot.index] if spot.index < len(zone) else None


def _seen_sightings(evidence: Evidence, zone: str, order: Arrangement) -> tuple[Sighting | None, ...]:
    return sight_of(evidence.seen, zone, order).pieces


def _has_left(move: Move, trace: Trace, start: Expectation, evidence: Evidence | None) -> bool:
    if move.source is None or evidence is None:
        return False
    held, zone = _held_piece(start, move.source), trace.layout.zone(move.source.zone)
    if held is None:
        return False
    seen = _seen_sightings(evidence, zone.zone, zone.order)
    if zone.order is Arrangement.CELLS:
        there = seen[move.source.index] if move.source.index < len(seen) else None
        return there is None or not may_be(held.piece, there)
    if _inside(move):
        return _came(move, trace, start, evidence) or not any(s is not None and may_be(held.piece, s) for s in seen)
    if zone.order is Arrangement.PILE or held.hidden:
        return all(sighting is None or sighting.track != held.track for sighting in seen)
    return _count(held.piece, seen) <= sum(piece == held.piece for piece in zone.pieces)


def _came(move: Move, trace: Trace, start: Expectation, evidence: Evidence | None) -> bool:
    if move.target is None:
        return _has_left(move, trace, start, evidence)
    if evidence is None:
        return False
    zone, wanted = trace.layout.zone(move.target.zone), trace.layout.at(move.target)
    seen, held = (
        _seen_sightings(evidence, zone.zone, zone.order),
        None if move.source is None else _held_piece(start, move.source),
    )
    if held is None or zone.order in (Arrangement.CELLS, Arrangement.PILE):
        return wanted is not None and _shows(wanted, zone, move.target.index, start, seen)
    if zone.order is not Arrangement.AREA and (_inside(move) or len(seen) == len(zone.pieces)):
        there = seen[move.target.index] if len(seen) == len(zone.pieces) else None
        return there is not None and there.track == held.track
    own = any(s is not None and s.track == held.track for s in seen)
    return own or (wanted is not None and _shows(wanted, zone, move.target.index, start, seen))


def _inside(move: Move) -> bool:
    return move.source is not None and move.target is not None and move.source.zone == move.target.zone


def _shows(wanted: Piece, zone: ZoneLayout, index: int, start: Expectation, seen: tuple[Sighting | None, ...]) -> bool:
    if zone.order is Arrangement.CELLS:
        there = seen[index] if index < len(seen) else None
        return there is not None and there.sight is Sight.SEEN and may_be(wanted, there)
    if zone.order is Arrangement.PILE:
        top = next((sighting for sighting in seen if sighting is not None), None)
        return top is not None and top.sight is Sight.SEEN and may_be(wanted, top) and not _lay(start, zone, top)
    return _count(wanted, seen) >= sum(piece == wanted for piece in zone.pieces)


def _lay(start: Expectation, zone: ZoneLayout, sighting: Sighting) -> bool:
    before = next((holdings for name, _, holdings in start.zones if name == zone.zone), ())
    return any(holding is not None and holding.track == sighting.track for holding in before)


def _wrong_side_up(spot: Spot, trace: Trace, evidence: Evidence | None) -> bool:
    if evidence is None:
        return True
    zone, wanted = trace.layout.zone(spot.zone), trace.layout.at(spot)
    seen = _seen_sightings(evidence, zone.zone, zone.order)
    there = seen[spot.index] if spot.index < len(seen) else None
    return wanted is not None and there is not None and there.sight is Sight.SEEN and there.face is not wanted.face


def _count(piece: Piece, seen: tuple[Sighting | None, ...]) -> int:
    return sum(s is not None and s.sight is Sight.SEEN and may_be(piece, s) for s in seen)


def _may_be_begun(trace: Trace, evidence: Evidence) -> bool:
    if trace.hands and evidence.hands and not trace.hands & evidence.hands:
        return False
    start = {name: holdings for name, _, holdings in evidence.base.zones}
    for zone in trace.layout.zones:
        seen = _seen_sightings(evidence, zone.zone, zone.order)
        before = tuple(holding.piece if holding else None for holding in start.get(zone.zone, ()))
        plain = tuple(s for s in seen if s is not None and s.sight is Sight.SEEN)
        if zone.order is Arrangement.CELLS:
            both = zip(before, zone.pieces, seen, strict=False)
            right = all(s is None or any(p is not None and may_be(p, s) for p in (b, a)) for b, a, s in both)
        else:
            most = Counter(p for p in before if p) | Counter(p for p in zone.pieces if p)
            right = not Counter(_looks(s) for s in plain) - most
        if not right:
            return False
    return True


def _looks(sighting: Sighting) -> Piece:
    return Piece(sighting.kind if sighting.face is Face.UP else None, sighting.face or Face.UP)
