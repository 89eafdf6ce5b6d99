"""One thread for each bus. Nobody waits for it when the program ends: a bus that hangs may hang for ever."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from itertools import count
from queue import PriorityQueue
from threading import Thread
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")


class _Asked(NamedTuple):
    """A job, in the order in which jobs are done. Without one the thread ends."""

    order: float
    number: int
    job: tuple[Future[Any], Callable[[], Any]] | None


class Lane:
    """Jobs one after the other, in a thread of their own. What one raises, whoever waits for it gets."""

    def __init__(self, name: str) -> None:
        self._jobs: PriorityQueue[_Asked] = PriorityQueue()
        self._numbers, self._users = count(), 0
        self.finished = 0
        """So many jobs have been done. While it does not rise, the job that is being done hangs."""
        Thread(target=self._run, name=name, daemon=True).start()

    def join(self) -> None:
        """One more uses it, who will `leave`."""
        self._users += 1

    def leave(self) -> None:
        """Leave the lane. After the last one its thread ends, once it has done what was asked."""
        self._users -= 1
        if not self._users:
            self._jobs.put(_Asked(float("inf"), next(self._numbers), None))

    def do(self, job: Callable[[], T], rank: float = 0.0) -> Future[T]:
        """Queue a job, and return its future. Of waiting jobs the highest rank is done next, the oldest of equals."""
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
