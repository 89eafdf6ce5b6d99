"""`referee verify`, `referee key` and the signed export, as they are used at the command line."""

from __future__ import annotations

import codecs
import gzip
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from hashlib import sha256
from pathlib import Path
from random import Random
from threading import Barrier

import msgspec
import pytest
from typer.testing import CliRunner

from device import resources
from device.daemon.match_identity import with_end
from device.journal import About, Journal
from device.journal.match_info import Loss, Secret
from device.records.public_match import begins
from device.version import version
from engine.entry import VERSION, Act, Entry, Resign, Start
from engine.errors import Refusal
from engine.evening import EndedMatch, series
from engine.match import replay
from referee_record import table_key as keys
from referee_record.public_entries import EACH, FORMAT, Body, Chain, Head, Link, Seal, Signed, commitment, heads
from referee_record.signed_record import LINE, LONGEST, NoRecord, SignedRecord, encode_record, read, read_heads
from referee_record.stream import opening, sign_stream, utterances
from referee_record.verification import Result, verify
from tests.commands import app
from tools.tampering import load_game, play_match

SECRET = Secret("ab" * 32, version(), format=FORMAT)


@cache
def entries_of(name: str) -> tuple[Entry, ...]:
    return play_match(load_game(name), Random(f"verify/{name}"))


def about_of(name: str, about: About) -> About:
    return with_end(about, replay(load_game(name).game, entries_of(name)), None)


def journal_with(folder: Path, name: str, about: About) -> Path:
    path = folder / "journal.db"
    keys.make_key(folder)
    with Journal(path) as opened:
        opened.add(entries_of(name), about)
    return path


def exported(folder: Path, name: str, about: About, *options: str) -> Path:
    path, out = journal_with(folder, name, about), folder / "match.signed"
    done = CliRunner().invoke(app, ["journal", "export", "--signed", "-j", str(path), "-o", str(out), *options])
    assert done.exit_code == 0, done.output
    return out


def test_the_export_of_a_match_of_which_entries_were_lost_says_that_noted_heads_may_not_fit(tmp_path: Path) -> None:
    about = about_of("fence", About(id="7" * 32, secret=SECRET, losses=(Loss(5, 9),)))
    path, out = journal_with(tmp_path, "fence", about), tmp_path / "match.signed"
    done = CliRunner().invoke(app, ["journal", "export", "--signed", "-j", str(path), "-o", str(out)])
    assert done.exit_code == 0, done.output
    assert "9 entries of this match were lost" in done.stderr


def verified(*words: object) -> tuple[int, dict[str, object]]:
    done = CliRunner().invoke(app, ["verify", *map(str, words), "--json"])
    return done.exit_code, msgspec.json.decode(done.stdout)


@pytest.mark.parametrize("name", ["tellstones", "planetx", "fence", "runes"])
def test_a_revealed_match_is_verified_by_heads_that_others_kept_and_never_without(tmp_path: Path, name: str) -> None:
    file = exported(tmp_path, name, about_of(name, About(id="7" * 32, table="Green table", secret=SECRET)), "--reveal")
    code, told = verified(file)
    assert (code, told["result"], told["wrong"]) == (3, "consistent", None)
    assert "No heads are known" in str(told["unchecked"])
    kept = tmp_path / "heads"
    kept.write_text("".join(f"{each.n} {each.hash}\n" for each in heads(read(file.read_bytes()).links)))
    code, told = verified(file, "--heads", kept)
    assert (code, told["result"], told["unchecked"]) == (0, "verified", [])
    assert len(told["entries"]) == len(entries_of(name))  # type: ignore[arg-type]


def test_the_first_and_the_last_head_verify_and_fewer_do_not(tmp_path: Path) -> None:
    file = exported(tmp_path, "tellstones", about_of("tellstones", About(secret=SECRET)), "--reveal")
    own, kept = tuple(heads(read(file.read_bytes()).links)), tmp_path / "heads"
    for known_heads, expected in ((own[:1], 3), (own[-1:], 3), ((own[0], own[-1]), 0)):
        kept.write_text("# from the table's page\n" + "".join(f"{each.n} {each.hash}\n" for each in known_heads))
        assert verified(file, "--heads", kept)[0] == expected


def test_what_is_not_revealed_is_checked_in_part_and_nothing_hidden_stands_there(tmp_path: Path) -> None:
    about = about_of("planetx", About(secret=SECRET))
    file = exported(tmp_path, "planetx", about)
    start = entries_of("planetx")[0]
    assert isinstance(start, Start)
    assert str(start.seed) not in file.read_text()
    assert SECRET.salt not in file.read_text()
    code, told = verified(file)
    assert (code, told["result"]) == (4, "partly")


def test_a_match_without_a_commitment_is_never_verified(tmp_path: Path) -> None:
    file = exported(tmp_path, "fence", about_of("fence", About()), "--reveal")
    kept = tmp_path / "heads"
    kept.write_text("".join(f"{each.n} {each.hash}\n" for each in heads(read(file.read_bytes()).links)))
    code, told = verified(file, "--heads", kept)
    assert code == 4
    assert "committed to nothing" in str(told["unchecked"])


def test_nothing_is_revealed_before_the_end_or_against_a_players_will(tmp_path: Path) -> None:
    for about, why in (
        (About(secret=SECRET), "not over"),
        (
            about_of("runes", About(names={"a": "Anna", "b": "Bert"}, agreed=("a",), secret=SECRET)),
            "leave the table: b",
        ),
    ):
        folder = tmp_path / why[:3]
        folder.mkdir()
        path = journal_with(folder, "runes", about)
        done = CliRunner().invoke(app, ["journal", "export", "--signed", "--reveal", "-j", str(path)])
        assert done.exit_code != 0
        assert why in str(done.exception)


def test_no_match_is_revealed_that_holds_the_seed_of_another(tmp_path: Path) -> None:
    """As earlier versions' evenings do, whose lots are the seed of their first match."""
    first = entries_of("tellstones")[0]
    assert isinstance(first, Start)
    begun = series(2, 2)
    going_on = msgspec.structs.replace(begun, played=(EndedMatch((0, 1), (0,)),))
    about, path = about_of("tellstones", About(secret=SECRET)), tmp_path / "journal.db"
    keys.make_key(tmp_path)
    with Journal(path) as opened:
        for seed, lots, evening in ((4711, 4711, begun), (first.seed, 4711, going_on), (first.seed, 99, going_on)):
            held = msgspec.structs.replace(evening, lots=lots)
            opened.add((msgspec.structs.replace(first, seed=seed, evening=held),), about)
    words = ["journal", "export", "--signed", "--reveal", "-j", str(path)]
    told = [CliRunner().invoke(app, [*words, str(number)]) for number in (1, 2, 3)]
    assert [each.exit_code for each in told] == [0, 1, 0]
    assert "from the seed of match 1" in str(told[1].exception)
    assert [str(4711) in each.output for each in told] == [True, False, False]


def test_a_changed_record_is_refused_with_code_one_and_its_place(tmp_path: Path) -> None:
    file = exported(tmp_path, "tellstones", about_of("tellstones", About(secret=SECRET)), "--reveal")
    lines = file.read_text().splitlines(keepends=True)
    del lines[3]
    file.write_text("".join(lines))
    code, told = verified(file)
    assert (code, told["result"]) == (1, "refused")
    wrong = told["wrong"]
    assert isinstance(wrong, dict)
    assert wrong["link"] <= 2 <= (wrong["until"] or wrong["link"])


LATER = "9.9"
"""The version that verifies what another one played, and knows it."""


def of_another_version(folder: Path) -> tuple[SignedRecord, list[Body]]:
    """A record of another version that says the same as this one, and its links to be signed again."""
    record = read(exported(folder, "fence", about_of("fence", About(secret=SECRET)), "--reveal").read_bytes())
    assert verify(record, load_game("fence"), LATER).result is Result.CONSISTENT
    return record, [link.body for link in record.links]


def with_other_words(record: SignedRecord, bodies: list[Body]) -> SignedRecord:
    bodies[2] = msgspec.structs.replace(bodies[2], told=("In other words.",))
    return record


def with_other_data(record: SignedRecord, bodies: list[Body]) -> SignedRecord:
    first, start = record.opening, msgspec.structs.replace(begins(record.entries), data="0" * 64)
    bodies[0] = opening(start, first.match, first.table, SECRET, first.key)
    return sealed_again(msgspec.structs.replace(record, entries=(start, *record.entries[1:])), bodies)


def sealed_again(record: SignedRecord, bodies: list[Body]) -> SignedRecord:
    """The record, whose links seal its entries; each entry of Fence has one."""
    assert record.salt is not None
    seal = Seal(record.salt)
    for n, entry in enumerate(record.entries):
        seal.add((entry,))
        if n:
            bodies[n] = msgspec.structs.replace(bodies[n], sealed=seal.now())
    return record


def with_other_rules(record: SignedRecord, bodies: list[Body]) -> SignedRecord:
    """An action that a clause of this version speaks against."""
    for at, act in enumerate(record.entries):
        if isinstance(act, Act):
            other = msgspec.structs.replace(act, seat="b" if act.seat == "a" else "a")
            try:
                replay(load_game("fence").game, (*record.entries[:at], other))
            except Refusal as refusal:
                if refusal.clauses:
                    break
    else:
        raise AssertionError("both could have done all of it")
    entries = (*record.entries[:at], other, *record.entries[at + 1 :])
    return sealed_again(msgspec.structs.replace(record, entries=entries), bodies)


@pytest.mark.parametrize(
    ("change", "why"),
    [(with_other_words, "announced"), (with_other_data, "other data"), (with_other_rules, "(F")],
)
def test_what_another_version_played_by_its_own_data_rules_and_words_is_never_refused(
    tmp_path: Path, change: Callable[[SignedRecord, list[Body]], SignedRecord], why: str
) -> None:
    record, bodies = of_another_version(tmp_path)
    changed = change(record, bodies)
    again = msgspec.structs.replace(changed, links=sign_stream(keys.read(tmp_path), bodies))
    own = tuple(heads(again.links))
    found = verify(again, load_game("fence"), LATER, (own[0], own[-1]))
    assert (found.result, found.wrong) == (Result.PARTLY, None)
    (sentence,) = map(str, found.unchecked)
    assert sentence.startswith(
        f"The match was played with version {version()}. Verify it with that version; version 9.9 says: "
    )
    assert why in sentence


@pytest.mark.parametrize("change", [with_other_words, with_other_rules])
@pytest.mark.parametrize("forge", ["left out", "put in", "at another time", "of another seat"])
def test_no_entry_is_left_out_put_in_or_changed_whatever_the_rules(
    tmp_path: Path, change: Callable[[SignedRecord, list[Body]], SignedRecord], forge: str
) -> None:
    record, bodies = of_another_version(tmp_path)
    changed = change(record, bodies)
    *before, last = changed.entries
    assert isinstance(before[4], Act)
    entries = {
        "left out": (*before[:4], *before[5:], last),
        "put in": (*before, last, Resign(last.at, "a")),
        "at another time": (*before, msgspec.structs.replace(last, at=last.at + 1)),
        "of another seat": (*before[:4], msgspec.structs.replace(before[4], words=("move", "back")), *before[5:], last),
    }[forge]
    links = sign_stream(keys.read(tmp_path), bodies)
    own = tuple(heads(links))
    good = msgspec.structs.replace(changed, links=links)
    assert verify(good, load_game("fence"), LATER, (own[0], own[-1])).result is Result.PARTLY
    forged = msgspec.structs.replace(good, entries=entries)
    found = verify(forged, load_game("fence"), LATER, (own[0], own[-1]))
    assert found.result is Result.REFUSED
    assert found.wrong is not None
    assert found.wrong.link >= 3 if forge == "put in" else found.wrong.link <= len(bodies)


def test_what_an_unfinished_state_of_this_version_began_is_not_refused_for_its_rules(tmp_path: Path) -> None:
    record, bodies = of_another_version(tmp_path)
    first, start = record.opening, msgspec.structs.replace(begins(record.entries), version=VERSION - 1)
    bodies[0] = opening(start, first.match, first.table, SECRET, first.key)
    changed = sealed_again(msgspec.structs.replace(record, entries=(start, *record.entries[1:])), bodies)
    with_other_words(changed, bodies)
    again = msgspec.structs.replace(changed, links=sign_stream(keys.read(tmp_path), bodies))
    found = verify(again, load_game("fence"), version(), tuple(heads(again.links)))
    assert (found.result, found.wrong) == (Result.PARTLY, None)
    assert "before this version was finished" in str(found.unchecked[0])


def test_signatures_heads_commitment_and_opening_hold_for_every_version(tmp_path: Path) -> None:
    record, bodies = of_another_version(tmp_path)
    own, key = tuple(heads(record.links)), keys.read(tmp_path)
    with_other_words(record, bodies)
    unsigned = [*record.links[:2], Signed(bodies[2], record.links[2].signature), *record.links[3:]]
    refused = {
        "signature": (msgspec.structs.replace(record, links=tuple(unsigned)), own[:1]),
        "heads": (msgspec.structs.replace(record, links=sign_stream(key, bodies)), own),
        "commitment": (msgspec.structs.replace(record, salt=bytes(32)), own),
        "opening": (
            msgspec.structs.replace(
                record,
                links=sign_stream(key, [msgspec.structs.replace(record.opening, game="runes"), *bodies[1:]]),
            ),
            (),
        ),
    }
    for what, (forged, kept) in refused.items():
        assert verify(forged, load_game("fence"), LATER, kept).result is Result.REFUSED, what


def test_the_key_is_made_once_for_its_owner_alone(tmp_path: Path) -> None:
    made = keys.make_key(tmp_path)
    assert (tmp_path / keys.FILE).stat().st_mode & 0o777 == 0o600
    assert keys.make_key(tmp_path).public == made.public
    (tmp_path / keys.FILE).write_text("spoiled")
    with pytest.raises(keys.NoKey, match="put a copy of it back"):
        keys.make_key(tmp_path)


def test_of_two_that_make_a_key_at_once_both_have_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The daemon at its first match and `referee key`: the other one's is put there after this one saw that none is."""
    first, read_once = [], keys.read

    def late(folder: Path) -> keys.TableKey:
        monkeypatch.setattr(keys, "read", read_once)
        try:
            return read_once(folder)
        finally:
            first.append(keys.make_key(folder).public)

    monkeypatch.setattr(keys, "read", late)
    assert [keys.make_key(tmp_path).public] == first
    assert [path.name for path in tmp_path.iterdir()] == [keys.FILE]


def test_of_two_threads_that_make_a_key_at_once_both_have_the_same(tmp_path: Path) -> None:
    """A match begins while the daemon prepares to sign."""
    with ThreadPoolExecutor(2) as threads:
        for n in range(8):
            folder, ready = tmp_path / str(n), Barrier(2)

            def public(folder: Path = folder, ready: Barrier = ready) -> str:
                ready.wait()
                return keys.make_key(folder).public

            one, two = [threads.submit(public) for _ in range(2)]
            assert one.result() == two.result()
            assert [path.name for path in folder.iterdir()] == [keys.FILE]


def test_a_journal_copied_without_its_key_is_not_signed_by_another(tmp_path: Path) -> None:
    path = journal_with(tmp_path, "tellstones", about_of("tellstones", About(secret=SECRET)))
    (tmp_path / keys.FILE).unlink()
    done = CliRunner().invoke(app, ["journal", "export", "--signed", "-j", str(path)])
    assert "table.key is not beside" in str(done.exception)
    assert "copy it along" in str(done.exception)
    assert not (tmp_path / keys.FILE).exists()


def test_a_commitment_covers_salt_version_and_all_of_the_first_entry() -> None:
    start = entries_of("tellstones")[0]
    assert isinstance(start, Start)
    others = (
        msgspec.structs.replace(start, seed=start.seed + 1),
        msgspec.structs.replace(start, options={}),
        msgspec.structs.replace(start, data="0"),
        msgspec.structs.replace(start, clock={"kind": "move"}),
    )
    found = [commitment(b"a" * 32, each, "1") for each in (start, *others)]
    found += [commitment(b"b" * 32, start, "1"), commitment(b"a" * 32, start, "2")]
    assert len(set(found)) == len(found)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b"{}\n",
        b'{"body":{}}',
        b"\xff\xfe",
        b"{" * 2000,
        b'{"salt":"00","start":{}}',
        b'{"body":' + b" " * LINE,
    ],
)
def test_what_is_no_record_is_told_of_with_its_line(data: bytes) -> None:
    with pytest.raises(NoRecord, match="line 1"):
        read(data)


def test_of_a_record_that_nobody_signed_it_is_told_how_to_get_one_that_is() -> None:
    with pytest.raises(NoRecord, match="line 1: it is not signed: ask for what `referee journal export --signed`"):
        read(b'[Game "tellstones"]\n')


def test_a_file_is_read_as_it_was_written(tmp_path: Path) -> None:
    file = exported(tmp_path, "runes", about_of("runes", About(secret=SECRET)), "--reveal")
    assert encode_record(read(file.read_bytes())) == file.read_bytes()


FORMAT_1 = Path(__file__).parent / "format-1.signed"
"""A record of Tellstones by the key of nobody's table, as the version before wrote it."""


def test_a_record_of_the_format_before_is_verified_by_the_heads_that_were_noted_then() -> None:
    record = read(FORMAT_1.read_bytes())
    assert encode_record(record) == FORMAT_1.read_bytes()
    own = tuple(heads(record.links))
    assert (own[0].hash[:24], own[-1].n, own[-1].hash[:24]) == (
        "754802b7bc33d7ddad65b065",
        7,
        "57c401c21493a6413b45ffc8",
    )
    assert verify(record, load_game("tellstones"), "1.0", (own[0], own[-1])).result is Result.VERIFIED


def test_a_match_that_was_committed_to_before_an_update_keeps_its_heads_after_it(tmp_path: Path) -> None:
    file = exported(tmp_path, "tellstones", about_of("tellstones", About(secret=Secret("ab" * 32, version()))))
    record = read(file.read_bytes())
    assert record.opening.format == 1
    assert all(link.signature for link in record.links)
    assert not any(isinstance(link.body, Link) and link.body.clauses for link in record.links)


@pytest.mark.parametrize("name", ["tellstones", "planetx", "fence", "runes"])
def test_an_act_is_told_with_the_clauses_by_which_it_was_judged(tmp_path: Path, name: str) -> None:
    record = read(exported(tmp_path, name, about_of(name, About(secret=SECRET))).read_bytes())
    links = [link.body for link in record.links if isinstance(link.body, Link)]
    letter = load_game(name).spec.clause_letter
    assert all(bool(link.clauses) == (link.kind == "act") for link in links)
    assert {clause[0] for link in links for clause in link.clauses} == {letter}


def test_a_stone_that_is_placed_is_judged_by_the_clauses_of_place() -> None:
    game = load_game("tellstones").game
    start = begins(entries_of("tellstones"))
    state = game.setup(start.options, start.seats, start.seed)
    assert game.clauses(state, "a", ("PLACE", "crown", "left")) == ("T14", "T15", "T16", "T17", "T18")


def test_a_revealed_record_keeps_few_signatures_and_each_entry_once(tmp_path: Path) -> None:
    file = exported(tmp_path, "fence", about_of("fence", About(secret=SECRET)), "--reveal")
    record = read(file.read_bytes())
    assert len(file.read_bytes().splitlines()) == 1 + len(record.entries)
    kept = [n for n, link in enumerate(record.links) if link.signature]
    assert kept == sorted({*range(0, len(record.links), EACH), len(record.links) - 1})
    old = msgspec.structs.replace(SECRET, format=1)
    (tmp_path / "old").mkdir()
    before = exported(tmp_path / "old", "fence", about_of("fence", About(secret=old)), "--reveal")
    assert len(file.read_bytes()) < 0.65 * len(before.read_bytes())


def test_links_that_do_not_follow_from_their_entries_stand_apart_and_are_read_as_they_are(tmp_path: Path) -> None:
    record = read(exported(tmp_path, "fence", about_of("fence", About(secret=SECRET)), "--reveal").read_bytes())
    body = msgspec.structs.replace(record.links[2].body, kind="flag")
    changed = msgspec.structs.replace(
        record, links=(*record.links[:2], Signed(body, record.links[2].signature), *record.links[3:])
    )
    data = encode_record(changed)
    assert read(data) == changed
    assert len(data.splitlines()) == len(record.links) + len(record.entries)


def test_a_compressed_record_is_the_same_and_never_fills_the_memory(tmp_path: Path) -> None:
    path, out = journal_with(tmp_path, "runes", about_of("runes", About(secret=SECRET))), tmp_path / "match.signed.gz"
    words = ["journal", "export", "--signed", "--reveal", "-j", str(path)]
    assert CliRunner().invoke(app, [*words, "-o", str(out)]).exit_code == 0
    plain = CliRunner().invoke(app, words).stdout.encode()
    assert gzip.decompress(out.read_bytes()) == plain
    assert read(out.read_bytes()) == read(plain)
    assert verified(out)[0] == 3
    whole = out.read_bytes()
    bomb = gzip.compress(bytes(LONGEST + 1))
    for broken in (whole[:-1], whole[:20], whole + b"x", bomb):
        with pytest.raises(NoRecord, match="line 1: it is compressed"):
            read(broken)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (lambda lines: lines[1].replace(b'"lines":true', b'"lines":null'), "a link stands with an entry"),
        (lambda lines: lines[2].replace(b'"view"', b'"views"'), "views"),
    ],
)
def test_a_link_with_its_entry_is_whole_or_there_is_none(
    tmp_path: Path, line: Callable[[list[bytes]], bytes], why: str
) -> None:
    file = exported(tmp_path, "fence", about_of("fence", About(secret=SECRET)), "--reveal")
    lines = file.read_bytes().splitlines()
    at = 1 if b'"salt"' in line(lines) else 2
    lines[at] = line(lines)
    with pytest.raises(NoRecord, match=why):
        read(b"\n".join(lines))


def test_heads_are_numbers_and_hashes() -> None:
    assert [each.n for each in read_heads(f"# kept\n\n0 {'a' * 64}\n12 {'b' * 64}\n".encode())] == [0, 12]
    assert [each.n for each in read_heads(codecs.BOM_UTF8 + f"0 {'a' * 64}\r\n12 {'b' * 64}\r\n\x1a".encode())] == [
        0,
        12,
    ]
    told = f"Head 0: {' '.join(['93f0'] * 16)}\nЗвено 12: {'b' * 64}\n头 3：{'c' * 64}\n"
    assert [(each.n, each.hash[:4]) for each in read_heads(told.encode())] == [(0, "93f0"), (12, "bbbb"), (3, "cccc")]
    for wrong in (
        b"1",
        b"ab12 " + b"a" * 64,
        b"x " + b"a" * 64,
        b"1 " + b"g" * 64,
        b"1 " + b"a" * 23,
        b"1 " + b"a" * 65,
    ):
        with pytest.raises(NoRecord, match="line 1"):
            read_heads(wrong)


def test_the_key_is_printed_in_groups_and_as_a_code(tmp_path: Path) -> None:
    table = tmp_path / "table.toml"
    example = resources.find("tables", "one-oled.toml").read_text(encoding="utf-8")
    table.write_text(example.replace("/var/lib/referee", str(tmp_path)), encoding="utf-8")
    done = CliRunner().invoke(app, ["key", "--table", str(table), "--qr"])
    assert done.exit_code == 0, done.output
    public = keys.read(tmp_path).public
    assert done.stdout.splitlines()[0].replace(" ", "") == public
    assert len(done.stdout.splitlines()) > 10


def test_an_export_by_another_version_than_played_it_says_so(tmp_path: Path) -> None:
    about = about_of("tellstones", About(secret=msgspec.structs.replace(SECRET, program="0.0.1")))
    for known_about, told in ((about, True), (msgspec.structs.replace(about, secret=SECRET), False)):
        folder = tmp_path / str(told)
        folder.mkdir()
        path = journal_with(folder, "tellstones", known_about)
        done = CliRunner().invoke(app, ["journal", "export", "--signed", "-j", str(path)])
        assert ("begun with version 0.0.1" in done.stderr) is told


def cut(whole: SignedRecord, entries: int) -> SignedRecord:
    """Its first entries, so many at most that the last link has a signature, with what the stream says of them."""
    first, n, last = whole.opening, -1, (0, 0)
    for each in utterances(load_game(first.game), whole.entries[:entries], first, whole.salt or b""):
        n += each.body is not None
        last = (each.entry, n) if each.body is not None and whole.links[n].signature else last
    return msgspec.structs.replace(whole, links=whole.links[: last[1] + 1], entries=whole.entries[: last[0] + 1])


@pytest.mark.parametrize("name", ["tellstones", "planetx", "fence", "runes"])
@pytest.mark.parametrize("share", [0.0, 0.5])
def test_a_record_whose_end_was_cut_off_is_never_verified(tmp_path: Path, name: str, share: float) -> None:
    file = exported(tmp_path, name, about_of(name, About(secret=SECRET)), "--reveal")
    whole = read(file.read_bytes())
    shorter = cut(whole, max(1, int(len(whole.entries) * share)))
    own = tuple(heads(shorter.links))
    found = verify(shorter, load_game(name), version(), (own[0], own[-1]))
    assert found.result is Result.CONSISTENT
    assert [*map(str, found.unchecked)] == ["The match does not end in this record: its end may have been cut off."]


@pytest.mark.parametrize("broken", ["not a signature", "00" * 64])
@pytest.mark.parametrize("format", [1, FORMAT])
def test_every_signature_is_checked_and_not_the_last_alone(tmp_path: Path, broken: str, format: int) -> None:
    secret = msgspec.structs.replace(SECRET, format=format)
    file = exported(tmp_path, "fence", about_of("fence", About(secret=secret)), "--reveal")
    record, key = read(file.read_bytes()), keys.read(tmp_path)
    chain, links = Chain(format), list[Signed]()
    for n, link in enumerate(record.links):
        digest = chain.add(link.body)
        signature = bytes(64) if n == EACH else key.sign(digest) if link.signature else b""
        chain.add_signature(signature)
        links.append(Signed(link.body, broken if n == EACH else signature.hex()))
    forged = msgspec.structs.replace(record, links=tuple(links))
    found = verify(forged, load_game("fence"), version(), tuple(heads(forged.links)))
    assert found.result is Result.REFUSED
    assert found.wrong is not None
    assert EACH in range(found.wrong.link, (found.wrong.until or found.wrong.link) + 1)


def test_a_head_to_note_has_96_bits_in_groups_of_four() -> None:
    assert Head(3, "0123456789abcdef" * 4).short == "0123 4567 89ab cdef 0123 4567"


@pytest.mark.parametrize("reveal", [True, False])
def test_nothing_of_a_record_writes_on_the_terminal_of_who_verifies_it(tmp_path: Path, reveal: bool) -> None:
    harm = "\x1b[2J\x9b8m\nverified: every entry\u202e\r"
    about = about_of("fence", About(secret=msgspec.structs.replace(SECRET, program=harm)))
    file = exported(tmp_path, "fence", about, *(["--reveal"] if reveal else []))
    record = read(file.read_bytes())
    bodies = [link.body for link in record.links]
    bodies[0] = msgspec.structs.replace(record.opening, key=harm)
    bodies[-1] = msgspec.structs.replace(bodies[-1], line="", told=(harm,))
    file.write_bytes(encode_record(msgspec.structs.replace(record, links=sign_stream(keys.read(tmp_path), bodies))))
    done = CliRunner().invoke(app, ["verify", str(file)])
    assert done.exit_code == 1
    assert all(line.isprintable() for line in done.output.split("\n"))
    assert not any(line.startswith("verified") for line in done.output.splitlines())


def test_a_record_that_reveals_nothing_is_printed_clean(tmp_path: Path) -> None:
    harm = "\x1b[2Jverified\nverified: every entry"
    file = exported(tmp_path, "fence", about_of("fence", About(secret=SECRET)))
    record = read(file.read_bytes())
    bodies = [link.body for link in record.links]
    bodies[-1] = msgspec.structs.replace(bodies[-1], line="", told=(harm,))
    file.write_bytes(encode_record(msgspec.structs.replace(record, links=sign_stream(keys.read(tmp_path), bodies))))
    done = CliRunner().invoke(app, ["verify", str(file)])
    assert done.exit_code == 4
    assert f"{len(bodies) - 1}  said        [2Jverified verified: every entry\n" in done.stdout


def test_a_verifier_that_is_made_by_the_page_gets_the_same_hashes(tmp_path: Path) -> None:
    """extensions/record/README.md, "The format", with nothing but the standard library."""
    file = exported(tmp_path, "tellstones", about_of("tellstones", About(table="Зелёный", secret=SECRET)))
    before, found = b"", list[str]()
    for line in map(json.loads, file.read_text(encoding="utf-8").splitlines()):
        body = json.dumps(line["body"], sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
        before = sha256(b"table-referee stream 2" + before + len(body).to_bytes(8, "big") + body).digest()
        found.append(before.hex())
    assert found == [each.hash for each in heads(read(file.read_bytes()).links)]


def test_blanks_the_order_of_keys_and_a_byte_order_mark_do_not_matter(tmp_path: Path) -> None:
    file = exported(tmp_path, "tellstones", about_of("tellstones", About(secret=SECRET)), "--reveal")

    def turned(value: object) -> object:
        return {key: turned(value[key]) for key in reversed(value)} if isinstance(value, dict) else value

    lines = [json.dumps(turned(json.loads(line)), indent=None) for line in file.read_text().splitlines()]
    again = read(codecs.BOM_UTF8 + "\r\n".join(f" {line} " for line in lines).encode() + b"\r\n\x1a")
    assert again == read(file.read_bytes())
    assert verify(again, load_game("tellstones"), version()).result is Result.CONSISTENT
