"""Renders the overhead video of a board game played by a hand: checkered cells, round pieces, no markers."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from vision.camera import Image

Cell = tuple[int, int]
Point = npt.NDArray[np.float64]
SIZE = (640, 480)
CORNERS = ((150.0, 60.0), (498.0, 72.0), (505.0, 420.0), (138.0, 410.0))
FPS = 25


@dataclass
class Film:
    """rows x columns cells; pieces by cell: 0 dark, 1 pale. `flicker`: exposure swing; `shadow`: of the hand."""

    rows: int = 8
    columns: int = 8
    pieces: dict[Cell, int] = field(default_factory=dict)
    noise: float = 3.0
    flicker: float = 0.03
    shadow: float = 0.35
    lean: float = 0.0
    rng: np.random.Generator = field(default_factory=lambda: np.random.default_rng(3))
    frames: list[Image] = field(default_factory=list)

    def _warp(self) -> npt.NDArray[np.float64]:
        grid = np.array([[0, 0], [self.columns, 0], [self.columns, self.rows], [0, self.rows]], np.float32)
        return np.asarray(cv2.getPerspectiveTransform(grid, np.array(CORNERS, np.float32)), np.float64)

    def _at(self, row: float, column: float) -> npt.NDArray[np.float64]:
        point = self._warp() @ np.array([column, row, 1.0])
        return np.asarray(point[:2] / point[2])

    def _board(self) -> Image:
        image = np.full((SIZE[1], SIZE[0], 3), (70, 85, 100), np.uint8)
        for row in range(self.rows):
            for column in range(self.columns):
                shade = (170, 200, 215) if (row + column) % 2 == 0 else (75, 110, 140)
                corners = [self._at(row + r, column + c) for r, c in ((0, 0), (0, 1), (1, 1), (1, 0))]
                cv2.fillPoly(image, [np.rint(corners).astype(np.int32)], shade, cv2.LINE_AA)
        return image

    def _draw_piece(self, image: Image, place: npt.NDArray[np.float64], colour: int) -> None:
        body, rim = ((40, 45, 50), (110, 110, 115)) if colour == 0 else ((225, 232, 238), (120, 130, 140))
        foot = np.rint(place).astype(int)
        top = np.rint(place + (place - np.array(SIZE) / 2) * self.lean).astype(int)
        cv2.circle(image, foot.tolist(), 15, rim, -1, cv2.LINE_AA)
        cv2.circle(image, top.tolist(), 13, body, -1, cv2.LINE_AA)
        cv2.circle(image, top.tolist(), 6, rim, 2, cv2.LINE_AA)

    def _draw_hand(self, image: Image, tip: npt.NDArray[np.float64], away: float) -> None:
        direction = np.array([0.25, 1.0]) * away
        across = np.array([direction[1], -direction[0]]) / np.linalg.norm(direction)
        ahead = direction / np.linalg.norm(direction)
        knuckle, arm, elbow = tip + ahead * 70, tip + ahead * 55, tip + ahead * 700
        parts = [
            np.array([tip - across * 9, tip + across * 9, knuckle + across * 24, knuckle - across * 20]),
            np.array([arm - across * 38, arm + across * 38, elbow + across * 34, elbow - across * 34]),
        ]
        mask = np.zeros(image.shape[:2], np.uint8)
        cv2.fillPoly(mask, [np.rint(part + np.array([14, 10])).astype(np.int32) for part in parts], 255)
        soft = cv2.GaussianBlur(mask, (0, 0), 9)[..., None] / 255.0 * self.shadow
        image[:] = (image * (1 - soft)).astype(np.uint8)
        for part in parts:
            cv2.fillPoly(image, [np.rint(part).astype(np.int32)], (125, 155, 210), cv2.LINE_AA)

    def shoot(self, hand: npt.NDArray[np.float64] | None, away: float = 1.0, held: int | None = None) -> None:
        image = self._board()
        for (row, column), colour in self.pieces.items():
            self._draw_piece(image, self._at(row + 0.5, column + 0.5), colour)
        if hand is not None:
            if held is not None:
                self._draw_piece(image, hand, held)
            self._draw_hand(image, hand, away)
        light = 1 + self.flicker * np.sin(len(self.frames) / 9)
        noisy = image * light + self.rng.normal(0, self.noise, image.shape)
        self.frames.append(np.asarray(np.clip(noisy, 0, 255), np.uint8))

    def rest(self, seconds: float) -> None:
        for _ in range(round(seconds * FPS)):
            self.shoot(None)

    def _glide(
        self,
        start: npt.NDArray[np.float64],
        end: npt.NDArray[np.float64],
        seconds: float,
        away: float,
        held: int | None,
    ) -> None:
        for step in np.linspace(0, 1, round(seconds * FPS)):
            tremble = self.rng.normal(0, 0.7, 2)
            self.shoot(start + (end - start) * step + tremble, away, held)

    def reach(self, cell: Cell, away: float = 1.0) -> None:
        """A hand that points at a cell, thinks, and goes away without touching anything."""
        outside, place = np.array([330.0, 240 + away * 420]), self._at(cell[0] + 0.5, cell[1] + 0.5)
        self._glide(outside, place, 0.5, away, None)
        self._glide(place, place, 0.6, away, None)
        self._glide(place, outside, 0.5, away, None)

    def play(self, source: Cell, target: Cell, away: float = 1.0) -> None:
        """A hand that carries a piece, taking what lies at the target away first, in the same reach."""
        outside = np.array([330.0, 240 + away * 420])
        places = [self._at(row + 0.5, column + 0.5) for row, column in (source, target)]
        if target in self.pieces:
            self._glide(outside, places[1], 0.5, away, None)
            taken = self.pieces.pop(target)
            self._glide(places[1], outside, 0.4, away, taken)
        self._glide(outside, places[0], 0.5, away, None)
        held = self.pieces.pop(source)
        self._glide(places[0], places[1], 0.6, away, held)
        self.pieces[target] = held
        self._glide(places[1], places[1], 0.2, away, None)
        self._glide(places[1], outside, 0.4, away, None)

    def save(self, path: Path) -> None:
        writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"mp4v"), FPS, SIZE)
        assert writer.isOpened()
        for frame in self.frames:
            writer.write(frame)
        writer.release()
