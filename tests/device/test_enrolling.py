"""Enrolling before a camera: a bad picture is complained of at once, and taken again once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from device.enrolling import NothingThere, Photographer, Shot, enrol
from tests.vision.faces import Image, lit, tile
from vision.recognition.naming import PieceSet

PIECES = PieceSet("two", ("A", "B"), "square", (30.0, 30.0), 5.0, backs=False)


class Prepared(Photographer):
    """Gives prepared pictures in turn; None: nothing lies there."""

    def __init__(self, pictures: list[Image | None]) -> None:
        self.pieces = PIECES
        self._pictures: Iterator[Image | None] = iter(pictures)

    def take(self) -> Image:
        image = next(self._pictures)
        if image is None:
            raise NothingThere("0 pieces are found on the mat")
        return image


DARK = lit(tile("A"), (0.015, 0.015, 0.015), noise=1)


def taken(pictures: list[Image | None]) -> tuple[dict[str, tuple[Image, ...]], list[str], list[Shot]]:
    complaints: list[str] = []
    asked: list[Shot] = []

    def ask(shot: Shot) -> bool:
        asked.append(shot)
        return True

    enrolled = enrol(Prepared(pictures), 1, ask, complaints.append)
    return dict(enrolled.pictures), complaints, asked


def test_good_pictures_are_taken_without_a_word() -> None:
    pictures, complaints, asked = taken([tile("A"), tile("B")])
    assert list(pictures) == ["A", "B"]
    assert complaints == []
    assert [shot.kind for shot in asked] == ["A", "B"]


def test_a_dark_picture_is_taken_again() -> None:
    good = tile("A")
    pictures, complaints, asked = taken([DARK, good, tile("B")])
    assert pictures["A"] == (good,)
    assert complaints == ["A: the picture is too dark. Give it more light and take it again."]
    assert [shot.kind for shot in asked] == ["A", "A", "B"]


def test_a_face_that_is_dark_by_nature_is_kept_the_second_time() -> None:
    pictures, complaints, _ = taken([DARK, DARK, tile("B")])
    assert pictures["A"] == (DARK,)
    assert len(complaints) == 1


def test_an_empty_mat_is_asked_for_until_a_piece_lies_there() -> None:
    pictures, complaints, asked = taken([None, None, tile("A"), tile("B")])
    assert list(pictures) == ["A", "B"]
    assert complaints == ["0 pieces are found on the mat"] * 2
    assert len(asked) == 4


@pytest.mark.parametrize("stop", [0, 1])
def test_who_ends_early_keeps_what_was_taken(stop: int) -> None:
    answers = iter([True] * stop + [False])
    enrolled = enrol(Prepared([tile("A"), tile("B")]), 1, lambda shot: next(answers), lambda why: None)
    assert len(enrolled.pictures) == stop
