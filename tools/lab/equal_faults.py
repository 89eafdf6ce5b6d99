"""Fits the confidence, and counts how many pieces are named rightly until so many faults, over sets of photographs.

    python -m tools.lab.equal_faults DIR ... [--upright NAME ...] [--spoiled N] [--seed N] [--json]

Each DIR (enrol/KIND/*, test/KIND/*) is enrolled with one picture a kind. Each test picture is shown as it is, and
spoiled in N ways drawn from `tools.bench.perturbations`: as what it is, and once more with its kind left out; then any
name is a fault. Compares the shipped weights (`confidence.WEIGHTS`), which were fitted on such sets, with weights that
were fitted on the other sets alone.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec
import numpy as np

from tools.bench.perturbations import PERTURBATIONS
from tools.lab.commands import in_turn, parser_of, print_figures
from tools.lab.logistic import Bools, Rows, logistic
from vision import pictures
from vision.camera import Image
from vision.pictures import Unread
from vision.recognition.comparison import compare, examine
from vision.recognition.confidence import NamingEvidence, confidence
from vision.recognition.embedding import shipped_embedding
from vision.recognition.enrolment import UNKNOWN, pictures_in, read_folder
from vision.recognition.gallery import Gallery, describe, gallery, upright
from vision.recognition.keypoints import ReferenceKeypoints
from vision.recognition.recogniser import THRESHOLD

FAULTS = (1, 3, 5, 10, 25)
"""Faults in 1,000 crops at which names are counted."""

STRANGE = 0.2
"""Weight of a picture whose kind was left out: most of what lies on a table was enrolled."""


class Shown(msgspec.Struct, frozen=True):
    """A crop that was named. left_out: without its kind."""

    evidence: NamingEvidence
    right: bool
    left_out: bool

    @property
    def values(self) -> tuple[float, ...]:
        return msgspec.structs.astuple(self.evidence)


class Count(msgspec.Struct, frozen=True):
    """Names of one set at the usual threshold. accepted: share of the known pictures named rightly."""

    pictures: int
    accepted: float
    wrong: int
    strangers: int


class EqualFaults(msgspec.Struct, frozen=True):
    """The counts by the shipped weights and by those fitted on the other sets.

    sets: by name, both counts. named: rightly named at each of FAULTS, both. weights: fitted on all sets, by name of
    the evidence, and the offset.
    """

    crops: int
    sets: dict[str, tuple[Count, Count]]
    named: dict[int, tuple[int, int]]
    weights: dict[str, float]


def name_pictures(folder: Path, dice: np.random.Generator, *, turned: bool, spoiled: int) -> Iterator[Shown]:
    """Name each test picture of a folder, with its kind and without. turned: it may lie in any turn."""
    stock = gallery(
        describe(read_folder(folder / "enrol", folder.name, "any" if turned else 1, 1), shipped_embedding())
    )
    files = {kind: found for kind, found in pictures_in(folder / "test").items() if kind in stock.kinds}
    for kind, paths in files.items():
        images = [image for path in paths if not isinstance(image := pictures.read(path), Unread)]
        crops = [crop for image in images for crop in (image, *_spoil(image, dice, spoiled))]
        poorer = stock.without(stock.kinds.index(kind)) if len(stock.kinds) > 1 and kind != UNKNOWN else None
        for judge in (stock, poorer):
            if judge is not None:
                yield from _name_crops(judge, crops, kind)


def _spoil(image: Image, dice: np.random.Generator, count: int) -> list[Image]:
    return [PERTURBATIONS[way].apply(image, dice) for way in dice.choice(len(PERTURBATIONS), count, replace=False)]


def _name_crops(judge: Gallery, crops: Sequence[Image], kind: str) -> Iterator[Shown]:
    known = ReferenceKeypoints(judge.details)
    for seen in compare(judge, shipped_embedding(), [upright(crop, judge.long) for crop in crops]):
        found = examine(judge, known, seen)
        yield Shown(found.evidence, judge.kinds[found.kind] == kind, kind not in judge.kinds)


def count_faults(sets: Mapping[str, Sequence[Shown]]) -> EqualFaults:
    """Compare names by the shipped weights and by those fitted on the other sets."""
    by_ours = {name: np.array([confidence(one.evidence) for one in crops]) for name, crops in sets.items()}
    by_others = {
        name: _sure(crops, fit_weights([each for other, each in sets.items() if other != name]))
        for name, crops in sets.items()
    }
    right = np.array([one.right for crops in sets.values() for one in crops])
    both = [np.concatenate(list(each.values())) for each in (by_ours, by_others)]
    return EqualFaults(
        crops=len(right),
        sets={name: (_count(crops, by_ours[name]), _count(crops, by_others[name])) for name, crops in sets.items()},
        named={rate: (until(both[0], right, rate), until(both[1], right, rate)) for rate in FAULTS},
        weights=dict(
            zip((*NamingEvidence.__struct_fields__, "offset"), fit_weights(list(sets.values())).tolist(), strict=True)
        ),
    )


def fit_weights(sets: Sequence[Sequence[Shown]]) -> Rows:
    """Return the weights and the offset; each set counts alike."""
    told = [(one, len(crops)) for crops in sets for one in crops]
    features = np.array([one.values for one, _ in told])
    weights = np.array([(STRANGE if one.left_out else 1.0) / size for one, size in told])
    centre, spread = features.mean(axis=0), features.std(axis=0)
    found = logistic((features - centre) / spread, np.array([one.right for one, _ in told]), weights)
    slopes = found[:-1] / spread
    return np.append(slopes, found[-1] - slopes @ centre)


def _sure(crops: Sequence[Shown], weights: Rows) -> Rows:
    heights = np.array([one.values for one in crops]) @ weights[:-1] + weights[-1]
    return np.asarray(1 / (1 + np.exp(-heights)), np.float64)


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
    yield f"{'set':20} pictures  accepted (by the others' fit)  wrong      strangers"
    for name, (now, others) in figures.sets.items():
        yield (
            f"{name:20} {now.pictures:8}  {now.accepted:8.3f} ({others.accepted:.3f})             "
            f"   {now.wrong:5} ({others.wrong})  {now.strangers:5} ({others.strangers})"
        )
    for rate, (ours, by_others) in figures.named.items():
        yield f"rightly named until {rate} faults in 1,000 of {figures.crops} crops: {ours} ({by_others})"
    yield "weights over all sets: " + ", ".join(f"{name} {weight:.2f}" for name, weight in figures.weights.items())


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures."""
    parser = parser_of("tools.lab.equal_faults", __doc__, "sets of photographs; two at least")
    parser.add_argument("--upright", nargs="*", default=[], help="names of sets whose pieces never lie turned")
    parser.add_argument("--spoiled", type=int, default=6, help="ways in which each picture is spoiled (6)")
    parser.add_argument("--seed", type=int, default=1, help="of what spoils them (1)")
    given = parser.parse_args(arguments)
    if len(given.folders) < 2:
        parser.error("give two sets at least: each is judged by a fit on the others")
    dice = np.random.default_rng(given.seed)
    named = {
        one.name: list(name_pictures(one, dice, turned=one.name not in given.upright, spoiled=given.spoiled))
        for one in in_turn(given.folders)
    }
    print_figures(count_faults(named), lines, as_json=given.json)
    return 0


if __name__ == "__main__":
    os.environ.setdefault("OPENCV_LOG_LEVEL", "SILENT")
    raise SystemExit(main())
