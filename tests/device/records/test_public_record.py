"""The public record: the same bytes for matches that differ only in secrets (law 5), and names by consent alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from typer.testing import CliRunner, Result

from device import games
from device.cli.records import RecordError
from device.journal import About, Archive, Ending, Journal
from device.records import public_record as public
from device.records.public_match import course
from device.records.public_record import BOARD, decode_public, people, write_record
from device.session.table import KnownGame
from engine import notation
from engine.catalogue import complete
from engine.entry import Act, Entry, Resign, Settle, Source, Start
from engine.errors import Invalid
from engine.game import Words
from engine.grammar import wander
from engine.match import replay
from tests.commands import app
from tests.device.daemon.test_twins import GAMES, SEATS, Midway, known, midway
from vision.files.reading import LONGEST

ANNA = About(names={"a": "Anna", "b": "Bert"}, agreed=("a",))


def begun(name: str, seed: int) -> Start:
    options = dict(complete(known(name).spec.options, GAMES[name][1]))  # type: ignore[arg-type]
    return Start(0.0, name, options, SEATS, seed)


def played(name: str, seed: int, actions: int) -> tuple[Entry, ...]:
    """A match at random, each action carried out at once."""
    start, game, rng = begun(name, seed), known(name).game, Random(f"{name}/{seed}")
    state: Any = game.setup(start.options, SEATS, seed)
    found: list[Entry] = [start]
    for number in range(1, actions + 1):
        actors = sorted(game.actors(state))
        if not actors or game.outcome(state) is not None:
            break
        seat = rng.choice(actors)
        act = Act(float(number), seat, wander(game, state, seat, rng.randrange), Source.CAMERA)
        state, _ = game.apply(state, seat, game.read(state, seat, act.words))
        found.append(act)
    return tuple(found)


Record = Callable[[KnownGame, Sequence[Entry]], object]
"""What of a match everybody may have."""


def public_record(game: KnownGame, entries: Sequence[Entry]) -> object:
    return write_record(game, entries, ANNA)


def compared(name: str, rng: Random, record: Record = public_record) -> tuple[int, bool, int]:
    """Two matches from states that differ in what nobody at the table may know of all, with other seeds: after how many
    actions their records were compared, whether the states differ, and how many actions were other ones in secret."""
    game, count, choices = known(name).game, 0, 0
    for _ in range(60):
        state = midway(rng, name)
        other = GAMES[name][0](rng, state, None)
        if other != state:
            break
    one, two = Midway(game, state), Midway(game, other)
    mine: list[Entry] = [begun(name, 1)]
    theirs: list[Entry] = [begun(name, 2)]
    here, there = state, other
    for number in range(1, 13):
        actors = sorted(game.actors(here))
        if not actors or actors != sorted(game.actors(there)):
            break
        seat = rng.choice(actors)
        act = Act(float(number), seat, wander(game, here, seat, rng.randrange), Source.CAMERA)
        if game.judge(there, seat, game.read(there, seat, act.words)):
            break
        secret = act if rng.random() < 0.3 else msgspec.structs.replace(act, words=_alike(game, rng, there, act))
        choices += secret.words != act.words
        (here, left), (there, right) = (
            made.apply(at, seat, game.read(at, seat, done.words))
            for made, at, done in ((one, here, act), (two, there, secret))
        )
        if any(event.reveals for event in (*left, *right)):
            break  # somebody learned something: from here on the matches differ in more than secrets
        if _lots(game, here) != _lots(game, there):
            break  # what was drawn before all eyes follows from seeds that differ
        mine, theirs = [*mine, act], [*theirs, secret]
        records = [record(KnownGame(known(name).spec, made), entries) for made, entries in ((one, mine), (two, theirs))]
        assert records[0] == records[1], name
        count += 1
    return count, here != there, choices


def _lots(game: Any, state: Any) -> list[object]:
    """What Dueling Runes drew in public for who is confused."""
    return [wizard.get("lot") for wizard in game.view(state, None).facts.get("wizards", {}).values()]


def _alike(game: Any, rng: Random, state: Any, act: Act) -> Words:
    """Other words of which everybody else hears and sees the same, if some are found: a choice in secret."""

    def public(words: Words) -> object:
        after, events = game.apply(state, act.seat, game.read(state, act.seat, words))
        shown = [game.view(after, other).facts for other in (None, *SEATS) if other != act.seat]
        return shown, [event.text for event in events if event.audience is None]

    drawn = (wander(game, state, act.seat, rng.randrange) for _ in range(12))
    return next((words for words in drawn if words != act.words and public(words) == public(act.words)), act.words)


@pytest.mark.quick(1)
@pytest.mark.parametrize("pairs", [12, pytest.param(400, marks=pytest.mark.soak)])
@pytest.mark.parametrize("name", sorted(GAMES))
def test_matches_that_differ_only_in_secrets_have_the_same_record(name: str, pairs: int) -> None:
    rng = Random(f"public/{name}")
    results = [compared(name, rng) for _ in range(pairs)]
    assert sum(count for count, _, _ in results) > pairs
    assert sum(differ for _, differ, _ in results) > pairs // 2, "twins that do not differ prove nothing"
    assert name != "planetx" or sum(choices for _, _, choices in results) > pairs // 2, (
        "nor do choices that are the same"
    )


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", ["tellstones", "fence"])
def test_where_menus_hold_no_secret_the_record_is_played_again(name: str, seed: int) -> None:
    entries, spec = played(name, 1000 + seed, 25), {name: games.spec(name)}
    text = write_record(known(name), entries, About())
    parsed = notation.parse(text, spec)
    assert parsed.start.seed < 256
    again = [parsed.start, *(line.entry for line in notation.play(known(name).game, parsed))]
    assert again[1:] == list(entries[1:])
    assert list(course(known(name), again)) == list(course(known(name), entries))  # type: ignore[arg-type]
    assert write_record(known(name), again, About()) == text  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["planetx", "runes"])
def test_where_there_are_secrets_it_tells_in_sentences_what_everybody_heard(name: str) -> None:
    entries = played(name, 3, 12)
    text = write_record(known(name), entries, About())
    assert '[Seed "secret"]' in text
    *told, board = text.splitlines()
    assert all(line.startswith(("[", ";")) or not line for line in told)
    assert board.startswith(BOARD)
    assert sum(line.startswith("; ") for line in text.splitlines()) > 5


def test_a_name_stands_in_it_only_if_its_owner_agreed(tmp_path: Path) -> None:
    entries = played("tellstones", 5, 8)
    about = msgspec.structs.replace(ANNA, ended=Ending(None, False, "A wins.", ("a",), 8.0))
    public, private = (write_record(known("tellstones"), entries, each) for each in (about, About()))
    assert '[Players "a=Anna"]' in public
    assert "Anna" in public.replace("Players", "").split("\n\n")[1]
    assert "Bert" not in public
    assert "Anna" not in private


@pytest.mark.parametrize("name", ["x, b=Eve", "x; b=Eve"])
def test_nobodys_name_gives_another_seat_one(name: str) -> None:
    about = msgspec.structs.replace(ANNA, names={"a": name}, agreed=("a",))
    text = write_record(known("tellstones"), played("tellstones", 5, 1), about)
    parsed = notation.parse(text, {"tellstones": known("tellstones").spec})
    assert people(parsed).names == {"a": "x b=Eve"}


def ended(name: str, seed: int) -> tuple[tuple[Entry, ...], About]:
    """A match that somebody gave up, if it was not over before, and what is known of it."""
    entries = played(name, seed, 6)
    if replay(known(name).game, entries).result is None:
        entries = (*entries, Resign(21.5, "a"))
    result = list(course(known(name), entries))[-1].result
    assert result is not None
    ending = Ending(None, False, str(result.text), tuple(sorted(result.winners)), 21.5)
    return entries, msgspec.structs.replace(ANNA, begun=1_700_000_000.0, clock_set=True, ended=ending)


@pytest.mark.quick(5)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", sorted(GAMES))
def test_a_public_record_is_the_same_after_import_and_export(tmp_path: Path, name: str, seed: int) -> None:
    """With its day, the names that may leave the table, the log, the board and the result."""
    path, texts = tmp_path / "journal.db", [tmp_path / f"{number}.txt" for number in range(2)]
    entries, about = ended(name, seed)
    with Journal(path) as journal:
        journal.add(entries, about)
    run = CliRunner()
    for number, text in enumerate(texts, start=1):
        out = run.invoke(
            app, ["journal", "export", str(number), "--public", "--journal", str(path), "--out", str(text)]
        )
        assert out.exit_code == 0, out.output
        assert run.invoke(app, ["journal", "import", str(text), "--journal", str(path)]).exit_code == 0
    first, second = (text.read_text(encoding="utf-8") for text in texts)
    assert first == second
    assert '[Date "2023-11-14"]' in first
    assert about.ended is not None
    assert f'[Result "{about.ended.result}"]' in first
    shown = run.invoke(app, ["journal", "list", "--json", "--journal", str(path)])
    _, again, _ = msgspec.json.decode(shown.output)["matches"]
    assert (again["winners"], again["result"]) == (list(about.ended.winners), about.ended.result)
    assert (again["begun"], again["names"], again["game"]) == ("2023-11-14", {"a": "Anna"}, name)


@pytest.mark.parametrize("name", ["planetx", "runes"])
def test_where_there_are_secrets_an_import_shows_log_board_and_result(tmp_path: Path, name: str) -> None:
    """It is never played on, and nobody takes it for more than what everybody knew."""
    path, text = tmp_path / "journal.db", tmp_path / "public.txt"
    entries, about = ended(name, 4)
    text.write_text(write_record(known(name), entries, about), encoding="utf-8")
    run = CliRunner()
    told = run.invoke(app, ["journal", "import", str(text), "--journal", str(path)])
    assert told.output == "match 1: its public record\n"
    assert "public record" in run.invoke(app, ["journal", "list", "--journal", str(path)]).output
    with Archive(path) as archive:
        assert (archive.current, len(archive.entries(1))) == (None, 1)
    private = run.invoke(app, ["journal", "export", "--journal", str(path)])
    assert text.read_text(encoding="utf-8") in private.output
    rows = [msgspec.json.decode(row) for row in run.invoke(app, ["replay", str(text), "--json"]).output.splitlines()]
    heard_of = [moment.told for moment in course(known(name), entries)]
    assert len(rows) == sum(map(len, heard_of)) + 1
    last = list(course(known(name), entries))[-1]
    assert last.result is not None
    assert about.ended is not None
    ended_so = {"winners": list(about.ended.winners), "text": about.ended.result}
    assert rows[-1]["view"] == {**msgspec.json.decode(last.view), "outcome": ended_so}
    assert len(rows) > 5


def test_where_no_other_seed_leads_to_the_match_its_actions_stand_there_and_are_not_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(public, "SEEDS", 0)
    entries, about = ended("tellstones", 4)
    text, spec = write_record(known("tellstones"), entries, about), {"tellstones": games.spec("tellstones")}
    assert notation.write_line(entries[1]) in text
    assert BOARD in text
    assert decode_public(notation.parse(text, spec)).public == text


@pytest.mark.parametrize("name", ["planetx", "runes"])
def test_what_was_put_into_a_public_record_comes_to_nothing_or_is_refused(name: str) -> None:
    entries, about = ended(name, 6)
    text, spec = write_record(known(name), entries, about), {name: known(name).spec}
    noisy = text.replace("; 21.5 ", "; 21.5 \x1b[2J\x07 ", 1)
    assert noisy != text
    assert decode_public(notation.parse(noisy, spec)).public == text.replace("; 21.5 ", "; 21.5 [2J ", 1)
    ends = [BOARD + '{"outcome":' + end + "}" for end in ("5", '{"winners":5}', '{"winners":"ab"}', '{"winners":[1]}')]
    for bad in (BOARD + "[1]", BOARD + "{", *ends, "a: ", "nonsense"):
        with pytest.raises(Invalid, match=f"Line {len(text.splitlines()) + 1}: "):
            decode_public(notation.parse(text + bad, spec))


HEADER = '[Record "public"]\n[Game "runes"]\n[Seats "a b"]\n[Seed "secret"]\n'
OPTIONS = " ".join(f"{number}=1" for number in range(120_000))
LONG_RECORDS = {
    "told": (HEADER + "\n" + "; x\n" * 240_000, "match 1: its public record\n"),
    "blanks": (HEADER + "\n" + ("a: x" + " " * 3990 + "y\n") * 240, "match 1: its public record\n"),
    "options": (f'{HEADER}[Options "{OPTIONS}"]\n', "There is no option 0"),
}


@pytest.mark.quick(1)
@pytest.mark.parametrize("what", LONG_RECORDS)
def test_the_longest_record_that_is_read_holds_nobody_up(what: str, tmp_path: Path) -> None:
    """A megabyte: where work grows by the square of it, minutes would not do."""
    text, told = LONG_RECORDS[what]
    file = tmp_path / "public.txt"
    file.write_text(text, encoding="utf-8")
    done = CliRunner().invoke(app, ["journal", "import", str(file), "--journal", str(tmp_path / "journal.db")])
    assert 0.9 * LONGEST < len(text) <= LONGEST
    assert told in (done.output or str(done.exception))


def test_both_records_say_which_they_are(tmp_path: Path) -> None:
    path, text = tmp_path / "journal.db", tmp_path / "public.txt"
    entries = (*played("tellstones", 5, 1), Settle(1.5, Source.BUTTONS))[:2]
    with Journal(path) as journal:
        number = journal.add(entries, ANNA)
    run = CliRunner()
    told = run.invoke(app, ["journal", "export", str(number), "--journal", str(path), "--public", "--out", str(text)])
    assert told.exit_code == 0, told.output
    assert text.read_text(encoding="utf-8").startswith('[Record "public"]\n')
    assert run.invoke(app, ["journal", "export", "--journal", str(path)]).output.startswith('[Record "private"]\n')
    assert run.invoke(app, ["journal", "import", str(text), "--journal", str(path)]).exit_code == 0
    with Archive(path) as archive:
        assert archive.entries(2)[1:] == entries[1:]
        assert (archive.about(2).names, archive.about(2).agreed) == ({"a": "Anna"}, ("a",))
    private = tmp_path / "private.txt"
    run.invoke(app, ["journal", "export", str(number), "--journal", str(path), "--out", str(private)])
    assert run.invoke(app, ["journal", "import", str(private), "--journal", str(path)]).exit_code == 0
    with Archive(path) as archive:
        assert archive.entries(3) == entries
        assert (archive.about(3).names, archive.about(3).agreed) == (ANNA.names, ())


def imported(tmp_path: Path, *headers: str) -> tuple[Result, About | None]:
    """Import a record that begins with these headers: how that went, and what is known of the match."""
    path, text = tmp_path / "new.db", tmp_path / "record.txt"
    head = ['[Record "public"]', *headers, '[Game "tellstones"]', '[Seats "a b"]', ""]
    text.write_text("\n".join(head), encoding="utf-8")
    result = CliRunner().invoke(app, ["journal", "import", str(text), "--journal", str(path)])
    if result.exit_code:
        return result, None
    with Archive(path) as archive:
        return result, archive.about(1)


@pytest.mark.parametrize("written", ["2026-11-28", "2026.11.28", "2026/11/28", "28.11.2026", " 2026-11-28 "])
def test_an_import_keeps_the_day_however_people_write_it(tmp_path: Path, written: str) -> None:
    _, about = imported(tmp_path, f'[Date "{written}"]')
    assert about is not None
    assert about.dated == "2026-11-28"


@pytest.mark.parametrize("unknown", ["????.??.??", "", "-"])
def test_a_day_that_nobody_knows_is_none(tmp_path: Path, unknown: str) -> None:
    _, about = imported(tmp_path, f'[Date "{unknown}"]')
    assert about is not None
    assert about.dated == ""


@pytest.mark.parametrize(
    "header",
    [
        '[Date "2026-02-30"]', '[Date "11/28/2026"]', '[Date "2026.11.??"]', '[Date "yesterday"]', '[Date "28.11.26"]',
        '[Date "0000-01-01"]', '[Players "a=Anna, b=Wolfeschlegelstein"]', '[Players "Anna, Bert"]',
        '[Players "c=Carl"]', '[Players "a=Anna, b"]',
    ],
)  # fmt: skip
def test_a_header_that_cannot_be_kept_is_refused_with_its_line(tmp_path: Path, header: str) -> None:
    result, about = imported(tmp_path, header)
    assert about is None
    assert isinstance(result.exception, RecordError)
    assert "Line 2:" in str(result.exception)
    assert not (tmp_path / "new.db").exists()


def test_headers_that_the_journal_has_no_place_for_are_named(tmp_path: Path) -> None:
    result, about = imported(tmp_path, '[Event "Club night"]', '[Site "?"]', '[Players "a=Anna Maria"]')
    assert about is not None
    assert about.names == {"a": "Anna Maria"}
    assert result.stderr.count("\n") == 1
    assert "line 2: the journal has no place for [Event]" in result.stderr
