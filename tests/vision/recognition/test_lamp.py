"""The colour of the lamp is taken out of a crop before it is compared closely."""

from __future__ import annotations

import numpy as np
import pytest

from tests.vision.faces import lit, tile
from tools.bench.perturbations import blurred, covered, glare
from vision.camera import Image
from vision.recognition.canonical import canonical
from vision.recognition.enrolment import EnrolledSet
from vision.recognition.lamp import MOST, balanced, mildest, tint
from vision.recognition.recogniser import EnrolledRecogniser

YELLOW = (120, 215, 230)


@pytest.fixture(scope="module")
def k() -> Image:
    return canonical(tile("K"))


@pytest.mark.parametrize("gains", [(0.62, 0.95, 1.25), (1.3, 1.0, 0.72)], ids=["warm", "cool"])
def test_a_lamp_from_afar_is_taken_out(gains: tuple[float, float, float], k: Image) -> None:
    dim = tuple(0.7 * gain for gain in gains)
    seen = canonical(lit(tile("K"), (dim[0], dim[1], dim[2])))
    even = balanced(seen, tint(seen, k))
    before, after, known = (np.log(each.mean(axis=(0, 1))) for each in (seen, even, k))
    assert np.ptp(after - known) < 0.03 < 0.2 * np.ptp(before - known)
    assert after.mean() == pytest.approx(before.mean(), abs=0.03), "as bright as before"


@pytest.mark.parametrize("change", [glare(0.15), covered(0.25)], ids=["a gleam", "a finger"])
def test_what_tints_a_part_is_no_lamp(change: object, k: Image) -> None:
    assert callable(change)
    for seed in range(4):
        seen = canonical(change(tile("K"), np.random.default_rng(seed)))
        assert tint(seen, k) == pytest.approx([1, 1, 1], abs=0.03)


def test_paint_is_more_than_a_lamp_can_do(k: Image) -> None:
    blue = canonical(tile("K", ground=(230, 90, 60)))
    gains = tint(blue, k)
    assert np.abs(np.log(gains)).max() == pytest.approx(np.log(MOST)), "the bound is reached"
    known, left = (np.log(each.mean(axis=(0, 1))) for each in (k, balanced(blue, gains)))
    assert np.ptp(left - known) > 0.5, "still another colour than the reference"


def test_what_is_burnt_stays_white(k: Image) -> None:
    white = k.copy()
    white[:20] = 255
    assert (balanced(white, np.array([0.8, 1.0, 1.2]))[:20] == 255).all()


def test_kinds_that_differ_in_colour_stay_apart(k: Image) -> None:
    """If a crop looks like one of them as it is, no lamp is made up to have it look like the other."""
    yellow = canonical(tile("K", ground=YELLOW))
    assert mildest([tint(k, yellow), tint(k, k)]) == pytest.approx([1, 1, 1], abs=0.01)
    faces = {"ivory": tile("K"), "yellow": tile("K", ground=YELLOW), "R": tile("R")}
    judge = EnrolledRecogniser(EnrolledSet("tinted", 1, {kind: (face,) for kind, face in faces.items()}))
    soft = blurred(1 / 5)
    seen = judge.match([soft(face, np.random.default_rng(1)) for face in faces.values()])
    assert [match.kind for match in seen] == list(faces)
