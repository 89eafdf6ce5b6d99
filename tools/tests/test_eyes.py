"""Rows of the camera's table, and when one is worse than the kept one."""

from __future__ import annotations

import pytest

from tools.eyes import KEPT, Row, Table, traced_rows, worse
from vision.files.reading import read_json


@pytest.mark.parametrize(
    ("now", "found"),
    [
        (Row(200, 190, 0), 0),
        (Row(200, 184, 0), 0),
        (Row(200, 170, 0), 1),
        (Row(200, 190, 2), 0),
        (Row(200, 190, 4), 1),
        (Row(200, 160, 10), 2),
        (Row(0, 0, 0), 0),
    ],
)
def test_a_row_is_worse_beyond_the_interval_of_the_kept_one(now: Row, found: int) -> None:
    """Compare with the upper bounds: 0.083 for 10 of 200 left open, 0.015 for none wrong."""
    assert len(list(worse({"row": now, "new": now}, {"row": Row(200, 190, 0)}))) == found


@pytest.mark.thorough
def test_the_other_renderers_pictures_are_read_no_worse_than_kept() -> None:
    assert not list(worse(dict(traced_rows()), read_json(KEPT, Table).rows))
