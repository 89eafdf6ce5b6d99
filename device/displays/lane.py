"""One thread for each bus. Nobody waits for it when the program ends: a bus that hangs may hang for ever."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from threading import Thread
from typing import Any, TypeVar

T = TypeVar("T")


class Lane:
    """Jobs one after the other, in a thread of their own. What one raises, whoever waits for it gets."""

    def __init__(self, name: str) -> None:
        self._jobs: SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = SimpleQueue()
        Thread(target=self._run, name=name, daemon=True).start()

    def do(self, job: Callable[[], T]) -> asyncio.Future[T]:
        """Its result, to be awaited on the loop that runs now."""
        done: Future[T] = Future()
        self._jobs.put((done, job))
        return asyncio.wrap_future(done)

    def close(self) -> None:
        """The thread ends after what was asked of it so far."""
        self._jobs.put(None)

    def _run(self) -> None:
        while (asked := self._jobs.get()) is not None:
            done, job = asked
            if not done.set_running_or_notify_cancel():
                continue
            try:
                result = job()
            except Exception as error:  # noqa: BLE001  # handed on, not swallowed
                done.set_exception(error)
            else:
                done.set_result(result)
