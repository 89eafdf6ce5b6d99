"""A long run that was broken off goes on, wherever the break came."""

from __future__ import annotations

from pathlib import Path

import pytest

from referee_simulator.harness.stored_results import OtherRun, StoredResults


@pytest.mark.parametrize("kept", [0, 1, 30])
def test_a_run_killed_in_its_first_line_begins_again(tmp_path: Path, kept: int) -> None:
    StoredResults(tmp_path, "plan", int)
    file = tmp_path / "results.jsonl"
    file.write_bytes(file.read_bytes()[:kept])
    stored = StoredResults(tmp_path, "plan", int)
    stored.add(0, 7)
    assert StoredResults(tmp_path, "plan", int).done == {0: 7}


def test_a_line_that_was_broken_off_is_played_again(tmp_path: Path) -> None:
    stored = StoredResults(tmp_path, "plan", int)
    stored.add(0, 7)
    stored.add(1, 8)
    file = tmp_path / "results.jsonl"
    file.write_bytes(file.read_bytes()[:-3])
    assert StoredResults(tmp_path, "plan", int).done == {0: 7}


def test_another_plan_and_another_file_are_left_alone(tmp_path: Path) -> None:
    StoredResults(tmp_path, "plan", int)
    with pytest.raises(OtherRun, match="another plan"):
        StoredResults(tmp_path, "other", int)
    (tmp_path / "results.jsonl").write_bytes(b"notes")
    with pytest.raises(OtherRun, match="not of such a run"):
        StoredResults(tmp_path, "plan", int)
    assert (tmp_path / "results.jsonl").read_bytes() == b"notes"
