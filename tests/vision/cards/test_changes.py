"""What looks otherwise than at the rest before."""

from __future__ import annotations

import numpy as np

from vision.cards.changes import changes


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
