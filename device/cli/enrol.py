"""Runs `referee enrol`: takes pictures of the owner's pieces."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer
from rich.markup import escape
from rich.prompt import Prompt

from device.cli.common import TablePath, known_language, table_language, table_settings
from device.cli.enrol_from import Wanted, from_pictures
from device.locale import translate
from device.resources import every, load_shipped
from device.settings.table import NoCamera, TableSettings
from engine.text import Text, say

if TYPE_CHECKING:
    from device.owner.camera_job import Job
    from device.owner.steps import TaskStep
    from vision.mat import Mat
    from vision.recognition.naming import PieceSet
    from vision.recognition.quality import Remark

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
    anyway: Annotated[
        bool, typer.Option("--anyway", help="With --from: take pictures that look poor or worse than the old ones.")
    ] = False,
    language: Annotated[
        str | None, typer.Option(help="What to speak; without it the table's language.", show_default=False)
    ] = None,
    table: TablePath = None,
) -> None:
    """Learn your own pieces: lay one on the mat, press Enter, turn it, press Enter, next; then check each once more.

    While the referee runs it holds the camera, and it reads pictures only at its start: docs/enrolling.md.
    """
    pieces = _piece_set(name)
    kinds = _asked_for(pieces, only or ())
    settings = table_settings(table)
    folder = settings.state_dir / "enrolled" / name
    page_language = known_language(language) if language is not None else table_language(settings)
    if replace and (only or source is None):
        raise typer.BadParameter("goes with --from, and without a KIND: all others are forgotten")
    if anyway and source is None:
        raise typer.BadParameter("goes with --from", param_hint="--anyway")
    mirrored: tuple[Remark, ...] = ()
    if source is not None:
        wanted = Wanted(tuple(only or ()), replace, _known_mats(pieces, mat), anyway, page_language)
        mirrored = from_pictures(source, pieces, folder, wanted)
    else:
        _enrol(_job(settings, pieces, mat, kinds, shots), page_language)
    _tell(folder, pieces, page_language, mirrored)


def _piece_set(name: str) -> PieceSet:
    from vision.recognition.naming import PieceSet

    known = [file.stem for file in every("sets")]
    if name not in known:
        raise typer.BadParameter(f"there is no set {name}; there are {', '.join(known)}", param_hint="SET")
    return load_shipped(PieceSet, "sets", f"{name}.toml")


def _asked_for(pieces: PieceSet, only: Iterable[str]) -> tuple[str, ...]:
    from device.enrolment import kinds_of

    kinds, wanted = kinds_of(pieces), set(only)
    if strange := sorted(wanted - set(kinds)):
        why = f"{pieces.name} has no piece called {', '.join(strange)}; there are {', '.join(kinds)}"
        raise typer.BadParameter(why, param_hint="KIND")
    return tuple(kind for kind in kinds if not wanted or kind in wanted)


def _job(settings: TableSettings, pieces: PieceSet, mat: str | None, kinds: tuple[str, ...], shots: int) -> Job:
    from device.owner.camera_job import job_of

    if isinstance(settings.camera, NoCamera):
        raise typer.BadParameter("there is no camera: give pictures with --from")
    mats = _known_mats(pieces, mat)
    if not mats:
        raise typer.BadParameter(f"{pieces.name} is played on no mat: give pictures with --from", param_hint="--mat")
    return msgspec.structs.replace(
        job_of(settings, pieces.name, kinds, shots), mats=tuple(each.name for each in mats) if mat is not None else ()
    )


def _known_mats(pieces: PieceSet, name: str | None) -> tuple[Mat, ...]:
    from device.enrolment import laid_on

    mats = laid_on(pieces.name)
    wanted = tuple(mat for mat in mats if name in (None, mat.name))
    if name is not None and not wanted:
        there = ", ".join(mat.name for mat in mats) or "none"
        raise typer.BadParameter(f"{pieces.name} is not played on a mat {name}; there are {there}", param_hint="--mat")
    return wanted


def _say(text: Text, language: str) -> None:
    typer.echo(translate(text, language))


def _enrol(job: Job, language: str) -> None:
    from device.owner.camera_process_main import READ_S, task_of
    from vision.camera import CameraLost, NoFrameYet
    from vision.cameras import open_camera

    task = task_of(job)
    try:
        with closing(open_camera(job.camera)) as camera:
            camera.open()
            while not task.over:
                if task.wanted:
                    try:
                        frame = camera.read(READ_S)
                    except NoFrameYet:
                        continue
                    if frame is None:
                        raise CameraLost("the recording is over")
                    task.offer(frame.image)
                else:
                    task.choose(_ask(task.step(), language))
    finally:
        if task.left and len(task.left) < task.all:
            taken = task.all - len(task.left)
            again = f"referee enrol {job.set} {' '.join(task.left)}"
            told = say("Taken: {n} of {all}. For the others: {command}", n=taken, all=task.all, command=again)
            _say(told, language)


def _ask(step: TaskStep, language: str) -> int:
    """Show a step and return the choice: Enter for the first, a number, q for the last; ask again for anything else."""
    for remark in step.remarks:
        typer.echo(f"  ! {translate(remark, language)}")
    if step.seen is not None:
        typer.echo(f"  {translate(step.seen, language)}")
    place = say("{what} ({done} of {of})", what=step.now, done=step.done + 1, of=step.of)
    _say(place if step.of > 1 else step.now, language)
    if len(step.choices) == 1:
        return 0
    *others, last = step.choices
    # Translators: the key of that name on a keyboard, and what it does.
    first = say("Enter: {what}", what=others[0])
    keys = (first, *(say("{key}: {what}", key=n, what=text) for n, text in enumerate(others[1:], 2)))
    words = ", ".join(translate(each, language) for each in (*keys, say("{key}: {what}", key="q", what=last)))
    lines = {"": 0, **{str(n): n - 1 for n in range(1, len(others) + 1)}, "q": len(others)}
    try:
        told = Prompt.ask(escape(words), choices=list(lines), default="", show_choices=False, show_default=False)
    except EOFError:
        told = "q"
    return lines[told]


def _tell(folder: Path, pieces: PieceSet, language: str, known: Sequence[Remark] = ()) -> None:
    from vision.recognition import readers, recogniser
    from vision.recognition.enrolment import load
    from vision.recognition.index import INDEX
    from vision.recognition.review import review

    if not (folder / INDEX).exists():
        _say(say("{set}: nothing is enrolled.", set=pieces.name), language)
        return
    enrolled = load(folder)
    found = (*known, *review(enrolled, None if pieces.reads_prints else recogniser.load(folder)))
    for remark in found:
        _say(say("Fix this: {what}", what=remark.text), language)
    if pieces.reads_prints:
        readers.loader(pieces)(folder)  # what the referee will read is worked out now, not at its start
    if found:
        poor = dict.fromkeys(kind for remark in found for kind in (remark.kind, remark.other) if kind is not None)
        again = f"referee enrol {pieces.name} {' '.join(poor)}"
        _say(say("To take only these again: {command}", command=again), language)
    pictures = sum(map(len, enrolled.pictures.values()))
    counts = {"kinds": len(enrolled.pictures), "pictures": pictures}
    told = say("{set}: {kinds} kinds, {pictures} pictures, in {folder}", set=pieces.name, folder=str(folder), **counts)
    _say(told, language)
    restart = "sudo systemctl restart referee"
    _say(say("A running referee reads them when it restarts: {command}", command=restart), language)
    missing = [kind for kind in pieces.kinds if kind not in enrolled.pictures]
    if missing:
        _say(say("Not enrolled, so not recognised: {kinds}", kinds=", ".join(missing)), language)
