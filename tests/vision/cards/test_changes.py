"""Changes from one rest to the next."""

from __future__ import annotations

import numpy as np
import pytest

from vision.camera import Image
from vision.cards.changes import changes, light_field


def test_a_card_as_bright_as_the_mat_that_it_covers_is_a_change() -> None:
    """In a lamp's reflection both are pale: of another hue, but hardly lighter or darker in any channel."""
    noise = np.random.default_rng(264).normal(0.0, 4.0, (2, 200, 200, 3))
    mat = np.full((200, 200, 3), (182.0, 198.0, 179.0))
    there = mat.copy()
    there[60:140, 60:140] = (198.0, 184.0, 203.0)
    before, after = (np.asarray(np.clip(one, 0, 255), np.uint8) for one in noise + np.stack([mat, there]))
    changed = changes(after, before)
    assert changed[64:136, 64:136].mean() > 0.95
    changed[56:144, 56:144] = 0
    assert changed.mean() < 0.001


SHEET = (430, 592)
CARD = (slice(180, 300), slice(250, 330))
BAND = 0.08
"""Of a flickering lamp: relative, on either side."""


def lit(light: np.ndarray[tuple[int, ...], np.dtype[np.float64]], seed: int, *, card: bool) -> Image:
    """A mat with a noisy picture's gray levels in warm, dim light, and a card on it or not."""
    mat = np.full((*SHEET, 3), (24.0, 55.0, 60.0))
    if card:
        mat[CARD] = (30.0, 40.0, 88.0)
    noise = np.random.default_rng(seed).normal(0.0, 6.0, mat.shape)
    return np.asarray(np.clip(mat * light[..., None] + noise, 0, 255), np.uint8)


@pytest.mark.parametrize("seed", range(4))
def test_neither_noise_in_a_dark_channel_nor_bands_of_a_lamp_are_changes_and_a_card_is(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows, columns = (np.linspace(0.0, 1.0, side) for side in SHEET)
    along = np.add.outer(rows * rng.uniform(0.5, 1.5), columns * rng.uniform(0.5, 1.5))
    now, then = (1.0 + BAND / 2 * np.sin(2 * np.pi * (along + rng.uniform())) for _ in range(2))
    before = lit(then, 2 * seed, card=False)
    assert changes(lit(now, 2 * seed + 1, card=False), before).mean() < 0.002
    changed = changes(lit(now, 2 * seed + 1, card=True), before)
    assert changed[CARD].mean() > 0.9
    changed[166:314, 236:344] = 0
    assert changed.mean() < 0.002


def test_light_that_most_of_a_picture_shares_is_found_beside_cards_that_came() -> None:
    rows, columns = np.meshgrid(*(np.linspace(0.0, 1.0, side) for side in SHEET), indexing="ij")
    light = 0.1 * np.cos(3.0 * rows) * np.sin(4.0 * columns)
    ratio = np.repeat(light[..., None], 3, axis=2).astype(np.float32)
    for left in (40, 250, 460):
        ratio[100:220, left : left + 80] += 0.9
    assert abs(light_field(ratio) - light[..., None]).max() < 0.03
