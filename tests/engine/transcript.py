"""Some play of a game at random, and at each step all that the game says: told, shown, offered, refused, suspected.

It is text, so that whoever changes a game can read what else has changed with it. Long lists stand as how many
there are and a sum over them, as in perft.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Iterable, Iterator, Mapping
from random import Random
from typing import Any
from zlib import crc32

import msgspec

from device.conformance.playouts import load, packed, wander
from engine.catalogue import AnyGame
from engine.errors import Ambiguous, Breach, Invalid
from engine.game import Attempt, Choice, OptionValue, Words
from engine.grammar import sentences
from engine.table import Seat, Spot
from engine.text import Text
from engine.view import Event, Outcome, View

STEPS, EVERY = 60, 10
"""Actions of a transcript, and which of them are looked at closely: one in so many."""

Audience = Seat | None


def transcript(game: str, given: Mapping[str, OptionValue], seats: tuple[Seat, ...], seed: int) -> Iterator[str]:
    """The matches that `seed` decides, line by line: when one has ended another begins."""
    rules, options = load(game, given)
    yield f"{game} {' '.join(seats)}: {json.dumps(dict(given))}"
    yield from (f"  {line}" for page in rules.reference(options) for line in page)
    left = STEPS
    while left > 0:
        yield f"seed {seed}"
        left -= yield from _match(rules, rules.setup(options, seats, seed), seats, Random(seed), left)
        seed += 1


def _match(rules: AnyGame, state: Any, seats: tuple[Seat, ...], rng: Random, most: int) -> Generator[str, None, int]:
    """One match, of at most so many actions; returns how many they were."""
    shown: dict[Audience, frozenset[str]] = dict.fromkeys((None, *seats), frozenset())
    said: list[Words] = []
    while rules.outcome(state) is None and len(said) < most:
        if len(said) % EVERY == 0:
            yield from _shown(rules, state, shown)
            yield from _possible(rules, state, seats, said)
            yield from _given_up(rules, state, rng.choice(seats))
            yield from _corrected(rules, state, rng)
        seat = rng.choice(sorted(rules.actors(state)))
        said.append(wander(rules, state, seat, rng))
        state = yield from _acted(rules, state, seat, said[-1])
    yield from _shown(rules, state, shown)
    yield from _outcome(rules.outcome(state))
    return len(said)


def _acted(rules: AnyGame, state: Any, seat: Seat, words: Words) -> Generator[str, None, Any]:
    """One action; returns the state after it."""
    action = rules.read(state, seat, words)
    yield f"{seat}: {' '.join(words)}"
    yield f"    trace {_sum([rules.trace(state, seat, action)])}"
    yield from (f"    wrongly {line}" for line in _attempts(list(rules.misexecutions(state, seat, action))))
    after, events = rules.apply(state, seat, action)
    yield from map(_event, events)
    return after


def _shown(rules: AnyGame, state: Any, before: dict[Audience, frozenset[str]]) -> Iterator[str]:
    """What an audience sees now and did not see when it was last asked."""
    yield f"    table {_sum(rules.layout(state).zones)}"
    new: dict[str, list[str]] = {}
    for audience, known in before.items():
        now = tuple(_view(rules.view(state, audience)))
        for line in now:
            if line not in known:
                new.setdefault(line, []).append(audience or "all")
        before[audience] = frozenset(now)
    yield from (f"    {' '.join(audiences)} | {line}" for line, audiences in new.items())


def _view(view: View) -> Iterator[str]:
    for name, fact in view.facts.items():
        yield from _fact(name, fact)
    for panel in view.panels:
        values = (_plain(value) for value in msgspec.structs.astuple(panel))
        yield f"<{type(panel).__name__.lower()} {' '.join(filter(None, values))}>"
    yield f"> {view.prompt}"


def _fact(name: str, fact: Any) -> Iterator[str]:
    """A fact in lines that are not too long, so that only the part that changed is told again."""
    whole = packed(fact).decode()
    if len(whole) < 100 or not isinstance(fact, dict | list | tuple):
        yield f"{name} {whole}"
        return
    for key, part in sorted(fact.items()) if isinstance(fact, dict) else enumerate(fact, 1):
        yield from _fact(f"{name}.{key}", part)


def _plain(value: Any) -> str:
    match value:
        case bool():
            return "strong" if value else ""
        case Text() | str() | int():
            return str(value)
        case frozenset():
            return " ".join(map(_plain, sorted(value)))
        case tuple():
            return " ".join(_plain(part) or "·" for part in value)
    return "-"


def _possible(rules: AnyGame, state: Any, seats: Iterable[Seat], said: list[Words]) -> Iterator[str]:
    """What may be done, what is refused, what a hand could do all the same, and what may be corrected."""
    for seat in sorted(rules.actors(state)):
        yield f"    {seat} may {', '.join(_choice(choice) for choice in rules.choices(state, seat))}"
        legal = list(sentences(rules, state, seat))
        traces = [rules.trace(state, seat, rules.read(state, seat, words)) for words in legal[:40]]
        yield f"    {seat} may {_sum(legal)}, seen as {_sum(traces)}, menus {_sum(_menus(rules, state, seat))}"
    refused = {line for seat in seats for words in said[-6:] for line in _refusal(rules, state, seat, words)}
    yield from (f"    not {line}" for line in sorted(refused))
    yield from (f"    suspected {line}" for line in _attempts(list(rules.attempts(state))))
    yield f"    corrections {_sum(_corrections(rules, state))}"


def _choice(choice: Choice) -> str:
    return f"{choice.word} ({choice.text})" + ("" if choice.final else " ...") + ("!" if choice.costs else "")


def _menus(rules: AnyGame, state: Any, seat: Seat) -> Iterator[tuple[Choice, ...]]:
    """Two levels of menus."""
    for choice in rules.choices(state, seat):
        yield rules.choices(state, seat, (choice.word,))


def _corrections(rules: AnyGame, state: Any) -> Iterator[tuple[Choice, ...]]:
    first = rules.corrections(state)
    yield first
    for choice in first:
        yield rules.corrections(state, (choice.word,))


def _refusal(rules: AnyGame, state: Any, seat: Seat, words: Words) -> Iterator[str]:
    try:
        breaches = rules.judge(state, seat, rules.read(state, seat, words))
    except (Invalid, Ambiguous) as refusal:
        yield f"{seat}: {' '.join(words)}: {refusal.kind} {' '.join(refusal.clauses)} {refusal}"
    else:
        if breaches:
            yield f"{seat}: {' '.join(words)}: {_breaches(breaches)}"


def _breaches(breaches: Iterable[Breach]) -> str:
    return " ".join(f"{breach.clause} {breach.text}" for breach in breaches)


def _attempts(attempts: list[Attempt]) -> Iterator[str]:
    """One of each kind, and a sum over all."""
    kinds: dict[str, Attempt] = {}
    for attempt in attempts:
        kinds.setdefault(attempt.kind, attempt)
    for attempt in kinds.values():
        what = f" ({attempt.what})" if attempt.what else ""
        yield f"{attempt.kind}: {attempt.by}: {' '.join(attempt.words) or '-'}{what}: {_breaches(attempt.breaches)}"
    if attempts:
        yield _sum(attempts)


def _given_up(rules: AnyGame, state: Any, seat: Seat) -> Iterator[str]:
    after, events = rules.resign(state, seat)
    yield from (f"    if {seat} gave up: {_event(event).strip()}" for event in events)
    yield from (f"    if {seat} gave up: {line.strip()}" for line in _outcome(rules.outcome(after)))


def _corrected(rules: AnyGame, state: Any, rng: Random) -> Iterator[str]:
    """A correction at random, and what the referee would make of pieces that were named to it."""
    words: Words = ()
    done = False
    while not done:
        chosen = rng.choice(rules.corrections(state, words))
        words, done = (*words, chosen.word), chosen.final
    after, events = rules.correct(state, words)
    yield from (f"    if corrected {' '.join(words)}: {_event(event).strip()}" for event in events)
    views = [rules.view(after, seat) for seat in (None, *sorted(rules.actors(after)))]
    yield f"    if corrected {_sum([rules.layout(after), *views])}"
    zones = rules.layout(state).zones
    kinds = sorted({piece.kind for zone in zones for piece in zone.pieces if piece is not None and piece.kind})
    spots = [Spot(z.zone, i) for z in zones for i, p in enumerate(z.pieces) if p is not None and p.kind is None]
    yield f"    named {_sum([rules.identify(state, spot, kind) for spot in spots[:6] for kind in kinds[:6]])}"


def _event(event: Event) -> str:
    audience = "all" if event.audience is None else " ".join(sorted(event.audience)) or "nobody"
    return f"  {audience}: {event.text}" + (" (revealed)" if event.reveals else "")


def _outcome(outcome: Outcome | None) -> Iterator[str]:
    if outcome is not None:
        yield f"  won by {' '.join(sorted(outcome.winners)) or 'nobody'}: {outcome.text}"


def _sum(values: Iterable[Any]) -> str:
    """How many values, and a number that changes if one of them does."""
    encoded = [packed(value) for value in values]
    return f"{len(encoded)} {crc32(b' '.join(encoded)):08x}"
