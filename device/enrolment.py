"""Photographs and measures an owner's pieces on the mat."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import cv2
import msgspec
import numpy as np

from device import games
from engine.errors import RefereeError
from engine.table import Arrangement, Health
from engine.text import Text, many, say
from vision.camera import Frame, Image, Pyramid
from vision.files import BadFile
from vision.finding.measuring import MeasuredPiece, measure_pieces
from vision.finding.pieces import FoundPiece, PieceFinder
from vision.finding.rough_crops import frame_card, is_drawing, shows_rim, without_noise
from vision.mat import Mat
from vision.picture_checks import ColourCorrection, Watch, measure
from vision.recognition.enrolment import BACK
from vision.recognition.index import INDEX, Index, read_index
from vision.recognition.naming import PieceSet
from vision.recognition.piece_sizes import Measured, Outline, with_size
from vision.recognition.rotation_likeness import symmetry
from vision.registration.lens import Lens, LensUnfit, Points
from vision.registration.markers import Locator
from vision.registration.rectify import Projection, corner_projection

SMALLEST_MM, LARGEST_MM = 15, 90
"""Range of pieces' diameters or sides (shorter for cards) in mm."""

ROUNDING = 0.05
"""Relative tolerance of measures."""

ARM_MM = 60.0
"""Length in mm above which something at the edge may be an arm."""

BESIDE = 0.3
"""Tolerated offset relative to a piece's size."""

ROUGHLY = 0.25
"""Excess length of a rough crop relative to its piece; photographs exceed it."""

BLACK, PLAIN = 20, 8
"""Gray levels: least brightness of a crop, and least contrast of a face."""

MIRRORED = say("The picture is mirrored. Turn mirroring off, and take it again.")

NO_CROP = say(
    "No piece fills this picture, and no mat was found. Crop the picture to the piece, with a little background around "
    "it, or take it again with the whole mat in view and the camera still."
)

HAND = say("Something reaches over the mat's edge. Take your hand away.")

LARGEST_PX = 1920
"""Longest side of cameras' pictures in pixels."""


class NothingThere(RefereeError, LookupError):
    """No single piece can be seen; `text` has the remedy."""

    def __init__(self, text: Text) -> None:
        super().__init__(str(text))
        self.text = text


class Taken(msgspec.Struct, frozen=True):
    """A piece's picture: cut out and colour-corrected.

    raw: uncorrected, showing overexposure.
    measured: None without an outline.
    headroom: brightest measurable level relative to white paper; None if unknown.
    """

    image: Image
    raw: Image
    measured: Measured | None = None
    headroom: float | None = None

    @classmethod
    def crop(cls, image: Image) -> Taken:
        """Return a user's crop, unmeasured."""
        return cls(image, image)


def kinds_of(pieces: PieceSet) -> tuple[str, ...]:
    """Return a set's kinds, any back last."""
    return (*pieces.kinds, *((BACK,) if pieces.backs else ()))


class LayingArea(msgspec.Struct, frozen=True):
    """Mats, likeliest first, and lens. corners_px: of the first mat if without markers, clockwise from its top left."""

    mats: tuple[Mat, ...]
    lens: Lens | None = None
    corners_px: Points | None = None

    def find(self, image: Image) -> tuple[Mat, Projection]:
        """Return the mat found and its projection. Raises NothingThere."""
        height, width = image.shape[:2]
        try:
            lens = self.lens.scale(width, height) if self.lens is not None else None
        except LensUnfit:
            lens = None  # the common one, as the worker takes and the doctor says
        if self.corners_px is not None:
            return self.mats[0], corner_projection(self.corners_px, self.mats[0].size_mm, width, height, lens)
        for mat in self.mats:
            locator = Locator(mat, lens)
            fit, _ = locator.look(image)
            if fit is not None:
                return mat, fit.projection
            if locator.is_mirrored(image):
                raise NothingThere(MIRRORED)
        raise NothingThere(
            say(
                "No mat is found (known here: {mats}). Uncover its corners, or move the camera so that all are in "
                "view.",
                mats=", ".join(mat.name for mat in self.mats),
            )
        )


def patch(image: Image, place: LayingArea, pieces: PieceSet) -> Taken:
    """Return the mat's only piece, cut out, corrected and, if possible, measured. Raises NothingThere."""
    return _cut(image, *place.find(image), pieces)


def crop(image: Image, mats: Iterable[Mat], pieces: PieceSet, *, blank: bool = False) -> Taken:
    """Return a picture's piece: cut from a mat as by `patch`, or a rough crop, cards upright with a margin.

    mats: possible ones. blank: may show a blank back. Raises NothingThere.
    """
    small = _scale_down(image)
    known, seen = tuple(mats), False
    for mat in known:
        locator = Locator(mat)
        fit, _ = locator.look(small)
        if fit is not None:
            return _cut(small, mat, fit.projection, pieces)
        seen = seen or bool(locator.seen)
        if locator.is_mirrored(small):
            raise NothingThere(MIRRORED)
    if seen:
        raise NothingThere(
            say(
                "Markers are visible, but no mat is found (known here: {mats}). Show the whole mat, or crop the "
                "picture to the piece.",
                mats=", ".join(mat.name for mat in known),
            )
        )
    if (why := _no_crop(image, pieces, blank)) is not None:
        raise NothingThere(why)
    return Taken(frame_card(image, pieces.size_mm), image) if pieces.shape == "card" else Taken.crop(image)


def _no_crop(image: Image, pieces: PieceSet, blank: bool) -> Text | None:
    low, high = np.percentile(without_noise(image), (1, 99))
    if high < BLACK:
        return say("The picture is black. Take it again with more light.")
    if high - low < PLAIN and not blank:
        return say("The picture shows only one colour. Take it again.")
    long, short = max(image.shape[:2]), min(image.shape[:2])
    form = max(pieces.size_mm) / min(pieces.size_mm)
    if long > short * form * (1 + ROUGHLY):
        return NO_CROP
    if pieces.shape == "disc" and not is_drawing(image) and not shows_rim(image):
        return NO_CROP
    return None


def _scale_down(image: Image) -> Image:
    share = LARGEST_PX / max(image.shape[:2])
    if share >= 1.0:
        return image
    return np.asarray(cv2.resize(image, None, fx=share, fy=share, interpolation=cv2.INTER_AREA), np.uint8)


def _cut(image: Image, mat: Mat, projection: Projection, pieces: PieceSet) -> Taken:
    picture = Pyramid(image)
    measured, near = _measure_piece(picture, mat, projection, pieces)
    as_large = pieces if measured is None else with_size(pieces, (measured,))
    finder = PieceFinder(projection, mat, as_large)
    found = min(
        finder.find(picture), key=lambda one: np.hypot(one.x_mm - near.x_mm, one.y_mm - near.y_mm), default=near
    )
    if np.hypot(found.x_mm - near.x_mm, found.y_mm - near.y_mm) > BESIDE * as_large.size_mm[0]:
        found = near
    correction = measure(image, projection, mat)
    raw = finder.crops(image, [found])
    cut = (correction or ColourCorrection()).unclip(raw)[0]
    if measured is not None:
        measured = msgspec.structs.replace(measured, alike=symmetry(cut))
    return Taken(cut, raw[0], measured, None if correction is None else correction.headroom)


def _measure_piece(
    picture: Pyramid, mat: Mat, projection: Projection, pieces: PieceSet
) -> tuple[Measured | None, FoundPiece]:
    there, rest = measure_pieces(picture, projection, mat, pieces)
    if _reaches_in(there, rest):
        raise NothingThere(HAND if there else nothing(rest))
    if pieces.shape == "card" and len(cards := PieceFinder(projection, mat, pieces).find(picture)) == 1:
        return None, cards[0]
    if len(there) > 1:
        raise NothingThere(several(len(there)))
    if not there:
        usual = PieceFinder(projection, mat, pieces).find(picture)
        if len(usual) == 1:
            return None, usual[0]
        raise NothingThere(several(len(usual)) if usual else nothing(rest))
    one = there[0]
    if (why := unfit(one.measured, pieces)) is not None:
        raise NothingThere(why)
    height, width = picture.image.shape[:2]
    measured = msgspec.structs.replace(one.measured, mat=mat.name, picture=(width, height))
    return measured, FoundPiece(one.x_mm, one.y_mm, one.angle_deg, float(one.support))


def several(count: int) -> Text:
    """Return the message for several pieces."""
    return many(
        "{count} piece was found on the mat. Leave exactly one there, and take your hand away.",
        "{count} pieces were found on the mat. Leave exactly one there, and take your hand away.",
        count,
    )


def _reaches_in(there: Sequence[MeasuredPiece], rest: Sequence[MeasuredPiece]) -> bool:
    """Return True if something at the edge may be an arm, longer than a piece and its shadow."""
    longest = max((one.measured.height_mm for one in there), default=0.0)
    return any(one.edge and one.measured.height_mm > max(ARM_MM, (1 + ROUGHLY) * longest) for one in rest)


def nothing(rest: Sequence[MeasuredPiece]) -> Text:
    """Return the message for no piece. rest: other objects, largest first."""
    if _reaches_in((), rest):
        return say("No piece found; something reaches over the mat's edge. Take your hand away.")
    return say("No piece found. Lay exactly one on the mat, and take your hand away.")


def unfit(measured: Measured, pieces: PieceSet) -> Text | None:
    """Return why it can't be a piece of the set; None if it can."""
    width, height = measured.width_mm, measured.height_mm
    if height > LARGEST_MM * (1 + ROUNDING) and pieces.shape != "card":
        return say(
            "This is {size} mm across; no piece is larger than {most} mm. Take it off the mat.",
            size=round(height),
            most=LARGEST_MM,
        )
    least = min(SMALLEST_MM, *pieces.size_mm)
    if width < least * (1 - ROUNDING):
        return say(
            "This is {size} mm across; no piece is smaller than {least} mm. Take it off the mat.",
            size=round(width),
            least=round(least),
        )
    if measured.outline is Outline.CARD and pieces.shape != "card":
        return say(
            "This is {width} by {height} mm: two touching pieces, or a piece from another set. Lay one piece alone.",
            width=round(width),
            height=round(height),
        )
    return None


def looked_at(image: Image, place: LayingArea, pieces: PieceSet) -> Taken:
    """Return the piece as `patch` does, refusing dark pictures. Raises as `patch`."""
    if Watch().judge(Frame.of(0, 0.0, image)) is Health.DARK:
        raise NothingThere(say("The picture is dark. Switch the lamp on, or uncover the camera."))
    return patch(image, place, pieces)


def kept_so_far(folder: Path, pieces: PieceSet, *, whole: bool) -> Index:
    """Return the folder's enrolment of the set's kinds; empty without one. Raises BadFile.

    whole: all are retaken, so an unreadable enrolment counts as empty.
    """
    nothing_yet = Index(pieces.name, pieces.symmetry, ())
    if not (folder / INDEX).exists():
        return nothing_yet
    try:
        known = read_index(folder).references
    except BadFile:
        if not whole:
            raise
        return nothing_yet
    return Index(pieces.name, pieces.symmetry, tuple(each for each in known if each.kind in kinds_of(pieces)))


def laid_on(name: str) -> tuple[Mat, ...]:
    """Return installed games' mats for a set, as `mats_for`. Raises BadFile."""
    laid = (table.mat for known in games.specs().values() for table in known.tables if table.mat)
    return mats_for(games.mats(dict.fromkeys(laid)), name)


def mats_for(mats: Mapping[str, Mat], name: str) -> tuple[Mat, ...]:
    """Return mats for a set, those without cells first."""
    fitting = [mat for mat in mats.values() if any(zone.set == name for zone in mat.zones)]
    return tuple(sorted(fitting, key=lambda mat: any(zone.order is Arrangement.CELLS for zone in mat.zones)))
