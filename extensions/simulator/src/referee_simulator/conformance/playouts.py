"""Plays matches at random."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

import msgspec

from device.games import game, spec
from engine.catalogue import AnyGame, complete
from engine.errors import RefereeError
from engine.game import Options, OptionValue, Words
from engine.table import Seat
from engine.view import Event, View, heard_by
from referee_simulator.players.random_play import sentence


class Stuck(RefereeError, RuntimeError):
    """A match goes on although nobody can act."""


@dataclass(frozen=True)
class Step:
    """An action with the state before it. match: seed. number: from 1."""

    state: Any
    seat: Seat
    words: Words
    match: int = 0
    number: int = 0

    def __str__(self) -> str:
        return f"match {self.match}, action {self.number} ({self.seat}: {' '.join(self.words)})"


@dataclass(frozen=True)
class Playout:
    seed: int
    steps: tuple[Step, ...]
    last: Any

    @property
    def states(self) -> tuple[Any, ...]:
        return (*(step.state for step in self.steps), self.last)


def load(name: str, given: Mapping[str, OptionValue]) -> tuple[AnyGame, Options]:
    found = spec(name)
    return game(found), complete(found.options, given)


def draw_action(rules: AnyGame, state: Any, seat: Seat, rng: Random, seldom: frozenset[str] = frozenset()) -> Words:
    """Draw an action; one with a word of `seldom` is redrawn nine times in ten. Raises Stuck if none is legal."""
    while True:
        words = sentence(rules, state, seat, rng.randrange)
        if not words:
            raise Stuck(f"{seat} may act, and no action of it is legal")
        if seldom.isdisjoint(words) or rng.random() < 0.1:
            return words


def playout(
    rules: AnyGame,
    options: Options,
    seats: tuple[Seat, ...],
    seed: int,
    cap: int,
    seldom: frozenset[str] = frozenset(),
) -> Playout:
    rng = Random(seed)
    state = rules.setup(options, seats, seed)
    steps: list[Step] = []
    while rules.outcome(state) is None and len(steps) < cap:
        actors = sorted(rules.actors(state))
        if not actors:
            raise Stuck(f"match {seed} goes on after {len(steps)} actions, and nobody may act")
        seat = rng.choice(actors)
        words = draw_action(rules, state, seat, rng, seldom)
        steps.append(Step(state, seat, words, seed, len(steps) + 1))
        state, _ = rules.apply(state, seat, rules.read(state, seat, words))
    return Playout(seed, tuple(steps), state)


def encode_value(value: Any) -> bytes:
    return msgspec.json.encode(value, order="deterministic")


def visible(events: tuple[Event, ...], seat: Seat | None) -> tuple[Event, ...]:
    """Return an audience's events."""
    return tuple(event for event in events if heard_by(event.audience, seat))


def sentences_of(view: View) -> tuple[str, ...]:
    """Return a view's English texts."""
    texts = [getattr(panel, "text", None) or getattr(panel, "label", None) for panel in view.panels]
    return tuple(str(text) for text in (*texts, view.prompt) if text is not None)
