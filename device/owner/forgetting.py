"""Deletes a person's name from the owner's page, after a question."""

from __future__ import annotations

import logging
from functools import partial
from typing import Protocol

from device.owner.steps import Task, TaskStep
from device.owner.task_menus import BACK, Line, Notice, TaskMenu
from engine.text import Text, say, verbatim

TITLE = say("Remove a person's name")
LISTED = 12
"""Names per list."""

FORGOTTEN = say("The name is removed. Matches show the letter of the seat instead.")
FAILED = say("It could not be saved: the disk can't be written.")

_log = logging.getLogger(__name__)


class People(Protocol):
    """The names in the table's data (`device.owner.context.OwnerContext`)."""

    def names(self) -> tuple[str, ...]: ...

    def forget(self, name: str) -> None:
        """Delete a name everywhere. Raises OSError."""
        ...


def list_names(people: People, begin: int = 0) -> Task:
    """Return the list of names, starting at this place."""
    if not people.names():
        return Notice(lambda: TaskStep(TITLE, say("The table has no names.")))

    def lines() -> list[Line]:
        names = people.names()
        shown: list[Line] = [
            (verbatim(each), partial(_ask_name, people, each)) for each in names[begin : begin + LISTED]
        ]
        further = (say("More names"), partial(list_names, people, begin + LISTED))
        return [*shown, further] if len(names) > begin + LISTED else shown

    return TaskMenu(TITLE, say("Whose name should be removed?"), lines)


def _ask_name(people: People, name: str) -> Task:
    now = say("Remove {name} from all matches? This cannot be undone.", name=name)
    lines: list[Line] = [(say("Yes, remove the name"), partial(_forget, people, name))]
    return TaskMenu(TITLE, now, lambda: lines, BACK, ends=True)


def _forget(people: People, name: str) -> Task:
    told: Text = FORGOTTEN
    try:
        people.forget(name)
    except OSError as error:
        _log.error("a name cannot be removed: %s", error)
        told = FAILED
    return Notice(lambda: TaskStep(TITLE, told))
