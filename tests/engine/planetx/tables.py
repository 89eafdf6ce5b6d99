"""Matches of Planet X for tests: a known board, known pawns, and a line of notation at a time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from engine.catalogue import complete
from engine.errors import Illegal
from engine.game import OptionValue
from engine.planetx.draw import Drawn
from engine.planetx.facts import Fact
from engine.planetx.match import State, player_of, with_player
from engine.table import Seat
from engine.view import Event
from tests.engine.specs import game, spec

GAME = game("planetx")
SPEC = spec("planetx")

BOARD = "EGCXAAEGAACD"
"""The board of X81, with its facts."""
TOPICS = (
    Fact("some_adjacent", "A", "G", id="A"),
    Fact("none_within_self", "C", n=2, id="B"),
    Fact("every_within", "A", "C", 3, id="C"),
    Fact("some_opposite", "D", "A", id="D"),
    Fact("none_opposite", "G", "D", id="E"),
    Fact("some_adjacent", "C", "G", id="F"),
)
CONFERENCES = (Fact("x_within", "A", n=2, id="X1"),)


def start(seats: str = "ab", seed: int = 1, board: str | None = BOARD, **options: Any) -> State:
    """A match without starting facts unless asked for; its pawns stand in the order of `seats`."""
    given: Mapping[str, OptionValue] = {"level": "genius"} | options
    state: State = GAME.setup(complete(SPEC.options, given), tuple(seats), seed)
    for number, player in enumerate(state.players):
        state = with_player(state, replace(player, arrival=number))
    if board is None or state.rules.mode != "standard":
        return state
    return replace(state, game=known(state.game, board))


def known(drawn: Drawn, board: str) -> Drawn:
    """The game of X81, with another board if asked for."""
    return replace(drawn, board=board, topics=TOPICS, conferences=CONFERENCES)


def at(state: State, **times: int) -> State:
    """Pawns put on times, arriving in the order given; Earth's arrow points at the last one."""
    for seat, time in times.items():
        state = with_player(state, replace(player_of(state, seat), time=time, arrival=state.arrivals))
        state = replace(state, arrivals=state.arrivals + 1)
    return replace(state, arrow=min(player.time for player in state.players))


def say(state: State, line: str) -> tuple[State, tuple[Event, ...]]:
    """One legal line, such as "a: survey comet 2 5". Raises Illegal if it is not."""
    seat, _, words = line.partition(": ")
    action = GAME.read(state, seat, tuple(words.split()))
    violations = GAME.judge(state, seat, action)
    if violations:
        raise Illegal(violations)
    result: tuple[State, tuple[Event, ...]] = GAME.apply(state, seat, action)
    return result


def play(state: State, *lines: str) -> State:
    """Several legal lines."""
    for line in lines:
        state, _ = say(state, line)
    return state


def refused(state: State, line: str) -> tuple[str, ...]:
    """The clauses that a line breaks; () if it is legal."""
    seat, _, words = line.partition(": ")
    return tuple(b.clause for b in GAME.judge(state, seat, GAME.read(state, seat, tuple(words.split()))))


def told(events: tuple[Event, ...], seat: Seat | None) -> tuple[str, ...]:
    """What an audience hears."""
    return tuple(str(e.text) for e in events if e.audience is None or (seat is not None and seat in e.audience))


def pawn(state: State, seat: Seat) -> int:
    """The time at which a pawn stands."""
    return player_of(state, seat).time
