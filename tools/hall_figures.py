"""Figures of the hall test: how soon the hall's page tells what a table signed, and what each process takes.

The page is read as a browser reads it, by its stream of server-sent events. Beside it goes a client of the same broker
alone, which hears what it says itself, in messages as long as those of the tables.
"""

from __future__ import annotations

import asyncio
import math
import os
import random
import re
import ssl
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

import aiohttp
import msgspec
import paho.mqtt.client as mqtt
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion

from referee_simulator.live import headless_table
from referee_simulator.live.hall import HallTable

HEAD = 16
"""Digits of the time in a message of the broker's own client."""

TOPIC = "homeassistant/status"
"""Where a client may speak and hear that is no table, and whom nobody else reads (config/broker/acl)."""

Cards: TypeAlias = dict[tuple[str, tuple[float, ...]], float]
"""When the page first told of each table that it looks so, by what was left on its clocks."""

_LEFT = re.compile(r'data-left="([0-9.]+)"')
_TICKS = os.sysconf("SC_CLK_TCK")


class Spread(msgspec.Struct, frozen=True):
    """Of so many times, in milliseconds."""

    count: int = 0
    p50_ms: float = 0.0
    p95_ms: float = 0.0
    p99_ms: float = 0.0
    worst_ms: float = 0.0


def spread(seconds: Iterable[float]) -> Spread:
    found = sorted(seconds)
    if not found:
        return Spread()
    p50, p95, p99 = (found[min(len(found) - 1, int(len(found) * share))] for share in (0.5, 0.95, 0.99))
    return Spread(len(found), *(round(each * 1000, 1) for each in (p50, p95, p99, found[-1])))


class Reader:
    """Reads the stream of the hall's page, and comes back whenever it ends."""

    def __init__(self, port: int) -> None:
        self._address = f"http://127.0.0.1:{port}/live?page=&lang=en"
        self.cards: Cards = {}

    async def run(self) -> None:
        """Until cancelled."""
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=5.0, sock_read=40.0)
        async with aiohttp.ClientSession(timeout=timeout, read_bufsize=1 << 22) as session:
            while True:
                with suppress(aiohttp.ClientError, TimeoutError, ValueError):
                    async with session.get(self._address) as response:
                        async for line in response.content:
                            self._hear(line, time.monotonic())
                await asyncio.sleep(0.5)

    def _hear(self, line: bytes, at: float) -> None:
        if not line.startswith(b"data: "):
            return
        for name, _, card in msgspec.json.decode(line[len(b"data: ") :])["parts"]:
            left = tuple(float(each) for each in _LEFT.findall(card))
            self.cards.setdefault((name.removeprefix("table "), left), at)


def publication_times(
    name: str, diary: Sequence[headless_table.Page], cards: Cards, ahead_s: float = 0.0
) -> list[tuple[float, float | None]]:
    """Of one table: when each link was signed after which it looked as never else, the first of several, and when the
    page told that or what came after it; None: never. Links that changed nothing of how it looks are left out, as the
    page has nothing to tell of them. ahead_s: so long an entry at most is taken, and seen at a glance, before it is
    signed: a link is left out to which a look may belong that went out before it."""
    often = Counter(page.left for page in diary)
    looks: list[tuple[float, tuple[float, ...]]] = []
    signed: float | None = None
    looked = -math.inf
    for page in diary:
        if page.stuck:
            continue
        if page.signed:
            signed = page.at if signed is None else signed
            continue
        if page.left is None:
            signed = None
            continue
        if signed is not None and page.left and often[page.left] == 1 and signed - looked > ahead_s:
            looks.append((signed, page.left))
        signed, looked = None, page.at
    found: list[tuple[float, float | None]] = []
    later: float | None = None
    for at, left in reversed(looks):
        card = cards.get((name, left))
        if card is not None:
            later = card if later is None else min(card, later)
        found.append((at, later))
    return found[::-1]


class Probe:
    """A client of the broker alone: it says something every so often and hears it. context: how it shows who it is.
    sizes: bytes of its messages. heard: when each was said that came, and how long it took."""

    def __init__(self, port: int, context: ssl.SSLContext, client: str, sizes: Sequence[int], every_s: float) -> None:
        self._port, self._sizes, self._every_s = port, sizes, every_s
        self.heard: list[tuple[float, float]] = []
        self._ended = threading.Event()
        self._client = mqtt.Client(CallbackAPIVersion.VERSION2, client, protocol=MQTTProtocolVersion.MQTTv5)
        self._client.tls_set_context(context)
        self._client.on_connect = lambda client, *_: client.subscribe(TOPIC, qos=1)
        self._client.on_message = self._on_message
        self._client.reconnect_delay_set(1, 2)
        self._talking = threading.Thread(target=self._talk, daemon=True)

    def start(self) -> None:
        self._client.connect_async("localhost", self._port, keepalive=20)
        self._client.loop_start()
        self._talking.start()

    def end(self) -> None:
        self._ended.set()
        self._client.disconnect()
        self._client.loop_stop()
        self._talking.join()

    def _talk(self) -> None:
        dice = random.Random(0)
        while not self._ended.wait(self._every_s * dice.uniform(0.5, 1.5)):
            if self._client.is_connected():
                size = dice.choice(self._sizes)
                self._client.publish(TOPIC, f"{time.monotonic():{HEAD}.6f}".encode().ljust(size, b"."), qos=1)

    def _on_message(self, _client: mqtt.Client, _data: object, message: mqtt.MQTTMessage) -> None:
        said = float(message.payload[:HEAD])
        self.heard.append((said, time.monotonic() - said))


class Took(msgspec.Struct, frozen=True):
    """Of one process. mib: its share of memory (PSS). spent_s: of processor time."""

    pid: int
    mib: float
    spent_s: float


class Sample(msgspec.Struct, frozen=True):
    """What processes take at a time. others: host and broker, as far as they run."""

    at: float
    tables: tuple[Took, ...]
    heralds: tuple[Took, ...]
    others: dict[str, Took]


def take_sample(tables: Sequence[HallTable], others: dict[str, int | None]) -> Sample:
    def of(pids: Iterable[int]) -> tuple[Took, ...]:
        return tuple(found for pid in pids if (found := _took(pid)) is not None)

    return Sample(
        time.monotonic(),
        of(each.table.pid for each in tables),
        of(each.herald.pid for each in tables),
        {name: found for name, pid in others.items() if pid and (found := _took(pid)) is not None},
    )


def _took(pid: int) -> Took | None:
    """None: it does not run."""
    try:
        memory = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii")
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return None
    found = re.search(r"^Pss: +(\d+) kB", memory, re.MULTILINE)
    return None if found is None else Took(pid, int(found[1]) / 1024, (int(fields[11]) + int(fields[12])) / _TICKS)


class Memory(msgspec.Struct, frozen=True):
    """MiB a process, at the first sample, at one midway and at the last, on average of those that lived through all
    three (lived); of all if none did. most: of one at any sample."""

    lived: int
    start_mib: float
    middle_mib: float
    end_mib: float
    most_mib: float


def memory(samples: Sequence[Sample], of: Callable[[Sample], Sequence[Took]]) -> Memory | None:
    """None without samples."""
    if not samples:
        return None
    three = [of(samples[at]) for at in (0, len(samples) // 2, -1)]
    lived = set.intersection(*({each.pid for each in sample} for sample in three))
    start, middle, end = (_mean([each.mib for each in sample if each.pid in lived or not lived]) for sample in three)
    most = max((each.mib for one in samples for each in of(one)), default=0.0)
    return Memory(len(lived), start, middle, end, round(most, 1))


def processor(pairs: Iterable[tuple[Sample, Sample]], of: Callable[[Sample], Sequence[Took]]) -> float:
    """Percent of a core that one process took on average, between both samples of pairs, through which it lived."""
    shares = list[float]()
    for before, after in pairs:
        spent = {each.pid: each.spent_s for each in of(before)}
        shares += [
            100 * (each.spent_s - spent[each.pid]) / (after.at - before.at) for each in of(after) if each.pid in spent
        ]
    return round(sum(shares) / len(shares), 2) if shares else 0.0


def _mean(values: Sequence[float]) -> float:
    return round(sum(values) / len(values), 1) if values else 0.0


def diary(folder: Path) -> list[headless_table.Page]:
    """Of a table."""
    path = folder / headless_table.DIARY
    lines = path.read_bytes().splitlines() if path.exists() else []
    return [msgspec.json.decode(line, type=headless_table.Page) for line in lines]
