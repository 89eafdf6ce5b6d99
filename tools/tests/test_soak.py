"""A day at one table does not grow in memory."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tools.soak import MOST_MB, soak


@pytest.mark.soak
def test_hours_with_lost_display_writes_do_not_grow(tmp_path: Path) -> None:
    found = asyncio.run(soak(3.0, 0.05, 7, tmp_path))
    assert found.presses > 500
    assert found.display_writes > 100_000
    assert found.grown_mb <= MOST_MB
