"""The club's archive: what was taken is there after any end of the host, once, and in little room."""

from __future__ import annotations

import asyncio
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from engine.text import say
from extensions.record.tests.herald.table import Match
from referee_club import compression
from referee_club.archive import (
    AGES_S,
    HOUR_S,
    KEEP_S,
    REMARKS,
    Archive,
    NoArchive,
    NoMatch,
    Other,
    Remark,
    Spoiled,
    Table,
    TooMuch,
)
from referee_record.listening import Gap
from referee_record.public_entries import Opening, Signed
from referee_record.public_frames import Glance, Seated
from referee_record.signed_record import read

replace = msgspec.structs.replace


class Host:
    """An archive whose clock a test sets."""

    def __init__(self, folder: Path) -> None:
        self.path, self.at = folder / "club.db", 1_000.0
        self.archive = self.opened()

    def opened(self) -> Archive:
        self.archive = Archive(self.path, lambda: self.at)
        return self.archive

    def take(self, match: Match, upto: int | None = None, table: str = "table-1") -> list[bool]:
        body = match.links[0].body
        assert isinstance(body, Opening)
        return [self.archive.take_link(table, body.match, n, link) for n, link in enumerate(match.links[:upto])]


@pytest.fixture
def host(tmp_path: Path) -> Host:
    return Host(tmp_path)


@pytest.fixture(scope="module")
def match() -> Match:
    return Match()


def looks(match: Match, result: str = "", *names: str, at: float | None = 500.0) -> Glance:
    body = match.links[0].body
    assert isinstance(body, Opening)
    seats = tuple(Seated(seat, name, "", seat == "a") for seat, name in zip("ab", names or ("Anna", "B"), strict=True))
    won = ("a",) if result else ()
    return Glance("Tellstones", body.match, seats, "", (), (), False, result, "none", "", at, won)


def identity(match: Match) -> str:
    body = match.links[0].body
    assert isinstance(body, Opening)
    return body.match


def test_what_a_table_said_is_there_once_and_as_a_record(host: Host, match: Match) -> None:
    assert all(host.take(match))
    assert not any(host.take(match)), "said again"
    host.archive.close()
    archive = host.opened()
    assert tuple(archive.links(identity(match))) == tuple(match.links)
    assert read(archive.record(identity(match))).links == tuple(match.links)
    (played,) = archive.list_matches()
    assert (played.table, played.game, played.links) == ("table-1", "tellstones", len(match.links))


def test_a_match_that_goes_on_meanwhile_is_read_as_of_one_moment(host: Host, match: Match) -> None:
    host.take(match, 3)
    other = Archive(host.path)

    def meanwhile(statement: str) -> None:
        if "FROM link" in statement:
            assert host.archive.take_link("table-1", identity(match), 3, match.links[3])

    other.connection.set_trace_callback(meanwhile)
    assert len(other.links(identity(match))) == 3
    other.connection.set_trace_callback(None)
    assert len(other.links(identity(match))) == 4
    other.close()


def test_a_match_that_another_one_follows_takes_little_room_and_can_go_on(host: Host, match: Match) -> None:
    host.take(match, -1)
    following = replace(match.links[0], body=replace(match.links[0].body, match="6" * 32))
    host.archive.take_link("table-1", "6" * 32, 0, following)
    asked = "SELECT (SELECT count(*) FROM link WHERE match = id), length(packed) FROM match WHERE id = ?"
    stood, packed = host.archive.connection.execute(asked, (identity(match),)).fetchone()
    plain = len(b"".join(map(msgspec.json.encode, match.links)))
    assert stood == 0
    assert packed < plain / 2
    kept = read(host.archive.record(identity(match))).links
    assert [each.body for each in kept] == [each.body for each in match.links[:-1]]
    assert not any(host.take(match, -1)), "said again"
    assert host.archive.take_link("table-1", identity(match), len(match.links) - 1, match.links[-1])
    assert [each.body for each in host.archive.links(identity(match))] == [each.body for each in match.links]


def spoil(archive: Archive, match: Match, packed: bytes = b"\x92\xc4") -> None:
    """The disk gives it so."""
    archive.connection.execute("UPDATE match SET packed = ? WHERE id = ?", (packed, identity(match)))


def test_a_packed_match_that_the_disk_gives_otherwise_is_read_or_told_and_stops_nothing(
    host: Host, match: Match
) -> None:
    host.take(match)
    following = replace(match.links[0], body=replace(match.links[0].body, match="6" * 32))
    host.archive.take_link("table-1", "6" * 32, 0, following)
    (packed,) = host.archive.connection.execute("SELECT packed FROM match WHERE id = ?", (identity(match),)).fetchone()
    told = 0
    for at in range(0, len(packed), 5):
        spoil(host.archive, match, packed[:at] + bytes([packed[at] ^ 1]) + packed[at + 1 :])
        try:
            assert len(host.archive.links(identity(match))) == len(match.links)
        except Spoiled:
            told += 1
    assert told > 0
    for whole in (b"", packed[:-1], packed[:1], pack(match.links[:-1]), pack(match.links[1:] + match.links[:1])):
        spoil(host.archive, match, whole)
        with pytest.raises(Spoiled, match=f"match {identity(match)} can't be read"):
            host.archive.record(identity(match))


def pack(links: list[Signed]) -> bytes:
    return compression.pack_lines([msgspec.json.encode(each) for each in links])


def test_a_match_of_which_a_row_is_spoiled_keeps_no_other_from_beginning(host: Host, match: Match) -> None:
    host.take(match)
    host.archive.connection.execute("UPDATE link SET signed = ? WHERE n = 1", (b"{",))
    following = replace(match.links[0], body=replace(match.links[0].body, match="6" * 32))
    assert host.archive.take_link("table-1", "6" * 32, 0, following)
    assert len(host.archive.links("6" * 32)) == 1
    assert [each.text for each in host.archive.remarks("table-1")] == [Spoiled(identity(match)).text]


def test_a_link_that_was_another_one_before_is_refused_and_so_is_one_of_another_tables_match(
    host: Host, match: Match
) -> None:
    host.take(match)
    host.archive.take_glance("table-1", looks(match, "Anna wins."))
    assert host.archive.match(identity(match)).whole
    for known in (host.archive, host.opened()):
        with pytest.raises(Other, match=r"link 1 of match \w+ was another one before"):
            known.take_link("table-1", identity(match), 1, match.links[2])
        with pytest.raises(Other, match="is of table-1"):
            known.take_link("table-2", identity(match), 0, match.links[0])
        with pytest.raises(Other, match="is of table-1"):
            known.take_glance("table-2", looks(match))
        known.doubt("table-2", "0" * 32)
        found = known.match(identity(match))
        assert (found.doubted, found.whole) == (True, False)


def test_links_that_were_missed_are_known_until_they_have_come(host: Host, match: Match) -> None:
    host.take(match, 2)
    host.archive.take_glance("table-1", looks(match, "Anna wins."))
    with pytest.raises(Gap, match="link 2 was missed"):
        host.archive.take_link("table-1", identity(match), 3, match.links[3])
    assert not host.archive.match(identity(match)).whole
    assert host.archive.match(identity(match)).links == 2
    host.take(match)
    assert host.archive.match(identity(match)).whole


def test_a_glance_says_who_played_how_it_ended_and_when_it_began(host: Host, match: Match) -> None:
    host.archive.take_glance("table-1", looks(match))
    host.take(match)
    (going,) = host.archive.list_matches()
    assert (going.began, going.result, going.winners, going.whole) == (500.0, "", (), False)
    assert host.archive.list_matches(over=True) == []
    host.archive.take_glance("table-1", looks(match, "Anna wins.", at=10_000.0))
    (over,) = host.archive.list_matches(table="table-1", game="tellstones", player="Anna", over=True)
    assert (over.began, over.result, over.winners, over.whole) == (500.0, "Anna wins.", ("a",), True)
    assert [each.name for each in over.seats] == ["Anna", "B"]
    assert not host.archive.list_matches(player="Boris")


@pytest.mark.parametrize("again", [False, True])
def test_a_broker_that_says_again_what_it_saved_last_takes_no_end_back(host: Host, match: Match, again: bool) -> None:
    host.take(match)
    going, over = looks(match, at=600.0), looks(match, "Anna wins.", at=700.0)
    host.archive.take_glance("table-1", going)
    host.archive.take_glance("table-1", over)
    host.archive.take_glance("table-1", replace(looks(match, at=800.0), match="f" * 32))
    archive = host.opened() if again else host.archive
    archive.take_glance("table-1", going, old=True)
    assert (archive.match(identity(match)).result, archive.match(identity(match)).winners) == ("Anna wins.", ("a",))


def test_an_end_that_the_players_take_back_is_none(host: Host, match: Match) -> None:
    host.take(match)
    host.archive.take_glance("table-1", looks(match, "Anna wins.", at=700.0))
    host.archive.take_glance("table-1", looks(match, at=900.0))
    assert host.archive.match(identity(match)).result == ""


def test_links_of_a_match_under_way_take_little_more_than_they_are_long(host: Host, match: Match) -> None:
    for number in range(400 // len(match.links)):
        for n, link in enumerate(match.links):
            host.archive.take_link(f"table-{number}", f"{number:032x}", n, link)
    host.archive.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    (long,) = host.archive.connection.execute("SELECT sum(length(signed)) FROM link").fetchone()
    assert host.path.stat().st_size < 1.6 * long


def test_a_match_that_was_not_heard_from_its_beginning_began_as_long_ago_as_it_lasts(host: Host, match: Match) -> None:
    host.take(match)
    lasted = match.links[-1].body.at
    host.archive.take_glance("table-1", looks(match, at=None))
    assert host.archive.match(identity(match)).began is None
    host.archive.take_glance("table-1", looks(match, "Anna wins.", at=9_000.0))
    assert host.archive.match(identity(match)).began == 9_000.0 - lasted


def test_a_table_is_as_it_was_heard_last(host: Host, match: Match) -> None:
    archive, glance = host.archive, looks(match)
    archive.trust("table-1", "ab")
    archive.say_alive("table-1", True)
    archive.take_glance("table-1", glance)
    assert archive.tables() == [Table("table-1", "ab", True, host.at, glance)]
    host.at += KEEP_S + 1
    later = replace(glance, status="B's turn")
    archive.take_glance("table-1", later)
    Archive(host.path).trust("table-2", "cd")
    assert archive.key("table-2") == "cd", "said by another process"
    archive.close()
    assert host.opened().table("table-1") == Table("table-1", "ab", False, host.at, later)
    assert host.archive.table("table-2") == Table("table-2", "cd")
    assert host.archive.table("table-3") == Table("table-3")


def test_what_is_remarked_is_kept_once_until_it_is_settled(host: Host) -> None:
    gone = say("A display is away.")
    host.archive.remark("table-1", gone)
    host.at += 1
    host.archive.remark("table-1", gone)
    assert host.archive.table("table-1").remarks == (Remark(host.at, gone),)
    for number in range(2 * REMARKS):
        host.at += 1
        host.archive.remark("table-1", say("Player {number}", number=number))
    assert len(host.archive.remarks("table-1")) == REMARKS
    newest = host.archive.remarks("table-1")[0].text
    host.archive.settle("table-1", newest)
    assert newest not in [each.text for each in host.archive.remarks("table-1")]
    assert [table.name for table in host.archive.tables()] == ["table-1"]
    assert host.archive.remarks() == ()


def test_who_waits_for_a_change_hears_of_it_and_a_change_that_failed_is_none(host: Host) -> None:
    changed, version = host.archive.changed, host.archive.version

    def fail() -> None:
        with host.archive.transaction():
            host.archive.remark("", say("Player {number}", number=1))
            raise Other("not now")

    with pytest.raises(Other, match="not now"):
        fail()
    assert not changed.is_set()
    assert host.archive.remarks() == ()
    with host.archive.transaction():
        host.archive.remark("", say("Player {number}", number=1))
        host.archive.say_alive("table-1", True)
        assert not changed.is_set()
    assert changed.is_set()
    assert host.archive.version == version + 1
    assert isinstance(host.archive.changed, asyncio.Event)
    assert not host.archive.changed.is_set()


def test_a_result_that_could_not_be_written_is_kept_when_it_comes_again(host: Host, match: Match) -> None:
    archive = host.archive
    archive.take_glance("table-1", looks(match))

    def fails(table: str) -> None:
        with archive.transaction() as db:
            archive.take_glance(table, looks(match, "Anna wins"))
            archive.take_glance("table-2", replace(looks(match), match=""))
            db.execute("INSERT INTO nowhere VALUES (1)")

    with pytest.raises(NoArchive):
        fails("table-1")
    assert [(each.name, each.glance) for each in archive.tables()] == [("table-1", looks(match))]
    archive.take_glance("table-1", looks(match, "Anna wins"))
    archive.take_glance("table-1", replace(looks(match), match="f" * 32))
    archive.take_glance("table-2", replace(looks(match), match=""))
    archive.close()
    assert host.opened().match(identity(match)).result == "Anna wins"
    assert [each.name for each in host.archive.tables()] == ["table-1", "table-2"]


def test_what_was_remarked_a_day_ago_needs_nobody(host: Host) -> None:
    host.archive.remark("table-1", say("The hall is cold."))
    host.at += AGES_S - 1.0
    assert [each.text for each in host.archive.table("table-1").remarks] == [say("The hall is cold.")]
    host.at += 1.0
    assert host.archive.table("table-1").remarks == ()


def test_of_one_match_and_hour_there_is_a_limit(host: Host, match: Match, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee_club.archive.WEIGHED", 4)
    monkeypatch.setattr("referee_club.archive.BYTES", 1000)
    with pytest.raises(TooMuch):
        host.take(match)
    assert host.archive.count_stored(identity(match)) == 4
    monkeypatch.setattr("referee_club.archive.BEGUN", 2)
    for name in "12":
        host.archive.take_glance("table-2", replace(looks(match), match=name * 32))
    for at, fails in ((HOUR_S - 1.0, True), (1.0, False)):
        host.at += at
        try:
            host.archive.take_glance("table-2", replace(looks(match), match="3" * 32))
        except TooMuch:
            assert fails
        else:
            assert not fails


def test_a_large_match_is_packed_quickly_and_is_read_the_same(
    host: Host, match: Match, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("referee_club.compression.LARGE", 0)
    host.take(match)
    host.archive._pack(identity(match))
    assert [link.body for link in host.archive.links(identity(match))] == [link.body for link in match.links]


def test_what_was_missed_is_found_without_all_matches(host: Host) -> None:
    asked = "EXPLAIN QUERY PLAN SELECT 1 FROM match WHERE name = ? AND missed >= links"
    (plan,) = host.archive.connection.execute(asked, ("table-1",)).fetchall()
    assert "match_missed" in plan[-1]


def test_an_archive_whose_tables_cannot_be_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "club"
    Archive(path).close()
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("INSERT INTO heard (name, glance) VALUES ('table-1', x'7b')")
    with pytest.raises(NoArchive, match="cannot be used as a club's archive"):
        Archive(path)


def test_what_is_not_there_and_what_is_no_archive_are_told(host: Host, tmp_path: Path) -> None:
    for asked in (host.archive.match, host.archive.links, host.archive.record):
        with pytest.raises(NoMatch, match="no match 7"):
            asked("7")
    (tmp_path / "text").write_text("no database " * 100)
    with pytest.raises(NoArchive, match="text cannot be used as a club's archive"):
        Archive(tmp_path / "text")
    with sqlite3.connect(tmp_path / "later") as later:
        later.execute("PRAGMA user_version = 9")
    with pytest.raises(NoArchive, match="format 9, which is not known here: update"):
        Archive(tmp_path / "later")
    assert host.path.stat().st_mode & 0o077 == 0


KILLED = """
import sys
from pathlib import Path
from referee_club.archive import Archive
from extensions.club.tests.test_archive import identity
from extensions.record.tests.herald.table import Match
match, archive = Match(), Archive(Path(sys.argv[1]))
for n in range(archive.count_stored(identity(match)), len(match.links)):
    archive.take_link("table-1", identity(match), n, match.links[n])
    print(n, flush=True)
"""


@pytest.mark.thorough
def test_a_host_that_is_killed_has_what_it_said_that_it_has(tmp_path: Path, match: Match) -> None:
    path = tmp_path / "club.db"
    words = [sys.executable, "-c", KILLED, str(path)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, cwd=Path(__file__).parents[3]) as process:
        assert process.stdout is not None
        said = [int(process.stdout.readline()) for _ in range(3)]
        process.send_signal(signal.SIGKILL)
        said += [int(line) for line in process.stdout]
    archive = Archive(path)
    kept = archive.count_stored(identity(match))
    assert said == list(range(len(said)))
    assert len(said) <= kept <= len(said) + 1
    assert tuple(archive.links(identity(match))) == tuple(match.links[:kept])
