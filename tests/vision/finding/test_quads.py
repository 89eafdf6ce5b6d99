"""Rectangles of a known size are peeled off what stands out, and only where there is something to explain."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
import pytest

from vision.finding.fitting import place_exactly, settle_edges
from vision.finding.quad import Quad
from vision.finding.quads import quads_in

SIZE = (94.0, 132.0)


@pytest.mark.thorough
def test_edges_in_what_did_not_change_are_no_cards_beside_the_one_that_came() -> None:
    """A lamp's reflection joins a card to ground that stands out, too, and to what is printed on it."""
    sheet = np.full((330, 250, 3), 60, np.uint8)
    solid, news = np.zeros((2, 330, 250), np.uint8)
    card, lit = (slice(20, 152), slice(30, 124)), (slice(140, 320), slice(40, 240))
    solid[card] = solid[lit] = news[card] = 1
    for line in range(150, 320, 23):  # a grid of strong edges, as cards have, and stronger than the card's own
        sheet[line : line + 6, 40:240] = sheet[140:320, line - 110 : line - 104] = 150
    sheet[card] = 72
    beside = [quad for quad in quads_in(sheet, solid, SIZE) if quad.y > 160]
    assert beside, "the grid deceives who does not know where to look"
    (found,) = quads_in(sheet, solid, SIZE, telling=news)
    assert np.hypot(found.x - 76.5, found.y - 85.5) < 3


def test_of_two_rectangles_that_fit_the_one_is_taken_that_covers_less_of_what_may_be_anothers() -> None:
    """A back slid between two cards of a splay: its own edge, and that of the older card beside it."""
    sheet = np.full((200, 250, 3), 60, np.uint8)
    solid, news, old = np.zeros((3, 200, 250), np.uint8)
    older, back = (slice(30, 162), slice(60, 154)), (slice(30, 162), slice(40, 134))
    solid[older] = solid[back] = news[back] = old[older] = 1
    sheet[older], sheet[back] = 210, (90, 40, 80)
    news[:, 134:] = 0
    (found, *_) = quads_in(sheet, solid, SIZE, telling=news, taken=np.asarray(old & (news ^ 1), np.uint8))
    assert np.hypot(found.x - 86.5, found.y - 95.5) < 3


def test_a_card_lies_where_its_sides_are_not_where_its_shadow_ends_and_a_bar_is_printed() -> None:
    sheet = np.full((200, 250, 3), 60, np.uint8)
    solid = np.zeros((200, 250), np.uint8)
    card = slice(30, 162), slice(60, 154)
    solid[33:165, 60:154] = 1  # the shadow below it stands out from the ground, too
    sheet[162:165, 60:154] = 52
    sheet[card] = 220
    sheet[33:43, 63:151] = sheet[149:159, 63:151] = (160, 80, 60)
    (found,) = quads_in(sheet, solid, SIZE)
    assert np.hypot(found.x - 106.5, found.y - 95.5) < 0.7


@pytest.mark.parametrize("laid", [settle_edges, place_exactly])
def test_a_card_stays_where_it_is_along_the_way_on_which_neither_side_is_in_sight(laid: Callable[..., Quad]) -> None:
    sheet = np.full((200, 250), 60, np.float32)
    sheet[30:162, 60:154] = 220
    light = np.dstack([np.log(sheet + 8.0)] * 3 + [(sheet > 100).astype(np.float32)])
    hidden = np.zeros((200, 250), np.uint8)
    hidden[:, 40:75] = hidden[:, 139:175] = 1
    found = laid(cv2.GaussianBlur(light, (0, 0), 0.7), hidden, Quad(106.5, 94.0, 0.0, 1.0), SIZE)
    assert (found.x, found.y) == pytest.approx((106.5, 95.5), abs=0.6)
