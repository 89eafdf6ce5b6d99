"""What is said against the words and the actions of an astronomer, word for word, in every phase."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from msgspec.structs import replace

from engine.planetx.ending import EndPhase, Over
from engine.planetx.match import Phase, State, player_of, with_player
from engine.planetx.opening import Typing
from engine.planetx.theories import Placing, Pledging
from tests.engine.planetx.tables import GAME, play, start
from tests.engine.said import said_against


def but(**changes: Any) -> State:
    """A match at its beginning, but seat a is otherwise."""
    return with_player(start(), replace(player_of(start(), "a"), **changes))


def then(phase: Phase, state: State | None = None) -> State:
    return replace(state or start(), phase=phase)


POSITIONS: Mapping[str, Callable[[], State]] = {
    "start": start,
    "no targets": lambda: but(targets=0),
    "researched": lambda: but(last="research"),
    "located": lambda: but(located=True),
    "pledging": lambda: then(Pledging()),
    "placing": lambda: then(Placing((("a", 1),))),
    "poor": lambda: then(Placing((("a", 1),)), but(tokens={})),
    "poor pledge": lambda: then(Pledging(), but(tokens={})),
    "ending": lambda: then(EndPhase((("a", 0),), begun=True)),
    "over": lambda: then(Over()),
    "choosing": lambda: start(level="each"),
    "typing": lambda: then(Typing()),
    "marks": lambda: play(start(marks=True), "a: mark 3 is comet"),
    "app": lambda: start(app_only=True),
    "held": lambda: play(start(app_only=True), "a: conference X1"),
}

NO_PHASE = "No theory phase or last move now: survey, target, research or locate."
SAID = [
    ("start", "a: survey planet 1 2", ["X31 Planet X cannot be surveyed: it counts as empty."]),
    ("start", "a: survey comet 1 4", ["X32 A survey for comets begins and ends in one of the sectors 2, 3, 5, 7, 11."]),
    ("start", "a: survey gas 5 9", ["X31 A survey covers visible sectors in a row. You can see 1 to 6."]),
    ("start", "a: survey gas 1 7", ["X31 A survey covers visible sectors in a row. You can see 1 to 6."]),
    ("start", "a: target 9", ["X33 Only a visible sector can be targeted. You can see 1 to 6."]),
    ("start", "a: locate 4 planet comet", ["X36 Planet X cannot be its own neighbour."]),
    ("start", "a: locate 4 comet planet", ["X36 Planet X cannot be its own neighbour."]),
    ("start", "a: mark 3 is comet", ["X37 Marks are switched off."]),
    ("start", "a: unmark", ["X37 There is no mark to take back."]),
    ("start", "a: theories 1", [f"X20 {NO_PHASE}"]),
    ("start", "a: submit 3 comet", [f"X20 {NO_PHASE}"]),
    ("start", "a: review 3 comet", [f"X20 {NO_PHASE}"]),
    ("start", "a: reveal", [f"X20 {NO_PHASE}"]),
    ("start", "a: conference X1", [f"X20 {NO_PHASE}"]),
    ("start", "a: level youth", [f"X20 {NO_PHASE}"]),
    ("start", "a: code A A A A A", [f"X20 {NO_PHASE}"]),
    ("start", "b: target 1", ["X20 It is not the turn of B."]),
    ("start", "a: pass", [f"X20 {NO_PHASE}"]),
    (
        "start",
        "a: dance",
        [
            "invalid dance is not an action. Actions: survey, target, research, locate, theories, submit, pass, level,"
            " code, conference, review, reveal, mark, unmark."
        ],
    ),
    ("start", "a: survey", ["ambiguous survey needs 3 words after it."]),
    ("start", "a: survey comet 1 2 3", ["invalid survey takes at most 3 words."]),
    ("start", "a: target", ["ambiguous target needs 1 word after it."]),
    ("start", "a: target 1 2", ["invalid target takes at most 1 word."]),
    ("start", "a: survey comet 0 2", ["invalid 0 is not a sector: they go from 1 to 12."]),
    ("start", "a: survey comet 13 2", ["invalid 13 is not a sector: they go from 1 to 12."]),
    ("start", "a: survey comet ½ 2", ["invalid ½ is not a sector: they go from 1 to 12."]),
    ("start", "a: survey moon 1 2", ["invalid moon is not an object. Objects: asteroid, comet, dwarf, empty, gas."]),
    ("start", "a: research Z", ["invalid Z is not known here. Known: R1, R2, R3, R4, R5, R6."]),
    ("start", "a: level hard", ["invalid hard is not known here. Known: youth, beginner, experienced, genius."]),
    ("start", "a: mark 3 maybe comet", ["invalid maybe is not known here. Known: is, not."]),
    ("start", "a: theories x", ["invalid x is not a number of theories."]),
    ("start", "a: theories 100", ["invalid 100 is not a number of theories."]),
    ("start", "a: code A", ["ambiguous X12 A game code has 5 letters."]),
    (
        "start",
        "a: code B A A A A",
        ["invalid X12 BAAAA is not a game code: write A, then 4 of the letters ACEFHJKLMNPRTWXY."],
    ),
    ("start", "a: code AAAA", ["ambiguous X12 A game code has 5 letters."]),
    ("start", "a: conference X9", ["invalid X9 is not known here. Known: X1."]),
    ("no targets", "a: target 1", ["X33 All targets have been used."]),
    (
        "no targets",
        "a: target 9",
        ["X33 Only a visible sector can be targeted. You can see 1 to 6.", "X33 All targets have been used."],
    ),
    ("researched", "a: research R1", ["X34 Research cannot follow research: choose another action first."]),
    ("located", "a: locate 4 comet asteroid", ["X35 You have located Planet X already."]),
    ("pledging", "a: theories 3", ["X50 At most 1 theory in a theory phase."]),
    ("pledging", "a: theories 9", ["X50 At most 1 theory in a theory phase."]),
    ("pledging", "a: survey comet 2 3", ["X50 This is a theory phase: announce how many theories you submit."]),
    ("pledging", "a: locate 1 comet comet", ["X50 This is a theory phase: announce how many theories you submit."]),
    ("pledging", "a: submit 1 comet", ["X50 This is a theory phase: announce how many theories you submit."]),
    ("placing", "a: pass", ["X51 You announced a theory: place it."]),
    ("placing", "b: submit 1 comet", ["X51 It is not the turn of B."]),
    ("placing", "a: submit 1 empty", ["X10 You have no such token left: empty."]),
    ("placing", "a: submit 1 planet", ["X10 You have no such token left: Planet X."]),
    ("placing", "a: target 1", ["X51 This is a theory phase: place the theory that you announced."]),
    ("poor", "a: submit 1 comet", ["X10 You have no such token left: comet."]),
    ("poor pledge", "a: theories 1", ["X51 You can't place that many theories."]),
    ("ending", "a: locate 4 comet asteroid", ["X60 The last move is Locate or theories, not both."]),
    ("ending", "a: submit 3 comet", ["X60 You are too close behind to place a last theory."]),
    ("ending", "a: survey comet 2 3", ["X60 This is your last move: Locate, theories or pass."]),
    ("ending", "b: pass", ["X60 It is not the turn of B."]),
    ("over", "a: target 1", ["X62 The match is over."]),
    ("choosing", "a: target 1", ["X13 Everybody chooses starting facts first."]),
    ("typing", "a: target 1", ["X12 First the game's code is typed."]),
    ("marks", "a: mark 3 is comet", ["X37 That is marked already."]),
    ("marks", "b: unmark", ["X20 It is not the turn of B."]),
    ("app", "a: review 3 empty", ["X10 There are no theories of that kind: empty."]),
    ("app", "a: review 3 planet", ["X10 There are no theories of that kind: Planet X."]),
    ("app", "a: reveal", ["X62 Everything is revealed once Planet X is located."]),
    ("app", "a: survey gas 1 9", ["X31 A survey covers visible sectors in a row. At most 6 sectors."]),
    ("app", "a: survey planet 1 2", ["X31 Planet X cannot be surveyed: it counts as empty."]),
    ("app", "a: theories 1", [f"X30 {NO_PHASE}"]),
    ("app", "a: level youth", [f"X30 {NO_PHASE}"]),
    ("held", "b: conference X1", ["X25 Conference X1 has been held."]),
]


@pytest.mark.parametrize(("position", "line", "said"), SAID)
def test_what_is_said_against_words_and_actions(position: str, line: str, said: list[str]) -> None:
    assert said_against(GAME, POSITIONS[position](), line) == said


LEGAL = [
    ("start", "a: TARGET 1"),
    ("start", "a: Survey COMET 2 5"),
    ("start", "a: survey gas 1 6"),
    ("pledging", "a: theories 0"),
    ("pledging", "b: theories 1"),
    ("placing", "a: submit 12 comet"),
    ("ending", "a: pass"),
    ("choosing", "b: level GENIUS"),
    ("marks", "a: mark 3 not comet"),
    ("marks", "a: unmark"),
    ("app", "b: survey gas 11 4"),
]


@pytest.mark.parametrize(("position", "line"), LEGAL)
def test_what_is_just_allowed(position: str, line: str) -> None:
    state = POSITIONS[position]()
    seat, _, words = line.partition(": ")
    assert GAME.judge(state, seat, GAME.read(state, seat, tuple(words.split()))) == ()


NEIGHBOURS = [("1", 12, 2), ("5", 4, 6), ("12", 11, 1)]


@pytest.mark.parametrize(("sector", "before", "after"), NEIGHBOURS)
def test_who_locates_is_asked_for_both_neighbours(sector: str, before: int, after: int) -> None:
    first = [str(choice.text) for choice in GAME.choices(start(), "a", ("locate", sector))]
    second = [str(choice.text) for choice in GAME.choices(start(), "a", ("locate", sector, "comet"))]
    objects = ("asteroid", "comet", "dwarf planet", "empty", "gas cloud")
    assert first == [f"sector {before}: {name}" for name in objects]
    assert second == [f"sector {after}: {name}" for name in objects]
