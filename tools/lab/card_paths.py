"""Compares how cards are named by the network alone and as flat pieces, over photographs cut in three ways.

    python -m tools.lab.card_paths DIR ... --size 57x87 [--each N] [--seed N] [--json]

Each DIR (enrol/KIND/*, test/KIND/*) holds cards of that size in mm, cut closely. One picture a kind is learnt from.
Each test picture is shown to the whole set, and to the set without its kind: then any name is a fault. `aslant`: laid
at a drawn angle on a drawn table, and cut around its corners; `rim`: cut with the rim that the finder leaves.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import cv2
import msgspec
import numpy as np

from tools.lab.evaluate import match_kinds
from vision import pictures
from vision.camera import Image
from vision.finding.pieces import CROP_ROOM
from vision.finding.rough_crops import frame_card
from vision.pictures import Unread
from vision.recognition.enrolment import UNKNOWN, EnrolledSet, pictures_in, read_folder
from vision.recognition.naming import PieceSet
from vision.recognition.readers import reader_of

TALL = 240
"""Longer side of a laid card in pixels: about what a camera shows."""

TABLES = ((60, 80, 110), (190, 200, 205))
"""Levels (B, G, R) of a dark and a pale table."""

THIN_MM = 0.3
"""Thickness of a card."""

STEEPEST = 45.0
"""Largest angle of a card in degrees."""

Shown = tuple[str, Image]


class Count(msgspec.Struct, frozen=True):
    """accepted: named rightly; strangers: of pictures whose kind was left out, those that were named."""

    pictures: int
    accepted: int
    wrong: int
    strangers: int


class Row(msgspec.Struct, frozen=True):
    """One set in one cut. network: as cropped; flat: framed."""

    set: str
    cut: str
    network: Count
    flat: Count


def rows(folder: Path, size: tuple[float, float], each: int | None, seed: int) -> Iterator[Row]:
    """Compare the paths on a folder. each: so many test pictures, drawn; all if None."""
    dice = np.random.default_rng(seed)
    learnt = read_folder(folder / "enrol", folder.name, 2, 1)
    known = {kind: files for kind, files in pictures_in(folder / "test").items() if kind in learnt.pictures}
    read = [(kind, pictures.read(file)) for kind, files in known.items() if kind != UNKNOWN for file in files]
    shown = [(kind, image) for kind, image in read if not isinstance(image, Unread)]
    if each is not None:
        shown = [shown[place] for place in sorted(dice.permutation(len(shown))[:each])]
    frame = partial(frame_card, size=size)
    pieces = PieceSet(folder.name, tuple(learnt.pictures), "card", size, thickness_mm=THIN_MM, symmetry=2)
    straight = {kind: tuple(frame(image) for image in images) for kind, images in learnt.pictures.items()}
    for cut, lay in (
        ("straight", lambda image: image),
        ("aslant", lambda image: lay_card(image, dice, dice.uniform(-STEEPEST, STEEPEST), 1.0)),
        ("rim", lambda image: lay_card(image, dice, 0.0, CROP_ROOM)),
    ):
        crops = [(kind, lay(image)) for kind, image in shown]
        upright = msgspec.structs.replace(learnt, pictures=straight)
        network = count(learnt, crops, None)
        yield Row(folder.name, cut, network, count(upright, [(kind, frame(one)) for kind, one in crops], pieces))


def lay_card(image: Image, dice: np.random.Generator, angle: float, room: float) -> Image:
    """Lay a card on a drawn table and cut it out. room: of the cut, in parts of the card's bounding box."""
    scale = TALL / max(image.shape[:2])
    card = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    height, width = card.shape[:2]
    along, across = abs(np.cos(np.radians(angle))), abs(np.sin(np.radians(angle)))
    wide, tall = round(room * (width * along + height * across)), round(room * (width * across + height * along))
    grain = cv2.GaussianBlur(dice.standard_normal((tall, wide)), (0, 0), 3)[..., None]
    levels = np.array(TABLES[int(dice.integers(len(TABLES)))]) + 25 * grain + 4 * dice.standard_normal((tall, wide, 1))
    table = np.clip(levels, 0, 255).astype(np.uint8)
    turn = cv2.getRotationMatrix2D((width / 2, height / 2), -angle, 1.0)
    turn[:, 2] += [(wide - width) / 2, (tall - height) / 2]
    return np.asarray(cv2.warpAffine(card, turn, (wide, tall), dst=table, borderMode=cv2.BORDER_TRANSPARENT), np.uint8)


def count(learnt: EnrolledSet, crops: Sequence[Shown], pieces: PieceSet | None) -> Count:
    """Name the crops by the whole set, and by the set without their kind."""
    whole = reader_of(learnt, pieces)
    named = match_kinds(whole, [image for _, image in crops])
    sure = [
        kind == match.kind for (kind, _), match in zip(crops, named, strict=True) if match.confidence >= whole.threshold
    ]
    strangers = 0
    for kind in dict.fromkeys(kind for kind, _ in crops):
        strange = match_kinds(whole.without(kind), [image for its, image in crops if its == kind])
        strangers += sum(match.confidence >= whole.threshold for match in strange)
    return Count(len(crops), sum(sure), len(sure) - sum(sure), strangers)


def lines(found: Sequence[Row]) -> Iterator[str]:
    """Format the rows for people."""
    yield f"{'set':20} {'cut':9} pictures  accepted (network)  wrong (network)  strangers (network)"
    for row in found:
        one, other = row.flat, row.network
        yield (
            f"{row.set:20} {row.cut:9} {one.pictures:8}  {one.accepted:8} ({other.accepted:7})"
            f"  {one.wrong:5} ({other.wrong:7})  {one.strangers:9} ({other.strangers:7})"
        )


def main(words: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+", metavar="DIR")
    parser.add_argument("--size", required=True, help="WIDTHxHEIGHT of the cards in mm")
    parser.add_argument("--each", type=int, help="test pictures of each set, drawn; all if left out")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args(words)
    cv2.setNumThreads(1)
    width, height = (float(side) for side in given.size.split("x"))
    found = [row for folder in given.folders for row in rows(folder, (width, height), given.each, given.seed)]
    told = msgspec.json.format(msgspec.json.encode(found)).decode() if given.json else "\n".join(lines(found))
    sys.stdout.write(told + "\n")


if __name__ == "__main__":
    main()
