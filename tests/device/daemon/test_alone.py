"""A table has one referee."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from device.daemon.alone import AnotherReferee, alone


def test_the_second_is_told_who_the_first_is(tmp_path: Path) -> None:
    with (
        alone(tmp_path),
        pytest.raises(AnotherReferee, match=rf"process {os.getpid()} .* stop it, or give this one"),
        alone(tmp_path),
    ):
        raise AssertionError("both hold the table")
    with alone(tmp_path):
        assert (tmp_path / "lock").read_text(encoding="ascii") == str(os.getpid())
