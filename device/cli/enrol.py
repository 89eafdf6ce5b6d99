"""`referee enrol`: takes reference pictures of an owner's own pieces."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer
from rich.prompt import Prompt

from device import games
from device.cli.common import TablePath, table_settings
from device.cli.enrol_from import Wanted, from_pictures, kept_so_far
from device.resources import every, shipped
from device.settings.table import NoCamera, TableSettings
from engine.text import Text

if TYPE_CHECKING:
    from device.enrolling import Shot, Taken
    from vision.mat import Mat
    from vision.recognition.index import Index
    from vision.recognition.naming import PieceSet

PANEL = "Camera"


def command(
    name: Annotated[str, typer.Argument(metavar="SET", help="A piece set of config/sets, such as stones.")],
    only: Annotated[
        list[str] | None,
        typer.Argument(metavar="KIND", help="Take these alone, and keep the pictures of all others."),
    ] = None,
    source: Annotated[
        Path | None,
        typer.Option(
            "--from", help="Pictures instead of the camera: DIR/KIND/*, a crop or the mat.", show_default=False
        ),
    ] = None,
    mat: Annotated[
        str | None, typer.Option(help="The mat that lies there, if it has no markers to tell.", show_default=False)
    ] = None,
    shots: Annotated[int, typer.Option(min=1, max=20, help="Pictures of each piece.")] = 3,
    replace: Annotated[
        bool, typer.Option("--replace", help="With --from: forget the pieces of which there are no new pictures.")
    ] = False,
    table: TablePath = None,
) -> None:
    """Learn your own pieces: lay one on the mat, press Enter, turn it, press Enter, next. Each is kept as it is taken.

    While the referee runs it holds the camera, and it reads pictures only at its start: docs/enrolling.md.
    """
    from vision.recognition.enrolment import make_writable

    pieces = _piece_set(name)
    kinds = _asked_for(pieces, only or ())
    settings = table_settings(table)
    folder = settings.state_dir / "enrolled" / name
    if replace and (only or source is None):
        raise typer.BadParameter("goes with --from, and without a KIND: all others are forgotten")
    if source is not None:
        from_pictures(source, pieces, folder, Wanted(tuple(only or ()), replace, _known_mats(pieces, mat)))
    else:
        photographs = _photographs(settings, pieces, mat, kinds, shots)
        make_writable(folder)
        _keep(photographs, folder, kept_so_far(folder, pieces, whole=not only), kinds)
    _tell(folder, pieces)


def _piece_set(name: str) -> PieceSet:
    from vision.recognition.naming import PieceSet

    known = [file.stem for file in every("sets")]
    if name not in known:
        raise typer.BadParameter(f"there is no set {name}; there are {', '.join(known)}", param_hint="SET")
    return shipped(PieceSet, "sets", f"{name}.toml")


def _asked_for(pieces: PieceSet, only: Iterable[str]) -> tuple[str, ...]:
    """The kinds to take, in the set's order. Raises BadParameter for one that the set does not have."""
    from device.enrolling import kinds_of

    kinds, wanted = kinds_of(pieces), set(only)
    if strange := sorted(wanted - set(kinds)):
        why = f"{pieces.name} has no piece called {', '.join(strange)}; there are {', '.join(kinds)}"
        raise typer.BadParameter(why, param_hint="KIND")
    return tuple(kind for kind in kinds if not wanted or kind in wanted)


def _photographs(
    settings: TableSettings, pieces: PieceSet, mat: str | None, kinds: tuple[str, ...], shots: int
) -> Iterator[tuple[str, tuple[Taken, ...]]]:
    """Pictures of one kind after the other, from the table's camera. Raises BadParameter without one, or CameraLost."""
    from device.daemon.assembly import camera_spec
    from device.enrolling import Photographer, Place, enrol
    from vision.cameras import open_camera
    from vision.registration.lens import load_lens

    spec, optics = camera_spec(settings), settings.camera
    if spec is None or isinstance(optics, NoCamera):
        raise typer.BadParameter("there is no camera: give pictures with --from")
    lens = load_lens(optics.lens) if optics.lens is not None else None
    corners = np.array(optics.points, np.float64) if optics.points is not None else None
    place = Place(_mats(pieces, mat), lens, corners)

    def photographs() -> Iterator[tuple[str, tuple[Taken, ...]]]:
        with closing(open_camera(spec)) as camera:
            camera.open()
            yield from enrol(Photographer(camera, place, pieces), kinds, shots, _ask, _complain)

    return photographs()


def _mats(pieces: PieceSet, name: str | None) -> tuple[Mat, ...]:
    """The mats on which the set is played; if one is named, that alone. Raises BadParameter if there is none."""
    mats = _known_mats(pieces, name)
    if not mats:
        raise typer.BadParameter(f"{pieces.name} is played on no mat: give pictures with --from", param_hint="--mat")
    return mats


def _known_mats(pieces: PieceSet, name: str | None) -> tuple[Mat, ...]:
    """The same, also if there is none. Raises BadParameter for a name of none of them."""
    from device.enrolling import mats_for

    laid = (table.mat for known in games.specs().values() for table in known.tables if table.mat)
    mats = mats_for(games.mats(dict.fromkeys(laid)), pieces.name)
    wanted = tuple(mat for mat in mats if name in (None, mat.name))
    if name is not None and not wanted:
        there = ", ".join(mat.name for mat in mats) or "none"
        raise typer.BadParameter(f"{pieces.name} is not played on a mat {name}; there are {there}", param_hint="--mat")
    return wanted


def _ask(shot: Shot) -> bool:
    from vision.recognition.enrolment import BACK

    what = "a face-down piece" if shot.kind == BACK else f"the {shot.kind}"
    turned = ", turned a little" if shot.number > 1 else " alone on the mat"
    return (
        Prompt.ask(f"Lay {what}{turned} ({shot.number} of {shot.of}). Enter; q ends", default="", show_default=False)
        != "q"
    )


def _complain(why: Text) -> None:
    typer.echo(f"  again: {why}")


def _keep(
    photographs: Iterable[tuple[str, tuple[Taken, ...]]], folder: Path, index: Index, kinds: tuple[str, ...]
) -> None:
    """Saves each kind as it is taken; says what is left, also if the camera is lost."""
    from vision.recognition.enrolment import retake

    left = list(kinds)
    try:
        for kind, images in photographs:
            seen = {kind: [taken.measured for taken in images]}
            index = retake(folder, index, {kind: [taken.image for taken in images]}, seen)
            left.remove(kind)
    finally:
        if left and len(left) < len(kinds):
            taken = len(kinds) - len(left)
            typer.echo(f"Taken: {taken} of {len(kinds)}. For the others: referee enrol {index.name} {' '.join(left)}")


def _tell(folder: Path, pieces: PieceSet) -> None:
    """What is enrolled now, what of it could be better, and what is missing."""
    from vision.recognition import recogniser
    from vision.recognition.enrolment import load
    from vision.recognition.index import INDEX
    from vision.recognition.prints import printed
    from vision.recognition.review import review

    if not (folder / INDEX).exists():
        typer.echo(f"{pieces.name}: nothing is enrolled")
        return
    enrolled = load(folder)
    found = review(enrolled, None if pieces.printed else recogniser.load(folder))
    for remark in found:
        typer.echo(f"Better this: {remark.text}")
    if pieces.printed:
        printed.load(folder)  # what the referee will read is worked out now, not at its start
    if found:
        poor = dict.fromkeys(kind for remark in found for kind in (remark.kind, remark.other) if kind is not None)
        typer.echo(f"To take only these again: referee enrol {pieces.name} {' '.join(poor)}")
    pictures = sum(map(len, enrolled.pictures.values()))
    typer.echo(f"{pieces.name}: {len(enrolled.pictures)} kinds, {pictures} pictures, in {folder}")
    typer.echo("A referee that runs reads them at its next start: sudo systemctl restart referee")
    missing = [kind for kind in pieces.kinds if kind not in enrolled.pictures]
    if missing:
        typer.echo(f"Not enrolled, so never named: {', '.join(missing)}")
