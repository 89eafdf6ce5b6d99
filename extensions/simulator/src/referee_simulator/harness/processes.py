"""Runs matches in several processes, and cleans up processes and files however the run ends."""

from __future__ import annotations

import multiprocessing
import os
import signal
import tempfile
from collections.abc import Callable, Generator, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from device.temporary_folders import hold, scratch
from vision.parent_death import end_with

T = TypeVar("T")
S = TypeVar("S")


def spread(play: Callable[[T], S], tasks: Mapping[int, T], jobs: int) -> Generator[tuple[int, S], None, None]:
    """Yield (task number, result) as tasks end; in order with one job."""
    if jobs <= 1 or len(tasks) == 1:
        yield from ((number, play(task)) for number, task in tasks.items())
        return
    others = set(multiprocessing.active_children())
    with scratch() as folder:
        context = multiprocessing.get_context("spawn")
        pool = ProcessPoolExecutor(min(jobs, len(tasks)), context, _begin, (str(folder), os.getpid()))
        try:
            with _interrupts_held_back():
                pending = {pool.submit(play, task): number for number, task in tasks.items()}
            for future in as_completed(pending):
                yield pending[future], future.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            for child in set(multiprocessing.active_children()) - others:
                child.kill()
                child.join()


def play_in_processes(
    play: Callable[[T], S], tasks: Mapping[int, T], jobs: int, progress: Callable[[int, int], None]
) -> dict[int, S]:
    """Play tasks in processes; return results by number. progress: called after each with counts done and total."""
    scores: dict[int, S] = {}
    for number, score in spread(play, tasks, jobs):
        scores[number] = score
        progress(len(scores), len(tasks))
    return dict(sorted(scores.items()))


def _begin(folder: str, parent: int) -> None:
    """Redirect this process's temporary files into the folder, and end with the parent, however that ends."""
    end_with(parent)
    hold(Path(folder))
    tempfile.tempdir = folder


@contextmanager
def _interrupts_held_back() -> Iterator[None]:
    """Block Ctrl-C in processes started meanwhile; this process ends them."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
