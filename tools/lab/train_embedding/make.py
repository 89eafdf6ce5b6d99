"""Makes the training pictures: families of sibling designs, several photographs of each, in one array on disk."""

from __future__ import annotations

import argparse
import random
from pathlib import Path

import cv2
import numpy as np
from designs import Sheet, engrave_design, invent, letter_or_ink, paint, sibling
from photograph import OUT, Image, photograph, turn_photograph

SIBLINGS = 4
SHOTS = 6


def family(seed: int, alike: bool = False) -> np.ndarray:
    """SIBLINGS x SHOTS x OUT x OUT x 3: one design and its siblings, all with one outline and one turn.

    alike: a set as it is sold, engraved and glossy, whose pieces differ in letter or ink alone.
    """
    dice = random.Random(seed)
    noise = np.random.default_rng(seed)
    begin, vary = (engrave_design, letter_or_ink) if alike else (invent, sibling)
    first = begin(dice)
    designs = [first]
    while len(designs) < SIBLINGS:
        designs.append(vary(dice.choice(designs), dice))
    form = dice.choice(("full", "full", "square", "rounded", "disc"))
    turn = dice.choice((0.0, 0.0, dice.uniform(0, 360)))
    zoom = dice.uniform(0.9, 1.1) if form == "full" else dice.uniform(0.78, 1.0)
    shots = [
        [shot(sheet, (form, turn, zoom), number % 2 == 1, noise) for number in range(SHOTS)]
        for sheet in map(paint, designs)
    ]
    return np.array(shots, np.uint8)


def shot(sheet: Sheet, pose: tuple[str, float, float], reference: bool, noise: np.random.Generator) -> Image:
    """pose: outline, turn, zoom. A reference of a turned piece is taken upright and then turned, as enrolment does."""
    form, turn, zoom = pose
    if turn and reference:
        return turn_photograph(photograph(sheet, form, 0.0, zoom, noise), turn)
    return photograph(sheet, form, turn, zoom, noise)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--families", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--alike", action="store_true", help="engraved sets: siblings differ in letter or ink alone")
    given = parser.parse_args()
    cv2.setNumThreads(1)
    shape = (given.families, SIBLINGS, SHOTS, OUT, OUT, 3)
    pictures = np.lib.format.open_memmap(given.file, "w+", np.uint8, shape)
    for number in range(given.families):
        pictures[number] = family(given.seed * 1_000_003 + number, given.alike)
    pictures.flush()


if __name__ == "__main__":
    main()
