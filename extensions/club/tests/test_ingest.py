"""The club's reader at the broker: every link once, from the broker's own session, and nothing that was not signed."""

from __future__ import annotations

import asyncio
import ssl
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple

import msgspec
import paho.mqtt.client as paho
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from extensions.club.tests.test_archive import identity, looks, spoil
from extensions.record.tests.herald.certificates import Authority
from extensions.record.tests.herald.mosquitto import BROKER, Club, Process, until
from extensions.record.tests.herald.table import Match, Table, glance
from extensions.record.tests.herald.test_mosquitto import plan
from referee_club import ingest
from referee_club.archive import Archive, NoArchive, Spoiled
from referee_club.home_assistant import Home
from referee_club.ingest import Ingest
from referee_record.herald import mqtt, topics
from referee_record.public_entries import FORMAT, Link, Opening, Signed
from referee_record.public_frames import Seated
from referee_record.stream import Signer
from referee_record.table_key import TableKey

replace = msgspec.structs.replace
needs_mosquitto = pytest.mark.skipif(BROKER is None, reason="mosquitto is not installed")


@pytest.fixture(scope="module")
def match() -> Match:
    return Match()


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    made = Archive(tmp_path / "club.db")
    yield made
    made.close()


def listening(archive: Archive, port: int = 1, context: ssl.SSLContext | None = None) -> Ingest:
    """One that tells Home Assistant nothing."""
    return Ingest(archive, "localhost", port, context or ssl.create_default_context(), Home(archive, "", str))


@pytest.fixture
def reader(archive: Archive) -> Ingest:
    return listening(archive)


class Message(NamedTuple):
    """As the library gives it."""

    topic: str
    payload: bytes
    retain: bool = False


def say(reader: Ingest, match: Match, n: int, link: Signed | None = None, table: str = "table-1") -> None:
    said = msgspec.json.encode(link or match.links[n])
    reader.take(topics.link(table, identity(match), n), said)


def remarked(archive: Archive, table: str = "table-1") -> set[object]:
    return {each.text for each in archive.table(table).remarks}


def test_it_keeps_what_the_key_signed_once_whatever_comes_twice(reader: Ingest, archive: Archive, match: Match) -> None:
    for n in (0, 1, 2, 1, 0, 1, 2, *range(3, len(match.links)), len(match.links) - 1):
        say(reader, match, n)
    assert tuple(archive.links(identity(match))) == tuple(match.links)
    assert archive.table("table-1").key == match.honest.key.public
    assert remarked(archive) == set()


@pytest.mark.thorough
def test_a_host_that_was_started_anew_goes_on_with_a_match(archive: Archive, match: Match) -> None:
    for n in range(len(match.links)):
        say(listening(archive), match, n)
    assert tuple(archive.links(identity(match))) == tuple(match.links)


def test_links_after_a_gap_are_kept_once_what_was_missed_has_come(
    reader: Ingest, archive: Archive, match: Match
) -> None:
    for n in (0, 1, 3, 4):
        say(reader, match, n)
    assert archive.count_stored(identity(match)) == 2
    assert remarked(archive) == {ingest.MISSED}
    for n in range(len(match.links)):
        say(reader, match, n)
    assert archive.count_stored(identity(match)) == len(match.links)
    assert remarked(archive) == set()


def changed(match: Match) -> Signed:
    body = match.links[1].body
    assert isinstance(body, Link)
    return replace(match.links[1], body=replace(body, told=("White wins.",)))


def test_what_the_key_did_not_sign_is_not_kept_before_or_after_the_true_link(
    reader: Ingest, archive: Archive, match: Match
) -> None:
    say(reader, match, 0)
    say(reader, match, 1, changed(match))
    assert archive.count_stored(identity(match)) == 1
    assert remarked(archive) == {ingest.FORGED}
    say(reader, match, 1)
    say(reader, match, 1, changed(match))
    assert tuple(archive.links(identity(match))) == tuple(match.links[:2])


def test_a_table_that_signs_with_another_key_is_not_believed_until_it_is_added_anew(
    reader: Ingest, archive: Archive, match: Match
) -> None:
    say(reader, match, 0)
    other = TableKey(Ed25519PrivateKey.from_private_bytes(bytes(32)))
    body = match.links[0].body
    assert isinstance(body, Opening)
    opening = Signer(other, FORMAT).sign(replace(body, match="6" * 32, key=other.public))
    said = msgspec.json.encode(opening)
    reader.take(topics.link("table-1", "6" * 32, 0), said)
    assert remarked(archive) == {ingest.OTHER_KEY}
    assert archive.count_stored("6" * 32) == 0
    archive.trust("table-1", "")
    reader.take(topics.link("table-1", "6" * 32, 0), said)
    assert archive.count_stored("6" * 32) == 1
    assert archive.table("table-1").key == other.public
    assert remarked(archive) == set()


@pytest.mark.parametrize(
    ("below", "payload", "sentence"),
    [
        ("glance", b"{", ingest.NONSENSE),
        ("glance", msgspec.json.encode(replace(glance("It goes on."), match="../../etc")), ingest.NONSENSE),
        ("glance", b"[" * 10_000, ingest.NONSENSE),
        ("glance", b"\xff\xfe", ingest.NONSENSE),
        ("glance", b" " * (ingest.LONGEST + 1), ingest.NONSENSE),
        ("alive", b"2", ingest.NONSENSE),
        ("command", b"1", ingest.NONSENSE),
        ("match/6/00000000000", b"{}", ingest.NONSENSE),
        ("match/6/\N{SUPERSCRIPT TWO}", b"{}", ingest.NONSENSE),
        ("match/6/0", b'{"more":1}', ingest.NEWER),
        ("glance", b'{"is":"glance","mood":"good"}', ingest.NEWER),
    ],
)
def test_nonsense_is_a_sentence_and_the_next_message_counts(
    reader: Ingest, archive: Archive, match: Match, below: str, payload: bytes, sentence: object
) -> None:
    reader.take(f"referee/v1/table-1/{below}", payload)
    assert remarked(archive) == {sentence}
    assert archive.list_matches() == []
    say(reader, match, 0)
    assert archive.count_stored(identity(match)) == 1


def test_a_stream_of_a_later_version_and_a_link_in_another_place_are_told(
    reader: Ingest, archive: Archive, match: Match
) -> None:
    body = match.links[0].body
    assert isinstance(body, Opening)
    say(reader, match, 0, replace(match.links[0], body=replace(body, format=9)))
    assert remarked(archive) == {ingest.NEWER}
    say(reader, match, 0)
    assert remarked(archive) == set()
    say(reader, match, 1, match.links[2])
    say(reader, match, 2, match.links[0])
    assert archive.count_stored(identity(match)) == 1
    reader.take(topics.alive("table-1"), topics.ALIVE)
    assert remarked(archive) == {ingest.NONSENSE}
    say(reader, match, 1)
    assert remarked(archive) == set()


def test_a_match_that_cannot_be_read_any_more_is_a_sentence_and_the_next_message_counts(
    archive: Archive, match: Match
) -> None:
    for n in range(2):
        say(listening(archive), match, n)
    spoil(archive, match)
    reader = listening(archive)
    for n in (1, 2):
        say(reader, match, n)
    reader.take(topics.alive("table-1"), topics.ALIVE)
    assert remarked(archive) == {Spoiled(identity(match)).text}
    assert archive.table("table-1").alive


def test_a_full_disk_is_no_tables_fault_and_all_of_a_batch_comes_again(archive: Archive, match: Match) -> None:
    reader = listening(archive)
    batch = [Message(topics.glance("table-1"), msgspec.json.encode(looks(match)))]
    batch += [
        Message(topics.link("table-1", identity(match), n), msgspec.json.encode(link))
        for n, link in enumerate(match.links)
    ]
    (pages,) = archive.connection.execute("PRAGMA page_count").fetchone()
    archive.connection.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(NoArchive, match="is the disk full"):
        reader._take(batch)  # type: ignore[arg-type]
    assert (archive.count_stored(identity(match)), archive.tables(), archive.list_matches()) == (0, [], [])
    archive.connection.execute("PRAGMA max_page_count = 100000")
    reader._take(batch)  # type: ignore[arg-type]
    assert tuple(archive.links(identity(match))) == tuple(match.links)
    assert remarked(archive) == set()


@pytest.mark.parametrize(
    "changes",
    [
        {"seats": (Seated("a", "A", "", False),) * (ingest.SEATS + 1)},
        {"seats": (Seated("a", "A" * (ingest.LONGEST_NAME + 1), "", False),)},
        {"winners": ("a",) * (ingest.SEATS + 1)},
        {"result": "A" * (ingest.LONGEST_RESULT + 1)},
    ],
)
def test_a_glance_that_no_table_gives_is_not_kept(
    reader: Ingest, archive: Archive, match: Match, changes: dict[str, object]
) -> None:
    reader.take(topics.glance("table-1"), msgspec.json.encode(replace(looks(match), **changes)))
    assert (remarked(archive), archive.list_matches()) == ({ingest.NONSENSE}, [])


def test_more_matches_than_anybody_plays_are_not_kept(
    reader: Ingest, archive: Archive, match: Match, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("referee_club.archive.BEGUN", 3)
    for number in range(5):
        reader.take(topics.link("table-1", f"{number:032x}", 1), msgspec.json.encode(match.links[1]))
    assert archive.connection.execute("SELECT count(*) FROM match").fetchone() == (3,)
    assert ingest.TOO_MUCH in remarked(archive)


def test_a_table_of_which_the_broker_only_remembers_something_is_not_there(
    reader: Ingest, archive: Archive, match: Match
) -> None:
    reader.take(topics.alive("table-1"), topics.ALIVE, old=True)
    reader.take(topics.glance("table-1"), msgspec.json.encode(looks(match)), old=True)
    assert not archive.table("table-1").alive
    reader.take(topics.glance("table-1"), msgspec.json.encode(looks(match)))
    assert archive.table("table-1").alive
    reader.take(topics.alive("table-1"), topics.GONE, old=True)
    assert not archive.table("table-1").alive


@pytest.mark.parametrize("at", [-1.0, 1e308])
def test_a_match_of_an_impossible_length_is_not_kept(reader: Ingest, archive: Archive, match: Match, at: float) -> None:
    say(reader, match, 0)
    link = match.links[1]
    say(reader, match, 1, replace(link, body=replace(link.body, at=at)))
    assert remarked(archive) == {ingest.NONSENSE}


def test_topics_of_others_are_nobodys(reader: Ingest, archive: Archive) -> None:
    for topic in ("other/v1/table-1/alive", "x/referee/v1/table-1/alive", "referee/v1", "referee/v1//alive"):
        reader.take(topic, b"1")
    assert archive.tables() == []


def test_a_clock_that_is_not_set_is_told_until_it_is(reader: Ingest, archive: Archive, match: Match) -> None:
    topic = topics.glance("table-1")
    reader.take(topic, msgspec.json.encode(looks(match, at=None)))
    reader.take(topic, msgspec.json.encode(looks(match, at=None)))
    assert remarked(archive) == {ingest.CLOCK}
    reader.take(topic, msgspec.json.encode(looks(match)))
    assert remarked(archive) == set()
    reader.take(topics.alive("table-1"), topics.ALIVE)
    assert archive.table("table-1").alive


# At a real broker.


class Host:
    """The club's reader in a process of its own, which can be killed at any moment."""

    SCRIPT = """
import asyncio, sys
from pathlib import Path
from referee_club.archive import Archive
from referee_club.home_assistant import Home
from referee_club.ingest import Ingest
from referee_record.herald.mqtt import trusting
path, language, port, *files = sys.argv[1:]
archive = Archive(Path(path))
home = Home(archive, language, "http://club.local/{}".format)
asyncio.run(Ingest(archive, "localhost", int(port), trusting(*files), home).run())
"""

    def __init__(self, club: Club, path: Path) -> None:
        self._club, self._path = club, path
        self._files = (*club.authority.certify("club"), club.authority.certificate)
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, home: str = "") -> None:
        """home: in which language Home Assistant is told."""
        words = [sys.executable, "-c", self.SCRIPT, self._path, home, self._club.port, *self._files]
        self._process = subprocess.Popen(list(map(str, words)), cwd=Path(__file__).parents[3])

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


@pytest.fixture
def club(tmp_path: Path) -> Iterator[Club]:
    made = Club(tmp_path / "club")
    made.start()
    yield made
    made.end()


@pytest.mark.thorough
@needs_mosquitto
def test_nothing_is_lost_or_doubled_though_host_broker_and_herald_are_killed(
    club: Club, table: Table, tmp_path: Path, match: Match
) -> None:
    last, path = len(match.links) - 1, tmp_path / "club.db"
    host, log, words = Host(club, path), tmp_path / "log", plan(club, table)
    table.do(lambda public: match.begin(public, 1))
    table.look("A's turn")
    herald, said = Process(words, log), 0
    read = Archive(path)

    def kept(upto: int) -> Callable[[], bool]:
        return lambda: read.count_stored(identity(match)) == upto + 1

    def say_upto(upto: int) -> None:
        nonlocal said
        for n in range(said + 1, upto + 1):
            table.do(partial(match.say, n=n))
        said = upto

    try:
        host.start()
        until(kept(0), lambda: (herald.log, club.log()))
        say_upto(last // 3)
        host.kill()
        say_upto(last // 2)
        host.start()
        until(kept(said), lambda: (herald.log, club.log()))
        club.kill()
        say_upto(2 * last // 3)
        club.start()
        until(kept(said), lambda: (herald.log, club.log()))
        herald.kill()
        say_upto(last)
        herald = Process(words, log)
        until(kept(last), lambda: (herald.log, club.log()))
        assert tuple(read.links(identity(match))) == tuple(match.links)
    finally:
        host.kill()
        herald.kill()
        read.close()


@needs_mosquitto
def test_what_waited_at_the_broker_is_kept_many_at_once(
    club: Club, archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each time the host waits for its disk; one that did so for each message fell minutes behind fifty tables."""
    waiting, batches, take = 300, list[int](), Ingest._take

    def slow(self: Ingest, messages: list[paho.MQTTMessage]) -> None:
        time.sleep(0.05)
        take(self, messages)
        batches.append(len(messages))

    def trusting(name: str) -> ssl.SSLContext:
        return mqtt.trusting(*map(str, (*club.authority.certify(name), club.authority.certificate)))

    @asynccontextmanager
    async def reads() -> AsyncIterator[None]:
        host = listening(archive, club.port, trusting("club"))
        reading = asyncio.ensure_future(host.run())
        try:
            await host.connected.wait()
            yield
        finally:
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)

    async def scenario() -> None:
        async with asyncio.timeout(100):
            async with reads():
                pass
            table = await mqtt.connect_to_broker("localhost", club.port, trusting("table-1"))
            await table.begin("table-1", topics.alive("table-1"), topics.GONE)
            running = asyncio.ensure_future(table.run())
            for _ in range(waiting):
                await table.publish(topics.alive("table-1"), topics.ALIVE, retain=False)
            monkeypatch.setattr(Ingest, "_take", slow)
            async with reads():
                while sum(batches) < waiting:
                    await asyncio.sleep(0.05)
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)
            table.close()

    asyncio.run(scenario())
    assert len(batches) < waiting / 3
    assert archive.table("table-1").alive


Speaks = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


def says(*parts: bytes) -> Speaks:
    """A broker that says these, each after the client has said something."""

    async def speak(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for part in parts:
            await reader.read(1000)
            writer.write(part)
            await writer.drain()

    return speak


CONNACK = bytes((0x20, 3, 0, 0, 0))


@pytest.mark.parametrize(
    ("parts", "why"),
    [
        ((), "gone"),
        ((b"HTTP/1.1 400 Bad Request\r\n\r\n",), ""),
        ((bytes((0x20, 3, 0, 0x87, 0)),), "Not authorized"),
        ((CONNACK, bytes((0x90, 4, 0, 1, 0, 0x87))), "refuses to say what the tables say"),
        ((CONNACK, bytes((0x90, 1, 0))), "rotocol error"),
        ((CONNACK, b"\x30\x03\xff\xff\xff"), "rotocol error"),
        ((CONNACK, b"\x30\xff\xff\xff\xff\xff"), ""),
        ((b"\x00" * 50,), ""),
    ],
)
def test_a_broker_that_speaks_nonsense_is_a_sentence_and_the_next_is_tried(
    archive: Archive, tmp_path: Path, parts: tuple[bytes, ...], why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ingest, "RETRY_S", 0.01)
    authority = Authority(tmp_path)
    serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    serving.load_cert_chain(*authority.certify("broker"))
    context = mqtt.trusting(*map(str, (*authority.certify("club"), authority.certificate)))

    tried = 0

    async def scenario() -> str:
        async def spoken(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            nonlocal tried
            tried += 1
            with suppress(OSError):
                await says(*parts)(reader, writer)
                writer.close()

        server = await asyncio.start_server(spoken, "localhost", 0, ssl=serving)
        reading = asyncio.ensure_future(listening(archive, server.sockets[0].getsockname()[1], context).run())
        try:
            async with asyncio.timeout(60):
                while tried < 3 or not archive.remarks():
                    await asyncio.sleep(0.01)
            return str(archive.remarks()[0].text)
        finally:
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)
            server.close()

    said = asyncio.run(scenario())
    assert said.startswith("No contact with the broker: ")
    assert why in said


def test_a_broker_of_strangers_is_not_believed(archive: Archive, tmp_path: Path) -> None:
    serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    serving.load_cert_chain(*Authority(tmp_path / "strangers").certify("broker"))
    authority = Authority(tmp_path / "own")
    context = mqtt.trusting(*map(str, (*authority.certify("club"), authority.certificate)))

    async def scenario() -> None:
        server = await asyncio.start_server(lambda _reader, writer: writer.close(), "localhost", 0, ssl=serving)
        reading = asyncio.ensure_future(listening(archive, server.sockets[0].getsockname()[1], context).run())
        try:
            async with asyncio.timeout(60):
                while not archive.remarks():
                    await asyncio.sleep(0.01)
        finally:
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)
            server.close()

    asyncio.run(scenario())
    assert "CERTIFICATE_VERIFY_FAILED" in str(archive.remarks()[0].text)


@pytest.mark.parametrize("at", [1e18, -1e18, -1.0, 4.1e9])
def test_a_glance_at_no_time_is_nonsense_and_kept_nowhere(
    reader: Ingest, archive: Archive, match: Match, at: float
) -> None:
    reader.take(topics.glance("table-1"), msgspec.json.encode(looks(match, at=at)))
    assert ingest.NONSENSE in remarked(archive)
    assert archive.table("table-1").glance is None
