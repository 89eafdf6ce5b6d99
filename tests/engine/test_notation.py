from __future__ import annotations

import random

import pytest

from engine import match as matches
from engine import notation
from engine.catalogue import complete
from engine.entry import Act, Correct, Draw, Entry, Flag, Pause, Resign, Restored, Settle, Source, Start, Undo
from engine.errors import Invalid
from engine.grammar import sentences
from tests.engine.specs import game, spec

GAME = game("tellstones")
SPECS = {"tellstones": spec("tellstones")}
RECORD = """[Game "tellstones"]
[Event "A friendly evening"]
[Seats "a b"]
[Seed "5"]
[Options "first_stone=scales orders=seen"]

a: place crown left
b: hide crown   ; by a's hand
b: hide scales
nonsense
a: swap 1
c: boast
a: swap 1 scales {12.5 camera}
"""


def played(text: str) -> list[notation.PlayedLine]:
    return list(notation.play(GAME, notation.parse(text, SPECS)))


def test_a_record_is_played_line_by_line_and_goes_on_after_a_refusal() -> None:
    lines = played(RECORD)
    kinds = [line.error.kind if line.error else "ok" for line in lines]
    assert kinds == ["ok", "ok", "illegal", "invalid", "ambiguous", "invalid", "ok"]
    assert [line.line.number for line in lines] == [7, 8, 9, 10, 11, 12, 13]
    assert lines[2].error is not None
    assert "T9" in lines[2].error.clauses
    assert lines[-1].entry == Act(12.5, "a", ("swap", "1", "scales"), Source.CAMERA)


@pytest.mark.parametrize(
    ("head", "why"),
    [
        ('[Game "go"]', "tellstones"),
        ("", "Game"),
        ('[Game "tellstones"]\n[Seats "b e"]', "Line 2"),
        ('[Game "tellstones"]\n[Seed "one"]', "Line 2"),
        ('[Game "tellstones"]\n[Options "orders"]', "Line 2"),
        ('[Game "tellstones"]\n[Options "orders=shouted"]', "seen"),
        ('[Game "tellstones"]\n[Wind "north"]', "Line 2"),
        ('[Game "tellstones"]\n[Wind north]', "Line 2"),
        ('[Game "tellstones"]\n[Options "orders=shouted"]', "Line 2"),
        ('[Game "tellstones"]\n[Options "volume=1"]', "Line 2"),
        ('[Game "tellstones"]\n[Game "planetx"]', "Line 2: game is given twice"),
        ('[Game "tellstones"]\n[Options "orders=seen orders=declared"]', "Line 2: orders is given twice"),
        ('[Game "tellstones"]\n[Options "orders=seen"]\n[Orders "declared"]', "Line 3: orders is given twice"),
        ('[Game "tellstones"]\n[Start "noon"]', "Line 2"),
        ('[Game "tellstones"]\n[Start "nan"]', "Line 2"),
        ('[Game "tellstones"]\n[Clock "kind=sand"]', "Line 2.*chess"),
        ('[Game "tellstones"]\n[Clock "kind=chess seconds=-3"]', "Line 2.*more than 0"),
    ],
)
def test_a_header_that_cannot_be_understood_is_refused_with_its_line(head: str, why: str) -> None:
    with pytest.raises(Invalid, match=why):
        notation.parse(head + "\n\na: boast\n", SPECS)


def test_an_option_may_be_a_header_of_its_own() -> None:
    start = notation.parse('[Game "Tellstones"]\n[Orders "declared"]\n[Boast_minimum "2"]\n', SPECS).start
    assert (start.options["orders"], start.options["boast_minimum"]) == ("declared", 2)
    assert start.seats == ("a", "b")


def test_every_kind_of_entry_survives_being_written_and_read() -> None:
    entries: list[Entry] = [
        Act(1.5, "a", ("hide", "crown"), Source.CAMERA),
        Settle(2.0, Source.BUTTONS),
        Flag(3.0, "b"),
        Pause(4.0, True),
        Pause(5.0, False),
        Undo(6.0, "b"),
        Restored(6.0, "a"),
        Correct(7.0, ("score", "a", "2")),
        Correct(7.5, ("is", "2", "crown"), again=True),
        Resign(8.0, "a"),
        Draw(9.25),
    ]
    for entry in entries:
        assert notation.read_line(notation.write_line(entry), 0.0, ("a", "b")) == entry


@pytest.mark.parametrize(("seed", "seats"), [(0, "ab"), (1, "ab"), (2, "ac"), (3, "bd"), (4, "da")])
def test_a_random_match_is_the_same_after_export_and_import(seed: int, seats: str) -> None:
    dice = random.Random(seed)
    options = dict(complete(SPECS["tellstones"].options, {"starter": seats[0]}))
    start = Start(0.25, "tellstones", options, tuple(seats), seed, {"kind": "chess", "seconds": 600})
    match = matches.begin(GAME, start)
    entries: list[Entry] = [start]
    while match.result is None and len(entries) < 60:
        moves = [(s, w) for s in sorted(GAME.actors(match.state)) for w in sentences(GAME, match.state, s)]
        seat, words = dice.choice(moves)
        entry = Act(round(match.at + dice.random(), 3), seat, words, dice.choice(list(Source)))
        match, _ = matches.advance(GAME, match, entry)
        entries.append(entry)
    record = notation.parse(notation.write(tuple(entries)), SPECS)
    assert record.start == start
    lines = list(notation.play(GAME, record))
    assert matches.encode(lines[-1].match) == matches.encode(match)


def test_a_number_of_thousands_of_digits_is_refused_like_any_other_line() -> None:
    text = '[Game "tellstones"]\n\na: place crown left\nb: swap 1 ' + "9" * 5000 + "\n"
    record = notation.parse(text, {"tellstones": spec("tellstones")})
    assert [each.error is None for each in notation.play(game("tellstones"), record)] == [True, False]
