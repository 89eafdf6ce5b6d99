"""Masks where pieces of a set may be."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import msgspec
import numpy as np

from vision.camera import Image
from vision.mat import Box, Mat, MatZone
from vision.registration.rectify import RectifiedSheet


class SearchArea(msgspec.Struct, frozen=True):
    """A set's search area.

    own: its zones, enlarged; others: other zones, reduced.
    strays: search outside all zones.
    """

    own: tuple[Box, ...]
    others: tuple[Box, ...]
    strays: bool

    @classmethod
    def of(cls, name: str, zones: Sequence[MatZone], room_mm: float, *, strays: bool) -> SearchArea:
        """Return a set's search area. room_mm: by which zones grow or shrink."""
        own = tuple(_grown(zone.box, room_mm) for zone in zones if zone.set == name)
        others = (_grown(zone.box, -room_mm) for zone in zones if zone.set != name)
        return cls(own, tuple(box for box in others if min(box.width, box.height) > 0), strays)

    def shown_area(self, room_mm: float) -> tuple[Box, ...]:
        """Return boxes to show, with a margin; empty for the whole mat."""
        return () if self.strays else tuple(_grown(box, room_mm) for box in self.own)

    def mark_area(self, usable: Image, sheet: RectifiedSheet) -> Image:
        """Restrict a mask (0/1) of possible places to this area."""
        mask = np.full(usable.shape, int(self.strays), np.uint8)
        for box in self.others:
            _fill(mask, sheet, box, 0)
        for box in self.own:
            _fill(mask, sheet, box, 1)
        return np.asarray(mask & usable, np.uint8)


def usable(mat: Mat, sheet: RectifiedSheet) -> Image:
    """Return a mask (0/1) of the mat without markers and patches."""
    mask = np.zeros(sheet.shape, np.uint8)
    _fill(mask, sheet, Box(0, 0, *mat.size_mm), 1)
    for marker in mat.markers:
        _fill(mask, sheet, _grown(Box(marker.x, marker.y, marker.side, marker.side), 4.0), 0)
    for patch in (mat.white, mat.gray):
        _fill(mask, sheet, _grown(patch, 2.0), 0)
    return mask


def _grown(box: Box, room_mm: float) -> Box:
    return Box(box.x - room_mm, box.y - room_mm, box.width + 2 * room_mm, box.height + 2 * room_mm)


def _fill(mask: Image, sheet: RectifiedSheet, box: Box, value: int) -> None:
    corners = np.array([[box.x, box.y], [box.x + box.width, box.y + box.height]])
    (left, top), (right, bottom) = np.rint(sheet.to_px(corners)).astype(int)
    cv2.rectangle(mask, (int(left), int(top)), (int(right), int(bottom)), value, -1)
