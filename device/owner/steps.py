"""Defines the owner's tasks as data: steps to show and choices to make.

Any page or display can draw any step. Camera tasks use JSON lines between processes.
"""

from __future__ import annotations

from typing import Protocol

import msgspec

from engine.text import Text

LONGEST_PICTURE = 64 * 1024
"""Bytes of a step's picture: enough for 640 x 480."""


class File(msgspec.Struct, frozen=True):
    """A file to download."""

    name: str
    data: bytes


class TaskStep(msgspec.Struct, frozen=True):
    """One step of a task.

    doing: the task ("Enrol the stones").
    now: instruction.
    seen: observation.
    remarks: possible improvements.
    of: 0 if unknown.
    picture: JPEG, never during a match (law 5).
    address: to scan.
    file: download.
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
    """Return the texts that identify what a choice answers."""
    return step.doing, step.now, step.choices, step.done


class Task(Protocol):
    """A task of the owner in steps; never blocks."""

    @property
    def over(self) -> bool:
        """True once the task has ended."""
        ...

    def step(self) -> TaskStep:
        """Return the current step."""
        ...

    def choose(self, line: int) -> None:
        """Choose a line of the current step by its place; ignore an invalid one."""
        ...


class TaskChoice(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The owner's choice, sent to a camera task's process."""

    line: int


def encode(message: TaskStep | TaskChoice) -> bytes:
    """Return a JSON line for the pipe; pictures in base64."""
    return msgspec.json.encode(message) + b"\n"


def decode_step(line: bytes) -> TaskStep:
    """Read a step. Raises msgspec.DecodeError."""
    return msgspec.json.decode(line, type=TaskStep)


def decode_choice(line: bytes) -> TaskChoice:
    """Read a choice. Raises msgspec.DecodeError."""
    return msgspec.json.decode(line, type=TaskChoice)
