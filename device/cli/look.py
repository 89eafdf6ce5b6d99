"""Runs `referee look`: vision on pictures or a video."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from device import games
from device.cli.common import AsJson, table_path, table_settings
from device.resources import every, load_shipped
from device.settings import TableSettings
from device.settings.table import NoCamera
from engine.errors import Invalid, RefereeError
from engine.table import Health
from engine.text import say
from vision.files import BadFile
from vision.mat import Mat, read_mats

if TYPE_CHECKING:
    from vision.recognition.naming import PieceSet, Recogniser
    from vision.still_pictures import Optics, SeenPicture

PANEL = "Camera"


class NothingToSee(RefereeError, ValueError):
    """The path has no picture or video."""


def command(
    path: Annotated[Path, typer.Argument(help="A picture, a folder of pictures, or a video.")],
    *,
    game: Annotated[
        str | None,
        typer.Option("--game", "-g", help="The game whose mat is on the table.", show_default="the usual one"),
    ] = None,
    mat: Annotated[str | None, typer.Option(help="A mat of config/mats, if the game has several.")] = None,
    enrolled: Annotated[
        Path | None, typer.Option("--set", help="Enrolled pieces: a folder, or a name below the table's state_dir.")
    ] = None,
    table: Annotated[
        Path | None, typer.Option("--table", "-t", help="The table file, for its lens and corners.", show_default=False)
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Tell what lies on the mat in each picture, or whenever it comes to rest in a video."""
    from vision.pictures import Unread, pictures, skipped_text
    from vision.recognition.naming import PieceSet
    from vision.still_pictures import look

    if not path.exists():
        raise NothingToSee(f"there is no {path}: name a picture, a folder of pictures or a video")
    left: list[Unread] = []
    if path.is_dir() and not pictures(path, left.append):
        also = f"; {skipped_text(left, path)}" if left else ""
        raise NothingToSee(f"{path} holds no pictures: name a folder with .jpg or .png files{also}")
    settings = table_settings(table) if table is not None or table_path(None).exists() else None
    laid = _mat(game or games.usual(), mat)
    names = sorted({zone.set for zone in laid.zones})
    folders = _folders(names, enrolled, settings)
    sets = {name: _as_measured(load_shipped(PieceSet, "sets", f"{name}.toml"), folders) for name in names}
    left.clear()
    recognisers, optics = _recognisers(folders, sets), _optics(settings)
    others = read_mats(every("mats"), _unread)
    for seen in look(path, laid, sets, recognisers, optics=optics, others=others.values(), skip=left.append):
        typer.echo(msgspec.json.encode(seen).decode() if as_json else _report_line(seen, others))
    if left:
        typer.echo(skipped_text(left, path), err=True)


def _mat(game: str, name: str | None) -> Mat:
    names = [laid.mat for laid in games.spec(game).tables if laid.mat is not None]
    if not names:
        raise Invalid(say("{game} needs no mat.", game=game))
    if name is not None and name not in names:
        raise Invalid(say("{game} has no mat {mat}. Mats: {mats}.", game=game, mat=name, mats=", ".join(names)))
    return load_shipped(Mat, "mats", f"{name or names[0]}.toml")


def _folders(names: list[str], given: Path | None, settings: TableSettings | None) -> dict[str, Path]:
    below = settings.state_dir / "enrolled" if settings is not None else None
    if given is not None and not given.is_dir() and below is not None:
        given = below / given
    if given is not None:
        return dict.fromkeys(names, given)
    if below is None:
        return {}
    return {name: below / name for name in names if (below / name).is_dir()}


def _recognisers(folders: Mapping[str, Path], sets: Mapping[str, PieceSet]) -> dict[str, Recogniser]:
    from vision.recognition import readers

    return {name: readers.loader(sets[name])(folder) for name, folder in folders.items()}


def _as_measured(pieces: PieceSet, folders: Mapping[str, Path]) -> PieceSet:
    from vision.recognition.piece_sizes import with_measurements

    return with_measurements(pieces, folders[pieces.name]) if pieces.name in folders else pieces


def _optics(settings: TableSettings | None) -> Optics:
    import numpy as np

    from vision.registration.lens import load_lens
    from vision.still_pictures import Optics

    if settings is None or isinstance(settings.camera, NoCamera):
        return Optics()
    camera = settings.camera
    lens = load_lens(camera.lens) if camera.lens is not None else None
    return Optics(lens, np.array(camera.points, np.float64) if camera.points is not None else None)


def _unread(_path: Path, error: BadFile) -> None:
    typer.echo(str(error), err=True)


def _report_line(seen: SeenPicture, mats: Mapping[str, Mat]) -> str:
    other = mats.get(seen.instead)
    instead = f': the mat "{other.title}" lies there; give its --game and --mat' if other is not None else ""
    if seen.health is Health.NO_MAT and other is None:
        instead = ": too few of the mat's markers are found; is it all in the picture, and the one that is asked for?"
    if seen.health is Health.MIRRORED:
        instead = ": the picture is mirrored; turn mirroring off in the camera, or where it was saved"
    lines = [f"{seen.image} at {seen.t:.2f} s ({seen.health.value}{instead})"]
    for piece in seen.pieces:
        name = piece.kind or piece.face or "?"
        off = "" if piece.error_mm is None else f" +- {piece.error_mm:.1f}"
        place = f"{piece.x_mm:6.1f} {piece.y_mm:6.1f}{off} mm {piece.angle_deg:5.0f} deg"
        lines.append(f"  {piece.id:3} {piece.zone or '-':10} {place}  {name} ({piece.state}, {piece.confidence:.3f})")
    return "\n".join(lines)
