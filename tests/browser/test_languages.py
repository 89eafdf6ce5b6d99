"""The operator's page in other languages: what the server wrote, what JavaScript said, what came over the link."""

from __future__ import annotations

from typing import Any

import pytest
from selenium.webdriver import ActionChains, Chrome
from selenium.webdriver.common.actions.pointer_input import PointerInput
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.select import Select

from tests.browser.person import Person

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]
PHONE = {"width": 390, "height": 1800, "deviceScaleFactor": 1, "mobile": True}


def test_a_page_speaks_the_language_of_its_address_and_another_that_is_chosen_on_it(
    browser: Chrome, table: Any
) -> None:
    person = Person(browser, table)
    assert person.find("h1").text == "Virtual table"
    browser.get(table.pages[None] + "?lang=ru")
    _says(person, "Виртуальный стол", "на связи", "Место A", "Экспозиция", "линия")
    assert browser.title == "Судья за столом: виртуальный стол"
    assert person.find('[data-kind="crown"]').get_attribute("aria-label") == "корона"
    Select(person.find("#language")).select_by_value("zh_Hant")
    person.wait(lambda: "lang=zh_Hant" in browser.current_url)
    _says(person, "虛擬桌", "已連線", "座位 A", "曝光", "棋線")
    assert person.faults() == []


def test_fingers_are_told_what_they_can_do_and_can_do_it(browser: Chrome, table: Any) -> None:
    person = Person(browser, table)
    assert "Double-click" in person.find(".hint").text
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", PHONE)
    browser.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True})
    person.wait(lambda: "Double-click" not in person.find(".hint").text)
    assert "Tap it twice" in person.find(".hint").text
    assert "click" not in person.find(".hint").text
    _tap_twice(browser, person.find('.piece[data-kind="flag"]'))
    person.wait(lambda: not browser.find_elements(By.CSS_SELECTOR, '.piece[data-kind="flag"]'))


def _says(person: Person, *words: str) -> None:
    person.wait(lambda: all(word in person.find("body").text for word in words))


def _tap_twice(browser: Chrome, piece: WebElement) -> None:
    finger = ActionChains(browser, duration=0, devices=[PointerInput("touch", "finger")])
    pointer = finger.w3c_actions.pointer_action
    pointer.move_to(piece).pointer_down().pointer_up().pause(0.1).pointer_down().pointer_up()
    finger.perform()
