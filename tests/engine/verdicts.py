"""What the arbiter says when something is done at a table of some game: as it is seen, and as bad eyes would see it.

Deeds are drawn from what is legal and from what is not, in states that random play reaches; of each it is told what the
verdict is with ideal eyes, with doubtful ones, and after an order at the buttons.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from random import Random

from msgspec.structs import replace

from device.conformance.playouts import load, wander
from engine import match as matches
from engine.arbiter import Accept, Agree, Ask, Differs, Lost, Refuse, Step, Verdict, Wait, agreed, gather, judge
from engine.catalogue import AnyGame
from engine.entry import Act, Start
from engine.errors import Refusal
from engine.game import OptionValue, Words
from engine.grammar import sentences
from engine.match import Match
from engine.table import Observation, Order, Seat, Sight, Sighting, Touch, Trace
from tests.engine.ideal import IdealTable

ACTIONS, EVERY = 32, 8
"""Actions of a match, and which of them are looked at: one in so many."""

DEEDS = 3
"""Legal deeds of one state, and illegal ones."""

Eyes = Callable[[Random, Observation], Observation]


def verdicts(game: str, given: Mapping[str, OptionValue], seats: tuple[Seat, ...], seed: int) -> Iterator[str]:
    """Verdicts in the match that `seed` decides, line by line."""
    rules, options = load(game, given)
    rng, match = Random(seed), None
    for number in range(1, ACTIONS + 1):
        if match is None or match.result is not None:
            match = matches.begin(rules, Start(0.0, game, dict(options), seats, seed + number))
        seat = rng.choice(sorted(rules.actors(match.state)))
        words = wander(rules, match.state, seat, rng)
        match, _ = matches.advance(rules, match, Act(match.at, seat, words))
        match = replace(match, owed=None)
        if number % EVERY == 0 and match.result is None:
            yield f"after {number} actions"
            yield from (f"  {line}" for line in _state(rules, match, rng))


def _state(rules: AnyGame, match: Match, rng: Random) -> Iterator[str]:
    legal = [(seat, words, trace) for seat, words, trace in _legal(rules, match) if not trace.unseen]
    seen = [each for each in legal if not each[2].declared]
    for seat, words, trace in rng.sample(seen, min(DEEDS, len(seen))):
        yield f"{seat}: {' '.join(words)}"
        yield from _with_all_eyes(rules, match, trace, rng)
    attempts = list(rules.attempts(match.state))
    for attempt in rng.sample(attempts, min(DEEDS, len(attempts))):
        yield f"{attempt.kind} by {attempt.by}: {attempt.what or attempt.breaches[0].text}"
        yield from _with_all_eyes(rules, match, attempt.trace, rng)
    for seat, words, trace in rng.sample(legal, min(1, len(legal))):
        yield f"ordered by {seat}: {' '.join(words)}"
        yield from _ordered(rules, match, seat, words, trace, rng)


def _legal(rules: AnyGame, match: Match) -> Iterator[tuple[Seat, Words, Trace]]:
    for seat in sorted(rules.actors(match.state)):
        for words in list(sentences(rules, match.state, seat))[:60]:
            yield seat, words, rules.trace(match.state, seat, rules.read(match.state, seat, words))


def _with_all_eyes(rules: AnyGame, match: Match, trace: Trace, rng: Random) -> Iterator[str]:
    """The verdict on a deed: at once, too late, and with one pair of bad eyes."""
    table = IdealTable.of(rules.layout(match.state))
    watch = agreed(rules.layout(match.state), table.observe())
    table.perform(trace)
    done = table.observe(1.0)
    yield f"    at once: {_told(judge(rules, match, gather(watch, done)))}"
    name = rng.choice(sorted(EYES))
    seen = EYES[name](rng, done)
    yield f"    {name}: {_told(judge(rules, match, gather(watch, seen), overdue=True))}"


def _ordered(rules: AnyGame, match: Match, seat: Seat, words: Words, trace: Trace, rng: Random) -> Iterator[str]:
    """The verdicts on what is done after an order."""
    action = rules.read(match.state, seat, words)
    wrongly = list(rules.misexecutions(match.state, seat, action))
    others = [attempt.trace for attempt in rng.sample(wrongly, min(2, len(wrongly)))]
    try:
        ordered, _ = matches.advance(rules, match, Act(match.at, seat, words))
    except Refusal as refusal:
        yield f"    {refusal}"
        return
    for name, done in (("nothing", None), ("as ordered", trace), *(("otherwise", other) for other in others)):
        table = IdealTable.of(rules.layout(match.state))
        watch = agreed(rules.layout(match.state), table.observe())
        if done is not None:
            table.perform(done)
        seen = table.observe(1.0)
        yield f"    {name}: {_told(judge(rules, ordered, gather(watch, seen), overdue=done is not None))}"


def _told(verdict: Verdict) -> str:
    match verdict:
        case Agree():
            return "agree"
        case Accept(steps, settles):
            return f"accept{' the order' if settles else ''} {_steps(steps)}".strip()
        case Wait(text) | Lost(text):
            return f"{type(verdict).__name__.lower()}: {text}"
        case Ask(readings, settles):
            return f"ask{' for the order' if settles else ''}: " + " / ".join(_steps(r) or "nothing" for r in readings)
        case Refuse(kind, text, breaches, put_back, by, go_on):
            clauses = " ".join(breach.clause for breach in breaches)
            return f"refuse {kind} by {by}: {text} {clauses}; {' '.join(map(str, (*go_on, *put_back)))}".strip()
        case Differs(spot, kind, words, text):
            return f"differs {spot.zone} {spot.index} {kind} {words}: {text}"


def _steps(steps: tuple[Step, ...]) -> str:
    return ", ".join(f"{step.seat}: {' '.join(step.words)}" for step in steps)


# --- bad eyes


def _one(rng: Random, seen: Observation, change: Callable[[Sighting], Sighting | None]) -> Observation:
    """One sighting, other than it is."""
    places = [(z, i) for z, zone in enumerate(seen.zones) for i, s in enumerate(zone.pieces) if s is not None]
    z, i = rng.choice(places)
    zone = seen.zones[z]
    old = zone.pieces[i]
    assert old is not None
    new = change(old)
    gone = () if new is None and zone.order is not Order.CELLS else (new,)
    changed = replace(zone, pieces=(*zone.pieces[:i], *gone, *zone.pieces[i + 1 :]))
    return replace(seen, zones=(*seen.zones[:z], changed, *seen.zones[z + 1 :]))


def _covered(rng: Random, seen: Observation) -> Observation:
    return _one(rng, seen, lambda sighting: replace(sighting, sight=Sight.COVERED))


def _unknown(rng: Random, seen: Observation) -> Observation:
    return _one(rng, seen, lambda sighting: replace(sighting, kind=None, face=None, sight=Sight.UNKNOWN))


def _missing(rng: Random, seen: Observation) -> Observation:
    return _one(rng, seen, lambda _: None)


def _nobody(_rng: Random, seen: Observation) -> Observation:
    return replace(seen, hands=None, touched=tuple(replace(touch, hands=None) for touch in seen.touched))


def _untouched(_rng: Random, seen: Observation) -> Observation:
    return replace(seen, touched=())


def _doubtful(rng: Random, seen: Observation) -> Observation:
    other = next(s for zone in seen.zones for s in zone.pieces if s is not None)
    certainty = rng.choice((0.3, 0.6, 0.95))
    return replace(seen, touched=(*seen.touched, Touch(other.track, True, certainty, seen.hands)))


def _stray(rng: Random, seen: Observation) -> Observation:
    kind = rng.choice((None, "thing"))
    return replace(seen, strays=(Sighting(999, kind, None, Sight.SEEN, 1.0, 0.0, 0.0, 0.0),))


def _lost(_rng: Random, seen: Observation) -> Observation:
    hidden = frozenset(s.track for zone in seen.zones for s in zone.pieces if s is not None and s.kind is None)
    return replace(seen, lost=hidden)


EYES: Mapping[str, Eyes] = {
    "too late": lambda _rng, seen: seen,
    "one covered": _covered,
    "one unknown": _unknown,
    "one missing": _missing,
    "nobody seen": _nobody,
    "no touch seen": _untouched,
    "another touched": _doubtful,
    "something beside": _stray,
    "lost from sight": _lost,
}
