"""The sentences with which headers, lines, entries, options, seats and clocks are refused, word for word."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from engine import clocks, grammar, notation
from engine import match as matches
from engine.catalogue import AnyGame, Option, of_earlier_match, value_text
from engine.entry import Act, Correct, Draw, Entry, Flag, Pause, Resign, Restored, Settle, Source, Start, Undo
from engine.errors import Invalid, Refusal
from engine.match import Match
from engine.table import Seat
from referee_simulator.conformance.playouts import load
from tests.engine.specs import spec

SPECS = {name: spec(name) for name in ("fence", "planetx", "runes", "tellstones")}
GAMES = "fence, planetx, runes, tellstones"

HEADERS = [
    ("", f'Line 1: The header [Game "…"] must name one of: {GAMES}.'),
    ('\n[Game "chess"]', f'Line 2: The header [Game "…"] must name one of: {GAMES}.'),
    ("[Game tellstones]", 'Line 1: a header reads [Key "value"].'),
    ('[Game "tellstones"]\n[game "fence"]', "Line 2: game is given twice."),
    ('[Game "tellstones"]\n\n[Colour "red"]', "Line 3: no header or option is called colour."),
    ('[Game "tellstones"]\n[Seats "b b"]', "Line 2: seats are some of a, b, c and d, each once."),
    ('[Game "tellstones"]\n[Seats "5"]', "Line 2: seats are some of a, b, c and d, each once."),
    ('[Game "tellstones"]\n[Seats "²"]', "Line 2: seats are some of a, b, c and d, each once."),
    (f'[Game "tellstones"]\n[Start "{"9" * 400}"]', f"Line 2: {'9' * 400} is not a number of seconds."),
    ('[Game "tellstones"]\n[Seed "x"]', "Line 2: x is not a whole number."),
    ('[Game "tellstones"]\n[Start "noon"]', "Line 2: noon is not a number of seconds."),
    ('[Game "tellstones"]\n[Options "mode"]', "Line 2: options read name=value, separated by blanks."),
    ('[Game "tellstones"]\n[Clock "kind"]', "Line 2: options read name=value, separated by blanks."),
    ('[Game "tellstones"]\n[Options "mode=standard mode=standard"]', "Line 2: mode is given twice."),
    ('[Game "tellstones"]\n[Options "mode=standard"]\n[Mode "standard"]', "Line 3: mode is given twice."),
    (
        '[Game "tellstones"]\n[Options "boast_minimum=3"]',
        "Line 2: Option boast_minimum cannot be 3. Allowed: 1, 2.",
    ),
    (
        '[Game "tellstones"]\n[Options "wind=east"]',
        "Line 2: There is no option wind. Options: mode, lines, starter, first_stone, orders, peek_three,"
        " boast_minimum, fixed_spots.",
    ),
    (
        '[Game "tellstones"]\n[Clock "kind=move seconds=0"]',
        "Line 2: A clock needs more than 0 seconds, and an increment of 0 or more.",
    ),
]


@pytest.mark.parametrize(("head", "sentence"), HEADERS)
def test_headers(head: str, sentence: str) -> None:
    with pytest.raises(Invalid) as refusal:
        notation.parse(head, SPECS)
    assert str(refusal.value) == sentence


SEATS: list[tuple[str, tuple[Seat, ...]]] = [
    ("", ("a", "b")),
    ("1", ("a",)),
    ("4", ("a", "b", "c", "d")),
    ("A, b", ("a", "b")),
]


@pytest.mark.parametrize(("written", "seats"), SEATS)
def test_seats_are_letters_or_how_many(written: str, seats: tuple[Seat, ...]) -> None:
    head = f'\ufeff[ Game "Tellstones" ]\n[Seats "{written}"]\n[Event "a \\"good\\" one"]\n[Event "again"] ; a comment'
    assert notation.parse(head, SPECS).start == Start(
        0.0, "tellstones", dict(of_earlier_match(SPECS["tellstones"].options, {})), seats, 0
    )


def test_a_record_that_names_no_options_is_of_a_match_from_before_them() -> None:
    """A text from before the coin is a match that seat A began: it is played again as it was."""
    start = notation.parse('[Game "tellstones"]\n\na: place crown left', SPECS).start
    assert start.options["starter"] == "a"


def test_a_header_tells_everything() -> None:
    head = '[Game "runes"]\n[Seats "3"]\n[Seed "-7"]\n[Start "2.5e1"]\n[Ace "HIGH"]\n'
    head += '[Options "end_window=False, life_b=3"]\n'
    start = notation.parse(head + '[Clock "kind=chess seconds=90 increment=5 fall=note"]', SPECS).start
    assert (start.at, start.game, start.seats, start.seed) == (25.0, "runes", ("a", "b", "c"), -7)
    assert (start.options["ace"], start.options["end_window"], start.options["life_b"]) == ("high", False, 3)
    assert start.options["life_a"] == 12
    assert start.clock == {"kind": "chess", "seconds": 90, "increment": 5, "fall": "note"}


NO_LINE = "A line reads “seat: verb arguments”, such as “a: place crown left”."
TABLE = "After “table:” write pause, resume, done, draw, correct … or again …"
LINES: list[tuple[str, Entry | str]] = [
    ("a place crown left", NO_LINE),
    ("a:", NO_LINE),
    ("a: {5}", NO_LINE),
    ("1: hide crown", NO_LINE),
    ("c: hide crown", "There is no seat C in this match."),
    ("table: dance", TABLE),
    ("table: correct", TABLE),
    ("table: again", TABLE),
    ("table: pause now", TABLE),
    ("A: hide crown", Act(3.0, "a", ("hide", "crown"), Source.BUTTONS)),
    ("a : hide  crown {7.5 camera}", Act(7.5, "a", ("hide", "crown"), Source.CAMERA)),
    ("a: hide crown {why not? 1e1}", Act(10.0, "a", ("hide", "crown"), Source.BUTTONS)),
    ("b: undo", Undo(3.0, "b")),
    ("b: restored", Restored(3.0, "b")),
    ("b: resign {4}", Resign(4.0, "b")),
    ("b: flag", Flag(3.0, "b")),
    ("b: undo please", Act(3.0, "b", ("undo", "please"), Source.BUTTONS)),
    ("Table: pause", Pause(3.0, True)),
    ("table: resume", Pause(3.0, False)),
    ("table: draw", Draw(3.0)),
    ("table: done {camera}", Settle(3.0, Source.CAMERA)),
    ("table: correct pool crown", Correct(3.0, ("pool", "crown"))),
    ("table: again is 1 crown", Correct(3.0, ("is", "1", "crown"), again=True)),
]


@pytest.mark.parametrize(("line", "meant"), LINES)
def test_lines(line: str, meant: Entry | str) -> None:
    try:
        found: Entry | str = notation.read_line(line, 3.0, ("a", "b"))
    except Invalid as refusal:
        found = str(refusal)
    assert found == meant


def begun(**clock: Any) -> tuple[AnyGame, Match]:
    game, options = load("tellstones", {"first_stone": "scales", "starter": "a"})
    return game, matches.begin(game, Start(1.0, "tellstones", dict(options), ("a", "b"), 1, clock))


PLACE, CHALLENGE = Act(2.0, "a", ("place", "crown", "left")), Act(4.0, "a", ("challenge", "1"))
HIDE = Act(3.0, "b", ("hide", "crown"))
ENTRIES: list[tuple[tuple[Entry, ...], str]] = [
    ((Start(2.0, "tellstones", {}, ("a", "b"), 1),), "The match has already begun."),
    ((Pause(2.0, True), PLACE), "The match is paused."),
    ((Pause(2.0, True), Pause(3.0, True)), "The match is paused."),
    ((Pause(2.0, False),), "The match is not paused."),
    ((Draw(2.0), PLACE), "The match is over."),
    ((Draw(2.0), Undo(3.0, "a")), "The match is over."),
    ((Draw(2.0), Settle(3.0, Source.BUTTONS)), "Nothing is waiting to be carried out."),
    ((PLACE, Act(1.5, "b", ("hide", "crown"))), "An entry at 1.5 s comes after one at 2.0 s."),
    ((Settle(2.0, Source.BUTTONS),), "Nothing is waiting to be carried out."),
    ((Correct(2.0, ("is", "1", "crown"), again=True),), "Nothing is waiting to be carried out."),
    ((Flag(2.0, "a"),), "The clock of A has not run out."),
    ((Undo(2.0, "a"),), "There is nothing to take back: undo ends where somebody learned something."),
    ((Resign(2.0, "c"),), "There is no seat C in this match."),
    ((Restored(2.0, "c"),), "There is no seat C in this match."),
    ((Pause(2.0, True), Restored(3.0, "a")), "The match is paused."),
    ((PLACE, Act(3.0, "a", ("hide", "crown"))), "It's B's turn."),
]


@pytest.mark.parametrize(("entries", "sentence"), ENTRIES)
def test_entries(entries: tuple[Entry, ...], sentence: str) -> None:
    game, match = begun(kind="move", seconds=60)
    for entry in entries[:-1]:
        match, _ = matches.advance(game, match, entry)
    with pytest.raises(Refusal) as refusal:
        matches.advance(game, match, entries[-1])
    assert str(refusal.value) == sentence


@pytest.mark.parametrize("entries", [(), (PLACE,)])
def test_a_replay_begins_at_the_beginning(entries: tuple[Entry, ...]) -> None:
    with pytest.raises(Invalid, match=r"^A match must begin with a start entry\.$"):
        matches.replay(begun()[0], entries)


TOLD: list[tuple[tuple[Entry, ...], tuple[str, ...]]] = [
    ((PLACE,), ("B puts the Crown at place 1.",)),
    ((PLACE, Undo(3.0, "b")), ("B takes back the last action.",)),
    ((Flag(61.0, "a"),), ("Time is up for A.", "B wins: A gave up.")),
    ((Resign(2.0, "b"),), ("A wins: B gave up.",)),
    ((Restored(2.0, "b"),), ("B: everything is put right.",)),
    ((Draw(2.0),), ("A draw by agreement.",)),
    ((Pause(2.0, True),), ()),
    ((PLACE, Settle(3.0, Source.BUTTONS)), ()),
]


@pytest.mark.parametrize(("entries", "sentences"), TOLD)
def test_what_everybody_is_told(entries: tuple[Entry, ...], sentences: tuple[str, ...]) -> None:
    game, match = begun(kind="move", seconds=60)
    for entry in entries:
        match, events = matches.advance(game, match, entry)
    assert tuple(str(event.text) for event in events) == sentences
    assert all(event.audience is None for event in events)


def test_a_noted_flag_is_noted_when_it_was_said() -> None:
    game, match = begun(kind="move", seconds=60, fall="note")
    noted, _ = matches.advance(game, match, Flag(62.0, "a"))
    assert (noted.at, noted.clocks.fallen, noted.result) == (62.0, {"a"}, None)
    with pytest.raises(Invalid, match=r"^The clock of A has not run out\.$"):
        matches.advance(game, noted, Flag(63.0, "a"))


def test_one_may_walk_through_the_menus() -> None:
    game, match = begun()
    first = grammar.wander(game, match.state, "a", lambda _: 0)
    last = grammar.wander(game, match.state, "a", lambda count: count - 1)
    assert first in set(grammar.sentences(game, match.state, "a")) > {last}
    assert grammar.wander(game, match.state, "b", lambda _: 0) == ()


def test_who_owes_what() -> None:
    game, match = begun()
    match, _ = matches.advance(game, match, PLACE)
    assert match.pending is not None
    assert (match.pending.seat, match.pending.words, match.at) == ("a", PLACE.words, 2.0)
    assert match.pending.before == game.layout(begun()[1].state)
    assert match.pending.trace.layout == game.layout(match.state)
    assert len(match.past) == 1
    match, _ = matches.advance(game, match, HIDE)
    undone, _ = matches.advance(game, match, Undo(5.0, "a"))
    assert undone.pending is not None
    assert (undone.pending.words, undone.at, len(undone.past)) == (PLACE.words, 5.0, 1)
    match, events = matches.advance(game, match, CHALLENGE)
    assert (match.past != (), any(event.reveals for event in events)) == (True, False)
    match, events = matches.advance(game, match, Act(5.0, "b", ("names", "crown")))
    assert (match.past, any(event.reveals for event in events)) == ((), True)


CLOCKS: list[tuple[Mapping[str, Any], str]] = [
    ({"seconds": 0}, "A clock needs more than 0 seconds, and an increment of 0 or more."),
    ({"increment": -1}, "A clock needs more than 0 seconds, and an increment of 0 or more."),
    (
        {"kind": "sand"},
        "This clock cannot be set (Invalid enum value 'sand' - at `$.kind`): kind is none, move, chess,"
        " fall is loses, note, the others are whole numbers.",
    ),
]


@pytest.mark.parametrize(("given", "sentence"), CLOCKS)
def test_clocks(given: Mapping[str, Any], sentence: str) -> None:
    with pytest.raises(Invalid) as refusal:
        clocks.rules(given)
    assert str(refusal.value) == sentence
    assert clocks.rules({"seconds": 1, "increment": 0}) == clocks.ClockRules(seconds=1)


SETUPS: list[tuple[str, Mapping[str, Any], tuple[Seat, ...], str, tuple[str, ...]]] = [
    ("tellstones", {}, ("a", "b", "c"), "Tellstones is played by two or by four seats, not by 3.", ()),
    ("tellstones", {}, ("a", "a"), "Tellstones is played by two or by four seats, not by 2.", ()),
    ("tellstones", {"mode": "two-line"}, tuple("abcd"), "The two-line variant is for two players (T64).", ()),
    ("tellstones", {"starter": "c"}, ("a", "b"), "Nobody sits at seat c, so it cannot start.", ()),
    ("fence", {}, ("a", "b", "c"), "Two fencers fence a bout, not 3.", ()),
    ("fence", {}, ("a", "a"), "Two fencers fence a bout, not 2.", ()),
    ("fence", {"starter": "c"}, ("a", "b"), "Nobody sits at seat c, so it cannot start.", ()),
    ("planetx", {}, (), "Planet X is played by one to four seats, not by 0.", ("X10",)),
    ("planetx", {}, ("a", "a"), "Planet X is played by one to four seats, not by 2.", ("X10",)),
    ("planetx", {}, ("a", "x"), "Planet X is played by one to four seats, not by 2.", ("X10",)),
    ("planetx", {}, tuple("abcde"), "Planet X is played by one to four seats, not by 5.", ("X10",)),
    ("planetx", {"opponent": "novice"}, ("a", "b"), "The automatic opponent plays against one player.", ("X70",)),
    (
        "planetx",
        {"opponent": "novice", "app_only": True},
        ("a",),
        "The automatic opponent needs the referee to keep the time track.",
        ("X71",),
    ),
    ("runes", {}, (), "Dueling Runes is played by one to four seats, not by 0.", ("R1",)),
    ("runes", {}, ("a", "a"), "Dueling Runes is played by one to four seats, not by 2.", ("R1",)),
    ("runes", {}, ("a", "x"), "Dueling Runes is played by one to four seats, not by 2.", ("R1",)),
    ("runes", {}, tuple("abcde"), "Dueling Runes is played by one to four seats, not by 5.", ("R1",)),
    ("runes", {}, ("a",), "One player plays against the automatic opponent; several play each other.", ("R60",)),
    (
        "runes",
        {"opponent": "automatic"},
        ("a", "b"),
        "One player plays against the automatic opponent; several play each other.",
        ("R60",),
    ),
]


@pytest.mark.parametrize(("name", "given", "seats", "sentence", "clauses"), SETUPS)
def test_seats_and_options_that_do_not_go_together(
    name: str, given: Mapping[str, Any], seats: tuple[Seat, ...], sentence: str, clauses: tuple[str, ...]
) -> None:
    game, options = load(name, given)
    with pytest.raises(Invalid) as refusal:
        game.setup(options, seats, 1)
    assert (str(refusal.value), refusal.value.clauses) == (sentence, clauses)


def test_values_are_called_by_their_labels() -> None:
    plain = Option("x", "X", (True, False, 3, "red"), 3, "T1", "assumed")
    named = Option("x", "X", (1, 2), 2, "T1", "assumed", ("One", "Two"))
    assert [str(value_text(plain, value)) for value in plain.values] == ["Yes", "No", "3", "red"]
    assert [str(value_text(named, value)) for value in named.values] == ["One", "Two"]
    with pytest.raises(ValueError, match=r"^option x: the default 1 is not among \(True, False\)$"):
        Option("x", "X", (True, False), 1, "T1", "assumed")
    with pytest.raises(ValueError, match=r"^option x: 1 labels for 2 values$"):
        Option("x", "X", (1, 2), 1, "T1", "assumed", ("One",))
