"""Runs `referee calibrate`: camera preview and lens measurement."""

from __future__ import annotations

import asyncio
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from device import games
from device.cli.common import TablePath, leave_to_owner, table_settings, writing
from device.logs import log_to_stderr
from device.settings.table import NoCamera, TableSettings, V4l2
from device.temporary_folders import scratch

PANEL = "Camera"


def command(
    lens: Annotated[
        Path | None, typer.Option(help="Measure the lens from pictures of the printed board in this folder.")
    ] = None,
    take: Annotated[
        int, typer.Option(min=0, max=100, help="First take this many pictures of the board with this table's camera.")
    ] = 0,
    game: Annotated[
        str | None,
        typer.Option("--game", "-g", help="The game whose mat is on the table.", show_default="the usual one"),
    ] = None,
    host: Annotated[
        str, typer.Option(help="Address to serve the page on; 0.0.0.0: for every machine of the network.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port of the page; 0 takes a free one.")] = 8138,
    table: TablePath = None,
) -> None:
    """Show in the browser what the camera sees, and say what to change; or measure the lens (--lens FOLDER)."""
    settings = table_settings(table)
    if take:
        _take(settings, lens, take)
    if lens is not None:
        _measure(lens, settings)
        return
    from device.camera_preview import watch

    log_to_stderr()
    with scratch() as folder:
        asyncio.run(watch(settings, games.spec(game or games.usual()), folder, host=host, port=port, ready=typer.echo))


def _take(settings: TableSettings, folder: Path | None, count: int) -> None:
    import cv2

    from device.daemon.assembly import camera_spec
    from vision.cameras import open_camera
    from vision.registration.lens import CalibrationBoard
    from vision.registration.views import views

    spec = camera_spec(settings)
    if spec is None:
        raise typer.BadParameter("this table has no camera", param_hint="--take")
    if folder is None:
        raise typer.BadParameter("name the folder for the pictures with --lens", param_hint="--take")
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise typer.BadParameter(f"{folder} is not empty: name a new folder", param_hint="--lens")
    typer.echo(
        "Hold the printed board before the camera, still, and after each picture elsewhere and tilted otherwise."
    )
    with closing(open_camera(spec)) as camera:
        camera.open()
        for number, image in enumerate(islice(views(camera, CalibrationBoard()), count), 1):
            path = folder / f"board-{number:02}.png"
            with writing(path):
                path.write_bytes(cv2.imencode(".png", image)[1].tobytes())
            typer.echo(f"{number} of {count}")


def _size(settings: TableSettings) -> tuple[int, int] | None:
    from device.daemon.assembly import camera_spec

    camera, spec = settings.camera, camera_spec(settings)
    known = isinstance(camera, V4l2) or (not isinstance(camera, NoCamera) and camera.size is not None)
    return spec.size if spec is not None and known else None


def _measure(folder: Path, settings: TableSettings) -> None:
    from vision.pictures import Unread, read, skipped_text
    from vision.pictures import pictures as files
    from vision.registration.lens import CalibrationBoard, CalibrationFailed, calibrate, save_lens

    if not folder.is_dir():
        raise CalibrationFailed(f"there is no folder {folder}: name one with pictures of the printed board")
    left: list[Unread] = []
    seen = [read(path) for path in files(folder, left.append)]
    left += [each for each in seen if isinstance(each, Unread)]
    if left:
        typer.echo(skipped_text(left, folder), err=True)
    pictures = [each for each in seen if not isinstance(each, Unread)]
    if not pictures:
        raise CalibrationFailed(f"{folder} holds no pictures: take some of the printed board with --take 12")
    found = calibrate(pictures, CalibrationBoard())
    if (size := _size(settings)) is not None:
        found.scale(*size)
    path = settings.state_dir / "lens.json"
    save_lens(found, path)
    leave_to_owner(settings.state_dir, path.name)
    typer.echo(f'{path} is written. Put it into the table file: [camera] lens = "{path}"')
