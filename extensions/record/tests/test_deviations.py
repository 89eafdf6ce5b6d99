"""A finding lists everything in which a match differed from a plain one, and a weak key is none."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from typer.testing import CliRunner

from device.locale import LANGUAGES
from device.version import KNOWN, version
from engine.catalogue import cards, complete
from engine.entry import Act, Correct, Draw, Entry, Flag, Pause, Resign, Restored, Settle, Source, Start, Undo
from engine.evening import EndedMatch, pool, series
from engine.match import advance, begin
from referee_record.listening import Listener, Nonsense
from referee_record.public_entries import FORMAT, Signed, heads
from referee_record.public_frames import Said
from referee_record.public_key import PublicKey
from referee_record.signed_record import SignedRecord, encode_record, read
from referee_record.stream import sign_stream
from referee_record.verification import Result, Verdict, verify
from referee_simulator.players import random_play
from tests.commands import app
from tools.tampering import PROGRAM, Honest, Kind, Plan, load_game, make_honest, sign_match, tamper

replace = msgspec.structs.replace

ED25519_PRIME = 2**255 - 19
ED25519_D = -121665 * pow(121666, -1, ED25519_PRIME) % ED25519_PRIME


@cache
def plain(name: str = "fence") -> Honest:
    """A match by the usual rules, played to its end with nothing but actions, each seen by the camera."""
    game, rng = load_game(name), Random(f"plain {name}")
    honest = make_honest(game, rng)
    start = Start(0.0, name, dict(complete(game.spec.options, {})), ("a", "b"), rng.getrandbits(62), data=game.data)
    match, entries = begin(game.game, start), list[Entry]([start])
    while match.result is None:
        seat = min(game.game.actors(match.state))
        act = Act(
            round(match.at + 2.0, 3),
            seat,
            random_play.sentence(game.game, match.state, seat, rng.randrange),
            Source.CAMERA,
        )
        match, _ = advance(game.game, match, act)
        entries.append(act)
    return sign_match(game, honest.key, honest.about, tuple(entries))


def finding(honest: Honest, record: SignedRecord | None = None) -> Verdict:
    found = record or honest.record
    own = tuple(heads(found.links))
    return verify(read(encode_record(found)), honest.known, PROGRAM, (own[0], own[-1]))


def again(honest: Honest, *entries: Entry, **about: Any) -> Verdict:
    """The finding of other entries that were signed and noted as if they had been played."""
    return finding(sign_match(honest.known, honest.key, replace(honest.about, **about), entries or honest.entries))


def correction(honest: Honest) -> tuple[str, str]:
    """Something that an owner may correct on a card."""
    deck = honest.known.shipped
    assert deck is not None
    copy = deck.copies()[0].id
    number = deck.numbers(copy)[0]
    return f"{copy}.{number.name}", next(each.word for each in number.choices if each.word != number.now)


def noted(found: Verdict) -> str:
    assert found.result is Result.VERIFIED, found
    return " | ".join(map(str, found.noteworthy))


@pytest.mark.parametrize("name", ["tellstones", "fence"])
def test_of_a_plain_match_nothing_is_listed(name: str) -> None:
    assert noted(finding(plain(name))) == ""


def test_everything_that_the_first_entry_says_otherwise_is_listed() -> None:
    honest = plain()
    start, *rest = honest.entries
    assert isinstance(start, Start)
    earlier, (place, word) = EndedMatch((0, 1), (0,)), correction(honest)
    for otherwise, sentence in (
        ({"version": 1}, "The first entry is from an earlier version: 1."),
        ({"data": ""}, "The record does not say which version of the game's data the match used."),
        ({"deck": {place: word}}, f"The table's owner corrected these cards: {place} = {word}"),
        ({"options": {**start.options, "passivity": 20}}, "Passivity: 20 idle turns (usual: Off)"),
        (
            {"options": {k: v for k, v in start.options.items() if k != "passivity"}},
            "The record does not say what was chosen",
        ),
        ({"clock": {"kind": "move", "seconds": 90}}, "Clock: kind move, seconds 90"),
        ({"evening": series(2, 3)}, "The record says that this is the first match of an evening."),
        (
            {"evening": replace(series(2, 3), played=(earlier, earlier))},
            "The record says that 2 matches of an evening came before this one (Player 1: 2, Player 2: 0 won), but "
            "does not prove it.",
        ),
        (
            {"evening": replace(pool(4), played=(earlier,))},
            "The record says that 1 match of an evening came before this one",
        ),
        ({"at": -3.0}, "The record begins at -3.0 s instead of 0."),
        ({"seed": -1}, "No table draws a seed like this."),
        ({"seed": 1 << 63}, "No table draws a seed like this."),
    ):
        told = [*map(str, again(honest, replace(start, **otherwise), *rest).noteworthy)]
        assert any(sentence in each for each in told), (otherwise, told)


def test_every_entry_beside_the_plain_course_of_a_game_is_listed() -> None:
    honest = plain()
    start, *rest = honest.entries
    first = rest[0]
    at = first.at
    assert isinstance(start, Start)
    assert isinstance(first, Act)
    for entries, sentence in (
        ((first, Draw(at)), "A draw by consent, with no other proof: entry 2"),
        ((first, Resign(at, "a")), "Resignations: entry 2"),
        ((first, Restored(at, "a"), *rest[1:]), "Corrected on a player's word, against the camera: entry 2"),
        ((first, Pause(at, True), Pause(at, False), *rest[1:]), "Pauses: entry 2"),
    ):
        assert sentence in noted(again(honest, start, *entries)), sentence
    placed = plain("tellstones")
    begun, stone, *more = placed.entries
    assert isinstance(stone, Act)
    ordered = replace(stone, source=Source.BUTTONS)
    found = again(placed, begun, ordered, Settle(stone.at, Source.BUTTONS), *more)
    assert "Confirmed by a button, not seen by the camera: entry 2" in noted(found)
    found = again(placed, begun, stone, Undo(stone.at, "b"), stone, *more)
    assert "Undone actions: entry 2" in noted(found)
    clocked = replace(start, clock={"kind": "chess", "seconds": 1, "fall": "loses"})
    seat = min(honest.known.game.actors(begin(honest.known.game, start).state))
    assert "A clock that ran out: entry 1" in noted(again(honest, clocked, Flag(1.0, seat)))


def test_whoever_plays_on_though_the_time_is_up_and_no_flag_fell_is_listed() -> None:
    honest = plain("tellstones")
    start, *rest = honest.entries
    assert isinstance(start, Start)
    clocked = replace(start, clock={"kind": "chess", "seconds": 5, "fall": "loses"})
    slow = tuple(replace(entry, at=10.0 * n) for n, entry in enumerate(rest, start=1))
    late = f"Played on after the player's time was up: entries {', '.join(map(str, range(1, len(rest) + 1)))}"
    assert late in noted(again(honest, clocked, *slow))
    quick = tuple(replace(entry, at=0.3 * n) for n, entry in enumerate(rest, start=1))
    for clock in ({"kind": "chess", "seconds": 5, "fall": "loses"}, {"kind": "none"}):
        found = again(honest, replace(start, clock=clock), *(quick if clock["kind"] == "chess" else slow))
        assert "time was up" not in noted(found)


def test_corrections_of_what_was_believed_are_listed() -> None:
    found = tamper(Plan(3, "fence", Kind.CORRECTED))
    assert (found.refused, found.notes) == (1, ())
    honest = plain()
    words: tuple[str, ...] = ()
    start = honest.entries[0]
    assert isinstance(start, Start)
    match = begin(honest.known.game, start)
    while choices := honest.known.game.corrections(match.state, words):
        words = (*words, choices[0].word)
        if choices[0].final:
            break
    found_after = again(honest, start, Correct(1.0, words), Resign(2.0, "a"))
    assert "Corrections to the referee, by consent: entry 1" in noted(found_after)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda at: round(at / 100, 3), "faster than people play"),
        (lambda at: at + 200_000.0, "The match lasted 56 hours."),
        (lambda at: at + 0.00001, "Times more precise than a table writes"),
    ],
)
def test_times_in_which_nobody_plays_are_listed(change: Any, sentence: str) -> None:
    start, *rest = plain().entries
    assert sentence in noted(again(plain(), start, *(replace(entry, at=change(entry.at)) for entry in rest)))


def test_a_time_before_the_match_is_refused() -> None:
    start, first, *rest = plain().entries
    found = again(plain(), replace(start, at=-9.0), replace(first, at=-1.0), *rest)
    assert found.result is Result.REFUSED
    assert found.wrong is not None
    assert found.wrong.link == 1


def test_a_record_that_reveals_nothing_has_a_list_too() -> None:
    honest = plain()
    start, first, *_ = honest.entries
    assert isinstance(start, Start)
    begun = replace(start, deck=dict([correction(honest)]), options={**start.options, "passivity": 20})
    record = sign_match(honest.known, honest.key, honest.about, (begun, first, Draw(first.at))).record
    hidden = SignedRecord(record.links)
    found = verify(hidden, honest.known, PROGRAM)
    told = [*map(str, found.noteworthy)]
    assert "The table's owner corrected some of the cards." in told
    assert "Passivity: 20 idle turns (usual: Off)" in told
    assert "A draw by consent, with no other proof: entry 2" in told


def test_the_opening_and_so_the_first_head_covers_the_cards() -> None:
    honest = plain()
    assert honest.record.opening.cards == cards(honest.known.data, {})
    assert cards(honest.known.data, {}) != cards(honest.known.data, {"RF01.sp": "0"})
    otherwise = replace(honest.record.opening, cards=cards(honest.known.data, {"RF01.sp": "0"}))
    record = replace(honest.record, links=sign_stream(honest.key, [otherwise, *honest.bodies[1:]]))
    assert finding(honest, record).result is Result.REFUSED


@pytest.mark.parametrize("game", ["tellstones", "planetx", "fence", "runes"])
def test_records_of_format_2_are_verified_by_the_heads_of_then_and_called_older(game: str) -> None:
    """Those in kept/ were written before there was a format 3: each match by the defaults of that time."""
    data = (Path(__file__).parent / "kept" / f"{game}-2.signed").read_bytes()
    record = read(data)
    assert encode_record(record) == data
    own = tuple(heads(record.links))
    assert (own[0].hash[:16], own[-1].n, own[-1].hash[:16]) == HEADS[game]
    found = verify(record, load_game(game), version(), (own[0], own[-1]))
    assert "Format 2: an earlier version began the match" in noted(found)


@pytest.mark.parametrize("game", ["tellstones", "planetx", "fence", "runes"])
def test_whatever_wording_changes_records_stay_verified_to_the_byte(game: str) -> None:
    """Links hold what everybody heard, in the words of the code, and a hash of the facts: better English for them
    belongs in the English catalogue (docs/developers/write-a-game.md)."""
    record = read((Path(__file__).parent / "kept" / f"{game}-3.signed.gz").read_bytes())
    own = tuple(heads(record.links))
    assert (own[0].hash[:16], own[-1].n, own[-1].hash[:16]) == HEADS_3[game]
    assert verify(record, load_game(game), version(), (own[0], own[-1])).result is Result.VERIFIED


HEADS_3 = {
    "tellstones": ("e5ef6dbce699d93c", 100, "4d46eef18a1a9fc7"),
    "planetx": ("90549f1acb984bdf", 100, "95fdddd67d124176"),
    "fence": ("76cac80bfeb4b353", 100, "bd9a702b0c0568bf"),
    "runes": ("77645f8bef0faddf", 98, "de9b1998a98733d7"),
}

HEADS = {
    "tellstones": ("a08e1c4e9f2167ad", 20, "6b6e92553c038a18"),
    "planetx": ("9c991cb601d222aa", 20, "035af8b663d52965"),
    "fence": ("5c4d567dd34be8ec", 20, "e4787d442493711c"),
    "runes": ("c3916493588f8366", 20, "b74511c2f1514045"),
}


def test_an_earlier_format_is_called_so() -> None:
    for format in range(1, FORMAT):
        assert f"Format {format}: an earlier version" in noted(again(plain(), format=format))


def test_the_version_that_runs_is_known_and_another_is_told() -> None:
    assert version() in KNOWN
    assert "The record names version 9.9, which is unknown here." in noted(again(plain(), program="9.9"))


@pytest.mark.parametrize("game", ["tellstones", "planetx", "fence", "runes"])
def test_an_illegal_action_is_refused_whatever_version_that_never_was_is_named(game: str) -> None:
    found = tamper(Plan(1, game, Kind.NO_VERSION))
    assert (found.refused, found.misplaced, found.notes) == (1, 0, ())


def test_the_list_is_printed_and_in_json_in_every_language(tmp_path: Path) -> None:
    file = tmp_path / "match.signed"
    start, *rest = plain().entries
    file.write_bytes(
        encode_record(sign_match(plain().known, plain().key, plain().about, (start, rest[0], Draw(9.0))).record)
    )
    said = set()
    for language in LANGUAGES:
        done = CliRunner().invoke(app, ["verify", str(file), "--language", language, "--json"])
        (draw, *others) = reversed(msgspec.json.decode(done.stdout)["noteworthy"])
        printed = CliRunner().invoke(app, ["verify", str(file), "--language", language]).stdout
        assert all(sentence in printed for sentence in (draw, *others))
        said.add(draw)
    assert len(said) == len(LANGUAGES)


def added(p: tuple[int, int], q: tuple[int, int]) -> tuple[int, int]:
    """The sum of two points of the curve -x² + y² = 1 + d x² y² (RFC 8032, 5.1.4)."""
    (x1, y1), (x2, y2) = p, q
    product = ED25519_D * x1 * x2 * y1 * y2 % ED25519_PRIME
    x = (x1 * y2 + y1 * x2) * pow(1 + product, -1, ED25519_PRIME)
    y = (y1 * y2 + x1 * x2) * pow(1 - product, -1, ED25519_PRIME)
    return x % ED25519_PRIME, y % ED25519_PRIME


def small_order() -> set[int]:
    """The y of every point that is nothing once it was doubled three times: from a square root of each."""
    found = {0, 1, ED25519_PRIME - 1}
    # A point of order 8 doubles to one of order 4, which has y = 0: then y² = -x², and d y⁴ + 2 y² = 1.
    root = pow(1 + ED25519_D, (ED25519_PRIME + 3) // 8, ED25519_PRIME)
    roots = [root, root * pow(2, (ED25519_PRIME - 1) // 4, ED25519_PRIME) % ED25519_PRIME]
    for each in roots:
        for sign in (1, -1):
            square = (-1 + sign * each) * pow(ED25519_D, -1, ED25519_PRIME) % ED25519_PRIME
            y = pow(square, (ED25519_PRIME + 3) // 8, ED25519_PRIME)
            for candidate in (y, y * pow(2, (ED25519_PRIME - 1) // 4, ED25519_PRIME) % ED25519_PRIME):
                if (ED25519_D * pow(candidate, 4, ED25519_PRIME) + 2 * candidate**2 - 1) % ED25519_PRIME == 0:
                    found |= {candidate, ED25519_PRIME - candidate}
    return found


def encodings(y: int) -> list[str]:
    """Of a point with this y, also those that are not reduced, with either sign of x."""
    values = [value for value in (y, y + ED25519_PRIME) if value < 1 << 255]
    return [(value | sign << 255).to_bytes(32, "little").hex() for value in values for sign in (0, 1)]


def test_a_key_of_small_order_is_none_in_any_encoding() -> None:
    weak = small_order()
    assert len(weak) == 5
    written_so = [each for y in sorted(weak) for each in encodings(y)]
    assert len(written_so) == 14
    for each in written_so:
        with pytest.raises(ValueError, match="anybody can sign under this key"):
            PublicKey(each)


def test_under_the_weakest_key_one_constant_signs_everything() -> None:
    """So the check is needed: the library itself accepts it."""
    key = Ed25519PublicKey.from_public_bytes(bytes([1, *bytes(31)]))
    for message in (b"", b"anything", b"else"):
        key.verify(bytes([1, *bytes(63)]), message)


def test_coordinates_that_are_not_reduced_are_no_key() -> None:
    for y in range(ED25519_PRIME, 1 << 255):
        with pytest.raises(ValueError, match="anybody can sign"):
            PublicKey(y.to_bytes(32, "little").hex())


def test_a_listener_refuses_a_weak_key() -> None:
    weak = replace(plain().record.opening, key=f"01{'00' * 31}")
    with pytest.raises(Nonsense, match="anybody can sign"):
        Listener().take(msgspec.json.encode(Said(Signed(weak, f"01{'00' * 63}"))))
