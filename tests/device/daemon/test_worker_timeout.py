"""Patience grows with what the machine was measured to need, and never without bound."""

from __future__ import annotations

from device.daemon.vision_supervisor import HUNG_S, LONGEST_HUNG_S, LONGEST_START_S, SILENT_S, START_S, WorkerTimeout


def test_a_machine_that_is_quick_enough_gets_no_more_than_the_usual() -> None:
    timeout = WorkerTimeout(0.8)
    for _ in range(9):
        timeout.note_look(200.0)
    assert (timeout.silent_s, timeout.hung_s, timeout.start_s) == (SILENT_S, HUNG_S, START_S)


def test_one_whose_start_took_five_times_as_long_has_five_times_as_long() -> None:
    timeout = WorkerTimeout(10.0)
    assert timeout.start_s == 5 * START_S
    assert timeout.hung_s == 5 * HUNG_S
    assert timeout.silent_s == SILENT_S, "players hear of silence as soon as anywhere"


def test_slow_looks_are_no_silence_and_are_forgotten_when_looks_are_quick_again() -> None:
    timeout = WorkerTimeout()
    timeout.note_look(1500.0)
    assert timeout.silent_s == 6.0
    assert timeout.hung_s == 12.0
    for _ in range(200):
        timeout.note_look(50.0)
    assert (timeout.silent_s, timeout.hung_s) == (SILENT_S, HUNG_S)


def test_whatever_was_measured_an_end_comes() -> None:
    timeout = WorkerTimeout(1e6)
    timeout.note_look(1e9)
    assert timeout.hung_s == LONGEST_HUNG_S
    assert timeout.start_s == LONGEST_START_S
    assert timeout.silent_s < timeout.hung_s
