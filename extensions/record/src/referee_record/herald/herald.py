"""Reads the table's socket, checks every signature, and publishes.

Table and broker are awaited separately, so that neither delays the other; the reason of an absence is logged once."""

from __future__ import annotations

import asyncio
import logging
import random
import ssl
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from pathlib import Path

import msgspec

from device.clock import Clock, wait
from engine.errors import RefereeError
from referee_record.herald import mqtt, topics
from referee_record.herald.memory import Memory
from referee_record.listening import Doubt, Gap, Listener, frames
from referee_record.public_entries import Link, Signed
from referee_record.public_frames import Glance

PORT = 8883
"""Default port of MQTT over TLS (IANA: secure-mqtt)."""

FIRST_S, LONGEST_S = 1.0, 60.0
"""Back-off after a failure: doubled each time up to the longest, with up to half subtracted at random, so that tables
do not return all at once."""

_log = logging.getLogger(__name__)


class Plan(msgspec.Struct, frozen=True):
    """The herald's start data.

    socket: the table's public socket
    table: its name at the broker
    certificate, key, authority: paths of PEM files
    delay_s: for everything of a match"""

    socket: str
    table: str
    host: str
    port: int
    certificate: str
    key: str
    authority: str
    delay_s: float = 0.0


class Herald:
    """One table's herald. context: TLS, from `mqtt.trusting`."""

    def __init__(self, plan: Plan, context: ssl.SSLContext, clock: Clock) -> None:
        self._plan, self._context, self._clock = plan, context, clock
        self._memory, self._listener = Memory(plan.table, plan.delay_s), Listener()
        self._stirred = asyncio.Event()

    async def run(self) -> None:
        """Run until cancelled."""
        await asyncio.gather(
            _again(self._hear, self._clock, "the table is not heard"),
            _again(self._tell, self._clock, f"the broker at {self._plan.host}:{self._plan.port} is not told"),
        )

    async def _hear(self) -> None:
        """Read the table's socket until it ends or fails a check; raise Doubt then."""
        try:
            async with aclosing(frames(Path(self._plan.socket))) as heard:
                async for frame in heard:
                    self._take(frame)
            raise Doubt("its socket was closed")
        except OSError as error:
            raise Doubt(f"nobody is at {self._plan.socket} ({error.strerror or error})") from error
        finally:
            self._memory.present(False)
            self._stirred.set()

    def _take(self, frame: bytes) -> None:
        try:
            heard = self._listener.take(frame)
        except Gap as gap:
            if self._listener.head is None or self._listener.head.n != gap.last:
                raise
            heard = None  # the match's position came first, and all of it follows
        self._memory.present(True)
        match heard:
            case Signed(body=body):
                assert self._listener.opening is not None
                n = body.n if isinstance(body, Link) else 0
                payload = msgspec.json.encode(heard, order="sorted")
                self._memory.link(self._listener.opening.match, n, payload, self._clock.now())
            case Glance():
                self._memory.glance(msgspec.json.encode(heard), self._clock.now(), heard.match, heard.result)
            case None:
                pass
        self._stirred.set()

    async def _tell(self) -> None:
        """Publish until the broker is gone. Raises BrokerError then."""
        plan = self._plan
        broker = await mqtt.connect_to_broker(plan.host, plan.port, self._context)
        try:
            await broker.begin(plan.table, topics.alive(plan.table), topics.GONE)
            _log.info("the broker at %s:%d is told what %s says in public", plan.host, plan.port, plan.table)
            self._memory.again(self._clock.now())
            async with asyncio.TaskGroup() as both:
                both.create_task(broker.run())
                both.create_task(self._say(broker))
        except ExceptionGroup as errors:
            raise errors.exceptions[0] from errors
        finally:
            broker.close()

    async def _say(self, broker: mqtt.Connection) -> None:
        """Publish what is due, one message at a time, for ever. Raises BrokerError."""
        while True:
            message = self._memory.next(self._clock.now())
            if message is None:
                await wait(self._clock, self._stirred, self._memory.due())
                continue
            read = await broker.publish(message.topic, message.payload, retain=message.retain)
            if read or self._memory.lasts(message):
                self._memory.note_sent(message, self._clock.now(), read=read)
            else:
                self._memory.unread(message, self._clock.now())


async def _again(work: Callable[[], Awaitable[None]], clock: Clock, failed: str) -> None:
    """Repeat the work with back-off. failed: logged with each new reason."""
    pause, told = FIRST_S, ""
    while True:
        began = clock.now()
        try:
            await work()
        except (RefereeError, OSError) as error:
            if clock.now() - began > LONGEST_S:
                pause, told = FIRST_S, ""
            if (why := str(error)) != told:
                told = why
                _log.warning("%s: %s", failed, why)
        await clock.sleep_until(clock.now() + pause * random.uniform(0.5, 1.0))
        pause = min(2 * pause, LONGEST_S)
