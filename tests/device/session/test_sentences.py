"""A list of what may be done: whole sentences where they fit, in the order of the menus, and nothing is left out."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path

import pytest

from device import games
from device.games import game, spec
from device.session.sentences import LONG, PRESSES, Choices, LineGroup, Row, Sentence, fold, rows, sentences
from engine.catalogue import complete
from engine.game import Choice, Words
from engine.grammar import in_words
from engine.grammar import sentences as actions
from engine.table import SEATS
from engine.text import Text
from referee_simulator.conformance.playouts import Step, playout
from referee_simulator.harness.plan import Eyes, Plan, PlannedMatch, matches_of

GAMES = sorted(games.specs())


@cache
def steps(name: str) -> tuple[Step, ...]:
    """States from all over some matches, whose seats and options are drawn as for matches at the buttons alone."""
    matches = matches_of(Plan(name, 4, 1, seats=None, eyes=Eyes.NONE), Path())
    return tuple(step for each in matches for step in played(name, each)[::7])


def played(name: str, planned: PlannedMatch) -> tuple[Step, ...]:
    options = complete(spec(name).options, planned.options)
    return playout(game(spec(name)), options, SEATS[: planned.seats], 1, 90).steps


def menus(tree: dict[str, object]) -> Choices:
    """A tree of words: a word leads to more of them, or to None."""

    def choices(prefix: Words) -> tuple[Choice, ...]:
        at = tree
        for word in prefix:
            found = at[word]
            assert isinstance(found, dict)
            at = found
        return tuple(Choice(word, Text(word.title()), following is None) for word, following in at.items())

    return choices


def shown(tree: dict[str, object], most: int, prefix: Words = ()) -> list[str]:
    return [str(line.text) for line in sentences(menus(tree), prefix, most)]


STONES: dict[str, object] = {
    "place": {"crown": {"left": None, "right": None}, "flag": {"left": None, "right": None}},
    "hide": {"sword": None, "shield": None, "knight": None},
    "boast": None,
}


def test_as_many_whole_sentences_are_listed_as_there_is_room_for() -> None:
    assert shown(STONES, 1) == shown(STONES, 3) == ["Place …", "Hide …", "Boast"]
    assert shown(STONES, 4) == ["Place: Crown …", "Place: Flag …", "Hide …", "Boast"]
    assert shown(STONES, 6) == [
        "Place: Crown …",
        "Place: Flag …",
        "Hide: Sword",
        "Hide: Shield",
        "Hide: Knight",
        "Boast",
    ]
    assert shown(STONES, 24) == [
        "Place: Crown, Left",
        "Place: Crown, Right",
        "Place: Flag, Left",
        "Place: Flag, Right",
        "Hide: Sword",
        "Hide: Shield",
        "Hide: Knight",
        "Boast",
    ]


def test_a_word_that_many_follow_stays_one_line_where_it_is_asked_so() -> None:
    cards: dict[str, object] = {f"card{number}": None for number in range(LONG + 1)}
    tree: dict[str, object] = {"stall": cards, "move": {"forward": None, "back": None}}
    lines = sentences(menus(tree), (), 24, LONG)
    assert [str(line.text) for line in lines] == ["Stall …", "Move: Forward", "Move: Back"]
    assert len(sentences(menus(tree), ("stall",), 24, LONG)) == LONG + 1
    assert len(sentences(menus(tree), (), 24)) == LONG + 3


def test_what_was_chosen_already_is_not_said_again() -> None:
    assert shown(STONES, 24, ("place", "crown")) == ["Left", "Right"]
    assert sentences(menus(STONES), ("hide",))[0].words == ("hide", "sword")


def test_a_word_that_leaves_no_choice_stands_with_the_one_before_it() -> None:
    only: dict[str, object] = {"peek": {"one": {"third": None}}, "hide": {"a": {"far": {"x": None, "y": None}}}}
    assert shown(only, 1) == ["Peek: One, Third", "Hide: A, Far …"]


def every(choices: Choices, most: int, prefix: Words = ()) -> Iterator[Words]:
    for line in sentences(choices, prefix, most):
        yield from [line.words] if line.final else every(choices, most, line.words)


@pytest.mark.quick(3)
@pytest.mark.parametrize("most", [1, 5, 24])
@pytest.mark.parametrize("name", GAMES)
def test_every_legal_action_is_reached_once_and_in_the_order_of_the_menus(name: str, most: int) -> None:
    rules = game(spec(name))
    for step in steps(name):
        choices = partial(rules.choices, step.state, step.seat)
        assert list(every(choices, most)) == list(actions(rules, step.state, step.seat)), step


@pytest.mark.parametrize("name", GAMES)
def test_a_list_keeps_to_its_length_and_reads_as_the_menus_do(name: str) -> None:
    rules = game(spec(name))
    for step in steps(name):
        asked: list[Words] = []

        def choices(prefix: Words, step: Step = step, asked: list[Words] = asked) -> tuple[Choice, ...]:
            asked.append(prefix)
            return rules.choices(step.state, step.seat, prefix)

        lines = sentences(choices, (), 24)
        assert len(lines) <= max(24, len(rules.choices(step.state, step.seat)))
        assert len(asked) == len(set(asked)), "asked twice"
        for line in lines:
            _reads(line, partial(rules.choices, step.state, step.seat))


def _reads(line: Sentence, choices: Choices) -> None:
    read = str(in_words(choices, line.words))
    assert str(line.text) == (read if line.final else f"{read} …")
    if line.final:
        last = next(choice for choice in choices(line.words[:-1]) if choice.word == line.words[-1])
        assert line.costs == last.costs


def test_verbs_stay_in_sight_and_after_a_verb_one_list_says_it_all() -> None:
    """A question less: six stones at either end of the line are one list of twelve."""
    ends: dict[str, object] = {"left": None, "right": None}
    tree: dict[str, object] = {"place": dict.fromkeys("abcdef", ends), "hide": {"x": None, "y": None}, "boast": None}
    assert [str(row.said) for row in rows(menus(tree), ())] == ["Place", "Hide: X", "Hide: Y", "Boast"]
    assert [str(row.said) for row in rows(menus(tree), ("place",))][:3] == ["A: Left", "A: Right", "B: Left"]
    longer: dict[str, object] = {"place": dict.fromkeys("abcdefg", ends), "boast": None}
    assert [str(row.said) for row in rows(menus(longer), ("place",))][:2] == ["A", "B"]


def cards(*headings: str) -> tuple[Sentence, ...]:
    """Cards of these ranks, called by rank and number."""
    return tuple(
        Sentence((f"{rank}{number}",), (Text(f"{rank}{number}"),), True, under=Text(rank))
        for number, rank in enumerate(headings, start=1)
    )


def outline(found: tuple[Row, ...]) -> list[object]:
    return [[str(row.said), *outline(row.rows)] if isinstance(row, LineGroup) else str(row.said) for row in found]


def presses(found: tuple[Row, ...]) -> Iterator[int]:
    """What it takes to name each line: NEXT down to its group, CHOOSE, and so on."""
    for place, row in enumerate(found, start=1):
        yield from (place + more for more in presses(row.rows)) if isinstance(row, LineGroup) else (place,)


def test_a_list_that_is_not_long_stays_as_it_is() -> None:
    assert fold(cards(*"A" * LONG)) == cards(*"A" * LONG)


def test_neighbours_of_a_long_list_come_in_groups_under_their_headings() -> None:
    a, b = ["A", "A1", "A2", "A3", "A4", "A5"], ["B", "B6", "B7", "B8", "B9"]
    assert outline(fold(cards(*"AAAAABBBBCCCCDDDD"))) == [
        a,
        b,
        ["C", "C10", "C11", "C12", "C13"],
        *("D14", "D15", "D16", "D17"),
    ]


def test_groups_that_a_list_has_room_for_stand_in_it_line_by_line() -> None:
    four = ["A1", "A2", "A3", "A4"]
    assert outline(fold(cards(*"AAAABBBCCD"))) == [["A", *four], "B5", "B6", "B7", "C8", "C9", "D10"]
    assert outline(fold(cards(*"AABBCDEFG"))) == [["A – B", "A1", "A2", "B3", "B4"], "C5", "D6", "E7", "F8", "G9"]
    assert outline(fold(cards(*"AAAAAABCD"))) == [["A: A1 – A4", *four], "A5", "A6", "B7", "C8", "D9"]


@pytest.mark.parametrize(
    ("name", "verbs"), [("fence", ("exchange", "stall", "distance")), ("runes", ("reveal", "pay"))]
)
def test_any_card_is_named_with_eight_presses_after_the_verb(name: str, verbs: tuple[str, ...]) -> None:
    rules, named = game(spec(name)), set[str]()
    for step in steps(name):
        choices = partial(rules.choices, step.state, step.seat)
        for verb in {choice.word for choice in choices(())} & set(verbs):
            taken = list(_spelled(choices, (verb,)))
            assert max(taken) <= PRESSES, step
            named |= {verb} if len(taken) > LONG else set()
    assert named, "no list was long"


def _spelled(choices: Choices, prefix: Words) -> Iterator[int]:
    """What it takes to say what may follow, at the lists of three buttons."""
    found = rows(choices, prefix)
    for line, taken in zip(_lines(found), presses(found), strict=True):
        yield from (taken,) if line.final else (taken + more for more in _spelled(choices, line.words))


@pytest.mark.parametrize("name", GAMES)
def test_every_legal_action_is_reached_by_the_lists_of_three_buttons(name: str) -> None:
    rules = game(spec(name))
    for step in steps(name):
        choices = partial(rules.choices, step.state, step.seat)
        assert sorted(_reached(choices)) == sorted(actions(rules, step.state, step.seat)), step


def _reached(choices: Choices, prefix: Words = ()) -> Iterator[Words]:
    for line in _lines(rows(choices, prefix)):
        yield from [line.words] if line.final else _reached(choices, line.words)


def _lines(found: tuple[Row, ...]) -> Iterator[Sentence]:
    for row in found:
        yield from _lines(row.rows) if isinstance(row, LineGroup) else (row,)
