"""What enrolment says about the pictures taken."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.vision.faces import Image, lit, tile
from vision.recognition.enrolment import EnrolledSet
from vision.recognition.quality import remarks
from vision.recognition.review import review


def dark() -> Image:
    return lit(tile("A"), (0.015, 0.015, 0.015), noise=1)


def blurred() -> Image:
    return cv2.GaussianBlur(tile("A"), (0, 0), 9).astype(np.uint8)


def shiny() -> Image:
    picture = tile("A", ground=(120, 130, 140))
    cv2.circle(picture, (40, 40), 18, (255, 255, 255), -1)
    return picture


@pytest.mark.parametrize(("picture", "problem"), [(dark(), "dark"), (blurred(), "blurred"), (shiny(), "shiny")])
def test_a_bad_picture_is_told_with_what_to_do(picture: Image, problem: str) -> None:
    (remark,) = remarks("A", picture)
    assert (remark.kind, remark.problem) == ("A", problem)
    assert str(remark.text).startswith("A: ")
    assert "take it again" in str(remark.text)


@pytest.mark.parametrize("ground", [(205, 225, 230), (255, 255, 255), (30, 30, 30)])
def test_a_good_picture_is_not_complained_of(ground: tuple[int, int, int]) -> None:
    assert list(remarks("A", tile("A", "red", ground=ground))) == []


def test_kinds_that_look_alike_are_told_once_as_a_pair() -> None:
    pictures = {"first": (tile("A"),), "second": (lit(tile("A"), (1, 1, 1), seed=5),), "other": (tile("S", "red"),)}
    (remark,) = review(EnrolledSet("letters", "any", pictures))
    assert (remark.kind, remark.other, remark.problem) == ("first", "second", "alike")
    assert str(remark.text).startswith("first and second look too alike")


def test_a_good_set_gets_no_remark() -> None:
    assert review(EnrolledSet("letters", "any", {letter: (tile(letter),) for letter in "ABEKRS"})) == ()
