"""Positions and lines of play for the tests of Ready... Fence!."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from msgspec.structs import replace

from engine.catalogue import complete
from engine.errors import Refusal
from engine.fence import Fence
from engine.fence.bout import State, Turn, with_fencer
from engine.fence.cards import Weapon
from engine.fence.table import Fencer
from engine.game import OptionValue
from engine.table import Seat
from tests.engine.specs import game, spec

SPEC = spec("fence")


@cache
def rules() -> Fence:
    found = game("fence")
    assert isinstance(found, Fence)
    return found


FREE: Mapping[str, OptionValue] = {"both_actions": False, "must_answer": False, "tosses": "referee"}
"""Rulings with which few lines lead to a position. The tests of F22, F60 and F101 say what the rulebook has instead."""


def usual() -> Mapping[str, OptionValue]:
    """The options of a match that nobody chose otherwise."""
    return complete(SPEC.options, {})


def fresh(seed: int = 0, seats: tuple[Seat, ...] = ("a", "b"), **given: Any) -> State:
    """A match at its beginning; seat a starts unless told otherwise."""
    options: Mapping[str, OptionValue] = {**FREE, "starter": seats[0], **given}
    return rules().setup(complete(SPEC.options, options), seats, seed)


def bout(gap: int = 1, weapons: str = "line line", points: tuple[int, int] = (6, 6), **given: Any) -> State:
    """Seat a's turn at a distance, with the weapons of a and b and their stamina; hands are taken."""
    state = replace(fresh(**given), phase=Turn())
    left = 5 - gap // 2
    green, red = (Weapon(word) for word in weapons.split())
    return replace(
        state,
        fencers=(
            replace(state.fencers[0], square=left, weapon=green, stamina=points[0]),
            replace(state.fencers[1], square=left + gap + 1, weapon=red, stamina=points[1]),
        ),
    )


def having(state: State, side: int, **fields: Any) -> State:
    """The state with other values of one fencer."""
    fencer: Fencer = replace(state.fencers[side], **fields)
    return with_fencer(state, side, fencer)


def timer(state: State, count: int) -> State:
    """The state with so many timer cards; the others are set aside."""
    piles = state.piles
    return replace(state, piles=replace(piles, timer=count, aside=piles.aside + piles.timer - count))


def parsed(line: str) -> tuple[Seat, tuple[str, ...]]:
    seat, _, rest = line.partition(": ")
    return seat, tuple(rest.split())


def play(state: State, *lines: str) -> State:
    """The state after some lines of a record. Each must be legal."""
    for line in lines:
        state = step(state, line)[0]
    return state


def step(state: State, line: str) -> tuple[State, tuple[str, ...]]:
    """The state after one line, and the sentences told to everybody."""
    seat, words = parsed(line)
    action = rules().read(state, seat, words)
    assert rules().judge(state, seat, action) == (), (line, rules().judge(state, seat, action))
    after, events = rules().apply(state, seat, action)
    assert all(event.audience is None for event in events)
    return after, tuple(str(event.text) for event in events)


def broken(state: State, line: str) -> tuple[str, ...]:
    """The clauses that a line breaks."""
    seat, words = parsed(line)
    return tuple(breach.clause for breach in rules().judge(state, seat, rules().read(state, seat, words)))


def sentence(state: State, line: str) -> str:
    """What is said against a line first."""
    seat, words = parsed(line)
    return str(rules().judge(state, seat, rules().read(state, seat, words))[0].text)


def legal(state: State, line: str) -> bool:
    return broken(state, line) == ()


def refused(state: State, line: str) -> str:
    """The kind of refusal of a line that cannot be read."""
    seat, words = parsed(line)
    try:
        action = rules().read(state, seat, words)
    except Refusal as refusal:
        return refusal.kind
    raise AssertionError(f"{line} was read as {action}")


def menu(state: State, seat: Seat, *prefix: str) -> set[str]:
    """The words that may come next."""
    return {choice.word for choice in rules().choices(state, seat, prefix)}


def scores(state: State) -> tuple[int, int]:
    return (state.fencers[0].score, state.fencers[1].score)


def squares(state: State) -> tuple[int, int]:
    return (state.fencers[0].square, state.fencers[1].square)


def stamina(state: State) -> tuple[int, int]:
    return (state.fencers[0].stamina, state.fencers[1].stamina)


def hands(state: State) -> tuple[int, int]:
    return (state.fencers[0].hand, state.fencers[1].hand)
