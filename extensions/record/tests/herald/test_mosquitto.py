"""A table's herald at a real broker: nothing is lost, and nobody writes in another's name."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import msgspec
import pytest

from extensions.record.tests.herald.certificates import Authority
from extensions.record.tests.herald.mosquitto import BROKER, READER, Club, Process, Reader, until
from extensions.record.tests.herald.table import Match, Table
from referee_record.herald import topics
from referee_record.herald.herald import Plan
from referee_record.listening import Listener
from referee_record.public_entries import Signed
from referee_record.public_frames import Glance
from tests.device.systemd import sandbox

pytestmark = pytest.mark.skipif(
    BROKER is None or READER is None, reason="mosquitto and mosquitto-clients are not installed"
)
PSS_MIB = 25.0


@pytest.fixture
def club(tmp_path: Path) -> Iterator[Club]:
    made = Club(tmp_path / "club")
    made.start()
    yield made
    made.end()


def plan(
    club: Club, table: Table, name: str = "table-1", *, by: Authority | None = None, delay_s: float = 0.0
) -> bytes:
    certificate, key = (by or club.authority).certify(name)
    files = (str(certificate), str(key), str(club.authority.certificate))
    return msgspec.json.encode(Plan(str(table.path), name, "localhost", club.port, *files, delay_s=delay_s))


def links(reader: Reader, match: Match, name: str = "table-1") -> dict[int, bytes]:
    """Those that came, each once, in the order in which they first did."""
    found: dict[int, bytes] = {}
    for topic, payload in tuple(reader.messages):
        if told := re.fullmatch(re.escape(topics.link(name, match.links[0].body.match, 0))[:-1] + r"(\d+)", topic):
            found.setdefault(int(told[1]), payload)
    return found


@pytest.mark.thorough
def test_all_of_a_match_arrives_in_order_though_broker_and_herald_are_killed(
    club: Club, table: Table, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    match, started, log = Match(), plan(club, table), tmp_path / "log"
    last = len(match.links) - 1
    steps = [last // 4, last // 2, 3 * last // 4]
    said = 1

    def say(upto: int) -> None:
        nonlocal said
        for n in range(said, upto + 1):
            table.do(partial(match.say, n=n))
        said = upto + 1

    table.do(lambda public: match.begin(public, 1))
    table.look("A's turn")
    herald = Process(started, log)
    try:
        with club.reading(kept=True) as reader, club.reading("somebody") as stranger:
            club.save()  # else, for who is not back yet, the stranger's subscription would pass for a reader
            say(steps[0])
            until(lambda: len(links(reader, match)) == said, lambda: (herald.log, club.log()))
            assert herald.pss_mib() <= PSS_MIB
            club.kill()
            say(steps[1])
            club.start()
            until(lambda: len(links(reader, match)) == said, lambda: (herald.log, club.log()))
            herald.kill()
            say(steps[2])
            herald = Process(started, log)
            until(lambda: len(links(reader, match)) == said, lambda: (herald.log, club.log()))
            club.kill()
            club.start()
            say(last)
            table.look("The match is over.")
            until(lambda: len(links(reader, match)) == said, lambda: (herald.log, club.log()))
            until(lambda: b"over" in (reader.last(topics.glance("table-1")) or b""))
            found = links(reader, match)
            assert list(found) == list(range(last + 1))
            assert [msgspec.json.decode(each, type=Signed) for each in found.values()] == match.links
            with capsys.disabled():
                print(f"\nthe herald's memory: {herald.pss_mib():.1f} MiB PSS")
            assert herald.pss_mib() <= PSS_MIB
            assert herald.end() == 0
            until(lambda: reader.last(topics.alive("table-1")) == topics.GONE)
            assert stranger.messages == [], "whom the access list does not name reads nothing"
    finally:
        herald.kill()


@pytest.mark.thorough
@pytest.mark.skipif(not sandbox.USABLE, reason="systemd-analyze is not installed")
def test_what_the_herald_asks_of_the_kernel_is_let_through_by_its_unit(
    club: Club, table: Table, tmp_path: Path
) -> None:
    match = Match()
    table.do(lambda public: match.begin(public, 3))
    table.look("A's turn")
    confined = (sys.executable, "-m", "tests.device.systemd.sandbox", "referee-herald")
    herald = Process(plan(club, table), tmp_path / "log", confined)
    try:
        with club.reading() as reader:
            until(lambda: len(links(reader, match)) == 3, lambda: herald.log)
            club.kill()
            club.start()
            table.do(lambda public: match.say(public, 3))
            until(lambda: len(links(reader, match)) == 4, lambda: herald.log)
        assert "Error" not in herald.log
    finally:
        herald.kill()


def test_who_comes_late_to_the_broker_finds_how_the_table_looks_and_whether_it_is_there(
    club: Club, table: Table, tmp_path: Path
) -> None:
    table.look("B's turn")
    herald = Process(plan(club, table), tmp_path / "log")
    try:
        with club.reading() as first:
            until(lambda: first.last(topics.glance("table-1")) is not None, lambda: herald.log)
        with club.reading() as late:
            until(lambda: late.last(topics.glance("table-1")) is not None)
            until(lambda: late.last(topics.alive("table-1")) == topics.ALIVE)
            seen = msgspec.json.decode(late.last(topics.glance("table-1")) or b"", type=Glance)
            assert seen.status == "B's turn"
            table.stop()
            until(lambda: late.last(topics.alive("table-1")) == topics.GONE)
            table.start()
            until(lambda: late.last(topics.alive("table-1")) == topics.ALIVE)
            herald.kill()
            until(lambda: late.last(topics.alive("table-1")) == topics.GONE)
    finally:
        herald.kill()


@pytest.mark.thorough
def test_what_was_said_while_nobody_read_is_said_to_who_reads_later(club: Club, table: Table, tmp_path: Path) -> None:
    match = Match()
    table.do(lambda public: match.begin(public, 5))
    herald = Process(plan(club, table), tmp_path / "log")
    try:
        until(lambda: "is told what table-1 says" in herald.log)
        until(lambda: f"{topics.ROOT}/table-1/match" in club.log())
        with club.reading() as reader:
            until(lambda: len(links(reader, match)) == 5, club.log)
        assert list(links(reader, match)) == [0, 1, 2, 3, 4]
        listener = Listener(match.honest.key.public)
        frames = (b'{"is":"said","link":' + each + b"}" for each in links(reader, match).values())
        assert [listener.take(frame) for frame in frames] == match.links[:5]
    finally:
        herald.kill()


@pytest.mark.thorough
def test_a_table_cannot_write_below_anothers_name(club: Club, table: Table, tmp_path: Path) -> None:
    table.look("A's turn")
    forger = msgspec.json.decode(plan(club, table, "table-2"), type=Plan)
    herald = Process(msgspec.json.encode(msgspec.structs.replace(forger, table="table-1")), tmp_path / "log")
    try:
        with club.reading() as reader:
            until(lambda: "this table may not write there" in herald.log, lambda: herald.log)
            herald.kill()
            herald = Process(plan(club, table, "table-1"), tmp_path / "log")
            until(lambda: reader.last(topics.alive("table-1")) == topics.ALIVE, club.log)
            before, _, _ = club.log().partition(" as table-1 ")
            assert " as table-2 " in before
            assert "Sending PUBLISH to club" not in before, "its will was not said, either"
    finally:
        herald.kill()


@pytest.mark.parametrize(
    ("who", "told"),
    [("table", "believe this table's certificate"), ("broker", "the broker's certificate is not believed")],
)
def test_a_foreign_certificate_is_refused_with_a_sentence(
    who: str, told: str, club: Club, table: Table, tmp_path: Path
) -> None:
    foreign = Authority(tmp_path / "foreign")
    given = msgspec.json.decode(plan(club, table, by=foreign if who == "table" else None), type=Plan)
    if who == "broker":
        given = msgspec.structs.replace(given, authority=str(foreign.certificate))
    herald = Process(msgspec.json.encode(given), tmp_path / "log")
    try:
        until(lambda: told in herald.log, lambda: herald.log)
    finally:
        herald.kill()


def test_the_recipe_is_one_that_mosquitto_takes_without_a_warning(club: Club) -> None:
    until(lambda: " running" in club.log(), club.log)
    begun, _, _ = club.log().partition(" running")
    assert re.search("warning|error", begun, re.IGNORECASE) is None
