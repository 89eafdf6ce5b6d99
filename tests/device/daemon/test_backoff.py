"""Crashes in a row start ever more slowly; a clean stop forgets them."""

from __future__ import annotations

from pathlib import Path

from device.daemon import backoff


def test_pauses_double_up_to_a_minute(tmp_path: Path) -> None:
    waits = [backoff.begin(tmp_path, 100.0 + n) for n in range(9)]
    assert waits == [0.0, 0.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0]


def test_old_starts_do_not_count(tmp_path: Path) -> None:
    for n in range(5):
        backoff.begin(tmp_path, float(n))
    assert backoff.begin(tmp_path, 1000.0) == 0.0


def test_a_clean_stop_forgets(tmp_path: Path) -> None:
    for n in range(5):
        backoff.begin(tmp_path, float(n))
    backoff.end(tmp_path)
    backoff.end(tmp_path)
    assert backoff.begin(tmp_path, 6.0) == 0.0


def test_a_broken_file_counts_as_no_start(tmp_path: Path) -> None:
    (tmp_path / "starts.json").write_bytes(b"{")
    assert backoff.begin(tmp_path, 6.0) == 0.0


def test_where_nothing_can_be_noted_the_start_goes_on(tmp_path: Path) -> None:
    (tmp_path / "starts.json").mkdir()
    assert backoff.begin(tmp_path, 6.0) == 0.0


def test_times_of_another_boot_do_not_count() -> None:
    assert backoff.pause((5000.0, 5001.0, 5002.0), 10.0) == 0.0
