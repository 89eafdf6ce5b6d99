"""Whole matches in the browser, at the virtual table as `make demo` opens it: two seats' pages of 390 x 844 and the
table's of 1280 x 800. Whatever has to be moved, cards, too, is moved by the simulated hand; nobody opens the bench."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable

import pytest
from selenium.webdriver import ActionChains, Chrome, Keys

from device import games
from device.locale import translate
from engine.catalogue import AnyGame
from engine.game import OptionValue, Words
from engine.grammar import phrase_words, sentences
from engine.match import Match, replay
from engine.table import Seat
from engine.text import Text, say
from extensions.simulator.tests.browser.test_demo import Newcomer
from referee_simulator.live import helping
from tests.browser.conftest import Evenings
from tests.browser.test_pages import TAKEN_S

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]
ANSWER_S = 25.0
"""A hand takes some seconds, and the camera waits until it is gone."""

FOCUSED = "return [...document.querySelectorAll('.ask .line')].indexOf(document.activeElement)"
PATH = "return document.querySelectorAll('.ask .path li').length"
STOPS = 60
Pick = Callable[[AnyGame, Match, Seat, list[Words]], Words]


class Players:
    """Both seats of one match, by one person who knows what each of them knows: the own cards and what was seen."""

    def __init__(self, browser: Chrome, table: Evenings, game: str, *, by_keyboard: bool = False) -> None:
        self.table, self.by_keyboard = table, by_keyboard
        self.game = games.game(games.spec(game))
        self.person = Newcomer(browser, table.page)
        for seat in "ab":
            self.person.sits_down(seat)

    @property
    def match(self) -> Match:
        return replay(self.game, tuple(self.table.live.players.entries()))

    def play(self, pick: Pick, most: int) -> None:
        """To the end. most: actions that it may take."""
        for _ in range(most):
            self._until(self._rests)
            match = self.match
            if match.result is not None:
                return
            seat = min(self.game.actors(match.state))
            self.order(seat, match, pick(self.game, match, seat, self.possible(match, seat)))
        raise AssertionError(f"the match does not end: {self.match.state}")

    def _rests(self) -> bool:
        """Nothing is owed, and the dealer has followed."""
        match, holding = self.match, self.table.live.stage.holding
        if match.result is not None:
            return True  # nobody clears the table any more
        return match.pending is None and (holding is None or holding.agrees(match.state))

    def possible(self, match: Match, seat: Seat) -> list[Words]:
        """What a seat may do with the cards that it has."""
        holding = self.table.live.stage.holding
        legal = sentences(self.game, match.state, seat)
        return [words for words in legal if holding is None or holding.real(match.state, seat, words) == words]

    def order(self, seat: Seat, match: Match, words: Words) -> None:
        """By as few lines as the seat's page has for it."""
        count, texts = len(self.table.live.players.entries()), list[Text]()
        for depth, word in enumerate(words):
            choices = self.game.choices(match.state, seat, words[:depth])
            texts.append(next(choice.text for choice in choices if choice.word == word))
        until = time.monotonic() + ANSWER_S
        while len(self.table.live.players.entries()) == count:
            assert time.monotonic() < until, f"{words} is not taken: {self.person.reads(seat)}"
            self._step(seat, texts)

    def _step(self, seat: Seat, texts: list[Text]) -> None:
        """One line on the way, if there is one."""
        lines = self.person.reads(seat)[2]
        rest = texts[self.person.browser.execute_script(PATH) :]
        said = ["Yes", *(_said(rest, length) for length in range(len(rest), 0, -1))]
        line = next((each for each in said if each in lines), None)
        if line is None:
            time.sleep(0.1)
            return
        time.sleep(TAKEN_S)
        before = self.person.reads(seat)
        if line not in before[2]:
            return
        self._choose(before[2].index(line))
        until = time.monotonic() + 3.0
        while self.person.reads(seat) == before and time.monotonic() < until:
            time.sleep(0.05)

    def _choose(self, place: int) -> None:
        guest = self.person.guest
        if not self.by_keyboard:
            button = guest.all(".ask .line")[place]
            guest.browser.execute_script(
                "arguments[0].scrollIntoView({ block: 'center' }); arguments[0].click()", button
            )
            return
        for _ in range(STOPS):
            at = guest.browser.execute_script(FOCUSED)
            if at == place:
                break
            ActionChains(guest.browser).send_keys(Keys.TAB if at < 0 else Keys.ARROW_DOWN).perform()
        ActionChains(guest.browser).send_keys(Keys.ENTER).perform()

    def _until(self, done: Callable[[], bool]) -> None:
        until = time.monotonic() + ANSWER_S
        while not done():
            assert time.monotonic() < until, f"nobody does it: {self.match.pending}; {self.table.live.stage.lacks}"
            for seat in filter(self.table.live.stage.must_pick, self.table.live.stage.seats):
                self._pick(seat)
            time.sleep(0.1)

    def _pick(self, seat: Seat) -> None:
        """Tap the first card, where a page asks which one is laid."""
        self.person.look_at(seat)
        if cards := self.person.guest.all(".asked .your-card"):
            cards[0].click()
            self.person.guest.wait(lambda: not self.person.guest.all(".asked"))

    def end(self) -> None:
        """What all pages look like then."""
        result = self.match.result
        assert result is not None
        for page in ("table", "a", "b"):
            self.person.shows(page, translate(result.text, "en"))
            time.sleep(TAKEN_S)
            assert self.person.guest.faults() == [], page


def _said(texts: list[Text], length: int) -> str:
    """A line with the first so many words of what is still to be said."""
    words = phrase_words(texts[:length])
    return translate(words if length == len(texts) else say("{words} …", words=words), "en")


def ending(game: AnyGame, match: Match, seat: Seat, legal: Iterable[Words]) -> Words | None:
    """What decides the match at once."""
    for words in legal:
        after, _ = game.apply(match.state, seat, game.read(match.state, seat, words))
        if game.outcome(after) is not None:
            return words
    return None


def by_verb(*verbs: str, seed: int) -> Pick:
    """What ends the match, else something of the first verb that is possible."""
    dice = random.Random(seed)

    def pick(game: AnyGame, match: Match, seat: Seat, legal: list[Words]) -> Words:
        def rank(words: Words) -> int:
            return verbs.index(words[0]) if words[0] in verbs else len(verbs)

        best = [words for words in legal if rank(words) == min(map(rank, legal))]
        return ending(game, match, seat, legal) or dice.choice(best)

    return pick


def astronomer() -> Pick:
    """A survey each, a theory, then Planet X where it is; the other, too, has a last word."""
    surveyed: set[Seat] = set()
    kinds = {"A": "asteroid", "C": "comet", "D": "dwarf", "E": "empty", "G": "gas"}

    def pick(_game: AnyGame, match: Match, seat: Seat, legal: list[Words]) -> Words:
        board = match.state.game.board
        planet, asteroid = board.index("X"), str(board.index("A") + 1)
        beside = tuple(kinds[board[(planet + step) % len(board)]] for step in (-1, 1))
        turn: Words = ("locate", str(planet + 1), *beside) if seat in surveyed else ("survey", "asteroid")
        wishes: list[Words] = [("submit", asteroid, "asteroid"), ("theories", "1"), turn, ("pass",)]
        words = next(words for wish in wishes for words in legal if words[: len(wish)] == wish)
        surveyed.update({seat} if words[0] == "survey" else ())
        return words

    return pick


SHORT: dict[str, tuple[dict[str, OptionValue], Pick, int]] = {
    "tellstones": ({}, by_verb("names", "prove", "boast", "hide", "place", seed=1), 12),
    "planetx": ({"level": "genius"}, astronomer(), 20),
    "fence": ({"starter": "a"}, by_verb("keep", "clear", "play", "accept", "move", "end", seed=28), 30),
    "runes": ({"life_a": 1, "life_b": 1}, by_verb("cast", "reveal", "lay", "pass", "draw", seed=1), 60),
}
"""Options with which a match is short, how it is played, and how many actions it may take."""


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hand that does not hesitate."""
    monkeypatch.setattr(helping, "AFTER_S", 0.2)
    monkeypatch.setattr(helping, "PACE", 4.0)


@pytest.mark.parametrize("game", SHORT)
def test_a_whole_match_is_tapped(browser: Chrome, evening: Callable[..., Evenings], game: str) -> None:
    """Tellstones by keyboard alone. Ready... Fence! ends at the fifth point."""
    options, pick, most = SHORT[game]
    table = evening(game, helped=True)
    players = Players(browser, table, game, by_keyboard=game == "tellstones")
    table.begin(options)
    players.play(pick, most)
    players.end()
