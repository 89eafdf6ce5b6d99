"""Undo goes back at most to the last entry that revealed something to somebody (X30, X37, X50; design law 2)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from engine import match as matches
from engine.catalogue import complete
from engine.entry import Act, Start, Undo
from engine.errors import Invalid
from engine.match import Match
from engine.planetx.match import State, Theory
from engine.planetx.theories import Pledging, review
from tests.engine.planetx.tables import GAME, SPEC, at, play, say, start


def begun(**options: bool | str) -> Match:
    given = dict(complete(SPEC.options, {"level": "genius", **options}))
    return matches.begin(GAME, Start(0.0, "planetx", given, ("a", "b"), 1))


def act(match: Match, seat: str, line: str) -> Match:
    return matches.advance(GAME, match, Act(match.at, seat, tuple(line.split())))[0]


def undone(match: Match) -> State:
    state = matches.advance(GAME, match, Undo(match.at, "a"))[0].state
    assert isinstance(state, State)
    return state


@pytest.mark.clause("X30", "X37")
@pytest.mark.parametrize("line", ["survey gas 1 3", "target 3", "research R1", "locate 3 gas gas"])
def test_an_answer_cannot_be_taken_back(line: str) -> None:
    match = begun()
    seat = min(GAME.actors(match.state))
    with pytest.raises(Invalid, match="nothing to take back"):
        undone(act(match, seat, line))


@pytest.mark.clause("X13")
def test_starting_facts_cannot_be_forgotten() -> None:
    with pytest.raises(Invalid, match="nothing to take back"):
        undone(act(begun(level="each"), "a", "level youth"))


@pytest.mark.clause("X50")
def test_a_choice_can_be_taken_back_until_all_are_shown() -> None:
    match = begun()
    phase = replace(match, state=replace(match.state, phase=Pledging(), theory_phase=1))
    one = act(phase, "a", "theories 1")
    assert undone(one) == phase.state
    both = act(one, "b", "pass")
    with pytest.raises(Invalid, match="nothing to take back"):
        undone(both)
    placed = act(both, "a", "submit 3 gas")
    assert undone(placed) == both.state


@pytest.mark.clause("X37")
def test_marks_are_taken_back_by_their_player_alone() -> None:
    """Nobody hears of a mark, so the table's undo passes it by."""
    match = begun(marks=True)
    seat = min(GAME.actors(match.state))
    marked = act(match, seat, "mark 3 is gas")
    assert marked.past == match.past == ()
    assert act(marked, seat, "unmark").state == match.state


@pytest.mark.clause("X25", "X54", "X62")
def test_what_everybody_hears_is_marked_as_revealed() -> None:
    app = start("ab", app_only=True)
    assert all(event.reveals for event in say(app, "a: conference X1")[1])
    assert all(event.reveals for event in say(app, "a: review 3 comet")[1])
    assert all(event.reveals for event in say(play(app, "a: locate 4 comet asteroid"), "a: reveal")[1])
    state = replace(start("ab"), theories=(Theory("a", 3, "C", 1, age=2),))
    assert all(event.reveals for event in review(state)[1])


@pytest.mark.clause("X71")
def test_what_the_opponent_does_cannot_be_taken_back() -> None:
    state, heard = at(start("a", opponent="novice"), b=1, a=0), []
    for line in ("a: target 3", "a: pass", "a: survey gas 5 8"):
        state, events = say(state, line)
        heard += [event for event in events if str(event.text).startswith("B ")]
    assert heard
    assert all(event.reveals and event.audience is None for event in heard)
