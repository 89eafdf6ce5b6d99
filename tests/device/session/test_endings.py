"""How a match ended, as every page shows it: who won, what decided it, points, length and the longest thought."""

from __future__ import annotations

from itertools import pairwise

import msgspec
import pytest

from device.screens.page_view import Wire, wire
from device.session.matches import add_notes, begin_match, record
from device.session.page_views import sheet
from device.session.state import Play, Session
from engine.catalogue import complete
from engine.entry import Act, Entry, Resign, Settle, Source, Start, Undo
from engine.match import is_private
from engine.text import say
from tests.device.session.stages import GAMES, SEATS, entries, session, stages, table

AUDIENCES = (*SEATS, None)


def ending(given: Session, audience: str | None = None, language: str = "en") -> Wire | None:
    found: Wire | None = wire(sheet(table(), given, audience), language)["ending"]
    return found


@pytest.mark.parametrize("game", GAMES)
def test_the_end_is_the_same_for_everybody_and_comes_with_the_end(game: str) -> None:
    for stage, given in stages(game):
        found = [ending(given, audience) for audience in AUDIENCES]
        assert found == [found[0]] * 3
        ended = isinstance(given.stage, Play) and given.stage.match.result is not None
        assert (found[0] is not None) is ended, stage
    end = ending(stages(game)[-1][1])
    assert end is not None
    assert end["winners"]
    assert end["decided"]
    assert end["scores"]
    assert len(end["facts"]) == 2


def test_the_last_action_decides_and_its_piece_is_marked() -> None:
    page = wire(sheet(table(), stages("tellstones")[-1][1], None), "en")
    assert page["ending"]["decided"] == ["A says Hammer and turns stone 2 face up.", "It is the Knight."]
    assert [piece["kind"] for piece in page["board"]["pieces"] if piece["marked"]] == ["knight"]


def test_a_card_that_decided_need_not_be_laid_to_be_shown() -> None:
    """The last order of Ready... Fence!, before anybody carried it out: its card lies there, and is marked."""
    *before, settled = entries("fence", 3, 3000)
    assert isinstance(settled, Settle)
    page = wire(sheet(table(), session(tuple(before)), None), "en")
    assert page["ending"]["decided"][0] == "Green plays Stop Hit 4."
    assert {piece["kind"] for piece in page["board"]["pieces"] if piece["marked"]} == {"green", "red", "stop-hit-4"}


def played(*after: Entry) -> Play:
    known = table().games["tellstones"]
    start = Start(0.0, "tellstones", dict(complete(known.spec.options, {})), SEATS, 1, {"kind": "none"})
    return record(begin_match(known, start, 0.0), after)


def facts(*after: Entry) -> list[str]:
    found = ending(Session(played(*after), after[-1].at, 1, "en"))
    assert found is not None
    lines: list[str] = found["facts"]
    return lines


def test_thoughts_are_timed_from_the_last_thing_that_everybody_saw() -> None:
    (one,) = table().games["tellstones"].game.actors(played().match.state)
    other = "b" if one == "a" else "a"
    crown = Act(2.0, one, ("place", "crown", "left"), Source.CAMERA)
    shield = Act(65.5, other, ("place", "shield", "left"), Source.CAMERA)
    resigns = Resign(70.0, one)
    assert facts(crown, shield, resigns) == ["2 moves in 1:10", f"Longest thinking time: {other.upper()}, 1:04"]
    assert facts(crown, shield, Undo(66.0, other), resigns) == [
        "1 move in 1:10",
        f"Longest thinking time: {one.upper()}, 0:02",
    ]


def test_heads_of_a_signed_match_come_with_its_end_and_only_both() -> None:
    given = session(entries("tellstones", 1, 3000))
    play = given.stage
    assert isinstance(play, Play)
    text = "To be able to verify this match later, write down head {n}: {hash}"
    first, last = (say(text, n=n, hash=digest) for n, digest in ((0, "1a2b"), (7, "9f86")))
    for end, heads in ((last, ["0 1a2b", "7 9f86"]), (say("Not signed."), [])):
        found = ending(msgspec.structs.replace(given, stage=add_notes(play, first, end)))
        assert found is not None
        assert found["heads"] == heads


def test_actions_of_a_seat_in_a_row_count_as_one_move() -> None:
    """Fence: a turn has two actions."""
    play = session(entries("fence", 1, 3000)).stage
    assert isinstance(play, Play)
    seats = [seat for seat, _ in play.thoughts]
    turns = 1 + sum(before != after for before, after in pairwise(seats))
    found = ending(session(entries("fence", 1, 3000)))
    assert found is not None
    assert turns < len(seats)
    assert found["facts"][0].startswith(f"{turns} moves in ")


def test_no_time_of_a_secret_action_is_told() -> None:
    """Runes: cards are chosen in secret. When it was done does not change what the end tells."""
    given = list(entries("runes", 1, 3000))
    assert isinstance(given[0], Start)
    play, secret = begin_match(table().games["runes"], given[0], 0.0), list[int]()
    for place, entry in enumerate(given[1:], 1):
        after = record(play, (entry,))
        if isinstance(entry, Act) and is_private(play.known.game, play.match.state, after.match.state):
            secret.append(place)
        play = after
    moved = [
        msgspec.structs.replace(entry, at=entry.at + 0.25) if place in secret else entry
        for place, entry in enumerate(given)
    ]
    assert len(secret) > 50
    assert ending(session(tuple(moved))) == ending(session(tuple(given)))
