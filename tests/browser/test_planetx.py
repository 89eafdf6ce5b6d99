"""Planet X at the page: chosen from power-on, a survey by pressing, and the answer on the seat's own display alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from selenium.webdriver import Chrome

from device import games
from device.sim.live.run import Evening
from device.sim.players import menus
from engine.entry import Act
from engine.game import Words
from engine.grammar import sentences
from engine.planetx.facts import answer_text
from engine.view import Line
from tests.browser.conftest import Evenings
from tests.browser.person import Person

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]


@pytest.fixture
def sky(tmp_path: Path) -> Iterator[Evenings]:
    folder = tmp_path / "evening"
    folder.mkdir(mode=0o700)
    with Evenings(Evening(game="planetx", scene="easy", seed=5, port=0, ideal=True), folder) as running:
        yield running


def test_an_answer_shows_on_the_display_of_whoever_asked_and_nowhere_else(browser: Chrome, sky: Any) -> None:
    person, players = Person(browser, sky), sky.live.players
    spec = games.spec("planetx")
    game = games.game(spec)
    person.follow(menus.set_up(players, "a", spec, 2, {"level": "genius"}))
    person.wait(lambda: len(players.entries()) == 1)
    person.wait(lambda: "needs no camera" in person.find("#note").text)
    start = players.entries()[0]
    state = game.setup(start.options, start.seats, start.seed)
    seat = min(game.actors(state))
    words = ("survey", "asteroid", *(choice.word for choice in _span(game, state, seat)))
    person.follow(menus.enter(players, seat, lambda prefix: game.choices(state, seat, prefix), words))
    person.wait(lambda: len(players.entries()) == 2)
    act = players.entries()[1]
    assert isinstance(act, Act)
    assert (act.seat, act.words) == (seat, words)

    state, _ = game.apply(state, seat, game.read(state, seat, words))
    own = next(player for player in state.players if player.seat == seat)
    answer = Line(answer_text(own.answers[-1].fact), strong=True)
    displays = ("a", "b", "table")
    person.wait(lambda: all(person.shows(name) for name in displays))
    assert [name for name in displays if answer in players.screen(name).panels] == [seat]
    assert not np.array_equal(person.bits("a"), person.bits("b"))
    assert person.faults() == []


def _span(game: Any, state: Any, seat: str) -> Iterator[Any]:
    """The first sectors that a survey may be made of."""
    words: tuple[str, ...] = ("survey", "asteroid")
    for _ in range(2):
        choice = game.choices(state, seat, words)[0]
        words += (choice.word,)
        yield choice


def test_a_whole_short_match_is_played_at_the_page(browser: Chrome, sky: Any) -> None:
    """Surveys, a theory, Planet X located, the last word of the other, the score."""
    person, game = Person(browser, sky), games.game(games.spec("planetx"))
    person.begin("planetx", level="genius")
    board = person.match(game).state.game.board
    asteroid = str(board.index("A") + 1)
    planet = board.index("X")
    kinds = {"A": "asteroid", "C": "comet", "D": "dwarf", "E": "empty", "G": "gas"}
    beside = tuple(kinds[board[(planet + step) % len(board)]] for step in (-1, 1))
    wishes: list[Words] = [
        ("submit", asteroid, "asteroid"),
        ("theories", "1"),
        ("locate", str(planet + 1), *beside),
        ("survey", "asteroid"),
        ("pass",),
    ]
    surveyed: set[str] = set()
    for _ in range(12):
        match = person.match(game)
        if match.result is not None:
            break
        seat = min(game.actors(match.state))
        legal = list(sentences(game, match.state, seat))
        turn = [wish for wish in wishes if wish[0] != ("survey" if seat in surveyed else "locate")]
        words = next(words for wish in turn for words in legal if words[: len(wish)] == wish)
        surveyed |= {seat} if words[0] == "survey" else set()
        person.act(game, seat, words)
    result = person.match(game).result
    assert result is not None
    assert "a" in result.winners
    person.wait(lambda: all(person.shows(name) for name in ("a", "b", "table")))
    assert person.live.players.screen("table").prompt == result.text
    assert person.faults() == []
