"""The owner's work as data: a step says what to do now and what may be chosen; a task leads from one step to the next.

A page or a display draws any step and knows no task by name, so that a later task needs no new page. A task that needs
the camera runs in a process of its own, and speaks steps and choices in lines of JSON: see `encode` and `decode_step`.
"""

from __future__ import annotations

from typing import Protocol

import msgspec

from engine.text import Text

LONGEST_PICTURE = 64 * 1024
"""Bytes of a step's picture: enough for 640 x 480, and little enough for a phone far from the router."""


class File(msgspec.Struct, frozen=True):
    """What the owner may take along, such as sheets to print. name: of the file; data: all of it."""

    name: str
    data: bytes


class TaskStep(msgspec.Struct, frozen=True):
    """What the owner sees of a task now.

    doing: what all of it is ("Enrol the stones"). now: what to do now ("Lay the Crown on the mat, face up"). seen: what
    was seen of it ("Round, 30.2 mm across"). remarks: what could be better (blurred, a lamp is mirrored, near twins).
    done, of: how far it has come; of = 0: nobody knows. choices: what may be chosen ("Next", "Again", "Stop").
    picture: a JPEG of what the camera sees, never while a match is open (law 5). address: what a phone may open or
    scan, to be shown as a QR code as well. file: what may be taken along.
    """

    doing: Text
    now: Text
    seen: Text | None = None
    remarks: tuple[Text, ...] = ()
    done: int = 0
    of: int = 0
    choices: tuple[Text, ...] = ()
    picture: bytes | None = None
    address: str = ""
    file: File | None = None


def decode_question(step: TaskStep) -> tuple[object, ...]:
    """Return what a choice answers: one that was made for another step, by its words, is for nobody."""
    return step.doing, step.now, step.choices, step.done


class Task(Protocol):
    """Something that the owner does in steps. It is asked for its step; it waits for nothing."""

    @property
    def over(self) -> bool:
        """True once nothing more is to be chosen: the owner goes back to where the task was chosen."""
        ...

    def step(self) -> TaskStep:
        """Return what is shown now."""
        ...

    def choose(self, line: int) -> None:
        """A line of the present step's choices was chosen, by its place; one that is not there changes nothing."""
        ...


class TaskChoice(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The owner chose a line, as it goes to the process of a camera task."""

    line: int


def encode(message: TaskStep | TaskChoice) -> bytes:
    """A line of the pipe between the daemon and the process of a camera task: JSON, a picture in base64."""
    return msgspec.json.encode(message) + b"\n"


def decode_step(line: bytes) -> TaskStep:
    """A step that the process of a camera task said. Raises msgspec.DecodeError."""
    return msgspec.json.decode(line, type=TaskStep)


def decode_choice(line: bytes) -> TaskChoice:
    """A choice that the daemon said. Raises msgspec.DecodeError."""
    return msgspec.json.decode(line, type=TaskChoice)
