"""Plays the virtual table as a newcomer who reads nothing, in Chromium.

The newcomer presses *Play*, takes every seat on this screen, then touches only what is lit, and the first line of a
list where nothing is lit."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.common.by import By

from engine.entry import Act
from referee_simulator.command import live_plan
from referee_simulator.options import Page, Table
from tests.browser.conftest import Evenings

MOVES = 5
PATIENCE_S = 180.0
LOOK_S = 0.1
PLAY, HERE = ".invite > button", ".seating button.way"
WAITS, LIT, LIST = ".waits", (".asked .your-card", ".meant .line", ".touch .lit"), ".ask .line"
"""Selectors of the notice that the match is being set up, of lit things in the order in which they are touched, and of
the lines of a list."""

SHORT = 4
"""Lines of the longest question."""

LOST_S = 3.0
"""Seconds without a lit thing after which somebody begins to read: a hand and the camera take as long."""


class Newcomer:
    """A person at the table's page. rows: lines that had to be read. answers: buttons of short questions."""

    def __init__(self, browser: webdriver.Chrome) -> None:
        self.browser, self.rows, self.answers = browser, 0, 0
        self._touched = time.monotonic()

    def touch(self) -> None:
        """Touch a lit thing in the first seat that has any; after a while without one, the first line of a list."""
        if self.browser.find_elements(By.CSS_SELECTOR, WAITS):
            self._touched = time.monotonic()
            return
        lost = time.monotonic() > self._touched + LOST_S
        for frame in self.browser.find_elements(By.TAG_NAME, "iframe"):
            self.browser.switch_to.frame(frame)
            try:
                if self._touch(LIT) or (lost and self._touch((LIST,))):
                    return
            except WebDriverException:
                pass  # it went, or something came to lie over it, while the finger came down
            finally:
                self.browser.switch_to.default_content()

    def _touch(self, selectors: tuple[str, ...]) -> bool:
        found = next(filter(None, (self.browser.find_elements(By.CSS_SELECTOR, each) for each in selectors)), ())
        if found:
            self.browser.execute_script("arguments[0].scrollIntoView({ block: 'center' })", found[0])
            found[0].click()
            if selectors == (LIST,):
                self.rows += len(found) if len(found) > SHORT else 0
                self.answers += len(found) if 1 < len(found) <= SHORT else 0
            self._touched = time.monotonic()
        return bool(found)


def measure(browser: webdriver.Chrome, game: str, folder: Path) -> dict[str, float]:
    """Return the seconds to the demo's first action and from *Play* to the newcomer's last, and the lines and
    answers read for each of these. folder: empty, for the table's files."""
    with Evenings(live_plan(Table(game=game), Page(port=0)), folder) as evening:

        def moves() -> int:
            return sum(isinstance(entry, Act) for entry in evening.live.players.entries())

        before, opened = moves(), time.monotonic()
        browser.get(evening.page)
        until(lambda: moves() > before)
        acted = time.monotonic() - opened
        until(lambda: bool(browser.find_elements(By.CSS_SELECTOR, PLAY)))
        browser.find_element(By.CSS_SELECTOR, PLAY).click()
        played = time.monotonic()
        browser.find_element(By.CSS_SELECTOR, HERE).click()
        until(lambda: moves() == 0)  # the demo's own match has ended
        person = Newcomer(browser)

        def is_done() -> bool:
            person.touch()
            return moves() >= MOVES

        until(is_done)
        taken = time.monotonic() - played
    rows, answers = (round(count / MOVES, 1) for count in (person.rows, person.answers))
    return {"opened_s": round(acted, 1), "moves_s": round(taken, 1), "rows": rows, "answers": answers}


def until(done: Callable[[], bool]) -> None:
    """Wait. Raises TimeoutError."""
    last = time.monotonic() + PATIENCE_S
    while not done():
        if time.monotonic() > last:
            raise TimeoutError
        time.sleep(LOOK_S)
