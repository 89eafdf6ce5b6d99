"""Prints whose lines repeat, and prints that are nearly alike at a coarse look, in crops that are a little off."""

from __future__ import annotations

import cv2
import msgspec
import numpy as np
import pytest

from vision.recognition.enrolment import EnrolledSet
from vision.recognition.prints import printed
from vision.recognition.prints.lines import agreement, sought
from vision.recognition.prints.paper_colours import Tints
from vision.recognition.prints.reading import PrintReading
from vision.tracking.faces import WASHED_OUT

WIDE, TALL = 80, 112


def back(step: int = 10) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    """Zigzags in a frame on dark paper."""
    picture = np.full((TALL, WIDE, 3), (0.6, 0.4, 0.6), np.float32)
    cv2.rectangle(picture, (4, 4), (WIDE - 5, TALL - 5), (1.0, 1.0, 1.0), 1)
    for x in range(8, WIDE - 24, step):
        line = np.array([[x, TALL - 8], [x, 8], [x + 16, TALL // 2]])
        cv2.polylines(picture, [line], True, (1.0, 1.0, 1.0), 1)
    return picture


def crop(
    print_: np.ndarray[tuple[int, ...], np.dtype[np.float32]], *off: int
) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    """The print with its surroundings, so many pixels right and below the middle, under a lamp at one side."""
    picture = np.full((134, 96, 3), (0.3, 0.5, 0.3), np.float32)
    x, y = 8 + off[0], 11 + off[1]
    picture[y : y + TALL, x : x + WIDE] = print_
    lamp = np.linspace(1.0, 2.5, 134, dtype=np.float32)[:, None, None]
    return np.asarray(cv2.GaussianBlur(picture * lamp, (0, 0), 0.8), np.float32)


@pytest.mark.parametrize("off", [(0, 0), (3, -2), (-4, 5), (1, 7)])
@pytest.mark.parametrize("turn", [0.0, 180.0])
def test_lines_are_found_where_they_lie_whatever_the_lamp_does(off: tuple[int, int], turn: float) -> None:
    picture = crop(back(), *off)
    seen = np.asarray(np.rot90(picture, 2) if turn else picture, np.float32).copy()
    warp = sought(back(), seen, (0.0, 180.0))
    view = cv2.warpAffine(seen, warp, (WIDE, TALL), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP)
    assert agreement(back(), np.asarray(view, np.float32), np.ones((TALL, WIDE), np.float32)) > 0.65


def test_other_lines_do_not_agree() -> None:
    seen = crop(back(17), 2, 2)
    view = cv2.warpAffine(seen, sought(back(), seen, (0.0, 180.0)), (WIDE, TALL), flags=cv2.WARP_INVERSE_MAP)
    assert agreement(back(), np.asarray(view, np.float32), np.ones((TALL, WIDE), np.float32)) < 0.5


def test_a_kind_that_a_coarse_look_misses_is_found_once_the_crop_is_laid_right(monkeypatch: pytest.MonkeyPatch) -> None:
    pictures = {}
    for name, first, second in (("sun", 40, 72), ("moon", 46, 66)):
        card = np.full((134, 96, 3), 60, np.uint8)
        card[11:123, 8:88] = 235
        cv2.circle(card, (48, first), 10, (20, 120, 200), -1)
        cv2.circle(card, (48, second), 10, (120, 40, 40), -1)
        cv2.putText(card, name[0], (14, 30), cv2.FONT_HERSHEY_SIMPLEX, 0.5, (20, 20, 20), 1)
        pictures[name] = (card,)
    reader = printed.PrintedRecogniser(EnrolledSet("pair", 2, pictures))
    picture, _ = reader.format.prepare(pictures["sun"][0])
    views = reader._likely(picture, np.ones((134, 96), np.uint8), ("sun", "moon"))
    monkeypatch.setattr(reader, "_likely", lambda _picture, _mask, _kinds: {"moon": views["sun"]})
    assert reader.read(pictures["sun"][0]).kind == "sun"


def test_sheen_makes_a_back_paler_and_no_face_a_back() -> None:
    white, purple = np.full(3, 1 / 3, np.float32), np.array([0.36, 0.26, 0.38], np.float32)
    tints = Tints({"sun": white, "moon": white + np.float32(0.004), "_back": purple})
    for share, is_back in ((1.0, True), (0.45, True), (0.1, None)):
        assert tints.is_back(white + np.float32(share) * (purple - white)) is is_back
    assert tints.is_back(np.array([0.2, 0.4, 0.4], np.float32)) is False


def test_lines_of_a_green_mat_are_no_back_however_alike() -> None:
    green = np.array([0.320, 0.362, 0.318], np.float32)
    tints = Tints(
        {"sea": np.array([0.322, 0.331, 0.346], np.float32), "_back": np.array([0.347, 0.286, 0.367], np.float32)}
    )
    reading = PrintReading("_back", 0.83, 0.5, np.eye(2, 3, dtype=np.float32))
    assert reading.sure
    assert not msgspec.structs.replace(reading, tinted=tints.is_back(green)).sure


def test_a_whole_back_in_coloured_light_is_one_if_its_print_agrees() -> None:
    whole = PrintReading("_back", 0.98, 0.5, np.eye(2, 3, dtype=np.float32), tinted=False)
    assert whole.sure
    assert not msgspec.structs.replace(whole, strip=True).sure


@pytest.mark.parametrize(
    ("fit", "clear", "sure"), [(0.85, 0.34, True), (0.85, 0.1, False), (0.6, 0.5, False), (0.97, 0.1, False)]
)
def test_what_tells_one_kind_from_the_next_decides_more_than_how_sharp_it_is(
    fit: float, clear: float, sure: bool
) -> None:
    assert PrintReading("sea", fit, clear, np.eye(2, 3, dtype=np.float32)).sure is sure


def token(x: int, y: int, mat: int) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    """A white counter with a red ring, its middle at these pixels of a crop, on a mat so bright."""
    picture = np.full((72, 72, 3), (mat - 20, mat, mat - 20), np.uint8)
    for radius, colour in ((30, (225, 230, 230)), (25, (70, 70, 160)), (11, (225, 230, 230))):
        cv2.circle(picture, (x, y), radius, colour, -1)
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), 1.5), np.uint8)


@pytest.mark.parametrize("off", [(0, 0), (-7, 5), (8, 6)])
def test_a_token_that_is_found_beside_its_place_in_hard_light_agrees_with_its_print(off: tuple[int, int]) -> None:
    reader = printed.PrintedRecogniser(EnrolledSet("life", "any", {"life": (token(36, 36, 90),)}))
    washed = np.asarray(170 + 0.3 * (token(36 + off[0], 36 + off[1], 150).astype(np.float32) - 120), np.uint8)
    (seen,) = reader.name([washed])
    assert seen.fit >= WASHED_OUT
