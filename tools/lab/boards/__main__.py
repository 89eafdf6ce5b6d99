"""`python -m tools.lab.boards FILE MOVES.json`: how well a filmed board is followed (docs/developers/boards.md)."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import cv2
import msgspec
from rich.console import Console
from rich.progress import Progress

from engine.errors import RefereeError
from tools.lab.boards.moves import Moves, Score, evaluate_moves, lines, load_moves


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the score. What cannot be read or does not fit together is one line on standard error, and exit code 2."""
    parser = argparse.ArgumentParser(prog="python -m tools.lab.boards", description=__doc__)
    parser.add_argument("film", type=Path, help="a recorded overhead video of a board")
    parser.add_argument("moves", type=Path, help="its corners, rows and columns, and the moves made")
    parser.add_argument("--json", action="store_true", help="print the score as JSON")
    given = parser.parse_args(arguments)
    cv2.setNumThreads(1)
    try:
        score = _followed(given.film, load_moves(given.moves))
    except (RefereeError, ValueError) as error:
        sys.stderr.write(f"{given.moves} for {given.film}: {error}\n")
        return 2
    sys.stdout.write((msgspec.json.encode(score).decode() if given.json else "\n".join(lines(score))) + "\n")
    return 0


def _followed(film: Path, moves: Moves) -> Score:
    """The score, with a progress bar on standard error meanwhile."""
    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(film.name, total=None)
        return evaluate_moves(
            film, moves, lambda done, total: progress.update(task, completed=done, total=total or None)
        )


if __name__ == "__main__":
    os.environ.setdefault("OPENCV_LOG_LEVEL", "SILENT")
    raise SystemExit(main())
