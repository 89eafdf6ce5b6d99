"""A look's steps, each of which times itself: where the milliseconds of a picture went."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from functools import wraps
from typing import Concatenate, ParamSpec, Protocol, TypeVar

Clock = Callable[[], float]
"""Seconds, from any beginning."""


class Times:
    """Milliseconds of each step since `begin`, by its name, in the order in which the steps were first taken.

    Each counts without the steps taken inside it, so that together they are the whole.
    """

    def __init__(self, clock: Clock = time.perf_counter) -> None:
        self._clock = clock
        self._running: list[str] = []
        self._since = 0.0
        self.ms: dict[str, float] = {}

    def begin(self) -> None:
        """Forgets what was measured: another picture comes."""
        self.ms = {}

    def enter(self, name: str) -> None:
        """A step begins; the one around it stands still."""
        self._count()
        self._running.append(name)
        self.ms.setdefault(name, 0.0)

    def leave(self) -> None:
        """The innermost step ends."""
        self._count()
        self._running.pop()

    def _count(self) -> None:
        now = self._clock()
        if self._running:
            name = self._running[-1]
            self.ms[name] = self.ms.get(name, 0.0) + (now - self._since) * 1000
        self._since = now


class Timed(Protocol):
    """What takes steps."""

    times: Times


Owner = TypeVar("Owner", bound=Timed)
Given = ParamSpec("Given")
Result = TypeVar("Result")


class TimedStep:
    """One step of a look: `@Step("hands")` above a method of something `Timed` counts every call of it."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(
        self, work: Callable[Concatenate[Owner, Given], Result]
    ) -> Callable[Concatenate[Owner, Given], Result]:
        """The same method, timed. What it raises, it raises."""

        @wraps(work)
        def wrapper(owner: Owner, /, *args: Given.args, **kwargs: Given.kwargs) -> Result:
            owner.times.enter(self.name)
            try:
                return work(owner, *args, **kwargs)
            finally:
                owner.times.leave()

        return wrapper


class Parts:
    """A step that is taken in parts: `@Parts("names")` above a method that yields between them counts each."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(
        self, work: Callable[Concatenate[Owner, Given], Generator[None, None, Result]]
    ) -> Callable[Concatenate[Owner, Given], Generator[None, None, Result]]:
        """The same generator, timed. What it raises, it raises."""

        @wraps(work)
        def wrapper(owner: Owner, /, *args: Given.args, **kwargs: Given.kwargs) -> Generator[None, None, Result]:
            going = work(owner, *args, **kwargs)
            while True:
                owner.times.enter(self.name)
                try:
                    next(going)
                except StopIteration as done:
                    result: Result = done.value
                    return result
                finally:
                    owner.times.leave()
                yield

        return wrapper


def run_together(going: Generator[None, None, Result]) -> Result:
    """Run all parts at once, and return the result."""
    while True:
        try:
            next(going)
        except StopIteration as done:
            result: Result = done.value
            return result
