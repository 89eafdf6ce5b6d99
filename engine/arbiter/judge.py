"""Verdicts from evidence, never a guess: a wrong verdict is worse than a question (law 4)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from engine.arbiter.compare import FitGrade, Sieve, compare, perhaps_taken
from engine.arbiter.evidence import SURE, SUSPECT, Evidence, pair_sightings, sight_of
from engine.arbiter.expectation import Expectation, carry
from engine.arbiter.repair import is_part, repairs, to_go_on
from engine.arbiter.search import (
    Reading,
    Search,
    beginnings,
    displaced_tracks,
    is_begun,
    is_untouched,
    near_readings,
    readings,
)
from engine.arbiter.verdict import Accept, Agree, Ask, Differs, Lost, Refuse, Verdict, Wait, likeliest_first
from engine.catalogue import AnyGame
from engine.game import Attempt
from engine.match import Match, PendingOrder
from engine.table import Arrangement, Face, Health, Piece, Sight, Spot, Trace
from engine.text import Text, say

_UNCLEAR = say("The camera can't see everything clearly.")

_TOO_MUCH = say("Too much changed at once to tell what was done.")
"""Sentence after an incomplete search, which proves nothing against anybody."""


def judge(game: AnyGame, match: Match, evidence: Evidence, *, overdue: bool = False) -> Verdict:
    """Return the verdict on the table at rest. overdue: stop waiting for unfinished actions."""
    if evidence.seen.health is not Health.OK:
        return Wait(say("The camera cannot see the table."))
    verdict = _judge_evidence(game, match, evidence, overdue=overdue)
    if not isinstance(verdict, Ask):
        return verdict
    return Ask(likeliest_first(game, match.state, verdict.readings, evidence.seen), verdict.settles)


def _judge_evidence(game: AnyGame, match: Match, evidence: Evidence, *, overdue: bool) -> Verdict:
    if match.pending is not None:
        return _judge_pending(game, match, evidence, overdue=overdue)
    idle = compare(evidence.base, evidence)
    if idle is FitGrade.FULL:
        return Agree()
    search = readings(game, match.state, evidence.base, evidence) if match.result is None else Search()
    return _choose(game, match, evidence, search, idle=idle, overdue=overdue)


# --- with an order, which comes first (law 4: a piece's face is the truth)


def _judge_pending(game: AnyGame, match: Match, evidence: Evidence, *, overdue: bool) -> Verdict:
    assert match.pending is not None
    done = carry(evidence.base, match.pending.trace)
    fit = compare(done, evidence)
    if fit is FitGrade.FULL:
        return Accept((), settles=True)
    if compare(evidence.base, evidence) is FitGrade.FULL and (fit is FitGrade.NO or evidence.hands == frozenset()):
        return Wait(say("This move is not made yet."))
    if fit is FitGrade.WEAK:  # what was to be changed is not recognised: a hand was there
        return Ask(((),), settles=True)
    other = _differs(game, match.pending, done, evidence)
    return other or _otherwise(game, match, done, evidence, overdue=overdue)


def _otherwise(game: AnyGame, match: Match, done: Expectation, evidence: Evidence, *, overdue: bool) -> Verdict:
    assert match.pending is not None
    search = readings(game, match.state, done, evidence)
    follow = tuple(r for r in search.found if r.fit is FitGrade.FULL)
    tried = _misdone(game, match.pending, evidence) if search.whole else None
    if match.result is None and len(follow) == 1 and not _plainer(tried, follow[0]):
        return Accept(follow[0].steps, settles=True)
    handled = {handling.track for handling in done.handled}
    partly = displaced_tracks(evidence) <= handled
    if partly and not overdue and is_untouched(match.pending.trace, evidence):
        return Wait(say("Not finished yet."))
    part = partly and (tried is None or is_part(tried.trace, match.pending.trace))
    missing = to_go_on((match.pending.trace,), evidence) if part else ()
    put_back = () if missing else repairs(done, evidence.seen)
    if tried is not None:
        return replace(_refusal(tried, put_back), go_on=missing)
    if any(_nothing_against(each, evidence) for each in (evidence.base, done)):
        return Ask(((),), settles=True) if overdue else Wait(_UNCLEAR)
    if missing:
        return Refuse("unfinished", say("Not finished yet: complete the move."), go_on=missing)
    said = say("This is a different move.") if search.whole else _TOO_MUCH
    return Refuse("not as ordered", said, put_back=put_back)


def _misdone(game: AnyGame, pending: PendingOrder, evidence: Evidence) -> Attempt | None:
    action, sieve = game.read(pending.state, pending.seat, pending.words), Sieve(evidence)
    every = game.misexecutions(pending.state, pending.seat, action)
    return next((a for a in every if sieve.passes(a.trace.layout) and _is_proved(a, evidence)), None)


def _is_proved(attempt: Attempt, evidence: Evidence) -> bool:
    """Return True for a full fit in which every removed piece was surely touched."""
    taken = {evidence.base.track(move.source) for move in attempt.trace.moves if move.source and move.target is None}
    if taken - {touch.track for touch in evidence.touches if touch.certainty >= SURE}:
        return False
    return compare(carry(evidence.base, attempt.trace), evidence) is FitGrade.FULL


def _differs(game: AnyGame, pending: PendingOrder, done: Expectation, evidence: Evidence) -> Differs | None:
    turned = {spot for spot in pending.trace.turned if _is_hidden(pending, spot)}
    for name, order, holdings in done.zones:
        pieces = tuple(holding.piece if holding else None for holding in holdings)
        seen = pair_sightings(pieces, sight_of(evidence.seen, name, order))
        for index, (holding, sighting) in enumerate(zip(holdings, seen, strict=True)):
            spot = Spot(name, index)
            if spot not in turned or holding is None or sighting is None or sighting.sight is not Sight.SEEN:
                continue
            if sighting.face is not Face.UP or sighting.kind is None or sighting.kind == holding.piece.kind:
                continue
            if compare(_with(done, spot, sighting.kind), evidence) is FitGrade.FULL:
                return _of_another_kind(game, pending, spot, sighting.kind)
    return None


def _is_hidden(pending: PendingOrder, spot: Spot) -> bool:
    piece = pending.before.at(spot)
    return piece is not None and piece.face is Face.DOWN


def _with(expected: Expectation, spot: Spot, kind: str) -> Expectation:
    zones = tuple(
        (
            name,
            order,
            tuple(replace(h, piece=Piece(kind)) if h and Spot(name, i) == spot else h for i, h in enumerate(zone)),
        )
        for name, order, zone in expected.zones
    )
    return replace(expected, zones=zones)


def _of_another_kind(game: AnyGame, pending: PendingOrder, spot: Spot, kind: str) -> Differs:
    text = say(
        "{place}: it's {piece}, not what the referee expected.",
        piece=Text(kind),
        place=pending.before.zone(spot.zone).place(spot.index),
    )
    return Differs(spot, kind, game.identify(pending.state, spot, kind), text)


# --- without one


def _choose(
    game: AnyGame, match: Match, evidence: Evidence, search: Search, *, idle: FitGrade, overdue: bool
) -> Verdict:
    found, sure = search.found, _simplest(r for r in search.found if r.fit is FitGrade.FULL)
    asked = search.whole and (not sure or len(sure[0].steps) > 1)
    tried = next(_attempts_seen(game, match, evidence), None) if asked else None
    if sure and not _plainer(tried, sure[0]):
        return Accept(sure[0].steps) if len(sure) == 1 else Ask(tuple(r.steps for r in sure))
    begun: tuple[Trace, ...] = ()
    if match.result is None:
        if overdue or idle is not FitGrade.NO:
            begun = beginnings(game, match.state, evidence)
        elif is_begun(game, match.state, evidence):
            return Wait(say("Not finished yet."))
    if tried is not None:
        whole = tuple(trace for trace in begun if is_part(tried.trace, trace))
        return replace(_refusal(tried, repairs(evidence.base, evidence.seen)), go_on=to_go_on(whole, evidence))
    weak = _likely(r for r in found if r.fit is FitGrade.WEAK)
    if idle is FitGrade.WEAK:
        return _doubt(weak, evidence, overdue=overdue)
    if weak:
        return Ask(tuple(r.steps for r in weak))
    return _unclear(game, match, evidence, overdue=overdue) or _refuse_unexplained(evidence, begun, search)


def _unclear(game: AnyGame, match: Match, evidence: Evidence, *, overdue: bool) -> Verdict | None:
    idle = ((),) if _nothing_against(evidence.base, evidence) else ()
    found = near_readings(game, match.state, evidence) if match.result is None else ()
    if not idle and not found:
        return None
    return Ask((*idle, *found)) if overdue else Wait(_UNCLEAR)


def _nothing_against(expected: Expectation, evidence: Evidence) -> bool:
    """Return True if nothing seen contradicts the expectation. Other touches contradict it only if everything is in
    sight."""
    if compare(expected, evidence, loosely=True) is not FitGrade.NO:
        return True
    handled = {handling.track for handling in expected.handled}
    lying = replace(evidence, touches=tuple(touch for touch in evidence.touches if touch.track in handled))
    return compare(expected, lying) is FitGrade.NO and compare(expected, lying, loosely=True) is not FitGrade.NO


def _refusal(attempt: Attempt, put_back: tuple[Text, ...]) -> Refuse:
    by = attempt.by if attempt.trace.hands else None
    return Refuse(attempt.kind, attempt.what or attempt.violations[0].text, attempt.violations, put_back, by)


def _refuse_unexplained(evidence: Evidence, begun: tuple[Trace, ...], search: Search) -> Refuse:
    put_back = repairs(evidence.base, evidence.seen)
    if not search.whole:
        return Refuse("unexplained", _TOO_MUCH, put_back=put_back)
    if begun:
        missing = to_go_on(begun, evidence)
        return Refuse(
            "unfinished", say("Not finished yet: complete the move, or put it back."), put_back=put_back, go_on=missing
        )
    return Refuse("unexplained", say("The table doesn't match the game."), put_back=put_back)


def _doubt(weak: tuple[Reading, ...], evidence: Evidence, *, overdue: bool) -> Verdict:
    if weak:
        return Ask(((), *(r.steps for r in weak)))
    if _is_replaced(evidence):
        return Ask(((),)) if overdue else Wait(_UNCLEAR)
    seen = evidence.seen
    piled = {s.track for zone in seen.zones if zone.order is Arrangement.PILE for s in zone.pieces if s is not None}
    if (evidence.lost | seen.lost) - piled:  # which back lies on a pile is never known
        return Lost(say("Hidden pieces may have been swapped. If so, put them back or correct it."))
    if _perhaps_looked_at(evidence) - piled:
        return Ask(((),)) if overdue else Wait(_UNCLEAR)
    return Agree()


def _perhaps_looked_at(evidence: Evidence) -> frozenset[int]:
    touches = (touch for touch in evidence.touches if touch.lifted and SUSPECT <= touch.certainty < SURE)
    return frozenset(t.track for t in touches if t.hands != frozenset() and t.track in evidence.hidden_tracks())


def _is_replaced(evidence: Evidence) -> bool:
    touches = evidence.touches
    handled = {touch.track for touch in touches if touch.lifted and touch.certainty >= SURE}
    turned = {touch.track for touch in touches if touch.lifted and touch.certainty >= SUSPECT and touch.hands}
    for name, order, holdings in evidence.base.zones:
        pieces = tuple(holding.piece if holding else None for holding in holdings)
        tracks = tuple(holding.track if holding else None for holding in holdings)
        seen = pair_sightings(pieces, sight_of(evidence.seen, name, order), tracks)
        for holding, sighting in zip(holdings, seen, strict=True):
            if holding is None or sighting is None:
                continue
            if perhaps_taken(holding, sighting, evidence):
                return True
            if sighting.track == holding.track:
                continue
            told = sighting.sight is Sight.SEEN or holding.piece.face is Face.DOWN
            piled = order is Arrangement.PILE and holding.hidden
            if {sighting.track, holding.track} & (turned if piled else handled) and (piled or not told):
                return True
    return False


def _simplest(found: Iterable[Reading]) -> tuple[Reading, ...]:
    every = tuple(found)
    least = min((reading.handled for reading in every), default=0)
    return tuple(reading for reading in every if reading.handled == least)


def _likely(weak: Iterable[Reading]) -> tuple[Reading, ...]:
    every = tuple(weak)
    least = min((reading.unseen for reading in every), default=0)
    simplest = _simplest(every)
    return tuple(reading for reading in every if reading.unseen == least or reading in simplest)


def _plainer(tried: Attempt | None, reading: Reading) -> bool:
    return tried is not None and len(tried.trace.handled) < reading.handled


def _attempts_seen(game: AnyGame, match: Match, evidence: Evidence) -> Iterator[Attempt]:
    if match.result is not None:
        return
    sieve = Sieve(evidence, game.layout(match.state))
    for attempt in game.attempts(match.state, sieve):
        if sieve.passes(attempt.trace.layout) and _is_proved(attempt, evidence):
            yield attempt
