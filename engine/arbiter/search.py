"""The search for readings of an observation: legal actions, short sequences, and beginnings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, TypeAlias

import msgspec

from engine.arbiter.compare import FitGrade, Sieve, compare, hand_fit
from engine.arbiter.evidence import SUSPECT, Evidence, ZoneContents, pair_sightings, sight_of
from engine.arbiter.expectation import Expectation, carry
from engine.arbiter.verdict import ActionStep, Readings
from engine.catalogue import AnyGame
from engine.game import ANYTHING, Prefilter, Words, per_state
from engine.grammar import sentences
from engine.rules import Rules, in_menus
from engine.table import Arrangement, Face, Observation, Piece, Sight, Spot, Trace

DEPTH = 3
"""Actions in a row per observation, or one per acting seat if that is more."""


BREADTH = 1000
"""Most sequences at a depth that the search continues."""

Node: TypeAlias = "tuple[Any, Expectation, tuple[ActionStep, ...]]"


class Tried(NamedTuple):
    node: Node
    step: ActionStep
    trace: Trace
    after: Expectation


class _Signs:
    """A prefilter that demands evidence of every handled piece. of: tracks with evidence."""

    def __init__(self, expected: Expectation, of: frozenset[int | None], lying: ZoneContents) -> None:
        self._expected, self._of, self._lying = expected, of, lying

    def is_touched(self, spot: Spot) -> bool:
        return self._expected.track(spot) in self._of

    def lies(self, zone: str, piece: Piece) -> bool:
        return self._lying.may_be(zone, piece)

    def only(self, *zones: str) -> bool:
        """Return True: later actions may change other zones."""
        return True


class _Displaced:
    def __init__(self, moved: frozenset[int | None], start: Expectation) -> None:
        left = moved - {None} - {handling.track for handling in start.handled}
        self._zones = {name for name, _, holdings in start.zones for h in holdings if h is not None and h.track in left}

    def is_touched(self, spot: Spot) -> bool:
        return True

    def lies(self, zone: str, piece: Piece) -> bool:
        return True

    def only(self, *zones: str) -> bool:
        return self._zones.issubset(zones)


class Reading(msgspec.Struct, frozen=True):
    """Legal actions in a row, and their fit.

    handled: number of handled pieces
    unseen: those without even a suspected lift"""

    steps: tuple[ActionStep, ...]
    fit: FitGrade
    handled: int
    unseen: int


class Search(NamedTuple):
    """A search's result. whole: False if it was given up, which proves nothing."""

    found: tuple[Reading, ...] = ()
    whole: bool = True


def readings(game: AnyGame, state: Any, start: Expectation, evidence: Evidence) -> Search:
    """Return the fitting readings with fewest actions. start: the table before."""
    of = displaced_tracks(evidence) | {t.track for t in evidence.touches if t.certainty >= SUSPECT}
    sieve, lying, last = Sieve(evidence), ZoneContents(evidence.seen), max(DEPTH, len(game.actors(state)))
    level: list[Node] = [(state, start, ())]
    for depth in range(1, last + 1):
        final = sieve if depth == last else None
        tried = [
            each for node in level for each in in_menus(_try_actions(game, node, of, evidence, lying, final), _menu_key)
        ]
        fits = ((each, compare(each.after, evidence)) for each in tried if sieve.passes(each.trace.layout))
        if ends := _distinct((_apply_action(game, each), fit) for each, fit in fits if fit is not FitGrade.NO):
            lifted = {touch.track for touch in evidence.touches if touch.lifted and touch.certainty >= SUSPECT}
            return Search(tuple(_reading(node, fit, lifted) for node, fit in ends))
        if depth < last and len(tried) > BREADTH:
            return Search(whole=False)
        level = [node for node, _ in _distinct((_apply_action(game, each), FitGrade.NO) for each in tried)]
    return Search()


def _reading(node: Node, fit: FitGrade, lifted: set[int]) -> Reading:
    _, expected, steps = node
    tracks = [handling.track for handling in expected.handled]
    unseen = sum(track not in lifted for track in tracks)
    return Reading(steps, min(fit, _told_apart(expected, steps)), len(tracks), unseen)


def near_readings(game: AnyGame, state: Any, evidence: Evidence) -> Readings:
    """Return single actions that no plain detection contradicts: those plainly seen, else those with a hint."""
    start = evidence.base
    every = ((step, trace, carry(start, trace)) for step, trace in _now(state, game) if not trace.unseen)
    graded = tuple((step, trace, compare(after, evidence, loosely=True)) for step, trace, after in every)
    if plain := tuple((step,) for step, _, fit in graded if fit >= FitGrade.NEAR):
        return plain
    return tuple((step,) for step, trace, fit in graded if fit is FitGrade.DIM and _is_hinted(trace, evidence))


def _is_hinted(trace: Trace, evidence: Evidence) -> bool:
    start, lying = evidence.base, ZoneContents(evidence.seen)
    handled = {start.track(spot) for spot in trace.handled}
    if handled:  # what was out of sight already may lie by now where it belongs
        came = (move.target for move in trace.moves if move.source and start.track(move.source) is None)
        if not all(target is None or _may_lie(trace, target, lying) for target in came):
            return False
        return handled - {None} <= {touch.track for touch in evidence.touches if touch.certainty >= SUSPECT}
    zones = {move.target.zone for move in trace.moves if move.target is not None}
    seen = (s for zone in evidence.seen.zones if zone.zone in zones for s in zone.pieces if s is not None)
    return any(s.sight is not Sight.SEEN and s.track not in evidence.odd for s in seen)


def _distinct(nodes: Iterable[tuple[Node, FitGrade]]) -> list[tuple[Node, FitGrade]]:
    ends: dict[tuple[ActionStep, ...], list[Any]] = {}
    kept = []
    for node, fit in nodes:
        state, _, steps = node
        same = ends.setdefault(tuple(sorted(steps, key=lambda step: (step.seat, step.words))), [])
        if state not in same:
            same.append(state)
            kept.append((node, fit))
    return kept


def _told_apart(expected: Expectation, steps: tuple[ActionStep, ...]) -> FitGrade:
    """Return WEAK if several actions handled one piece, else FULL."""
    tracks = [handling.track for handling in expected.handled if handling.track is not None]
    return FitGrade.WEAK if len(steps) > 1 and len(set(tracks)) < len(tracks) else FitGrade.FULL


def beginnings(game: AnyGame, state: Any, evidence: Evidence) -> tuple[Trace, ...]:
    """Return traces of legal actions that may be partly done, with all else untouched."""
    return tuple(trace for _, trace in in_menus(_begin_steps(game, state, evidence), _menu_key))


def is_begun(game: AnyGame, state: Any, evidence: Evidence) -> bool:
    return next(_begin_steps(game, state, evidence), None) is not None


def _begin_steps(game: AnyGame, state: Any, evidence: Evidence) -> Iterator[tuple[ActionStep, Trace]]:
    moved, start = displaced_tracks(evidence), evidence.base
    for step, trace in _first_actions(game, state, _Displaced(moved, start)):
        if not trace.unseen and moved <= _tracks(start, trace) and is_untouched(trace, evidence):
            yield step, trace


def _tracks(start: Expectation, trace: Trace) -> set[int | None]:
    brought = {None for move in trace.moves if move.source is None}
    return {handling.track for handling in start.handled} | {start.track(spot) for spot in trace.handled} | brought


def displaced_tracks(evidence: Evidence) -> frozenset[int | None]:
    """Return tracks of pieces that are gone, moved, turned over, or were lifted while hidden."""
    out: set[int | None] = set()
    for name, order, holdings in evidence.base.zones:
        if order is Arrangement.ROW:
            out |= _out_of_row(holdings, evidence.seen, name)
            continue
        pieces = tuple(h.piece if h else None for h in holdings)
        seen = pair_sightings(pieces, sight_of(evidence.seen, name, order))
        for holding, sighting in zip(holdings, seen, strict=True):
            if holding is None:
                continue
            if sighting is None or (
                sighting.sight is Sight.SEEN
                and (sighting.kind, sighting.face) != (holding.piece.kind, holding.piece.face)
            ):
                out.add(holding.track)
    hidden = evidence.hidden_tracks()
    return frozenset(out | {t.track for t in evidence.touches if t.lifted and t.track in hidden})


def is_untouched(trace: Trace, evidence: Evidence) -> bool:
    """Return True if unhandled pieces keep order and faces in every row."""
    start, observation = evidence.base, evidence.seen
    handled = _tracks(start, trace)
    for name, order, holdings in start.zones:
        if order is not Arrangement.ROW:
            continue
        kept = [(h.piece.kind, h.piece.face) for h in holdings if h is not None and h.track not in handled]
        own = {(h.piece.kind, h.piece.face) for h in start.holdings() if h.track in handled}
        seen = [
            (s.kind if s.face is Face.UP else None, s.face)
            for s in sight_of(observation, name, order).pieces
            if s is not None and s.track not in handled and (s.kind, s.face) not in own
        ]
        if [look for look in kept if look not in own] != seen:
            return False
    return True


def _out_of_row(holdings: tuple[Any, ...], observation: Observation, name: str) -> set[int | None]:
    seen = {s.track: s for s in sight_of(observation, name, Arrangement.ROW).pieces if s is not None}
    kinds = {s.kind: s for s in seen.values() if s.kind is not None}
    order = {track: place for place, track in enumerate(seen)}
    out: set[int | None] = set()
    places: list[tuple[int, int | None]] = []
    for holding in holdings:
        sighting = seen.get(holding.track) or (kinds.get(holding.piece.kind) if holding.piece.kind else None)
        if sighting is None or (sighting.sight is Sight.SEEN and sighting.face is not holding.piece.face):
            out.add(holding.track)
        else:
            places.append((order[sighting.track], holding.track))
    return out | _out_of_order(places)


def _out_of_order(places: list[tuple[int, int | None]]) -> set[int | None]:
    ranked = sorted(place for place, _ in places)
    return {track for (place, track), rank in zip(places, ranked, strict=True) if place != rank}


def _try_actions(
    game: AnyGame,
    node: Node,
    of: frozenset[int | None],
    evidence: Evidence,
    lying: ZoneContents,
    sieve: Sieve | None,
) -> Iterator[Tried]:
    """Yield legal next actions that the evidence supports.

    of: tracks with evidence. sieve: given at the last depth only."""
    state, expected, steps = node
    touched = sum(handling.track is not None for handling in expected.handled)
    actions = _seen_actions if steps else _first_actions
    for step, trace in actions(game, state, _Signs(expected, of, lying)):
        if any(expected.track(spot) not in of for spot in trace.handled):
            continue
        if touched + len(trace.handled) > len(of) + 1 or not _has_arrived(trace, expected, lying):
            continue
        if sieve is not None and not sieve.passes(trace.layout):
            continue
        after = carry(expected, trace)
        if any(hand_fit(handling, evidence) is FitGrade.NO for handling in after.handled[len(expected.handled) :]):
            continue
        yield Tried(node, step, trace, after)


def _apply_action(game: AnyGame, tried: Tried) -> Node:
    (state, _, steps), step = tried.node, tried.step
    return game.apply(state, step.seat, game.read(state, step.seat, step.words))[0], tried.after, (*steps, step)


def _has_arrived(trace: Trace, expected: Expectation, lying: ZoneContents) -> bool:
    """Return True if all that the action brings or turns may be in place; False for a peek at an untracked piece."""
    for move in trace.moves:
        new = move.source is None or move.source in trace.turned or expected.misses(move.source)
        if new and move.target is not None and not _may_lie(trace, move.target, lying):
            return False
    if any(expected.track(spot) is None for spot in trace.lifted):
        return False
    return bool(trace.moves) or all(_may_lie(trace, spot, lying) for spot in trace.turned if expected.misses(spot))


def _may_lie(trace: Trace, spot: Spot, lying: ZoneContents) -> bool:
    piece = trace.layout.at(spot)
    return piece is None or lying.may_be(spot.zone, piece)


@per_state
def _now(state: Any, game: AnyGame) -> tuple[tuple[ActionStep, Trace], ...]:
    return tuple(in_menus(_seen_actions(game, state, ANYTHING), _menu_key))


def _seen_actions(game: AnyGame, state: Any, glance: Prefilter) -> Iterator[tuple[ActionStep, Trace]]:
    for seat in sorted(game.actors(state)):
        if isinstance(game, Rules):
            yield from ((ActionStep(seat, words), trace) for words, trace in game.visible_actions(state, seat, glance))
            continue
        for words in sentences(game, state, seat):
            trace = game.trace(state, seat, game.read(state, seat, words))
            if not trace.declared:
                yield ActionStep(seat, words), trace


def _first_actions(game: AnyGame, state: Any, glance: Prefilter) -> Iterable[tuple[ActionStep, Trace]]:
    return _seen_actions(game, state, glance) if isinstance(game, Rules) else _now(state, game)


def _menu_key(found: Tried | tuple[ActionStep, Trace]) -> Words:
    step = found.step if isinstance(found, Tried) else found[0]
    return (step.seat, *step.words)
