"""The drawn things that a finger touches for each action."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from types import ModuleType
from typing import Any

import msgspec
import pytest

from device.screens.page_view import CardRow, PageView, TouchMoves
from device.session import tapping
from device.session.matches import begin_match, record
from device.session.messages import Append
from device.session.page_views import sheet
from device.session.state import MenuState, PanelMode, Play, page_of
from device.session.touches import moves_after, moves_on_page
from engine.entry import Act, Start
from engine.fence.cards import KINDS
from engine.view import Ring
from tests.device.session.stages import entries, stages, table
from tests.package.test_guest import files

GAMES = ("tellstones", "fence", "runes", "planetx")
SETTLED = "after 3 actions"
COPIES: dict[str, Callable[[Any, str], int]] = {
    "fence": lambda state, kind: state.pool[kind].count if kind in state.pool else sys.maxsize,
    "runes": lambda state, kind: 1,
}
"""How many a game has of a card."""


def shown(game: str, stage: str, seat: str = "a") -> PageView:
    return sheet(table(), dict(stages(game))[stage], seat)


def touched(view: PageView) -> TouchMoves:
    return view.answers.touch or TouchMoves()


def by_sentence(view: PageView) -> dict[str, tuple[str, ...]]:
    """The things of each action by its sentence."""
    found, touch = {}, touched(view)
    for pattern, words, things in touch.moves:
        sentence = str(touch.patterns[pattern].text).format("", *(str(touch.words[word]) for word in words))
        found[sentence] = tuple(touch.things[thing] for thing in things)
    return found


def test_a_stone_and_an_end_place_it_and_a_stone_of_the_line_is_hidden() -> None:
    found = by_sentence(shown("tellstones", "after 0 actions", "b"))
    assert found["Crown to the right end"] == ("pool/0", ">line/0")
    assert found["Crown to the left end"] == ("pool/0", ">line/1")  # as who sits opposite sees it
    assert found["Hide the Knight (place 1)"] == ("line/0",)


def test_what_no_trace_shows_is_touched_where_its_words_mean_something() -> None:
    found = by_sentence(shown("tellstones", SETTLED))
    assert found["Swap the Sword and stone 2"] == ("line/0", "line/1")
    assert found["Peek at stone 2"] == found["Challenge stone 2"] == ("line/1",)
    assert found["Boast"] == ()


def test_a_survey_is_touched_at_its_two_ends_and_a_claim_at_its_sector() -> None:
    found = by_sentence(shown("planetx", SETTLED))
    assert found["Survey for comets: sectors 2-5 (time 3)"] == ("#2", "#5")
    assert found["Survey for comets: sector 3 only (time 4)"] == found["Target sector 3 (time 4; 2 targets left)"]
    assert found["Target sector 3 (time 4; 2 targets left)"] == ("#3",)
    assert found["Research R1: comets (time 1)"] == ()
    claims = {things for sentence, things in found.items() if sentence.startswith("Locate")}
    assert claims == {(f"#{sector}",) for sector in range(1, 13)}


def test_a_card_is_touched_whatever_is_done_with_it() -> None:
    found = by_sentence(shown("fence", SETTLED))
    assert found["Play a card: Fleche, Speed 5"] == found["Exchange a card: Fleche, Speed 5"] == ("=fleche-5",)
    assert found["Move forward"][1].startswith(">strip/")
    assert by_sentence(shown("runes", SETTLED, "b"))["Reveal: The Cave"] == ("=cave",)


def test_cards_that_a_hand_may_hold_stand_in_rows_by_suit_and_rank() -> None:
    fence, runes = touched(shown("fence", SETTLED)), touched(shown("runes", SETTLED, "b"))
    assert fence.cards[0] == CardRow(
        tuple(fence.things.index(f"=straight-thrust-{n}") for n in (3, 4, 5, 6)), KINDS["straight-thrust"].name
    )
    assert [runes.things[thing] for thing in runes.cards[1].things] == ["=author", "=desert", "=origin"]
    assert {row.heading for row in runes.cards} == {None}, "each card shows its rank"
    for found in (fence, runes):
        rows = [found.things[thing] for row in found.cards for thing in row.things]
        assert sorted(rows) == sorted(thing for thing in found.things if thing[0] == "=")


@pytest.mark.parametrize("game", ["fence", "runes"])
@pytest.mark.parametrize("seed", range(3))
def test_no_card_is_offered_whose_copies_all_lie_face_up(game: str, seed: int) -> None:
    start, *after = entries(game, seed, 60)
    assert isinstance(start, Start)
    play, most = begin_match(table().games[game], start, 0.0), 0
    for entry in after:
        play = record(play, (entry,))
        known, state = play.known.game, play.match.state
        lying = Counter(piece.kind for zone in known.layout(state).zones for piece in zone.pieces if piece is not None)
        gone = {f"={kind}" for kind, count in lying.items() if kind and count >= COPIES[game](state, kind)}
        for seat in known.actors(state):
            found = moves_on_page(
                state, known, seat, moves_after(state, known, seat, None, (), ()), mat=False, ring=False
            )
            assert not gone & set(found.things)
        most = max(most, len(gone))
    assert most, "some cards lay face up"


@pytest.mark.parametrize("game", GAMES)
def test_every_touch_is_of_something_that_the_page_draws(game: str) -> None:
    for _, session in stages(game):
        for seat in ("a", "b"):
            view = sheet(table(), session, seat)
            there = {
                f"#{number + 1}"
                for each in view.panels
                if isinstance(each, Ring)
                for number, _ in enumerate(each.cells)
            }
            if view.board is not None:
                there |= {f"{piece.zone}/{piece.index}" for piece in view.board.pieces}
            zones = {place.zone for place in view.board.places} if view.board is not None else set()
            for thing in touched(view).things:
                place = thing[0] == ">" and thing[1:].rpartition("/")[0] in zones
                assert place or thing[0] == "=" or thing in there, thing


@pytest.mark.parametrize("game", GAMES)
def test_a_tap_after_the_lines_carries_out_its_action(game: str) -> None:
    """And asks first if the action costs something and nothing drawn was touched for it."""
    session = dict(stages(game))[SETTLED]
    assert isinstance(session.stage, Play)
    play = session.stage
    for seat in sorted(play.known.game.actors(play.match.state)):
        listing = tapping.answers(table(), session, seat)
        touch = touched(sheet(table(), session, seat))
        for number in range(0, len(listing.moves.found), 7):
            move = listing.moves.found[number]
            does = listing.at(len(listing.lines) + number)
            assert does is not None
            after, effects = does()
            assert isinstance(after.stage, Play)
            if move.costs and not touch.moves[number][-1]:
                assert after.stage.menu_state(page_of(seat)).mode is PanelMode.CONFIRM
            else:
                done = [entry for each in effects if isinstance(each, Append) for entry in each.entries]
                assert [entry.words for entry in done if isinstance(entry, Act)] == [move.words]
        assert listing.at(len(listing.lines) + len(listing.moves.found)) is None


def test_actions_after_a_chosen_verb_keep_its_sentence() -> None:
    session = dict(stages("planetx"))[SETTLED]
    assert isinstance(session.stage, Play)
    game, state, words = session.stage.known.game, session.stage.match.state, ("survey", "comet")
    path = tuple(
        each.text for place in (0, 1) for each in game.choices(state, "a", words[:place]) if each.word in words
    )
    chosen = session.stage.put(page_of("a"), MenuState(PanelMode.ACT, words=words, path=path))
    view = sheet(table(), msgspec.structs.replace(session, stage=chosen), "a")
    assert by_sentence(view)["Survey for comets: sectors 2-5 (time 3)"] == ("#2", "#5")


def test_a_game_of_others_is_touched_by_its_traces_alone() -> None:
    """Pebble (docs/developers/write-a-game.md), of which no word means anything drawn."""
    pebble = ModuleType("pebble")
    exec(files()["pebble/__init__.py"], pebble.__dict__)
    game, state = pebble.Pebble(), pebble.State("a", "b", pebble.KINDS, (True, True, True), 1)
    moves = moves_after(state, game, "a", None, (), ())
    found = moves_on_page(state, game, "a", moves, mat=True, ring=False)
    touches = [tuple(found.things[thing] for thing in things) for *_, things in found.moves]
    assert touches == [("cups/0", "cups/1"), ("cups/0", "cups/2"), ("cups/1", "cups/2")]
    assert moves_on_page(state, game, "a", moves, mat=False, ring=False).things == ()


def test_spectators_touch_nothing() -> None:
    for _, session in stages("tellstones"):
        assert sheet(table(), session, None).answers.touch is None
