"""Runs `referee enrol`: takes pictures of the owner's pieces."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from device.cli.common import TablePath, known_language, leave_to_owner, table_language, table_settings
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
from collections.abc import Iterator
from typing import TYPE_CHECKING

from engine.errors import RefereeError
from vision.mat import Mat

if TYPE_CHECKING:
    from vision.camera import Image
    from vision.recognition.enrolment import EnrolledSet
    from vision.recognition.index import Index
    from vision.recognition.naming import PieceSet
    from vision.recognition.piece_sizes import Measured
    from vision.recognition.quality import Remark


class PicturesError(RefereeError, ValueError):
    """Pictures that can't be enrolled."""


class Wanted(msgspec.Struct, frozen=True):
    """The pictures to take.

    only: kinds, all if empty.
    replace: forget the others.
    mats: possible mats.
    anyway: take poor pictures and a worse set.
    language: of the sentences.
    """

    only: tuple[str, ...]
    replace: bool
    mats: tuple[Mat, ...]
    anyway: bool = False
    language: str = "en"


class Pictures(msgspec.Struct, frozen=True):
    """A folder's pictures.

    enrolled, files, measured: pictures, names and measures by kind.
    mirrored: remarks on reflections.
    poor: sentences on dark and blurred ones.
    """

    enrolled: EnrolledSet
    files: dict[str, list[str]]
    measured: dict[str, list[Measured | None]]
    mirrored: tuple[Remark, ...]
    poor: tuple[str, ...]


def from_pictures(source: Path, pieces: PieceSet, folder: Path, wanted: Wanted) -> tuple[Remark, ...]:
    """Replace kinds' pictures by those in `source`; return remarks on reflections.

    The old set stays unless every picture shows its piece, and the new set is no worse or the owner agrees. Raises
    PicturesError, EnrolmentError, BadFile.
    """
    from device.enrolment import kept_so_far, kinds_of
    from vision.recognition.enrolment import make_writable, retake

    _refuse_strangers(source, pieces)
    if missing := [kind for kind in wanted.only if not (source / kind).is_dir()]:
        raise PicturesError(f"{source / missing[0]}: there are no pictures of {', '.join(missing)}")
    read = _read(source, pieces, wanted)
    taken = read.enrolled.pictures
    make_writable(folder)
    index = kept_so_far(folder, pieces, whole=wanted.replace or set(taken) >= set(kinds_of(pieces)))
    kept = dict.fromkeys(each.kind for each in index.references if each.kind not in taken)
    if not wanted.anyway:
        _confirm_doubted((*read.poor, *_doubts(read, folder, index, wanted)), source, wanted.language)
    if wanted.replace:
        index = msgspec.structs.replace(index, references=())
    retake(folder, index, taken, read.measured)
    if kept and not wanted.only:
        told = "Forgotten" if wanted.replace else "Not in the folder, so kept as they were (--replace forgets them)"
        typer.echo(f"{told}: {', '.join(kept)}")
    return read.mirrored


def _read(source: Path, pieces: PieceSet, wanted: Wanted) -> Pictures:
    from device.enrolment import NO_CROP, NothingThere, crop
    from vision.pictures import Unread, skipped_text
    from vision.recognition.enrolment import BACK, read_folder
    from vision.recognition.quality import remarks

    left: list[Unread] = []
    faults: list[str] = []
    poor: list[str] = []
    files: dict[str, list[str]] = {}
    measured: dict[str, list[Measured | None]] = {}
    mirrored: dict[Remark, None] = {}
    crops: list[tuple[str, tuple[int, ...]]] = []
    photographs: set[tuple[int, ...]] = set()

    def cut(path: Path, image: Image) -> Image:
        kind, file = path.parent.name, str(path.relative_to(source))
        try:
            taken = crop(image, wanted.mats, pieces, blank=kind == BACK)
        except NothingThere as error:
            faults.append(f"{file}: {translate(error.text, wanted.language)}")
            return image
        files.setdefault(kind, []).append(file)
        measured.setdefault(kind, []).append(taken.measured)
        rough = taken.raw is image
        if rough:
            crops.append((file, image.shape))
        else:
            photographs.add(image.shape)
        raw = None if rough else taken.raw
        shiny = [remark for remark in remarks(kind, taken.image, raw, taken.headroom) if remark.problem == "shiny"]
        mirrored.update(dict.fromkeys(shiny))
        if not shiny:  # else the lamp blurs it
            poor.extend(translate(remark.text, wanted.language) for remark in remarks(file, taken.image))
        return taken.image

    enrolled = read_folder(source, pieces.name, pieces.symmetry, kinds=wanted.only, skip=left.append, cut=cut)
    if left:
        typer.echo(skipped_text(left, source), err=True)
    # A crop of a photograph's size is one whose markers failed.
    faults += [f"{file}: {translate(NO_CROP, wanted.language)}" for file, size in crops if size in photographs]
    if faults:
        raise PicturesError(_refusal(faults, source, wanted.language))
    return Pictures(enrolled, files, measured, tuple(mirrored), tuple(poor))


def _doubts(read: Pictures, folder: Path, index: Index, wanted: Wanted) -> Iterator[str]:
    """Yield sentences on pictures that may be worse than the old set."""
    from vision.recognition.enrolment import EnrolmentError, load
    from vision.recognition.picture_doubts import doubts, worse

    taken = read.enrolled
    try:
        old = load(folder) if index.references else None
    except EnrolmentError:  # a set of broken pictures can't be worse
        old = None
    kept = {} if old is None or wanted.replace else dict(old.pictures)
    new = msgspec.structs.replace(taken, pictures=kept | dict(taken.pictures))
    for doubt in doubts(new, taken.pictures, old):
        why = translate(_unlike(doubt.kind, doubt.other), wanted.language)
        yield f"{read.files[doubt.kind][doubt.number]}: {why}"
    if old is not None:
        yield from (translate(remark.text, wanted.language) for remark in worse(new, old))


def _unlike(kind: str, other: str | None) -> Text:
    if other is None:
        return say(
            "It does not look like the other pictures of {kind}. Take it again, or remove the pictures that "
            "show another piece.",
            kind=kind,
        )
    return say("It looks like {other}, not like {kind}. Move it to the right folder.", kind=kind, other=other)


def _confirm_doubted(doubted: Sequence[str], source: Path, language: str) -> None:
    """Ask at the terminal whether to take doubtful pictures. Raises PicturesError if not."""
    import sys

    if not doubted:
        return
    told = _refusal(doubted, source, language)
    if not sys.stdin.isatty():
        raise PicturesError(f"{told}\n{translate(say('To use them anyway, add --anyway.'), language)}")
    typer.echo(told)
    question, yes, no = (translate(each, language) for each in (say("Use them anyway?"), say("Yes"), say("No")))
    answer = input(f"{question} [{yes}/{no}]: ").strip().casefold()
    if not answer or not any(word.casefold().startswith(answer) for word in (yes, "yes")):
        raise PicturesError(translate(say("Nothing was changed."), language))


def _refusal(lines: Sequence[str], source: Path, language: str) -> str:
    return "\n".join((f"{source}: {translate(say('Nothing was changed.'), language)}", *dict.fromkeys(lines)))


def _refuse_strangers(source: Path, pieces: PieceSet) -> None:
    """Raise PicturesError if a folder is named like no piece."""
    from vision.pictures import folders
    from vision.recognition.enrolment import BACK, UNKNOWN

    there = {each.name for each in folders(source)} if source.is_dir() else set()
    if strange := sorted(there - {*pieces.kinds, BACK, UNKNOWN}):
        raise PicturesError(
            f"{source / strange[0]}: {pieces.name} has no piece called {', '.join(strange)}; "
            f"its folders are {', '.join(pieces.kinds)}, {BACK}"
        )


PANEL = "Camera"


def command(
    name: Annotated[str, typer.Argument(metavar="SET", help="A piece set of config/sets, such as stones.")],
    only: Annotated[
        list[str] | None,
        typer.Argument(metavar="KIND", help="Enrol only these kinds; the others keep their pictures."),
    ] = None,
    source: Annotated[
        Path | None,
        typer.Option(
            "--from", help="Pictures instead of the camera: DIR/KIND/*, a crop or the mat.", show_default=False
        ),
    ] = None,
    mat: Annotated[
        str | None, typer.Option(help="The mat on the table, if it has no markers.", show_default=False)
    ] = None,
    shots: Annotated[int, typer.Option(min=1, max=20, help="Pictures of each piece.")] = 3,
    replace: Annotated[
        bool, typer.Option("--replace", help="With --from: forget pieces that have no new pictures.")
    ] = False,
    anyway: Annotated[
        bool, typer.Option("--anyway", help="With --from: take pictures that look poor or worse than the old ones.")
    ] = False,
    language: Annotated[
        str | None, typer.Option(help="Language to use. Default: the table's.", show_default=False)
    ] = None,
    table: TablePath = None,
) -> None:
    """Learn your own pieces: lay one on the mat, press Enter, turn it, press Enter, next; then check each once more.

    A running referee holds the camera, and reads pictures only at its start: docs/enrolling.md.
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
    try:
        if source is not None:
            wanted = Wanted(tuple(only or ()), replace, _known_mats(pieces, mat), anyway, page_language)
            mirrored = from_pictures(source, pieces, folder, wanted)
        else:
            _enrol(_job(settings, pieces, mat, kinds, shots), page_language)
    finally:
        leave_to_owner(settings.state_dir, "enrolled", f"enrolled/{name}")
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
    """Show a step and return its chosen line: Enter for the first, a number, q or the end of input for the last; repeat
    after anything else. A single line is chosen unasked."""
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
        while (told := input(f"{words}: ").strip()) not in lines:
            pass
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
        readers.loader(pieces)(folder)  # computed now, not at the referee's start
    if found:
        poor = dict.fromkeys(kind for remark in found for kind in (remark.kind, remark.other) if kind is not None)
        again = f"referee enrol {pieces.name} {' '.join(poor)}"
        _say(say("To take only these again: {command}", command=again), language)
    pictures = sum(map(len, enrolled.pictures.values()))
    counts = {"kinds": len(enrolled.pictures), "pictures": pictures}
    told = say("{set}: {kinds} kinds, {pictures} pictures, in {folder}", set=pieces.name, folder=str(folder), **counts)
    _say(told, language)
    restart = "sudo systemctl restart referee"
    _say(say("A running referee reads the pictures only after a restart: {command}", command=restart), language)
    missing = [kind for kind in pieces.kinds if kind not in enrolled.pictures]
    if missing:
        _say(say("Not enrolled, so not recognised: {kinds}", kinds=", ".join(missing)), language)
