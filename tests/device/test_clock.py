"""Waiting for an event or a time, whichever comes first."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine

import pytest

from device.clock import wait
from referee_simulator.harness.simtime import SimClock


def played(course: Coroutine[None, None, None]) -> None:
    asyncio.run(course)


@pytest.mark.parametrize("until", [None, 5.0])
def test_an_event_ends_the_wait_and_is_over(until: float | None) -> None:
    async def play() -> None:
        clock, event = SimClock(), asyncio.Event()
        waiting = asyncio.ensure_future(wait(clock, event, until))
        await clock.quiet()
        assert not waiting.done()
        event.set()
        await waiting
        assert not event.is_set()
        assert clock.due() is None, "nobody waits for the time any more"

    played(play())


def test_a_time_ends_the_wait_and_the_event_stays_unset() -> None:
    async def play() -> None:
        clock, event = SimClock(), asyncio.Event()
        waiting = asyncio.ensure_future(wait(clock, event, 5.0))
        await clock.quiet()
        clock.advance(4.9)
        await clock.quiet()
        assert not waiting.done()
        clock.advance(5.0)
        await waiting
        await clock.quiet()
        assert not event.is_set()

    played(play())


def test_who_finds_the_event_set_lets_others_have_their_turn() -> None:
    async def play() -> None:
        clock, event, turns = SimClock(), asyncio.Event(), list[str]()

        async def other() -> None:
            turns.append("other")

        task = asyncio.ensure_future(other())
        event.set()
        await wait(clock, event, None)
        turns.append("mine")
        assert turns == ["other", "mine"]
        await task

    played(play())


@pytest.mark.parametrize(("happened", "rounds"), [(False, 0), (False, 1), (False, 2), (True, 0)])
def test_a_wait_that_is_given_up_leaves_the_event_alone(happened: bool, rounds: int) -> None:
    """However far the news that the time has come has got by then. happened: somebody had set the event."""

    async def play() -> None:
        clock, event = SimClock(), asyncio.Event()
        waiting = asyncio.ensure_future(wait(clock, event, 5.0))
        await clock.quiet()
        clock.advance(6.0)
        if happened:
            event.set()
        for _ in range(rounds):
            await asyncio.sleep(0)
        waiting.cancel()
        await clock.quiet()
        assert waiting.cancelled()
        assert event.is_set() is happened

    played(play())
