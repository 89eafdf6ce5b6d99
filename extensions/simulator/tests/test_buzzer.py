"""The simulated buzzer: no tone is missed, however seldom somebody asks, and the table's own one is heard."""

from __future__ import annotations

from pathlib import Path

from gpiozero.pins.mock import MockFactory

from referee_simulator.hardware.buzzer import SimulatedBuzzer, Tones
from referee_simulator.harness.simtime import SimClock
from referee_simulator.live.run import Live, LivePlan

PIN = 23


def test_every_tone_is_counted_and_the_last_whole_one_measured() -> None:
    pin = MockFactory().pin(PIN)
    heard = SimulatedBuzzer(pin)
    assert heard.read_tones() == Tones()
    pin.function = "output"
    for _ in range(3):
        pin.state = True
        pin.state = False
    told = heard.read_tones()
    assert (told.count, told.sounds) == (3, False)
    assert told.last_s is not None
    assert told.last_s >= 0
    assert heard.read_tones() == told, "nothing is counted twice"
    pin.state = True
    for _ in range(2):
        assert (heard.read_tones().count, heard.read_tones().sounds) == (4, True)
    pin.state = False
    assert (heard.read_tones().count, heard.read_tones().sounds) == (4, False)


def test_the_virtual_table_has_one_that_the_bench_hears(tmp_path: Path) -> None:
    live = Live(LivePlan(ideal=True, port=0), tmp_path, SimClock())
    assert live.stage.tones() == Tones()
    pin = live.stage.pins.factory.pin(PIN)
    assert pin.function == "output", "it is the table's own buzzer"
    pin.state = True
    told = live.stage.tones()
    assert told is not None
    assert (told.count, told.sounds) == (1, True)
