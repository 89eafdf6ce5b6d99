"""Fits the confidence: how often is a name right, given the evidence? On sets that no training has seen.

    PYTHONPATH=../..:. python calibrate.py PICTURES.npy DIR ...

Each set, a few whole families of PICTURES.npy or a folder DIR/enrol/KIND/*, DIR/test/KIND/*, is enrolled with one or
more references a kind. Every other picture is shown as taken and spoiled, once as what it is and once with its kind
left out, as a piece of no kind. Writes `vision/recognition/confidence.json`.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

import cv2
import msgspec
import numpy as np
import numpy.typing as npt
from spoil import spoiled

from vision.recognition.canonical import SIDE, canonical
from vision.recognition.closer import Laid, Lines, compare_anyhow, compare_mended, laid, mended, weigh_closely
from vision.recognition.comparison import Compared, compare, second_look, weigh
from vision.recognition.confidence import MODEL, Closer, Evidence, Fit, Mended, crowd, products
from vision.recognition.embedding import shipped
from vision.recognition.enrolment import UNKNOWN, EnrolledSet, pictures_in, read_folder, read_picture
from vision.recognition.gallery import Gallery, gallery, upright
from vision.recognition.rehearsal import rehearsal

Rows = npt.NDArray[np.float64]
Image = npt.NDArray[np.uint8]
Shown = list[tuple[str, Image]]

EPISODES = 14
SPOILT = 2
"""How often each picture is shown spoiled, besides as it was taken."""

MOST = 120
"""Pictures that are shown of one set."""

FOREIGN = 24
"""Things of no set that are shown beside."""

PHOTOGRAPHED = 60.0
"""Weight of a set from a folder, beside 1 for an invented one: the network learned from such, and finds them easy."""

STRANGE = 0.15
"""Weight of a picture whose kind was left out: most of what lies on a table was enrolled."""

DEARER = 30.0
"""Weight of a wrong name in the first fit, which finds the direction: it is the surest names that must not be wrong."""

STEADY = 2e-4
"""Ridge of the fit, in parts of all weight."""


class Look(msgspec.Struct, frozen=True):
    """A picture looked at once, closely, and with what covers it painted over: the best kind and the evidence for it
    each time; None if nothing covers it, or if the best kind is another then."""

    first: int
    seen: Evidence
    second: int
    closer: Closer
    mended: Mended | None


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
        enrolled = EnrolledSet("invented", 1, {kind: tuple(shots[:each]) for kind, shots in kinds.items()})
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


def trials(enrolled: EnrolledSet, shown: Shown, dice: np.random.Generator) -> Iterator[Trial]:
    """The weights of a set add up to one: large sets tell no more than small ones."""
    stock = gallery(enrolled, shipped())
    truths = [stock.kinds.index(kind) if kind != UNKNOWN else None for kind, _ in shown]
    weight = 1 / (len(shown) * (1 + SPOILT))
    for time in range(1 + SPOILT):
        crops = [spoiled(canonical(image), dice) if time else image for _, image in shown]
        for truth, look in zip(truths, looks(stock, crops), strict=True):
            yield Trial(look, truth, weight)
        known = [number for number, truth in enumerate(truths) if truth is not None]
        for look in looks(stock, [crops[number] for number in known], [truths[number] for number in known]):
            yield Trial(look, None, weight * STRANGE, True)


def looks(stock: Gallery, crops: list[Image], left_out: Sequence[int | None] = ()) -> list[Look]:
    """left_out: for each crop the kind that is taken out of the set before."""
    out = left_out or [None] * len(crops)
    seen = compare(stock, shipped(), [upright(crop, stock.long) for crop in crops])
    seen = [less(one, kind) for one, kind in zip(seen, out, strict=True)]
    seconds = [second_look(stock, one) for one in seen]
    moved = [laid(stock, one, int(second.argmax())) for one, second in zip(seen, seconds, strict=True)]
    stocks = {kind: stock if kind is None else without(stock, kind) for kind in set(out)}
    lines = Lines(stock)
    close = [nearer(one, kind) for one, kind in zip(compare_anyhow(stock, shipped(), moved), out, strict=True)]
    closer = [weigh_closely(stocks[kind], lines, one) for one, kind in zip(close, out, strict=True)]
    under = {number: found for number, one in enumerate(close) if (found := mended(stock, one, closer[number][0]))}
    again = {
        number: weigh_closely(stocks[out[number]], lines, nearer(one, out[number]))
        for number, one in zip(under, compare_mended(stock, shipped(), list(under.values())), strict=True)
    }
    return [
        Look(
            int(second.argmax()),
            weigh(stocks[kind], one, second),
            best,
            told,
            again[number][1] if number in again and again[number][0] == best else None,
        )
        for number, (one, second, (best, told), kind) in enumerate(zip(seen, seconds, closer, out, strict=True))
    ]


def less(seen: Compared, kind: int | None) -> Compared:
    if kind is None:
        return seen
    return msgspec.structs.replace(seen, scores=np.delete(seen.scores, kind), views=np.delete(seen.views, kind))


def nearer(close: Laid, kind: int | None) -> Laid:
    if kind is None:
        return close
    return msgspec.structs.replace(close, seen=less(close.seen, kind), anyhow=np.delete(close.anyhow, kind))


def without(stock: Gallery, number: int) -> Gallery:
    """The gallery as it is for comparisons that leave one kind out."""
    alike = np.delete(np.delete(stock.crowd.alike, number, axis=0), number, axis=1)
    known = stock.rehearsal
    owners = np.where(known.owners == number, -1, known.owners - (known.owners > number))
    rehearsed = rehearsal(np.delete(known.scores, number, axis=2), known.astray, owners)
    return msgspec.structs.replace(stock, crowd=crowd(alike), rehearsal=rehearsed)


def logistic(features: Rows, right: npt.NDArray[np.bool_], weights: Rows) -> Rows:
    """Coefficients (the last one the offset) by Newton's method."""
    rows = np.column_stack([features, np.ones(len(features))])
    fitted = np.zeros(rows.shape[1])
    ridge = STEADY * weights.sum()
    for _ in range(40):
        chance = 1 / (1 + np.exp(-np.clip(rows @ fitted, -30, 30)))
        bend = rows.T @ (rows * (weights * chance * (1 - chance))[:, None])
        slope = rows.T @ (weights * (right - chance)) - ridge * fitted
        fitted = fitted + np.linalg.solve(bend + ridge * np.eye(len(fitted)), slope)
    return fitted


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pictures", type=Path)
    parser.add_argument("folders", type=Path, nargs="+")
    given = parser.parse_args()
    cv2.setNumThreads(1)
    dice = np.random.default_rng(2)
    drawn = list(invented(given.pictures))
    taken = [photographed(folder, shots) for folder in given.folders for shots in (1, 3)]
    # What is foreign to drawn sets is photographed, and the other way round: two drawn sets may share a piece.
    pairs = [(one, taken[number % len(taken)]) for number, one in enumerate(drawn)]
    pairs += [(one, drawn[number % len(drawn)]) for number, one in enumerate(taken)]
    made = []
    for (enrolled, shown), (_, others) in pairs:
        kept = [shown[index] for index in sorted(dice.permutation(len(shown))[:MOST])]
        made.append(list(trials(enrolled, kept + foreign(dice, others), dice)))
    share = np.repeat([1.0] * len(drawn) + [PHOTOGRAPHED] * len(taken), [len(part) for part in made])
    flat = [trial for part in made for trial in part]
    weights = share * [trial.weight for trial in flat]
    known = weights[np.array([trial.truth is not None for trial in flat])].sum()
    first = [(trial.look.seen, trial.look.first == trial.truth) for trial in flat]
    second = [(trial.look.closer, trial.look.second == trial.truth) for trial in flat]
    covered = [number for number, trial in enumerate(flat) if trial.look.mended]
    third = [(flat[number].look.mended, flat[number].look.second == flat[number].truth) for number in covered]
    # Strangers count in full: paint makes them like what they are taken for.
    whole = np.array([weights[n] / (STRANGE if flat[n].left_out else 1) for n in covered])
    fits = {
        "evidence": fitted(first, weights, known),
        "closer": fitted(second, weights, known),
        "mended": fitted(third, whole, whole.sum()),
    }
    MODEL.write_bytes(msgspec.json.format(msgspec.json.encode(fits), indent=1) + b"\n")


def fitted(told: Sequence[tuple[Evidence, bool]], weights: Rows, known: float) -> Fit:
    """told: evidence, and whether the kind it speaks for was right. known: weight of all that were enrolled."""
    features = np.array([msgspec.structs.astuple(seen) for seen, _ in told])
    right = np.array([truth for _, truth in told])
    centre, spread = features.mean(axis=0), features.std(axis=0)
    rows = products((features - centre) / spread)
    direction = logistic(rows, right, np.where(right, weights, DEARER * weights))
    height = rows @ direction[:-1]
    slope, offset = logistic(height[:, None], right, weights)
    chance = 1 / (1 + np.exp(-(height * slope + offset)))
    for bar in (0.8, 0.85, 0.9, 0.93, 0.95, 0.97, 0.98, 0.99):
        kept = chance >= bar
        named, wrong = weights[kept & right].sum() / known, weights[kept & ~right].sum() / weights.sum()
        print(f"bar {bar}: {named:.3f} of the known named, {wrong:.4f} of all wrongly")
    centre, spread, slopes = (tuple(row.round(4).tolist()) for row in (centre, spread, direction[:-1] * slope))
    return Fit(centre, spread, slopes, round(float(offset), 4))


if __name__ == "__main__":
    main()
