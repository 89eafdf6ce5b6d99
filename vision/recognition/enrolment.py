"""The enrolled set on disk: a folder of reference pictures and `enrolled.json`, which says what they show.

New pictures are written beside the old ones, then the index is replaced in one step, then the old ones go: a power
cut leaves either the old pictures or the new ones, of a whole set (`save`) or of one kind (`retake`).
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import cv2
import msgspec
import numpy as np

from engine.errors import RefereeError
from vision.camera import Image
from vision.recognition.canonical import Symmetry

VERSION = 1
INDEX = "enrolled.json"
BACK = "_back"
"""The kind of a blank back: enrolled like any other, and named when a piece lies face down."""

UNKNOWN = "_unknown"
"""A folder of pictures of no kind; never enrolled."""

PICTURES = frozenset({".jpg", ".jpeg", ".png", ".bmp", ".webp"})


class EnrolmentError(RefereeError, ValueError):
    """A set that cannot be read or made: names the file and what to do."""


class Reference(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One picture of one kind; `file` is relative to the set's folder."""

    kind: str
    file: str


class Index(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What `enrolled.json` holds."""

    name: str
    symmetry: Symmetry
    references: tuple[Reference, ...]
    version: int = VERSION


class EnrolledSet(msgspec.Struct, frozen=True):
    """A set in memory: its pictures by kind, BGR, in the order in which they were taken."""

    name: str
    symmetry: Symmetry
    pictures: Mapping[str, tuple[Image, ...]]


def read_picture(path: Path) -> Image:
    """A picture file as BGR. Raises EnrolmentError if it is missing or no picture."""
    try:
        raw = np.frombuffer(path.read_bytes(), np.uint8)
    except OSError as error:
        raise EnrolmentError(f"{path}: cannot be read ({error.strerror}); enrol the set again") from error
    image = cv2.imdecode(raw, cv2.IMREAD_COLOR) if raw.size else None
    if image is None:
        raise EnrolmentError(f"{path}: not a picture, or broken; take it again")
    return image.astype(np.uint8, copy=False)


def pictures_in(folder: Path, shots: int | None = None) -> dict[str, tuple[Path, ...]]:
    """Picture files by kind: FOLDER/KIND/*, names sorted, at most `shots` a kind. Raises EnrolmentError if none."""
    if not folder.is_dir():
        raise EnrolmentError(f"{folder}: no such folder; it should hold one folder a kind")
    found = {}
    for kind in sorted(path for path in folder.iterdir() if path.is_dir()):
        files = sorted(path for path in kind.iterdir() if path.suffix.lower() in PICTURES)
        if files:
            found[kind.name] = tuple(files[:shots])
    if not found:
        raise EnrolmentError(f"{folder}: holds no pictures; it should hold one folder a kind, with pictures in each")
    return found


def read_folder(folder: Path, name: str, symmetry: Symmetry = "any", shots: int | None = None) -> EnrolledSet:
    """A set from pictures sorted by kind: FOLDER/KIND/*. Raises EnrolmentError."""
    files = {kind: paths for kind, paths in pictures_in(folder, shots).items() if kind != UNKNOWN}
    return EnrolledSet(name, symmetry, {kind: tuple(map(read_picture, paths)) for kind, paths in files.items()})


def read_index(folder: Path) -> Index:
    """What pictures a folder written by `save` or `retake` holds. Raises EnrolmentError."""
    path = folder / INDEX
    try:
        index = msgspec.json.decode(path.read_bytes(), type=Index)
    except OSError as error:
        raise EnrolmentError(f"{path}: no enrolled set there ({error.strerror}); run `referee enrol`") from error
    except msgspec.MsgspecError as error:
        raise EnrolmentError(f"{path}: {error}; enrol the set again") from error
    if index.version != VERSION:
        raise EnrolmentError(f"{path}: version {index.version}, this program reads {VERSION}; enrol the set again")
    return index


def load(folder: Path) -> EnrolledSet:
    """The set in a folder written by `save` or `retake`. Raises EnrolmentError."""
    index = read_index(folder)
    pictures: dict[str, tuple[Image, ...]] = {}
    for reference in index.references:
        image = read_picture(folder / reference.file)
        pictures[reference.kind] = (*pictures.get(reference.kind, ()), image)
    return EnrolledSet(index.name, index.symmetry, pictures)


def save(enrolled: EnrolledSet, folder: Path) -> None:
    """Writes the set to a folder, in the place of the one that was there.

    Raises EnrolmentError if it is empty, or the folder cannot be written; what was there stays then.
    """
    if not enrolled.pictures:
        raise EnrolmentError(f"{folder}: a set needs at least one picture; nothing was written")
    make_writable(folder)
    with _writing(folder):
        new = [_put(folder, kind, image) for kind, images in enrolled.pictures.items() for image in images]
        _commit(folder, Index(enrolled.name, enrolled.symmetry, tuple(new)))


def retake(folder: Path, index: Index, kind: str, images: Iterable[Image]) -> Index:
    """Puts pictures of one kind in the place of its old ones; those of other kinds stay. The new index.

    index: what the folder holds; only its pictures are kept. The folder is one of `make_writable`. Raises
    EnrolmentError if it cannot be written; what was there stays then.
    """
    kept = [reference for reference in index.references if reference.kind != kind]
    place = next((n for n, each in enumerate(index.references) if each.kind == kind), len(kept))
    with _writing(folder):
        new = [_put(folder, kind, image) for image in images]
        whole = msgspec.structs.replace(index, references=(*kept[:place], *new, *kept[place:]))
        _commit(folder, whole)
    return whole


def make_writable(folder: Path) -> None:
    """Makes the folder if it is missing, and tries to write there. Raises EnrolmentError if that fails."""
    trial = folder / f"{INDEX}.new"
    with _writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        trial.touch()
        trial.unlink()


def enrol_from(folder: Path, name: str, destination: Path, symmetry: Symmetry = "any") -> EnrolledSet:
    """Enrols from pictures, FOLDER/KIND/*, and writes the set. Raises EnrolmentError."""
    enrolled = read_folder(folder, name, symmetry)
    save(enrolled, destination)
    return enrolled


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
    """Writes one picture under a name that no other picture has."""
    data = cv2.imencode(".png", image)[1].tobytes()
    file = f"{hashlib.sha256(kind.encode() + data).hexdigest()[:16]}.png"
    _write(folder / file, data)
    return Reference(kind, file)


def _commit(folder: Path, index: Index) -> None:
    """Makes the index the valid one, and removes pictures that it does not name."""
    _write(folder / f"{INDEX}.new", msgspec.json.format(msgspec.json.encode(index), indent=1))
    _sync(folder)
    (folder / f"{INDEX}.new").replace(folder / INDEX)
    _sync(folder)
    for stale in set(folder.glob("*.png")) - {folder / reference.file for reference in index.references}:
        stale.unlink()


def _write(path: Path, data: bytes) -> None:
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _sync(folder: Path) -> None:
    """Makes the names in a folder durable: without it a power cut can leave them out."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
