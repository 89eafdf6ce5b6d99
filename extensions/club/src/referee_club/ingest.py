"""Reads tables' messages from the broker, verifies and stores them before acknowledging.

The broker keeps the session (MQTT 5, 3.1.2.11.2) and repeats unacknowledged messages; duplicates are recognised. Bad
messages become remarks. States with forgotten names are replaced. Home Assistant shares the connection
(`referee_club.home_assistant`).
"""

from __future__ import annotations

import asyncio
import logging
import re
import select
import ssl
from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextlib import suppress

import msgspec
import paho.mqtt.client as mqtt
from paho.mqtt import MQTTException
from paho.mqtt.enums import CallbackAPIVersion, MQTTErrorCode, MQTTProtocolVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode
from paho.mqtt.subscribeoptions import SubscribeOptions

from engine.errors import RefereeError
from engine.text import Text, say
from referee_club import home_assistant
from referee_club.archive import Archive, NoArchive, Other, Spoiled, TooMuch
from referee_club.home_assistant import Home
from referee_club.members import Members
from referee_club.proof import Proof
from referee_club.results import LATEST
from referee_record.herald import topics
from referee_record.listening import Forged, Gap, Nonsense, OtherKey
from referee_record.public_entries import Opening, Signed, UnknownFormat
from referee_record.public_frames import Glance
from vision.files import quote

CLIENT = "club"
"""Common name of the host's certificate."""

KEEP_ALIVE_S = 20
AT_ONCE = 200
"""Unacknowledged messages in flight (3.1.2.11.3)."""

LONGEST = 64 * 1024
"""Bytes of a message (3.1.2.11.4)."""

RETRY_S = 1.0
FOLLOWED = 256
"""Matches followed at once; others are resumed from the archive."""

FOREVER = 0xFFFFFFFF
"""Seconds of a session that never expires (MQTT 5)."""

AWAY = say("No contact with the broker: {why}")
CLOCK = say("This table's clock is not set, so the times of its matches are unknown.")
MISSED = say(
    "Part of a match was missed. It will arrive when the table reconnects; if not, use the table's own export."
)
NEWER = say("It runs a newer version: update table-referee on the club's computer.")
OTHER_KEY = say(
    "This table signs with a new key, so what it sends is not saved. If the key was changed on purpose, "
    "add the table again."
)
FORGED = say("It sends messages that its key did not sign, or that contradict earlier ones. They are not kept.")
NONSENSE = say("It sends messages that can't be read. They are not kept.")
TOO_MUCH = say("It sends a match that is too long, or begins too many matches in an hour. The rest is not kept.")

SEATS = 64
"""Most seats or winners in a state."""
LONGEST_NAME = 100
"""Most characters of a name."""
LONGEST_RESULT = 2000
"""Characters."""

_PASSING = (NEWER, NONSENSE)
"""Remarks settled by a correct message."""

_MALFORMED = (MQTTException, ValueError, LookupError, TypeError, AttributeError, RuntimeError)
"""Errors of the MQTT library for malformed data."""

_log = logging.getLogger(__name__)


class BrokerGone(RefereeError, ConnectionError):
    """The broker is unusable; the message says why."""


class Ingest:
    """Fills an archive from the broker. context: TLS. home: Home Assistant's messages."""

    def __init__(self, archive: Archive, host: str, port: int, context: ssl.SSLContext, home: Home) -> None:
        self._archive, self._host, self._port, self.context, self._home = archive, host, port, context, home
        self._members = Members(archive)
        self._proofs: OrderedDict[str, Proof] = OrderedDict()
        self._clocks: dict[str, bool] = {}
        self._wrong: dict[tuple[str, Text], str] = {}
        self._nameless: dict[str, bytes] = {}
        self._away: Text | None = None
        self._full = ""
        self.connected = asyncio.Event()
        """Set while connected."""

    async def run(self) -> None:
        """Run until cancelled, reconnecting."""
        while True:
            try:
                await self._read()
            except BrokerGone as error:
                self._note_disconnected(str(error))
            except NoArchive as error:  # nothing was acknowledged: it comes again
                self._unkept(str(error))
            await asyncio.sleep(RETRY_S)

    async def _read(self) -> None:
        session = _Session(self._take, self._note_connected, self._news, told=bool(self._home.language))
        self._home.begin()
        try:
            await session.open(self._host, self._port, self.context)
            await session.lasts()
        finally:
            self.connected.clear()
            session.close()

    def _note_connected(self) -> None:
        self.connected.set()
        _log.info("the broker at %s:%d is heard", self._host, self._port)
        if self._away is not None:
            self._archive.settle("", self._away)
            self._away = None

    def correct(self, looks: Mapping[str, Glance]) -> None:
        """Replace these tables' retained states with the next news."""
        self._nameless.update((topics.glance(table), msgspec.json.encode(glance)) for table, glance in looks.items())

    def _news(self) -> list[tuple[str, bytes]]:
        corrected, self._nameless = self._nameless, {}
        return [*corrected.items(), *self._home.news()]

    def _note_disconnected(self, why: str) -> None:
        away = Text(AWAY.message, (("why", why),))
        if away != self._away:
            _log.warning("%s", away)
            with suppress(NoArchive), self._archive.transaction():  # a full disk ends a connection, too
                if self._away is not None:
                    self._archive.settle("", self._away)
                self._archive.remark("", away)
            self._away = away

    def _unkept(self, why: str) -> None:
        self._proofs.clear()
        self._clocks.clear()
        if why != self._full:
            _log.error("%s: what the tables say waits at the broker", why)
            self._full = why

    def _take(self, messages: list[mqtt.MQTTMessage]) -> None:
        with self._archive.transaction():
            for message in messages:
                with suppress(UnicodeDecodeError):  # of a topic: nobody else may write there
                    if message.topic.startswith(f"{topics.ROOT}/"):
                        self.take(message.topic, bytes(message.payload), old=message.retain)
                    elif message.payload:
                        self._home.note_retained(message.topic, bytes(message.payload))
        self._full = ""

    def take(self, topic: str, payload: bytes, *, old: bool = False) -> None:
        """Store a message, or remark on a bad one; ignore removed tables and other topics. old: retained from before.
        Raises NoArchive."""
        root, _, rest = topic.partition(f"{topics.ROOT}/")
        table, *below = rest.split("/")
        if root or not topics.is_name(table) or self._members.is_removed(table):
            return
        try:
            self._handle_message(table, below, payload, old=old)
            if not old and below[0] != "alive" and not self._archive.is_alive(table):
                self._archive.say_alive(table, True)  # its word came before the club listened
        except NoArchive:  # no table's fault
            raise
        except (RefereeError, ValueError, RecursionError) as error:  # also what msgspec raises
            text = _sentence(error)
            if text in _PASSING:
                self._wrong[table, text] = below[0] if below else ""
            self._remark(table, text, error)
        else:
            self._well(table, below[0])

    def _handle_message(self, table: str, below: list[str], payload: bytes, *, old: bool) -> None:
        if len(payload) > LONGEST:
            raise Nonsense(f"a message is longer than {LONGEST} bytes")
        match below:
            case ["alive"] if payload in (topics.ALIVE, topics.GONE):
                if not (old and payload == topics.ALIVE):  # perhaps a power cut ended it; who is there says so again
                    self._archive.say_alive(table, payload == topics.ALIVE)
            case ["glance"]:
                self._glance(table, msgspec.json.decode(payload, type=Glance), old=old)
            case ["match", *_] if old:
                raise Nonsense("a link is left at the broker, as no table does")
            case ["match", id, n] if n.isascii() and n.isdecimal() and len(n) < 8:
                self._link(table, id, int(n), msgspec.json.decode(payload, type=Signed))
            case _:
                raise Nonsense(f"nothing is said below {'/'.join(below)[:80]!r}, or not so")

    def _glance(self, table: str, glance: Glance, *, old: bool) -> None:
        if glance.match:
            _check(glance.match)
        _check_size(glance)
        if glance.at is not None and not 0 <= glance.at <= LATEST:
            raise Nonsense(f"a clock at {glance.at} seconds is none")
        kept = self._archive.take_glance(table, glance, old=old)
        if kept != glance:
            self.correct({table: kept})
        unset = glance.at is None
        if unset and all(each.text != CLOCK for each in self._archive.table(table).remarks):
            self._remark(table, CLOCK)
        elif not unset and self._clocks.get(table, True):
            self._archive.settle(table, CLOCK)
        self._clocks[table] = unset

    def _link(self, table: str, id: str, n: int, link: Signed) -> None:
        _check(id)
        body = link.body
        told = (body.match, 0) if isinstance(body, Opening) else (id, body.n)
        if told != (id, n) or (n == 0) != isinstance(body, Opening):
            raise Nonsense(f"link {told[1]} of match {told[0]} is said to be link {n} of match {id}")
        if not isinstance(body, Opening) and not 0 <= body.at <= LATEST:
            raise Nonsense(f"a match that has lasted {body.at} seconds is none")
        if n == self._archive.count_stored(id):
            proof = self._proof(table, id, n, link)
            try:
                proof.take(link)
            except Forged:
                self._archive.doubt(table, id)
                raise
            self._archive.take_link(table, id, n, link)
            if n == 0:
                self._archive.trust(table, proof.key)
                self._archive.settle(table, OTHER_KEY)
            self._follow(id, proof)
            if not self._archive.misses(table):
                self._archive.settle(table, MISSED)
        else:
            self._archive.take_link(table, id, n, link)

    def _proof(self, table: str, id: str, n: int, link: Signed) -> Proof:
        key = self._archive.key(table)
        if isinstance(link.body, Opening):
            return Proof(link.body, key)
        known = self._proofs.get(id)
        return known if known is not None and known.links == n else Proof.after(self._archive.links(id), key)

    def _follow(self, id: str, proof: Proof) -> None:
        self._proofs[id] = proof
        self._proofs.move_to_end(id)
        if len(self._proofs) > FOLLOWED:
            self._proofs.popitem(last=False)

    def _well(self, table: str, kind: str) -> None:
        for each in self._archive.remarks(table):
            if each.text in _PASSING and self._wrong.get((table, each.text), kind) == kind:
                self._archive.settle(table, each.text)

    def _remark(self, table: str, text: Text, error: Exception | None = None) -> None:
        if all(text != each.text for each in self._archive.remarks(table)):
            _log.warning("%s: %s%s", table, text, "" if error is None else f" ({quote(error)})")
        self._archive.remark(table, text)


class _Session:
    """A connection. taking: stores messages, then acknowledged. heard: called when subscribed. news: returns messages
    to retain, once a second. told: Home Assistant is used."""

    def __init__(
        self,
        taking: Callable[[list[mqtt.MQTTMessage]], None],
        heard: Callable[[], None],
        news: Callable[[], list[tuple[str, bytes]]],
        *,
        told: bool,
    ) -> None:
        self._taking, self._heard, self._news, self._told = taking, heard, news, told
        self._subscribed = False
        self._loop, self._came = asyncio.get_running_loop(), list[mqtt.MQTTMessage]()
        self._ended: asyncio.Future[None] = self._loop.create_future()
        client = mqtt.Client(CallbackAPIVersion.VERSION2, CLIENT, protocol=MQTTProtocolVersion.MQTTv5, manual_ack=True)
        client.on_message = lambda _client, _, message: self._came.append(message)
        client.on_connect = self._on_connect
        client.on_subscribe = self._on_subscribe
        client.on_disconnect = lambda _client, _, _flags, reason, _properties: self._end(f"it is gone: {reason}")
        client.on_socket_close = lambda _client, _, socket: self._forget(socket)
        self._client = client

    async def open(self, host: str, port: int, context: ssl.SSLContext) -> None:
        """Connect. Raises BrokerGone."""
        wishes = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
        wishes.SessionExpiryInterval, wishes.ReceiveMaximum, wishes.MaximumPacketSize = FOREVER, AT_ONCE, 2 * LONGEST
        self._client.tls_set_context(context)
        if self._told:
            self._client.will_set(home_assistant.HOST, home_assistant.AWAY, retain=True)
        try:
            await asyncio.to_thread(
                self._client.connect, host, port, KEEP_ALIVE_S, clean_start=False, properties=wishes
            )
        except (OSError, *_MALFORMED) as error:
            raise BrokerGone(getattr(error, "strerror", None) or str(error)) from error
        socket = self._client.socket()
        if socket is None:
            raise BrokerGone("it is gone at once")
        self._loop.add_reader(socket, self._readable)
        self._turn()

    async def lasts(self) -> None:
        """Run until failure. Raises BrokerGone, NoArchive."""
        while not self._ended.done():
            await asyncio.wait((self._ended,), timeout=1.0)
            self._guard(self._client.loop_misc)
            if self._subscribed and not self._ended.done():
                self._guard(self._tell)
        await self._ended

    def close(self) -> None:
        """Close; unacknowledged messages come again."""
        self._came.clear()
        self._client.on_socket_close = None  # the library calls it again when deleted
        socket = self._client.socket()
        if socket is not None:
            self._forget(socket)
            socket.close()
        self._ended.cancel()

    def _readable(self) -> None:
        for _ in range(AT_ONCE):
            socket = self._client.socket()
            if self._ended.done() or socket is None or not _pending(socket):
                break
            self._guard(self._client.loop_read)
        else:  # TLS may have read more, unannounced
            self._loop.call_soon(self._readable)
        if self._came and not self._ended.done():
            self._guard(self._keep)

    def _keep(self) -> MQTTErrorCode:
        came, self._came = self._came, []
        self._taking(came)
        for message in came:
            self._client.ack(message.mid, message.qos)
            if message.retain and mqtt.topic_matches_sub(topics.LINKS, message.topic):
                self._client.publish(message.topic, retain=True)  # no herald retains a link: removed
        return mqtt.MQTT_ERR_SUCCESS

    def _tell(self) -> MQTTErrorCode:
        for topic, told in self._news():
            self._client.publish(topic, told, retain=True)
        return mqtt.MQTT_ERR_SUCCESS

    def _guard(self, step: Callable[[], MQTTErrorCode]) -> None:
        try:
            code = step()
        except NoArchive as error:
            self._fail(error)
        except RefereeError as error:
            self._end(str(error))
        except _MALFORMED as error:
            self._end(f"it says what is no MQTT ({quote(error)})")
        else:
            if code != mqtt.MQTT_ERR_SUCCESS:
                self._end(mqtt.error_string(code))
            self._turn()

    def _turn(self) -> None:
        socket = self._client.socket()
        if socket is None or self._ended.done():
            return
        if self._client.want_write():
            self._loop.add_writer(socket, self._guard, self._client.loop_write)
        else:
            self._loop.remove_writer(socket)

    def _end(self, why: str) -> None:
        self._fail(BrokerGone(why))

    def _fail(self, error: RefereeError) -> None:
        if not self._ended.done():
            self._ended.set_exception(error)

    def _forget(self, socket: mqtt.SocketLike) -> None:
        self._loop.remove_reader(socket)
        self._loop.remove_writer(socket)

    def _on_connect(
        self, client: mqtt.Client, _data: object, _flags: object, reason: ReasonCode, _properties: object
    ) -> None:
        if reason.is_failure:
            self._end(f"it refuses: {reason}")
        else:
            own = SubscribeOptions(qos=1, noLocal=True)
            links = SubscribeOptions(qos=1, noLocal=True, retainAsPublished=True)
            client.subscribe(
                [
                    *((topic, own) for topic in topics.SHOWN),
                    (topics.LINKS, links),
                    *((topic, own) for topic in home_assistant.READ),
                ]
            )

    def _on_subscribe(
        self, _client: mqtt.Client, _data: object, _id: int, reasons: list[ReasonCode], _properties: object
    ) -> None:
        refused = [reason for reason in reasons if reason.is_failure]
        if refused:
            self._end(f"it refuses to say what the tables say: {refused[0]}")
        else:
            self._subscribed = True
            self._heard()


def _check(id: str) -> None:
    if not re.fullmatch("[0-9a-f]{32}", id):
        raise Nonsense(f"{id[:80]!r} is no match")


def _check_size(glance: Glance) -> None:
    names = [
        glance.game,
        *glance.winners,
        *(name for each in glance.seats for name in (each.seat, each.name, each.side)),
    ]
    many = max(len(glance.seats), len(glance.winners)) > SEATS
    if many or max(map(len, names)) > LONGEST_NAME or len(glance.result) > LONGEST_RESULT:
        raise Nonsense(f"a glance says of {len(glance.seats)} seats more than any table has")


def _pending(socket: mqtt.SocketLike) -> bool:
    if isinstance(socket, ssl.SSLSocket) and socket.pending() > 0:
        return True
    kernel = select.poll()
    kernel.register(socket, select.POLLIN)
    return bool(kernel.poll(0))


def _sentence(error: Exception) -> Text:
    strange = isinstance(error, msgspec.ValidationError) and "unknown field" in str(error)
    match error:
        case Gap():
            return MISSED
        case OtherKey():
            return OTHER_KEY
        case Forged() | Other():
            return FORGED
        case TooMuch():
            return TOO_MUCH
        case Spoiled():
            return error.text
        case _:
            return NEWER if strange or isinstance(error, UnknownFormat) else NONSENSE
