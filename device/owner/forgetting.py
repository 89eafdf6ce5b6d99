"""Forgets a person on the owner's page: a list of all names that the table has, and a question before it is done."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from functools import partial
from typing import Protocol

from device.owner.menu import BACK, Line, Menu, Notice
from device.owner.steps import Step, Task
from engine.text import Text, say, verbatim

TITLE = say("Forget a person")
LISTED = 12
"""Names that are in the list at once."""

FORGOTTEN = say("The name is removed. Matches show the letter of the seat instead.")
FAILED = say("It could not be kept: the disk cannot be written.")

_log = logging.getLogger(__name__)


class People(Protocol):
    """Who has played here (`device.owner.house.House`)."""

    def forget(self, name: str) -> None:
        """Removes a name from everything that the table keeps. Raises OSError."""
        ...


def listed(people: People, names: Sequence[str]) -> Task:
    """Return the list, in order."""
    if not names:
        return Notice(lambda: Step(TITLE, say("The table has no names.")))
    now, further = names[:LISTED], names[LISTED:]
    lines: list[Line] = [(verbatim(name), partial(_asked, people, name)) for name in now]
    if further:
        lines.append((say("More names"), partial(listed, people, further)))
    return Menu(TITLE, say("Whose name should be removed?"), lambda: lines, BACK, ends=True)


def _asked(people: People, name: str) -> Task:
    now = say("Remove {name} from all matches? This cannot be undone.", name=name)
    lines: list[Line] = [(say("Yes, remove the name"), partial(_forget, people, name))]
    return Menu(TITLE, now, lambda: lines, BACK, ends=True)


def _forget(people: People, name: str) -> Task:
    told: Text = FORGOTTEN
    try:
        people.forget(name)
    except OSError as error:
        _log.error("a name cannot be removed: %s", error)
        told = FAILED
    return Notice(lambda: Step(TITLE, told))
