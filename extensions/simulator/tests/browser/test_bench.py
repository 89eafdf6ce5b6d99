"""The bench, a drawer of the virtual table's own page: pieces by mouse, finger and keyboard, displays and buttons,
faults, cards. It is closed until it is asked for, and the pages do without it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from selenium.webdriver import ActionChains, Chrome, Keys
from selenium.webdriver.common.actions.pointer_input import PointerInput
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.select import Select

from device import games
from device.screens.render import pages
from device.screens.screen import Screen
from engine.entry import Act, Source
from engine.table import Face
from referee_simulator.players import menus
from referee_simulator.players.world import Course, Pause, Tap
from tests.browser.conftest import Evenings
from tests.browser.test_pages import Guest

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]
ANSWER_S = 2.0
STEPS = 6
BITS = """
const canvas = document.querySelector(`canvas[data-display="${arguments[0]}"]`);
const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
const lit = [];
for (let i = 0; i < data.length; i += 4) lit.push(data[i] > 100 ? 1 : 0);
return lit;
"""
POINT = """
const at = document.querySelector(".bench-mat .ground").getScreenCTM();
const point = new DOMPoint(arguments[0], arguments[1]).matrixTransform(at);
return [point.x, point.y];
"""
MIDDLE = """
const element = document.querySelector(arguments[0]);
element.scrollIntoView({ block: "nearest" });
const box = element.getBoundingClientRect();
return [box.left + box.width / 2, box.top + box.height / 2];
"""
Point = tuple[float, float]


class Person(Guest):
    """Eyes and one mouse before the table's page, with the bench open."""

    def __init__(self, browser: Chrome, table: Evenings) -> None:
        super().__init__(browser)
        self.live = table.live
        self.holds(1440, 1400)
        browser.get(table.page)
        self.wait(lambda: bool(self.all(".bar > button")), 30)
        assert not self.all(".bench"), "closed at first"
        self.all(".bar > button")[0].click()
        lying = len(self.live.stage.truth().bodies)
        self.wait(lambda: len(self.all(".bench-mat .piece")) == lying, 20)

    # Buttons.

    def press(self, panel: str, button: str) -> None:
        element = self.find(f'[data-panel="{panel}"][data-button="{button}"]')
        ActionChains(self.browser, duration=0).click_and_hold(element).pause(0.1).release().perform()
        time.sleep(0.15)

    def follow(self, course: Course) -> None:
        """Does what a player at the table would, with the mouse. Nobody presses again before the display answered."""
        for wish in course:
            match wish:
                case Tap(panel, button):
                    before, until = self.live.players.screen(panel), time.monotonic() + ANSWER_S
                    self.press(panel, button.value)
                    while self.live.players.screen(panel) == before and time.monotonic() < until:
                        time.sleep(0.05)
                case Pause(seconds):
                    time.sleep(seconds)

    def bits(self, display: str) -> Any:
        return np.array(self.browser.execute_script(BITS, display))

    def shows(self, display: str) -> bool:
        """True if it is, pixel for pixel, a page of the screen that the daemon wants there."""
        said: Screen = self.live.players.screen(display)
        size = (256 if display == "table" else 128, 64)
        return any(np.array_equal(self.bits(display), np.asarray(page).ravel()) for page in pages(said, size, "en"))

    # Pieces.

    def drag(self, selector: str, x: float, y: float) -> None:
        """To a place on the mat, in millimetres."""
        start: Point = self.browser.execute_script(MIDDLE, selector)
        end: Point = self.browser.execute_script(POINT, x, y)
        self.pull(start, end)

    def pull(self, start: Point, end: Point) -> None:
        chain = ActionChains(self.browser, duration=20)
        pointer = chain.w3c_actions.pointer_action
        pointer.move_to_location(*map(round, start)).pointer_down()
        for step in range(1, STEPS + 1):
            way = (round(a + (b - a) * step / STEPS) for a, b in zip(start, end, strict=True))
            pointer.move_to_location(*way)
        pointer.pause(0.1).pointer_up()
        chain.perform()

    def keys(self, *keys: str) -> None:
        ActionChains(self.browser).send_keys(*keys).perform()


def test_a_game_is_begun_and_a_stone_dragged_and_the_displays_follow(browser: Chrome, table: Evenings) -> None:
    person = Person(browser, table)
    players = table.live.players
    displays = ("a", "b", "table")
    person.wait(lambda: all(person.shows(name) for name in displays), 20)
    person.follow(menus.set_up(players, "a", games.spec("tellstones"), 2, {}))
    person.wait(lambda: len(players.entries()) == 1)
    person.wait(lambda: person.shows("a") and person.shows("b"))
    before = {name: person.bits(name) for name in displays}

    time.sleep(2.0)
    person.find('#hand label:has(input[value="b"])').click()  # T12: the other seat's hand carries out what is ordered
    person.drag('.bench-mat .piece[data-kind="crown"]', 275.0, 160.0)

    person.wait(lambda: len(players.entries()) == 2, 20)
    act = players.entries()[1]
    assert isinstance(act, Act)
    assert (act.seat, act.words[:2], act.source) == ("a", ("place", "crown"), Source.CAMERA)
    person.wait(lambda: all(person.shows(name) for name in displays))
    for name, picture in before.items():
        assert not np.array_equal(person.bits(name), picture), f"display {name} has not changed"
    assert int(person.find("#camera").get_attribute("data-drawn") or 0) > 5
    person.reads("B's turn")
    assert person.faults() == []
    assert table.live.bench.dropped == 0


def test_pieces_are_peeked_at_turned_and_carried_by_mouse_and_keyboard(browser: Chrome, table: Evenings) -> None:
    person = Person(browser, table)
    stage = table.live.stage
    focused = "return document.activeElement.dataset.kind"

    def body(kind: str) -> Any:
        return next(body for body in stage.truth().bodies if body.kind == kind)

    def peeked() -> str | None:
        return person.find(".bubble").get_attribute("data-kind")

    flag = '.bench-mat .piece[data-kind="flag"]'
    ActionChains(browser).double_click(person.find(flag)).click_and_hold(person.find(flag)).perform()
    ActionChains(browser).move_by_offset(60, 90).release().perform()
    person.wait(lambda: person.find("#bench-told").text == "Another hand is busy there. Wait a moment.")
    person.wait(lambda: not person.all(flag))
    time.sleep(2.0)
    hidden = person.find('.bench-mat .piece[data-kind=""]')
    ActionChains(browser).click_and_hold(hidden).pause(1.0).perform()
    person.wait(lambda: peeked() == "flag")
    ActionChains(browser).release().perform()
    person.wait(lambda: peeked() is None)

    assert len(person.all(".bench-mat .piece[tabindex='0']")) == 1, "Tab stops at the table once"
    browser.execute_script("document.querySelector('.bench-mat .piece[data-kind=crown]').focus()")
    before = body("crown")
    person.keys(Keys.ENTER, Keys.ARROW_DOWN, Keys.ARROW_DOWN)
    person.wait(lambda: body("crown").held and body("crown").y == pytest.approx(before.y + 20, abs=0.2))
    person.keys(Keys.ENTER)
    person.wait(lambda: not body("crown").held)
    assert (body("crown").x, body("crown").y) == pytest.approx((before.x, before.y + 20), abs=0.2)
    person.keys("f")
    person.wait(lambda: body("crown").face is Face.DOWN)
    ActionChains(browser).key_down(Keys.SPACE).perform()
    person.wait(lambda: peeked() == "crown")
    ActionChains(browser).key_up(Keys.SPACE).perform()
    person.wait(lambda: not peeked())
    person.keys(Keys.ARROW_UP)
    person.wait(lambda: browser.execute_script(focused) not in ("", None))
    assert person.faults() == []


def test_a_fault_is_thrown_the_language_changed_and_the_drawer_shut(browser: Chrome, table: Evenings) -> None:
    person = Person(browser, table)
    person.wait(lambda: person.shows("a"), 20)
    wire = person.find('[data-switch="display a"]')
    browser.execute_script("arguments[0].click()", wire)
    person.wait(lambda: not person.bits("a").any())
    browser.execute_script("arguments[0].click()", wire)
    person.wait(lambda: person.shows("a"))
    person.all(".bar > button")[1].click()
    Select(person.find("dialog select")).select_by_value("ru")
    person.reads("Симулятор", "Чья рука", "Неисправности", "Камера отключена")
    person.keys(Keys.ESCAPE)
    person.wait(lambda: not person.all("dialog"))
    person.all(".bench-bar button")[-1].click()
    person.wait(lambda: not person.all(".bench"))
    assert person.faults() == []


def test_fingers_find_the_drawer_whole_and_turn_a_stone(browser: Chrome, table: Evenings) -> None:
    person = Person(browser, table)
    browser.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True})
    person.holds(390, 1800, dark=True)
    person.reads("Tap it twice")
    assert "Double-click" not in person.find(".bench").text
    tap_twice(browser, person.find('.bench-mat .piece[data-kind="flag"]'))
    person.wait(lambda: not person.all('.bench-mat .piece[data-kind="flag"]'))
    assert person.faults() == []


def tap_twice(browser: Chrome, piece: WebElement) -> None:
    finger = ActionChains(browser, duration=0, devices=[PointerInput("touch", "finger")])
    pointer = finger.w3c_actions.pointer_action
    pointer.move_to(piece).pointer_down().pointer_up().pause(0.1).pointer_down().pointer_up()
    finger.perform()


def test_cards_are_shown_when_asked_for_laid_and_taken_back(browser: Chrome, evening: Callable[..., Evenings]) -> None:
    table = evening("runes")
    person, stage = Person(browser, table), table.live.stage

    def held() -> list[str]:
        return [body.kind for body in stage.hands()["a"]]

    assert (len(person.all(".held-card")), person.all(".held-card[data-kind]")) == (5, [])
    person.find("#show").click()
    assert [card.get_attribute("data-kind") for card in person.all(".held-card")] == held()
    card = held()[1]
    lane = next(zone.box for zone in stage.mat.zones if zone.order.value == "splay" and zone.set == "decktet")
    person.drag(f'.held-card[data-kind="{card}"]', lane.x + 60, lane.y + lane.height / 2)
    person.wait(lambda: card not in held())
    laid = person.find(".bench-mat .piece:last-child")
    back: Point = browser.execute_script(MIDDLE, ".tray .cards")
    box = laid.rect
    person.pull((box["x"] + box["width"] / 2, box["y"] + box["height"] / 2), back)
    person.wait(lambda: card in held())
    assert person.faults() == []


def test_a_piece_that_was_held_for_long_is_dragged_once_the_pointer_moves(browser: Chrome, table: Evenings) -> None:
    """Movement decides, and no timer."""
    person = Person(browser, table)
    before = next(body for body in table.live.stage.truth().bodies if body.kind == "crown")
    crown = person.find('.bench-mat .piece[data-kind="crown"]')
    held = ActionChains(browser).click_and_hold(crown).pause(1.0)
    held.move_by_offset(20, 20).pause(0.2).move_by_offset(20, 20).pause(0.3).release().perform()

    def moved() -> bool:
        body = next(body for body in table.live.stage.truth().bodies if body.kind == "crown")
        return not body.held and abs(body.x - before.x) > 10 and abs(body.y - before.y) > 10

    person.wait(moved)
    assert person.faults() == []
