"""A game played by hand before the camera: who reaches where, when, and what else happens. Yields pictures.

    .venv/bin/python -m tests.tools.lab.boards.played 30 [--first 0] [--keep FOLDER]

prints how many of the moves of so many films are found.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from tests.tools.lab.boards.arms import SKINS, SLEEVES, Arm
from tests.tools.lab.boards.films import Cell, Piece, Studio, piece, save, scene
from tools.lab.boards.moves import Moves, Score, evaluate_moves
from vision.camera import Image

Floats = npt.NDArray[np.float32]
Point = npt.NDArray[np.float64]
Move = tuple[Cell, Cell]
FLAT = 0.5
"""Pieces lower than this are draughtsmen."""


class Play:
    """One film: a table, two players, and the moves they make."""

    def __init__(self, seed: int, moves: int = 7, size: tuple[int, int] | None = None) -> None:
        self.rng = np.random.default_rng(seed)
        self.scene = scene(self.rng, size)
        self.studio = Studio(self.scene, self.rng)
        top_left, top_right, right, left = self.studio.corners()
        self.corners = (top_left, top_right, right, left)
        self.made: list[Move] = []
        self._moves = moves
        self._pace = self.rng.uniform(0.6, 1.8)
        """How quick the hands are."""
        self._players = [(int(self.rng.integers(len(SKINS))), int(self.rng.integers(len(SLEEVES)))) for _ in range(2)]
        self._leaving: list[tuple[Arm, int]] = []
        self._shade: Iterator[Floats] | None = None
        self._side = int(self.rng.integers(2))
        rows = self.scene.rows
        for row in (0, 1, rows - 2, rows - 1):
            for column in range(self.scene.columns):
                if self.scene.tall > FLAT or (row + column) % 2:
                    side = 0 if row < 2 else 1
                    self.studio.put((row, column), piece(self.rng, side, self.scene.tall))

    def film(self) -> Iterator[Image]:
        """All pictures, from the first rest to the last."""
        yield from self.rest(self.rng.uniform(0.5, 1.5))
        for number in range(self._moves):
            player = number % 2
            if self.rng.random() < 0.15:
                yield from self.visit(player)
            if self.rng.random() < 0.15:
                self._shade = self._body_shadow()
            source, target = self._choose(player)
            yield from self._play(player, source, target)
            self.made.append((source, target))
            if self.rng.random() < 0.1 and number + 1 < self._moves:
                yield from self._take_off(player)
            if self.rng.random() < 0.25:
                continue
            yield from self.rest(self.rng.uniform(0.2, 2.0))
        yield from self.rest(2.0)

    def _choose(self, player: int) -> Move:
        rows, columns = self.scene.rows, self.scene.columns
        mine = [cell for cell, what in self.studio.pieces.items() if what.side == 1 - player]
        mine = mine or list(self.studio.pieces)
        while True:
            source = mine[int(self.rng.integers(len(mine)))]
            reach = int(self.rng.choice((1, 2, 3, 6)))
            step = self.rng.integers(-reach, reach + 1, 2)
            target = (source[0] + int(step[0]), source[1] + int(step[1]))
            if target == source or not (0 <= target[0] < rows and 0 <= target[1] < columns):
                continue
            there = self.studio.pieces.get(target)
            if there is None or (there.side == player and self.rng.random() < 0.6):
                return source, target

    def _home(self, player: int) -> Point:
        """Where a player's hand comes from."""
        return np.array([self.scene.columns * self.rng.uniform(0.3, 0.9), -4.0 if player else self.scene.rows + 4.0])

    def _arm(self, player: int, home: Point) -> Arm:
        skin, sleeve = self._players[player]
        wide = float(np.random.default_rng(player).uniform(0.85, 1.15))
        return Arm(home.copy(), np.array([0.0, 1.0 if player else -1.0]), skin, sleeve, 1.2, None, wide)

    def _play(self, player: int, source: Cell, target: Cell) -> Iterator[Image]:
        home = self._home(player)
        arm = self._arm(player, home)
        start, end = self.studio.place(source), self.studio.place(target)
        manner = self.rng.random()
        if target in self.studio.pieces and manner < 0.5:
            yield from self._go(arm, end)
            yield from self._dwell(arm, 0.25)
            arm.held = self.studio.put(target, None)
            yield from self._go(arm, home if self.rng.random() < 0.5 else np.array([-1.5, self.scene.rows / 2]))
            arm.held = None
        yield from self._go(arm, start)
        yield from self._dwell(arm, 0.25)
        held = arm.held = self.studio.put(source, None)
        yield from self._go(arm, end + self.rng.normal(0, 0.05, 2))
        yield from self._dwell(arm, 0.2)
        taken = self.studio.put(target, self._again(held))
        arm.held = taken
        yield from self._dwell(arm, float(self.rng.choice((0.1, 0.2, 1.2), p=(0.5, 0.35, 0.15))))
        if self.rng.random() < 0.3:
            self._leaving.append((arm, player))
            return
        yield from self._go(arm, home)

    def _take_off(self, player: int) -> Iterator[Image]:
        """A piece that was jumped over or taken in passing goes off the board; nothing comes in its place."""
        theirs = [cell for cell, what in self.studio.pieces.items() if what.side == player]
        cell = theirs[int(self.rng.integers(len(theirs)))]
        home = self._home(player)
        arm = self._arm(player, home)
        yield from self._go(arm, self.studio.place(cell))
        yield from self._dwell(arm, 0.2)
        arm.held = self.studio.put(cell, None)
        yield from self._go(arm, home)

    def _again(self, held: Piece | None) -> Piece | None:
        """The piece as it is set down: not quite where it was on its cell."""
        if held is None:
            return None
        return Piece(held.side, held.slices, (float(self.rng.normal(0, 0.06)), float(self.rng.normal(0, 0.06))))

    def visit(self, player: int) -> Iterator[Image]:
        """A hand that comes, rests over the board, perhaps puts a piece straight, and goes."""
        home = self._home(player)
        arm = self._arm(player, home)
        cells = list(self.studio.pieces)
        cell = cells[int(self.rng.integers(len(cells)))]
        yield from self._go(arm, self.studio.place(cell))
        yield from self._dwell(arm, self.rng.uniform(0.5, 2.0))
        if self.rng.random() < 0.4:
            self.studio.put(cell, self._again(self.studio.pieces[cell]))
        yield from self._go(arm, home)

    def _body_shadow(self) -> Iterator[Floats]:
        """Somebody leans between the lamp and the table: an edge crosses the board, and goes back."""
        rng, shape = self.rng, (self.scene.height // 4, self.scene.width // 4)
        angle, depth, sharp = rng.uniform(0, 2 * np.pi), rng.uniform(0.25, 0.6), rng.uniform(1, 8)
        y, x = np.mgrid[-1 : 1 : shape[0] * 1j, -1 : 1 : shape[1] * 1j]
        along = x * np.cos(angle) + y * np.sin(angle)
        count = max(4, round(rng.uniform(0.8, 3) * self.scene.fps))
        for step in range(count):
            edge = -1.5 + 2.2 * np.sin(np.pi * step / count)
            dark = np.clip((edge - along) * 10 / sharp, 0, 1)
            light = cv2.resize((1 - depth * dark).astype(np.float32), (self.scene.width, self.scene.height))
            yield light[..., None]

    def rest(self, seconds: float) -> Iterator[Image]:
        for _ in range(max(1, round(seconds * self.scene.fps))):
            yield self._shoot([])

    def _dwell(self, arm: Arm, seconds: float) -> Iterator[Image]:
        place = arm.tip.copy()
        for _ in range(max(1, round(seconds / self._pace * self.scene.fps))):
            arm.tip = place + self.rng.normal(0, 0.008, 2)
            yield self._shoot([arm])

    def _go(self, arm: Arm, to: Point) -> Iterator[Image]:
        start, speed = arm.tip.copy(), 9.0 * self._pace
        seconds = 0.15 + float(np.linalg.norm(to - start)) / speed
        steps = max(2, round(seconds * self.scene.fps))
        for step in range(1, steps + 1):
            share = 0.5 - 0.5 * np.cos(np.pi * step / steps)
            arm.tip = start + (to - start) * share + self.rng.normal(0, 0.01, 2)
            yield self._shoot([arm])

    def _shoot(self, arms: list[Arm]) -> Image:
        light: Floats | float = 1.0
        if self._shade is not None:
            light = next(self._shade, 1.0)
            if isinstance(light, float):
                self._shade = None
        going = []
        for arm, player in self._leaving:
            arm.tip = arm.tip + np.array([0.0, -1.0 if player else 1.0]) * 9.0 * self._pace / self.scene.fps
            if -4 < arm.tip[1] < self.scene.rows + 4:
                going.append((arm, player))
        self._leaving = going
        return self.studio.shoot([*arms, *(arm for arm, _ in going)], light)


def judged(seed: int, folder: Path, moves: int = 7, size: tuple[int, int] | None = None) -> tuple[Play, Score]:
    """Films a game and follows it."""
    play = Play(seed, moves, size)
    video = folder / f"{seed}.{'avi' if seed % 3 == 0 else 'mp4'}"
    save(play.film(), video, play.scene.fps)
    told = Moves(play.corners, play.scene.rows, play.scene.columns, tuple(play.made))
    return play, evaluate_moves(video, told)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("films", type=int)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--keep", type=Path)
    chosen = parser.parse_args()
    cv2.setNumThreads(1)
    total: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as temporary:
        folder = chosen.keep or Path(temporary)
        for seed in range(chosen.first, chosen.first + chosen.films):
            began = time.perf_counter()
            play, score = judged(seed, folder)
            total.update(
                found=score.found, missed=score.missed, spurious=score.spurious, disorder=not score.order_right
            )
            total.update(films=1, perfect=score.missed == score.spurious == 0 and score.order_right)
            men = "draughts" if play.scene.tall < FLAT else "chess"
            kind = f"{play.scene.width}x{play.scene.height} {play.scene.fps:g} fps, {men}"
            print(
                seed,
                kind,
                score.found,
                score.missed,
                score.spurious,
                score.order_right,
                score.median_delay_s,
                f"{time.perf_counter() - began:.0f} s",
                flush=True,
            )
    print(dict(total))


if __name__ == "__main__":
    main()
