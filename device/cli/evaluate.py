"""`referee evaluate`: the yardstick of the recogniser."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from device.cli.common import AsJson

PANEL = "Camera"


class Turns(StrEnum):
    ANY = "any"
    FOUR = "4"
    TWO = "2"
    ONE = "1"


def command(
    folder: Annotated[Path, typer.Argument(help="DIR/enrol/KIND/* to learn from, DIR/test/KIND/* to name.")],
    shots: Annotated[int | None, typer.Option(help="Pictures of each kind to learn from; else all.")] = None,
    symmetry: Annotated[Turns, typer.Option(help="Which turns of a piece look alike.")] = Turns.ANY,
    as_json: AsJson = False,
) -> None:
    """Measure how well pictures are named, and at which certainty none is named wrongly."""
    import cv2

    from vision.evaluate import evaluate
    from vision.recognition.canonical import Symmetry

    cv2.setNumThreads(1)
    turns = msgspec.convert(symmetry.value, Symmetry, strict=False)
    figures = evaluate(folder, shots, turns)
    if as_json:
        typer.echo(msgspec.json.encode(figures).decode())
        return
    for name, value in msgspec.structs.asdict(figures).items():
        typer.echo(f"{name:24} {value}")
