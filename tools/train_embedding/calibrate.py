"""Fits the confidence: how often is a name right, given its scores? On invented pieces that no training has seen.

    python -m tools.train_embedding.calibrate PICTURES.npy

Each episode is a set of whole and half families with one to three references a kind; what was left out of it is shown
too, as pieces of no kind. Prints the constants of `vision/recognition/confidence.py`.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from vision.recognition.embedding import Embedding

Rows = npt.NDArray[np.float64]

EPISODES = 400
STEADY = 1e-3
"""Ridge of the fit."""


def sharpness(picture: npt.NDArray[np.uint8]) -> float:
    return float(cv2.Laplacian(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), cv2.CV_32F).var())


def vectors(pictures: npt.NDArray[np.uint8], embedding: Embedding) -> Rows:
    """Families x siblings x shots x d; of each kind the sharpest shot comes first, as an owner would enrol it."""
    families, siblings, shots = pictures.shape[:3]
    found = np.zeros((families, siblings, shots, 128))
    for family in range(families):
        for kind in range(siblings):
            taken = sorted(pictures[family, kind], key=sharpness, reverse=True)
            found[family, kind] = embedding.describe(taken)
    return found


def episode(found: Rows, dice: np.random.Generator) -> tuple[Rows, npt.NDArray[np.bool_]]:
    """Features of each shown picture, and whether the best kind is right."""
    families, siblings, shots, _ = found.shape
    chosen = dice.choice(families, int(dice.integers(3, 22)), replace=False)
    kinds = [(family, kind) for family in chosen for kind in range(siblings)]
    dice.shuffle(kinds)
    left_out = max(1, len(kinds) // 6)
    strangers, known = kinds[:left_out], kinds[left_out:]
    each = int(dice.integers(1, 4))
    references = np.stack([found[family, kind, :each] for family, kind in known])
    shown = [
        (number, found[family, kind, shot])
        for number, (family, kind) in enumerate(known)
        for shot in range(each, shots)
    ]
    shown += [(-1, found[family, kind, shot]) for family, kind in strangers for shot in range(0, shots, 2)]
    queries = np.stack([vector for _, vector in shown])
    scores = np.einsum("qd,ked->qke", queries, references).max(axis=2)
    best = scores.argmax(axis=1)
    ordered = np.sort(scores, axis=1)
    among = np.einsum("ked,jfd->kjef", references, references).max(axis=(2, 3))
    np.fill_diagonal(among, 0)
    features = np.stack([ordered[:, -1], ordered[:, -1] - ordered[:, -2], among.max(axis=1)[best]], axis=1)
    return features, best == np.array([number for number, _ in shown])


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
    parser.add_argument("--model", type=Path)
    given = parser.parse_args()
    cv2.setNumThreads(1)
    embedding = Embedding(given.model) if given.model else Embedding()
    found = vectors(np.load(given.pictures, mmap_mode="r"), embedding)
    dice = np.random.default_rng(1)
    parts = [episode(found, dice) for _ in range(EPISODES)]
    features = np.concatenate([part for part, _ in parts])
    right = np.concatenate([part for _, part in parts])
    for used in ([0, 1], [0, 1, 2]):
        weights = logistic(features[:, used], right)
        chance = 1 / (1 + np.exp(-np.column_stack([features[:, used], np.ones(len(right))]) @ weights))
        print("weights", weights.round(2), "right", round(float(right.mean()), 3))
        for bar in (0.8, 0.9, 0.95, 0.97, 0.98, 0.99, 0.995):
            kept = chance >= bar
            wrong = float((kept & ~right).mean())
            print(f"  bar {bar}: accepted {kept.mean():.3f}, wrong {wrong:.4f} of all")


if __name__ == "__main__":
    main()
