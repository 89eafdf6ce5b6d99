"""Fits the confidence: how often is a name right, given the evidence? On sets that no training has seen.

    PYTHONPATH=../../..:. python calibrate.py PICTURES.npy DIR ...

Each set, a few whole families of PICTURES.npy or a folder DIR/enrol/KIND/*, DIR/test/KIND/*, is enrolled with one or
more references a kind. Every other picture is shown as taken and spoiled, once as what it is and once with its kind
left out, as a piece of no kind. Writes `vision/recognition/confidence.json`, and says of each folder what a fit that
has not seen it makes of it: of the trials, and of what `python -m tools.lab.evaluate DIR --shots 1 --leave-out` counts.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Container, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple
from unittest import mock

import cv2
import msgspec
import numpy as np
from fit import Bools, Rows, boosted, plainly
from trials import MOST, STRANGE, Trial, foreign, invented, photographed, trials

from tools.lab.evaluate import evaluate
from vision.recognition.confidence import Evidence, Fit, Weights
from vision.recognition.models import FITS

SPOILT, SPOILT_MORE = 2, 3
"""How often each picture is shown spoiled, besides as it was taken: an invented one, one from a folder."""

SHOTS = (1, 2, 3)
"""How many pictures a kind of a folder are enrolled, each in its turn."""

BARS = (0.9, 0.93, 0.95, 0.97)

PHOTOGRAPHED = 60.0
"""Weight of a set from a folder, beside 1 for an invented one: the network learned from such, and finds them easy."""


class Told(NamedTuple):
    """What a set has to say: rows of evidence, whether the kind they speak for was right, and how much they count."""

    rows: Rows
    right: Bools
    weights: Rows


def told(trials: Sequence[Trial], share: float) -> tuple[Told, Told]:
    """Of the first look, and of the closer one: as the crop is, and where its references were painted in.

    There strangers count in full: paint makes them like what they are taken for.
    """
    first = [(each.look.seen, each.look.first == each.truth, each.weight) for each in trials]
    closer = [(each.look.closer, each.look.second == each.truth, each.weight) for each in trials]
    closer += [
        (each.look.mended, each.look.second == each.truth, each.weight / (STRANGE if each.left_out else 1))
        for each in trials
        if each.look.mended
    ]
    return _told(first, share), _told(closer, share)


def _told(rows: Sequence[tuple[Evidence, bool, float]], share: float) -> Told:
    features = np.array([msgspec.structs.astuple(seen) for seen, *_ in rows])
    return Told(features, np.array([right for _, right, _ in rows]), share * np.array([weight for *_, weight in rows]))


def together(parts: Sequence[Told]) -> Told:
    return Told(*(np.concatenate(each) for each in zip(*parts, strict=True)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pictures", type=Path)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--judged", type=Path, nargs="*", default=[], help="folders that are never fitted on")
    given = parser.parse_args()
    cv2.setNumThreads(1)
    sets = [("invented", *each, SPOILT, 1.0) for each in invented(given.pictures)]
    drawn = len(sets)
    for folder in (*given.folders, *given.judged):
        sets += [(folder.name, *photographed(folder, shots), SPOILT_MORE, PHOTOGRAPHED) for shots in SHOTS]
    made: dict[str, list[tuple[Told, Told]]] = {}
    for number, (name, enrolled, shown, spoilt, share) in enumerate(sets):
        sys.stderr.write(f"{number} of {len(sets)}: {name}\n")
        # What is foreign to drawn sets is photographed, and the other way round: two drawn sets may share a piece.
        others = sets[drawn + number % (len(sets) - drawn)] if number < drawn else sets[number % drawn]
        dice = np.random.default_rng((2, number))
        kept = [shown[index] for index in sorted(dice.permutation(len(shown))[:MOST])]
        looked = list(trials(enrolled, kept + foreign(dice, others[2]), spoilt, dice))
        made.setdefault(name, []).append(told(looked, share))
    never = {folder.name for folder in given.judged}
    FITS.write_bytes(msgspec.json.encode(fitted_on(made, never)) + b"\n")
    for folder in (*given.folders, *given.judged):
        apart = fitted_on(made, {folder.name, *never})
        known, closer = (together([each[look] for each in made[folder.name]]) for look in (0, 1))
        sys.stdout.write(f"{folder.name}, fitted without it: {judged(apart['evidence'], known)}\n")
        sys.stdout.write(f"{folder.name}, closer: {judged(apart['closer'], closer)}\n")
        sys.stdout.write(f"{folder.name}, named: {evaluated(folder, apart)}\n")


def fitted_on(made: Mapping[str, Sequence[tuple[Told, Told]]], without: Container[str]) -> dict[str, Fit]:
    parts = [each for name, found in made.items() if name not in without for each in found]
    first, closer = (together([each[look] for each in parts]) for look in (0, 1))
    return {"evidence": plainly(*first), "closer": msgspec.structs.replace(plainly(*closer), trees=boosted(*closer))}


def judged(fit: Fit, told: Told) -> str:
    """What would be named rightly and wrongly, in parts of all trials, for some thresholds."""
    weighed = Weights(fit)
    odds = np.array([weighed.height(row) for row in told.rows])
    whole = told.weights.sum()
    return ", ".join(
        f"from {bar} on {told.weights[kept & told.right].sum() / whole:.3f} "
        f"and {told.weights[kept & ~told.right].sum() / whole:.4f}"
        for bar in BARS
        for kept in [odds >= math.log(bar / (1 - bar))]
    )


def evaluated(folder: Path, fits: Mapping[str, Fit]) -> str:
    """What the recogniser makes of a folder's pictures with these fits, one picture a kind enrolled."""
    weighed = {kind: Weights(fit) for kind, fit in fits.items()}
    with mock.patch("vision.recognition.confidence.weights", return_value=weighed):
        figures = evaluate(folder, 1, leave_out=True)
    named = figures.left_out.named if figures.left_out else 0.0
    return (
        f"accepted {figures.accepted:.3f}, wrong {figures.wrong_accepted:.4f}, ECE {figures.ece:.3f}, "
        f"strangers named {named:.4f}"
    )


if __name__ == "__main__":
    main()
