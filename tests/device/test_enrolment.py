"""One piece on a mat: found whatever its size, measured and cut out; anything else gets its sentence."""

from __future__ import annotations

import cv2
import msgspec
import numpy as np
import pytest

from device.enrolment import (
    LayingArea,
    NothingThere,
    crop,
    kinds_of,
    looked_at,
    mats_for,
    patch,
)
from tests.vision.faces import Image
from tests.vision.scenes import Hand, Stone, View, World, load_mat, load_set, mat_corners
from vision.camera import Pyramid
from vision.finding.pieces import PieceFinder
from vision.recognition.enrolment import BACK
from vision.recognition.naming import PieceSet
from vision.recognition.piece_sizes import Outline
from vision.recognition.quality import remarks
from vision.registration.lens import Lens

PIECES = PieceSet("two", ("A", "B"), "square", (30.0, 30.0), 5.0, backs=False)


def test_the_back_is_taken_last_of_a_set_that_has_one() -> None:
    assert kinds_of(PIECES) == ("A", "B")
    assert kinds_of(load_set()) == (*load_set().kinds, BACK)


SMALL = View(width=960, height=540)


def test_a_mat_without_markers_is_found_by_its_corners() -> None:
    mat, stones = load_mat(), load_set()
    world = World(msgspec.structs.replace(mat, markers=()), [Stone(210.0, 150.0, "crown")], view=SMALL)
    image = world.render()
    by_corners = patch(image, LayingArea((mat,), corners_px=mat_corners(world)), stones).image
    with pytest.raises(NothingThere, match=r"No mat is found \(known here: tellstones\)"):
        patch(image, LayingArea((mat,)), stones)
    by_markers = patch(World(mat, world.stones, view=SMALL).render(), LayingArea((mat,)), stones).image
    height, width = (min(one, other) for one, other in zip(by_corners.shape[:2], by_markers.shape[:2], strict=True))
    apart = np.abs(by_corners[:height, :width].astype(int) - by_markers[:height, :width])
    assert float(apart.mean()) < 8


def test_a_large_picture_shows_the_same_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    image = World(load_mat(), [Stone(210.0, 150.0, "crown")], view=SMALL).render()
    whole = crop(image, (load_mat(),), load_set()).image
    monkeypatch.setattr("device.enrolment.LARGEST_PX", SMALL.width)
    large = np.asarray(cv2.resize(image, None, fx=2, fy=2), np.uint8)
    again = crop(large, (load_mat(),), load_set()).image
    assert whole.shape == again.shape
    assert float(np.abs(whole.astype(int) - again).mean()) < 4


def test_of_the_mats_that_a_set_is_played_on_the_one_that_lies_there_is_used() -> None:
    mats = mats_for({name: load_mat(name) for name in ("planetx", "tellstones-two", "tellstones")}, "stones")
    assert [mat.name for mat in mats] == ["tellstones-two", "tellstones"]
    found, _ = LayingArea(mats).find(World(load_mat(), view=SMALL).render())
    assert found.name == "tellstones"


def test_a_lens_of_pictures_of_another_shape_is_not_used() -> None:
    lens = Lens((640, 480), (500.0, 500.0), (320.0, 240.0))
    found, _ = LayingArea((load_mat(),), lens).find(World(load_mat(), view=SMALL).render())
    assert found.name == "tellstones"


def alone(diameter: float, kind: str | None = "crown", thickness: float = 8.0, x: float = 150.0) -> Image:
    """One stone on the mat, as large as given."""
    stone = Stone(x, 150.0, kind, 30.0, diameter=diameter, thickness=thickness)
    return World(load_mat(), [stone], view=View(tilt=12.0)).render()


@pytest.mark.quick(2)
@pytest.mark.parametrize("diameter", [15.0, 30.0, 45.0, 90.0])
@pytest.mark.parametrize("kind", ["crown", None])
def test_a_piece_of_any_size_is_taken_and_measured(diameter: float, kind: str | None) -> None:
    taken = patch(alone(diameter, kind), LayingArea((load_mat(),)), load_set())
    assert taken.measured is not None
    assert taken.measured.outline is Outline.DISC
    assert taken.measured.width_mm == pytest.approx(diameter, abs=1.8)
    assert (taken.measured.mat, taken.measured.picture) == ("tellstones", (1280, 720))


def test_a_piece_as_large_as_its_set_says_is_cut_out_as_before() -> None:
    image = alone(33.5)
    taken = patch(image, LayingArea((load_mat(),)), load_set())
    mat, projection = LayingArea((load_mat(),)).find(image)
    finder = PieceFinder(projection, mat, load_set())
    (found,) = finder.find(Pyramid(image))
    assert np.array_equal(taken.raw, finder.crop(image, found))


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("world", "why"),
    [
        (World(load_mat(), [Stone(150, 150, "crown", diameter=104)]), "no piece is larger than 90 mm"),
        (World(load_mat(), [Stone(150, 150, "crown"), Stone(190, 150, "flag")]), "2 pieces were found"),
        (World(load_mat(), [Stone(150, 150, "crown", diameter=45), Stone(240, 150)]), "2 pieces were found"),
        (
            World(load_mat(), [Stone(x, 150, kind, diameter=40) for x, kind in ((150, "flag"), (191, "crown"))]),
            "2 pieces were found",
        ),
        (World(load_mat(), hands=[Hand(200.0, 150.0)]), "something reaches over the mat's edge"),
    ],
)
def test_what_is_no_single_piece_gets_its_sentence(world: World, why: str) -> None:
    with pytest.raises(NothingThere, match=why):
        patch(world.render(), LayingArea((load_mat(),)), load_set())


@pytest.mark.thorough
def test_counters_are_smaller_than_most_pieces_and_are_taken() -> None:
    taken = patch(alone(12.0, None, 3.0), LayingArea((load_mat(),)), load_set("counters"))
    assert taken.image.shape == (80, 80, 3)
    with pytest.raises(NothingThere):
        patch(alone(7.0, None, 3.0), LayingArea((load_mat(),)), load_set("counters"))


def card(width: float, height: float) -> Image:
    """A card on the mat, white, with a dark print that leaves a border."""
    image = World(load_mat(), paper=(96, 110, 104)).render()
    _, projection = LayingArea((load_mat(),)).find(image)
    for room, colour in ((0.0, (225, 232, 235)), (6.0, (60, 70, 120))):
        wide, tall = width / 2 - room, height / 2 - room
        corners = np.array([[-wide, -tall], [wide, -tall], [wide, tall], [-wide, tall]]) + np.array((210.0, 150.0))
        cv2.fillPoly(image, [np.rint(projection.pixels(corners) * 16).astype(np.int32)], colour, cv2.LINE_AA, 4)
    return image


@pytest.mark.parametrize(("size", "measured"), [((63.0, 88.0), None), ((50.0, 75.0), (50.0, 75.0))])
def test_cards_are_as_large_as_they_should_be_or_are_measured(
    size: tuple[float, float], measured: tuple[float, float] | None
) -> None:
    taken = patch(card(*size), LayingArea((load_mat(),)), load_set("decktet"))
    told = None if taken.measured is None else (taken.measured.width_mm, taken.measured.height_mm)
    assert told == (None if measured is None else pytest.approx(measured, abs=1.5))


def test_a_lamp_that_is_off_gets_its_sentence() -> None:
    image = (alone(34.0) // 20).astype(np.uint8)
    with pytest.raises(NothingThere, match="Switch the lamp on"):
        looked_at(image, LayingArea((load_mat(),)), load_set())


@pytest.mark.thorough
def test_a_pale_stone_keeps_its_tones_and_gets_no_remark() -> None:
    stone = Stone(150.0, 150.0, None, colour=(215, 232, 240))
    world = World(load_mat(), [stone], view=View(exposure=0.9, noise=1.0), paper=(150, 158, 155))
    image = world.render()
    taken = patch(image, LayingArea((load_mat(),)), load_set())
    assert float(np.mean(taken.image[20:-20, 20:-20] >= 255)) < 0.02
    assert list(remarks(BACK, taken.image, taken.raw)) == []
