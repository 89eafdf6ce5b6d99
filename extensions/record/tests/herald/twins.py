"""Law 5 on the herald's wire: what it sends to a broker over TCP tells nothing that is hidden at the table.

`python -m extensions.record.tests.herald.twins --pairs 10000 --folder runs` takes pairs of sessions that differ
only in what nobody at the table may know of all (`tests.device.session.twins`), and before some of them pairs of whole
matches that do (`tests.device.records.test_public_record`). Each is said by the daemon's signing and glances at a
public socket (`daemon.public_socket`) and by the herald, as they are shipped, to a broker's stand-in that takes TLS
apart. Compared are all messages in their order: topic, flags, payload and length, and the lengths of the TLS records
that carry them. Blanked, as long as they are, is what cannot be the same:

    commitment   of the opening: a hash over the salt, which is drawn again for each match, and the seed
    sealed       of each link: a hash over the salt and all entries so far, also those that nobody noticed
    signature    of each link: over a hash that covers both

Numbers of packets are left out, as they only count messages. On a machine that is too busy a herald may come to its
broker again, and says all again: such a pair is taken again, at other tables. `--planted` plants leaks, one after
another, and says which are found so. Exits with 1 if a pair differs, or a planted leak is not found.
"""

from __future__ import annotations

import asyncio
import itertools
import ssl
import sys
import tempfile
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any, NamedTuple, TypeAlias, cast

import msgspec
import pytest

from device.bus.endpoints import socket_path
from device.clock import WallClock, WallTime
from device.daemon.core import Core
from device.journal.match_info import About, Secret
from device.session.state import Play, Session
from device.session.table import KnownGame
from engine.entry import Entry
from extensions.phones.tests.twins import Found, main, placed, save
from extensions.phones.tests.worlds import QUIET
from extensions.record.tests import test_stream_twins as stream
from extensions.record.tests.daemon.test_public_socket import Hurried
from extensions.record.tests.herald.certificates import Authority
from extensions.record.tests.herald.test_hostile import CONNACK, packet, trusted
from referee_record.daemon.glances import Glances, summarise
from referee_record.daemon.listener import Signing
from referee_record.daemon.public_socket import NAME, Public
from referee_record.herald import memory, mqtt
from referee_record.herald.herald import Herald, Plan
from referee_record.public_entries import FORMAT
from referee_record.public_frames import Glance
from tests.device.records.test_public_record import compared as played
from tests.device.session.stages import table
from tests.device.session.twins import GAMES, pairs

replace = msgspec.structs.replace
PATIENCE_S = 60.0
TRIES = 5
"""Attempts for a pair: a herald that comes again each time does so for another reason."""

WALL = WallTime(1_800_000_000.0, True)
AT = 1000.0
"""By the table's clock."""

MATCHES = 20
"""One pair in so many, of each game, comes with whole matches, which take ten times as long to draw."""

PING = 2 + 1 + 16
"""Bytes of the TLS record that carries a ping, which comes by the machine's clock (RFC 8446, 5.2)."""


Match: TypeAlias = tuple[KnownGame, Sequence[Entry]]


class Twins(NamedTuple):
    """Two sessions, and if there are any two matches, which differ in what nobody knows of all."""

    game: str
    matches: tuple[Match, Match] | None
    sessions: tuple[Session, Session]


class Heard(NamedTuple):
    """messages: first byte and content, with blanks. records: lengths of those of TLS."""

    messages: list[tuple[int, bytes]]
    records: list[int]


class Broker:
    """A stand-in that takes everything, and notes what came and in what records."""

    def __init__(self, authority: Authority) -> None:
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(*authority.certify("broker"))
        self.messages: list[tuple[int, bytes]] = []
        self.records: list[int] = []
        self.came = asyncio.Event()
        self.port = self.connections = 0

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[None]:
        """The herald's records pass by on their way to who takes them apart."""
        inner = await asyncio.start_server(self._hear, "127.0.0.1", 0, ssl=self._context)
        behind = inner.sockets[0].getsockname()[1]

        async def pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            said, taker = await asyncio.open_connection("127.0.0.1", behind)
            answers = asyncio.ensure_future(_copied(said, writer))
            try:
                while True:
                    head = await reader.readexactly(5)
                    body = await reader.readexactly(int.from_bytes(head[3:], "big"))
                    self.records.append(len(body))
                    taker.write(head + body)
            except (OSError, EOFError, asyncio.CancelledError):
                pass  # it is over
            finally:
                answers.cancel()
                taker.transport.abort()

        outer = await asyncio.start_server(pass_on, "127.0.0.1", 0)
        self.port = outer.sockets[0].getsockname()[1]
        try:
            yield
        finally:
            outer.close()
            inner.close()

    async def until(self, count: int) -> None:
        """So many messages have come."""
        async with asyncio.timeout(PATIENCE_S):
            while len(self.messages) < count:
                self.came.clear()
                await self.came.wait()

    async def _hear(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            await packet(reader)
            writer.write(CONNACK)
            while True:
                first, body = await packet(reader)
                if first >> 4 == mqtt.PINGREQ:
                    writer.write(bytes((mqtt.PINGRESP << 4, 0)))
                elif first >> 4 == mqtt.PUBLISH:
                    at = 2 + int.from_bytes(body[:2], "big")
                    writer.write(bytes((mqtt.PUBACK << 4, 2)) + body[at : at + 2])
                    self.messages.append((first, body[:at] + body[at + 2 :]))
                    self.came.set()
        except (OSError, EOFError, asyncio.CancelledError):
            writer.transport.abort()


class Wire:
    """A table's public socket, and its herald, which is connected to a broker."""

    def __init__(self, folder: Path, broker: Broker) -> None:
        self._broker, self._expected, self._sees = broker, 0, False
        self.core = SimpleNamespace(table=table(), session=None, match="")
        self._public = Public(folder, Hurried())
        self._signing = Signing(lambda: stream.KEY, self)
        shown = Glances(cast("Core", self.core), lambda: WALL, lambda: ())

        def look(_at: float, _anew: bool) -> bytes:
            sees, self._sees = self._sees, False
            self._expected += sees
            return shown.look(AT, True) if sees else b""

        self._public.look(look)
        self._plan = Plan(str(socket_path(folder, NAME)), "table", "localhost", broker.port, "", "", "")

    @property
    def connections(self) -> int:
        """So often the herald came."""
        return self._broker.connections

    async def start(self, stack: AsyncExitStack, context: ssl.SSLContext) -> None:
        await self._public.listen()
        running = [self._public.run(), Herald(self._plan, context, WallClock()).run()]
        for each in [asyncio.ensure_future(work) for work in running]:
            stack.push_async_callback(_ended, each)
        stack.push_async_callback(self._public.close)
        await self._broker.until(1)  # nothing is heard of the table yet
        self._expected = 2
        await self._seen(QUIET, "")

    async def said(self, id: str, match: Match | None, salt: str, session: Session) -> Heard:
        """A whole match, link by link, if there is one, and then how the table looks."""
        begun, carried = len(self._broker.messages), len(self._broker.records)
        if match is not None:
            game, entries = match
            self._signing.begin(game, entries[:1], About(id, table="Table", secret=Secret(salt, "1.0", format=FORMAT)))
            await self._drained()
            for entry in entries[1:]:
                self._signing.add((entry,))
                self._signing.sign()
                await self._drained()
        await self._seen(session, self.core.match if match is None else id)
        messages = [(first, _blanked(body)) for first, body in self._broker.messages[begun:]]
        return Heard(messages, [size for size in self._broker.records[carried:] if size != PING])

    async def _seen(self, session: Session, match: str) -> None:
        """It looks so, and is looked at once."""
        self.core.session, self.core.match, self._sees = session, match, True
        before = self._expected
        self._public.on_step()
        async with asyncio.timeout(PATIENCE_S):
            while self._expected == before:
                await asyncio.sleep(0.001)
        await self._drained()

    async def _drained(self) -> None:
        await self._broker.until(self._expected)

    # What signs says it here.

    def begin(self, said: Sequence[bytes], standing: bytes) -> None:
        self._expected += len(said)
        self._public.begin(said, standing)

    def put(self, frame: bytes, standing: bytes) -> None:
        self._expected += 1
        self._public.put(frame, standing)

    def on_step(self) -> None:
        self._public.on_step()

    def leave(self) -> None:
        self._public.leave()


def _blanked(body: bytes) -> bytes:
    """A message whose payload has blanks in place of what is salted."""
    at = 2 + int.from_bytes(body[:2], "big") + 1
    return body[:at] + stream.unsalted(body[at:])


async def _copied(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(1 << 16):
        writer.write(data)


async def _ended(work: asyncio.Future[None]) -> None:
    work.cancel()
    await asyncio.gather(work, return_exceptions=True)


@asynccontextmanager
async def two() -> AsyncIterator[tuple[Wire, Wire]]:
    """Two tables with their heralds."""
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="table-referee-")))
        authority = Authority(folder)
        wires = list[Wire]()
        for name in ("left", "right"):
            broker = Broker(authority)
            await stack.enter_async_context(broker.serving())
            wires.append(Wire(folder / name, broker))
            await wires[-1].start(stack, trusted(authority))
        yield wires[0], wires[1]


def drawn(seed: str, matches: int = MATCHES) -> Iterator[Twins]:
    """Of every game in turn, without end. matches: one pair in so many comes with them, the first one."""
    dice = {game: Random(f"{seed}/{game}/wire") for game in GAMES}
    streams, names = {game: pairs(seed, game) for game in GAMES}, tuple(GAMES)
    for place in itertools.count():
        game = names[place % len(names)]
        found: list[Match] = []
        while place // len(names) % matches == 0 and not found:
            played(game, dice[game], lambda known, entries, to=found: to.append((known, tuple(entries))))  # type: ignore[misc]
        pair = next(each for each in streams[game] if each.audience is None)
        both = (found[-2], found[-1]) if found else None
        yield Twins(game, both, (placed(pair.left, AT), placed(pair.right, AT)))


async def compared(found: Iterable[Twins], seed: str) -> AsyncGenerator[Found, None]:
    """Each of these pairs, at tables of their own."""
    source = enumerate(found)
    number, twins = next(source, (0, None))
    tries = 0
    while twins is not None:
        async with two() as wires:
            while twins is not None and (one := await _compared(wires, twins, f"{seed}/{number}")) is not None:
                yield one
                number, twins = next(source, (0, None))
                tries = 0
        tries += 1
        assert tries < TRIES, f"pair {number}: a herald came again in each of {tries} tries"


async def _compared(wires: tuple[Wire, Wire], twins: Twins, seed: str) -> Found | None:
    """This pair; None if a herald came again."""
    id, dice = Random(seed).randbytes(16).hex(), Random(f"{seed}/salts")
    both = [
        wire.said(id, match, dice.randbytes(32).hex(), session)
        for wire, match, session in zip(wires, twins.matches or (None, None), twins.sessions, strict=True)
    ]
    left, right = await asyncio.gather(*both)
    if any(wire.connections > 1 for wire in wires):
        return None
    wrong = _wrong(left, right)
    size = sum(len(body) for _, body in left.messages)
    return Found(1, len(left.messages), size, 0, {twins.game: 1}, (f"{twins.game}: {wrong}",) if wrong else ())


def _wrong(left: Heard, right: Heard) -> str:
    """What tells one from the other; "" if nothing does."""
    if len(left.messages) != len(right.messages):
        return f"{len(left.messages)} and {len(right.messages)} messages"
    for number, (one, other) in enumerate(zip(left.messages, right.messages, strict=True)):
        if one != other:
            return f"message {number} is another one"
    return "" if left.records == right.records else "records of other lengths"


async def blocks(seed: str, numbers: Sequence[int], count: int, folder: Path) -> None:
    """Leaves what was found in each block in the folder."""
    for number in numbers:
        await save(seed, number, count, folder, drawn, anew)


async def anew(found: Sequence[Twins], seed: str) -> Found:
    """These pairs, at tables of their own. They are drawn before: meanwhile no herald could say that it is there."""
    total = Found()
    async for one in compared(found, seed):
        total += one
    return total


def work(seed: str, numbers: Sequence[int], count: int, folder: Path) -> None:
    asyncio.run(blocks(seed, numbers, count, folder))


# --- leaks that are planted, each of which the comparison has to find

Planted = Callable[[pytest.MonkeyPatch], None]
look, kept, publish = summarise, memory.Memory.link, mqtt.Connection.publish


def _glance(change: Callable[[Glance, Play], Glance]) -> Planted:
    def changed(known: Any, session: Session, *rest: Any) -> Glance:
        seen = look(known, session, *rest)
        return change(seen, session.stage) if isinstance(session.stage, Play) else seen

    return lambda patch: patch.setattr("referee_record.daemon.glances.summarise", changed)


def _digest(value: object) -> str:
    return f"{Random(msgspec.json.encode(value, order='deterministic')).getrandbits(64):016x}"


def _sealed(payload: bytes) -> int:
    """What the herald knows of a link that is salted: here it stands for any secret that it might be told."""
    body = msgspec.json.decode(payload)["body"]
    return int(body.get("sealed") or body["commitment"], 16)


def topic_of_a_secret(self: memory.Memory, match: str, n: int, payload: bytes, now: float) -> None:
    kept(self, f"{match[:-1]}{_sealed(payload) % 16:x}", n, payload, now)


def payload_of_another_length(self: memory.Memory, match: str, n: int, payload: bytes, now: float) -> None:
    kept(self, match, n, payload + b" " * (_sealed(payload) % 16), now)


def payload_in_another_order(self: memory.Memory, match: str, n: int, payload: bytes, now: float) -> None:
    body = msgspec.json.decode(payload)
    kept(self, match, n, msgspec.json.encode(dict(sorted(body.items(), reverse=bool(_sealed(payload) % 2)))), now)


def said_twice(self: memory.Memory, match: str, n: int, payload: bytes, now: float) -> None:
    for _ in range(1 + _sealed(payload) % 2):
        kept(self, match, n, payload, now)


async def retained(self: mqtt.Connection, topic: str, payload: bytes, *, retain: bool) -> bool:
    told = "/match/" in topic and _sealed(payload) % 2 == 1
    return await publish(self, topic, payload, retain=retain or told)


def _link(change: Callable[..., None]) -> Planted:
    return lambda patch: patch.setattr(memory.Memory, "link", change)


LEAKS: dict[str, Planted] = {
    **{f"stream: {name}": planted for name, (_, planted) in stream.LEAKS.items()},
    "glance: everything told": _glance(lambda seen, play: replace(seen, status=_digest([t.text for t in play.told]))),
    "glance: count of all told": _glance(lambda seen, play: replace(seen, needs="!" * len(play.told))),
    "glance: state of the match": _glance(lambda seen, play: replace(seen, result=_digest(play.match.state))),
    "glance: what others are busy with": _glance(lambda seen, play: replace(seen, camera=_digest(play.desks))),
    "glance: who takes the shared panel": _glance(lambda seen, play: replace(seen, game=_digest(play.shared))),
    "glance: how much can be taken back": _glance(
        lambda seen, play: replace(seen, winners=tuple(map(str, play.points)))
    ),
    "herald: a topic": _link(topic_of_a_secret),
    "herald: a length": _link(payload_of_another_length),
    "herald: an order of keys": _link(payload_in_another_order),
    "herald: a message more": _link(said_twice),
    "herald: what is retained": lambda patch: patch.setattr(mqtt.Connection, "publish", retained),
}


async def planted(seed: str, most: int) -> dict[str, int | None]:
    """By leak: the pair by which it was found."""
    return {name: await _planted(seed, most, leak) for name, leak in LEAKS.items()}


async def _planted(seed: str, most: int, leak: Planted) -> int | None:
    with pytest.MonkeyPatch.context() as patch:
        leak(patch)
        async with aclosing(compared(itertools.islice(drawn(seed, 1), most), seed)) as each:
            number = 0
            async for one in each:
                number += 1
                if one.notes:
                    return number
    return None


if __name__ == "__main__":
    sys.exit(main(__doc__, work, planted))
