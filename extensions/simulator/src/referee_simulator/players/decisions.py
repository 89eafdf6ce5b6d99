"""Chooses a simulated player's next deed: an honest action or a cheat."""

from __future__ import annotations

import random
from collections.abc import Iterable

import msgspec

from engine.catalogue import AnyGame
from engine.game import Attempt, Words
from engine.grammar import sentences
from engine.table import SEATS, Seat, Trace
from referee_simulator.hands.scripts import Script
from referee_simulator.judge.evidence import Evidence, evidence, is_play, legal_traces
from referee_simulator.players.improvised import Mischief
from referee_simulator.players.random_play import sentence
from referee_simulator.table.holding import Holding

HASTE = 0.25
"""Probability of accepting a drawn action of one word, such as a boast."""

TRIES = 40

HONEST = "honest"


class Intent(msgspec.Struct, frozen=True):
    """Something a player does.

    kind: "honest", or the cheat's name
    words: the order at the buttons, made only if `ordered`
    trace: the hands' work; None for nothing
    evidence: of a cheat
    scripts: special movements
    brought: cards laid face down"""

    kind: str
    by: Seat
    words: Words
    ordered: bool
    trace: Trace | None
    evidence: Evidence = Evidence.NONE
    scripts: tuple[Script, ...] = ()
    brought: tuple[str, ...] = ()

    @property
    def honest(self) -> bool:
        return self.kind == HONEST

    @property
    def visible(self) -> bool:
        return self.evidence is not Evidence.NONE


def honest(
    game: AnyGame, state: object, rng: random.Random, press_rate: float, holding: Holding | None = None
) -> Intent:
    seats, words = sorted(game.actors(state)), None
    while words is None:  # who may act but need not can lack the cards
        if not seats:
            raise ValueError("nobody can do anything with the cards that they hold")
        seat = rng.choice(seats)
        seats.remove(seat)
        words = _sentence(game, state, seat, rng) if holding is None else _draw_real(game, state, seat, rng, holding)
    trace = game.trace(state, seat, game.read(state, seat, words))
    ordered = trace.declared or trace.unseen or rng.random() < press_rate
    brought = () if holding is None else holding.cards_laid_down(state, seat, words, rng.random())
    return Intent(HONEST, seat, words, ordered, None if trace.unseen else trace, brought=brought)


def cheat(
    game: AnyGame,
    state: object,
    planned: Intent,
    rng: random.Random,
    holding: Holding | None = None,
) -> Intent | None:
    """Draw a cheat with cards that the seat holds, or None. Half the time a planned order is carried out wrongly."""
    action, every = game.read(state, planned.by, planned.words), frozenset(SEATS)
    if planned.ordered and planned.trace is not None and rng.random() < 0.5:
        wrong = _any_kind(_possible(game.misexecutions(state, planned.by, action), holding), rng)
        if wrong is not None:
            proof = evidence(wrong.trace, game.layout(state), (planned.trace,), every)
            return Intent(wrong.kind, planned.by, planned.words, True, wrong.trace, proof, brought=planned.brought)
    attempt = _any_kind((a for a in _possible(game.attempts(state), holding) if not a.trace.unseen), rng)
    if attempt is None:
        return None
    proof = evidence(attempt.trace, game.layout(state), legal_traces(game, state), every)
    return Intent(attempt.kind, attempt.by, attempt.words, False, attempt.trace, proof)


def improvise_cheat(
    game: AnyGame, state: object, seat: Seat, trick: Mischief, seats: tuple[Seat, ...]
) -> Intent | None:
    """Return an improvised act as a cheat; None if the rules allow it."""
    if is_play(game, state, trick.trace):
        return None
    proof = evidence(trick.trace, game.layout(state), legal_traces(game, state), frozenset(seats))
    return Intent(trick.kind, seat, (), False, trick.trace, proof, trick.scripts)


def _possible(attempts: Iterable[Attempt], holding: Holding | None) -> Iterable[Attempt]:
    return (a for a in attempts if holding is None or holding.has(a.by, a.trace))


def _any_kind(attempts: Iterable[Attempt], rng: random.Random) -> Attempt | None:
    kinds: dict[str, list[Attempt]] = {}
    for attempt in attempts:
        kinds.setdefault(attempt.kind, []).append(attempt)
    return rng.choice(kinds[rng.choice(sorted(kinds))]) if kinds else None


def _draw_real(game: AnyGame, state: object, seat: Seat, rng: random.Random, holding: Holding) -> Words | None:
    for _ in range(TRIES):
        if (real := holding.real(state, seat, _sentence(game, state, seat, rng))) is not None:
            return real
    every = list(sentences(game, state, seat))
    rng.shuffle(every)
    found = (holding.real(state, seat, words) for words in every)
    return next((real for real in found if real is not None), None)


def _sentence(game: AnyGame, state: object, seat: Seat, rng: random.Random) -> Words:
    """Draw a legal action, mostly not of one word. Raises ValueError if there is none."""
    while True:
        words = sentence(game, state, seat, rng.randrange)
        if not words:
            raise ValueError(f"seat {seat} may act, and no action of it is legal")
        if len(words) > 1 or rng.random() < HASTE:
            return words
