"""Crops in doubt are laid over their reference and looked at again."""

from __future__ import annotations

import cv2
import msgspec
import numpy as np
import pytest

from tests.bench.perturbations import blurred, covered
from tests.vision.faces import disc, tile, turned
from vision.camera import Image
from vision.recognition import closer
from vision.recognition.canonical import canonical
from vision.recognition.closer import Laid, Lines, compare_anyhow, compare_mended, laid, mended, weigh_closely
from vision.recognition.comparison import compare
from vision.recognition.confidence import Mended
from vision.recognition.embedding import shipped
from vision.recognition.enrolment import EnrolledSet
from vision.recognition.gallery import Gallery, gallery, upright


@pytest.fixture(scope="module")
def discs() -> Gallery:
    return gallery(EnrolledSet("discs", "any", {letter: (disc(letter),) for letter in "AKRX"}), shipped())


def over(discs: Gallery, picture: Image, kind: int) -> Laid:
    (seen,) = compare(discs, shipped(), [upright(picture, False)])
    return compare_anyhow(discs, shipped(), [laid(discs, seen, kind)])[0]


def test_a_turned_and_shifted_crop_is_laid_straight(discs: Gallery) -> None:
    off = cv2.warpAffine(turned(disc("K"), 75), np.array([[1, 0, 6.0], [0, 1, -4.0]]), disc("K").shape[1::-1])
    (seen,) = compare(discs, shipped(), [upright(off.astype(np.uint8), False)])
    moved, angle = laid(discs, seen, 1)
    assert angle % 360 == pytest.approx(285)
    straight = canonical(disc("K")).astype(float)
    middle = np.s_[16:48, 16:48]
    assert np.abs(moved[middle] - straight[middle]).mean() < 0.5 * np.abs(seen.image[middle] - straight[middle]).mean()


def test_what_a_finger_covers_is_mended_and_told(discs: Gallery) -> None:
    close = over(discs, covered(0.12)(disc("R"), np.random.default_rng(3)), 2)
    found = mended(discs, close, 2)
    assert found
    (again,) = compare_mended(discs, shipped(), [found])
    assert again.seen.scores[2] > max(0.99, close.seen.scores[2] + 0.002)
    best, weighed = weigh_closely(discs, Lines(discs), again)
    assert (best, type(weighed)) == (2, Mended)
    assert 0.08 < msgspec.structs.asdict(weighed)["hidden"] < 0.2


@pytest.mark.parametrize("part", [0.0, 0.35])
def test_what_lies_bare_or_is_hidden_by_a_third_is_not_mended(part: float, discs: Gallery) -> None:
    picture = covered(part)(disc("R"), np.random.default_rng(3)) if part else disc("R")
    assert mended(discs, over(discs, picture, 2), 2) is None


def test_a_spoiled_reference_is_the_likest_for_a_spoiled_crop(discs: Gallery) -> None:
    soft = blurred(1 / 4)(disc("R"), np.random.default_rng(1))
    (close,) = compare_anyhow(discs, shipped(), [upright(soft, False)])
    assert int(close.anyhow.argmax()) == 2
    assert close.anyhow[2] > close.seen.scores[2] + 0.02
    assert (close.anyhow >= close.seen.scores).all()


def test_what_is_weighed_is_of_the_likeliest_kind(discs: Gallery) -> None:
    known, strange = (compare_anyhow(discs, shipped(), [upright(disc(letter), False)])[0] for letter in "KH")
    best, seen = weigh_closely(discs, Lines(discs), known)
    assert best == 1
    assert seen.anyhow == pytest.approx(1, abs=0.01)
    assert seen.whole > 0.97
    assert seen.ahead > 0
    _, other = weigh_closely(discs, Lines(discs), strange)
    assert (other.whole < seen.whole - 0.1, other.strange > seen.strange) == (True, True)


def test_lines_are_worked_out_once_and_not_kept_forever(discs: Gallery, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(closer, "KEPT", 2)
    lines = Lines(discs)
    first = lines.of(0)
    assert lines.of(0) is first
    lines.of(24)
    lines.of(0)
    lines.of(48)
    assert lines.of(0) is first, "used again, it outlives what was not"


def test_one_kind_alone_has_nothing_to_be_told_from() -> None:
    alone = gallery(EnrolledSet("one", 1, {"K": (tile("K"),)}), shipped())
    (close,) = compare_anyhow(alone, shipped(), [upright(tile("K"), False)])
    best, seen = weigh_closely(alone, Lines(alone), close)
    assert (best, seen.strange, seen.apart) == (0, 0.0, 0.0)
