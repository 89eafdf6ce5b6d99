"""Enrols pieces from folders of pictures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import typer

from engine.errors import RefereeError
from vision.mat import Mat

if TYPE_CHECKING:
    from vision.camera import Image
    from vision.recognition.enrolment import EnrolledSet
    from vision.recognition.measures import Measured
    from vision.recognition.naming import PieceSet
    from vision.recognition.quality import Remark


class PicturesError(RefereeError, ValueError):
    """Pictures that can't be enrolled."""


class Wanted(msgspec.Struct, frozen=True):
    """The pictures to take. only: kinds, all if empty. replace: forget the others. mats: possible mats."""

    only: tuple[str, ...]
    replace: bool
    mats: tuple[Mat, ...]


def from_pictures(source: Path, pieces: PieceSet, folder: Path, wanted: Wanted) -> tuple[Remark, ...]:
    """Replace kinds' pictures by a folder's; return possible improvements. Raises PicturesError, EnrolmentError,
    BadFile."""
    from device.enrolment import kept_so_far, kinds_of
    from vision.recognition.enrolment import make_writable, retake

    _refuse_strangers(source, pieces)
    if missing := [kind for kind in wanted.only if not (source / kind).is_dir()]:
        raise PicturesError(f"{source / missing[0]}: there are no pictures of {', '.join(missing)}")
    enrolled, measured, mirrored = _read(source, pieces, wanted)
    taken = enrolled.pictures
    make_writable(folder)
    index = kept_so_far(folder, pieces, whole=wanted.replace or set(taken) >= set(kinds_of(pieces)))
    kept = dict.fromkeys(each.kind for each in index.references if each.kind not in taken)
    if wanted.replace:
        index = msgspec.structs.replace(index, references=())
    retake(folder, index, taken, measured)
    if kept and not wanted.only:
        told = "Forgotten" if wanted.replace else "Not in the folder, so kept as they were (--replace forgets them)"
        typer.echo(f"{told}: {', '.join(kept)}")
    return mirrored


def _read(
    source: Path, pieces: PieceSet, wanted: Wanted
) -> tuple[EnrolledSet, dict[str, list[Measured | None]], tuple[Remark, ...]]:
    from device.enrolment import NO_CROP, NothingThere, crop
    from vision.pictures import Unread, skipped_text
    from vision.recognition.enrolment import BACK, read_folder
    from vision.recognition.quality import remarks

    left: list[Unread] = []
    faults: list[str] = []
    measured: dict[str, list[Measured | None]] = {}
    mirrored: dict[Remark, None] = {}
    crops: list[tuple[Path, tuple[int, ...]]] = []
    photographs: set[tuple[int, ...]] = set()

    def cut(path: Path, image: Image) -> Image:
        try:
            taken = crop(image, wanted.mats, pieces, blank=path.parent.name == BACK)
        except NothingThere as error:
            faults.append(f"{path.relative_to(source)}: {error}")
            return image
        measured.setdefault(path.parent.name, []).append(taken.measured)
        if taken.image is image:
            crops.append((path, image.shape))
        else:
            photographs.add(image.shape)
            poor = remarks(path.parent.name, taken.image, taken.raw, taken.headroom)
            mirrored.update((remark, None) for remark in poor if remark.problem == "shiny")
        return taken.image

    enrolled = read_folder(source, pieces.name, pieces.symmetry, kinds=wanted.only, skip=left.append, cut=cut)
    if left:
        typer.echo(skipped_text(left, source), err=True)
    # Of the size of those that show a mat, it is one of them whose markers failed.
    faults += [f"{path.relative_to(source)}: {NO_CROP}" for path, size in crops if size in photographs]
    if faults:
        raise PicturesError(f"{source}: {'; '.join(faults)}")
    return enrolled, measured, tuple(mirrored)


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
