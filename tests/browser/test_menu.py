"""The menu of a seat's page at a virtual table, on the narrowest phone: what is chosen there is seen to be done."""

from __future__ import annotations

import pytest
from selenium.webdriver import Chrome

from tests.browser.conftest import Evenings
from tests.browser.test_pages import Guest, settle

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]
IN_SIGHT = """
const box = document.getElementById("asks").getBoundingClientRect();
return box.top >= 0 && box.bottom <= innerHeight;
"""
BEHIND = {"Resign": "A resigns", "Correct the referee": "Stone", "By phone": "Another phone"}
"""What is asked on, on the page behind the menu."""


class Player(Guest):
    """Seat A's page."""

    def __init__(self, browser: Chrome, table: Evenings) -> None:
        super().__init__(browser)
        self.holds(360, 740)
        browser.get(table.seats["a"])
        browser.execute_script("localStorage.setItem('named', 'true')")
        self.wait(lambda: bool(self.all(".status")), 30)

    def choose(self, line: str) -> None:
        """A line of the menu, as a finger finds it there."""
        self.browser.execute_script("window.scrollTo(0, document.body.scrollHeight)")
        self.button("Menu").click()
        self.wait(lambda: any(each.text == line for each in self.all("dialog .line")))
        settle()
        self.button(line).click()

    def sees_it_done(self, *words: str) -> None:
        self.wait(lambda: not self.all("dialog"))
        self.reads(*words)


def test_the_menu_closes_over_what_each_of_its_lines_asks_on(browser: Chrome, table: Evenings) -> None:
    player = Player(browser, table)
    table.begin({})
    player.wait(lambda: "turn" in player.find(".status").text, 20)
    for line in (*BEHIND, "Resign"):
        player.choose(line)
        player.sees_it_done(BEHIND[line])
        assert browser.execute_script(IN_SIGHT), f"what {line!r} asks is not in sight"
    assert player.faults() == []
    player.choose("Resign")
    player.sees_it_done("A resigns")
    settle()
    player.button("No").click()
    player.wait(lambda: "A resigns" not in player.find(".ask").text)
    player.choose("Pause")
    player.sees_it_done("Go on")
