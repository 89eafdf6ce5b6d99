"""What is said against words and actions in every phase, word for word."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from engine.tellstones.line import At
from engine.tellstones.match import State
from engine.tellstones.opening import OpeningPhase
from engine.tellstones.peek import Peeking
from tests.engine.said import said_against
from tests.engine.tellstones.tables import GAME, TEAMS, lying, play

LINE = "crown sword* flag scales*"
POSITIONS: Mapping[str, Callable[[], State]] = {
    "duel": lambda: lying(LINE),
    "one": lambda: lying("crown"),
    "teams": lambda: lying(LINE, seats=TEAMS),
    "lines": lambda: lying("crown* flag", "crown* sword"),
    "opening": lambda: lying("", phase=OpeningPhase()),
    "full": lambda: lying("crown flag hammer knight scales shield sword"),
    "peeked": lambda: lying("crown* sword* flag* scales", phase=Peeking((At(0, 0),), 2)),
    "challenged": lambda: play(lying(LINE), "a: challenge 2"),
    "boasted": lambda: play(lying(LINE), "a: boast"),
    "taken over": lambda: play(lying(LINE), "a: boast", "b: takeover"),
    "proving": lambda: play(lying(LINE), "a: boast", "b: prove"),
}
VERBS = "place, hide, swap, peek, stop, challenge, boast, names, believe, prove, takeover, first, starts"
STONES = "crown, shield, sword, flag, knight, hammer, scales"
SAID: list[tuple[str, str, list[str]]] = [
    ("duel", "a: stop", ["T11 You can't pass: choose one of the six actions."]),
    ("duel", "a: believe", ["T42 There is no boast to answer."]),
    ("duel", "a: prove", ["T42 There is no boast to answer."]),
    ("duel", "a: takeover", ["T42 There is no boast to answer."]),
    ("duel", "a: first crown", ["T7 The first stone is already placed."]),
    ("duel", "a: names crown", ["T52 Nobody asked you to name a stone."]),
    ("duel", "b: hide crown", ["T9 It's A's turn."]),
    ("duel", "a: peek 1", ["T29 Stone 1 does not lie face down on the Line."]),
    ("duel", "a: peek b 2", ["T29 B may not look at stones for you."]),
    ("duel", "a: peek a b 2", ["invalid Too many words: 2"]),
    ("duel", "a: peek", ["ambiguous Which stone? Say its name or its place."]),
    ("duel", "a: swap 1 1", ["T24 Two different stones are swapped."]),
    ("duel", "a: swap knight 1", ["T28 Knight is in the Pool: only stones on the Line are swapped."]),
    ("duel", "a: swap 1", ["ambiguous Which two stones are swapped?"]),
    ("duel", "a: swap 1 9", ["invalid There is no place 9: the Line has 4 stones."]),
    ("duel", "a: swap 1 2 3", ["invalid Too many words: 3"]),
    ("duel", "a: hide", ["ambiguous Which stone? Say its name or its place."]),
    ("duel", "a: hide 2", ["T20 Stone 2 does not lie face up on the Line."]),
    ("duel", "a: hide knight", ["T20 Knight does not lie face up on the Line."]),
    ("duel", "a: hide sword", ["T20 Sword does not lie face up on the Line."]),
    ("duel", "a: challenge 1", ["T34 Stone 1 does not lie face down on the Line."]),
    ("duel", "a: challenge crown", ["T34 Stone 1 does not lie face down on the Line."]),
    ("duel", "a: challenge", ["ambiguous Which stone? Say its name or its place."]),
    ("duel", "a: challenge sword", ["ambiguous The Sword lies face down: say a place instead."]),
    ("duel", "a: place knight", ["ambiguous At which end: left or right?"]),
    ("duel", "a: place", ["ambiguous Which stone is placed?"]),
    ("duel", "a: place left", ["ambiguous Which stone is placed?"]),
    ("duel", "a: place knight middle", [f"invalid There is no stone middle. Stones: {STONES}"]),
    ("duel", "a: place knight flag left", ["invalid Too many words: left"]),
    ("duel", "a: place crown left", ["T14 Crown is not in the Pool."]),
    ("duel", "a: place knight 2", ["T16 A stone goes to an end of the Line, never between two stones."]),
    ("duel", "a: place knight left right", ["invalid Too many words: right"]),
    ("duel", "a: names", ["ambiguous Which of the seven names?"]),
    ("duel", "a: names 2 1", ["invalid One stone is named at a time: 2 1"]),
    ("duel", "a: names 1 crown flag", ["invalid Too many words: flag"]),
    ("duel", "a: names moon", ["invalid moon is neither a stone nor a place."]),
    ("duel", "a: 3", [f"invalid There is no action 3. Actions: {VERBS}"]),
    ("duel", "a: first", ["ambiguous Which stone lies first?"]),
    ("duel", "a: first moon", [f"invalid There is no stone moon. Stones: {STONES}"]),
    ("duel", "a: hide A1", ["invalid a1 is neither a stone nor a place."]),
    ("duel", "a: hide 0", ["invalid There is no place 0: the Line has 4 stones."]),
    ("duel", "a: hide x", ["invalid x is neither a stone nor a place."]),
    ("duel", "a: stop it", ["invalid Too many words: it"]),
    ("duel", "a: pass", [f"invalid There is no action pass. Actions: {VERBS}"]),
    ("duel", "a: place knight 7", ["invalid A stone is placed left or right, not at 7."]),
    (
        "one",
        "a: swap 1 crown",
        ["T24 Two different stones are swapped.", "T28 A swap needs two stones on the Line."],
    ),
    ("one", "a: boast", ["T49 A boast needs at least 1 face-down stone."]),
    ("one", "a: challenge 1", ["T34 Stone 1 does not lie face down on the Line.", "T39 No stone is face down."]),
    ("one", "a: swap crown flag", ["T28 Flag is in the Pool: only stones on the Line are swapped."]),
    ("teams", "a: peek b 2", ["T58 B may not look at stones for you."]),
    ("teams", "a: peek d 2", ["T58 D may not look at stones for you."]),
    ("teams", "c: hide crown", ["T55 It's A's turn."]),
    ("teams", "a: stop", ["T11 You can't pass: choose one of the six actions."]),
    ("lines", "a: swap A1 B1", ["T66 The two sets are never mixed.", "T67 A swap stays within one Line."]),
    ("lines", "a: swap A1 1", ["ambiguous Place 1 of which Line: A1 or B1?"]),
    ("lines", "a: hide 1", ["ambiguous Place 1 of which Line: A1 or B1?"]),
    ("lines", "a: hide C1", ["invalid c1 is neither a stone nor a place."]),
    ("lines", "a: place hammer left", ["ambiguous On which Line: A or B?"]),
    ("lines", "a: place A crown left", ["T14 Crown is not in the Pool."]),
    ("lines", "a: place A B knight left", ["invalid Too many words: left"]),
    ("lines", "a: hide A9", ["invalid There is no place A9: the Line has 2 stones."]),
    ("lines", "a: challenge A1", []),
    ("lines", "a: peek crown", ["ambiguous The Crown lies face down: say a place instead."]),
    ("opening", "a: place crown left", ["T7 B chooses the first stone."]),
    ("opening", "b: first crown", []),
    ("opening", "a: first moon", [f"invalid There is no stone moon. Stones: {STONES}"]),
    ("full", "a: place crown left", ["T17 The Pool is empty.", "T14 Crown is not in the Pool."]),
    ("full", "a: place moon left", [f"invalid There is no stone moon. Stones: {STONES}"]),
    ("peeked", "a: peek 1", ["T32 You looked at this stone already: choose another one, or stop."]),
    (
        "peeked",
        "a: hide 1",
        [
            "T9 One action a turn: the turn is for looking at stones now.",
            "T20 Stone 1 does not lie face up on the Line.",
        ],
    ),
    ("peeked", "a: place knight left", ["T9 One action a turn: the turn is for looking at stones now."]),
    ("peeked", "a: boast", ["T9 One action a turn: the turn is for looking at stones now."]),
    (
        "peeked",
        "b: peek 1",
        ["T9 It's A's turn.", "T32 You looked at this stone already: choose another one, or stop."],
    ),
    ("peeked", "a: first crown", ["T7 The first stone is already placed."]),
    ("peeked", "a: peek 2", []),
    ("peeked", "a: stop", []),
    ("peeked", "a: peek 4", ["T29 Stone 4 does not lie face down on the Line."]),
    ("peeked", "b: stop", ["T9 It's A's turn."]),
    ("challenged", "a: names crown", ["T35 B must name the stone."]),
    ("challenged", "b: names 1 crown", ["T34 The challenge is for stone 2."]),
    ("challenged", "b: hide crown", ["T35 The challenge must be answered first: name the stone."]),
    ("challenged", "b: believe", ["T35 The challenge must be answered first: name the stone."]),
    ("challenged", "b: names 2 crown", []),
    ("boasted", "a: believe", ["T42 B answers the boast."]),
    ("boasted", "b: hide crown", ["T42 The boast must be answered first: believe, ask for proof or take over."]),
    ("boasted", "b: names crown", ["T42 The boast must be answered first: believe, ask for proof or take over."]),
    ("taken over", "a: takeover", ["T45 A boast can be taken over only once. Answer: believe, or ask for proof."]),
    ("taken over", "b: believe", ["T45 A answers the boast that was taken over."]),
    ("taken over", "a: hide crown", ["T45 A boast can be taken over only once. Answer: believe, or ask for proof."]),
    ("proving", "a: hide crown", ["T44 The proof goes on: name a face-down stone, then turn it up."]),
    ("proving", "b: names 2 sword", ["T44 A names and turns the next stone."]),
    ("proving", "a: names 1 sword", ["T44 Stone 1 does not lie face down on the Line."]),
    ("proving", "a: names sword", ["ambiguous Which stone is the Sword? Say its place."]),
    ("proving", "a: names 9 sword", ["invalid There is no place 9: the Line has 4 stones."]),
    ("proving", "a: believe", ["T44 The proof goes on: name a face-down stone, then turn it up."]),
]


@pytest.mark.parametrize(("position", "line", "said"), SAID)
def test_what_is_said_against_words_and_actions(position: str, line: str, said: list[str]) -> None:
    assert said_against(GAME, POSITIONS[position](), line) == said
