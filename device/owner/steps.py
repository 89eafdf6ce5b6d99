"""Defines the owner's tasks as data: steps to show, choices to make; menus, stages and notices combine them.

Any page or display can draw any step. Camera tasks use JSON lines between processes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias

import msgspec

from engine.text import Text, say

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
    done, of: parts done and in all; of: 0 if unknown.
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


def question_signature(step: TaskStep) -> tuple[object, ...]:
    """Return what identifies the question of a choice."""
    return step.doing, step.now, step.choices, step.done


class Task(Protocol):
    """An owner's task in steps; never blocks."""

    @property
    def over(self) -> bool:
        """True once ended."""
        ...

    def step(self) -> TaskStep:
        """Return the current step."""
        ...

    def choose(self, line: int) -> None:
        """Choose a line of the current step, from 0; ignore an invalid one."""
        ...


class TaskChoice(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A choice, sent to a camera task's process."""

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


TASK_FAILED = say("The camera's task failed. What was taken so far is kept.")
"""The last step of a camera task's process that fails, with the reason as remark."""

GO_ON, BACK, LATER = say("Continue"), say("Back"), say("Later")

Line: TypeAlias = "tuple[Text, Callable[[], Task | None]]"
"""A choice and the task it opens; None if done at once."""


class TaskMenu:
    """A menu of tasks. lines: evaluated every time. leave: closing line, if any. ends: close after one task."""

    def __init__(
        self,
        doing: Text,
        now: Text,
        lines: Callable[[], Sequence[Line]],
        leave: Text | None = BACK,
        ends: bool = False,
    ) -> None:
        self._doing, self._now, self._lines, self._leave, self._ends = doing, now, lines, leave, ends
        self._opened: Task | None = None
        self._left = False

    @property
    def over(self) -> bool:
        self._look()
        return self._left

    @property
    def inside(self) -> bool:
        """True if a task is open."""
        self._look()
        return self._opened is not None

    def enter(self, task: Task) -> None:
        self._opened = task

    def step(self) -> TaskStep:
        self._look()
        if self._opened is not None:
            return self._opened.step()
        leave = () if self._leave is None else (self._leave,)
        return TaskStep(self._doing, self._now, choices=(*(text for text, _ in self._lines()), *leave))

    def choose(self, line: int) -> None:
        self._look()
        if self._opened is not None:
            self._opened.choose(line)
            return
        lines = self._lines()
        if 0 <= line < len(lines):
            self._opened = lines[line][1]()
            self._left = self._ends and self._opened is None
        elif line == len(lines) and self._leave is not None:
            self._left = True

    def _look(self) -> None:
        if self._opened is not None and self._opened.over:
            self._opened = None
            self._left = self._ends


class Stages:
    """Tasks in a row, with "Back" and "Later".

    makes: creates each.
    at: first one's number, from 0.
    reached: receives each one's number, finally their count.
    """

    def __init__(self, makes: Sequence[Callable[[], Task]], at: int, reached: Callable[[int], None]) -> None:
        self._makes, self._at, self._reached = makes, at, reached
        self._task: Task | None = makes[at]() if at < len(makes) else None
        self._left = False

    @property
    def over(self) -> bool:
        self._look()
        return self._left or self._task is None

    def step(self) -> TaskStep:
        self._look()
        assert self._task is not None, "who asks for its step has seen that it is not over"
        step = self._task.step()
        if _deep(self._task):
            return step
        return msgspec.structs.replace(step, done=self._at, of=len(self._makes), choices=(*step.choices, *self._own()))

    def choose(self, line: int) -> None:
        self._look()
        if self._task is None:
            return
        own = line - len(self._task.step().choices)
        if own < 0 or _deep(self._task):
            self._task.choose(line)
        elif own < len(self._own()):
            if self._own()[own] == BACK:
                self._go(self._at - 1)
            else:
                self._left = True

    def _own(self) -> tuple[Text, ...]:
        return (*((BACK,) if self._at else ()), LATER)

    def _look(self) -> None:
        if self._task is not None and self._task.over:
            self._go(self._at + 1)

    def _go(self, at: int) -> None:
        self._at = at
        self._reached(at)
        self._task = self._makes[at]() if at < len(self._makes) else None


class Notice:
    """A text to read. makes: returns the step, every time."""

    def __init__(self, makes: Callable[[], TaskStep]) -> None:
        self._makes, self._read = makes, False

    @property
    def over(self) -> bool:
        return self._read

    def step(self) -> TaskStep:
        return msgspec.structs.replace(self._makes(), choices=(GO_ON,))

    def choose(self, line: int) -> None:
        self._read = self._read or line == 0


def _deep(task: Task) -> bool:
    return isinstance(task, TaskMenu) and task.inside
