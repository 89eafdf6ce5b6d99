"""Ways to play a game for its checks, and random matches."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from importlib import import_module
from random import Random
from typing import Any

import msgspec

from device.games import game as made
from device.games import importing, spec
from device.resources import clauses_of
from device.session.match_start import fitting
from device.session.table import KnownGame
from engine.catalogue import GameSpec
from engine.errors import Ambiguous, Invalid
from engine.game import OptionValue, Words
from engine.grammar import sentences
from engine.table import SEATS, Seat, Trace
from referee_simulator.conformance.playouts import Step, load, playout
from vision.files import read_text

Twin = Callable[[Random, Any, "Seat | None"], Any]
"""Returns a state that differs only in what a seat (None: everybody) must not know; the same state without secrets."""


class Way(msgspec.Struct, frozen=True):
    """A way to play a game.

    matches: random ones, of at most `cap` actions
    ends: False if random play may not end
    seldom: words that end a match early, mostly redrawn
    twin: for games with secrets
    pairs: twins to compare
    sampled: states for expensive checks
    lookalikes: sets of verbs whose actions may share a trace undeclared"""

    options: Mapping[str, OptionValue] = {}
    seats: tuple[Seat, ...] = ("a", "b")
    matches: int = 20
    cap: int = 400
    ends: bool = True
    seldom: frozenset[str] = frozenset()
    twin: Twin | None = None
    pairs: int = 1000
    sampled: int = 60
    lookalikes: frozenset[frozenset[str]] = frozenset()

    def __str__(self) -> str:
        options = "".join(f", {name}={value}" for name, value in self.options.items())
        return f"seats {' '.join(self.seats)}{options}"


def ways(game: GameSpec) -> tuple[Way, ...]:
    """Return the game's own ways (`conformance`), else one per table and number of seats. Raises BadFile if not
    importable, AttributeError if absent, Invalid if no option allows so many seats."""
    if game.conformance is not None:
        module, _, name = game.conformance.partition(":")
        with importing(game):
            named: tuple[Way, ...] = getattr(import_module(module), name)
            return tuple(named)
    tables = [({**table.when, **game.random_play}, count) for table in game.tables for count in table.seats]
    found: dict[tuple[object, ...], Way] = {}
    known = KnownGame(game, made(game))
    for options, count in tables:
        way = Way(
            fitting(known, options, count), SEATS[:count], matches=5, cap=3000, sampled=20, ends=bool(game.random_play)
        )
        found.setdefault((count, *sorted(options.items())), way)
    return tuple(found.values())


class Play:
    """A game with options and random matches."""

    def __init__(self, game: str, way: Way) -> None:
        self.way, self.seats = way, way.seats
        self.spec = spec(game)
        self.rules, self.options = load(game, way.options)
        self.playouts = tuple(
            playout(self.rules, self.options, way.seats, seed, way.cap, way.seldom) for seed in range(way.matches)
        )
        self.steps = tuple(step for each in self.playouts for step in each.steps)
        self.corpus = tuple(sorted({step.words for step in self.steps}))

    @cached_property
    def clauses(self) -> frozenset[str] | None:
        """Clause ids of the game's rules; None if they are absent."""
        path = clauses_of(self.spec.name)
        if path is None:
            return None
        return frozenset(re.findall(r"^\s*- ([A-Z]\d+[a-z]?)\b", read_text(path), re.MULTILINE))

    def unknown(self, clauses: Iterator[str]) -> list[str]:
        """Return clauses missing in the rules, or without rules those of a wrong form."""
        if self.clauses is None:
            pattern = re.compile(rf"{self.spec.clause_letter}\d+[a-z]?")
            return sorted({clause for clause in clauses if not pattern.fullmatch(clause)})
        return sorted(set(clauses) - self.clauses)

    def sample(self, count: int, seed: int = 0) -> tuple[Step, ...]:
        return tuple(Random(seed).sample(self.steps, min(count, len(self.steps))))

    def legal(self, state: Any, seat: Seat) -> dict[Words, Any]:
        return {words: self.rules.read(state, seat, words) for words in sentences(self.rules, state, seat)}

    def traces(self, state: Any) -> Iterator[tuple[Seat, Words, Trace]]:
        for seat in sorted(self.rules.actors(state)):
            for words, action in self.legal(state, seat).items():
                yield seat, words, self.rules.trace(state, seat, action)

    def read_words(self, state: Any, seat: Seat, words: Words) -> Any:
        try:
            return self.rules.read(state, seat, words)
        except (Invalid, Ambiguous):
            return None

    def corrects(self) -> bool:
        return any(self.rules.corrections(step.state) for step in self.sample(10))

    def pairs(self, share: int = 1) -> Iterator[tuple[Step, Seat | None, Any, Random]]:
        """Yield `way.pairs // share` random steps, each with an audience, a twin of its state, and the dice."""
        twin = self.way.twin or (lambda _rng, state, _seat: state)
        rng = Random(self.way.pairs)
        for _ in range(self.way.pairs // share):
            for _ in range(60 if self.way.twin else 1):
                step, seat = rng.choice(self.steps), rng.choice((*self.seats, None))
                other = twin(rng, step.state, seat)
                if other != step.state:
                    break
            yield step, seat, other, rng
