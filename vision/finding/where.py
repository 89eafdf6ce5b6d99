"""Masks of a sheet: where on a mat the pieces of a set may lie."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import msgspec
import numpy as np

from vision.camera import Image
from vision.mat import Box, Mat, MatZone
from vision.registration.rectify import RectifiedSheet


class SearchArea(msgspec.Struct, frozen=True):
    """Where the centres of a set's pieces are looked for.

    own: the zones of the set, and as much around them as a piece may lie outside; others: zones of other sets without
    as much at their borders. strays: what lies beside all zones is looked for too.
    """

    own: tuple[Box, ...]
    others: tuple[Box, ...]
    strays: bool

    @classmethod
    def of(cls, name: str, zones: Sequence[MatZone], room_mm: float, *, strays: bool) -> SearchArea:
        """Return where to look for the set of that name among all zones; everywhere if there are none."""
        own = tuple(_grown(zone.box, room_mm) for zone in zones if zone.set == name)
        others = (_grown(zone.box, -room_mm) for zone in zones if zone.set != name)
        return cls(own, tuple(box for box in others if min(box.width, box.height) > 0), strays)

    def shown_area(self, room_mm: float) -> tuple[Box, ...]:
        """Return the boxes that a searched sheet must show, with so much around them; none if that is all of the
        mat."""
        return () if self.strays else tuple(_grown(box, room_mm) for box in self.own)

    def mark_area(self, usable: Image, sheet: RectifiedSheet) -> Image:
        """The part (1) of a mask of where pieces may lie in which they are looked for."""
        mask = np.full(usable.shape, int(self.strays), np.uint8)
        for box in self.others:
            _fill(mask, sheet, box, 0)
        for box in self.own:
            _fill(mask, sheet, box, 1)
        return np.asarray(mask & usable, np.uint8)


def usable(mat: Mat, sheet: RectifiedSheet) -> Image:
    """Mask (0 or 1) of the sheet where pieces may lie: the mat without its markers and patches."""
    mask = np.zeros(sheet.shape, np.uint8)
    _fill(mask, sheet, Box(0, 0, *mat.size_mm), 1)
    for marker in mat.markers:
        _fill(mask, sheet, _grown(Box(marker.x, marker.y, marker.side, marker.side), 4.0), 0)
    for patch in (mat.white, mat.gray):
        _fill(mask, sheet, _grown(patch, 2.0), 0)
    return mask


def _grown(box: Box, room_mm: float) -> Box:
    """The box with so much more around it."""
    return Box(box.x - room_mm, box.y - room_mm, box.width + 2 * room_mm, box.height + 2 * room_mm)


def _fill(mask: Image, sheet: RectifiedSheet, box: Box, value: int) -> None:
    corners = np.array([[box.x, box.y], [box.x + box.width, box.y + box.height]])
    (left, top), (right, bottom) = np.rint(sheet.to_px(corners)).astype(int)
    cv2.rectangle(mask, (int(left), int(top)), (int(right), int(bottom)), value, -1)
