"""Arms over a board, with their shadows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import cv2
import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from tests.tools.lab.boards.films import Camera, Piece

Floats = npt.NDArray[np.float32]
Point = npt.NDArray[np.float64]
SKINS: tuple[tuple[int, int, int], ...] = ((135, 165, 215), (110, 140, 195), (60, 85, 130))
SLEEVES: tuple[tuple[int, int, int] | None, ...] = ((30, 28, 26), (150, 90, 60), (200, 200, 205), (60, 60, 140), None)


@dataclass
class Arm:
    """tip: where the finger tips are, over the board; ahead: the unit vector from the elbow to them."""

    tip: Point
    ahead: Point
    skin: int
    sleeve: int
    height: float = 1.2
    held: Piece | None = None
    wide: float = 1.0

    def draw(self, image: Floats, camera: Camera, lamp: tuple[float, float], shade: float, soft: float) -> None:
        """The shadow on the board, then the arm."""
        parts = self._parts()
        mask = np.zeros(image.shape[:2], np.uint8)
        cast = np.array(lamp) * self.height
        for part in parts:
            cv2.fillPoly(mask, [np.rint(camera(part + cast)).astype(np.int32)], 255)
        half = (image.shape[1] // 2, image.shape[0] // 2)
        small = cv2.resize(mask, half, interpolation=cv2.INTER_AREA)
        small = cv2.GaussianBlur(small, (0, 0), max(0.5, soft * camera.px * self.height * 0.5))
        blurred = cv2.resize(small, (image.shape[1], image.shape[0]))
        image *= 1 - shade * (blurred.astype(np.float32) / 255)[..., None]
        skin = np.array(SKINS[self.skin], np.float64)
        sleeve = SLEEVES[self.sleeve]
        tones = [skin, skin, skin * 0.95, skin if sleeve is None else np.array(sleeve, np.float64)]
        for part, tone in zip(parts, tones, strict=True):
            self._fill(image, camera, part, tone)

    def draw_fingers(self, image: Floats, camera: Camera) -> None:
        """What is nearer to the eye than the piece in hand."""
        self._fill(image, camera, self._parts()[1], np.array(SKINS[self.skin], np.float64) * 0.97)

    def _parts(self) -> list[Point]:
        """Thumb, fingers, back of the hand, forearm: outlines on the board."""
        across = np.array([-self.ahead[1], self.ahead[0]]) * self.wide
        back = self.tip - self.ahead * 0.9
        wrist = self.tip - self.ahead * 2.1
        elbow = self.tip - self.ahead * 12.0
        return [
            np.array([self.tip + across * 0.28, self.tip + across * 0.1, back + across * 0.3, back + across * 0.65]),
            np.array([self.tip - across * 0.22, self.tip + across * 0.06, back + across * 0.35, back - across * 0.6]),
            np.array([back - across * 0.6, back + across * 0.65, wrist + across * 0.45, wrist - across * 0.45]),
            np.array([wrist - across * 0.55, wrist + across * 0.55, elbow + across * 0.8, elbow - across * 0.8]),
        ]

    def _fill(self, image: Floats, camera: Camera, part: Point, tone: Point) -> None:
        """Shaded like a cylinder: darker towards its sides."""
        middle = part.mean(axis=0)
        for share in (1.0, 0.75, 0.45):
            outline = middle + (part - middle) * np.array([share, share]) if share < 1 else part
            along = (outline - middle) @ self.ahead
            outline = outline + np.outer((part - middle) @ self.ahead - along, self.ahead)
            pixels = np.rint(camera(outline, self.height * 0.7)).astype(np.int32)
            cv2.fillPoly(image, [pixels], tuple(float(v) for v in tone * (1.08 - 0.25 * share)))
