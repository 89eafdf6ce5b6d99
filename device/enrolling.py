"""Enrols an owner's pieces with a camera: lay one on the mat, press, turn it, press, next piece."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

import cv2
import msgspec
import numpy as np

from engine.errors import RefereeError
from engine.table import Order
from vision.camera import Camera, Image
from vision.care import Correction, measure
from vision.finding.pieces import PieceFinder
from vision.finding.pyramid import Pyramid
from vision.mat import Mat
from vision.recognition.enrolment import BACK
from vision.recognition.naming import PieceSet
from vision.recognition.quality import remarks
from vision.registration.lens import Lens, Points
from vision.registration.markers import Locator
from vision.registration.rectify import Projection, corner_projection

READ_S = 5.0

LARGEST_PX = 1920
"""Longest side of the pictures that cameras of tables give."""


class NothingThere(RefereeError, LookupError):
    """The picture does not show exactly one piece on the mat: the message says what to change."""


class Shot(msgspec.Struct, frozen=True):
    """What to lay down next. kind: one of the set's, or the `BACK` of `vision.recognition.enrolment`."""

    kind: str
    number: int
    of: int


def kinds_of(pieces: PieceSet) -> tuple[str, ...]:
    """Every kind of which a set needs pictures, the back last."""
    return (*pieces.kinds, *((BACK,) if pieces.backs else ()))


class Place(msgspec.Struct, frozen=True):
    """Where the pieces are laid, and through what they are seen.

    mats: those that may lie there, the likeliest first. corners_px: for one without markers, the corners of the first
    in the picture, clockwise from its top left.
    """

    mats: tuple[Mat, ...]
    lens: Lens | None = None
    corners_px: Points | None = None

    def find(self, image: Image) -> tuple[Mat, Projection]:
        """The mat that lies there, and where it is in the picture. Raises NothingThere."""
        if self.corners_px is not None:
            height, width = image.shape[:2]
            lens = self.lens.scaled(width, height) if self.lens is not None else None
            return self.mats[0], corner_projection(self.corners_px, self.mats[0].size_mm, width, height, lens)
        for mat in self.mats:
            fit, _ = Locator(mat, self.lens).look(image)
            if fit is not None:
                return mat, fit.projection
        raise NothingThere(
            f"no mat is found (known here: {', '.join(mat.name for mat in self.mats)}): uncover its corners, or move "
            "the camera so that all are in view"
        )


def patch(image: Image, place: Place, pieces: PieceSet) -> Image:
    """The one piece that lies on the mat, cut out and colour-corrected. Raises NothingThere."""
    return _cut(image, *place.find(image), pieces)


def cropped(image: Image, mats: Iterable[Mat], pieces: PieceSet) -> Image:
    """A picture that somebody took: of a piece on a mat, as `patch` cuts it out; a rough crop stays as it is.

    mats: those that may lie there, by their markers. A picture that shows any of them must show the mat and one piece:
    raises NothingThere.
    """
    small = _scaled(image)
    known, seen = tuple(mats), False
    for mat in known:
        locator = Locator(mat)
        fit, _ = locator.look(small)
        if fit is not None:
            return _cut(small, mat, fit.projection, pieces)
        seen = seen or bool(locator.seen)
    if seen:
        names = ", ".join(mat.name for mat in known)
        raise NothingThere(
            f"markers are seen, but no mat is found (known here: {names}): show all of it, or crop it to the piece"
        )
    return image


def _scaled(image: Image) -> Image:
    """A large picture made as small as those in which pieces are found on a mat."""
    share = LARGEST_PX / max(image.shape[:2])
    if share >= 1.0:
        return image
    return np.asarray(cv2.resize(image, None, fx=share, fy=share, interpolation=cv2.INTER_AREA), np.uint8)


def _cut(image: Image, mat: Mat, projection: Projection, pieces: PieceSet) -> Image:
    finder = PieceFinder(projection, mat, pieces)
    found = finder.find(Pyramid(image))
    if len(found) != 1:
        count = f"{len(found)} pieces are" if found else "no piece is"
        raise NothingThere(f"{count} found on the mat: exactly one must lie there, and no hand")
    correction = measure(image, projection, mat) or Correction()
    return correction.apply(finder.crop(image, found[0]))


class Photographer:
    """Takes pictures of single pieces on a mat, through an open camera."""

    def __init__(self, camera: Camera, place: Place, pieces: PieceSet) -> None:
        self._camera, self._place, self._pieces = camera, place, pieces

    def take(self) -> Image:
        """The piece that lies there now. Raises NothingThere, or CameraLost."""
        frame = self._camera.read(READ_S)
        if frame is None:
            raise NothingThere("the recording is over")
        return patch(frame.image, self._place, self._pieces)


def enrol(
    photographer: Photographer,
    kinds: Iterable[str],
    each: int,
    ask: Callable[[Shot], bool],
    complain: Callable[[str], None],
) -> Iterator[tuple[str, tuple[Image, ...]]]:
    """`each` pictures of every kind, one kind after the other, as soon as all of it are taken.

    `ask` returns once the piece lies there; False ends it, without the kind that was begun. A picture that cannot be
    used is complained of, and taken again. Raises CameraLost.
    """
    for kind in kinds:
        images: list[Image] = []
        for number in range(1, each + 1):
            image = _taken(photographer, Shot(kind, number, each), ask, complain)
            if image is None:
                return
            images.append(image)
        yield kind, tuple(images)


def _taken(
    photographer: Photographer, shot: Shot, ask: Callable[[Shot], bool], complain: Callable[[str], None]
) -> Image | None:
    """One picture; None to end. A dark, blurred or shiny one is taken again, once: a face may be so by nature."""
    told = False
    while ask(shot):
        try:
            image = photographer.take()
        except NothingThere as error:
            complain(str(error))
            continue
        faults = [] if told else [str(remark.text) for remark in remarks(shot.kind, image)]
        if not faults:
            return image
        for fault in faults:
            complain(fault)
        told = True
    return None


def mats_for(mats: Mapping[str, Mat], name: str) -> tuple[Mat, ...]:
    """The mats that a set is played on, those without cells first: there a piece may lie anywhere."""
    fitting = [mat for mat in mats.values() if any(zone.set == name for zone in mat.zones)]
    return tuple(sorted(fitting, key=lambda mat: any(zone.order is Order.CELLS for zone in mat.zones)))
