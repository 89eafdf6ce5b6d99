"""Pictures shown to the recogniser: sets that no training has seen, as taken and spoiled, and what it made of each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import cv2
import msgspec
import numpy as np
import numpy.typing as npt
from spoil import displaced, spoiled

from vision.recognition.canonical import SIDE, canonical
from vision.recognition.closer_look import look_closely
from vision.recognition.comparison import compare, second_look, weigh
from vision.recognition.confidence import Closer, Evidence
from vision.recognition.drawings import Drawings
from vision.recognition.embedding import shipped
from vision.recognition.enrolment import UNKNOWN, EnrolledSet, pictures_in, read_folder, read_picture
from vision.recognition.gallery import Gallery, describe, gallery, upright
from vision.recognition.index import Symmetry
from vision.recognition.layings import layings, uncovered

Image = npt.NDArray[np.uint8]
Shown = list[tuple[str, Image]]

EPISODES = 60
SYMMETRIES: tuple[Symmetry, ...] = (1, "any", 4)
"""Turns that invented pieces may be laid in."""

MOST = 96
"""Pictures that are shown of one set."""

LEFT_OUT = 3
"""Every how many-th of them is shown with its kind left out, too."""

FOREIGN = 24
"""Things of no set that are shown beside."""

STRANGE = 0.15
"""Weight of a picture whose kind was left out: most of what lies on a table was enrolled."""


class Look(msgspec.Struct, frozen=True):
    """A picture looked at once, closely, and with what covers it painted over: the best kind and the evidence for it
    each time; None if nothing covers it, or if the best kind is another then."""

    first: int
    seen: Evidence
    second: int
    closer: Closer
    mended: Closer | None


class Trial(msgspec.Struct, frozen=True):
    """One picture shown: what was seen, what it is (None if that was not enrolled), and how much it counts."""

    look: Look
    truth: int | None
    weight: float
    left_out: bool = False


def sharpness(picture: Image) -> float:
    return float(cv2.Laplacian(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), cv2.CV_32F).var())


def invented(pictures: Path) -> Iterator[tuple[EnrolledSet, Shown]]:
    """Sets of whole families, and sets of one kind a family. The sharpest one to three shots of a kind are enrolled."""
    families = np.load(pictures, mmap_mode="r")
    dice = np.random.default_rng(1)
    for episode in range(EPISODES):
        siblings = range(families.shape[1]) if episode % 2 else [int(dice.integers(families.shape[1]))]
        chosen = dice.choice(len(families), int(dice.integers(6, 48)) // len(siblings) + 1, replace=False)
        kinds = {
            f"{family}-{number}": sorted(map(np.asarray, families[family][number]), key=sharpness, reverse=True)
            for family in chosen
            for number in siblings
        }
        each = int(dice.integers(1, 4))
        symmetry = SYMMETRIES[episode // 2 % len(SYMMETRIES)]
        enrolled = EnrolledSet("invented", symmetry, {kind: tuple(shots[:each]) for kind, shots in kinds.items()})
        yield enrolled, [(kind, shot) for kind, shots in kinds.items() for shot in shots[each : each + 2]]


def photographed(folder: Path, shots: int) -> tuple[EnrolledSet, Shown]:
    shown = [(kind, read_picture(file)) for kind, files in pictures_in(folder / "test").items() for file in files]
    return read_folder(folder / "enrol", folder.name, "any", shots), shown


def foreign(dice: np.random.Generator, others: Shown) -> Shown:
    """Things that belong to no set: bare, noisy and shaded fields, rings and stripes, and pieces of other sets."""
    things: Shown = [(UNKNOWN, others[number][1]) for number in dice.permutation(len(others))[: FOREIGN // 2]]
    down, right = np.mgrid[:SIDE, :SIDE] / SIDE - 0.5
    for number in range(FOREIGN - len(things)):
        angle = dice.uniform(0, 2 * np.pi)
        along = right * np.cos(angle) + down * np.sin(angle)
        shape = (along * 0, along, np.hypot(right, down) > dice.uniform(0.2, 0.5), np.sin(along * dice.uniform(10, 80)))
        ground, ink = dice.uniform(0, 255, (2, 3))
        level = ground + np.asarray(shape[number % 4], np.float64)[..., None] * (ink - ground)
        noise = dice.choice([0, 3, 10, 60]) * dice.standard_normal((SIDE, SIDE, 3))
        things.append((UNKNOWN, np.clip(level + noise, 0, 255).astype(np.uint8)))
    return things


def trials(enrolled: EnrolledSet, shown: Shown, spoilt: int, dice: np.random.Generator) -> Iterator[Trial]:
    """Each thing as it was taken, spoiled so often, and off its centre. The weights of a set add up to one: large sets
    tell no more than small ones."""
    stock = gallery(describe(enrolled, shipped()))
    truths = [stock.kinds.index(kind) if kind != UNKNOWN else None for kind, _ in shown]
    known = [number for number, truth in enumerate(truths) if truth is not None]
    changes = (None, *[spoiled] * spoilt, displaced)
    weight = 1 / (len(shown) * len(changes))
    whole, poorer = Drawings(stock), {kind: stock.without(kind) for kind in set(truths) if kind is not None}
    others = {kind: Drawings(less) for kind, less in poorer.items()}
    for time, change in enumerate(changes):
        crops = [change(canonical(image), dice) if change else image for _, image in shown]
        for truth, look in zip(truths, looks(stock, whole, crops), strict=True):
            yield Trial(look, truth, weight)
        for number in known[time % LEFT_OUT :: LEFT_OUT]:
            kind = truths[number]
            (look,) = looks(poorer[kind], others[kind], [crops[number]])
            yield Trial(look, None, weight * STRANGE * LEFT_OUT, True)


def looks(stock: Gallery, drawings: Drawings, crops: list[Image]) -> list[Look]:
    seen = compare(stock, shipped(), [upright(crop, stock.long) for crop in crops])
    second = [second_look(stock, one) for one in seen]
    close = layings(stock, shipped(), seen, second)
    closer = [look_closely(stock, drawings, one) for one in close]
    again = [look_closely(stock, drawings, one) for one in uncovered(stock, shipped(), drawings, close)]
    return [
        Look(
            int(scores.argmax()),
            weigh(stock, one, scores),
            told.kind,
            told.evidence,
            mended.evidence if mended.kind == told.kind and mended.seen.hidden is not None else None,
        )
        for one, scores, told, mended in zip(seen, second, closer, again, strict=True)
    ]
