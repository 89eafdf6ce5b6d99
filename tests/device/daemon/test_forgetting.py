"""A person whom the table forgets: the name is nowhere any more, and every entry and proof is as it was."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import msgspec
import pytest
from typer.testing import CliRunner

from device.cli.matches import catalogue
from device.clock import WallTime
from device.daemon.forgetting import DAY_S, Retention, forget, known_names
from device.journal import About, Archive, Ending, Journal
from device.journal.opening import salvage
from device.records.public_record import write_record
from device.session import names
from device.session.last_time import LastMatch, encode
from device.session.messages import NameGiven
from device.session.state import Person
from device.version import version
from extensions.record.tests.test_verify import SECRET, about_of, entries_of
from referee_record import table_key as keys
from referee_record.daemon.glances import summarise
from referee_record.public_entries import FORMAT
from referee_record.signed_record import Unrevealed, export, read
from referee_record.signed_record import encode_record as as_file
from referee_record.verification import verify
from tests.commands import app
from tests.device.daemon.test_core import Room
from tests.device.journal.test_formats import KEPT
from tools.tampering import load_game

replace = msgspec.structs.replace
ANNA = "Ännchen"
"""A name that is in no sentence, key or certificate, and not in ASCII."""
BOTH = About(id="7" * 32, names={"a": ANNA, "b": "Ben"}, agreed=("a", "b"), secret=SECRET)
GAMES = ("tellstones", "planetx", "fence", "runes")


def has_name(data: bytes | str) -> bool:
    text = data if isinstance(data, bytes) else data.encode()
    return any(each.encode() in text for each in (ANNA, ANNA.lower(), ANNA.upper()))


def held(folder: Path) -> bytes:
    """All bytes of all files."""
    return b"".join(each.read_bytes() for each in sorted(folder.rglob("*")) if each.is_file())


def filled(path: Path) -> Journal:
    """A journal that has her in a match of each game, in an imported record, and among the names that it offers."""
    journal = Journal(path)
    for game in GAMES:
        journal.add(entries_of(game), about_of(game, BOTH))
    entries, about = entries_of("runes"), about_of("runes", BOTH)
    public = write_record(load_game("runes"), entries, about)
    assert has_name(public)
    journal.add(entries[:1], replace(about, public=public))
    last = LastMatch("tellstones", ("a", "b"), names={"a": "Ben", "b": ANNA})
    journal.write(
        settings={
            names.SETTING: names.encode((Person("Ben", True), Person(ANNA, True), Person("Cleo"))),
            "last": encode(last),
            "language": "ru",
        }
    )
    return journal


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.db"


def rows(journal: Archive) -> Mapping[int, object]:
    return {match: journal.rows(match) for match in journal.matches()}


@pytest.mark.parametrize("spelling", [ANNA, f"  {ANNA.upper()} "])
def test_no_file_has_the_name_any_more_and_no_entry_is_another(path: Path, spelling: str) -> None:
    with filled(path) as journal:
        before = rows(journal)
        assert has_name(held(path.parent))
        assert known_names(journal) == ("Ben", "Cleo", ANNA)
        assert forget(journal, spelling) == len(GAMES) + 1
        assert not has_name(held(path.parent))
        assert rows(journal) == before
        assert forget(journal, spelling) == 0
        assert known_names(journal) == ("Ben", "Cleo")
        assert [each.name for each in names.decode(journal.setting(names.SETTING))] == ["Ben", "Cleo"]
        assert msgspec.json.decode(journal.setting("last") or "", type=LastMatch).names == {"a": "Ben"}
        assert journal.setting("language") == "ru"
        assert journal.about(1) == replace(about_of("tellstones", BOTH), names={"b": "Ben"}, forgotten=("a",))
    assert not has_name(held(path.parent))
    with Journal(path) as again:
        assert rows(again) == before
        assert not again.missing


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("format", [1, 2, FORMAT])
def test_a_signed_record_is_the_same_to_the_byte(path: Path, game: str, format: int) -> None:
    key = keys.make_key(path.parent)
    about = about_of(game, replace(BOTH, secret=replace(SECRET, format=format)))

    def record(journal: Archive) -> bytes:
        made = export(load_game(game), journal.entries(1), journal.about(1), key, version(), reveal=True)
        return as_file(made)

    with Journal(path) as journal:
        journal.add(entries_of(game), about)
        before = record(journal)
        found = verify(read(before), load_game(game), version())
        forget(journal, ANNA)
        assert record(journal) == before
        assert verify(read(before), load_game(game), version()) == found
    assert not has_name(before)


def test_who_did_not_agree_to_a_reveal_does_not_agree_by_being_forgotten(path: Path) -> None:
    key = keys.make_key(path.parent)
    with Journal(path) as journal:
        journal.add(entries_of("runes"), about_of("runes", replace(BOTH, agreed=("b",))))
        forget(journal, ANNA)
        with pytest.raises(Unrevealed, match="leave the table: a"):
            export(load_game("runes"), journal.entries(1), journal.about(1), key, version(), reveal=True)


@pytest.mark.parametrize("public", [False, True])
def test_an_export_calls_the_player_by_the_seat_and_can_be_imported(
    path: Path, tmp_path: Path, *, public: bool
) -> None:
    with filled(path) as journal:
        forget(journal, ANNA)
    for match in range(1, len(GAMES) + 2):
        if not public and match > len(GAMES):
            continue
        file = tmp_path / f"{match}.txt"
        words = ["journal", "export", str(match), "-j", str(path), "-o", str(file), *(("--public",) if public else ())]
        assert CliRunner().invoke(app, words).exit_code == 0
        text = file.read_text()
        assert not has_name(text)
        assert '[Players "b=Ben"]' in text
        done = CliRunner().invoke(app, ["journal", "import", str(file), "-j", str(tmp_path / "other.db")])
        assert done.exit_code == 0, done.output
    listed = "\n".join(map(str, catalogue(path).matches))
    assert not has_name(listed)
    assert "Ben" in listed


@pytest.mark.parametrize("name", ["A, B; C", 'Ann "x"', "J.", "A\\B"])
def test_a_name_with_signs_goes_from_an_imported_record(path: Path, name: str) -> None:
    about = about_of("runes", replace(BOTH, names={"a": name, "b": f"{name} Lee"}))
    public = write_record(load_game("runes"), entries_of("runes"), about)
    with Journal(path) as journal:
        journal.add(entries_of("runes")[:1], replace(about, public=public))
        forget(journal, name)
        left = journal.about(1)
        assert left.names == {"b": f"{name} Lee"}
        assert [each for each in left.public.splitlines() if each.startswith("[Players")] == [
            line
            for line in write_record(load_game("runes"), entries_of("runes"), replace(left, public="")).splitlines()
            if line.startswith("[Players")
        ]


def test_somebody_in_an_evening_is_forgotten_by_number(path: Path) -> None:
    about = About(names={"1": "Ben", "2": ANNA, "a": "Ben", "b": ANNA}, agreed=("1", "2", "a", "b"))
    with Journal(path) as journal:
        journal.add(entries_of("fence"), about)
        forget(journal, ANNA)
        assert journal.about(1) == replace(about, names={"1": "Ben", "a": "Ben"}, forgotten=("2", "b"))


def test_a_journal_of_format_1_forgets_as_well(path: Path) -> None:
    shutil.copy(KEPT / "format-1.db", path)
    with Archive(path) as old:
        before = [old.entries(match) for match in old.matches()]
    with Journal(path) as journal:
        journal.write(settings={names.SETTING: names.encode((Person(ANNA, True),))})
        forget(journal, ANNA)
        journal.compact()
        assert [journal.entries(match) for match in journal.matches()] == before
    assert not has_name(held(path.parent))


KILLED = """
import os, signal, sys
from pathlib import Path
from device.daemon.forgetting import forget
from device.journal import Journal
journal, at, count = Journal(Path(sys.argv[1])), int(sys.argv[2]), 0

def step(statement):
    global count
    count += 1
    if count == at:
        os.kill(os.getpid(), signal.SIGKILL)

journal._db.set_trace_callback(step)
forget(journal, sys.argv[3])
journal.compact()
print("done")
"""


@pytest.mark.thorough
def test_power_that_goes_in_the_middle_leaves_all_of_it_or_nothing_and_once_more_does_it(tmp_path: Path) -> None:
    root, at, states = Path(__file__).parents[3], 0, set[frozenset[bool]]()
    (tmp_path / "whole").mkdir()
    filled(tmp_path / "whole" / "journal.db").close()
    for at in range(1, 80):
        folder = tmp_path / str(at)
        shutil.copytree(tmp_path / "whole", folder)
        path = folder / "journal.db"
        words = [sys.executable, "-c", KILLED, str(path), str(at), ANNA]
        done = subprocess.run(words, capture_output=True, text=True, cwd=root, check=False)
        with Journal(path) as journal:
            assert not journal.missing
            states.add(frozenset(has_name(value) for value in journal.settings().values() if '"names"' in value))
            forget(journal, ANNA)
        assert not has_name(held(folder))
        if done.returncode == 0:
            break
        assert done.returncode == -signal.SIGKILL, done.stderr
    assert at > 10
    assert states == {frozenset({True}), frozenset({False})}


def test_while_a_match_goes_on_every_display_and_page_forgets_with_it(tmp_path: Path) -> None:
    made = Room(tmp_path)
    made.begin()
    for seat, name in (("a", ANNA), ("b", "Ben")):
        made.core.take(NameGiven(made.now, seat, name, leaves=True))

    def seen() -> str:
        return repr((summarise(made.table, made.core.session, "7" * 32, made.now), made.core.session.people))

    assert has_name(seen())
    assert has_name(repr(made.screen("table")))
    assert made.core.names() == ("Ben", ANNA)
    assert made.core.forget(ANNA) == 1
    assert not has_name(seen())
    assert "Ben" in seen()
    assert not has_name(repr([made.screen(each) for each in ("a", "b", "table")]))
    made.press("a", "choose", "choose", "choose", "choose")
    made.journal.close()
    assert not has_name(held(tmp_path))
    made.start()
    assert not has_name(seen())
    assert {key: each.name for key, each in made.play.people.items()} == {"b": "Ben"}


# How long matches are kept.


def dated(day: float | None, *, known_then: bool = True) -> About:
    """Of a match that was over on a day of 1970; None: without a clock."""
    if day is None:
        return About(names={"a": ANNA})
    ended = Ending(day * DAY_S, known_then, "A wins.", ("a",), 60.0)
    return About(begun=day * DAY_S - 60.0, clock_set=known_then, names={"a": ANNA}, ended=ended)


def aged(path: Path, *abouts: About) -> Journal:
    journal = Journal(path)
    for about in abouts:
        journal.add(entries_of("tellstones"), about)
    return journal


def at(day: float, *, known_now: bool = True) -> WallTime:
    return WallTime(day * DAY_S, known_now)


def left(journal: Archive) -> list[int]:
    return list(journal.matches())


def test_matches_are_kept_for_ever_unless_days_are_set_and_the_clock_is(path: Path) -> None:
    with aged(path, dated(1), dated(2)) as journal:
        Retention(journal, 0, lambda: at(30_000)).drop_old()
        Retention(journal, 30, lambda: at(30_000, known_now=False)).drop_old()
        assert left(journal) == [1, 2]


def test_a_match_goes_after_so_many_days_and_one_without_a_date_with_the_next_that_has_one(path: Path) -> None:
    undated = replace(dated(None), dated="1999-01-01")
    with aged(path, dated(None), dated(50), undated, dated(90, known_then=False), dated(80), dated(None)) as journal:
        Retention(journal, 30, lambda: at(80.5)).drop_old()
        assert left(journal) == [3, 4, 5, 6]
        Retention(journal, 30, lambda: at(110.5)).drop_old()
        assert left(journal) == [6], "played after the last day that is known"


def test_what_was_dropped_is_nowhere_and_not_missing_and_its_number_is_never_another_match(path: Path) -> None:
    with aged(path, dated(1), dated(2)) as journal:
        Retention(journal, 30, lambda: at(60)).drop_old()
        assert left(journal) == []
        assert not has_name(held(path.parent))
        assert journal.add(entries_of("fence")) == 3
    with Journal(path) as again:
        assert again.missing == {}
        assert left(again) == [3]
    assert [each.match for each in catalogue(path).matches] == [3]
    assert catalogue(path).fault == ""


def test_power_that_goes_before_the_witness_knows_makes_no_loss_of_it(path: Path) -> None:
    with aged(path, dated(1), dated(2)) as journal:
        witness = path.with_name("journal.db-witness")
        journal.attest()
        before = witness.read_bytes()
        Retention(journal, 30, lambda: at(31.5)).drop_old()
    witness.write_bytes(before)
    with Journal(path) as again:
        assert again.missing == {}
    path.write_bytes(path.read_bytes()[:-4096])
    witness.write_bytes(before)
    assert 1 not in salvage(path).found.rows
    with Journal(path) as mended:
        assert left(mended) in ([2], [])


def test_the_match_that_goes_on_is_never_dropped(path: Path) -> None:
    with Journal(path) as journal:
        journal.write(entries_of("tellstones")[:3], about=replace(dated(1), ended=None))
        Retention(journal, 30, lambda: at(60)).drop_old()
        assert left(journal) == [1]
        assert journal.current_entries() == entries_of("tellstones")[:3]


def test_a_match_whose_end_the_table_still_shows_is_dropped_after_it_is_left(path: Path) -> None:
    with Journal(path) as journal:
        journal.write(entries_of("tellstones"), about=dated(1))
        Retention(journal, 30, lambda: at(60)).drop_old()
        assert journal.current_entries() == entries_of("tellstones")
        journal.leave()
        Retention(journal, 30, lambda: at(60)).drop_old()
        assert left(journal) == []


# The command.


def test_the_command_asks_first_and_names_what_it_cannot_reach(path: Path) -> None:
    filled(path).close()
    path.with_name("journal.db.damaged-1").write_bytes(b"an old copy")
    words = ["forget", ANNA, "--journal", str(path)]
    refused = CliRunner().invoke(app, words, input="n\n")
    assert refused.exit_code == 1
    assert has_name(held(path.parent))
    done = CliRunner().invoke(app, [*words, "--yes"], catch_exceptions=False)
    assert f"{ANNA} is forgotten. Matches that had the name: {len(GAMES) + 1}." in done.stdout
    assert "journal.db.damaged-1 was put aside damaged and may still have the name" in done.stdout
    assert not has_name(held(path.parent))


def test_beside_a_referee_that_runs_the_command_changes_nothing(path: Path) -> None:
    filled(path).close()
    program = (
        "import sys, time; from pathlib import Path; from device.bus.endpoints import alone\n"
        "with alone(Path(sys.argv[1])): print('held', flush=True); time.sleep(60)"
    )
    words = [sys.executable, "-c", program, str(path.parent)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, cwd=Path(__file__).parents[3]) as other:
        assert other.stdout is not None
        other.stdout.readline()
        done = CliRunner().invoke(app, ["forget", ANNA, "--yes", "--journal", str(path)])
        other.kill()
    assert "is this table's referee already" in str(done.exception)
    assert has_name(held(path.parent))
