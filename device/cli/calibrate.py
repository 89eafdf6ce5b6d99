"""`referee calibrate`: the camera's picture with what is seen in it, and the lens."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from device import games
from device.cli.common import TablePath, log_to_stderr, table_settings

PANEL = "Camera"


def command(
    lens: Annotated[
        Path | None, typer.Option(help="Measure the lens from pictures of the printed board in this folder.")
    ] = None,
    game: Annotated[str, typer.Option("--game", "-g", help="Whose mat lies there.")] = "tellstones",
    host: Annotated[str, typer.Option(help="Where the page can be opened from; this machine alone.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535)] = 8138,
    table: TablePath = None,
) -> None:
    """Show in the browser what the camera sees, and say what to change; or measure the lens (--lens FOLDER)."""
    settings = table_settings(table)
    if lens is not None:
        _measure(lens, settings.state_dir / "lens.json")
        return
    from device.lookout import watch

    log_to_stderr()
    with tempfile.TemporaryDirectory(prefix="table-referee-") as folder:
        asyncio.run(watch(settings, games.spec(game), Path(folder), host=host, port=port, ready=typer.echo))


def _measure(folder: Path, path: Path) -> None:
    from vision.recognition.enrolment import read_picture
    from vision.registration.lens import Board, CalibrationFailed, calibrate, save_lens

    if not folder.is_dir():
        raise CalibrationFailed(f"there is no folder {folder}: name one with pictures of the printed board")
    pictures = [read_picture(each) for each in sorted(folder.glob("*")) if each.is_file()]
    if not pictures:
        raise CalibrationFailed(f"{folder} holds no pictures: take at least five of the printed board")
    found = calibrate(pictures, Board())
    path.parent.mkdir(parents=True, exist_ok=True)
    save_lens(found, path)
    typer.echo(f'{path} is written. Put it into the table file: [camera] lens = "{path}"')
