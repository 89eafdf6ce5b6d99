"""Runs a bus's jobs in a daemon thread, since a bus may hang for ever."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from itertools import count
from queue import PriorityQueue
from threading import Thread
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")


class _Asked(NamedTuple):
    """A prioritised job; None ends the thread."""

    order: float
    number: int
    job: tuple[Future[Any], Callable[[], Any]] | None


class Lane:
    """Runs jobs in order; errors go to the job's future."""

    def __init__(self, name: str) -> None:
        self._jobs: PriorityQueue[_Asked] = PriorityQueue()
        self._numbers, self._users = count(), 0
        self.finished = 0
        """Number of finished jobs; constant while one hangs."""
        Thread(target=self._run, name=name, daemon=True).start()

    def join(self) -> None:
        """Add a user."""
        self._users += 1

    def leave(self) -> None:
        """Remove a user; the thread ends after the last."""
        self._users -= 1
        if not self._users:
            self._jobs.put(_Asked(float("inf"), next(self._numbers), None))

    def do(self, job: Callable[[], T], rank: float = 0.0) -> Future[T]:
        """Queue a job and return its future. Highest rank first, then oldest."""
        done: Future[T] = Future()
        self._jobs.put(_Asked(-rank, next(self._numbers), (done, job)))
        return done

    def _run(self) -> None:
        while (asked := self._jobs.get().job) is not None:
            done, job = asked
            if not done.set_running_or_notify_cancel():
                continue
            try:
                result = job()
            except Exception as error:  # noqa: BLE001  # handed on, not swallowed
                done.set_exception(error)
            else:
                done.set_result(result)
            finally:
                self.finished += 1
