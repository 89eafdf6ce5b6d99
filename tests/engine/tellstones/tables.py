"""Positions and lines of play for the tests of Tellstones."""

from __future__ import annotations

from typing import Any

from engine.errors import Refusal
from engine.game import OptionValue
from engine.table import Face, Seat
from engine.tellstones import create
from engine.tellstones.line import KINDS, Stone, StoneSet
from engine.tellstones.match import Ordering, Rulings, State
from referee_simulator.conformance.playouts import load

GAME = create({})
DUEL: tuple[Seat, ...] = ("a", "b")
TEAMS: tuple[Seat, ...] = ("a", "b", "c", "d")


def fresh(seats: tuple[Seat, ...] = DUEL, seed: int = 0, **given: OptionValue) -> State:
    """A match at its beginning, with the options of the catalogue."""
    return GAME.setup(load("tellstones", given)[1], seats, seed)


def mat(line: str, left: int = 0) -> StoneSet:
    """A mat from its Line: "crown sword* flag" has the Sword face down."""
    stones = tuple(Stone(word.rstrip("*"), Face.DOWN if "*" in word else Face.UP) for word in line.split())
    used = {stone.kind for stone in stones}
    return StoneSet(stones, tuple(sorted(kind for kind in KINDS if kind not in used)), left)


def lying(*lines: str, seats: tuple[Seat, ...] = DUEL, rules: Rulings | None = None, **fields: Any) -> State:
    """A position: seat a's turn 9, nobody has scored, unless `fields` say otherwise."""
    base: dict[str, Any] = {"score": (0, 0), "turn": 9, "active": "a", "scored": (0, 0), "phase": Ordering()}
    mats = tuple(mat(line) for line in lines)
    return State(rules=rules or Rulings(), seats=seats, mats=mats, **(base | fields))


def play(state: State, *lines: str) -> State:
    """The state after some lines of a record. Each must be legal."""
    for line in lines:
        state = step(state, line)[0]
    return state


def step(state: State, line: str) -> tuple[State, tuple[str, ...]]:
    """The state after one line, and the sentences told to everybody."""
    seat, words = parsed(line)
    action = GAME.read(state, seat, words)
    assert GAME.judge(state, seat, action) == (), line
    after, events = GAME.apply(state, seat, action)
    assert all(event.audience is None for event in events)
    return after, tuple(str(event.text) for event in events)


def parsed(line: str) -> tuple[Seat, tuple[str, ...]]:
    seat, _, rest = line.partition(": ")
    return seat, tuple(rest.split())


def broken(state: State, line: str) -> tuple[str, ...]:
    """The clauses that a line breaks."""
    seat, words = parsed(line)
    return tuple(breach.clause for breach in GAME.judge(state, seat, GAME.read(state, seat, words)))


def refused(state: State, line: str) -> str:
    """The kind of refusal of a line that cannot be read."""
    seat, words = parsed(line)
    try:
        action = GAME.read(state, seat, words)
    except Refusal as refusal:
        return refusal.kind
    raise AssertionError(f"{line} was read as {action}")


def row(state: State, number: int = 0) -> str:
    """A Line as `mat` writes it."""
    return " ".join(stone.kind + "*" * stone.down for stone in state.mats[number].line)


def verbs(state: State, seat: Seat) -> set[str]:
    """The actions that a seat may begin."""
    return {choice.word for choice in GAME.choices(state, seat)}
