"""Matches that are over: a list in parts, and one match as sentences that are read some at a time."""

from __future__ import annotations

import pytest

from device.owner.menu import BACK, Notice
from device.owner.past import (
    BEFORE,
    DONE,
    FURTHER,
    GIVES_AWAY,
    LISTED,
    NOTHING,
    PRIVATE,
    READ,
    Past,
    Private,
    Reading,
    Telling,
    matches,
    private,
)
from device.owner.steps import Step, Task
from engine.text import Text, say


class Shelf:
    def __init__(self) -> None:
        self.opened: list[int] = []
        self.days = 0

    def kept_days(self) -> int:
        return self.days

    def past(self) -> Task:
        raise AssertionError("nobody asks for the list from within it")

    def told(self, past: Past) -> Task:
        self.opened.append(past.number)
        return Notice(lambda: Step(past.title, past.title))

    def whole(self, past: Past) -> Task:
        self.opened.append(past.number)
        return private(past, Private("all of it"))


def played(count: int) -> tuple[Past, ...]:
    return tuple(Past(number, Text(f"match {number}")) for number in range(count, 0, -1))


def test_the_newest_stand_first_and_older_ones_behind_a_line_of_their_own() -> None:
    shelf = Shelf()
    task = matches(shelf, played(LISTED + 2))
    assert task.step().choices[:2] == (Text(f"match {LISTED + 2}"), Text(f"match {LISTED + 1}"))
    assert task.step().choices[LISTED:] == (say("Older matches"), BACK)
    task.choose(LISTED)
    assert task.step().choices == (Text("match 2"), Text("match 1"), BACK)
    task.choose(1)
    assert shelf.opened == [1]
    task.choose(0)
    task.choose(2)
    assert len(task.step().choices) == LISTED + 2, "back leads to the newer ones"
    task.choose(LISTED + 1)
    assert task.over


@pytest.mark.parametrize(("days", "kept"), [(0, "for ever"), (1, "for 1 day"), (90, "for 90 days")])
def test_the_list_says_how_long_matches_are_kept(days: int, kept: str) -> None:
    shelf = Shelf()
    shelf.days = days
    now = matches(shelf, played(1)).step().now
    assert str(now) == f"Matches are kept {kept}. Which one would you like to read?"


def test_where_nothing_was_played_that_is_said() -> None:
    task = matches(Shelf(), ())
    assert "No match" in str(task.step().now)
    task.choose(0)
    assert task.over


def test_a_match_is_read_from_page_to_page_and_its_record_is_one_file_all_the_while() -> None:
    sentences = tuple(Text(f"it was turn {n}") for n in range(READ + 1))
    task = Reading(Shelf(), Past(7, Text("match 7")), Telling(sentences, "the record"))
    first = task.step()
    assert first.file is not None
    assert (first.file.name, first.file.data) == ("match-7.txt", b"the record")
    assert str(first.remarks[0]) == "1. it was turn 0"
    assert (len(first.remarks), first.choices) == (READ, (FURTHER, DONE))
    task.choose(0)
    last = task.step()
    assert [str(each) for each in last.remarks] == [f"{READ + 1}. it was turn {READ}"]
    assert last.choices == (BEFORE, DONE)
    assert last.file is first.file, "a file that is another one is sent again"
    task.choose(9)
    task.choose(0)
    assert task.step() == first
    task.choose(1)
    assert task.over


def test_a_match_of_which_nothing_was_told_says_so() -> None:
    assert Reading(Shelf(), Past(1, Text("match 1")), Telling((), "")).step().seen == NOTHING


def test_the_private_record_comes_only_after_it_was_said_what_it_gives_away() -> None:
    shelf, public = Shelf(), Telling((Text("it was turn 1"),), "the record", whole=True)
    task = Reading(shelf, Past(7, Text("match 7")), public)
    first = task.step()
    assert first.choices == (PRIVATE, DONE)
    task.choose(0)
    asked = task.step()
    assert (asked.now, asked.file) == (GIVES_AWAY, None)
    task.choose(1)
    assert task.step() == first
    assert not shelf.opened
    task.choose(0)
    task.choose(0)
    given = task.step()
    assert given.file is not None
    assert (given.file.name, given.file.data) == ("match-7-private.txt", b"all of it")
    assert task.step().file is given.file, "a file that is another one is sent again"
    task.choose(0)
    assert (task.step(), shelf.opened) == (first, [7])
    task.choose(1)
    assert task.over
