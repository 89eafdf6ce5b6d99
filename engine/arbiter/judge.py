"""From an observation to a verdict. Never a guess: a wrong verdict is worse than a question (law 4)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from engine.arbiter.compare import SURE, SUSPECT, Fit, compare, perhaps_taken, sieve
from engine.arbiter.difference import differs
from engine.arbiter.expectation import Expectation, carry
from engine.arbiter.likeliest import likeliest_first
from engine.arbiter.nearly import nearly
from engine.arbiter.repair import repairs
from engine.arbiter.search import Reading, beginnings, displaced, near_readings, readings, untouched
from engine.arbiter.verdict import Accept, Agree, Ask, Lost, Refuse, Verdict, Wait
from engine.arbiter.watch import Watch, paired, sight_of
from engine.catalogue import AnyGame
from engine.game import Attempt
from engine.match import Match, Owed
from engine.table import Face, Health, Observation, Order, Sight
from engine.text import Text, say

_UNCLEAR = say("Not everything is clearly seen.")


def judge(game: AnyGame, match: Match, watch: Watch, observation: Observation, *, overdue: bool = False) -> Verdict:
    """The verdict on the table at rest.

    watch: all evidence since the table last agreed, this observation's included (`watch.gather`).
    overdue: `settle_s` has passed since then, or somebody pressed: an unfinished action is not waited for any longer.
    """
    if observation.health is not Health.OK:
        return Wait(say("The camera cannot see the table."))
    verdict = _judged(game, match, watch, observation, overdue=overdue)
    if not isinstance(verdict, Ask):
        return verdict
    return Ask(likeliest_first(game, match.state, verdict.readings, observation), verdict.settles)


def _judged(game: AnyGame, match: Match, watch: Watch, observation: Observation, *, overdue: bool) -> Verdict:
    if match.owed is not None:
        return _owed(game, match, watch, observation, overdue=overdue)
    idle = compare(watch.base, watch, observation)
    if idle is Fit.FULL:
        return Agree()
    found = readings(game, match.state, watch.base, watch, observation) if match.result is None else ()
    return _choose(game, match, watch, observation, found, idle=idle, overdue=overdue)


def _owed(game: AnyGame, match: Match, watch: Watch, observation: Observation, *, overdue: bool) -> Verdict:
    """An order stands: it must be carried out before anything else counts."""
    assert match.owed is not None
    done = carry(watch.base, match.owed.trace)
    fit = compare(done, watch, observation)
    if fit is Fit.FULL:
        return Accept((), settles=True)
    if compare(watch.base, watch, observation) is Fit.FULL and (fit is Fit.NO or watch.hands == frozenset()):
        return Wait(say("Still to be carried out."))
    if fit is Fit.WEAK:  # where what was to be changed is not recognised, somebody's hand was there
        return Ask(((),), settles=True)
    other = differs(game, match.owed, done, watch, observation)
    return other or _otherwise(game, match, done, watch, observation, overdue=overdue)


def _otherwise(
    game: AnyGame, match: Match, done: Expectation, watch: Watch, observation: Observation, *, overdue: bool
) -> Verdict:
    """Neither done nor left alone: the order and more, a part of it, or something else."""
    assert match.owed is not None
    follow = tuple(r for r in readings(game, match.state, done, watch, observation) if r.fit is Fit.FULL)
    tried = _misdone(game, match.owed, watch, observation)
    if match.result is None and len(follow) == 1 and not _plainer(tried, follow[0]):
        return Accept(follow[0].steps, settles=True)
    handled = {handling.track for handling in done.handled}
    partly = displaced(watch, observation) <= handled
    if partly and not overdue and untouched(watch.base, match.owed.trace, observation):
        return Wait(say("Not finished yet."))
    put_back = repairs(done, observation)
    if tried is not None:
        return _refusal(tried, put_back)
    if any(_nothing_against(each, watch, observation) for each in (watch.base, done)):
        return Ask(((),), settles=True) if overdue else Wait(_UNCLEAR)
    return Refuse("not as ordered", say("This is not what was ordered."), put_back=put_back)


def _misdone(game: AnyGame, owed: Owed, watch: Watch, observation: Observation) -> Attempt | None:
    """What was done instead of what was ordered, if it can be told."""
    action, passes = game.read(owed.state, owed.seat, owed.words), sieve(watch, observation)
    every = game.misexecutions(owed.state, owed.seat, action)
    return next((a for a in every if passes(a.trace.layout) and _proved(a, watch, observation)), None)


def _proved(attempt: Attempt, watch: Watch, observation: Observation) -> bool:
    """Whether this is exactly what was seen, and whatever left the table was seen to be taken: vision may miss it."""
    taken = {watch.base.track(move.source) for move in attempt.trace.moves if move.source and move.target is None}
    if taken - {touch.track for touch in watch.touches if touch.certainty >= SURE}:
        return False
    return compare(carry(watch.base, attempt.trace), watch, observation) is Fit.FULL


def _choose(
    game: AnyGame,
    match: Match,
    watch: Watch,
    observation: Observation,
    found: tuple[Reading, ...],
    *,
    idle: Fit,
    overdue: bool,
) -> Verdict:
    sure = _simplest(r for r in found if r.fit is Fit.FULL)
    tried = next(_attempted(game, match, watch, observation), None) if not sure or len(sure[0].steps) > 1 else None
    if sure and not _plainer(tried, sure[0]):
        return Accept(sure[0].steps) if len(sure) == 1 else Ask(tuple(r.steps for r in sure))
    begun = match.result is None and bool(beginnings(game, match.state, watch.base, watch, observation))
    if idle is Fit.NO and begun and not overdue:
        return Wait(say("Not finished yet."))
    if tried is not None:
        put_back = repairs(watch.base, observation)
        return _refusal(tried, put_back)
    weak = _simplest(r for r in found if r.fit is Fit.WEAK)
    if idle is Fit.WEAK:
        return _doubt(weak, watch, observation, overdue=overdue)
    if weak:
        return Ask(tuple(r.steps for r in weak))
    return _unclear(game, match, watch, observation, overdue=overdue) or _unexplained(watch, observation, begun=begun)


def _unclear(game: AnyGame, match: Match, watch: Watch, observation: Observation, *, overdue: bool) -> Verdict | None:
    """What to do if nothing that is plainly seen speaks against something, though not all of it is in sight.

    Whoever looks again may see it; later the players are asked. None if the table is plainly not as it should be.
    """
    idle = ((),) if _nothing_against(watch.base, watch, observation) else ()
    playing = match.result is None
    found = near_readings(game, match.state, watch.base, watch, observation) if playing else ()
    if not idle and not found:
        return None
    return Ask((*idle, *found)) if overdue else Wait(_UNCLEAR)


def _nothing_against(expected: Expectation, watch: Watch, observation: Observation) -> bool:
    """Whether nothing that is plainly seen lies otherwise. Something hidden may have been taken up and put back, too:
    where all else is in sight, that alone is plain enough."""
    if nearly(expected, watch, observation, dimly=True):
        return True
    handled = {handling.track for handling in expected.handled}
    lying = replace(watch, touches=tuple(touch for touch in watch.touches if touch.track in handled))
    return compare(expected, lying, observation) is Fit.NO and nearly(expected, lying, observation, dimly=True)


def _refusal(attempt: Attempt, put_back: tuple[Text, ...]) -> Refuse:
    """Nobody is named for what any hand could have done."""
    by = attempt.by if attempt.trace.hands else None
    return Refuse(attempt.kind, attempt.what or attempt.breaches[0].text, attempt.breaches, put_back, by)


def _unexplained(watch: Watch, observation: Observation, *, begun: bool) -> Refuse:
    put_back = repairs(watch.base, observation)
    if begun:
        return Refuse("unfinished", say("Not finished: go on, or put it back."), put_back=put_back)
    return Refuse("unexplained", say("The table is not as it should be."), put_back=put_back)


def _doubt(weak: tuple[Reading, ...], watch: Watch, observation: Observation, *, overdue: bool) -> Verdict:
    """The table looks as it did, but something hidden was touched or lost from sight."""
    if weak:
        return Ask(((), *(r.steps for r in weak)))
    if _replaced(watch, observation):
        return Ask(((),)) if overdue else Wait(_UNCLEAR)
    piled = {s.track for zone in observation.zones if zone.order is Order.PILE for s in zone.pieces if s is not None}
    if (watch.lost | observation.lost) - piled:  # which back lies on a pile is never known
        return Lost(say("Hidden pieces may have changed places. If they did, put them back or correct it."))
    return Agree()


def _replaced(watch: Watch, observation: Observation) -> bool:
    """Whether a piece that lay face up was taken, or something was laid in its place, that cannot be told; or whether a
    hand may have taken it from under what hides its place, or brought another back to the top of a pile.
    """
    handled = {touch.track for touch in watch.touches if touch.lifted and touch.certainty >= SURE}
    turned = {touch.track for touch in watch.touches if touch.lifted and touch.certainty >= SUSPECT and touch.hands}
    for name, order, holdings in watch.base.zones:
        pieces = tuple(holding.piece if holding else None for holding in holdings)
        seen = paired(pieces, sight_of(observation, name, order), tuple(h.track if h else None for h in holdings))
        for holding, sighting in zip(holdings, seen, strict=True):
            if holding is None or sighting is None:
                continue
            if perhaps_taken(holding, sighting, watch):
                return True
            if sighting.track == holding.track:
                continue
            told = sighting.sight is Sight.SEEN or holding.piece.face is Face.DOWN
            piled = order is Order.PILE and holding.hidden
            if {sighting.track, holding.track} & (turned if piled else handled) and (piled or not told):
                return True
    return False


def _simplest(found: Iterable[Reading]) -> tuple[Reading, ...]:
    """The readings that need the least handling: nobody lifts a stone for nothing."""
    every = tuple(found)
    least = min((reading.handled for reading in every), default=0)
    return tuple(reading for reading in every if reading.handled == least)


def _plainer(tried: Attempt | None, reading: Reading) -> bool:
    """One wrong action is likelier than several right ones in a row that handle more pieces: nobody does so for it."""
    return tried is not None and len(tried.trace.handled) < reading.handled


def _attempted(game: AnyGame, match: Match, watch: Watch, observation: Observation) -> Iterator[Attempt]:
    """Illegal actions that are exactly what was seen. One that only might be is never held against anybody."""
    if match.result is not None:
        return
    passes = sieve(watch, observation)
    for attempt in game.attempts(match.state):
        if passes(attempt.trace.layout) and _proved(attempt, watch, observation):
            yield attempt
