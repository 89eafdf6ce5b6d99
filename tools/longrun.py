"""What the commands of long runs share: their options, their progress, and how they print what they found."""

from __future__ import annotations

import argparse
import logging
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from engine.errors import RefereeError
from referee_simulator.harness.stored_results import OnProgress


def parser(about: str | None, *, seed: int | None) -> argparse.ArgumentParser:
    """A parser with the options of every long run. seed: the usual one; None: nothing is drawn."""
    made = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    if seed is not None:
        made.add_argument("--seed", type=int, default=seed, help=f"of all random choices ({seed})")
    made.add_argument("--jobs", type=int, default=1, help="processes at once (1)")
    made.add_argument("--folder", type=Path, help="keep the results here: a run that was broken off goes on")
    made.add_argument("--json", action="store_true", help="print the figures as JSON")
    return made


@contextmanager
def start_run(what: str, prepare: Callable[[], None] = lambda: None) -> Iterator[OnProgress]:
    """The run, with its progress on standard error; what cannot be used ends it with one line and status 2.

    prepare: is done first.
    """
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    logging.disable(logging.WARNING)  # whatever a journal says at its start is counted
    try:
        prepare()
        with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
            task = progress.add_task(what, total=None)
            yield lambda done, of: progress.update(task, completed=done, total=of)
    except RefereeError as error:
        Console(stderr=True).print(str(error), markup=False)
        raise SystemExit(2) from error


def memory() -> Path | None:
    """Memory for files, where there is some: nothing of a trial has to outlast it."""
    place = Path("/dev/shm")
    return place if os.access(place, os.W_OK) else None


def show(result: msgspec.Struct, as_json: bool) -> None:
    """Prints the figures: one line of JSON, or one figure a line."""
    if as_json:
        print(msgspec.json.encode(result).decode())
        return
    for name, value in msgspec.to_builtins(result).items():
        if isinstance(value, list | tuple):
            print("\n".join(f"{name[:-1]}: {each}" for each in value) or f"{name}: none")
        elif isinstance(value, dict):
            print(f"{name}: {', '.join(f'{key} {count}' for key, count in value.items()) or 'none'}")
        else:
            print(f"{name}: {value}")
