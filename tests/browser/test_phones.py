"""Two phones and a tablet play every game with the programs as they are shipped: no camera, no display, no button.

Seat A taps; seat B has nothing but a keyboard.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver import ActionChains, Chrome, Keys

from tests.browser.shipped import Shipped
from tests.browser.test_pages import TAKEN_S, Guest

pytestmark = [pytest.mark.browser, pytest.mark.timeout(280)]
TITLES = {
    "tellstones": "Tellstones",
    "planetx": "The Search for Planet X",
    "fence": "Ready... Fence!",
    "runes": "Dueling Runes",
}
TAPS = 12
"""Of both phones together, once the match goes on."""

ANSWER_S = 5.0
READ = """
const text = (selector) => document.querySelector(selector)?.textContent.trim() ?? "";
const lines = [...document.querySelectorAll(".ask .line")].map(({ textContent }) => textContent.trim());
return [text(".status"), text("#asks"), lines];
"""
KEYS = 120
FOCUSED = "return [...document.querySelectorAll('.ask .line')].indexOf(document.activeElement)"
"""The place of the line that has the focus; -1: none has."""

FIRST = ("English", "2 players", "Continue", "No clock", "Start")
"""What is tapped on the way to the first turn, beside the game."""

Seen = tuple[str, str, tuple[str, ...]]


class Phones:
    """The table's page and two seats', each in a tab. seat: the one before the eyes."""

    def __init__(self, guest: Guest, table: Shipped) -> None:
        self.guest, self.browser, self.tabs = guest, guest.browser, {}
        guest.holds(1280, 800)
        self.browser.get(table.page("table"))
        guest.wait(lambda: len(guest.all(".codes a")) == 4, 20)
        self.tabs["table"] = self.browser.current_window_handle
        links = [str(each.get_attribute("href")) for each in guest.all(".codes a")]
        for seat, link in zip("ab", links, strict=False):
            self.browser.switch_to.new_window("tab")
            self.tabs[seat] = self.browser.current_window_handle
            guest.holds(390, 844)
            self.browser.get(link)
            guest.wait(lambda: bool(guest.all(".status")))

    def turn_to(self, page: str) -> None:
        self.browser.switch_to.window(self.tabs[page])

    def seen(self) -> Seen:
        status, asks, lines = self.browser.execute_script(READ)
        return status, asks, tuple(lines)

    def tap(self, line: str, *, by_keyboard: bool = False) -> None:
        """Chooses a line, if it still stands there, and waits until something else is asked."""
        before = self.seen()
        if line not in before[2]:
            return
        place = before[2].index(line)
        time.sleep(TAKEN_S)
        if self.seen() != before:
            return
        if by_keyboard:
            self._type(place)
        else:
            self._touch(place)
        until = time.monotonic() + ANSWER_S
        while self.seen() == before:
            assert time.monotonic() < until, f"{line!r} is not answered: {before}"
            time.sleep(0.03)

    def _touch(self, place: int) -> None:
        with suppress(StaleElementReferenceException):
            button = self.guest.all(".ask .line")[place]
            self.browser.execute_script("arguments[0].scrollIntoView({ block: 'center' })", button)
            button.click()

    def _type(self, place: int) -> None:
        """Tab to the list, the arrow to the line, Enter."""
        for _ in range(KEYS):
            at = self.browser.execute_script(FOCUSED)
            if at == place:
                break
            self._press(Keys.TAB if at < 0 else Keys.ARROW_DOWN)
        self._press(Keys.ENTER)

    def _press(self, key: str) -> None:
        ActionChains(self.browser).send_keys(key).perform()

    def begin(self, title: str) -> None:
        """From power-on to the first turn, all on one phone."""
        self.turn_to("a")
        for each in ("English", title):
            self.guest.wait(lambda wanted=each: wanted in self.seen()[2])  # type: ignore[misc]
            self.tap(each)
        for _ in range(8):
            _, _, lines = self.seen()
            line = next((line for line in lines if line in FIRST), None)
            if line is None:
                return
            self.tap(line)


@pytest.fixture
def phones(browser: Chrome, tmp_path: Path) -> Iterator[Phones]:
    with Shipped(tmp_path) as table:
        yield Phones(Guest(browser), table)


@pytest.mark.parametrize("game", TITLES)
def test_two_phones_play_and_the_table_shows_it(phones: Phones, game: str) -> None:
    dice, taps, idle = random.Random(game), 0, 0
    phones.begin(TITLES[game])
    while taps < TAPS and idle < 40:
        for seat in "ab":
            phones.turn_to(seat)
            _, _, lines = phones.seen()
            idle = 0 if lines else idle + 1
            if lines:
                phones.tap(dice.choice(lines), by_keyboard=seat == "b")
                taps += 1
    assert taps >= TAPS, "nobody is asked anything"
    for seat in "ab":
        phones.turn_to(seat)
        phones.guest.holds(390, 844)
        time.sleep(TAKEN_S)
        assert phones.guest.faults() == [], seat
    phones.turn_to("table")
    phones.guest.holds(1280, 800)
    time.sleep(TAKEN_S)
    assert phones.guest.faults() == []
    assert phones.guest.all(".told li"), "the table tells of nothing that happened"
    assert phones.guest.all(".board .piece") or phones.guest.all(".ring"), "the table shows no board"
