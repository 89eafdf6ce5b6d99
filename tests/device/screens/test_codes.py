"""A code on a display is one that a phone's camera reads, beside its sentence and with its alert."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from device.locale import LANGUAGES
from device.screens.layout import MODULE, SIDE, lay_out, modules
from device.screens.render import fits, render
from device.screens.screen import Screen
from engine.text import say

SECRET = "#ABCDEFGHIJKLMNOP"
ADDRESSES = (
    f"HTTP://10.0.0.5:8140/{SECRET}",
    f"HTTP://192.168.178.123:8143/{SECRET}",
    f"HTTP://{'A' * 42}:8140/{SECRET}",
)


def made(address: str) -> Screen:
    return Screen(say("Seat {seat}", seat="A"), prompt=say("Scan with a phone."), code=address)


@pytest.mark.parametrize("size", [(128, 64), (256, 64)])
@pytest.mark.parametrize("address", ADDRESSES)
def test_a_camera_reads_it(address: str, size: tuple[int, int]) -> None:
    picture = render(made(address), size, "en").convert("L")
    seen = np.asarray(picture.resize((size[0] * 6, size[1] * 6), 0))
    assert cv2.QRCodeDetector().detectAndDecode(seen)[0] == address


def test_short_addresses_get_a_wide_margin() -> None:
    assert len(modules(ADDRESSES[0])) == 25
    assert len(modules(ADDRESSES[1])) == 29


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_stands_beside_it_is_whole(language: str) -> None:
    assert fits(made(ADDRESSES[1]), (128, 64), language) == []


def test_one_that_is_too_fine_is_found() -> None:
    long = f"HTTP://{'A' * 80}:8140/{SECRET}"
    assert len(modules(long)) * MODULE + 2 * MODULE > SIDE
    assert [problem.what for problem in fits(made(long), (128, 64), "en")] == [f"{long} is too long for a code"]


def test_an_alert_has_a_page_of_its_own() -> None:
    alone, told = lay_out(Screen(code=ADDRESSES[0], alert=say("Paused.")), (128, 64), "en")
    assert (alone.foot, told.foot) == ((), ("Paused.",))
