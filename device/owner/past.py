"""Matches that are over, on the owner's page: a list, each as sentences, and its public record to take along.

Only what everybody at the table could know stands here, with the names of those who agreed (`device.cli.past`, whose
process reads the journal). Of a match that may still be gone on with there is nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Protocol

import msgspec

from device.owner.menu import BACK, Line, Menu, Notice
from device.owner.steps import File, Step, Task
from engine.text import Text, say

TITLE = say("Matches played")
LISTED = 12
"""Matches that stand in the list at once."""

READ = 12
"""Sentences of a match that are read at once: on a display they are already several pages."""

FURTHER, BEFORE, DONE = say("Further"), say("Before that"), say("Done")
NOTHING = say("Nothing was told of this match to everybody.")


class Past(msgspec.Struct, frozen=True):
    """A match that is over. number: in the journal; title: when, what, who, and how it ended."""

    number: int
    title: Text


class Telling(msgspec.Struct, frozen=True):
    """What everybody could know of a match. sentences: what was told, in order; record: the public record."""

    sentences: tuple[Text, ...]
    record: str


class Shelf(Protocol):
    """Where they are kept (`device.owner.house.House`)."""

    def past(self) -> Task:
        """Reads which there are."""
        ...

    def told(self, past: Past) -> Task:
        """Reads one of them."""
        ...


def matches(shelf: Shelf, found: Sequence[Past]) -> Task:
    """The list, the newest first."""
    if not found:
        return Notice(lambda: Step(TITLE, say("No match was played to its end yet.")))
    now, older = found[:LISTED], found[LISTED:]
    lines: list[Line] = [(past.title, partial(shelf.told, past)) for past in now]
    if older:
        lines.append((say("Older matches"), partial(matches, shelf, older)))
    return Menu(TITLE, say("Which match would you like to read?"), lambda: lines, BACK)


class Reading:
    """A match as sentences, some at a time; its record goes along once, whichever of them are shown."""

    def __init__(self, past: Past, telling: Telling) -> None:
        self._past, self._told = past, telling.sentences
        self._file = File(f"match-{past.number}.txt", telling.record.encode())
        self._at = 0
        self._left = False

    @property
    def over(self) -> bool:
        return self._left

    def step(self) -> Step:
        shown = self._told[self._at : self._at + READ]
        numbered = (say("{n}. {what}", n=n, what=text) for n, text in enumerate(shown, self._at + 1))
        return Step(
            TITLE,
            self._past.title,
            seen=None if shown else NOTHING,
            remarks=tuple(numbered),
            choices=self._choices(),
            file=self._file,
        )

    def choose(self, line: int) -> None:
        choices = self._choices()
        if line not in range(len(choices)):
            return
        match choices[line]:
            case chosen if chosen == FURTHER:
                self._at += READ
            case chosen if chosen == BEFORE:
                self._at -= READ
            case _:
                self._left = True

    def _choices(self) -> tuple[Text, ...]:
        further = (FURTHER,) if self._at + READ < len(self._told) else ()
        return (*further, *((BEFORE,) if self._at else ()), DONE)
