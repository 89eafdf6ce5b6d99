"""Whoever is forgotten on the owner's page: chosen from a list, asked once more, and gone from the list."""

from __future__ import annotations

from device.owner.start_page import FAILED, FORGOTTEN, LISTED, list_names
from device.owner.steps import BACK, GO_ON
from engine.text import say, verbatim


class People:
    def __init__(self, *names: str, full: bool = False) -> None:
        self.kept, self.full = list(names), full

    def names(self) -> tuple[str, ...]:
        return tuple(self.kept)

    def forget(self, name: str) -> None:
        if self.full:
            raise OSError("the disk is full")
        self.kept.remove(name)


YES = 0


def test_a_name_is_removed_once_somebody_says_yes() -> None:
    people = People("Anna", "Ben")
    task = list_names(people)
    assert task.step().choices == (verbatim("Anna"), verbatim("Ben"), BACK)
    task.choose(0)
    assert str(task.step().now) == "Remove Anna from all matches? This cannot be undone."
    task.choose(1)
    assert people.kept == ["Anna", "Ben"], "back removes nothing"
    task.choose(0)
    task.choose(YES)
    assert people.kept == ["Ben"]
    assert (task.step().now, task.step().choices) == (FORGOTTEN, (GO_ON,))
    task.choose(0)
    assert task.step().choices == (verbatim("Ben"), BACK)
    task.choose(1)
    assert task.over


def test_a_full_disk_is_told() -> None:
    people = People("Anna", full=True)
    task = list_names(people)
    task.choose(0)
    task.choose(YES)
    assert task.step().now == FAILED
    assert people.kept == ["Anna"]


def test_many_names_stand_in_parts_and_none_is_told() -> None:
    people = People(*(f"Name {n:02}" for n in range(LISTED + 1)))
    task = list_names(people)
    assert task.step().choices[-2:] == (say("More names"), BACK)
    task.choose(LISTED)
    assert task.step().choices == (verbatim(f"Name {LISTED:02}"), BACK)
    assert str(list_names(People()).step().now) == "The table has no names."
