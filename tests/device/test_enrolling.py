"""Enrolling before a camera: a bad picture is complained of at once, and taken again once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import cast

import cv2
import msgspec
import numpy as np
import pytest

from device.enrolling import (
    NothingThere,
    Photographer,
    Place,
    Shot,
    Taken,
    cropped,
    enrol,
    kinds_of,
    mats_for,
    nothing,
    patch,
)
from tests.vision.faces import Image, lit, tile
from tests.vision.scenes import Hand, Stone, View, World, load_mat, load_set, mat_corners
from vision.camera import Camera, Frame
from vision.cameras.small import small_gray
from vision.finding.pieces import PieceFinder
from vision.finding.pyramid import Pyramid
from vision.recognition.enrolment import BACK
from vision.recognition.measures import Outline
from vision.recognition.naming import PieceSet
from vision.recognition.quality import remarks

PIECES = PieceSet("two", ("A", "B"), "square", (30.0, 30.0), 5.0, backs=False)


class Prepared(Photographer):
    """Gives prepared pictures in turn; None: nothing lies there."""

    def __init__(self, pictures: Iterable[Image | None]) -> None:
        self._pictures: Iterator[Image | None] = iter(pictures)

    def take(self) -> Taken:
        image = next(self._pictures)
        if image is None:
            raise NothingThere(nothing(()))
        return Taken.cropped(image)


DARK = lit(tile("A"), (0.015, 0.015, 0.015), noise=1)


def taken(pictures: list[Image | None]) -> tuple[dict[str, tuple[Image, ...]], list[str], list[Shot]]:
    complaints: list[str] = []
    asked: list[Shot] = []

    def ask(shot: Shot) -> bool:
        asked.append(shot)
        return True

    enrolled = dict(enrol(Prepared(pictures), kinds_of(PIECES), 1, ask, lambda why: complaints.append(str(why))))
    pictures_of = {kind: tuple(one.image for one in images) for kind, images in enrolled.items()}
    return pictures_of, complaints, asked


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
    assert complaints == ["No piece is found on the mat. Exactly one must lie there, and no hand."] * 2
    assert len(asked) == 4


def test_each_kind_is_handed_over_as_soon_as_it_is_whole() -> None:
    asked: list[Shot] = []

    def ask(shot: Shot) -> bool:
        asked.append(shot)
        return True

    photographs = enrol(
        Prepared([tile("A"), tile("A"), tile("B")]), ("A", "B"), 2, ask, lambda why: pytest.fail(str(why))
    )
    kind, images = next(photographs)
    assert (kind, len(images)) == ("A", 2)
    assert [(shot.kind, shot.number) for shot in asked] == [("A", 1), ("A", 2)]


@pytest.mark.parametrize(("stop", "whole"), [(0, []), (1, []), (2, ["A"]), (3, ["A"])])
def test_who_ends_early_keeps_the_kinds_that_are_whole(stop: int, whole: list[str]) -> None:
    answers = iter([True] * stop + [False])
    pictures = [tile("A"), tile("A"), tile("B"), tile("B")]
    photographs = enrol(
        Prepared(pictures), ("A", "B"), 2, lambda shot: next(answers), lambda why: pytest.fail(str(why))
    )
    assert [kind for kind, _ in photographs] == whole


def test_the_back_is_taken_last_of_a_set_that_has_one() -> None:
    assert kinds_of(PIECES) == ("A", "B")
    assert kinds_of(load_set()) == (*load_set().kinds, BACK)


SMALL = View(width=960, height=540)


def test_a_mat_without_markers_is_found_by_its_corners() -> None:
    mat, stones = load_mat(), load_set()
    world = World(msgspec.structs.replace(mat, markers=()), [Stone(210.0, 150.0, "crown")], view=SMALL)
    image = world.render()
    by_corners = patch(image, Place((mat,), corners_px=mat_corners(world)), stones).image
    with pytest.raises(NothingThere, match=r"No mat is found \(known here: tellstones\)"):
        patch(image, Place((mat,)), stones)
    by_markers = patch(World(mat, world.stones, view=SMALL).render(), Place((mat,)), stones).image
    height, width = (min(one, other) for one, other in zip(by_corners.shape[:2], by_markers.shape[:2], strict=True))
    apart = np.abs(by_corners[:height, :width].astype(int) - by_markers[:height, :width])
    assert float(apart.mean()) < 8


def test_a_large_picture_shows_the_same_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    image = World(load_mat(), [Stone(210.0, 150.0, "crown")], view=SMALL).render()
    whole = cropped(image, (load_mat(),), load_set()).image
    monkeypatch.setattr("device.enrolling.LARGEST_PX", SMALL.width)
    large = np.asarray(cv2.resize(image, None, fx=2, fy=2), np.uint8)
    again = cropped(large, (load_mat(),), load_set()).image
    assert whole.shape == again.shape
    assert float(np.abs(whole.astype(int) - again).mean()) < 4


def test_of_the_mats_that_a_set_is_played_on_the_one_that_lies_there_is_used() -> None:
    mats = mats_for({name: load_mat(name) for name in ("planetx", "tellstones-two", "tellstones")}, "stones")
    assert [mat.name for mat in mats] == ["tellstones-two", "tellstones"]
    found, _ = Place(mats).find(World(load_mat(), view=SMALL).render())
    assert found.name == "tellstones"


def alone(diameter: float, kind: str | None = "crown", thickness: float = 8.0, x: float = 150.0) -> Image:
    """One stone on the mat, as large as given."""
    stone = Stone(x, 150.0, kind, 30.0, diameter=diameter, thickness=thickness)
    return World(load_mat(), [stone], view=View(tilt=12.0)).render()


@pytest.mark.parametrize("diameter", [15.0, 30.0, 45.0, 90.0])
@pytest.mark.parametrize("kind", ["crown", None])
def test_a_piece_of_any_size_is_taken_and_measured(diameter: float, kind: str | None) -> None:
    taken = patch(alone(diameter, kind), Place((load_mat(),)), load_set())
    assert taken.measured is not None
    assert taken.measured.outline is Outline.DISC
    assert taken.measured.width_mm == pytest.approx(diameter, abs=1.8)
    assert (taken.measured.mat, taken.measured.picture) == ("tellstones", (1280, 720))


def test_a_piece_as_large_as_its_set_says_is_cut_out_as_before() -> None:
    image = alone(33.5)
    taken = patch(image, Place((load_mat(),)), load_set())
    mat, projection = Place((load_mat(),)).find(image)
    finder = PieceFinder(projection, mat, load_set())
    (found,) = finder.find(Pyramid(image))
    assert np.array_equal(taken.raw, finder.crop(image, found))


@pytest.mark.parametrize(
    ("image", "why"),
    [
        (alone(104.0), "no piece is larger than 90 mm"),
        (World(load_mat(), [Stone(150, 150, "crown"), Stone(190, 150, "flag")]).render(), "2 pieces are found"),
        (World(load_mat(), [Stone(150, 150, "crown", diameter=45), Stone(240, 150)]).render(), "2 pieces are found"),
        (
            World(
                load_mat(), [Stone(x, 150, kind, diameter=40) for x, kind in ((150, "flag"), (191, "crown"))]
            ).render(),
            "2 pieces are found",
        ),
        (World(load_mat(), hands=[Hand(200.0, 150.0)]).render(), "something reaches over the mat's edge"),
    ],
)
def test_what_is_no_single_piece_gets_its_sentence(image: Image, why: str) -> None:
    with pytest.raises(NothingThere, match=why):
        patch(image, Place((load_mat(),)), load_set())


def test_a_lamp_that_is_off_gets_its_sentence() -> None:
    class Off:
        def read(self, _timeout_s: float) -> Frame:
            image = (alone(34.0) // 20).astype(np.uint8)
            return Frame(1, 0.0, image, small_gray(image))

    with pytest.raises(NothingThere, match="Switch the lamp on"):
        Photographer(cast("Camera", Off()), Place((load_mat(),)), load_set()).take()


def test_a_pale_stone_keeps_its_tones_and_gets_no_remark() -> None:
    stone = Stone(150.0, 150.0, None, colour=(215, 232, 240))
    world = World(load_mat(), [stone], view=View(exposure=0.9, noise=1.0), paper=(150, 158, 155))
    image = world.render()
    taken = patch(image, Place((load_mat(),)), load_set())
    assert float(np.mean(taken.image[20:-20, 20:-20] >= 255)) < 0.02
    assert list(remarks(BACK, taken.image, taken.raw)) == []
