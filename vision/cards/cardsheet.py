"""Converts between cards and a sheet (rectified picture of the mat): places, masks, crops."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
import numpy.typing as npt

from engine.table import Arrangement, Sight
from vision.camera import Image
from vision.finding.pieces import CROP_ROOM, FoundPiece, PieceFinder
from vision.finding.quad import Quad
from vision.finding.zones import zone_of
from vision.mat import MatZone
from vision.tracking.looks import Look

LINE_MM = 2.0
"""Half the apparent width of printed lines."""

PILE_ROOM_MM = 12.0
"""Overhang of cards on piles."""


class CardSheet:
    """Geometry of a card set on its sheet."""

    def __init__(self, finder: PieceFinder, zones: Sequence[MatZone]) -> None:
        self._finder, self.zones = finder, zones
        self.size = (finder.pieces.size_mm[0] * finder.sheet.scale, finder.pieces.size_mm[1] * finder.sheet.scale)
        """A card's width and height in pixels."""
        self.area = self.size[0] * self.size[1]
        self.scale = finder.sheet.scale
        self.long_mm = max(finder.pieces.size_mm)

    def to_piece(self, quad: Quad) -> FoundPiece:
        """Convert a rectangle in pixels to a piece in millimetres."""
        (x, y), *_ = self._finder.sheet.to_mm(np.array([[quad.x, quad.y]]))
        return FoundPiece(float(x), float(y), quad.angle_deg, quad.support)

    def look(self, quad: Quad) -> Look:
        """Return an unread card's look here."""
        here = self.to_piece(quad)
        return Look(here.x_mm, here.y_mm, quad.angle_deg, None, None, Sight.UNKNOWN, 0.0)

    def quad(self, look: Look) -> Quad:
        """Return a look's rectangle in pixels."""
        x, y = self._finder.sheet.to_px(np.array([[look.x_mm, look.y_mm]]))[0]
        return Quad(float(x), float(y), look.angle_deg, 1.0)

    def mask(self, quad: Quad) -> Image:
        """Return the sheet's mask (0/1) of a card."""
        mask = np.zeros(self._finder.sheet.shape, np.uint8)
        cv2.fillPoly(mask, [np.rint(quad.corners(self.size)).astype(np.int32)], 1)
        return mask

    def piles(self) -> Image:
        """Return the mask (0/1) of piles with overhang."""
        mask = np.zeros(self._finder.sheet.shape, np.uint8)
        for box in (zone.box for zone in self.zones if zone.order is Arrangement.PILE):
            low = (box.x - PILE_ROOM_MM, box.y - PILE_ROOM_MM)
            high = (box.x + box.width + PILE_ROOM_MM, box.y + box.height + PILE_ROOM_MM)
            (left, top), (right, bottom) = np.rint(self._finder.sheet.to_px(np.array([low, high]))).astype(int).tolist()
            cv2.rectangle(mask, (left, top), (right, bottom), (1,), cv2.FILLED)
        return mask

    def outlines(self) -> Image:
        """Return the mask (0/1) of printed zone lines."""
        mask = np.zeros(self._finder.sheet.shape, np.uint8)
        for box in (box for zone in self._finder.mat.zones for box in (zone.box, *zone.cells)):
            corners = np.array([(box.x, box.y), (box.x + box.width, box.y + box.height)])
            (left, top), (right, bottom) = np.rint(self._finder.sheet.to_px(corners)).astype(int).tolist()
            cv2.rectangle(mask, (left, top), (right, bottom), (1,), round(2 * LINE_MM * self.scale))
        return mask

    def expected_angle(self, x: float, y: float) -> float | None:
        """Return `suggested_angle` of the zone at a pixel; None outside zones."""
        (here,) = self._finder.sheet.to_mm(np.array([[x, y]]))
        zone = zone_of(float(here[0]), float(here[1]), self.zones)
        return None if zone is None else suggested_angle(zone)

    def cut(self, picture: Image, quad: Quad) -> Image:
        """Crop a card upright with margin."""
        extent = (self.size[0] * CROP_ROOM, self.size[1] * CROP_ROOM)
        pixels = self._finder.crop_pixels
        corners = Quad(quad.x, quad.y, quad.angle_deg, 1.0).corners(extent)  # bottom left, then clockwise
        target = np.array([[0, pixels[1] - 1], [0, 0], [pixels[0] - 1, 0]], np.float32)
        transform = cv2.getAffineTransform(upright(corners, quad)[:3], target)
        return np.asarray(cv2.warpAffine(picture, transform, pixels, flags=cv2.INTER_LINEAR), np.uint8)


def upright(corners: npt.NDArray[np.float32], quad: Quad) -> npt.NDArray[np.float32]:
    """Order corners clockwise from the rectangle's bottom left."""
    turn = np.radians(quad.angle_deg)
    right, low = np.array([np.cos(turn), np.sin(turn)]), np.array([-np.sin(turn), np.cos(turn)])
    about = corners - np.array([quad.x, quad.y])
    signs = ((-1, 1), (-1, -1), (1, -1), (1, 1))
    return np.stack([corners[int(np.argmax(about @ right * a + about @ low * b))] for a, b in signs]).astype(np.float32)


def suggested_angle(zone: MatZone) -> float | None:
    """Return the angle (degrees modulo 180) of cards in a zone, or None if free."""
    match zone.order:
        case Arrangement.SPLAY:
            return zone.direction % 180.0
        case Arrangement.PILE | Arrangement.CELLS:
            box = zone.cells[0] if zone.cells else zone.box
            return 90.0 if box.width > box.height else 0.0
        case _:
            return None
