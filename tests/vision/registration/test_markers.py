"""Markers: the fit holds under hands, and a jump of the camera is told."""

from __future__ import annotations

import numpy as np

from tests.vision.scenes import Hand, View, World, load_mat, seven
from tests.vision.tables import MAT
from vision.registration.markers import Locator


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


def test_markers_that_are_small_in_the_picture_are_held_where_they_are_detected() -> None:
    """The print beside a corner must not draw it away: every later picture would be fitted anew."""
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
