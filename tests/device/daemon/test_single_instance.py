"""A table has one referee."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from device.bus.endpoints import AnotherReferee, alone


def test_the_second_is_told_who_the_first_is(tmp_path: Path) -> None:
    with (
        alone(tmp_path),
        pytest.raises(AnotherReferee, match=rf"process {os.getpid()} .* stop it, or give this one"),
        alone(tmp_path),
    ):
        raise AssertionError("both hold the table")
    with alone(tmp_path, tmp_path / "journal"):
        assert (tmp_path / "lock").read_text(encoding="ascii") == str(os.getpid())


def test_another_that_would_write_the_same_journal_is_one_too_many(tmp_path: Path) -> None:
    for name in ("run", "other", "state"):
        (tmp_path / name).mkdir()
    with alone(tmp_path / "run", tmp_path / "state"):
        with (
            pytest.raises(AnotherReferee, match=r"\(.*state\)"),
            alone(tmp_path / "other", tmp_path / "state"),
        ):
            raise AssertionError("both write the journal")
        with alone(tmp_path / "other"):
            pass  # what the second held it let go
