"""Measuring what lies on the mat when nothing is known of its size."""

from __future__ import annotations

import cv2
import msgspec
import numpy as np
import pytest

from engine.table import Face
from referee_simulator.render.camera import Renderer
from referee_simulator.table.ground_truth import Body, Truth
from referee_simulator.table.scenes import draw, load_scenes
from tests.vision.scenes import View, World, load_mat, load_set
from vision.camera import Pyramid
from vision.finding.measuring import MeasuredPiece, measure_pieces
from vision.recognition.piece_sizes import Outline
from vision.registration.markers import Locator

MAT = load_mat()


def measured(*bodies: Body, level: str = "easy", seed: int = 5) -> list[MeasuredPiece]:
    image = Renderer(MAT, draw(load_scenes()[level], seed)).picture(Truth(bodies), (), 0.0, 1)
    fit, _ = Locator(MAT).look(image)
    assert fit is not None
    return measure_pieces(Pyramid(image), fit.projection, MAT, load_set())[0]


def stone(across: float, thick: float = 8.0, *, x: float = 110.0, face: Face = Face.UP) -> Body:
    return Body(0, "knight", "stones", x, 120.0, 20.0, face, width=across, height=across, thickness=thick)


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("across", "face"),
    [
        *((15.0, Face.UP), (30.0, Face.DOWN), (45.0, Face.UP)),
        *(
            pytest.param(across, face, marks=pytest.mark.soak)
            for across, face in (
                (15.0, Face.DOWN),
                (30.0, Face.UP),
                (45.0, Face.DOWN),
                (90.0, Face.UP),
                (90.0, Face.DOWN),
            )
        ),
    ],
)
def test_a_disc_is_measured_to_a_millimetre(across: float, face: Face) -> None:
    (one,) = measured(stone(across, face=face))
    assert one.measured.outline is Outline.DISC
    assert one.measured.width_mm == pytest.approx(across, abs=1.0)
    assert (one.x_mm, one.y_mm) == pytest.approx((110.0, 120.0), abs=1.0)


@pytest.mark.quick(1)
@pytest.mark.parametrize("thick", [4.0, pytest.param(8.0, marks=pytest.mark.soak), 12.0])
def test_off_the_middle_the_lower_rim_tells_how_thick_it_is(thick: float) -> None:
    (one,) = measured(stone(34.0, thick, x=75.0), level="normal")
    assert one.measured.thickness_mm == pytest.approx(thick, abs=2.0)


def test_one_rim_alone_tells_no_thickness_for_a_dark_side_shows_no_other() -> None:
    (one,) = measured(stone(34.0, 0.3, x=75.0), level="normal")
    assert one.measured.outline is Outline.DISC
    assert one.measured.thickness_mm is None


def test_a_square_is_no_disc() -> None:
    world = World(MAT, [], view=View(tilt=5.0))
    image, turn = world.render(), np.radians(20.0)
    axes = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    corners = np.array([[-15.0, -15.0], [15.0, -15.0], [15.0, 15.0], [-15.0, 15.0]]) @ axes + (200.0, 150.0)
    fit, _ = Locator(MAT).look(image)
    assert fit is not None
    seen = np.rint(fit.projection.pixels(corners, 6.0) * 16).astype(np.int32)
    cv2.fillPoly(image, [seen], (70, 60, 50), cv2.LINE_AA, 4)
    pieces = msgspec.structs.replace(load_set(), thickness_mm=6.0)
    (one,) = measure_pieces(Pyramid(image), fit.projection, MAT, pieces)[0]
    assert one.measured.outline is Outline.SQUARE
    assert np.allclose((one.measured.width_mm, one.measured.height_mm), 30.0, atol=1.2)
