"""Issue 3: hidden stones through exchanges under simulated hands."""

from __future__ import annotations

import pytest

from tools.bench.shell_game import play


@pytest.mark.soak
def test_hidden_stones_keep_their_identity_through_300_exchanges() -> None:
    figures = play(300, seed=2)
    assert figures.silent == 0
    assert figures.unseen == 0
    assert figures.share_right >= 0.98
