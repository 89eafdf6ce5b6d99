"""Enrolling an owner's pieces before a camera: lay one on the mat, press, turn it, press, next."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from engine.errors import RefereeError
from engine.table import Order
from vision.camera import Camera, Image
from vision.care import Correction, measure
from vision.finding.pieces import PieceFinder
from vision.finding.pyramid import Pyramid
from vision.mat import Mat
from vision.recognition.enrolment import BACK, EnrolledSet
from vision.recognition.naming import PieceSet
from vision.recognition.quality import remarks
from vision.registration.lens import Lens
from vision.registration.markers import Locator

READ_S = 5.0


class NothingThere(RefereeError, LookupError):
    """The picture does not show exactly one piece on the mat: the message says what to change."""


class Shot(msgspec.Struct, frozen=True):
    """What to lay down next. kind: one of the set's, or the `BACK` of `vision.recognition.enrolment`."""

    kind: str
    number: int
    of: int


def shots(pieces: PieceSet, each: int) -> Iterator[Shot]:
    """Every picture that a set needs, kind by kind, the back last."""
    kinds = (*pieces.kinds, *((BACK,) if pieces.backs else ()))
    for kind in kinds:
        for number in range(1, each + 1):
            yield Shot(kind, number, each)


def patch(image: Image, mat: Mat, pieces: PieceSet, lens: Lens | None = None) -> Image:
    """The one piece that lies on the mat, cut out and colour-corrected. Raises NothingThere."""
    fit, _ = Locator(mat, lens).look(image)
    if fit is None:
        raise NothingThere("the mat is not found: uncover its corners, or move the camera so that all are in view")
    finder = PieceFinder(fit.projection, mat, pieces)
    found = finder.find(Pyramid(image))
    if len(found) != 1:
        raise NothingThere(f"{len(found)} pieces are found on the mat: lay one there alone, and take your hand away")
    correction = measure(image, fit.projection, mat) or Correction()
    return correction.apply(finder.crop(image, found[0]))


class Photographer:
    """Takes pictures of single pieces on a mat, through an open camera."""

    def __init__(self, camera: Camera, mat: Mat, pieces: PieceSet, lens: Lens | None = None) -> None:
        self.pieces = pieces
        self._camera, self._mat, self._lens = camera, mat, lens

    def take(self) -> Image:
        """The piece that lies there now. Raises NothingThere, or CameraLost."""
        frame = self._camera.read(READ_S)
        if frame is None:
            raise NothingThere("the recording is over")
        return patch(frame.image, self._mat, self.pieces, self._lens)


def enrol(
    photographer: Photographer, each: int, ask: Callable[[Shot], bool], complain: Callable[[str], None]
) -> EnrolledSet:
    """The set, `each` pictures of every kind. `ask` returns once the piece lies there; False ends with what there is.

    A picture that cannot be used is complained of, and taken again. Raises CameraLost.
    """
    pieces = photographer.pieces
    pictures: dict[str, list[Image]] = {}
    for shot in shots(pieces, each):
        image = _taken(photographer, shot, ask, complain)
        if image is None:
            break
        pictures.setdefault(shot.kind, []).append(image)
    return _enrolled(pieces, pictures)


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


def _enrolled(pieces: PieceSet, pictures: dict[str, list[Image]]) -> EnrolledSet:
    taken = {kind: tuple(images) for kind, images in pictures.items() if images}
    return EnrolledSet(pieces.name, pieces.symmetry, taken)


def mat_for(mats: dict[str, Mat], name: str) -> Mat | None:
    """A mat that the set is played on, one without cells first: there a piece may lie anywhere."""
    fitting = [mat for mat in mats.values() if any(zone.set == name for zone in mat.zones)]
    return min(fitting, key=lambda mat: any(zone.order is Order.CELLS for zone in mat.zones), default=None)
