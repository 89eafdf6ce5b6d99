"""The buzzer: a tone for what everybody may know, on a pin that is let go silent."""

from __future__ import annotations

import asyncio
from pathlib import Path

import gpiozero
import msgspec
import pytest
from gpiozero.pins.mock import MockFactory

from device.buzzer import FLAG_S, TURN_S, Buzzer, Heard, tone
from device.daemon import assembly
from device.keys import Button
from device.pins import PinLost
from device.settings import table as tables
from device.settings.table import NoCamera, TableSettings
from tests.device.daemon.test_referee import Set, played, rest

PIN = 18


@pytest.mark.parametrize(
    ("before", "now", "seconds"),
    [
        (Heard(), Heard(), None),
        (Heard(), Heard(frozenset("a")), TURN_S),
        (Heard(frozenset("a")), Heard(frozenset("a")), None),
        (Heard(frozenset("a")), Heard(frozenset("b")), TURN_S),
        (Heard(frozenset("ab")), Heard(frozenset("a")), None),
        (Heard(frozenset("a")), Heard(), None),
        (Heard(frozenset("a")), Heard(frozenset(), frozenset("a")), FLAG_S),
        (Heard(frozenset("a")), Heard(frozenset("b"), frozenset("a")), FLAG_S),
        (Heard(frozenset("b"), frozenset("a")), Heard(frozenset("b"), frozenset("a")), None),
    ],
)
def test_who_may_act_is_called_once_and_a_flag_comes_first(before: Heard, now: Heard, seconds: float | None) -> None:
    assert tone(before, now) == seconds


def test_it_sounds_when_a_match_begins_and_when_a_flag_falls_and_is_silent_in_between(tmp_path: Path) -> None:
    factory = MockFactory()
    buzzer = Buzzer(PIN, factory)

    def sounds() -> bool:
        return bool(factory.pin(PIN).state)

    async def scenario(made: Set) -> None:
        async def until(at: float) -> None:
            await made.clock.advance(at)

        for _ in range(5):
            made.key("a", Button.CHOOSE)
        await asyncio.wait_for(made.referee.settled(), 60)
        await until(made.clock.now() + 1.0)
        assert not sounds()
        made.key("a", Button.CHOOSE)
        await asyncio.wait_for(made.referee.settled(), 60)
        await rest()
        begun = made.clock.now()
        assert sounds()
        await until(begun + TURN_S + 0.01)
        assert not sounds()
        await until(begun + 29.0)
        assert not sounds()
        await until(begun + 30.2)
        assert sounds()
        await until(begun + 30.2 + FLAG_S)
        assert not sounds()

    played(Set(tmp_path, buzzer=buzzer), scenario)
    buzzer.close()


def test_it_ends_silent_whatever_it_was_at(tmp_path: Path) -> None:
    factory = MockFactory()
    buzzer = Buzzer(PIN, factory)

    async def scenario(made: Set) -> None:
        for _ in range(5):
            made.key("a", Button.CHOOSE)
        await asyncio.wait_for(made.referee.settled(), 60)
        await made.clock.advance(made.clock.now() + 1.0)
        made.key("a", Button.CHOOSE)
        await asyncio.wait_for(made.referee.settled(), 60)
        await rest()
        assert factory.pin(PIN).state

    played(Set(tmp_path, buzzer=buzzer), scenario)
    assert not factory.pin(PIN).state


def test_a_pin_that_is_lost_is_told_of_and_costs_no_match(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    buzzer = Buzzer(PIN, MockFactory())
    buzzer.close()

    async def scenario(made: Set) -> None:
        for _ in range(5):
            made.key("a", Button.CHOOSE)
        await asyncio.wait_for(made.referee.settled(), 60)
        await made.clock.advance(made.clock.now() + 1.0)
        made.key("a", Button.CHOOSE)
        await asyncio.wait_for(made.referee.settled(), 60)
        await rest()

    played(Set(tmp_path, buzzer=buzzer), scenario)
    assert "the buzzer is silent from now on" in caplog.text


def test_a_table_has_one_only_if_its_file_and_its_owner_want_it(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(gpiozero.Device, "pin_factory", MockFactory())
    plain = TableSettings(NoCamera())
    wanted = msgspec.structs.replace(plain, buzzer=tables.Buzzer(PIN))
    assert assembly.buzzer(plain) is None
    assert assembly.buzzer(msgspec.structs.replace(plain, buzzer=tables.Buzzer(PIN, "off"))) is None
    made = assembly.buzzer(wanted)
    assert made is not None
    assert assembly.buzzer(wanted) is None, "its pin is taken"
    assert f"pin {PIN} cannot be used" in caplog.text
    with pytest.raises(PinLost):
        Buzzer(PIN)
    made.close()
