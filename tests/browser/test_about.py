"""A finger held on a thing of a seat's page, or the menu key on a line: its name, what it does now, its rule."""

from __future__ import annotations

from typing import Any

import pytest
from selenium.webdriver import ActionChains, Chrome
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement

from tests.browser.pages import Pages
from tests.browser.test_hint import begun
from tests.browser.test_pages import GAMES, Guest

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]
HOLD = """
const [thing] = arguments, { x, y, width, height } = thing.getBoundingClientRect();
const at = { bubbles: true, isPrimary: true, pointerType: "touch", clientX: x + width / 2, clientY: y + height / 2 };
thing.dispatchEvent(new PointerEvent("pointerdown", at));
setTimeout(() => {
  thing.dispatchEvent(new PointerEvent("pointerup", at));
  thing.dispatchEvent(new MouseEvent("click", at));
}, 700);
"""


@pytest.mark.parametrize("game", GAMES)
def test_a_thing_that_is_held_says_its_name_its_actions_and_their_rule(browser: Chrome, game: str) -> None:
    seat, page = begun(game, "en")
    guest = Guest(browser)
    guest.holds(390, 844, dark=game == "runes")
    with Pages(seat, page) as pages:
        guest.sits_down(pages)
        patterns = {each["verb"]: each["clause"] for each in page["answers"]["touch"]["patterns"]}
        browser.execute_script(HOLD, guest.find(".touch .lit"))
        guest.wait(lambda: bool(guest.all(".about")))
        verbs = {each.text for each in guest.all(".about h3")}
        assert verbs
        assert verbs <= {verb.partition(" (")[0] for verb in patterns}
        assert guest.find(".about h2").text
        assert guest.faults() == []
        guest.wait(lambda: not guest.all(".touch .picked"))
        rule = guest.find(".about section button").text
        assert rule in {f"Rule {clause}" for clause in patterns.values()}
        guest.button(rule).click()
        guest.wait(lambda: bool(guest.all(".book .here")))
        assert f"Rule {guest.find('.book .here b').text}" == rule


def test_the_right_button_and_the_menu_key_open_it_and_escape_closes_it(browser: Chrome) -> None:
    seat, page = begun("tellstones", "en")
    guest = Guest(browser)
    guest.holds(1280, 800)
    with Pages(seat, page) as pages:
        guest.sits_down(pages)

        def closes(thing: WebElement) -> None:
            guest.wait(lambda: bool(guest.all(".about")))
            thing.send_keys(Keys.ESCAPE)
            guest.wait(lambda: not guest.all(".about"))

        ActionChains(browser).context_click(guest.find(".touch .piece.lit")).perform()
        closes(guest.find(".about button"))
        line = guest.all(".choices .line")[-1]
        name = line.text
        browser.execute_script("arguments[0].focus()", line)
        browser.execute_script("arguments[0].dispatchEvent(new MouseEvent('contextmenu', { bubbles: true }))", line)
        guest.wait(lambda: bool(guest.all(".about")))
        assert guest.find(".about h2").text == name
        closes(guest.find(".about button"))


def test_a_card_that_is_played_with_others_is_called_by_its_own_name(browser: Chrome) -> None:
    seat, page = begun("tellstones", "en")
    touch: dict[str, list[Any]] = {
        "things": ["=angulations", "=flick-4", "=flick-5"],
        "words": ["Angulations", "Flick", "Speed 4", "Speed 5"],
        "patterns": [{"verb": "Play a card", "text": "Play a card", "costs": False, "clause": "T20"}],
        "moves": [[0, [0, 1, 2], [0, 1]], [0, [0, 1, 3], [0, 2]], [0, [1, 2], [1]], [0, [1, 3], [2]]],
        "cards": [{"heading": "Angulations", "things": [0]}, {"heading": "Flick", "things": [1, 2]}],
    }
    guest = Guest(browser)
    guest.holds(390, 844)
    with Pages(seat, {**page, "answers": {**page["answers"], "touch": touch}}) as pages:
        guest.sits_down(pages)
        names = []
        for key in touch["things"]:
            ActionChains(browser).context_click(guest.find(f'[data-spot="{key}"]')).perform()
            guest.wait(lambda: bool(guest.all(".about")))
            names.append(guest.find(".about h2").text)
            guest.find(".about button").send_keys(Keys.ESCAPE)
            guest.wait(lambda: not guest.all(".about"))
        assert names == ["Angulations", "Flick, Speed 4", "Flick, Speed 5"]
