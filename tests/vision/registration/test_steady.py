"""Registration: shifts, turns, skews and tilts are recovered; pictures of a trembling camera lie over one another."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.vision.scenes import Hand, View, World, seven
from tests.vision.tables import MAT
from vision.camera import Image, Pyramid
from vision.registration.markers import Locator
from vision.registration.rectify import Matrix, apply
from vision.registration.steady import LASTING, Steady, SteadyPicture, displacement, scale

SIZE = (1280, 720)
PLACES = np.array([[150.0, 90.0], [1120.0, 100.0], [1130.0, 640.0], [160.0, 630.0], [640.0, 360.0]])
MOVES = {
    "shift": [[1, 0, 1.6], [0, 1, -2.3], [0, 0, 1]],
    "turn": [[1, -0.0009, 0.5], [0.0009, 1, 0.2], [0, 0, 1]],
    "skew": [[1, 0.003, 0.0], [0, 1.002, 0.0], [0, 0, 1]],
    "tilt": [[1, 0, 0.0], [0, 1, 0.0], [1e-6, -1e-6, 1]],
}


@pytest.mark.parametrize("name", MOVES)
def test_a_known_move_is_recovered(name: str) -> None:
    move = np.array(MOVES[name], np.float64)
    found = displacement(PLACES, apply(move, PLACES), SIZE)
    assert np.abs(apply(found, PLACES) - apply(move, PLACES)).max() < 0.1


def moved(image: Image, move: Matrix) -> Image:
    flags = cv2.INTER_CUBIC
    return np.asarray(cv2.warpPerspective(image, move, SIZE, flags=flags, borderMode=cv2.BORDER_REPLICATE), np.uint8)


@pytest.mark.quick(1)
@pytest.mark.parametrize("hands", [[], [Hand(30, 240)]])
@pytest.mark.parametrize("name", MOVES)
def test_a_picture_is_laid_over_the_one_of_the_fit(name: str, hands: list[Hand]) -> None:
    world, locator = World(MAT, seven(MAT), view=View(noise=1.0)), Locator(MAT)
    still = world.render()
    locator.look(still)
    world.hands = hands
    other = moved(world.render(), np.array(MOVES[name], np.float64))
    move = Steady(Pyramid(still)).move(locator.places, locator.track_markers(other), SIZE, resting=False)
    assert move is not None
    off = np.abs(apply(move, PLACES) - apply(np.array(MOVES[name]), PLACES)).max()
    assert off < 0.6  # at a corner that a hand hides
    if not hands:
        over = SteadyPicture(Pyramid(other), move)
        apart = cv2.absdiff(over.small(), Pyramid(still).small())[20:-20, 20:-20]
        assert apart.max() < 12


@pytest.mark.quick(1)
@pytest.mark.parametrize("seed", range(3))
def test_all_edges_mend_what_small_markers_measure_badly(seed: int) -> None:
    world, locator = World(MAT, seven(MAT), view=View(noise=1.0)), Locator(MAT)
    still = world.render()
    locator.look(still)
    move = np.array(MOVES["turn"], np.float64)
    other = moved(World(MAT, seven(MAT)[:4], view=View(noise=1.0)).render(), move)
    rng = np.random.default_rng(seed)
    seen = {
        number: apply(move, corners) + rng.normal(0.0, 0.4, corners.shape) for number, corners in locator.places.items()
    }
    steady = Steady(Pyramid(still))
    by_markers = steady.move(locator.places, seen, SIZE, resting=False)
    assert by_markers is not None
    found = steady.lay_over(Pyramid(other), by_markers).move
    assert np.abs(apply(found, PLACES) - apply(move, PLACES)).max() < 0.3


@pytest.mark.quick(1)
@pytest.mark.parametrize("covered", range(2, 18, 3))
def test_a_marker_of_which_a_corner_is_covered_moves_nothing(covered: int) -> None:
    world, locator = World(MAT, seven(MAT), view=View(noise=1.0)), Locator(MAT)
    still = world.render()
    locator.look(still)
    move = np.array([[1, 0, 1.2], [0, 1, -0.9], [0, 0, 1]], np.float64)
    other = moved(world.render(), move)
    number = max(locator.places)
    right, below = locator.places[number].max(axis=0).astype(int)
    cv2.rectangle(other, (right - covered, below - covered), (right + 60, below + 60), (120, 150, 200), -1)
    found = Steady(Pyramid(still)).move(locator.places, locator.track_markers(other), SIZE, resting=False)
    assert found is not None
    assert np.abs(apply(found, PLACES) - apply(move, PLACES)).max() < 0.15
    before = locator.fit
    fit, jumped = locator.look(SteadyPicture(Pyramid(other), found).colour())
    assert not jumped
    assert fit == before


def test_a_camera_that_stands_still_is_taken_as_it_is() -> None:
    world, locator = World(MAT, seven(MAT)), Locator(MAT)
    still = world.render()
    locator.look(still)
    assert (
        Steady(Pyramid(still)).move(locator.places, locator.track_markers(world.render()), SIZE, resting=True) is None
    )


def test_a_camera_that_stands_otherwise_lasts() -> None:
    steady = Steady(Pyramid(np.zeros((720, 1280, 3), np.uint8)))
    places = {number: PLACES[:4] + number for number in range(3)}
    seen = {number: corners + 3.0 for number, corners in places.items()}
    lasting = []
    for _ in range(LASTING):
        steady.move(places, seen, SIZE, resting=True)
        lasting.append(steady.lasting)
    assert lasting == [False] * (LASTING - 1) + [True]


def test_a_homography_of_smaller_pictures_moves_the_same_places() -> None:
    move = np.array(MOVES["shift"], np.float64)
    there = apply(scale(move, 4, 4), (PLACES + 0.5) / 4 - 0.5)
    assert np.allclose(there, (apply(move, PLACES) + 0.5) / 4 - 0.5)
