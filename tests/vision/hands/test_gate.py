"""The gate: noise and exposure are no motion, one pixel of an edge is."""

from __future__ import annotations

import numpy as np

from vision.camera import Image
from vision.hands.gate import Gate


def scene_small(seed: int, level: float = 120.0, shift: int = 0, noise: float = 2.0) -> Image:
    rng = np.random.default_rng(seed)
    image = np.full((180, 320), float(level))
    image[40:90, 60 + shift : 100 + shift] *= 0.6
    return np.clip(image + rng.normal(0, noise, image.shape), 0, 255).astype(np.uint8)


def test_noise_and_exposure_are_no_motion() -> None:
    gate = Gate()
    for step in range(50):
        assert not gate.feed(scene_small(step, 120 + step, noise=4.0), step * 0.2)


def test_one_pixel_of_an_edge_is_motion_and_rest_follows_in_time() -> None:
    gate = Gate()
    for step in range(5):
        gate.feed(scene_small(step), step * 0.2)
    assert gate.feed(scene_small(9, shift=1), 1.0)
    states = []
    for step in range(6, 10):
        gate.feed(scene_small(step + 20, shift=1), step * 0.2)
        states.append(gate.moving)
    assert states == [True, False, False, False]


def test_pictures_of_another_shape_are_not_masked_as_the_last_ones() -> None:
    gate = Gate()
    wide = scene_small(1)
    gate.mask = np.ones_like(wide)
    gate.feed(wide, 0.0)
    for at in (1.0, 2.0):
        gate.feed(wide.T.copy(), at)
    assert gate.mask is None


def test_creeping_is_seen_at_rest() -> None:
    gate = Gate()
    rng = np.random.default_rng(1)
    seen = False
    for step in range(30):
        image = np.full((180, 320), 120.0)
        image[40:90, 60:100] = 120 - step * 2
        seen |= gate.feed(np.clip(image + rng.normal(0, 1, image.shape), 0, 255).astype(np.uint8), step * 0.2)
    assert seen
