"""Pictures that somebody cropped by hand: rims of discs, and cards that lie aslant, without a rim or with one."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.vision.faces import Image, disc, lit, tile
from vision.finding.pieces import CROP_ROOM
from vision.finding.rough_crops import frame_card, is_drawing, shows_rim

SIZE = (63.0, 88.0)
WIDE, TALL = 126, 176
TABLE = (60, 80, 110)


def card() -> Image:
    """A card closely cut, with another letter at each end."""
    ends = [cv2.resize(tile(letter), (WIDE, TALL // 2)) for letter in "A7"]
    return np.asarray(np.vstack(ends), np.uint8)


def laid(angle: float, room: float = 1.0, table: tuple[int, int, int] = TABLE) -> Image:
    """Lay the card on a table of a colour (B, G, R), and cut around its corners."""
    turn = np.radians(abs(angle))
    wide = round(room * (WIDE * np.cos(turn) + TALL * np.sin(turn)))
    tall = round(room * (WIDE * np.sin(turn) + TALL * np.cos(turn)))
    warp = cv2.getRotationMatrix2D((WIDE / 2, TALL / 2), -angle, 1.0)
    warp[:, 2] += [(wide - WIDE) / 2, (tall - TALL) / 2]
    ground = np.full((tall, wide, 3), table, np.uint8)
    cut = cv2.warpAffine(card(), warp, (wide, tall), dst=ground, borderMode=cv2.BORDER_TRANSPARENT)
    return lit(np.asarray(cut, np.uint8), (1.0, 1.0, 1.0))


def alike(image: Image) -> float:
    """Correlate the inside of a frame_card picture with the card."""
    height, width = image.shape[:2]
    left, top = round(width * (1 - 1 / CROP_ROOM) / 2), round(height * (1 - 1 / CROP_ROOM) / 2)
    inner = cv2.resize(image[top : height - top, left : width - left], (WIDE, TALL))
    return max(
        float(np.corrcoef(cv2.rotate(inner, cv2.ROTATE_180).ravel(), card().ravel())[0, 1]),
        float(np.corrcoef(inner.ravel(), card().ravel())[0, 1]),
    )


@pytest.mark.parametrize("angle", [-41.0, -20.0, 12.0, 30.0, 50.0])
def test_a_card_cut_aslant_is_set_upright(angle: float) -> None:
    assert alike(laid(angle)) < 0.8
    assert alike(frame_card(laid(angle), SIZE)) > 0.9


def test_a_tight_cut_gets_the_margin_of_the_finders_crops() -> None:
    seen = frame_card(card(), SIZE)
    assert alike(seen) > 0.99
    assert seen.shape[0] == pytest.approx(CROP_ROOM * TALL, abs=1)


def test_a_card_with_a_margin_keeps_it() -> None:
    seen = frame_card(laid(0.0, CROP_ROOM), SIZE)
    assert alike(seen) > 0.95
    assert seen.shape[0] == pytest.approx(CROP_ROOM * TALL, rel=0.02)


def test_a_card_on_a_table_nearly_as_pale_keeps_its_margin() -> None:
    for table in ((180, 198, 202), (234, 250, 252)):  # the card's paper is (205, 225, 230)
        seen = frame_card(laid(0.0, CROP_ROOM, table), SIZE)
        assert seen.shape[0] == pytest.approx(CROP_ROOM * TALL, rel=0.02)


def test_a_card_that_lies_across_is_set_upright() -> None:
    seen = frame_card(np.asarray(cv2.rotate(laid(0.0, CROP_ROOM), cv2.ROTATE_90_CLOCKWISE), np.uint8), SIZE)
    assert seen.shape[0] > seen.shape[1]
    assert alike(seen) > 0.95


def test_a_disc_shows_its_rim_and_a_drawing_needs_none() -> None:
    assert shows_rim(lit(disc("A"), (1.0, 1.0, 1.0)))
    assert not shows_rim(tile("B"))
    assert is_drawing(lit(tile("B"), (1.0, 1.0, 1.0)))
    assert not is_drawing(laid(30.0))
    assert not shows_rim(laid(30.0))
