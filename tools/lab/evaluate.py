"""Benchmark of naming: enrols DIR/enrol/KIND/* and names DIR/test/KIND/*, with the shipped recogniser and settings.

    python -m tools.lab.evaluate DIR [--set NAME | --symmetry any|4|2|1] [--shots K] [--leave-out] [--check FOLDER]
        [--json]

docs/developers/recognition.md says what the figures mean.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import time
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import cv2
import msgspec
import numpy as np

from device.resources import load_shipped
from engine.errors import RefereeError
from vision import pictures
from vision.camera import Image
from vision.files import BadFile, read_bytes
from vision.files.reading import read_toml
from vision.finding.rough_crops import frame_card
from vision.pictures import Skip, Unread, unheard
from vision.recognition.check_round import LaidPiece, threshold
from vision.recognition.enrolment import UNKNOWN, EnrolledSet, EnrolmentError, pictures_in, read_folder
from vision.recognition.index import Symmetry
from vision.recognition.naming import PieceSet
from vision.recognition.quality import Problem
from vision.recognition.readers import Reader, reader_of
from vision.recognition.recogniser import THRESHOLD, EnrolledRecogniser
from vision.recognition.review import review

BINS = 10
"""Parts of equal width into which confidences are sorted to be held against how often they were right."""


Prepare = Callable[[Image], Image]


def keep_picture(image: Image) -> Image:
    """The picture as it is."""
    return image


class Bin(msgspec.Struct, frozen=True):
    """Answers whose confidence lies in one part of the scale. confidence: on the mean; right: the share that was."""

    low: float
    items: int
    confidence: float
    right: float


class Stranger(msgspec.Struct, frozen=True):
    """A piece of a kind that was left out, and what it was named all the same."""

    kind: str
    named: str
    confidence: float


class LeftOut(msgspec.Struct, frozen=True):
    """What became of the known pictures, each shown to the set without its own kind: any name is wrong.

    named: the share that got one. auroc: a known piece is surer than the same as a stranger. strangers: those that
    were named, the surest first.
    """

    items: int
    named: float
    auroc: float | None
    strangers: tuple[Stranger, ...]


class Round(msgspec.Struct, frozen=True):
    """What a check round found at the usual threshold; so many of its pictures were learnt from and say nothing."""

    items: int
    right: int
    wrong: int
    learnt: int = 0


class Evaluation(msgspec.Struct, frozen=True):
    """Figures over the test pictures. Shares are of all items but for top1 and coverage (of the known ones).

    top1, coverage_at_zero_error: None without known items. coverage_at_zero_error: known items accepted at the loosest
    threshold that lets no wrong answer through, unknowns included. auroc_unknown: None without known or without unknown
    items. accepted, wrong_accepted: at the threshold. skipped: files that are not counted, because they are no picture
    that OpenCV can read. ece: expected calibration error, the mean distance of confidence and share right over the bins
    of reliability (Naeini and others, 2015), unknowns counted as never right. threshold: the shipped one, or that which
    the check round has set. left_out, checked: None if they were not asked for.
    """

    items: int
    top1: float | None
    coverage_at_zero_error: float | None
    auroc_unknown: float | None
    accepted: float
    wrong_accepted: float
    ms_per_item: float
    skipped: int = 0
    ece: float = 0.0
    reliability: tuple[Bin, ...] = ()
    threshold: float = THRESHOLD
    left_out: LeftOut | None = None
    checked: Round | None = None


class Named(msgspec.Struct, frozen=True):
    """The best kind of a picture, whether or not it is accepted."""

    kind: str
    confidence: float


class Answer(msgspec.Struct, frozen=True):
    """One test picture: what it shows (None: no kind of the set) and what the recogniser made of it."""

    truth: str | None
    match: Named

    @property
    def right(self) -> bool:
        return self.truth == self.match.kind


POOR: Mapping[Problem, str] = {
    "dark": "are too dark",
    "blurred": "are blurred, or too small",
    "alike": "look too alike",
    "turn": "differ only by a turn",
    "tint": "differ only by their tint",
    "size": "differ only by their size",
}
"""Remarks of a review, in words. A mirrored lamp ("shiny") shows only in what a camera gave, which is not kept."""


def evaluate(
    folder: Path,
    shots: int | None = None,
    symmetry: Symmetry = "any",
    *,
    pieces: PieceSet | None = None,
    leave_out: bool = False,
    check: Path | None = None,
    warn: Callable[[str], None] = lambda _text: None,
) -> Evaluation:
    """Figures for one folder of pictures.

    pieces: the set whose pictures these are: they are read as the referee reads them, in its own `symmetry`. Without it
    they are compared by the network. leave_out: each kind is shown as a stranger, too, to the set without it. check:
    CHECK/KIND/* are the pictures of a check round, which sets the threshold as it does at a table; what was learnt
    from checks nothing and is left out of it. warn: hears of files that were skipped, and of pictures to learn from
    that could be better. Raises EnrolmentError if a folder is missing, or if a picture to learn from is missing or
    broken, if no picture is left to check with, or if there is one kind alone to leave out.
    """
    left: list[Unread] = []
    if pieces is not None:
        symmetry = pieces.symmetry
    taken = partial(_take_crop, pieces)
    enrolled = read_folder(
        folder / "enrol", folder.name, symmetry, shots, skip=left.append, cut=lambda _path, image: taken(image)
    )
    judge = reader_of(enrolled, pieces)
    for text in poor(enrolled, judge if isinstance(judge, EnrolledRecogniser) else None):
        warn(text)
    if leave_out and len(judge.kinds) < 2:
        raise EnrolmentError(f"{folder / 'enrol'}: holds one kind alone; none is left if that is left out")
    bar, checked = judge.threshold, None
    if check is not None:
        learnt = _learnt(folder / "enrol", shots)
        laid, used = lay_again(judge, check, learnt, left.append, taken)
        bar = max(bar, threshold(laid)) if any(each.wrong for each in laid) else bar
        checked = Round(len(laid), sum(each.right for each in laid), sum(each.wrong for each in laid), used)
    answers, seconds = answer(judge, folder / "test", left.append, taken)
    figures = summary(answers, seconds, bar)
    apart = None
    if leave_out:
        known = [one for one in answers if one.truth is not None]
        apart = strangers(known, leaving_out(judge, folder / "test", taken), bar)
    if left:
        warn(pictures.skipped_text(left, folder))
    return msgspec.structs.replace(figures, skipped=len(left), left_out=apart, checked=checked)


def lay_again(
    judge: Reader, folder: Path, learnt: Container[str], skip: Skip, taken: Prepare = keep_picture
) -> tuple[list[LaidPiece], int]:
    """What every picture of a check round, FOLDER/KIND/*, is taken for, and how many are of those learnt from.

    learnt: digests of the files that were. skip: hears of files that cannot be read. Raises EnrolmentError if no
    picture is left.
    """
    laid: list[LaidPiece] = []
    used = 0
    for kind, files in pictures_in(folder, skip=skip).items():
        if kind == UNKNOWN:
            continue
        digests = _digests(files, skip)
        new = [file for file, digest in digests if digest not in learnt]
        used += len(digests) - len(new)
        images = _read(new, skip, taken)
        laid += [LaidPiece(kind, match.kind, match.confidence) for match in match_kinds(judge, images)]
    if not laid:
        raise EnrolmentError(f"{folder}: no picture is left to check with: all were learnt from, or none can be read")
    return laid, used


def _learnt(folder: Path, shots: int | None) -> frozenset[str]:
    taken = (files for kind, files in pictures_in(folder, shots).items() if kind != UNKNOWN)
    return frozenset(digest for files in taken for _, digest in _digests(files, unheard))


def _digests(files: Iterable[Path], skip: Skip) -> list[tuple[Path, str]]:
    found = []
    for file in files:
        try:
            found.append((file, hashlib.sha256(read_bytes(file, limit=pictures.LONGEST)).hexdigest()))
        except BadFile as error:
            skip(Unread(file, error.faults[0].wrong))
    return found


def leaving_out(judge: Reader, folder: Path, taken: Prepare = keep_picture) -> list[tuple[str, Named]]:
    """Every known picture of FOLDER/KIND/*, and what the set without its kind takes it for."""
    found: list[tuple[str, Named]] = []
    for kind, files in pictures_in(folder).items():
        if kind != UNKNOWN and (images := _read(files, unheard, taken)):
            found += [(kind, match) for match in match_kinds(judge.without(kind), images)]
    return found


def strangers(known: Sequence[Answer], found: Sequence[tuple[str, Named]], bar: float) -> LeftOut:
    """The figures of what was left out. known: the same pictures with their kinds. bar: the threshold."""
    named = [Stranger(kind, match.kind, match.confidence) for kind, match in found if match.confidence >= bar]
    sure, strange = [one.match.confidence for one in known], [match.confidence for _, match in found]
    surest = tuple(sorted(named, key=lambda one: -one.confidence))
    return LeftOut(len(found), len(named) / max(1, len(found)), auroc(sure, strange), surest)


def poor(enrolled: EnrolledSet, judge: EnrolledRecogniser | None = None) -> list[str]:
    """Return what could be better in the pictures to learn from: a line for each kind of fault, with the kinds, or the
    pairs of kinds, that have it. judge: the set's recogniser, if there is one already."""
    found: dict[Problem, dict[str, None]] = {}
    for remark in review(enrolled, judge):
        named = remark.kind if remark.other is None else f"{remark.kind} and {remark.other}"
        found.setdefault(remark.problem, {})[named] = None
    return [f"pictures to learn from {POOR[problem]}: {', '.join(kinds)}" for problem, kinds in found.items()]


def answer(
    recogniser: Reader, folder: Path, skip: Skip = unheard, taken: Prepare = keep_picture
) -> tuple[list[Answer], float]:
    """What the recogniser makes of every picture, and the processor time that naming took (reading files left out).

    skip: hears of files that cannot be read. Raises EnrolmentError if none can be.
    """
    answers: list[Answer] = []
    seconds = 0.0
    for kind, files in pictures_in(folder, skip=skip).items():
        images = _read(files, skip, taken)
        began = time.process_time()
        matches = match_kinds(recogniser, images)
        seconds += time.process_time() - began
        answers += [Answer(None if kind == UNKNOWN else kind, match) for match in matches]
    if not answers:
        raise EnrolmentError(f"{folder}: none of its pictures can be read")
    return answers, seconds


def match_kinds(reader: Reader, images: Sequence[Image]) -> list[Named]:
    """The best kinds, by whichever path reads the set."""
    if not images:
        return []
    if isinstance(reader, EnrolledRecogniser):
        return [Named(match.kind, match.confidence) for match in reader.match(images)]
    return [Named(reading.kind, reader.naming(reading).confidence) for reading in map(reader.read, images)]


def _take_crop(pieces: PieceSet | None, image: Image) -> Image:
    """As enrolment takes a rough crop."""
    return frame_card(image, pieces.size_mm) if pieces is not None and pieces.shape == "card" else image


def _read(files: Iterable[Path], skip: Skip, taken: Prepare) -> list[Image]:
    images = []
    for file in files:
        image = pictures.read(file)
        if isinstance(image, Unread):
            skip(image)
        else:
            images.append(taken(image))
    return images


def reliability(answers: Sequence[Answer]) -> tuple[Bin, ...]:
    """How often answers were right, by their confidence; bins without any are left out."""
    bins: dict[int, list[Answer]] = {}
    for one in answers:
        bins.setdefault(min(BINS - 1, int(one.match.confidence * BINS)), []).append(one)
    return tuple(
        Bin(
            low=number / BINS,
            items=len(among),
            confidence=sum(one.match.confidence for one in among) / len(among),
            right=sum(one.right for one in among) / len(among),
        )
        for number, among in sorted(bins.items())
    )


def calibration_error(bins: Sequence[Bin]) -> float:
    """By how much confidence and share right differ, on the mean of all answers."""
    return sum(each.items * abs(each.confidence - each.right) for each in bins) / max(1, sum(one.items for one in bins))


def summary(answers: Sequence[Answer], seconds: float, bar: float = THRESHOLD) -> Evaluation:
    """The figures from the answers."""
    bins = reliability(answers)
    known = [answer for answer in answers if answer.truth is not None]
    surest = max((answer.match.confidence for answer in answers if not answer.right), default=-1.0)
    accepted = [answer for answer in answers if answer.match.confidence >= bar]
    return Evaluation(
        items=len(answers),
        top1=_share(sum(answer.right for answer in known), len(known)),
        coverage_at_zero_error=_share(sum(answer.match.confidence > surest for answer in known), len(known)),
        auroc_unknown=auroc(
            [answer.match.confidence for answer in known],
            [answer.match.confidence for answer in answers if answer.truth is None],
        ),
        accepted=len(accepted) / max(1, len(answers)),
        wrong_accepted=sum(not answer.right for answer in accepted) / max(1, len(answers)),
        ms_per_item=1000.0 * seconds / max(1, len(answers)),
        ece=calibration_error(bins),
        reliability=bins,
        threshold=bar,
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
    "accepted": "accepted at the threshold",
    "wrong_accepted": "accepted, but wrong",
    "ms_per_item": "milliseconds a picture",
    "skipped": "files that are no picture",
    "ece": "mean distance of confidence and share right",
    "threshold": "confidence from which a name is given",
}


def lines(figures: Evaluation) -> list[str]:
    """The figures for people: shares in percent, and what they are."""
    told = msgspec.structs.asdict(figures)
    return [
        *(f"{name:24}{_format_value(name, told[name]):>9}  {meaning}" for name, meaning in MEANINGS.items()),
        *(
            f"  confidence {each.low:.1f} to {each.low + 1 / BINS:.1f}: {each.items} items, "
            f"{each.confidence:.3f} on the mean, {each.right:.3f} right"
            for each in figures.reliability
        ),
        *_round_lines(figures.checked),
        *_stranger_lines(figures.left_out),
    ]


def _round_lines(checked: Round | None) -> Iterator[str]:
    if checked is not None:
        said = f"check round: {checked.right} of {checked.items} named right, {checked.wrong} wrong"
        yield said + (f"; {checked.learnt} pictures were learnt from and check nothing" if checked.learnt else "")


def _stranger_lines(left: LeftOut | None) -> Iterator[str]:
    if left is not None:
        sure = "-" if left.auroc is None else f"{left.auroc:.3f}"
        yield f"each kind left out in turn: {left.named:.2%} of {left.items} were named all the same (AUROC {sure})"
        for one in left.strangers:
            yield f"  {one.kind} named {one.named} at {one.confidence:.3f}"


def _format_value(name: str, value: float | None) -> str:
    if value is None:
        return "-"
    if isinstance(value, int):
        return str(value)
    return (
        f"{value:.2f}"
        if name == "ms_per_item"
        else f"{value:.3f}"
        if name in ("auroc_unknown", "ece", "threshold")
        else f"{value:.2%}"
    )


class EvaluationError(RefereeError, ValueError):
    """A kind is asked for, or laid in the check round, that no picture was learnt of."""


def fitting(folder: Path, again: Path | None) -> None:
    """Raises EvaluationError if a kind of FOLDER/test/* or of the check round AGAIN/* is not in FOLDER/enrol/*."""
    learnt = _kinds(folder / "enrol")
    for part in (folder / "test", *([] if again is None else [again])):
        strange = sorted(_kinds(part) - learnt - {UNKNOWN}) if learnt else []
        if strange:
            raise EvaluationError(
                f"{part / strange[0]}: no pictures of {', '.join(strange)} in {folder / 'enrol'} to learn from; "
                f"what is of no kind goes to {folder / 'test' / UNKNOWN}"
            )


def _kinds(folder: Path) -> set[str]:
    return {each.name for each in pictures.folders(folder)} if folder.is_dir() else set()


def main(words: Sequence[str] | None = None) -> None:
    """Prints the figures of one folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--shots", type=_count, help="pictures of each kind to learn from; all if left out")
    whose = parser.add_mutually_exclusive_group()
    whose.add_argument("--set", help="set of config/sets, or FILE.toml: its pieces are read as the referee does")
    whose.add_argument("--symmetry", choices=["any", "4", "2", "1"], default="any", help="turns that may occur")
    parser.add_argument("--leave-out", action="store_true", help="show each kind to the set without it, too")
    parser.add_argument("--check", type=Path, help="FOLDER/KIND/*: a check round, which sets the threshold")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args(words)
    cv2.setNumThreads(1)
    try:
        fitting(given.folder, given.check)
        turns = msgspec.convert(given.symmetry, Symmetry, strict=False)
        pieces = None if given.set is None else piece_set(given.set)
        figures = evaluate(
            given.folder, given.shots, turns, pieces=pieces, leave_out=given.leave_out, check=given.check, warn=_warn
        )
    except RefereeError as error:
        raise SystemExit(str(error)) from error
    sys.stdout.write((msgspec.json.encode(figures).decode() if given.json else "\n".join(lines(figures))) + "\n")


def piece_set(name: str) -> PieceSet:
    """A set of config/sets, or of a TOML file. Raises BadFile."""
    return read_toml(Path(name), PieceSet) if name.endswith(".toml") else load_shipped(PieceSet, "sets", f"{name}.toml")


def _count(text: str) -> int:
    """Reads a number from 1 on. Raises ValueError."""
    if (number := int(text)) < 1:
        raise ValueError(text)
    return number


def _warn(text: str) -> None:
    sys.stderr.write(f"{text}\n")


if __name__ == "__main__":
    main()
