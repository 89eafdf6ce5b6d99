"""Which turns of a face look alike, and which faces of a set do."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.vision.faces import Image, lit, tile
from vision.recognition.rotation_likeness import EVERY, nearest, symmetry


def regular(corners: int) -> Image:
    """A stone with a regular polygon on it; 0: a disc; 1: nothing; 2: a bar."""
    picture = np.full((120, 120, 3), (185, 200, 210), np.uint8)
    if corners == 0:
        cv2.circle(picture, (60, 60), 26, (60, 50, 45), -1, cv2.LINE_AA)
    elif corners == 2:
        cv2.rectangle(picture, (54, 30), (66, 90), (60, 50, 45), -1)
    elif corners > 2:
        turn = np.linspace(0, 2 * np.pi, corners, endpoint=False) + 0.2
        points = 59.5 + 32 * np.column_stack([np.cos(turn), np.sin(turn)])
        cv2.fillPoly(picture, [np.rint(points * 16).astype(np.int32)], (60, 50, 45), cv2.LINE_AA, 4)
    return lit(picture, (0.9, 0.9, 0.9), noise=2)


@pytest.mark.parametrize(("corners", "alike"), [(0, EVERY), (1, EVERY), (2, 2), (3, 3), (4, 4)])
def test_the_turns_that_look_alike_are_counted(corners: int, alike: int) -> None:
    assert symmetry(regular(corners)) == alike


@pytest.mark.parametrize(("letter", "alike"), [("A", 1), ("K", 1), ("E", 1)])
def test_letters_have_the_turns_that_they_have(letter: str, alike: int) -> None:
    assert symmetry(tile(letter)) == alike


def test_the_kinds_that_look_most_alike_are_a_sample() -> None:
    pictures = {letter: (tile(letter),) for letter in "SAEB"}
    near = nearest({**pictures, "twin": (lit(tile("A"), (1, 1, 1), seed=5),)}, 2)
    assert near == ("A", "twin")
