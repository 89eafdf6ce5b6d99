"""What covers a crop from one side, and what is put in its place."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.vision.faces import lit, tile
from tools.bench import perturbations
from tools.bench.perturbations import glare, in_light, pixels
from vision.camera import Image
from vision.recognition.canonical import canonical
from vision.recognition.covered import covered, dazzled, painted


@pytest.fixture(scope="module")
def k() -> Image:
    return canonical(tile("K"))


@pytest.mark.parametrize("part", [0.1, 0.25])
def test_a_finger_at_an_edge_is_found_and_painted_over(part: float, k: Image) -> None:
    for seed in range(6):
        under = canonical(perturbations.covered(part)(tile("K"), np.random.default_rng(seed)))
        mask = covered(under, k)
        assert mask.mean() == pytest.approx(part, abs=0.07)
        whole = painted(under, k, mask)
        assert np.abs(whole.astype(int) - k).mean() < 0.2 * np.abs(under.astype(int) - k).mean()


@pytest.mark.parametrize("gains", [(0.6, 0.95, 1.25), (1.3, 1.0, 0.7), (0.3, 0.3, 0.3)])
def test_nothing_is_hidden_by_a_lamp_from_afar(gains: tuple[float, float, float], k: Image) -> None:
    assert not covered(canonical(lit(tile("K"), gains)), k).any()


def test_the_strokes_beside_a_finger_stay_in_sight(k: Image) -> None:
    """An X of which a finger hides the left looks like a K only if what comes out beside the finger is painted over."""
    ink = canonical(tile("X")).max(axis=2) < 120
    for seed in (1, 3, 5):
        under = canonical(perturbations.covered(0.25)(tile("X"), np.random.default_rng(seed)))
        finger = np.abs(under.astype(int) - canonical(tile("X"))).max(axis=2) > 8
        strokes = ink & (cv2.dilate(finger.astype(np.uint8), np.ones((5, 5), np.uint8)) == 0)
        assert strokes.sum() > 100
        assert covered(under, k)[strokes].mean() < 0.1


def test_what_differs_in_the_middle_is_not_covered(k: Image) -> None:
    """A stranger's face is no finger."""
    for face in "XRHB":
        assert covered(canonical(tile(face)), k).mean() < 0.05


def test_paint_is_mixed_in_the_light_of_the_picture(k: Image) -> None:
    dim = in_light((0.4, 0.4, 0.4))
    dice = np.random.default_rng(2)
    under = canonical(perturbations.covered(0.2)(dim(tile("K"), dice), dice))
    whole = painted(under, k, covered(under, k))
    assert np.abs(whole.astype(int) - canonical(dim(tile("K"), dice))).mean() < 8


def test_few_pixels_cover_nothing(k: Image) -> None:
    assert not covered(canonical(pixels(24)(tile("K"), np.random.default_rng(1))), k).any()


def test_a_mirrored_lamp_is_found_with_what_shines_around_it(k: Image) -> None:
    for seed in range(4):
        dim, dice = in_light((0.3, 0.3, 0.3)), np.random.default_rng(seed)
        under = dim(tile("K"), dice)
        seen = canonical(glare(0.08)(under, dice))
        mask = dazzled(seen, k) > 0
        shining = np.abs(seen.astype(int) - canonical(under)).max(axis=2) > 60
        assert mask[shining].mean() > 0.9
        assert 0.02 < mask.mean() < 0.25


def test_a_pale_piece_in_bright_light_does_not_shine() -> None:
    pale = canonical(tile("K"))
    white = np.maximum(pale, 246).astype(np.uint8)
    assert not dazzled(white, white).any()
    assert not dazzled(pale, pale).any()
