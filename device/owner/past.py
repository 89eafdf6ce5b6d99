"""Matches that are over, on the owner's page: a list, each as sentences, and its public record to take along.

Only what everybody at the table could know stands here, with the names of those who agreed (`device.cli.past`, whose
process reads the journal). The private record is a file of its own, behind a page that says what it gives away. Of a
match that may still be gone on with there is nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Protocol

import msgspec

from device.owner.menu import BACK, Line, Menu, Notice
from device.owner.steps import File, Step, Task
from engine.text import Text, many, say

TITLE = say("Matches played")
LISTED = 12
"""Matches that stand in the list at once."""

READ = 12
"""Sentences of a match that are read at once: on a display they are already several pages."""

FURTHER, BEFORE, DONE = say("Further"), say("Before that"), say("Done")
PRIVATE = say("The private record")
GIVES_AWAY = say(
    "The private record gives away all that was hidden in this match, and the names of all who played, also of those "
    "who wanted them to stay at the table. Save it for yourself?"
)
SAVED = say(
    "This is the private record. Whoever has the file reads in it all that was hidden. Only a phone can save it."
)
NOTHING = say("Nothing was told of this match to everybody.")


class Past(msgspec.Struct, frozen=True):
    """A match that is over. number: in the journal; title: when, what, who, and how it ended."""

    number: int
    title: Text


class Telling(msgspec.Struct, frozen=True):
    """What everybody could know of a match. sentences: what was told, in order; record: the public record. whole:
    there is a private one, too."""

    sentences: tuple[Text, ...]
    record: str
    whole: bool = False


class Private(msgspec.Struct, frozen=True):
    """All that is kept of a match. record: the private record."""

    record: str


class Shelf(Protocol):
    """Where they are kept (`device.owner.house.House`)."""

    def kept_days(self) -> int:
        """Returns how many days a match is kept; 0: for ever."""
        ...

    def past(self) -> Task:
        """Reads which there are."""
        ...

    def told(self, past: Past) -> Task:
        """Reads one of them."""
        ...

    def whole(self, past: Past) -> Task:
        """Reads the private record of one of them."""
        ...


def matches(shelf: Shelf, found: Sequence[Past]) -> Task:
    """The list, the newest first."""
    if not found:
        return Notice(lambda: Step(TITLE, say("No match was played to its end yet.")))
    now, older = found[:LISTED], found[LISTED:]
    lines: list[Line] = [(past.title, partial(shelf.told, past)) for past in now]
    if older:
        lines.append((say("Older matches"), partial(matches, shelf, older)))
    return Menu(TITLE, _kept(shelf.kept_days()), lambda: lines, BACK)


def _kept(days: int) -> Text:
    """Return how long matches are kept, and the question."""
    kept = many("Matches are kept for {count} day.", "Matches are kept for {count} days.", days)
    return say("{kept} Which one would you like to read?", kept=kept if days else say("Matches are kept for ever."))


class Reading:
    """A match as sentences, some at a time; its record goes along once, whichever of them are shown."""

    def __init__(self, shelf: Shelf, past: Past, telling: Telling) -> None:
        self._shelf, self._past, self._told, self._whole = shelf, past, telling.sentences, telling.whole
        self._asked: Task | None = None
        self._file = File(f"match-{past.number}.txt", telling.record.encode())
        self._at = 0
        self._left = False

    @property
    def over(self) -> bool:
        return self._left

    def step(self) -> Step:
        if self._asked is not None and not self._asked.over:
            return self._asked.step()
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
        if self._asked is not None and not self._asked.over:
            self._asked.choose(line)
            return
        choices = self._choices()
        if line not in range(len(choices)):
            return
        match choices[line]:
            case chosen if chosen == FURTHER:
                self._at += READ
            case chosen if chosen == BEFORE:
                self._at -= READ
            case chosen if chosen == PRIVATE:
                lines: list[Line] = [(say("Yes, give it to me"), partial(self._shelf.whole, self._past))]
                self._asked = Menu(TITLE, GIVES_AWAY, lambda: lines, BACK, ends=True)
            case _:
                self._left = True

    def _choices(self) -> tuple[Text, ...]:
        further = (FURTHER,) if self._at + READ < len(self._told) else ()
        whole = (PRIVATE,) if self._whole else ()
        return (*further, *((BEFORE,) if self._at else ()), *whole, DONE)


def private(past: Past, found: Private) -> Task:
    """The private record, to take along."""
    file = File(f"match-{past.number}-private.txt", found.record.encode())
    return Notice(lambda: Step(TITLE, SAVED, file=file))
