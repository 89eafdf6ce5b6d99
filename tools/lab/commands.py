"""Parses the arguments of commands over sets of photographs, and prints their figures."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeVar

import cv2
import msgspec
from rich.console import Console
from rich.progress import track

Figures = TypeVar("Figures")


def parser_of(module: str, text: str | None, sets: str) -> argparse.ArgumentParser:
    """Return a parser of DIR ... and --json. module: what is run; text: its help; sets: help of DIR."""
    parser = argparse.ArgumentParser(
        prog=f"python -m {module}", description=text, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", type=Path, nargs="+", metavar="DIR", help=sets)
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    return parser


def in_turn(folders: Iterable[Path]) -> Iterator[Path]:
    """Yield folders beside a progress bar, while OpenCV works in one thread."""
    cv2.setNumThreads(1)
    yield from track(list(folders), "sets", console=Console(stderr=True), transient=True)


def print_figures(figures: Figures, lines: Callable[[Figures], Iterable[str]], *, as_json: bool) -> None:
    """Print figures as JSON, or formatted for people by `lines`."""
    text = msgspec.json.format(msgspec.json.encode(figures)).decode() if as_json else "\n".join(lines(figures))
    sys.stdout.write(text + "\n")
