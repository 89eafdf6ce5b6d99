"""`referee evaluate`: benchmarks naming on pictures, and the following of a filmed board on its list of moves."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from device.cli.common import AsJson
from engine.errors import RefereeError

if TYPE_CHECKING:
    from vision.boards.moves import Score
    from vision.evaluate import Evaluation

PANEL = "Camera"


class EvaluationError(RefereeError, ValueError):
    """What is to be measured is not there, or does not fit together."""


class Turns(StrEnum):
    ANY = "any"
    FOUR = "4"
    TWO = "2"
    ONE = "1"


def command(
    folder: Annotated[
        Path | None, typer.Argument(help="DIR/enrol/KIND/* to learn from, DIR/test/KIND/* to name.")
    ] = None,
    shots: Annotated[
        int | None, typer.Option(min=1, help="Number of pictures of each kind to learn from. Default: all.")
    ] = None,
    symmetry: Annotated[
        Turns, typer.Option(help="Which turns of a piece may occur: any angle, quarters (4), halves (2), none (1).")
    ] = Turns.ANY,
    video: Annotated[Path | None, typer.Option(help="A recorded overhead video of a board; needs --moves.")] = None,
    moves: Annotated[Path | None, typer.Option(help="MOVES.json: corners, rows, columns and the moves made.")] = None,
    as_json: AsJson = False,
) -> None:
    """Measure how well pictures are named, or with --video and --moves how well the moves on a board are followed."""
    import cv2

    cv2.setNumThreads(1)
    if video is not None and moves is not None and folder is None:
        from vision.boards.moves import lines as told

        score = _followed(video, moves)
        _tell(score, as_json, lambda: told(score))
    elif folder is not None and video is None and moves is None:
        from vision.evaluate import lines

        figures = _named(folder, shots, symmetry)
        _tell(figures, as_json, lambda: lines(figures))
    else:
        raise typer.BadParameter("give either a folder of pictures, or --video and --moves")


def _named(folder: Path, shots: int | None, symmetry: Turns) -> Evaluation:
    from vision.evaluate import evaluate
    from vision.pictures import folders
    from vision.recognition.enrolment import UNKNOWN
    from vision.recognition.index import Symmetry

    parts = (folder / "enrol", folder / "test")
    learnt, asked = ({each.name for each in folders(part)} if part.is_dir() else set() for part in parts)
    strange = sorted(asked - learnt - {UNKNOWN}) if learnt else []
    if strange:
        raise EvaluationError(
            f"{folder / 'test' / strange[0]}: no pictures of {', '.join(strange)} in {folder / 'enrol'} to learn from; "
            f"what is of no kind goes to {folder / 'test' / UNKNOWN}"
        )
    turns = msgspec.convert(symmetry.value, Symmetry, strict=False)
    return evaluate(folder, shots, turns, warn=lambda text: typer.echo(text, err=True))


def _followed(video: Path, moves: Path) -> Score:
    from rich.console import Console
    from rich.progress import Progress

    from vision.boards.moves import evaluate_moves, load_moves

    made = load_moves(moves)
    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(video.name, total=None)
        try:
            return evaluate_moves(
                video, made, lambda done, total: progress.update(task, completed=done, total=total or None)
            )
        except ValueError as error:
            raise typer.BadParameter(f"{moves} does not fit {video}: {error}") from error


def _tell(figures: msgspec.Struct, as_json: bool, lines: Callable[[], list[str]]) -> None:
    typer.echo(msgspec.json.encode(figures).decode() if as_json else "\n".join(lines()))
