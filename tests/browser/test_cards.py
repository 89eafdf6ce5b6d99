"""Games of cards at the page: a bout is fenced and a duel is fought, card by card out of the hands that were dealt."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.support.wait import WebDriverWait

from device import games
from engine.catalogue import AnyGame
from engine.game import Words
from engine.grammar import sentences
from engine.runes.game import Runes
from engine.view import Gauge, Score
from tests.browser.conftest import Evenings
from tests.browser.person import Person

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]
DISPLAYS = ("a", "b", "table")
LONGEST = 30
"""Actions within which something must have happened."""


def possible(person: Person, game: AnyGame, seat: str, verbs: Iterable[str]) -> Words:
    """What the cards in the hand allow, the earliest of the verbs first, and what moves most pieces of these."""
    state, holding = person.match(game).state, person.live.stage.holding
    assert holding is not None, "the dealer has lost count"
    real = [words for words in sentences(game, state, seat) if holding.real(state, seat, words) == words]
    order = list(verbs)
    traces = {words: game.trace(state, seat, game.read(state, seat, words)) for words in real if words[0] in order}
    return min(traces, key=lambda words: (order.index(words[0]), -len(traces[words].moves)))


def gauges(person: Person, label: str) -> dict[str, list[int]]:
    """How full the bars of that name are on each display."""
    panels = {name: person.live.players.screen(name).panels for name in DISPLAYS}
    return {
        name: [each.value for each in shown if isinstance(each, Gauge) and str(each.label).startswith(label)]
        for name, shown in panels.items()
    }


def scores(person: Person) -> list[int]:
    panels = person.live.players.screen("table").panels
    return [points for panel in panels if isinstance(panel, Score) for _, points in panel.entries]


def test_a_bout_is_fenced_until_somebody_scores(browser: Chrome, evening: Callable[..., Evenings]) -> None:
    table = evening("fence")
    person, game = Person(browser, table), games.game(games.spec("fence"))
    assert "the camera's picture" in person.find("#note").text
    person.begin("fence", starter="a")
    person.wait(lambda: all(person.shows(name) for name in DISPLAYS))
    person.show_hands()
    before = {name: person.bits(name) for name in DISPLAYS}
    stamina, points, costly = gauges(person, "Stamina"), scores(person), False
    for _ in range(LONGEST):
        if scores(person) != points and costly:
            break
        seat = min(game.actors(person.match(game).state))
        verbs = ("keep", "clear", "play", "accept", "move", "end")
        person.act(game, seat, possible(person, game, seat, verbs))
        costly |= gauges(person, "Stamina") != stamina
    assert sum(scores(person)) > sum(points)
    assert costly, "cards cost stamina"
    person.wait(lambda: all(person.shows(name) for name in DISPLAYS))
    for name, picture in before.items():
        assert not np.array_equal(person.bits(name), picture), f"display {name} has not changed"
    assert person.faults() == []
    assert table.live.panel.dropped == 0


def test_a_duel_is_fought_until_somebody_is_hurt(browser: Chrome, evening: Callable[..., Evenings]) -> None:
    """A jab needs no more than the rune of wyrms on the newest card."""
    table = evening("runes")
    person, game = Person(browser, table), games.game(games.spec("runes"))
    assert isinstance(game, Runes)
    assert "the camera's picture" in person.find("#note").text
    person.begin("runes")
    person.show_hands()
    life = gauges(person, "Life")
    for _ in range(LONGEST):
        if gauges(person, "Life") != life:
            break
        state = person.match(game).state
        seat = min(game.actors(state))
        held = sorted(table.live.stage.holding.hand(seat), key=lambda card: "wyrms" not in game.deck[card].suits)
        words = possible(person, game, seat, ("lay", "reveal", "cast", "pass", "draw"))
        if words[0] == "cast":
            words = _hurting(game, state, seat, words)
        person.act(game, seat, words, hidden=held[0] if words[0] == "lay" else None)
    assert gauges(person, "Life") != life
    person.wait(lambda: all(person.shows(name) for name in DISPLAYS))
    assert person.faults() == []
    assert table.live.panel.dropped == 0


def _hurting(game: Any, state: Any, seat: str, otherwise: Words) -> Words:
    """The spell that takes most from the other, if it were resolved alone."""
    casts = [words for words in sentences(game, state, seat) if words[0] == "cast"]
    return next((words for words in casts if words[1] in ("jab", "fireball", "ice-bolt")), otherwise)


COVERED = """
const box = (node) => node.getBoundingClientRect();
const zones = [...document.querySelectorAll("#table .zone")].map(box);
const partly = (one, two) =>
  one.left < two.right - 1 && two.left + 1 < one.right && one.top < two.bottom - 1 && two.top + 1 < one.bottom &&
  !(one.left >= two.left && one.right <= two.right && one.top >= two.top && one.bottom <= two.bottom);
const names = [...document.querySelectorAll("#table .caption")];
return names.filter((name) => zones.some((zone) => partly(box(name), zone))).map((name) => name.textContent);
"""
"""The names on the mat that lie over the edge of a zone."""


def test_the_names_on_the_mat_cover_no_zone(browser: Chrome, evening: Callable[..., Evenings]) -> None:
    table = evening("runes", ideal=True)
    for page in table.pages.values():
        browser.get(page)
        WebDriverWait(browser, 20).until(lambda page: len(page.find_elements("css selector", "#table .caption")) > 5)
        assert browser.execute_script(COVERED) == []
        assert [mark.text for mark in browser.find_elements("css selector", "#table .sitting")] == ["A", "B"]


def test_every_zone_of_a_full_mat_has_its_name_on_it(browser: Chrome, evening: Callable[..., Evenings]) -> None:
    """Life tracks between rows of cards, too."""
    table = evening("runes", ideal=True, seats=4)
    zones = len(table.live.stage.mat.zones)
    for page in table.pages.values():
        browser.get(page)
        WebDriverWait(browser, 20).until(
            lambda page: len(page.find_elements("css selector", "#table .caption")) == zones
        )


def test_a_hand_is_shown_when_asked_for_and_to_its_own_seat(browser: Chrome, evening: Callable[..., Evenings]) -> None:
    table = evening("runes", ideal=True)
    person = Person(browser, table)
    assert person.browser.find_elements("css selector", "#tray .held-card[data-kind]") == []
    assert len(person.browser.find_elements("css selector", "#tray .held-card")) == 5
    person.find("#show").click()
    shown = [card.get_attribute("data-kind") for card in browser.find_elements("css selector", "#tray .held-card")]
    assert shown == list(table.live.stage.holding.hand("a"))
    person.use_hand("b")
    assert person.browser.find_elements("css selector", "#tray .held-card[data-kind]") == []
    browser.get(table.pages["b"])
    person.wait(lambda: len(browser.find_elements("css selector", "#tray .held-card[data-kind]")) == 5)
    assert not any(kind in browser.page_source for kind in table.live.stage.holding.hand("a"))
    assert "A holds 5" in person.find("#tray .count").text
