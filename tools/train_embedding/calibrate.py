"""Fits the confidence: how often is a name right, given its scores? On invented pieces that no training has seen.

    PYTHONPATH=. python tools/train_embedding/calibrate.py PICTURES.npy

Each episode is a set of whole and half families with one to three references a kind; what was left out of it is shown
too, as pieces of no kind. Prints the constants of `vision/recognition/confidence.py`.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from vision.recognition.enrolment import EnrolledSet
from vision.recognition.recogniser import EnrolledRecogniser

Rows = npt.NDArray[np.float64]
Image = npt.NDArray[np.uint8]
Pictures = npt.NDArray[np.uint8]

EPISODES = 120
STEADY = 1e-3
"""Ridge of the fit."""


def sharpness(picture: Image) -> float:
    return float(cv2.Laplacian(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), cv2.CV_32F).var())


def sharpest_first(pictures: Pictures) -> list[list[Image]]:
    """The shots of each kind of a family, in the order in which an owner would choose them for enrolment."""
    return [sorted(shots, key=sharpness, reverse=True) for shots in pictures]


def episode(families: list[list[list[Image]]], dice: np.random.Generator) -> tuple[Rows, npt.NDArray[np.bool_]]:
    """Features of each shown picture, and whether the best kind is right."""
    chosen = dice.choice(len(families), int(dice.integers(3, 16)), replace=False)
    kinds = [shots for family in chosen for shots in families[family]]
    order = dice.permutation(len(kinds))
    strangers, known = np.split(order, [max(1, len(kinds) // 6)])
    each = int(dice.integers(1, 4))
    enrolled = EnrolledSet("episode", 1, {str(number): tuple(kinds[number][:each]) for number in known})
    recogniser = EnrolledRecogniser(enrolled)
    shown = [(str(number), shot) for number in known for shot in kinds[number][each:]]
    shown += [("", shot) for number in strangers for shot in kinds[number][::2]]
    scores, _ = recogniser.scores([shot for _, shot in shown])
    ordered = np.sort(scores, axis=1)
    features = np.stack([ordered[:, -1], ordered[:, -1] - ordered[:, -2]], axis=1)
    named = [recogniser.kinds[number] for number in scores.argmax(axis=1)]
    return features, np.array([name == truth for name, (truth, _) in zip(named, shown, strict=True)])


def logistic(features: Rows, right: npt.NDArray[np.bool_]) -> Rows:
    """Weights (the last one the offset) by Newton's method."""
    rows = np.column_stack([features, np.ones(len(features))])
    weights = np.zeros(rows.shape[1])
    for _ in range(30):
        chance = 1 / (1 + np.exp(-rows @ weights))
        bend = rows.T @ (rows * (chance * (1 - chance))[:, None]) + STEADY * np.eye(len(weights))
        weights = weights + np.linalg.solve(bend, rows.T @ (right - chance) - STEADY * weights)
    return weights


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pictures", type=Path)
    given = parser.parse_args()
    cv2.setNumThreads(1)
    families = [sharpest_first(family) for family in np.load(given.pictures, mmap_mode="r")]
    dice = np.random.default_rng(1)
    parts = [episode(families, dice) for _ in range(EPISODES)]
    features = np.concatenate([part for part, _ in parts])
    right = np.concatenate([part for _, part in parts])
    weights = logistic(features, right)
    print("score, gap, offset:", weights.round(2), "right:", round(float(right.mean()), 3))
    chance = 1 / (1 + np.exp(-np.column_stack([features, np.ones(len(right))]) @ weights))
    for bar in (0.8, 0.9, 0.95, 0.97, 0.98, 0.99, 0.995):
        kept = chance >= bar
        print(f"bar {bar}: named {kept.mean():.3f}, wrongly {(kept & ~right).mean():.4f} of all")


if __name__ == "__main__":
    main()
