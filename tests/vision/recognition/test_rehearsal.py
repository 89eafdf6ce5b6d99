"""How the pieces of a set score when they are seen badly, told from the references alone."""

from __future__ import annotations

import numpy as np
import pytest

from tests.vision.faces import tile
from tools.bench.perturbations import blurred
from vision.recognition.canonical import SIDE, canonical
from vision.recognition.embedding import shipped
from vision.recognition.enrolment import EnrolledSet
from vision.recognition.gallery import Gallery, describe, gallery
from vision.recognition.recogniser import EnrolledRecogniser
from vision.recognition.rehearsal import WAYS, Rehearsal, astray, rehearsal, spoiled
from vision.recognition.traits import Traits

PLAIN = Traits(0.0, 0.0, 0.0)
SOFT = Traits(-1.0, 0.0, 0.0)


@pytest.fixture(scope="module")
def letters() -> Gallery:
    return gallery(describe(EnrolledSet("letters", 1, {letter: (tile(letter),) for letter in "AKRX"}), shipped()))


def two_ways(scores: list[list[list[float]]], owners: list[int]) -> Rehearsal:
    """As taken and out of focus. scores: references x 2 x kinds."""
    ways = np.array([[PLAIN, SOFT]] * len(scores), np.float64)
    return rehearsal(np.array(scores, np.float32), ways, np.array(owners))


def test_what_is_expected_depends_on_how_the_crop_was_taken() -> None:
    known = two_ways([[[1.0, 0.2], [0.8, 0.6]], [[0.3, 1.0], [0.5, 0.7]]], [0, 1])
    sharp, soft = known.expected(0, 0, PLAIN, PLAIN), known.expected(0, 0, SOFT, PLAIN)
    assert sharp == pytest.approx((0.8, 0.3), abs=0.02)
    assert soft == pytest.approx((0.2, 0.5), abs=0.02)
    between = known.expected(0, 0, Traits(-0.5, 0.0, 0.0), PLAIN)
    assert between == pytest.approx((0.5, 0.4), abs=0.02)


def test_what_all_kinds_would_score_depends_on_it_too() -> None:
    known = two_ways([[[1.0, 0.2], [0.8, 0.6]], [[0.3, 1.0], [0.5, 0.7]]], [0, 1])
    assert known.profile(0, PLAIN, PLAIN) == pytest.approx([1.0, 0.2], abs=0.02)
    assert known.profile(1, SOFT, PLAIN) == pytest.approx([0.5, 0.7], abs=0.02)


def test_traits_count_from_those_of_the_reference() -> None:
    known = two_ways([[[1.0, 0.2], [0.8, 0.6]], [[0.3, 1.0], [0.5, 0.7]]], [0, 1])
    assert known.expected(0, 0, SOFT, SOFT) == pytest.approx(known.expected(0, 0, PLAIN, PLAIN))


def test_strangers_are_pictures_of_other_kinds_the_likest_three_on_average() -> None:
    like = [0.9, 0.5, 0.7, 0.6, 0.1]
    known = two_ways([[[1.0, 0.0]] * 2] + [[[score, 1.0]] * 2 for score in like], [0, 1, 1, 1, 1, 1])
    assert known.expected(0, 0, PLAIN, PLAIN).stranger == pytest.approx((0.9 + 0.7 + 0.6) / 3)


def test_a_kind_that_was_left_out_says_nothing_about_the_others() -> None:
    known = two_ways([[[1.0, 0.2]] * 2, [[0.3, 1.0]] * 2, [[0.9, 0.9]] * 2], [0, 1, -1])
    assert known.expected(0, 0, PLAIN, PLAIN).stranger == pytest.approx(0.3)
    assert known.expected(1, 1, PLAIN, PLAIN).stranger == pytest.approx(0.2)


def test_one_kind_alone_meets_no_strangers() -> None:
    known = two_ways([[[0.9], [0.7]]], [0])
    assert known.expected(0, 0, PLAIN, PLAIN) == pytest.approx((0.9, 0.0), abs=0.01)


def test_every_way_leaves_a_picture_that_can_be_told_apart() -> None:
    picture = canonical(tile("K"))
    badly = spoiled(picture)
    assert len(badly) == len(WAYS)
    for image in badly:
        assert (image.shape, image.dtype) == ((SIDE, SIDE, 3), np.uint8)
        assert np.abs(image.astype(int) - picture).mean() > 1
    softer, burnt = astray(picture, badly)[:, 0], astray(picture, badly)[:, 2]
    assert softer[3] < softer[2], "more blur softens more"
    assert set(np.flatnonzero(burnt > 0.05)) == {4, 6, 7, 8, 9}, "a mirrored lamp burns, and nothing else"


def test_the_same_set_is_rehearsed_alike_every_time(letters: Gallery) -> None:
    again = gallery(describe(EnrolledSet("letters", 1, {letter: (tile(letter),) for letter in "AKRX"}), shipped()))
    assert np.array_equal(again.rehearsal.scores, letters.rehearsal.scores)


def test_blur_brings_pieces_closer_together(letters: Gallery) -> None:
    known = letters.rehearsal
    assert known.scores.shape == (4, len(WAYS), 4)
    assert (known.gap[:, 3] < known.gap[:, 0]).all()
    assert (known.scores.argmax(axis=2) == np.arange(4)[:, None]).mean() > 0.9


@pytest.mark.thorough
def test_pieces_out_of_focus_are_named_and_strangers_are_not() -> None:
    """An X among Ks looks like one when it is blurred, but no K would score as little then."""
    inks = ("black", "red", "blue")
    kinds = {f"{letter}-{ink}": (tile(letter, ink),) for letter in "ABEFGHKMRSTW" for ink in inks}
    judge = EnrolledRecogniser(EnrolledSet("inks", 1, kinds))
    dice = np.random.default_rng(1)
    unfocused = blurred(1 / 8)
    known = judge.name([unfocused(image, dice) for (image,) in kinds.values()])
    assert np.mean([naming.kind == kind for naming, kind in zip(known, kinds, strict=True)]) >= 0.95
    strangers = judge.name([unfocused(tile(letter, ink), dice) for letter in "XZQ" for ink in inks])
    assert {naming.kind for naming in strangers} == {None}
