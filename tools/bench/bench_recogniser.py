"""The recogniser under perturbations, on renderings and on photographs, and its speed on one thread.

    python -m tools.bench.bench_recogniser [--photographs DIR] [--off-centre] [--json]

DIR holds enrol/KIND/* and test/KIND/*; one picture a kind is enrolled. The renderings are lettered tiles, enrolled in
white light and named under another lamp.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import cv2
import numpy as np

from tests.vision.faces import INK, lit, tile
from tools.bench.perturbations import OFF_CENTRE, PERTURBATIONS, Image, Perturbation
from vision.recognition.enrolment import UNKNOWN, EnrolledSet, pictures_in, read_folder, read_picture
from vision.recognition.recogniser import EnrolledRecogniser

LETTERS = "ABEFGHKMRSTW"
STRANGERS = "XZQ"
KINDS_TIMED = 45

Shown = list[tuple[str | None, Image]]


def renderings() -> tuple[EnrolledRecogniser, Shown]:
    """36 kinds of tiles, and each of them again under another lamp, with some of no kind."""
    kinds = {f"{letter}-{ink}": tile(letter, ink) for letter in LETTERS for ink in ("black", "red", "blue")}
    known: Shown = [(kind, lit(image, (0.8, 1.0, 1.15), seed=2)) for kind, image in kinds.items()]
    strange: Shown = [(None, tile(letter, ink)) for letter in STRANGERS for ink in INK]
    return recogniser({kind: (image,) for kind, image in kinds.items()}), known + strange


def photographs(folder: Path) -> tuple[EnrolledRecogniser, Shown]:
    enrolled = read_folder(folder / "enrol", folder.name, "any", 1)
    files = [(kind, file) for kind, found in pictures_in(folder / "test").items() for file in found]
    return EnrolledRecogniser(enrolled), [
        (None if kind == UNKNOWN else kind, read_picture(file)) for kind, file in files
    ]


def recogniser(pictures: Mapping[str, tuple[Image, ...]]) -> EnrolledRecogniser:
    return EnrolledRecogniser(EnrolledSet("bench", "any", pictures))


def row(judge: EnrolledRecogniser, shown: Shown, perturbation: Perturbation) -> dict[str, object]:
    """Shares: right of the known, named of the known, wrongly named of all."""
    dice = np.random.default_rng(7)
    matches = judge.match([perturbation.apply(image, dice) for _, image in shown])
    named = judge.name_matches(matches)
    known = sum(truth is not None for truth, _ in shown)
    right = sum(truth == match.kind for (truth, _), match in zip(shown, matches, strict=True))
    covered = sum(truth is not None and naming.kind == truth for (truth, _), naming in zip(shown, named, strict=True))
    wrong = sum(naming.kind not in (None, truth) for (truth, _), naming in zip(shown, named, strict=True))
    return {
        "perturbation": perturbation.name,
        "strength": perturbation.strength,
        "top1": round(right / known, 4),
        "coverage": round(covered / known, 4),
        "wrong_accepted": round(wrong / len(shown), 4),
    }


def milliseconds() -> dict[str, float]:
    """Median processor time: naming seven crops among KINDS_TIMED kinds, a piece; and reading in a set of them."""
    inks = list(INK)
    faces = [tile(chr(65 + number % 26), inks[number // 26]) for number in range(KINDS_TIMED)]
    began = time.process_time()
    judge = recogniser({str(number): (face,) for number, face in enumerate(faces)})
    ready = time.process_time() - began
    taken = []
    for _ in range(40):
        began = time.process_time()
        judge.name(faces[:7])
        taken.append((time.process_time() - began) / 7)
    return {"ms_per_piece": 1000 * statistics.median(taken), "seconds_to_load": ready}


def figures(folder: Path | None, changes: Sequence[Perturbation] = PERTURBATIONS) -> dict[str, object]:
    sources = {"renderings": renderings()}
    if folder is not None:
        sources["photographs"] = photographs(folder)
    tables = {name: [row(judge, shown, change) for change in changes] for name, (judge, shown) in sources.items()}
    return {**milliseconds(), "perturbations": tables}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--photographs", type=Path)
    parser.add_argument("--off-centre", action="store_true", help="only crops that miss their piece's centre")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    cv2.setNumThreads(1)
    told = figures(given.photographs, OFF_CENTRE if given.off_centre else PERTURBATIONS)
    if given.json:
        sys.stdout.write(json.dumps(told) + "\n")
        return 0
    tables = told.pop("perturbations")
    sys.stdout.write("".join(f"{name:16} {value:.2f}\n" for name, value in told.items()))
    assert isinstance(tables, dict)
    for name, rows in tables.items():
        sys.stdout.write(f"\n{name:20} {'strength':9} {'top1':>7} {'coverage':>9} {'wrong':>7}\n")
        for line in rows:
            shares = f"{line['top1']:7.3f} {line['coverage']:9.3f} {line['wrong_accepted']:7.4f}"
            sys.stdout.write(f"{line['perturbation']:20} {line['strength']:9} {shares}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
