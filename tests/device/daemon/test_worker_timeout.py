"""Patience grows with what the machine was measured to need, and never without bound."""

from __future__ import annotations

from device.daemon.worker_timeout import HUNG_S, LONGEST_HUNG_S, LONGEST_START_S, SILENT_S, START_S, VisionPatience


def test_a_machine_that_is_quick_enough_gets_no_more_than_the_usual() -> None:
    patience = VisionPatience(0.8)
    for _ in range(9):
        patience.note_look(200.0)
    assert (patience.silent_s, patience.hung_s, patience.start_s) == (SILENT_S, HUNG_S, START_S)


def test_one_whose_start_took_five_times_as_long_has_five_times_as_long() -> None:
    patience = VisionPatience(10.0)
    assert patience.start_s == 5 * START_S
    assert patience.hung_s == 5 * HUNG_S
    assert patience.silent_s == SILENT_S, "players hear of silence as soon as anywhere"


def test_slow_looks_are_no_silence_and_are_forgotten_when_looks_are_quick_again() -> None:
    patience = VisionPatience()
    patience.note_look(1500.0)
    assert patience.silent_s == 6.0
    assert patience.hung_s == 12.0
    for _ in range(200):
        patience.note_look(50.0)
    assert (patience.silent_s, patience.hung_s) == (SILENT_S, HUNG_S)


def test_whatever_was_measured_an_end_comes() -> None:
    patience = VisionPatience(1e6)
    patience.note_look(1e9)
    assert patience.hung_s == LONGEST_HUNG_S
    assert patience.start_s == LONGEST_START_S
    assert patience.silent_s < patience.hung_s
