"""An evening leaves the journal as text with its matches in it, and comes back as it was."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from typer.testing import CliRunner

from device import games
from device.daemon.match_identity import with_end
from device.journal import About, Archive, Journal
from device.session import evening as evenings
from engine import notation
from engine.catalogue import complete
from engine.entry import Entry, Resign, Start
from engine.errors import Invalid
from engine.evening import (
    Evening,
    EveningKind,
    champions,
    next_match,
    pool,
    series,
    standings,
    with_plain_lots,
    with_result,
)
from engine.match import replay
from tests.commands import app
from tests.device.daemon.test_twins import known

RUN = CliRunner()
Kept = list[tuple[tuple[Entry, ...], About]]


def spent(name: str, evening: Evening, *, moved: bool = False, seed: int = 901) -> Kept:
    """All matches of an evening: in each somebody gives up after a while, by turns. moved: everybody changes seats."""
    found: Kept = []
    spec, lots, options = games.spec(name), seed, dict(complete(games.spec(name).options, {}))
    names = {str(number): f"Fencer {number}" for number in range(1, evening.players + 1)}
    while not champions(evening):
        rules = {**options, **evenings.rules(spec, evening)}
        start = Start(0.0, name, rules, ("a", "b"), seed, evening=msgspec.structs.replace(evening, lots=lots))
        entries = (start, Resign(2.5, ("a", "b", "a")[len(found) % 3]))
        match = replay(known(name).game, entries)
        assert match.result is not None
        seated = {seat: names[str(player + 1)] for seat, player in zip(("a", "b"), evening.seated, strict=True)}
        about = About(names={**names, **seated}, agreed=("1",), begun=1_700_000_000.0, clock_set=True)
        found.append((entries, with_end(about, match, None)))
        evening = with_result(evening, start.seats, match.result)
        if not champions(evening):
            evening = next_match(evening, moved=moved)
        seed += 1
    return found


EVENINGS = {
    "a series": ("tellstones", series(2, 2), False),
    "a series with seats changed": ("runes", series(2, 2), True),
    "Planet X": ("planetx", series(2, 2), True),
    "a pool of three": ("fence", pool(3), False),
    "a pool of four at home": ("fence", pool(4, ("a", "b", "c", "d")), False),
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.db"


def export(path: Path, *words: str) -> str:
    told = RUN.invoke(app, ["journal", "export", *words, "--evening", "--journal", str(path)])
    assert told.exit_code == 0, told.output
    return told.output


def brought_in(path: Path, text: str) -> str:
    file = path.with_name("evening.txt")
    file.write_text(text, encoding="utf-8")
    told = RUN.invoke(app, ["journal", "import", str(file), "--journal", str(path)])
    assert told.exit_code == 0, told.output
    return told.output


@pytest.mark.parametrize("what", sorted(EVENINGS))
def test_an_evening_is_the_same_after_export_and_import(path: Path, what: str) -> None:
    name, begun, moved = EVENINGS[what]
    matches = spent(name, begun, moved=moved)
    with Journal(path) as journal:
        journal.add_all([*matches, *spent("tellstones", series(2, 3), seed=5)])  # another evening stands beside it
    text = export(path, "1")
    assert text.count("[Record ") == len(matches)
    again = path.with_name("again.db")
    assert brought_in(again, text).count("match ") == len(matches)
    with Archive(again) as archive:
        assert [archive.entries(number) for number in archive.matches()] == [entries for entries, _ in matches]
        assert [archive.about(number).names for number in archive.matches()] == [about.names for _, about in matches]
    assert export(again) == text


@pytest.mark.parametrize("what", sorted(EVENINGS))
def test_a_public_evening_is_the_same_after_import_and_export(path: Path, what: str) -> None:
    """Its first seed, from which lots are drawn, stands nowhere in it, nor a name without consent."""
    name, begun, moved = EVENINGS[what]
    with Journal(path) as journal:
        journal.add_all(spent(name, begun, moved=moved))
    text = export(path, "--public")
    assert "901" not in text
    assert "Fencer 1" in text
    assert "Fencer 2" not in text
    again = path.with_name("again.db")
    brought_in(again, text)
    assert export(again, "--public") == text


def test_an_import_of_an_evening_that_is_there_already_is_one_of_its_own(path: Path) -> None:
    with Journal(path) as journal:
        journal.add_all(spent("fence", pool(3)))
    text = export(path)
    brought_in(path, text)
    with Archive(path) as archive:
        count = len(archive.matches()) // 2
    assert export(path, "1") == export(path, str(count)) == export(path, str(count + 1)) == text


def test_what_does_not_follow_is_refused_with_line_and_remedy_and_nothing_is_kept(path: Path) -> None:
    with Journal(path) as journal:
        journal.add_all(spent("tellstones", series(2, 2)))
    text = export(path)
    file, again = path.with_name("wrong.txt"), path.with_name("again.db")
    lines = text.splitlines()
    second = [number for number, line in enumerate(lines, start=1) if line.startswith("[Record")][1]
    wrong = text.replace('[Played "1-2/2/"]', '[Played "1-2/1/"]')
    assert wrong != text
    file.write_text(wrong, encoding="utf-8")
    told = RUN.invoke(app, ["journal", "import", str(file), "--journal", str(again)])
    assert told.exit_code != 0
    assert f"line {second}: this match does not follow" in str(told.exception)
    assert "export the evening again" in str(told.exception)
    assert not again.exists()


def test_a_match_that_stands_alone_is_no_evening(path: Path) -> None:
    (entries, about), *_ = spent("tellstones", series(2, 2))
    start = entries[0]
    assert isinstance(start, Start)
    with Journal(path) as journal:
        journal.add((msgspec.structs.replace(start, evening=msgspec.UNSET), *entries[1:]), about)
    told = RUN.invoke(app, ["journal", "export", "--evening", "--journal", str(path)])
    assert "match 1 is not one of an evening" in str(told.exception)


@pytest.mark.parametrize(
    ("headers", "why"),
    [
        ('[Evening "kind=party players=2 seated=1-2"]', "Line 2: the evening's headers don't fit together"),
        ('[Evening "kind=series players=2 seated=1-2"]', "Line 2: the evening's headers don't fit together"),
        ('[Evening "kind=series players=2 seated=1-3 to=2"]', "Line 2: the evening's headers don't fit together"),
        ('[Evening "kind=series players=3 seated=1-2-3 to=2"]', "Line 2: the evening's headers don't fit together"),
        (
            '[Evening "kind=series players=2 seated=1-2 to=2 beer=4"]',
            "Line 2: the evening's headers don't fit together",
        ),
        ('[Evening "kind=pool players=2 seated=1-2 homes=a-z"]', "Line 2: the evening's headers don't fit together"),
        ('[Evening "kind=series players=2 seated=1-2 to=2"]\n[Played "1-2"]', "Line 3: a match"),
        ('[Evening "kind=series players=2 seated=1-2 to=2"]\n[Played "1-2/3/"]', "Line 3: a match"),
        ('[Evening "kind=series players=2 seated=1-2 to=2"]\n[Played "1-1/1/"]', "Line 3: a match"),
        ('[Played "1-2/1/"]', "Line 2: no header"),
    ],
)
def test_headers_of_no_evening_are_refused_with_their_line(headers: str, why: str) -> None:
    with pytest.raises(Invalid, match=why):
        notation.parse_all(f'[Game "tellstones"]\n{headers}\n\na: boast\n', {"tellstones": games.spec("tellstones")})


def test_an_evening_without_a_match_to_come_reads_as_it_was_written() -> None:
    begun = msgspec.structs.replace(pool(3, ("a", "b", "c")), lots=77)
    start = Start(0.0, "fence", dict(complete(games.spec("fence").options, {})), ("a", "b"), 3, evening=begun)
    assert notation.parse(notation.write((start,)), {"fence": games.spec("fence")}).start == start


@pytest.mark.parametrize("seed", [1, 2**61 - 1, 987_654_321])
def test_public_lots_rank_as_the_evenings_own(seed: int) -> None:
    matches = spent("fence", pool(6), seed=seed)
    start = matches[-1][0][0]
    assert isinstance(start, Start)
    assert isinstance(start.evening, Evening)
    found = with_plain_lots(start.evening)
    assert found.lots < 5000
    for count in range(len(found.played) + 1):
        one, other = (msgspec.structs.replace(each, played=found.played[:count]) for each in (found, start.evening))
        assert [each.player for each in standings(one)] == [each.player for each in standings(other)]
    assert found.kind is EveningKind.POOL
    assert with_plain_lots(found) == found


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        (('[Game "tellstones"]', "", "a: boast"), ("line 3: ", "mend the line")),
        (('[Game "tellstones"]', '[Seed "secret"]', ""), ("line 2: the seed is left out", "with --public")),
    ],
)
def test_an_import_that_is_refused_says_the_line_and_what_to_do(
    path: Path, lines: tuple[str, ...], why: tuple[str, ...]
) -> None:
    file = path.with_name("wrong.txt")
    file.write_text("\n".join(lines), encoding="utf-8")
    told = str(RUN.invoke(app, ["journal", "import", str(file), "--journal", str(path)]).exception)
    assert all(part in told for part in why)
    assert not path.exists()


def test_an_evening_is_signed_match_by_match_and_the_command_says_why(path: Path) -> None:
    told = RUN.invoke(app, ["journal", "export", "1", "--evening", "--signed", "--journal", str(path)])
    assert told.exit_code == 2
    assert "is of one match" in " ".join(told.output.replace("│", " ").split())
