"""`referee enrol`: references of an owner's own pieces."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.prompt import Prompt

from device import games
from device.cli.common import TablePath, table_settings
from device.resources import resource, root
from device.settings.table import NoCamera, TableSettings
from engine.errors import RefereeError

if TYPE_CHECKING:
    from vision.recognition.enrolment import EnrolledSet
    from vision.recognition.naming import PieceSet

PANEL = "Camera"


class EnrolmentError(RefereeError, ValueError):
    """Pictures that cannot be enrolled as asked."""


def command(
    name: Annotated[str, typer.Argument(metavar="SET", help="A piece set of config/sets, such as stones.")],
    source: Annotated[
        Path | None, typer.Option("--from", help="Pictures instead of the camera: DIR/KIND/*.", show_default=False)
    ] = None,
    shots: Annotated[int, typer.Option(min=1, max=20, help="Pictures of each piece.")] = 3,
    table: TablePath = None,
) -> None:
    """Learn your own pieces: lay one on the mat, press Enter, turn it, press Enter, next."""
    from vision.recognition.enrolment import save
    from vision.recognition.naming import PieceSet
    from vision.recognition.review import review

    known = sorted(file.stem for file in (root() / "sets").glob("*.toml"))
    if name not in known:
        raise typer.BadParameter(f"there is no set {name}; there are {', '.join(known)}", param_hint="SET")
    settings = table_settings(table)
    folder = settings.state_dir / "enrolled" / name
    pieces = games.decode(resource("sets", f"{name}.toml"), PieceSet)
    if source is not None:
        from vision.recognition.enrolment import enrol_from

        _refuse_strangers(source, pieces)
        enrolled = enrol_from(source, name, folder, pieces.symmetry)
    else:
        enrolled = _from_camera(settings, pieces, shots)
        save(enrolled, folder)
    for remark in review(enrolled):
        typer.echo(f"Better this: {remark.text}")
    pictures = sum(map(len, enrolled.pictures.values()))
    typer.echo(f"{name}: {len(enrolled.pictures)} kinds, {pictures} pictures, in {folder}")
    missing = sorted(set(pieces.kinds) - set(enrolled.pictures))
    if missing:
        typer.echo(f"Not enrolled, so never named: {', '.join(missing)}")


def _refuse_strangers(source: Path, pieces: PieceSet) -> None:
    """A folder with another name than a piece's is a slip: its pictures would never be used."""
    from vision.recognition.enrolment import BACK, UNKNOWN

    strange = sorted({each.name for each in source.glob("*/")} - {*pieces.kinds, BACK, UNKNOWN})
    if strange:
        raise EnrolmentError(
            f"{source / strange[0]}: {pieces.name} has no piece called {', '.join(strange)}; "
            f"its folders are {', '.join(pieces.kinds)}, {BACK}"
        )


def _from_camera(settings: TableSettings, pieces: PieceSet, shots: int) -> EnrolledSet:
    from device.daemon.assembly import camera_spec
    from device.enrolling import Photographer, Shot, enrol, mat_for
    from vision.cameras import open_camera
    from vision.recognition.enrolment import BACK
    from vision.registration.lens import load_lens

    spec, optics = camera_spec(settings), settings.camera
    laid = {table.mat for known in games.specs().values() for table in known.tables if table.mat}
    mat = mat_for(games.mats(laid), pieces.name)
    if spec is None or isinstance(optics, NoCamera) or mat is None:
        raise typer.BadParameter("there is no camera, or no mat for this set: give pictures with --from")

    def ask(shot: Shot) -> bool:
        what = "a face-down piece" if shot.kind == BACK else f"the {shot.kind}"
        turned = ", turned a little" if shot.number > 1 else " alone on the mat"
        return Prompt.ask(f"Lay {what}{turned} ({shot.number} of {shot.of}). Enter; q ends", default="") != "q"

    with closing(open_camera(spec)) as camera:
        camera.open()
        lens = load_lens(optics.lens) if optics.lens is not None else None
        return enrol(Photographer(camera, mat, pieces, lens), shots, ask, lambda why: typer.echo(f"  again: {why}"))
