"""What the mat's patches tell of the lamp, and pictures that are too bright or too dark."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from device.printing.drawing import A4, LETTER, Clip, Sheet, tile
from engine.table import Health
from tests.vision.scenes import Hand, View, World, load_mat, load_set
from tests.vision.tables import MAT
from vision.camera import Frame, Pyramid
from vision.exposure import GAMMA
from vision.picture_checks import Lamp, Watch, measure
from vision.registration.markers import Locator
from vision.survey import MatSurvey


def test_patches_undo_the_lamp() -> None:
    for white in ((1.0, 1.0, 1.0), (0.6, 0.9, 1.05), (1.05, 0.95, 0.7)):
        world = World(MAT, view=View(white=white, gradient=0.0))
        image = world.render()
        fit, _ = Locator(MAT).look(image)
        assert fit is not None
        correction = measure(image, fit.projection, MAT)
        assert correction is not None
        place = np.rint(fit.projection.pixels(np.array([[210.0, 215.0]]))[0]).astype(int)
        patch = image[place[1] - 4 : place[1] + 4, place[0] - 4 : place[0] + 4]
        assert correction.apply(patch).mean(axis=(0, 1)) == pytest.approx(world.paper, abs=9)


def test_a_reflection_on_the_gray_patch_brightens_nothing_else() -> None:
    image = World(MAT, view=View(exposure=0.7, gradient=0.0)).render()
    fit, _ = Locator(MAT).look(image)
    assert fit is not None
    right = measure(image, fit.projection, MAT)
    corners = np.array([[MAT.gray.x, MAT.gray.y], [MAT.gray.x + MAT.gray.width, MAT.gray.y + MAT.gray.height]])
    (left, top), (beyond, below) = np.rint(fit.projection.pixels(corners)).astype(int)
    for lamp in (30, 50):
        lit = image.copy()
        lit[top:below, left:beyond] = np.minimum(255, lit[top:below, left:beyond].astype(int) + lamp)
        told = measure(lit, fit.projection, MAT)
        assert right is not None
        assert told is not None
        assert told.gain == pytest.approx(right.gain, rel=0.25)


@pytest.mark.parametrize("stops", [0.5, 2.0])
def test_being_turned_down_is_no_other_lamp_and_is_corrected_though_a_patch_is_hidden(stops: float) -> None:
    image, level = World(MAT, view=View(exposure=0.8, gradient=0.0)).render(), 2.0 ** (-stops / GAMMA)
    fit, _ = Locator(MAT).look(image)
    assert fit is not None
    survey, lamp = MatSurvey(fit.projection, MAT, ("line",), {"stones": load_set()}, {}), Lamp()
    survey.renew(Pyramid(image))
    before = survey.gain
    assert not lamp.has_changed(before, False)
    darker = np.asarray(image * level, np.uint8)
    hidden = darker.copy()
    middle = [[MAT.white.x + MAT.white.width / 2, MAT.white.y + MAT.white.height / 2]]
    column, row = np.rint(fit.projection.pixels(np.array(middle))[0]).astype(int)
    hidden[row - 30 : row + 30, column : column + 30] = 0
    assert measure(hidden, fit.projection, MAT) is None
    for picture in (hidden, darker):
        survey.renew(Pyramid(picture), level)
        assert survey.gain == pytest.approx(before, rel=0.1)
        assert not lamp.has_changed(survey.gain, False)
    right = measure(image, fit.projection, MAT)
    assert right is not None
    assert cv2.absdiff(right.dim(level).apply(darker), right.apply(image)).max() <= 8


def test_motion_is_looked_for_around_the_mat_and_on_it_but_not_on_its_markers() -> None:
    image = World(MAT).render()
    fit, _ = Locator(MAT).look(image)
    assert fit is not None
    survey = MatSurvey(fit.projection, MAT, ("line",), {"stones": load_set()}, {})
    mask = survey.gate_mask((180, 320), image.shape)
    width, height = MAT.size_mm
    each = MAT.markers[0]
    middle = each.x + each.side / 2, each.y + each.side / 2
    places = fit.projection.pixels(np.array([[-10.0, height / 2], [width / 2, height / 2], [-40.0, 0.0], middle]))
    columns, rows = np.rint(places / 4).astype(int).T
    assert mask[rows, columns].tolist() == [1, 1, 0, 0]


@pytest.mark.parametrize("name", ["runes", "tellstones-two"])
@pytest.mark.parametrize("paper", [A4, LETTER])
def test_a_gap_between_the_papers_sheets_hides_no_patch(name: str, paper: tuple[float, float]) -> None:
    mat = load_mat(name)
    image = World(mat, view=View(distance=760.0, gradient=0.0)).render()
    fit, _ = Locator(mat).look(image)
    assert fit is not None
    across, down = mat.size_mm
    pages = tile(Sheet(mat.name, across, down, ()), paper)
    rows = len({page.items[0].window[1] for page in pages if isinstance(page.items[0], Clip)})
    for row in range(1, rows):
        ends = fit.projection.pixels(np.array([[0.0, row * down / rows], [across, row * down / rows]]))
        (x0, y0), (x1, y1) = np.rint(ends).astype(int).tolist()
        cv2.line(image, (x0, y0), (x1, y1), (40, 50, 60))
    assert measure(image, fit.projection, mat) is not None


def test_a_covered_patch_corrects_nothing() -> None:
    world = World(MAT, hands=[Hand(60, 240)])
    fit, _ = Locator(MAT).look(World(MAT).render())
    assert fit is not None
    assert measure(world.render(), fit.projection, MAT) is None


def test_glare_and_darkness() -> None:
    bright = np.full((180, 320), 255, np.uint8)
    dark = np.full((180, 320), 5, np.uint8)
    image = np.zeros((2, 2, 3), np.uint8)
    assert Watch().judge(Frame(1, 0.0, Pyramid(image), bright)) is Health.GLARE
    assert Watch().judge(Frame(1, 0.0, Pyramid(image), dark)) is Health.DARK
    capped = Watch()
    watched = [capped.judge(Frame(k, float(k), Pyramid(image), dark)) for k in range(20)]
    assert watched == [Health.DARK] * 20  # nothing changes
