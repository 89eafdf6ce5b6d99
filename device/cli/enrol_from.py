"""Enrols pieces from folders of pictures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import typer

from device.locale import translate
from engine.errors import RefereeError
from engine.text import Text, say
from vision.mat import Mat

if TYPE_CHECKING:
    from vision.camera import Image
    from vision.recognition.enrolment import EnrolledSet
    from vision.recognition.index import Index
    from vision.recognition.measures import Measured
    from vision.recognition.naming import PieceSet
    from vision.recognition.quality import Remark


class PicturesError(RefereeError, ValueError):
    """Pictures that can't be enrolled."""


class Wanted(msgspec.Struct, frozen=True):
    """The pictures to take.

    only: kinds, all if empty.
    replace: forget the others.
    mats: possible mats.
    anyway: take poor pictures and a set that looks worse than the old one.
    language: of the sentences.
    """

    only: tuple[str, ...]
    replace: bool
    mats: tuple[Mat, ...]
    anyway: bool = False
    language: str = "en"


class Pictures(msgspec.Struct, frozen=True):
    """A folder's pictures.

    enrolled: by kind.
    files: their names, by kind.
    measured: their measures, by kind.
    mirrored: remarks on reflections.
    poor: sentences on dark and blurred ones.
    """

    enrolled: EnrolledSet
    files: dict[str, list[str]]
    measured: dict[str, list[Measured | None]]
    mirrored: tuple[Remark, ...]
    poor: tuple[str, ...]


def from_pictures(source: Path, pieces: PieceSet, folder: Path, wanted: Wanted) -> tuple[Remark, ...]:
    """Replace kinds' pictures by a folder's; return possible improvements.

    The old set stays unless every picture shows its piece and the new set is no worse, or the owner agrees. Raises
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
        _ask((*read.poor, *_doubts(read, folder, index, wanted)), source, wanted.language)
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
        if not shiny:  # else the lamp makes it look blurred
            poor.extend(translate(remark.text, wanted.language) for remark in remarks(file, taken.image))
        return taken.image

    enrolled = read_folder(source, pieces.name, pieces.symmetry, kinds=wanted.only, skip=left.append, cut=cut)
    if left:
        typer.echo(skipped_text(left, source), err=True)
    # Of the size of those that show a mat, it is one of them whose markers failed.
    faults += [f"{file}: {translate(NO_CROP, wanted.language)}" for file, size in crops if size in photographs]
    if faults:
        raise PicturesError(_refusal(faults, source, wanted.language))
    return Pictures(enrolled, files, measured, tuple(mirrored), tuple(poor))


def _doubts(read: Pictures, folder: Path, index: Index, wanted: Wanted) -> Iterator[str]:
    """Yield sentences on what may be worse than the old set."""
    from vision.recognition.enrolment import EnrolmentError, load
    from vision.recognition.replacement import doubts, worse

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
            "It does not look like the other pictures of {kind}. Take it again, or remove the pictures of another "
            "piece.",
            kind=kind,
        )
    return say("It looks like {other}, not like {kind}. Move it to the right folder.", kind=kind, other=other)


def _ask(doubted: Sequence[str], source: Path, language: str) -> None:
    """Ask the owner, at a terminal, to take doubtful pictures. Raises PicturesError if they don't."""
    import sys

    if not doubted:
        return
    told = _refusal(doubted, source, language)
    if not sys.stdin.isatty():
        raise PicturesError(f"{told}\n{translate(say('To take them anyway, add --anyway.'), language)}")
    typer.echo(told)
    if not typer.confirm(translate(say("Take them anyway?"), language)):
        raise PicturesError(translate(say("Nothing was changed."), language))


def _refusal(lines: Sequence[str], source: Path, language: str) -> str:
    return "\n".join((f"{source}: {translate(say('Nothing was changed.'), language)}", *dict.fromkeys(lines)))


def _refuse_strangers(source: Path, pieces: PieceSet) -> None:
    """Reject folders not named like a piece."""
    from vision.pictures import folders
    from vision.recognition.enrolment import BACK, UNKNOWN

    there = {each.name for each in folders(source)} if source.is_dir() else set()
    if strange := sorted(there - {*pieces.kinds, BACK, UNKNOWN}):
        raise PicturesError(
            f"{source / strange[0]}: {pieces.name} has no piece called {', '.join(strange)}; "
            f"its folders are {', '.join(pieces.kinds)}, {BACK}"
        )
