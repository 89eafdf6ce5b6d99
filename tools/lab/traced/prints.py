"""What `referee print` put on paper, cut out along its lines as an owner does: mats, cards and the faces of discs.

A folder of prints is made once (README.md). Pictures become arrays of reflectance, 0 to 1, linear, red first.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import cv2
import numpy as np

INK, WHITE = 0.025, 0.80
"""What the blackest ink and white paper reflect."""

DISCS = {"stones": "tellstones", "counters": "runes", "fence-markers": "fence", "fence-figures": "fence"}
CARDS = {"decktet": "runes", "fence-cards": "fence"}
GAMES = DISCS | CARDS
A4_MM = 210.0


class Prints:
    """A folder with a folder of each game."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def mat(self, name: str) -> np.ndarray:
        """The mat as it is printed; its game has the same name."""
        return reflectance(cv2.imread(str(self._folder / name / f"{name}.png")))

    @cache  # noqa: B019  there is one of these for a whole run
    def geometry(self, name: str) -> dict:
        """Zones and size of a mat."""
        return json.loads((self._folder / name / "mat.json").read_text())

    @cache  # noqa: B019  there is one of these for a whole run
    def describe_set(self, name: str) -> dict:
        """Kinds and size of a set, and of cards how many copies there are of each."""
        told = json.loads((self._folder / GAMES[name] / ("cards.json" if name in CARDS else "stones.json")).read_text())
        return next(one for one in told["sets"] if one["set"] == name)

    @cache  # noqa: B019  there is one of these for a whole run
    def faces(self, name: str) -> dict[str, np.ndarray]:
        """The print of each kind, upright, and under "" that of the back."""
        return self._cards(name) if name in CARDS else self._discs(name)

    def _sheet(self, name: str) -> np.ndarray | None:
        path = self._folder / GAMES[name] / f"{name}.png"
        return cv2.imread(str(path)) if path.is_file() else None

    def _discs(self, name: str) -> dict[str, np.ndarray]:
        """Discs in reading order: the kinds, over and over, and below them blank backs if the set has any."""
        told, sheet = self.describe_set(name), self._sheet(name)
        across = told["size_mm"][0] * sheet.shape[1] / A4_MM
        inked = np.uint8(sheet.min(axis=2) < 246)
        boxes = cv2.connectedComponentsWithStats(inked)[2][1:]
        discs = [one for one in boxes if abs(one[2] - across) < 0.05 * across and abs(one[3] - across) < 0.05 * across]
        discs.sort(key=lambda one: (round(one[1] / across), one[0]))
        cuts = [reflectance(sheet[y : y + tall, x : x + wide]) for x, y, wide, tall, _ in discs]
        kinds = told["kinds"]
        paper = np.median(cuts[0].reshape(-1, 3), axis=0)
        return dict(zip(kinds, cuts[: len(kinds)], strict=True)) | {"": np.broadcast_to(paper, cuts[0].shape).copy()}

    def _cards(self, name: str) -> dict[str, np.ndarray]:
        """Sheets of three by three cards, edge to edge; each kind as often as the deck has it."""
        told, folder = self.describe_set(name), self._folder / GAMES[name]
        order = [kind for kind in told["kinds"] for _ in range(told["copies"][kind])]
        pages = sorted(folder.glob(f"{name}-[0-9].png"))
        cuts = [cut for page in pages for cut in nine(cv2.imread(str(page)), told["size_mm"])]
        back = nine(cv2.imread(str(folder / f"{name}-backs.png")), told["size_mm"])[0]
        return dict(zip(order, cuts, strict=False)) | {"": back}


def nine(sheet: np.ndarray, size_mm: list[float]) -> list[np.ndarray]:
    """The nine cards of a sheet, a hair within their cutting lines."""
    scale = sheet.shape[1] / A4_MM
    wide, tall = (side * scale for side in size_mm)
    left = (sheet.shape[1] - 3 * wide) / 2
    rows = np.flatnonzero((sheet[:, int(left + 3) : int(left + 3 * wide)].min(axis=2) < 253).mean(axis=1) > 0.9)
    top, hair = float(rows[0]), 0.25 * scale
    return [
        reflectance(
            sheet[
                round(top + row * tall + hair) : round(top + (row + 1) * tall - hair),
                round(left + column * wide + hair) : round(left + (column + 1) * wide - hair),
            ]
        )
        for row in range(3)
        for column in range(3)
    ]


def reflectance(image: np.ndarray) -> np.ndarray:
    """Of blue, green and red in bytes."""
    grey = image[..., ::-1].astype(np.float32) / 255
    linear = np.where(grey <= 0.04045, grey / 12.92, ((grey + 0.055) / 1.055) ** 2.4)
    return (INK + (WHITE - INK) * linear).astype(np.float32)
