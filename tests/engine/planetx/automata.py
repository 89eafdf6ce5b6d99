"""Players of Planet X for tests: random ones, and the automatic opponent in a player's own seat."""

from __future__ import annotations

from random import Random

import msgspec

from engine.catalogue import complete
from engine.planetx.match import State
from engine.planetx.opponent import decide, situation
from engine.table import Seat
from referee_simulator.conformance.playouts import draw_action
from tests.engine.planetx.tables import GAME, SPEC


class Success(msgspec.Struct, frozen=True):
    """A solo match: the time at which the opponent located Planet X (None: never), and how often it was wrong."""

    time: int | None
    failures: int


def solo(strength: str, mode: str, seed: int) -> tuple[State, list[tuple[Seat, tuple[str, ...]]]]:
    """A match against the opponent; the player surveys at random and submits nothing. The state and the lines."""
    rng = Random(seed)
    options = complete(SPEC.options, {"opponent": strength, "mode": mode, "level": "genius"})
    state, lines = GAME.setup(options, ("a",), seed), []
    while GAME.outcome(state) is None:
        verbs = {choice.word for choice in GAME.choices(state, "a")}
        words = ("pass",) if "pass" in verbs else _random_survey(rng, state)
        lines.append(("a", words))
        state, _ = GAME.apply(state, "a", GAME.read(state, "a", words))
    return state, lines


def _random_survey(rng: Random, state: State) -> tuple[str, ...]:
    words: tuple[str, ...] = ("survey",)
    while len(words) < 4:
        words = (*words, rng.choice(GAME.choices(state, "a", words)).word)
    return words


def success(state: State) -> Success:
    """What the opponent achieved before it was beaten."""
    located = [deed for deed in state.deeds if deed.seat == state.rules.opponent and deed.words == ("locate",)]
    times = [deed.time for deed in located if deed.success]
    return Success(times[0] if times else None, sum(not deed.success for deed in located))


def duel(first: str, second: str, mode: str, seed: int) -> frozenset[Seat]:
    """Two strengths against each other, at seats a and b: who won."""
    strengths = {"a": first, "b": second}
    state = GAME.setup(complete(SPEC.options, {"mode": mode, "level": "experienced"}), ("a", "b"), seed)
    while (result := GAME.outcome(state)) is None:
        seat = min(GAME.actors(state))
        action = decide(situation(state, seat), strengths[seat])
        assert GAME.judge(state, seat, action) == ()
        state, _ = GAME.apply(state, seat, action)
    return frozenset(result.winners)


def wins(stronger: str, weaker: str, mode: str, matches: int) -> tuple[int, int]:
    """Matches won by each, seats in turn."""
    won = [0, 0]
    for seed in range(matches):
        seats = (stronger, weaker) if seed % 2 else (weaker, stronger)
        for winner in duel(*seats, mode, seed):
            won[seats["ab".index(winner)] == weaker] += 1
    return won[0], won[1]


def random_match(mode: str, seats: tuple[Seat, ...], seed: int) -> tuple[State, list[tuple[Seat, tuple[str, ...]]]]:
    """A match at random from its set-up to its end: the last state and the lines."""
    rng = Random(seed)
    state, lines = GAME.setup(complete(SPEC.options, {"mode": mode}), seats, seed), []
    while GAME.outcome(state) is None:
        seat = rng.choice(sorted(GAME.actors(state)))
        words = draw_action(GAME, state, seat, rng)
        lines.append((seat, words))
        state, _ = GAME.apply(state, seat, GAME.read(state, seat, words))
    return state, lines
