"""Benchmark of naming: enrols DIR/enrol/KIND/* and names DIR/test/KIND/*, with the shipped recogniser and settings."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import cv2
import msgspec
import numpy as np

from vision.recognition.canonical import Symmetry
from vision.recognition.enrolment import UNKNOWN, pictures_in, read_folder, read_picture
from vision.recognition.recogniser import THRESHOLD, EnrolledRecogniser, Match


class Evaluation(msgspec.Struct, frozen=True):
    """Figures over the test pictures. Shares are of all items but for top1 and coverage (of the known ones).

    coverage_at_zero_error: known items accepted at the loosest threshold that lets no wrong answer through, unknowns
    included. auroc_unknown: None without unknowns. accepted, wrong_accepted: at the shipped threshold.
    """

    items: int
    top1: float
    coverage_at_zero_error: float
    auroc_unknown: float | None
    accepted: float
    wrong_accepted: float
    ms_per_item: float


class Answer(msgspec.Struct, frozen=True):
    """One test picture: what it shows (None: no kind of the set) and what the recogniser made of it."""

    truth: str | None
    match: Match

    @property
    def right(self) -> bool:
        return self.truth == self.match.kind


def evaluate(folder: Path, shots: int | None = None, symmetry: Symmetry = "any") -> Evaluation:
    """Figures for one folder of pictures. Raises EnrolmentError if a folder or a picture is missing or broken."""
    recogniser = EnrolledRecogniser(read_folder(folder / "enrol", folder.name, symmetry, shots))
    answers, seconds = answer(recogniser, folder / "test")
    return summary(answers, seconds)


def answer(recogniser: EnrolledRecogniser, folder: Path) -> tuple[list[Answer], float]:
    """What the recogniser makes of every picture, and the processor time that naming took (reading files left out)."""
    answers: list[Answer] = []
    seconds = 0.0
    for kind, files in pictures_in(folder).items():
        images = [read_picture(file) for file in files]
        began = time.process_time()
        matches = recogniser.match(images)
        seconds += time.process_time() - began
        answers += [Answer(None if kind == UNKNOWN else kind, match) for match in matches]
    return answers, seconds


def summary(answers: Sequence[Answer], seconds: float) -> Evaluation:
    """The figures from the answers."""
    known = [answer for answer in answers if answer.truth is not None]
    bar = max((answer.match.confidence for answer in answers if not answer.right), default=-1.0)
    accepted = [answer for answer in answers if answer.match.confidence >= THRESHOLD]
    return Evaluation(
        items=len(answers),
        top1=_share(sum(answer.right for answer in known), len(known)),
        coverage_at_zero_error=_share(sum(answer.match.confidence > bar for answer in known), len(known)),
        auroc_unknown=auroc(
            [answer.match.confidence for answer in known],
            [answer.match.confidence for answer in answers if answer.truth is None],
        ),
        accepted=_share(len(accepted), len(answers)),
        wrong_accepted=_share(sum(not answer.right for answer in accepted), len(answers)),
        ms_per_item=1000.0 * seconds / max(1, len(answers)),
    )


def auroc(known: Sequence[float], unknown: Sequence[float]) -> float | None:
    """The probability that a known item scores above an unknown one; a tie counts half. None if either is missing."""
    if not known or not unknown:
        return None
    high, low = np.asarray(known)[:, None], np.asarray(unknown)[None, :]
    return float(np.mean((high > low) + 0.5 * (high == low)))


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def main(arguments: Sequence[str] | None = None) -> int:
    """`python -m vision.evaluate DIR --shots K --json`."""
    parser = argparse.ArgumentParser(prog="vision.evaluate", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--shots", type=int)
    parser.add_argument("--symmetry", choices=["any", "4", "2", "1"], default="any")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args(arguments)
    cv2.setNumThreads(1)
    symmetry = msgspec.convert(given.symmetry, Symmetry, strict=False)
    figures = evaluate(given.folder, given.shots, symmetry)
    if given.json:
        sys.stdout.write(msgspec.json.encode(figures).decode() + "\n")
    else:
        for name, value in msgspec.structs.asdict(figures).items():
            sys.stdout.write(f"{name:24} {value}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
