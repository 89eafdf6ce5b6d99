"""Measures the steps of processing a picture."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from functools import wraps
from typing import Concatenate, ParamSpec, Protocol, TypeVar

Clock = Callable[[], float]
"""Seconds from any origin."""


class Times:
    """Milliseconds by step since `begin`, nested steps excluded."""

    def __init__(self, clock: Clock = time.perf_counter) -> None:
        self._clock = clock
        self._running: list[str] = []
        self._since = 0.0
        self.ms: dict[str, float] = {}

    def begin(self) -> None:
        """Reset for another picture."""
        self.ms = {}

    def enter(self, name: str) -> None:
        """Begin a step and pause the enclosing one."""
        self._count()
        self._running.append(name)
        self.ms.setdefault(name, 0.0)

    def leave(self) -> None:
        """End the innermost step."""
        self._count()
        self._running.pop()

    def _count(self) -> None:
        now = self._clock()
        if self._running:
            name = self._running[-1]
            self.ms[name] = self.ms.get(name, 0.0) + (now - self._since) * 1000
        self._since = now


class Timed(Protocol):
    """An object with timed steps."""

    times: Times


Owner = TypeVar("Owner", bound=Timed)
Given = ParamSpec("Given")
Result = TypeVar("Result")


class TimedStep:
    """Times a method of a `Timed` object: `@TimedStep("hands")`."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(
        self, work: Callable[Concatenate[Owner, Given], Result]
    ) -> Callable[Concatenate[Owner, Given], Result]:
        @wraps(work)
        def wrapper(owner: Owner, /, *args: Given.args, **kwargs: Given.kwargs) -> Result:
            owner.times.enter(self.name)
            try:
                return work(owner, *args, **kwargs)
            finally:
                owner.times.leave()

        return wrapper


class Parts:
    """Times a generator method of a `Timed` object, except its pauses: `@Parts("names")`."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(
        self, work: Callable[Concatenate[Owner, Given], Generator[None, None, Result]]
    ) -> Callable[Concatenate[Owner, Given], Generator[None, None, Result]]:
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
    """Run a generator to its end; return its result."""
    while True:
        try:
            next(going)
        except StopIteration as done:
            result: Result = done.value
            return result
