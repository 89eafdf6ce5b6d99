"""A person at the page: starts a game with the buttons, drags a stone, and reads on the displays whose turn it is."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest
from selenium.webdriver import ActionChains, Chrome
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from device import games
from device.sim.players import menus
from engine.entry import Act, Source
from engine.table import Face
from tests.browser.person import Person

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]


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


def middle(person: Person, selector: str) -> tuple[float, float]:
    """Of an element on the page, in pixels of the window."""
    box = person.find(selector).rect
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_holding_a_face_down_stone_shows_it_and_letting_go_hides_it(browser: Chrome, table: Any) -> None:
    person = Person(browser, table)
    stone = person.find('.piece[data-kind="flag"]')
    ActionChains(browser).double_click(stone).perform()
    person.wait(lambda: not browser.find_elements(By.CSS_SELECTOR, '.piece[data-kind="flag"]'))
    time.sleep(2.0)
    hidden = person.find('.piece[data-kind=""]')
    ActionChains(browser).click_and_hold(hidden).pause(1.0).perform()
    person.wait(lambda: person.find(".bubble").get_attribute("data-kind") == "flag")
    symbol, plate = middle(person, ".bubble > g"), middle(person, ".bubble .plate")
    assert symbol == pytest.approx(plate, abs=5), "the symbol does not stand in the middle of its bubble"
    ActionChains(browser).release().perform()
    person.wait(lambda: person.find(".bubble").get_attribute("data-kind") is None)
    person.wait(lambda: not browser.find_elements(By.CSS_SELECTOR, ".piece.held"))


def test_a_stone_that_a_hand_turns_over_stays_there_however_it_is_dragged(browser: Chrome, table: Any) -> None:
    person = Person(browser, table)
    stone, stage = person.find('.piece[data-kind="flag"]'), table.live.stage
    lay = next(body for body in stage.truth().bodies if body.kind == "flag")
    ActionChains(browser).double_click(stone).click_and_hold(stone).move_by_offset(60, 90).release().perform()
    person.wait(lambda: person.find("#told").text == "A hand is at work there. Wait a moment.")
    person.wait(lambda: not browser.find_elements(By.CSS_SELECTOR, '.piece[data-kind="flag"], .piece.held'))
    shown = person.find('.piece[data-kind=""]').get_attribute("transform") or ""
    assert shown.startswith(f"translate({round(lay.x, 1):g} {round(lay.y, 1):g})")
    person.wait(lambda: not person.find("#told").is_displayed())
    assert stage.trouble is None


def test_a_fault_is_thrown_and_mended_from_the_page(browser: Chrome, table: Any) -> None:
    person = Person(browser, table)
    person.wait(lambda: person.shows("a"))
    wire = person.find('[data-switch="display a"]')
    browser.execute_script("arguments[0].click()", wire)
    person.wait(lambda: not person.bits("a").any())
    browser.execute_script("arguments[0].click()", wire)
    person.wait(lambda: person.shows("a"))


def test_a_piece_is_chosen_lifted_laid_and_turned_by_keyboard(browser: Chrome, table: Any) -> None:
    person = Person(browser, table)
    stage = table.live.stage
    focused = "return document.activeElement.dataset.kind"

    def press(*keys: str) -> None:
        ActionChains(browser).send_keys(*keys).perform()

    def crown() -> Any:
        return next(body for body in stage.truth().bodies if body.kind == "crown")

    stops = browser.find_elements(By.CSS_SELECTOR, ".piece[tabindex='0']")
    assert len(stops) == 1, "Tab stops at the table once"
    browser.execute_script("document.querySelector('.piece[data-kind=crown]').focus()")
    before = crown()
    press(Keys.ENTER, Keys.ARROW_DOWN, Keys.ARROW_DOWN)
    person.wait(lambda: crown().held and crown().y == pytest.approx(before.y + 20, abs=0.2))
    assert browser.execute_script(focused) == "crown"
    press(Keys.ENTER)
    person.wait(lambda: not crown().held)
    assert (crown().x, crown().y) == pytest.approx((before.x, before.y + 20), abs=0.2)
    press("f")
    person.wait(lambda: crown().face is Face.DOWN)
    ActionChains(browser).key_down(Keys.SPACE).perform()
    person.wait(lambda: browser.find_element(By.CSS_SELECTOR, ".bubble").get_attribute("data-kind") == "crown")
    ActionChains(browser).key_up(Keys.SPACE).perform()
    person.wait(lambda: not browser.find_element(By.CSS_SELECTOR, ".bubble").get_attribute("data-kind"))
    press(Keys.ARROW_UP)
    person.wait(lambda: browser.execute_script(focused) not in ("", None))
    assert person.faults() == []
