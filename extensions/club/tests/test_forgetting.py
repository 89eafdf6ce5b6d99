"""A player whom the club forgets: the name is nowhere any more, and every record verifies as before."""

from __future__ import annotations

import asyncio
import csv
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote

import msgspec
import pytest
from aiohttp import ClientSession
from typer.testing import CliRunner

from device.clock import WallTime
from device.personal_names import replace_names
from device.version import version
from extensions.club.tests.test_archive import identity, looks
from extensions.club.tests.test_ingest import listening
from extensions.record.tests.herald.table import Match
from referee_club import club, results
from referee_club.archive import Archive
from referee_club.forgetting import DAY_S, Forgotten, drop_old, forget
from referee_club.hall import Hall
from referee_club.home_assistant import Home
from referee_club.names import nameless
from referee_club.standings import league
from referee_club.tournament import Ended, Kind, Plan, draw
from referee_club.tournaments import Tournaments
from referee_record.herald import topics
from referee_record.public_frames import Glance, Scores
from referee_record.signed_record import read
from referee_record.verification import Result, verify
from tests.commands import app
from tools.tampering import load_game

replace = msgspec.structs.replace
ANNA = "Ännchen"
"""A name that is in no sentence, key or certificate, and not in ASCII."""
UNDER_WAY = "f" * 32


@pytest.fixture(scope="module")
def match() -> Match:
    return Match()


def told(match: Match, result: str = "", at: float = 500.0) -> Glance:
    """Return the glance of a table at which she plays against Ben."""
    found = looks(match, result, ANNA, "Ben", at=at)
    points = Scores("Points", ((ANNA, 2), ("Ben", 1)), 3)
    return replace(found, scores=(points,), status=f"{ANNA}'s turn", needs=f"Please wait for {ANNA}.")


def filled(path: Path, match: Match) -> Archive:
    """A club that has her in a match that is over, in one under way, and in two tournaments."""
    archive = Archive(path)
    for n, link in enumerate(match.links):
        archive.take_link("table-1", identity(match), n, link)
    archive.say_alive("table-1", True)
    archive.take_glance("table-1", told(match))
    archive.take_glance("table-1", told(match, f"{ANNA} wins against Ben.", at=900.0))
    archive.take_glance("table-1", replace(told(match, at=1000.0), match=UNDER_WAY))
    tournaments = Tournaments(archive)
    for title in ("Spring", f"Cup of {ANNA}"):
        id = tournaments.make(Plan(title, Kind.ROUND_ROBIN, ("Cleo", ANNA, "Ben")))
        tournaments.take(id, draw(tournaments.get(id)))
    return archive


@pytest.fixture
def archive(tmp_path: Path, match: Match) -> Archive:
    return filled(tmp_path / club.ARCHIVE, match)


def has_name(data: bytes | str) -> bool:
    """Return True if her name is in there, as it is or as part of an address."""
    text = data if isinstance(data, bytes) else data.encode()
    return any(each.encode() in text for name in (ANNA, ANNA.lower(), ANNA.upper()) for each in (name, quote(name)))


def held(folder: Path) -> bytes:
    """All bytes of all files."""
    return b"".join(each.read_bytes() for each in sorted(folder.rglob("*")) if each.is_file())


def finding(record: bytes) -> object:
    """All that `referee verify` says of it."""
    return verify(read(record), load_game("tellstones"), version())


def test_no_file_has_the_name_any_more_and_the_record_is_the_same_to_the_byte(
    archive: Archive, match: Match, tmp_path: Path
) -> None:
    record = archive.record(identity(match))
    verdict = finding(record)
    assert has_name(held(tmp_path))
    assert forget(archive, f" {ANNA.lower()} ") == Forgotten(2, 2, wiped=True), "capitals and blanks do not matter"
    assert not has_name(held(tmp_path))
    assert archive.record(identity(match)) == record
    assert finding(record) == verdict
    assert verify(read(record), load_game("tellstones"), version()).result is not Result.REFUSED
    once = (tmp_path / club.ARCHIVE).read_bytes()
    assert forget(archive, ANNA) == Forgotten(0, 0, wiped=True)
    assert (tmp_path / club.ARCHIVE).read_bytes() == once
    archive.close()
    assert not has_name(held(tmp_path))


def test_the_match_stays_under_the_seat_and_nobody_elses_line_changes(archive: Archive, match: Match) -> None:
    archive.take_glance("table-2", replace(looks(match, "Anna Lee wins.", "Anna Lee", "Cleo"), match="6" * 32))
    before = {each.name: each.whole for each in league(archive.list_matches(over=True))}
    forget(archive, ANNA)
    forget(archive, "Anna")
    after = {each.name: each.whole for each in league(archive.list_matches(over=True))}
    assert after == {name: line for name, line in before.items() if name != ANNA}
    played = archive.match(identity(match))
    assert [each.name for each in played.seats] == ["A", "Ben"]
    assert (played.result, played.winners) == ("A wins against Ben.", ("a",))
    assert archive.match("6" * 32).result == "Anna Lee wins."
    lines = csv.DictReader(results.write_results(archive.list_matches()).decode("utf-8-sig").splitlines())
    assert {each["match"]: each["players"] for each in lines}[identity(match)] == "A; Ben"


def test_a_tournament_goes_on_with_the_entrants_number(archive: Archive) -> None:
    tournaments = Tournaments(archive)
    id = tournaments.make(Plan("Autumn", Kind.ROUND_ROBIN, ("Player 2", ANNA, "Ben")))
    tournaments.take(id, draw(tournaments.get(id)))
    tournaments.take(id, Ended(*tournaments.get(id).open[0], winner=0))
    before = tournaments.get(id)
    forget(archive, ANNA)
    after = tournaments.get(id)
    assert after.plan.entrants == ("Player 2", "Player 3", "Ben"), "no two have one name"
    assert after.rounds == before.rounds
    assert sorted(each.plan.name for _, each in tournaments.all()) == ["Autumn", "Cup of Player 2", "Spring"]


@pytest.mark.parametrize("address", ["", "matches", "players", "match?id={id}", "table?name=table-1", "tournaments"])
def test_no_page_has_the_name(archive: Archive, match: Match, address: str) -> None:
    async def seen() -> tuple[str, str]:
        site = Hall(archive, "127.0.0.1", 0)
        await site.start()
        try:
            async with ClientSession(site.address()) as guest:
                asked = "/" + address.format(id=identity(match))
                before = await (await guest.get(asked)).text()
                forget(archive, ANNA)
                site.forget()
                return before, await (await guest.get(asked)).text()
        finally:
            await site.close()

    before, after = asyncio.run(seen())
    assert has_name(before)
    assert not has_name(after)


def test_a_host_that_runs_forgets_with_it_and_so_do_the_broker_and_home_assistant(
    archive: Archive, match: Match, tmp_path: Path
) -> None:
    home = Home(archive, "en", str)
    reader = listening(archive)
    assert has_name(b"".join(payload for _, payload in home.news()))
    other = Archive(tmp_path / club.ARCHIVE)
    forget(other, ANNA)
    other.close()
    reader.correct(archive.heed() or {})
    (glance,) = reader._news()
    assert glance == (topics.glance("table-1"), msgspec.json.encode(archive.table("table-1").glance))
    assert not has_name(glance[1])
    corrected = home.news()
    assert corrected
    assert not has_name(b"".join(payload for _, payload in corrected))
    assert not has_name(held(tmp_path))
    assert archive.heed() is None
    archive.close()
    assert not has_name(held(tmp_path))


@pytest.mark.parametrize("old", [False, True])
def test_what_the_table_says_again_of_that_match_has_no_name_either(
    archive: Archive, match: Match, tmp_path: Path, *, old: bool
) -> None:
    forget(archive, ANNA)
    reader = listening(archive)
    for said in (told(match, f"{ANNA} wins.", at=2000.0), replace(told(match, at=2001.0), match=UNDER_WAY)):
        reader.take(topics.glance("table-1"), msgspec.json.encode(said), old=old)
        ((topic, corrected),) = reader._news()
        assert topic == topics.glance("table-1")
        assert msgspec.json.decode(corrected, type=Glance) == nameless(said, {"a"})
    archive.close()
    assert not has_name(held(tmp_path))


def test_somebody_of_that_name_who_plays_later_is_known_by_it(archive: Archive, match: Match) -> None:
    forget(archive, ANNA)
    archive.take_glance("table-1", replace(told(match, at=3000.0), match="1" * 32))
    assert [each.name for each in archive.match("1" * 32).seats] == [ANNA, "Ben"]


def test_a_name_in_a_sentence_is_a_word_and_the_longer_name_first() -> None:
    names = {"Ann": "A", "Ann Lee": "Ann Lee", "小明": "B"}
    assert replace_names("Ann beats Ann Lee, not Annika; 小明's turn (Ann).", names) == (
        "A beats Ann Lee, not Annika; B's turn (A)."
    )


@pytest.mark.parametrize("first", [ANNA, f"{ANNA}."])
def test_a_glance_is_nameless_in_every_field(match: Match, first: str) -> None:
    seen = replace(told(match), seats=(replace(told(match).seats[0], name=first), told(match).seats[1]), game=first)
    named = msgspec.json.encode(seen).decode().replace(f"{ANNA}..", f"{ANNA}.")
    assert has_name(named)
    found = nameless(replace(seen, scores=(Scores(first, ((first, 1),)),), status=first, needs=first), {"a"})
    assert not has_name(msgspec.json.encode(replace(found, scores=(replace(found.scores[0], of=""),))))


KILLED = """
import os, signal, sys
from pathlib import Path
from referee_club.archive import Archive
from referee_club.forgetting import forget
archive, at, count = Archive(Path(sys.argv[1])), int(sys.argv[2]), 0

def step(statement):
    global count
    count += 1
    if count == at:
        os.kill(os.getpid(), signal.SIGKILL)

archive.connection.set_trace_callback(step)
forget(archive, sys.argv[3])
print("done")
"""


@pytest.mark.thorough
def test_power_that_goes_in_the_middle_leaves_all_of_it_or_nothing_and_once_more_does_it(
    tmp_path: Path, match: Match
) -> None:
    root, at, states = Path(__file__).parents[3], 0, set[tuple[bool, ...]]()
    for at in range(1, 60):
        folder = tmp_path / str(at)
        folder.mkdir()
        path = folder / club.ARCHIVE
        filled(path, match).close()
        words = [sys.executable, "-c", KILLED, str(path), str(at), ANNA]
        done = subprocess.run(words, capture_output=True, text=True, cwd=root, check=False)
        archive = Archive(path)
        plans = [has_name(msgspec.json.encode(each.plan)) for _, each in Tournaments(archive).all()]
        named = [has_name(msgspec.json.encode(each)) for each in archive.list_matches()]
        states.add((*plans, *named))
        forget(archive, ANNA)
        archive.close()
        assert not has_name(held(folder))
        if done.returncode == 0:
            break
        assert done.returncode == -signal.SIGKILL, done.stderr
    assert at > 10
    assert states == {(True,) * 4, (False,) * 4}


def test_a_file_of_an_earlier_version_forgets_too(tmp_path: Path, match: Match) -> None:
    path = tmp_path / club.ARCHIVE
    filled(path, match).close()
    with sqlite3.connect(path) as earlier:
        earlier.execute("DROP TABLE forgotten")
        earlier.execute("ALTER TABLE match DROP COLUMN noted")
    earlier.close()
    archive = Archive(path)
    assert forget(archive, ANNA).matches == 2
    archive.close()
    assert not has_name(held(tmp_path))


class Clock:
    at = 1_000.0


@pytest.fixture
def clock() -> Clock:
    return Clock()


def aged(path: Path, clock: Clock, keep_days: int) -> Archive:
    archive = Archive(path, lambda: clock.at)
    archive.keep_days = keep_days
    return archive


def test_matches_are_kept_for_ever_unless_a_time_is_set(tmp_path: Path, match: Match, clock: Clock) -> None:
    filled(tmp_path / club.ARCHIVE, match).close()
    archive = aged(tmp_path / club.ARCHIVE, clock, 0)
    clock.at = 1e12
    assert drop_old(archive, lambda: WallTime(clock.at, True)) is None
    assert len(archive.list_matches()) == 2
    archive.close()


def test_a_match_goes_so_long_after_its_last_entry_with_all_names_and_does_not_come_back(
    tmp_path: Path, match: Match, clock: Clock
) -> None:
    archive = aged(tmp_path / club.ARCHIVE, clock, 30)
    tournaments = Tournaments(archive, lambda: clock.at)
    for n, link in enumerate(match.links):
        archive.take_link("table-1", identity(match), n, link)
    archive.take_glance("table-1", told(match, f"{ANNA} wins."))
    id = tournaments.make(Plan("Spring", Kind.ROUND_ROBIN, ("Cleo", ANNA)))
    tournaments.take(id, draw(tournaments.get(id)))
    tournaments.take(id, Ended(*tournaments.get(id).open[0], winner=0, match=identity(match)))
    clock.at += 29 * DAY_S
    archive.take_glance("table-2", replace(looks(match), match="6" * 32))
    assert drop_old(archive, lambda: WallTime(clock.at, True)) == {}
    assert drop_old(archive, lambda: WallTime(clock.at + 1e6 * DAY_S, False)) is None, "nobody has set the clock"
    assert [id for id, _ in tournaments.all()] == [id]
    clock.at += 2 * DAY_S
    assert drop_old(archive, lambda: WallTime(clock.at, True)) == {
        "table-1": nameless(told(match, f"{ANNA} wins."), {"a", "b"})
    }
    assert [each.match for each in archive.list_matches()] == ["6" * 32]
    assert list(tournaments.all()) == []
    assert not has_name(held(tmp_path))
    reader = listening(archive)
    reader.take(topics.glance("table-1"), msgspec.json.encode(told(match, f"{ANNA} wins.", at=5.0)))
    for n, link in enumerate(match.links):
        reader.take(topics.link("table-1", identity(match), n), msgspec.json.encode(link))
    assert [each.match for each in archive.list_matches()] == ["6" * 32]
    assert archive.table("table-1").remarks == ()
    archive.close()
    assert not has_name(held(tmp_path))


@pytest.mark.parametrize(
    ("days", "sentence"),
    [
        (0, "Matches are kept for ever."),
        (1, "Matches are kept for 1 day."),
        (90, "Matches are kept for 90 days."),
    ],
)
def test_the_pages_say_how_long_matches_are_kept(archive: Archive, days: int, sentence: str) -> None:
    async def seen() -> list[str]:
        archive.keep_days = days
        site = Hall(archive, "127.0.0.1", 0)
        await site.start()
        try:
            async with ClientSession(site.address()) as guest:
                asked = ("/matches", "/players", f"/player?name={quote(ANNA)}")
                return [await (await guest.get(each)).text() for each in asked]
        finally:
            await site.close()

    asked = "The club removes your name from them if you ask."
    assert all(f"{sentence} {asked}" in page for page in asyncio.run(seen()))


def test_the_command_asks_first_and_says_what_was_done(archive: Archive, tmp_path: Path) -> None:
    (tmp_path / club.SETTINGS).write_bytes(msgspec.json.encode(club.Settings("hall.local")))
    words = ["club", "--folder", str(tmp_path), "forget", ANNA]
    refused = CliRunner().invoke(app, words, input="n\n")
    assert refused.exit_code == 1
    assert has_name(held(tmp_path))
    done = CliRunner().invoke(app, [*words, "--yes"], catch_exceptions=False)
    assert f"{ANNA} was in 2 matches and 2 tournaments, and is forgotten." in done.stdout
    archive.heed()
    assert not has_name(held(tmp_path))


def test_how_long_matches_are_kept_stays_chosen(tmp_path: Path) -> None:
    chosen = club.change_settings(tmp_path, {"name": "hall.local", "keep_days": 90})
    (tmp_path / club.SETTINGS).write_bytes(msgspec.json.encode(chosen))
    assert club.change_settings(tmp_path, {}).keep_days == 90
    assert club.change_settings(tmp_path, {"keep_days": 0}).keep_days == 0
