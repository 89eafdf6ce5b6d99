"""Crashes in a row start ever more slowly, and failed starts lead to safe mode; a clean stop forgets them."""

from __future__ import annotations

from pathlib import Path

from device.daemon import safe_mode


def test_pauses_double_up_to_a_minute(tmp_path: Path) -> None:
    waits = [safe_mode.record_start(tmp_path, 100.0 + n).pause_s for n in range(13)]
    assert waits == [*[0.0] * 6, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0]


def test_old_starts_do_not_count(tmp_path: Path) -> None:
    for n in range(9):
        safe_mode.record_start(tmp_path, float(n))
    assert safe_mode.record_start(tmp_path, 1000.0).pause_s == 0.0


def test_a_clean_stop_forgets(tmp_path: Path) -> None:
    for n in range(9):
        safe_mode.record_start(tmp_path, float(n))
    safe_mode.clear_starts(tmp_path)
    safe_mode.clear_starts(tmp_path)
    assert safe_mode.record_start(tmp_path, 10.0).pause_s == 0.0


def test_a_broken_file_counts_as_no_start(tmp_path: Path) -> None:
    (tmp_path / "starts.json").write_bytes(b"{")
    assert safe_mode.record_start(tmp_path, 6.0).pause_s == 0.0


def test_where_nothing_can_be_noted_the_start_goes_on(tmp_path: Path) -> None:
    (tmp_path / "starts.json").mkdir()
    assert safe_mode.record_start(tmp_path, 6.0).pause_s == 0.0


def test_times_of_another_boot_do_not_count() -> None:
    assert safe_mode.pause_s(tuple(5000.0 + n for n in range(9)), 10.0) == 0.0


def failed(folder: Path, now: float) -> int:
    """How many starts before one at `now` failed."""
    return safe_mode.record_start(folder, now).failed


def test_a_start_counts_as_failed_until_it_is_ready(tmp_path: Path) -> None:
    for n in range(3):
        safe_mode.record_ready(tmp_path, safe_mode.record_start(tmp_path, float(n)))
    assert [failed(tmp_path, 10.0 + n) for n in range(4)] == [0, 1, 2, 3]
    assert safe_mode.StartPlan(0.0, 0.0, 3).safe
    assert not safe_mode.StartPlan(0.0, 0.0, 2).safe


def test_one_that_breaks_soon_after_it_was_ready_has_failed_after_all(tmp_path: Path) -> None:
    for n in range(3):
        start = safe_mode.record_start(tmp_path, float(n))
        safe_mode.record_ready(tmp_path, start)
        safe_mode.note_broken(tmp_path, start)
    assert failed(tmp_path, 10.0) == 3


def test_one_that_goes_on_makes_up_for_those_before(tmp_path: Path) -> None:
    for n in range(3):
        safe_mode.record_start(tmp_path, float(n))
    safe_mode.clear_failures(tmp_path)
    assert failed(tmp_path, 10.0) == 0


def test_after_five_minutes_they_no_longer_count(tmp_path: Path) -> None:
    for n in range(3):
        safe_mode.record_start(tmp_path, float(n))
    assert failed(tmp_path, 300.5) == 2
