"""`referee evaluate`: how well the pieces of one's own pictures are told apart and named."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

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
    folder: Annotated[Path, typer.Argument(help="DIR/enrol/KIND/* to learn from, DIR/test/KIND/* to name.")],
    shots: Annotated[
        int | None, typer.Option(min=1, help="Number of pictures of each kind to learn from. Default: all.")
    ] = None,
    symmetry: Annotated[
        Turns, typer.Option(help="Which turns of a piece may occur: any angle, quarters (4), halves (2), none (1).")
    ] = Turns.ANY,
    as_json: AsJson = False,
) -> None:
    """Measure how well pictures of pieces are named."""
    import cv2

    from vision.evaluate import evaluate, lines
    from vision.recognition.index import Symmetry

    cv2.setNumThreads(1)
    _check(folder)
    turns = msgspec.convert(symmetry.value, Symmetry, strict=False)
    figures = evaluate(folder, shots, turns, warn=lambda text: typer.echo(text, err=True))
    typer.echo(msgspec.json.encode(figures).decode() if as_json else "\n".join(lines(figures)))


def _check(folder: Path) -> None:
    """Raises EvaluationError if a kind is asked for that nobody shows."""
    from vision.pictures import folders
    from vision.recognition.enrolment import UNKNOWN

    parts = (folder / "enrol", folder / "test")
    learnt, asked = ({each.name for each in folders(part)} if part.is_dir() else set() for part in parts)
    strange = sorted(asked - learnt - {UNKNOWN}) if learnt else []
    if strange:
        raise EvaluationError(
            f"{folder / 'test' / strange[0]}: no pictures of {', '.join(strange)} in {folder / 'enrol'} to learn from; "
            f"what is of no kind goes to {folder / 'test' / UNKNOWN}"
        )
