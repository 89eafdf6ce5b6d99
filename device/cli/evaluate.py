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
    leave_out: Annotated[
        bool, typer.Option("--leave-out", help="Show each kind as a stranger, too, to the set without it.")
    ] = False,
    check: Annotated[
        Path | None,
        typer.Option(help="FOLDER/KIND/*: pictures of a check round, which sets the threshold.", metavar="FOLDER"),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Measure how well pictures of pieces are named."""
    import cv2

    from vision.evaluate import evaluate, lines
    from vision.recognition.index import Symmetry

    cv2.setNumThreads(1)
    _check(folder, check)
    turns = msgspec.convert(symmetry.value, Symmetry, strict=False)
    figures = evaluate(
        folder, shots, turns, leave_out=leave_out, check=check, warn=lambda text: typer.echo(text, err=True)
    )
    typer.echo(msgspec.json.encode(figures).decode() if as_json else "\n".join(lines(figures)))


def _check(folder: Path, again: Path | None) -> None:
    """Raises EvaluationError if a kind is asked for, or laid in the check round, that nobody shows."""
    from vision.recognition.enrolment import UNKNOWN

    learnt = _kinds(folder / "enrol")
    for part in (folder / "test", *([] if again is None else [again])):
        strange = sorted(_kinds(part) - learnt - {UNKNOWN}) if learnt else []
        if strange:
            raise EvaluationError(
                f"{part / strange[0]}: no pictures of {', '.join(strange)} in {folder / 'enrol'} to learn from; "
                f"what is of no kind goes to {folder / 'test' / UNKNOWN}"
            )


def _kinds(folder: Path) -> set[str]:
    from vision.pictures import folders

    return {each.name for each in folders(folder)} if folder.is_dir() else set()
