"""The herald believes nothing that the table's key did not sign, and waits for table and broker apart."""

from __future__ import annotations

import asyncio
import logging
import random
import ssl
from collections.abc import Awaitable, Callable

import msgspec
import pytest

from device.bus.framing import pack
from extensions.record.tests.herald.table import Match, Table
from referee_record.herald import mqtt, topics
from referee_record.herald.herald import LONGEST_S, Herald, Plan
from referee_record.herald.mqtt import BrokerError
from referee_record.public_entries import Link, Signed
from referee_record.public_frames import Said

PATIENCE_S = 60.0


class Hurried:
    """A clock whose time is always come; waited: until when, each time."""

    def __init__(self) -> None:
        self.at, self.waited = 0.0, list[float]()

    def now(self) -> float:
        return self.at

    async def sleep_until(self, at: float) -> None:
        self.waited.append(at - self.at)
        self.at = max(self.at, at)
        await asyncio.sleep(0.01)


class Broker:
    """What it was told. away: why nobody can connect now; lost: set, to end a connection."""

    def __init__(self) -> None:
        self.told, self.away, self.connections = list[tuple[str, bytes]](), "", 0
        self.lost = asyncio.Event()

    async def connected(self, _host: str, _port: int, _context: ssl.SSLContext) -> Broker:
        if self.away:
            raise BrokerError(self.away)
        self.connections += 1
        return self

    async def begin(self, client: str, topic: str, will: bytes) -> None:
        assert (client, topic, will) == ("table-1", "referee/v1/table-1/alive", b"0")

    async def publish(self, topic: str, payload: bytes, *, retain: bool) -> bool:
        self.told.append((topic, payload))
        return True

    async def run(self) -> None:
        await self.lost.wait()
        self.lost.clear()
        raise BrokerError("it went")

    def close(self) -> None: ...

    def links(self) -> list[Signed]:
        found = (payload for topic, payload in self.told if "/match/" in topic)
        return [msgspec.json.decode(each, type=Signed) for each in found]

    def alive(self) -> list[bytes]:
        return [payload for topic, payload in self.told if topic == topics.alive("table-1")]


Scenario = Callable[[Broker, Hurried], Awaitable[None]]


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not true():
            await asyncio.sleep(0.01)


def run(
    table: Table,
    monkeypatch: pytest.MonkeyPatch,
    scenario: Callable[[Broker, Hurried], Awaitable[None]],
    away: str = "",
) -> None:
    """The scenario with a herald of that table."""

    async def whole() -> None:
        broker, clock = Broker(), Hurried()
        broker.away = away
        monkeypatch.setattr(mqtt, "connect_to_broker", broker.connected)
        plan = Plan(str(table.path), "table-1", "localhost", 1, "", "", "")
        running = asyncio.ensure_future(Herald(plan, ssl.create_default_context(), clock).run())
        try:
            await scenario(broker, clock)
            assert not running.done()
        finally:
            running.cancel()

    asyncio.run(asyncio.wait_for(whole(), 2 * PATIENCE_S))


def test_what_the_key_did_not_sign_does_not_leave_the_table(
    table: Table, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    match = Match()
    body = match.links[3].body
    assert isinstance(body, Link)
    forged = msgspec.structs.replace(match.links[3], body=msgspec.structs.replace(body, told=("B wins.",)))

    async def scenario(broker: Broker, _: Hurried) -> None:
        await until(lambda: broker.links() == match.links[:3])
        table.do(lambda public: public.put(pack(Said(forged)), b""))
        await until(lambda: "is not what the table's key signed" in caplog.text)
        await until(lambda: topics.GONE in broker.alive())
        table.do(lambda public: match.begin(public, 5))
        await until(lambda: broker.links() == match.links[:5])
        assert broker.alive()[-1] == topics.ALIVE

    table.do(lambda public: match.begin(public, 3))
    run(table, monkeypatch, scenario)


def test_another_tables_stream_is_not_passed_on(
    table: Table, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    ours, theirs = Match(), Match("another table")

    async def scenario(broker: Broker, _: Hurried) -> None:
        await until(lambda: broker.links() == ours.links[:2])
        table.do(lambda public: theirs.begin(public, 2))
        await until(lambda: "not by this table's" in caplog.text)
        assert broker.links() == ours.links[:2]

    table.do(lambda public: ours.begin(public, 2))
    run(table, monkeypatch, scenario)


def test_a_match_after_another_and_the_table_that_comes_back_are_told_each_link_once(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = Match()

    async def scenario(broker: Broker, _: Hurried) -> None:
        await until(lambda: broker.links() == match.links[:2])
        await asyncio.to_thread(table.stop)
        await until(lambda: broker.alive()[-1] == topics.GONE)
        await asyncio.to_thread(table.start)
        table.do(lambda public: match.begin(public, 4))
        await until(lambda: broker.links() == match.links[:4])
        assert broker.connections == 1, "the broker is not left because the table went"

    table.do(lambda public: match.begin(public, 2))
    run(table, monkeypatch, scenario)


def test_a_broker_that_went_is_told_all_again(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    match = Match()

    async def scenario(broker: Broker, _: Hurried) -> None:
        await until(lambda: len(broker.links()) == 3)
        broker.told.clear()
        broker.lost.set()
        await until(lambda: broker.links() == match.links[:3])
        assert broker.alive() == [topics.ALIVE]

    table.do(lambda public: match.begin(public, 3))
    run(table, monkeypatch, scenario)


def test_a_broker_that_is_away_is_tried_later_and_later_and_told_of_once(
    table: Table, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(random, "uniform", lambda _low, high: high)
    caplog.set_level(logging.INFO)

    async def scenario(broker: Broker, clock: Hurried) -> None:
        await until(lambda: LONGEST_S in clock.waited)
        pauses = [each for each in dict.fromkeys(clock.waited) if each > 0]
        assert pauses == [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0]
        assert caplog.text.count("it cannot be reached") == 1
        broker.away = ""
        await until(lambda: broker.alive()[-1:] == [topics.ALIVE])

    table.look("A's turn")
    run(table, monkeypatch, scenario, away="it cannot be reached")
