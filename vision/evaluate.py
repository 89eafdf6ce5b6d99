"""Benchmark of naming: enrols DIR/enrol/KIND/* and names DIR/test/KIND/*, with the shipped recogniser and settings."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import msgspec
import numpy as np

from vision import pictures
from vision.camera import Image
from vision.pictures import Skip, Unread, unheard
from vision.recognition.enrolment import UNKNOWN, EnrolledSet, EnrolmentError, pictures_in, read_folder
from vision.recognition.index import Symmetry
from vision.recognition.quality import Problem, remarks
from vision.recognition.recogniser import THRESHOLD, EnrolledRecogniser, Match


class Evaluation(msgspec.Struct, frozen=True):
    """Figures over the test pictures. Shares are of all items but for top1 and coverage (of the known ones).

    top1, coverage_at_zero_error: None without known items. coverage_at_zero_error: known items accepted at the loosest
    threshold that lets no wrong answer through, unknowns included. auroc_unknown: None without known or without unknown
    items. accepted, wrong_accepted: at the shipped threshold. skipped: files that are not counted, because they are no
    picture that OpenCV can read.
    """

    items: int
    top1: float | None
    coverage_at_zero_error: float | None
    auroc_unknown: float | None
    accepted: float
    wrong_accepted: float
    ms_per_item: float
    skipped: int = 0


class Answer(msgspec.Struct, frozen=True):
    """One test picture: what it shows (None: no kind of the set) and what the recogniser made of it."""

    truth: str | None
    match: Match

    @property
    def right(self) -> bool:
        return self.truth == self.match.kind


POOR: Mapping[Problem, str] = {
    "dark": "too dark",
    "blurred": "blurred, or too small",
    "shiny": "with a lamp mirrored in them",
    "alike": "too much like others",
}


def evaluate(
    folder: Path,
    shots: int | None = None,
    symmetry: Symmetry = "any",
    *,
    warn: Callable[[str], None] = lambda _text: None,
) -> Evaluation:
    """Figures for one folder of pictures.

    warn: hears of files that were skipped, and of pictures to learn from that could be better. Raises EnrolmentError if
    a folder is missing, or if a picture to learn from is missing or broken.
    """
    left: list[Unread] = []
    enrolled = read_folder(folder / "enrol", folder.name, symmetry, shots, skip=left.append)
    for text in poor(enrolled):
        warn(text)
    answers, seconds = answer(EnrolledRecogniser(enrolled), folder / "test", left.append)
    if left:
        warn(pictures.skipped(left, folder))
    return msgspec.structs.replace(summary(answers, seconds), skipped=len(left))


def poor(enrolled: EnrolledSet) -> list[str]:
    """What could be better in the pictures to learn from: a line for each kind of fault."""
    found: dict[Problem, dict[str, None]] = {}
    for kind, images in enrolled.pictures.items():
        for image in images:
            for remark in remarks(kind, image):
                found.setdefault(remark.problem, {})[kind] = None
    return [f"pictures to learn from are {POOR[problem]}: {', '.join(kinds)}" for problem, kinds in found.items()]


def answer(recogniser: EnrolledRecogniser, folder: Path, skip: Skip = unheard) -> tuple[list[Answer], float]:
    """What the recogniser makes of every picture, and the processor time that naming took (reading files left out).

    skip: hears of files that cannot be read. Raises EnrolmentError if none can be.
    """
    answers: list[Answer] = []
    seconds = 0.0
    for kind, files in pictures_in(folder, skip=skip).items():
        images = _read(files, skip)
        began = time.process_time()
        matches = recogniser.match(images) if images else []
        seconds += time.process_time() - began
        answers += [Answer(None if kind == UNKNOWN else kind, match) for match in matches]
    if not answers:
        raise EnrolmentError(f"{folder}: none of its pictures can be read")
    return answers, seconds


def _read(files: Iterable[Path], skip: Skip) -> list[Image]:
    images = []
    for file in files:
        image = pictures.read(file)
        if isinstance(image, Unread):
            skip(image)
        else:
            images.append(image)
    return images


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
        accepted=len(accepted) / max(1, len(answers)),
        wrong_accepted=sum(not answer.right for answer in accepted) / max(1, len(answers)),
        ms_per_item=1000.0 * seconds / max(1, len(answers)),
    )


def auroc(known: Sequence[float], unknown: Sequence[float]) -> float | None:
    """The probability that a known item scores above an unknown one; a tie counts half. None if either is missing."""
    if not known or not unknown:
        return None
    high, low = np.asarray(known)[:, None], np.asarray(unknown)[None, :]
    return float(np.mean((high > low) + 0.5 * (high == low)))


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


MEANINGS = {
    "items": "pictures named",
    "top1": "of the known ones: best kind right",
    "coverage_at_zero_error": "of the known ones: accepted before the first wrong one",
    "auroc_unknown": "a known one is surer than an unknown one",
    "accepted": "accepted at the shipped threshold",
    "wrong_accepted": "accepted, but wrong",
    "ms_per_item": "milliseconds a picture",
    "skipped": "files that are no picture",
}


def lines(figures: Evaluation) -> list[str]:
    """The figures for people: shares in percent, and what they are."""
    return [
        f"{name:24}{_shown(name, value):>9}  {MEANINGS[name]}"
        for name, value in msgspec.structs.asdict(figures).items()
    ]


def _shown(name: str, value: float | None) -> str:
    if value is None:
        return "-"
    if isinstance(value, int):
        return str(value)
    return f"{value:.2f}" if name == "ms_per_item" else f"{value:.3f}" if name == "auroc_unknown" else f"{value:.2%}"
