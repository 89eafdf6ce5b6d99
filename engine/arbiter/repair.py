"""Steps as sentences: those missing of a begun action, and those that put the table right.

Hidden pieces, and those out of a hand, are named by place only (law 5)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import count

from engine.arbiter.evidence import Evidence, Pair, align, may_be, pair_sightings, sight_of
from engine.arbiter.expectation import Expectation, ExpectedPiece, expectation_of
from engine.table import (
    Arrangement,
    Face,
    Layout,
    Move,
    Observation,
    Piece,
    Sight,
    Sighting,
    Spot,
    Trace,
    ZoneLayout,
    ZoneSight,
)
from engine.text import Text, many, say

ALTERNATIVES = 2
"""Most ways to go on that are listed; with more, the players know best."""


def to_go_on(traces: tuple[Trace, ...], evidence: Evidence) -> tuple[Text, ...]:
    """Return the missing steps of the begun action that lacks fewest, or two one-step alternatives; () if none is
    begun, or other actions lack as few."""
    begun = (steps(trace, evidence.base, evidence) for trace in traces if _may_be_begun(trace, evidence))
    every = tuple(dict.fromkeys(missing for missing, done in begun if missing and done))
    least = min(map(len, every), default=0)
    ways = tuple(missing for missing in every if len(missing) == least)
    if not ways or len(ways) > ALTERNATIVES or (len(ways) > 1 and least > 1):
        return ()
    first, *others = ways
    return (*first, *(say("Or: {step}", step=step) for (step,) in others))


def is_part(done: Trace, whole: Trace) -> bool:
    """Return True if `done` is part of `whole`; a piece may still be in a hand."""
    ways = {(move.source, move.target) for move in whole.moves}
    sources = {source for source, _ in ways if source is not None}
    taken = all((m.source, m.target) in ways or (m.target is None and m.source in sources) for m in done.moves)
    return taken and done.turned <= whole.turned and done.lifted <= whole.lifted


def steps(trace: Trace, start: Expectation, evidence: Evidence | None) -> tuple[tuple[Text, ...], int]:
    """Return an action's missing steps, and the number begun or done.

    start: the table before. evidence: None if all steps are missing."""
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


Place = Callable[[int], Text]


def repairs(expected: Expectation, observation: Observation) -> tuple[Text, ...]:
    """Return the steps that make the table as expected."""
    found: list[Text] = []
    for name, order, holdings in expected.zones:
        found += _zone(expected, name, order, holdings, observation)
    found += [_stray(stray) for stray in observation.strays]
    return tuple(found)


def repairs_from_scratch(layout: Layout, observation: Observation) -> tuple[Text, ...]:
    """Return the steps that make an unknown table match `layout`."""
    return repairs(expectation_of(layout, {}), observation)


def way_back(lying: Layout, wanted: Layout) -> tuple[Text, ...]:
    """Return the visible steps from `lying` to `wanted`. Exchanged face-down pieces show no difference."""
    numbers = count(1)

    def as_sighting(piece: Piece | None) -> Sighting | None:
        if piece is None:
            return None
        return Sighting(next(numbers), piece.kind, piece.face, Sight.SEEN, 1.0, 0.0, 0.0, 0.0)

    zones = tuple(ZoneSight(zone.zone, zone.order, tuple(map(as_sighting, zone.pieces))) for zone in lying.zones)
    return repairs_from_scratch(wanted, Observation(1, 0.0, zones))


def piece_name(piece: Piece) -> Text:
    return say("the hidden piece") if piece.kind is None else Text(piece.kind)


def _zone(
    expected: Expectation,
    name: str,
    order: Arrangement,
    holdings: tuple[ExpectedPiece | None, ...],
    observation: Observation,
) -> Iterator[Text]:
    def place(index: int) -> Text:
        return expected.place(name, order, index)

    seen = sight_of(observation, name, order).pieces
    wanted = tuple(holding for holding in holdings if holding is not None)
    match order:
        case Arrangement.ROW:
            return _row(Text(name), place, wanted, tuple(sighting for sighting in seen if sighting is not None))
        case Arrangement.AREA:
            return _area(expected, name, wanted, observation)
        case Arrangement.PILE:
            return _pile(Text(name), wanted, seen)
        case _:
            return _places(name, order, place, holdings, observation)


# --- rows


def _row(zone: Text, place: Place, wanted: tuple[ExpectedPiece, ...], seen: tuple[Sighting, ...]) -> Iterator[Text]:
    if len(seen) == len(wanted):
        return _same_length(zone, place, wanted, seen)
    return _put_right(place, wanted, seen, _pairs(wanted, seen))


def _put_right(
    place: Place, wanted: tuple[ExpectedPiece, ...], seen: tuple[Sighting, ...], pairs: tuple[Pair, ...]
) -> Iterator[Text]:
    for index in sorted(set(range(len(seen))) - {at for _, at in pairs}, reverse=True):
        yield _take(place(index))
    for index in sorted(set(range(len(wanted))) - {at for at, _ in pairs}):
        yield _put(wanted[index].piece, place(index))
    for index, at in pairs:
        if not may_be(wanted[index].piece, seen[at]):
            yield _turn(place(index), wanted[index].piece.face)


def _same_length(
    zone: Text, place: Place, wanted: tuple[ExpectedPiece, ...], seen: tuple[Sighting, ...]
) -> Iterator[Text]:
    odd = [index for index, pair in enumerate(zip(wanted, seen, strict=True)) if not _is(*pair)]
    turned = [i for i in odd if seen[i].track == wanted[i].track or len(odd) == 1]
    turned = [i for i in turned if seen[i].face is not wanted[i].piece.face]
    yield from (_turn(place(index), wanted[index].piece.face) for index in turned)
    moved = [index for index in odd if index not in turned]
    if len(moved) == 2 and _are_exchanged(wanted, seen, *moved):
        a, b = moved
        yield say("Swap places {a} and {b} of {zone}.", a=a + 1, b=b + 1, zone=zone)
        wrong = (index for index, at in ((a, b), (b, a)) if not may_be(wanted[index].piece, seen[at]))
        yield from (_turn(place(index), wanted[index].piece.face) for index in wrong)
    else:
        yield from (_put(wanted[index].piece, place(index)) for index in moved)


def _are_exchanged(wanted: tuple[ExpectedPiece, ...], seen: tuple[Sighting, ...], a: int, b: int) -> bool:
    pairs = ((wanted[a], seen[b]), (wanted[b], seen[a]))
    return all(sighting.track == holding.track or _is(holding, sighting) for holding, sighting in pairs)


def _pairs(wanted: tuple[ExpectedPiece, ...], seen: tuple[Sighting, ...]) -> tuple[Pair, ...]:
    known = {holding.track for holding in wanted}
    return align(len(wanted), len(seen), lambda index, at: _worth(wanted[index], seen[at], known))


def _worth(holding: ExpectedPiece, sighting: Sighting, known: set[int | None]) -> int:
    piece, alike = holding.piece, may_be(holding.piece, sighting)
    if sighting.track == holding.track:
        return 4 + alike
    if sighting.sight is not Sight.SEEN:
        return 1
    if sighting.face is not piece.face or piece.face is Face.DOWN:
        return 0 if sighting.track in known else 1 + alike
    return 3 * alike


# --- other zones


def _area(
    expected: Expectation, name: str, wanted: tuple[ExpectedPiece, ...], observation: Observation
) -> Iterator[Text]:
    zone, missing = Text(name), list[ExpectedPiece]()
    seen = [sighting for sighting in sight_of(observation, name, Arrangement.AREA).pieces if sighting is not None]
    for holding in wanted:
        same = next((s for s in seen if (s.kind, s.face) == (holding.piece.kind, holding.piece.face)), None)
        if same is None:
            missing.append(holding)
        else:
            seen.remove(same)
    unclear = [sighting for sighting in seen if sighting.sight is not Sight.SEEN]
    strange = [sighting for sighting in seen if sighting.sight is Sight.SEEN]
    yield from (_put_in(zone, holding.piece, observation) for holding in missing[len(unclear) :])
    kinds = [s.kind for s in strange if s.kind is not None and not _is_missing(expected, observation, s.kind, name)]
    yield from (say("Take {piece} out of {zone}.", piece=Text(kind), zone=zone) for kind in kinds)
    count = sum(s.kind is None for s in strange) + max(0, len(unclear) - len(missing))
    if count:
        yield many("Take {count} piece out of {zone}.", "Take {count} pieces out of {zone}.", count, zone=zone)


def _is_missing(expected: Expectation, observation: Observation, kind: str, here: str) -> bool:
    for name, order, holdings in expected.zones:
        seen = sight_of(observation, name, order).pieces
        belongs = name != here and any(holding and holding.piece.kind == kind for holding in holdings)
        if belongs and not any(sighting and sighting.kind == kind for sighting in seen):
            return True
    return False


def _put_in(zone: Text, piece: Piece, observation: Observation) -> Text:
    everywhere = (*(s for each in observation.zones for s in each.pieces), *observation.strays)
    if any(s is not None and s.sight is Sight.SEEN and s.kind == piece.kind for s in everywhere):
        return say("Put {piece} in {zone}.", piece=piece_name(piece), zone=zone)
    return say("Put {piece} in {zone}, uncovered.", piece=piece_name(piece), zone=zone)


def _pile(zone: Text, wanted: tuple[ExpectedPiece, ...], seen: tuple[Sighting | None, ...]) -> Iterator[Text]:
    top = next((sighting for sighting in seen if sighting is not None), None)
    for piece in (holding.piece for holding in wanted):
        if top is None:
            yield say("Put {piece} on {zone}.", piece=piece_name(piece), zone=zone)
        elif not may_be(piece, top):
            yield say("Put {piece} on top of {zone}.", piece=piece_name(piece), zone=zone)
    if not wanted and top is not None and top.sight is Sight.SEEN:
        yield say("Take everything off {zone}.", zone=zone)


def _places(
    name: str, order: Arrangement, place: Place, holdings: tuple[ExpectedPiece | None, ...], observation: Observation
) -> Iterator[Text]:
    seen = sight_of(observation, name, order)
    pairs = pair_sightings(tuple(holding.piece if holding else None for holding in holdings), seen)
    both = tuple(zip(holdings, pairs, strict=True))
    away = {h.piece for h, s in both if h is not None and (s is None or not may_be(h.piece, s))}
    for index, (holding, sighting) in enumerate(both):
        if holding is None and sighting is not None and Piece(sighting.kind, sighting.face or Face.DOWN) not in away:
            yield _take(place(index))
        if holding is None or (sighting is not None and may_be(holding.piece, sighting)):
            continue
        turned = sighting is not None and sighting.face is not holding.piece.face
        yield _turn(place(index), holding.piece.face) if turned else _put(holding.piece, place(index))


# --- words


def _take(place: Text) -> Text:
    return say("Clear {place}.", place=place)


def _put(piece: Piece, place: Text) -> Text:
    return say("Move {piece} to {place}.", piece=piece_name(piece), place=place)


def _turn(place: Text, face: Face) -> Text:
    return say("Turn {place} face up.", place=place) if face is Face.UP else say("Turn {place} face down.", place=place)


def _stray(stray: Sighting) -> Text:
    if stray.kind is None:
        return say("Remove everything that isn't part of the game.")
    return say("Outside every zone: {piece}.", piece=Text(stray.kind))


# --- likeness


def _is(holding: ExpectedPiece, sighting: Sighting) -> bool:
    if not may_be(holding.piece, sighting):
        return False
    return holding.piece.face is Face.UP or holding.track is None or sighting.track == holding.track
