"""A person at the page: starts a game with the buttons, drags a stone, and reads on the displays whose turn it is."""

from __future__ import annotations

import base64
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from selenium.webdriver import ActionChains, Chrome
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement

from device import games
from device.screens.render import pages
from device.sim import menus
from device.sim.world import Course, Pause, Tap
from engine.entry import Act, Source

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]
AFTER_TAP_S = 0.5
BITS = """
const canvas = document.querySelector(`canvas[data-display="${arguments[0]}"]`);
const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
const lit = new Uint8Array(data.length / 4);
for (let i = 0; i < lit.length; i += 1) lit[i] = data[4 * i] > 100 ? 1 : 0;
return btoa(String.fromCharCode(...lit));
"""


class Person:
    """Eyes and one mouse on the operator's page."""

    def __init__(self, browser: Chrome, table: Any) -> None:
        self.browser, self.live = browser, table.live
        browser.get(table.pages[None])
        self.wait(lambda: self.find("#link").get_attribute("data-state") == "live")
        lying = len(table.live.stage.truth().bodies)
        self.wait(lambda: len(browser.find_elements(By.CSS_SELECTOR, ".piece")) == lying)

    def find(self, selector: str) -> WebElement:
        return self.browser.find_element(By.CSS_SELECTOR, selector)

    def wait(self, done: Callable[[], bool], seconds: float = 20.0) -> None:
        until = time.monotonic() + seconds
        while not done():
            assert time.monotonic() < until, f"it does not happen; {self.state()}"
            time.sleep(0.1)

    def state(self) -> str:
        """What the displays say, and where the stones lie: for whoever reads a failure."""
        screens = {name: self.live.players.screen(name) for name in ("a", "b")}
        stones = [(body.kind, round(body.x), round(body.y), body.face) for body in self.live.stage.truth().bodies]
        return f"displays: {screens}; stones: {stones}"

    def press(self, panel: str, button: str, held_s: float = 0.1) -> None:
        element = self.find(f'[data-panel="{panel}"][data-button="{button}"]')
        ActionChains(self.browser).click_and_hold(element).pause(held_s).release().perform()
        time.sleep(AFTER_TAP_S)

    def follow(self, course: Course) -> None:
        """Does what a player at the table would, with the mouse."""
        for wish in course:
            match wish:
                case Tap(panel, button):
                    self.press(panel, button.value)
                case Pause(seconds):
                    time.sleep(seconds)

    def use_hand(self, seat: str) -> None:
        self.find(f'#hand label:has(input[value="{seat}"])').click()

    def drag(self, kind: str, x: float, y: float) -> None:
        """Drags a face-up stone to a place on the mat, in millimetres."""
        stone = self.find(f'.piece[data-kind="{kind}"]')
        ground = self.find("#table .ground .mat").rect
        width, height = self.live.stage.mat.size_mm
        box = stone.rect
        from_x, from_y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        to_x, to_y = ground["x"] + x / width * ground["width"], ground["y"] + y / height * ground["height"]
        hand = ActionChains(self.browser, duration=60).move_to_element(stone).click_and_hold()
        steps = 12
        for _ in range(steps):
            hand.move_by_offset(round((to_x - from_x) / steps), round((to_y - from_y) / steps))
        hand.pause(0.3).release().perform()

    def bits(self, display: str) -> np.ndarray:
        """The pixels of a display as the page shows them."""
        canvas = self.find(f'canvas[data-display="{display}"]')
        width, height = int(canvas.get_attribute("width") or 0), int(canvas.get_attribute("height") or 0)
        lit = base64.b64decode(self.browser.execute_script(BITS, display))
        return np.frombuffer(lit, np.uint8).reshape(height, width).astype(bool)

    def shows(self, display: str) -> bool:
        """True if the page's display is, pixel for pixel, a page of the screen that the daemon wants there."""
        shown = self.bits(display)
        wanted = pages(self.live.players.screen(display), shown.shape[::-1], "en")
        return any(np.array_equal(shown, np.asarray(page, dtype=bool)) for page in wanted)

    def faults(self) -> list[str]:
        return [entry["message"] for entry in self.browser.get_log("browser") if entry["level"] == "SEVERE"]


def test_a_game_is_started_and_a_stone_dragged_and_the_displays_follow(browser: Chrome, table: Any) -> None:
    person = Person(browser, table)
    players = table.live.players
    person.wait(lambda: person.shows("a") and person.shows("b") and person.shows("table"))
    person.follow(menus.set_up(players, "a", games.spec("tellstones"), 2, {}))
    person.wait(lambda: len(players.entries()) == 1)
    person.wait(lambda: person.shows("a") and person.shows("b"))
    before = {name: person.bits(name) for name in ("a", "b", "table")}
    assert "A" in str(players.screen("a").status)
    statuses = {name: players.screen(name).status for name in ("a", "b")}

    time.sleep(2.0)
    person.use_hand("b")  # T12: the other seat's hand carries out what the active one points at
    person.drag("crown", 275.0, 160.0)

    person.wait(lambda: len(players.entries()) == 2)
    act = players.entries()[1]
    assert isinstance(act, Act)
    assert (act.seat, act.words[:2], act.source) == ("a", ("place", "crown"), Source.CAMERA)
    person.wait(lambda: all(person.shows(name) for name in before))
    for name, status in statuses.items():
        assert players.screen(name).status != status, f"display {name} still says whose turn it was"
    for name, picture in before.items():
        assert not np.array_equal(person.bits(name), picture), f"display {name} has not changed"
    assert int(person.find("#camera").get_attribute("data-drawn") or 0) > 5
    assert person.faults() == []


def test_a_seat_page_shows_its_own_display_and_turns_the_table(browser: Chrome, table: Any) -> None:
    browser.get(table.pages["b"])
    seen = browser.find_elements
    deadline = time.monotonic() + 20
    while len(seen(By.CSS_SELECTOR, ".piece")) != 7:
        assert time.monotonic() < deadline
        time.sleep(0.1)
    displays = [canvas.get_attribute("data-display") for canvas in seen(By.CSS_SELECTOR, "canvas")]
    assert displays == ["b"]
    ground = browser.find_element(By.CSS_SELECTOR, "#table .ground")
    assert (ground.get_attribute("transform") or "").startswith("rotate(180")
    assert [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"] == []


def test_holding_a_face_down_stone_shows_it_and_letting_go_hides_it(browser: Chrome, table: Any) -> None:
    person = Person(browser, table)
    stone = person.find('.piece[data-kind="flag"]')
    ActionChains(browser).double_click(stone).perform()
    person.wait(lambda: not browser.find_elements(By.CSS_SELECTOR, '.piece[data-kind="flag"]'))
    time.sleep(2.0)
    hidden = person.find('.piece[data-kind=""]')
    ActionChains(browser).click_and_hold(hidden).pause(1.0).perform()
    person.wait(lambda: person.find(".bubble").get_attribute("data-kind") == "flag")
    ActionChains(browser).release().perform()
    person.wait(lambda: person.find(".bubble").get_attribute("data-kind") is None)
    person.wait(lambda: not browser.find_elements(By.CSS_SELECTOR, ".piece.held"))


def test_a_fault_is_thrown_and_mended_from_the_page(browser: Chrome, table: Any) -> None:
    person = Person(browser, table)
    person.wait(lambda: person.shows("a"))
    wire = person.find('[data-switch="display a"]')
    browser.execute_script("arguments[0].click()", wire)
    person.wait(lambda: not person.bits("a").any())
    browser.execute_script("arguments[0].click()", wire)
    person.wait(lambda: person.shows("a"))
