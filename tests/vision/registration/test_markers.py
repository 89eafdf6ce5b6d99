"""Markers: the fit holds under hands, and a jump of the camera is told."""

from __future__ import annotations

import cv2
import msgspec
import numpy as np
import pytest

from tests.vision.scenes import Hand, View, World, load_mat, seven
from tests.vision.tables import MAT
from vision.camera import Image
from vision.registration.markers import REFIT_PX, Locator


def test_markers_under_a_hand_leave_the_fit_as_it_was() -> None:
    world = World(MAT, seven(MAT))
    locator = Locator(MAT)
    fit, jumped = locator.look(world.render())
    assert fit is not None
    assert (fit.ids, jumped) == ({0, 1, 2, 3}, False)
    world.hands = [Hand(30, 240), Hand(395, 240)]
    again, jumped = locator.look(world.render())
    assert (again, jumped) == (fit, False)


def test_a_jump_is_told_and_fitted() -> None:
    world = World(MAT)
    locator = Locator(MAT)
    locator.look(world.render())
    world.view.shift = (12.0, 4.0)
    fit, jumped = locator.look(world.render())
    assert jumped
    assert fit is not None
    assert fit.error_px < 1.0


@pytest.mark.parametrize("further", [4.0, 8.0, 11.0])
def test_a_marker_that_a_bump_puts_partly_out_of_sight_is_not_tracked(further: float) -> None:
    picture, locator = World(MAT).render(), Locator(MAT)
    locator.look(picture)
    room = min(corners[:, 1].min() for corners in locator.places.values())
    locator = Locator(MAT)
    locator.look(_higher(picture, room - 4.0))
    assert locator.track_markers(_higher(picture, room - 4.0 + further)).keys() == {1, 2, 3}


def _higher(picture: Image, by: float) -> Image:
    move = np.array([[1.0, 0, 0], [0, 1, -by]])
    return np.asarray(cv2.warpAffine(picture, move, picture.shape[1::-1], borderMode=cv2.BORDER_REPLICATE), np.uint8)


@pytest.mark.parametrize(("roll", "shift"), [(3.8, (21.0, -6.0)), (-1.1, (3.5, -10.4))])
def test_a_jump_that_leaves_but_two_markers_about_where_they_were_is_fitted(
    roll: float, shift: tuple[float, float]
) -> None:
    """Two alone fit nothing: the others must be looked for in the whole picture."""
    world = World(MAT)
    locator = Locator(MAT)
    locator.look(world.render())
    world.view.roll, world.view.shift = roll, shift
    fit, jumped = locator.look(world.render())
    assert jumped
    assert fit is not None
    found = locator.detect(np.asarray(cv2.cvtColor(world.render(), cv2.COLOR_BGR2GRAY), np.uint8))
    off = [fit.projection.pixels(locator.corners_mm[number]) - corners for number, corners in found.items()]
    assert np.abs(off).max() < 1.0


def test_markers_that_are_small_in_the_picture_are_held_where_they_are_detected() -> None:
    """The print beside a corner must not draw it away: every later picture would be fitted again."""
    mat = load_mat("fence")
    image = World(mat, view=View(distance=760.0, tilt=12.0)).render()
    locator = Locator(mat)
    fit, _ = locator.look(image)
    detected = dict(locator.seen)
    again, _ = locator.look(image)
    assert len(detected) == 4
    assert again is fit
    apart = [np.abs(locator.seen[number] - corners).max() for number, corners in detected.items()]
    assert max(apart) < 0.15


def test_markers_that_no_fit_explains_are_held_where_they_were_seen() -> None:
    """A lens that nobody measured leaves a rest at each: to fit again in every picture is no better, and dear."""
    image = World(MAT).render()
    bulging = [msgspec.structs.replace(marker, x=marker.x + (1.4 if marker.id % 2 else -1.4)) for marker in MAT.markers]
    locator = Locator(msgspec.structs.replace(MAT, markers=tuple(bulging)))
    fit, _ = locator.look(image)
    assert fit is not None
    assert fit.error_px > REFIT_PX
    for _ in range(3):
        again, _ = locator.look(image)
        assert again is fit


def test_markers_that_were_covered_at_first_join_the_fit_as_soon_as_they_are_seen() -> None:
    """What two markers tell of the far side of the mat is millimetres off; nobody jumped when it is mended."""
    world = World(MAT, hands=[Hand(30, 240), Hand(395, 240)])
    locator = Locator(MAT)
    fit, _ = locator.look(world.render())
    assert fit is not None
    assert len(fit.ids) == 2
    world.hands = []
    fit, jumped = locator.look(world.render())
    assert fit is not None
    assert (fit.ids, jumped) == ({0, 1, 2, 3}, False)
    assert fit.error_px < 0.5
