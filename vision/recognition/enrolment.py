"""Stores enrolled sets: reference pictures and `enrolled.json`.

New pictures are written, the index is replaced atomically, then old pictures are removed: a power cut leaves either
version complete.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import cv2
import msgspec

from engine.errors import RefereeError
from vision import pictures as photos
from vision.camera import Image
from vision.files import BadFile, Fault, sync, write_synced, write_whole
from vision.pictures import Skip, Unread, unheard
from vision.recognition.index import INDEX, MOST, Index, Reference, Symmetry, read_index
from vision.recognition.piece_sizes import Measured, keep_measures, read_measures

BACK = "_back"
"""Kind of a blank back, enrolled like others."""

UNKNOWN = "_unknown"
"""Folder of pictures of no kind, never enrolled."""


class EnrolmentError(RefereeError, ValueError):
    """An unusable set; the message has file and remedy."""


class EnrolledSet(msgspec.Struct, frozen=True):
    """A set's BGR pictures by kind, in order."""

    name: str
    symmetry: Symmetry
    pictures: Mapping[str, tuple[Image, ...]]


def read_picture(path: Path) -> Image:
    """Read a picture as BGR. Raises EnrolmentError."""
    image = photos.read(path)
    if isinstance(image, Unread):
        raise EnrolmentError(f"{path} cannot be read ({image.why})")
    return image


def pictures_in(folder: Path, shots: int | None = None, skip: Skip = unheard) -> dict[str, tuple[Path, ...]]:
    """Return sorted picture files by kind, FOLDER/KIND/*, at most `shots` each. skip: receives other files. Raises
    EnrolmentError without folder or pictures, and OSError."""
    if not folder.is_dir():
        raise EnrolmentError(f"{folder}: no such folder; it should hold one folder a kind")
    found = {kind.name: tuple(photos.pictures(kind, skip)[:shots]) for kind in photos.folders(folder)}
    if not any(found.values()):
        raise EnrolmentError(f"{folder}: holds no pictures; it should hold one folder a kind, with pictures in each")
    return found


def read_folder(
    folder: Path,
    name: str,
    symmetry: Symmetry = "any",
    shots: int | None = None,
    *,
    kinds: Collection[str] = (),
    skip: Skip = unheard,
    cut: Callable[[Path, Image], Image] = lambda _path, image: image,
) -> EnrolledSet:
    """Read a set from FOLDER/KIND/*.

    kinds: all if empty.
    skip: receives other files.
    cut: transforms each picture.
    Raises EnrolmentError with all broken pictures or empty kinds, or for nothing to enrol, and OSError.
    """
    bad: list[Unread] = []
    taken: dict[str, tuple[Image, ...]] = {}
    for kind, paths in pictures_in(folder, shots, skip).items():
        if kind != UNKNOWN and (not kinds or kind in kinds):
            read = [(path, photos.read(path)) for path in paths]
            bad += [image for _, image in read if isinstance(image, Unread)]
            taken[kind] = tuple(cut(path, image) for path, image in read if not isinstance(image, Unread))
    if bad:
        what = photos.list_pictures(bad, folder)
        raise EnrolmentError(f"{folder}: cannot be read: {what}. Put good pictures in their place, or remove them")
    if not taken:
        raise EnrolmentError(f"{folder}: holds nothing but {UNKNOWN}, which is never enrolled")
    if bare := [str(folder / kind) for kind, images in taken.items() if not images]:
        raise EnrolmentError(f"{', '.join(bare)}: no picture that OpenCV can read; put one there, or remove the folder")
    return EnrolledSet(name, symmetry, taken)


def load(folder: Path) -> EnrolledSet:
    """Read a stored set. Raises BadFile for the index, EnrolmentError with all broken pictures."""
    index = read_index(folder)
    if not index.references:
        raise BadFile(folder / INDEX, Fault("references", "names no picture", f"`referee enrol {index.name}`"))
    pictures: dict[str, tuple[Image, ...]] = {}
    bad: list[Unread] = []
    again: dict[str, None] = {}
    for reference in index.references:
        image = photos.read(folder / reference.file)
        if isinstance(image, Unread):
            bad.append(image)
            again[reference.kind] = None
        else:
            pictures[reference.kind] = (*pictures.get(reference.kind, ()), image)
    if bad:
        command = f"referee enrol {index.name} {' '.join(again)}"
        raise EnrolmentError(
            f"{folder}: cannot be read: {photos.list_pictures(bad, folder)}. Enrol these again: {command}"
        )
    return EnrolledSet(index.name, index.symmetry, pictures)


def save(enrolled: EnrolledSet, folder: Path) -> None:
    """Replace a folder's set. Raises EnrolmentError if empty or unwritable, changing nothing."""
    if not enrolled.pictures:
        raise EnrolmentError(f"{folder}: a set needs at least one picture; nothing was written")
    make_writable(folder)
    retake(folder, Index(enrolled.name, enrolled.symmetry, ()), enrolled.pictures)


def retake(
    folder: Path,
    index: Index,
    taken: Mapping[str, Iterable[Image]],
    measured: Mapping[str, Sequence[Measured | None]] | None = None,
) -> Index:
    """Replace some kinds' pictures; return the new index.

    index: current.
    measured: of the new pictures.
    Call `make_writable` first. Raises EnrolmentError, keeping the old set.
    """
    kinds = dict.fromkeys((*(each.kind for each in index.references), *taken))
    old = {kind: tuple(each for each in index.references if each.kind == kind) for kind in kinds}
    with _writing(folder):
        new = {kind: tuple(_put(folder, kind, image) for image in images) for kind, images in taken.items()}
        references = tuple(reference for kind in kinds for reference in new.get(kind, old[kind]))
        if len(references) > MOST:
            raise EnrolmentError(f"{folder}: {len(references)} pictures are too many: a set has {MOST} at most")
        whole = msgspec.structs.replace(index, references=references)
        _measure(folder, whole, new, measured or {})
        _commit(folder, whole)
    return whole


def make_writable(folder: Path) -> None:
    """Create the folder and test writing. Raises EnrolmentError."""
    trial = folder / f"{INDEX}.new"
    with _writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        trial.touch()
        trial.unlink()


@contextmanager
def _writing(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        why = error.strerror or error
        raise EnrolmentError(
            f"{folder}: cannot be written ({why}); run this as its owner, with room on the disk. What was there is kept"
        ) from error


def _put(folder: Path, kind: str, image: Image) -> Reference:
    data = cv2.imencode(".png", image)[1].tobytes()
    file = f"{hashlib.sha256(kind.encode() + data).hexdigest()[:16]}.png"
    write_synced(folder / file, data)
    return Reference(kind, file)


def _measure(
    folder: Path,
    whole: Index,
    new: Mapping[str, tuple[Reference, ...]],
    measured: Mapping[str, Sequence[Measured | None]],
) -> None:
    try:
        known = dict(read_measures(folder).pictures)
    except BadFile:  # unreadable measurements are dropped
        known = {}
    for kind, each in measured.items():
        known |= {one.file: found for one, found in zip(new[kind], each, strict=True) if found is not None}
    files = {reference.file for reference in whole.references}
    if known:
        keep_measures(folder, {file: found for file, found in known.items() if file in files})


def _commit(folder: Path, index: Index) -> None:
    sync(folder)
    write_whole(folder / INDEX, msgspec.json.format(msgspec.json.encode(index), indent=1))
    for stale in set(folder.glob("*.png")) - {folder / reference.file for reference in index.references}:
        with suppress(OSError):  # the new set is in force, and the next writing removes what is left
            stale.unlink()
