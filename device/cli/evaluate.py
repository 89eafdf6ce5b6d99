"""`referee evaluate`: benchmarks naming on pictures, and the following of a filmed board on its list of moves."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, cast

import msgspec
import typer

from device.cli.common import AsJson
from engine.errors import RefereeError

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
    shots: Annotated[int | None, typer.Option(min=1, help="Pictures of each kind to learn from; else all.")] = None,
    symmetry: Annotated[Turns, typer.Option(help="Which turns of a piece look alike.")] = Turns.ANY,
    video: Annotated[Path | None, typer.Option(help="A recorded overhead video of a board; needs --moves.")] = None,
    moves: Annotated[Path | None, typer.Option(help="MOVES.json: corners, rows, columns and the moves made.")] = None,
    as_json: AsJson = False,
) -> None:
    """Measure how well pictures are named, or with --video and --moves how well the moves on a board are followed."""
    import cv2

    cv2.setNumThreads(1)
    if video is not None and moves is not None and folder is None:
        _tell(_followed(video, moves), as_json)
    elif folder is not None and video is None and moves is None:
        _tell(_named(folder, shots, symmetry), as_json)
    else:
        raise typer.BadParameter("give either a folder of pictures, or --video and --moves")


def _named(folder: Path, shots: int | None, symmetry: Turns) -> msgspec.Struct:
    from vision.evaluate import evaluate
    from vision.recognition.canonical import Symmetry
    from vision.recognition.enrolment import UNKNOWN

    learnt, asked = ({each.name for each in (folder / part).glob("*/")} for part in ("enrol", "test"))
    strange = sorted(asked - learnt - {UNKNOWN}) if learnt else []
    if strange:
        raise EvaluationError(
            f"{folder / 'test' / strange[0]}: no pictures of {', '.join(strange)} in {folder / 'enrol'} to learn from; "
            f"what is of no kind goes to {folder / 'test' / UNKNOWN}"
        )
    return evaluate(folder, shots, cast(Symmetry, symmetry.value))


def _followed(video: Path, moves: Path) -> msgspec.Struct:
    from rich.console import Console
    from rich.progress import Progress

    from vision.boards.moves import evaluate_moves, load_moves

    try:
        made = load_moves(moves)
    except OSError as error:
        raise typer.BadParameter(f"cannot read {moves}: {error.strerror or error}") from error
    except msgspec.DecodeError as error:
        raise typer.BadParameter(f"{moves} holds no list of moves: {error}; see docs/boards.md") from error
    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(video.name, total=None)
        try:
            return evaluate_moves(
                video, made, lambda done, total: progress.update(task, completed=done, total=total or None)
            )
        except ValueError as error:
            raise typer.BadParameter(f"{moves} does not fit {video}: {error}") from error


def _tell(figures: msgspec.Struct, as_json: bool) -> None:
    if as_json:
        typer.echo(msgspec.json.encode(figures).decode())
        return
    for name, value in msgspec.structs.asdict(figures).items():
        typer.echo(f"{name:24} {value}")
