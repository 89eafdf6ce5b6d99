"""The buzzer: a tone for what everybody may know, on a pin that is let go silent."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, cast

import gpiozero
import msgspec
import pytest
from gpiozero.pins.mock import MockFactory

from device.buzzer import FLAG_S, SHORT_S, TURN_S, Buzzer, Heard, tone
from device.daemon import assembly
from device.key_gestures import Button
from device.pins import PinLost
from device.settings import table as tables
from device.settings.table import NoCamera, TableSettings
from referee_simulator.harness.simtime import SimClock
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
        (Heard(frozenset("a")), Heard(fallen=frozenset("a")), FLAG_S),
        (Heard(frozenset("a")), Heard(frozenset("b"), fallen=frozenset("a")), FLAG_S),
        (Heard(frozenset("b"), fallen=frozenset("a")), Heard(frozenset("b"), fallen=frozenset("a")), None),
        (Heard(frozenset("a")), Heard(frozenset("a"), frozenset("a")), SHORT_S),
        (Heard(frozenset("b")), Heard(frozenset("a"), frozenset("a")), SHORT_S),
        (Heard(frozenset("a"), frozenset("a")), Heard(frozenset("a"), frozenset("a")), None),
        (Heard(frozenset("a"), frozenset("a")), Heard(frozenset("b")), TURN_S),
        (Heard(frozenset("a"), frozenset("a")), Heard(frozenset("a"), frozenset("a"), frozenset("a")), FLAG_S),
        (Heard(), Heard(frozenset(), frozenset("a"), frozenset("a")), FLAG_S),
    ],
)
def test_who_may_act_is_called_once_and_time_comes_first(before: Heard, now: Heard, seconds: float | None) -> None:
    assert tone(before, now) == seconds


def test_it_sounds_at_the_beginning_when_time_is_short_and_when_a_flag_falls(
    tmp_path: Path,
) -> None:
    factory = MockFactory()
    buzzer = Buzzer(PIN, factory)

    def sounds() -> bool:
        return bool(factory.pin(PIN).state)

    async def scenario(made: Set) -> None:
        async def until(at: float) -> None:
            await made.clock.advance(at)

        for _ in range(5):
            made.key("a", Button.CHOOSE)
        await asyncio.wait_for(made.referee.wait_settled(), 60)
        await until(made.clock.now() + 1.0)
        assert not sounds()
        made.key("a", Button.CHOOSE)
        await asyncio.wait_for(made.referee.wait_settled(), 60)
        await rest()
        begun = made.clock.now()
        assert sounds()
        await until(begun + TURN_S + 0.01)
        assert not sounds()
        await until(begun + 19.9)
        assert not sounds()
        await until(begun + 20.1)
        assert sounds(), "30 s a move: a third of it is left"
        await until(begun + 20.1 + SHORT_S)
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
        await asyncio.wait_for(made.referee.wait_settled(), 60)
        await made.clock.advance(made.clock.now() + 1.0)
        made.key("a", Button.CHOOSE)
        await asyncio.wait_for(made.referee.wait_settled(), 60)
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
        await asyncio.wait_for(made.referee.wait_settled(), 60)
        await made.clock.advance(made.clock.now() + 1.0)
        made.key("a", Button.CHOOSE)
        await asyncio.wait_for(made.referee.wait_settled(), 60)
        await rest()

    played(Set(tmp_path, buzzer=buzzer), scenario)
    assert "the buzzer is not used any more" in caplog.text


TURN, FLAG = Heard(frozenset("a")), Heard(frozenset("a"), fallen=frozenset("a"))


def sounding(
    monkeypatch: pytest.MonkeyPatch,
    buzzer: Buzzer,
    during: Callable[[SimClock, Callable[[Heard], None]], Awaitable[None]],
) -> None:
    """A buzzer by a simulated clock. during: is given what tells it what is to be heard now."""
    monkeypatch.setattr("device.buzzer.audible", lambda session: session)

    async def scenario() -> None:
        clock = SimClock()
        running = asyncio.ensure_future(buzzer.run(clock))
        await rest()
        await during(clock, lambda now: buzzer.on_step(cast("Any", now)))
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(running, 60)

    asyncio.run(scenario())


def test_a_flag_that_falls_is_heard_though_a_turn_follows_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    factory = MockFactory()
    buzzer = Buzzer(PIN, factory)

    async def during(clock: SimClock, hear: Callable[[Heard], None]) -> None:
        hear(TURN)
        await rest()
        assert factory.pin(PIN).state
        hear(FLAG)
        hear(Heard(frozenset("b"), fallen=frozenset("a")))
        clock.advance(TURN_S + 0.01)
        await rest()
        assert factory.pin(PIN).state
        clock.advance(FLAG_S)
        await rest()
        assert factory.pin(PIN).state
        clock.advance(TURN_S + FLAG_S + 0.1)
        await rest()
        assert not factory.pin(PIN).state

    sounding(monkeypatch, buzzer, during)
    buzzer.close()


def test_whoever_plays_on_with_little_time_is_warned_once_until_there_is_time_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    buzzer, a, b = Buzzer(PIN, MockFactory()), frozenset("a"), frozenset("b")
    running, waiting, rested = Heard(a, a, low=a), Heard(b, low=a), Heard(b)

    async def during(_clock: SimClock, hear: Callable[[Heard], None]) -> None:
        tones = []
        for now in (running, waiting, running, Heard(low=a), running, waiting, rested, running):
            hear(now)
            tones.append(buzzer._next)
            buzzer._next = None
        assert tones == [SHORT_S, TURN_S, TURN_S, None, TURN_S, TURN_S, None, SHORT_S]

    sounding(monkeypatch, buzzer, during)
    buzzer.close()


@pytest.mark.parametrize("sounds", [True, False])
def test_one_that_cannot_be_switched_off_is_let_go(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, sounds: bool
) -> None:
    """Its pin is no output any more; whether it is told to stop while it sounds or afterwards, it stops."""
    factory = MockFactory()
    buzzer = Buzzer(PIN, factory)

    def lost(_device: gpiozero.Buzzer) -> None:
        raise OSError("the pin is lost")

    monkeypatch.setattr(gpiozero.Buzzer, "off", lost)

    async def during(clock: SimClock, hear: Callable[[Heard], None]) -> None:
        hear(TURN)
        await rest()
        assert factory.pin(PIN).function == "output"
        if not sounds:
            clock.advance(TURN_S + 0.01)
            await rest()
            assert factory.pin(PIN).function == "input"
            assert "the buzzer is not used any more" in caplog.text

    sounding(monkeypatch, buzzer, during)
    buzzer.close()
    assert factory.pin(PIN).function == "input"


def test_a_pin_that_is_lost_when_it_is_let_go_is_an_error_of_the_pin(monkeypatch: pytest.MonkeyPatch) -> None:
    buzzer = Buzzer(PIN, MockFactory())

    def lost(_device: gpiozero.Buzzer) -> None:
        raise OSError("the pin is lost")

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(gpiozero.Buzzer, "close", lost)
        with pytest.raises(PinLost):
            buzzer.close()
    buzzer.close()


def test_a_table_has_one_only_if_its_file_and_its_owner_want_it(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(gpiozero.Device, "pin_factory", MockFactory())
    plain = TableSettings(NoCamera())
    wanted = msgspec.structs.replace(plain, buzzer=tables.BuzzerSettings(PIN))
    assert assembly.buzzer(plain) is None
    assert assembly.buzzer(msgspec.structs.replace(plain, buzzer=tables.BuzzerSettings(PIN, "off"))) is None
    made = assembly.buzzer(wanted)
    assert made is not None
    assert assembly.buzzer(wanted) is None, "its pin is taken"
    assert f"pin {PIN} cannot be used" in caplog.text
    with pytest.raises(PinLost):
        Buzzer(PIN)
    made.close()
