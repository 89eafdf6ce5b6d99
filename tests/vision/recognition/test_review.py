"""What enrolment says about the pictures taken."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.vision.faces import Image, lit, tile
from vision.picture_checks import ColourCorrection
from vision.recognition.enrolment import EnrolledSet
from vision.recognition.piece_sizes import Measured, Outline
from vision.recognition.quality import remarks
from vision.recognition.recogniser import EnrolledRecogniser
from vision.recognition.review import difference, review


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
    (remark,) = remarks("A", picture, picture)
    assert (remark.kind, remark.problem) == ("A", problem)
    assert str(remark.text).startswith("A: ")
    assert str(remark.text).endswith(" again.")


@pytest.mark.parametrize("ground", [(205, 225, 230), (255, 255, 255), (30, 30, 30)])
def test_a_good_picture_is_not_complained_of(ground: tuple[int, int, int]) -> None:
    assert list(remarks("A", tile("A", "red", ground=ground))) == []


@pytest.mark.parametrize("paper", [252, 255])
@pytest.mark.parametrize("ink", [(231, 231, 231), (150, 160, 190), (60, 50, 45)])
def test_no_lamp_is_seen_in_a_scan_or_a_drawing(paper: int, ink: tuple[int, int, int]) -> None:
    """White paper around a printed face, and white left out in it, are as white as a file can be."""
    scan = np.full((200, 200, 3), paper, np.uint8)
    cv2.circle(scan, (100, 100), 96, ink, -1, cv2.LINE_AA)
    cv2.putText(scan, "R", (60, 140), cv2.FONT_HERSHEY_SIMPLEX, 4, (paper,) * 3, 14, cv2.LINE_AA)
    assert list(remarks("R", scan)) == []
    assert review(EnrolledSet("letters", "any", {"R": (scan,), "A": (tile("A"),)})) == ()


def ivory(exposure: float, lamp: float = 0.0) -> Image:
    """An ivory stone on a dark mat, as the camera gives it; a lamp mirrored beside its middle adds so many levels."""
    scene = np.full((120, 120, 3), (60, 64, 62), np.uint8)
    cv2.circle(scene, (60, 60), 50, (214, 232, 240), -1, cv2.LINE_AA)
    cv2.rectangle(scene, (45, 30), (58, 90), (40, 44, 60), -1)
    y, x = np.indices((120, 120))
    lit = scene + lamp * np.exp(-((x - 76) ** 2 + (y - 56) ** 2) / (2 * 14.0**2))[..., None]
    return np.asarray(np.clip(cv2.GaussianBlur(lit, (0, 0), 0.8) * exposure, 0, 255), np.uint8)


@pytest.mark.parametrize("exposure", [0.6, 0.8, 1.0, 1.15, 1.3])
def test_ivory_is_not_taken_for_a_lamp_and_a_lamp_on_it_is_found(exposure: float) -> None:
    headroom = ColourCorrection((1 / exposure,) * 3).headroom
    for known in (headroom,) if exposure <= 1.0 else (headroom, None):  # None: the white patch burns, too
        assert list(remarks("A", ivory(exposure), ivory(exposure), known)) == []
    if exposure <= 0.8:
        lit = ivory(exposure, 400.0)
        assert "shiny" in {each.problem for each in remarks("A", lit, lit, headroom)}


def test_a_lamp_that_burns_most_of_a_face_out_is_found() -> None:
    lit = np.asarray(np.minimum(255, 3.0 * ivory(0.6)), np.uint8)
    assert [each.problem for each in remarks("A", lit, lit, ColourCorrection((1 / 0.6,) * 3).headroom)] == ["shiny"]


def test_kinds_that_look_alike_are_told_once_as_a_pair() -> None:
    pictures = {"first": (tile("A"),), "second": (lit(tile("A"), (1, 1, 1), seed=5),), "other": (tile("S", "red"),)}
    (remark,) = review(EnrolledSet("letters", "any", pictures))
    assert (remark.kind, remark.other, remark.problem) == ("first", "second", "alike")
    assert str(remark.text).startswith("first and second look too alike")


def test_a_good_set_gets_no_remark() -> None:
    assert review(EnrolledSet("letters", "any", {letter: (tile(letter),) for letter in "ABEKRS"})) == ()


def square(turn: float, ink: tuple[int, int, int] = (60, 50, 45)) -> Image:
    """A stone with a square on it, turned clockwise by degrees."""
    picture = np.full((120, 120, 3), (185, 200, 210), np.uint8)
    box = cv2.boxPoints(((60.0, 60.0), (46.0, 46.0), turn))
    cv2.fillPoly(picture, [np.rint(box * 16).astype(np.int32)], ink, cv2.LINE_AA, 4)
    return cv2.GaussianBlur(picture, (0, 0), 0.8).astype(np.uint8)


def told(enrolled: EnrolledSet, measured: dict[str, list[Measured]] | None = None) -> list[tuple[str, str, str | None]]:
    return [(remark.problem, remark.kind, remark.other) for remark in review(enrolled, measured=measured)]


def test_a_square_and_a_diamond_are_one_thing_where_any_turn_is_allowed() -> None:
    pictures = {"square": (square(0.0),), "diamond": (square(45.0),), "A": (tile("A"),)}
    assert told(EnrolledSet("shapes", "any", pictures)) == [("turn", "square", "diamond")]
    assert told(EnrolledSet("shapes", 1, pictures)) == []


def test_near_twins_of_two_tints_are_named_as_such() -> None:
    pictures = {"slate": (square(0.0),), "blue": (square(0.0, (85, 50, 35)),), "A": (tile("A"),)}
    assert told(EnrolledSet("shapes", "any", pictures)) == [("tint", "slate", "blue")]
    assert difference(square(0.0), square(0.0), (0.0,)) is None
    assert difference(square(0.0), tile("A"), (0.0,)) is None


def test_tints_that_the_recogniser_tells_apart_well_get_no_remark() -> None:
    pictures = {"slate": (square(0.0),), "red": (square(0.0, (60, 50, 150)),), "A": (tile("A"),)}
    assert told(EnrolledSet("shapes", "any", pictures)) == []


def test_what_is_one_thing_to_the_camera_is_never_named() -> None:
    pictures = {"square": (square(0.0),), "diamond": (square(45.0),), "A": (tile("A"),)}
    judge = EnrolledRecogniser(EnrolledSet("shapes", "any", pictures))
    seen = [lit(square(turn), (0.9, 0.9, 0.9), seed=int(turn)) for turn in (0.0, 10.0, 45.0)]
    assert [naming.kind for naming in judge.name(seen)] == [None] * 3


def test_twins_of_two_sizes_are_named_as_such() -> None:
    pictures = {"small": (square(0.0),), "large": (square(0.0),)}
    sizes = {kind: [Measured(Outline.DISC, mm, mm)] for kind, mm in (("small", 28.0), ("large", 34.0))}
    assert told(EnrolledSet("shapes", "any", pictures), sizes) == [("size", "small", "large")]
