"""Counts how many pieces are named rightly until so many faults, over sets of photographs, and fits the keypoints.

    python -m tools.lab.equal_faults DIR ... [--upright NAME ...] [--json]

Each DIR (enrol/KIND/*, test/KIND/*) is enrolled with one picture a kind. Each test picture is shown as what it is, and
once more with its kind left out: then any name is a fault. Compares the names without keypoints, and with weights
(`confidence.TRUST`, `AGREED`, `OFFSET`) that were fitted on the other sets.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from unittest import mock

import msgspec
import numpy as np

from tools.lab.commands import in_turn, parser_of, print_figures
from tools.lab.logistic import Bools, Rows, logistic
from vision import pictures
from vision.camera import Image
from vision.pictures import Unread
from vision.recognition.confidence import odds, witnessed
from vision.recognition.drawings import Drawings
from vision.recognition.embedding import shipped
from vision.recognition.enrolment import UNKNOWN, pictures_in, read_folder
from vision.recognition.gallery import upright
from vision.recognition.recogniser import CERTAIN, THRESHOLD, EnrolledRecogniser

FAULTS = (1, 3, 5, 10, 25)
"""Faults in 1,000 crops at which names are counted."""

STRANGE = 0.15
"""Weight of a picture whose kind was left out: most of what lies on a table was enrolled."""


class Shown(msgspec.Struct, frozen=True):
    """A crop that was named. sure: without keypoints; agreed: the keypoints' agreement, if any; left_out: its kind."""

    sure: float
    agreed: float | None
    right: bool
    left_out: bool


class Count(msgspec.Struct, frozen=True):
    """Names of one set at the usual threshold. accepted: share of the known pictures named rightly."""

    pictures: int
    accepted: float
    wrong: int
    strangers: int


class EqualFaults(msgspec.Struct, frozen=True):
    """The counts without and with keypoints.

    sets: by name, both counts. named: rightly named at each of FAULTS, both. weights: TRUST, AGREED, OFFSET, fitted on
    all sets.
    """

    crops: int
    sets: dict[str, tuple[Count, Count]]
    named: dict[int, tuple[int, int]]
    weights: tuple[float, float, float]


def shown(folder: Path, *, turned: bool) -> Iterator[Shown]:
    """Name each test picture of a folder, with its kind and without. turned: it may lie in any turn."""
    whole = EnrolledRecogniser(read_folder(folder / "enrol", folder.name, "any" if turned else 1, 1))
    files = {kind: found for kind, found in pictures_in(folder / "test").items() if kind in whole.kinds}
    for kind, paths in files.items():
        images = [image for path in paths if not isinstance(image := pictures.read(path), Unread)]
        poorer = whole.without(kind) if len(whole.kinds) > 1 and kind != UNKNOWN else None
        for judge in (whole, poorer):
            if judge is not None:
                drawings = Drawings(judge.gallery)
                yield from (_named(judge, drawings, image, kind) for image in images)


def _named(judge: EnrolledRecogniser, drawings: Drawings, image: Image, kind: str) -> Shown:
    with mock.patch("vision.recognition.recogniser.witnessed", lambda sure, _agreed: sure):
        (match,) = judge.match([image])
    stood, _ = upright(image, judge.gallery.long)
    _, views = judge.gallery.best(shipped().describe([stood]))
    agreed = drawings.agreement(stood, int(views[0][judge.kinds.index(match.kind)]))
    return Shown(match.confidence, agreed, match.kind == kind, kind not in judge.kinds)


def counted(sets: Mapping[str, Sequence[Shown]]) -> EqualFaults:
    """Compare names without keypoints and with those fitted on the other sets."""
    bare = {name: np.array([one.sure for one in crops]) for name, crops in sets.items()}
    mended = {}
    for name, crops in sets.items():
        weights = fitted([each for other, each in sets.items() if other != name])
        mended[name] = np.array([_with(one, weights) for one in crops])
    right = np.array([one.right for crops in sets.values() for one in crops])
    both = [np.concatenate(list(each.values())) for each in (bare, mended)]
    return EqualFaults(
        crops=len(right),
        sets={name: (_count(crops, bare[name]), _count(crops, mended[name])) for name, crops in sets.items()},
        named={rate: (until(both[0], right, rate), until(both[1], right, rate)) for rate in FAULTS},
        weights=fitted(list(sets.values())),
    )


def fitted(sets: Sequence[Sequence[Shown]]) -> tuple[float, float, float]:
    """Return TRUST, AGREED and OFFSET; each set counts alike."""
    told = [(one, len(crops)) for crops in sets for one in crops if one.agreed is not None]
    features = np.array([(_odds(one.sure), one.agreed) for one, _ in told])
    weights = np.array([(STRANGE if one.left_out else 1.0) / size for one, size in told])
    trust, agreed, offset = logistic(features, np.array([one.right for one, _ in told]), weights)
    return float(trust), float(agreed), float(offset)


def _with(one: Shown, weights: tuple[float, float, float]) -> float:
    if one.sure >= CERTAIN:
        return one.sure
    trust, agreed, offset = weights
    with mock.patch.multiple("vision.recognition.confidence", TRUST=trust, AGREED=agreed, OFFSET=offset):
        return witnessed(one.sure, one.agreed)


def _odds(sure: float) -> float:
    return math.log(odds(sure))


def until(sure: Rows, right: Bools, rate: int) -> int:
    """Return how many are right among the surest, until `rate` faults in 1,000 crops."""
    ordered = right[np.argsort(-sure, kind="stable")]
    faults = np.cumsum(~ordered)
    return int(ordered[: np.searchsorted(faults, round(rate * len(right) / 1000), side="right")].sum())


def _count(crops: Sequence[Shown], sure: Rows) -> Count:
    named = [one for one, value in zip(crops, sure, strict=True) if value >= THRESHOLD]
    known = sum(not one.left_out for one in crops)
    return Count(
        pictures=known,
        accepted=sum(one.right for one in named) / max(1, known),
        wrong=sum(not one.right and not one.left_out for one in named),
        strangers=sum(one.left_out for one in named),
    )


def lines(figures: EqualFaults) -> Iterator[str]:
    """Format the figures for people."""
    yield f"{'set':20} pictures  accepted (before)  wrong (before)  strangers (before)"
    for name, (before, now) in figures.sets.items():
        yield (
            f"{name:20} {now.pictures:8}  {now.accepted:8.3f} ({before.accepted:.3f})"
            f"   {now.wrong:5} ({before.wrong})      {now.strangers:5} ({before.strangers})"
        )
    for rate, (bare, mended) in figures.named.items():
        yield f"rightly named until {rate} faults in 1,000 of {figures.crops} crops: {mended} ({bare})"
    yield "weights over all sets: TRUST {:.2f}, AGREED {:.2f}, OFFSET {:.2f}".format(*figures.weights)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures."""
    parser = parser_of("tools.lab.equal_faults", __doc__, "sets of photographs; two at least")
    parser.add_argument("--upright", nargs="*", default=[], help="names of sets whose pieces never lie turned")
    given = parser.parse_args(arguments)
    if len(given.folders) < 2:
        parser.error("give two sets at least: the keypoints of each are fitted on the others")
    named = {one.name: list(shown(one, turned=one.name not in given.upright)) for one in in_turn(given.folders)}
    print_figures(counted(named), lines, as_json=given.json)
    return 0


if __name__ == "__main__":
    os.environ.setdefault("OPENCV_LOG_LEVEL", "SILENT")
    raise SystemExit(main())
