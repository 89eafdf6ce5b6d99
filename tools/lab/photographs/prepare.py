"""Cuts the pieces out of a set's photographs and sorts them by kind: some to enrol, others to be named.

Which ones is drawn by a digest of their paths: the same files and the same draw give the same set. No photograph gives
a kind both a picture to learn from and one to be named, where the files' names tell the photographs apart: of
letter-cubes each crop counts as one.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

import cv2
import msgspec
import numpy as np

from tools.lab.photographs.source import Source
from tools.lab.photographs.table import PhotoSet, SetError
from vision.camera import Image
from vision.pictures import decode

LARGEST, SMALLEST = 256, 20
"""Pixels of a crop's longer side that are kept, and of its shorter one that it must have."""

Corners = tuple[float, float, float, float]
"""Left, top, right and bottom, in parts of the picture."""

Heard = Callable[[int, int], None]
"""Hears how many crops were looked at, and of how many."""


class Crop(msgspec.Struct, frozen=True):
    """One piece: its kind, the photograph that it is in, and where."""

    kind: str
    photo: str
    path: str
    corners: Corners | None


class Prepared(msgspec.Struct, frozen=True):
    """What was written, and how many crops were left out because they are too small or cannot be read."""

    kinds: int
    enrol: int
    test: int
    left_out: int


def prepare(
    source: Source, asked: PhotoSet, out: Path, draw: int = 0, heard: Heard = lambda _done, _all: None
) -> Prepared:
    """Writes OUT/enrol/KIND/*.png and OUT/test/KIND/*.png, or nothing. draw: another one chooses other pictures. Raises
    SetError if OUT is there, or too little is found.
    """
    if out.exists():
        raise SetError(f"{out}: is there already; remove it, or name another folder")
    out.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix=f".{out.name}-", dir=out.parent) as aside:
        prepared = _prepare(source, asked, Path(aside) / out.name, draw, heard)
        (Path(aside) / out.name).rename(out)
    return prepared


def _prepare(source: Source, asked: PhotoSet, out: Path, draw: int, heard: Heard) -> Prepared:
    sorted_by_kind: dict[str, list[Crop]] = {}
    for crop in sorted(crops(source, asked), key=lambda crop: _draw_digest(crop, draw)):
        sorted_by_kind.setdefault(crop.kind, []).append(crop)
    chosen = sorted(sorted_by_kind, key=lambda kind: (-len({each.photo for each in sorted_by_kind[kind]}), kind))
    many = len(chosen[: asked.kinds]) * (asked.shots + asked.tests)
    enrol = test = left_out = kinds = 0
    for number, kind in enumerate(chosen[: asked.kinds]):
        found, unread = _cut(source, sorted_by_kind[kind], asked)
        left_out += unread
        heard((number + 1) * (asked.shots + asked.tests), many)
        learnt = min(asked.shots, len(found) - 1)
        if learnt < 1:
            continue
        _write(out / "enrol" / kind, found[:learnt])
        _write(out / "test" / kind, found[learnt:])
        kinds, enrol, test = kinds + 1, enrol + learnt, test + len(found) - learnt
    if kinds < 2:
        raise SetError(f"{out.name}: fewer than two kinds were found, with two photographs each: are these its files?")
    return Prepared(kinds, enrol, test, left_out)


def crops(source: Source, asked: PhotoSet) -> list[Crop]:
    """Every piece that the set's files name, one version of each photograph. Raises SetError for a broken label."""
    pattern = re.compile(asked.pictures)
    matches = sorted(
        (found for path in source.paths() if (found := pattern.fullmatch(path))), key=lambda one: _digest(one[0])
    )
    if not (asked.names or asked.boxes):
        return [Crop(_kind(one["kind"]), _photo(one), one[0], None) for one in matches]
    first = {_photo(one): one[0] for one in reversed(matches)}
    return [
        Crop(_kind(name), photo, path, _wider(corners, asked.margin))
        for photo, path in first.items()
        for name, corners in _boxes(source, path, asked)
        if name
    ]


def _boxes(source: Source, path: str, asked: PhotoSet) -> list[tuple[str, Corners]]:
    """What is seen in a photograph, and where: as we drew it, or as its owner did."""
    if asked.boxes:
        return [(name, _corners(*box)) for name, *box in asked.boxes.get(path, ())]
    return [(asked.names[number], corners) for number, corners in _labels(source, path, len(asked.names))]


def _photo(found: re.Match[str]) -> str:
    return found.groupdict().get("photo") or found[0]


def _kind(name: str) -> str:
    """A name that any file system takes."""
    return re.sub(r"[^\w.+-]+", "-", name).strip("-.") or "-"


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode(errors="surrogateescape")).digest()


def _draw_digest(crop: Crop, draw: int) -> bytes:
    return _digest(f"{draw} {crop.path} {crop.corners}" if draw else f"{crop.path} {crop.corners}")


def _labels(source: Source, path: str, kinds: int) -> Iterable[tuple[int, Corners]]:
    parts = list(PurePosixPath(path).with_suffix(".txt").parts)
    if "images" in parts:
        parts[len(parts) - 1 - parts[::-1].index("images")] = "labels"
    text = source.read("/".join(parts))
    for line in (text or b"").decode(errors="replace").splitlines():
        if words := line.split():
            yield _label(words, kinds, "/".join(parts))


def _label(words: Sequence[str], kinds: int, path: str) -> tuple[int, Corners]:
    try:
        number, places = int(words[0]), [float(word) for word in words[1:]]
    except ValueError:
        number, places = -1, []
    if not 0 <= number < kinds or len(places) < 4 or len(places) % 2:
        raise SetError(f"{path}: {' '.join(words)[:60]!r} is no number of {kinds} kinds with a box or a polygon")
    if len(places) == 4:
        return number, _corners(*places)
    return number, (min(places[::2]), min(places[1::2]), max(places[::2]), max(places[1::2]))


def _corners(x: float, y: float, wide: float, high: float) -> Corners:
    return x - wide / 2, y - high / 2, x + wide / 2, y + high / 2


def _wider(corners: Corners, margin: float) -> Corners:
    left, top, right, bottom = corners
    aside, above = margin * (right - left), margin * (bottom - top)
    return left - aside, top - above, right + aside, bottom + above


def _cut(source: Source, among: Sequence[Crop], asked: PhotoSet) -> tuple[list[Image], int]:
    """As many crops as are wanted, those to enrol first, and how many could not be had."""
    found: list[Image] = []
    seen: set[str] = set()
    unread = 0
    for crop in among:
        if len(found) == asked.shots + asked.tests:
            break
        if crop.photo in seen:
            continue
        image = decode(source.read(crop.path) or b"")[0]
        piece = None if image is None else _piece(image, crop.corners)
        if piece is None:
            unread += 1
            continue
        if not asked.boxes or len(found) < asked.shots:
            seen.add(crop.photo)
        found.append(piece)
    return found, unread


def _piece(image: Image, corners: Corners | None) -> Image | None:
    """The piece alone, not larger than need be; None if there are too few pixels of it."""
    high, wide = image.shape[:2]
    if corners is not None:
        left, top, right, bottom = np.rint(np.clip(corners, 0, 1) * (wide, high, wide, high)).astype(int)
        image = image[top:bottom, left:right]
        high, wide = image.shape[:2]
    if min(high, wide) < SMALLEST:
        return None
    scale = min(1.0, LARGEST / max(high, wide))
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    return small.astype(np.uint8, copy=False)


def _write(folder: Path, images: Iterable[Image]) -> None:
    folder.mkdir(parents=True)
    for number, image in enumerate(images, start=1):
        (folder / f"{number:03}.png").write_bytes(cv2.imencode(".png", image)[1].tobytes())
