"""The rules on the pages: from a refusal to its clause, through them by touch, keys and search, in dark and light."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from selenium.webdriver import ActionChains, Chrome, Keys
from selenium.webdriver.support.select import Select

from tests.browser.pages import Pages
from tests.browser.test_pages import Guest
from tests.device.session.test_page_views import shown as sheets

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]
ALERT = ["Move the Crown back to the Pool.", "T16: Stones go to an end of the Line.", "The Pool is empty (T17)."]
IN_SIGHT = """
const box = document.getElementById(arguments[0]).getBoundingClientRect();
return box.top >= 0 && box.bottom <= innerHeight;
"""
FOCUSED = "return document.activeElement.id || document.activeElement.textContent"
DEVICES = {"a": (390, 844), "table": (1280, 800)}


@pytest.fixture
def opened(browser: Chrome) -> Iterator[Callable[[str, str], tuple[Guest, Pages]]]:
    """Opens the page of an audience on which a move was just refused, in a language."""
    running: list[Pages] = []

    def open_page(audience: str, language: str = "en") -> tuple[Guest, Pages]:
        sheet = {**sheets("tellstones")["after 3 actions"][audience], "alert": ALERT}
        pages = Pages(audience, sheet, language).__enter__()
        running.append(pages)
        guest = Guest(browser)
        guest.holds(*DEVICES[audience], dark=language != "en")
        browser.get(pages.address)
        browser.execute_script("localStorage.setItem('language', JSON.stringify(arguments[0]))", language)
        if audience == "table":
            browser.refresh()
            guest.wait(lambda: bool(guest.all(".status")))
        else:
            guest.sits_down(pages)
        guest.wait(lambda: bool(guest.all(".alert button")))
        return guest, pages

    yield open_page
    for pages in running:
        pages.__exit__()


def focused(guest: Guest) -> str:
    found: str = guest.browser.execute_script(FOCUSED)
    return found.strip()


@pytest.mark.parametrize("audience", DEVICES)
@pytest.mark.parametrize("language", ["en", "zh_Hant"])
def test_the_clause_of_a_refusal_is_one_tap_away(
    opened: Callable[..., tuple[Guest, Pages]], audience: str, language: str
) -> None:
    guest, _ = opened(audience, language)
    rule = {"en": "Rule", "zh_Hant": "規則"}[language]
    assert [each.text for each in guest.all(".alert button")] == [f"{rule} T16", f"{rule} T17"]
    assert guest.faults() == []
    guest.all(".alert button")[0].click()
    guest.wait(lambda: focused(guest) == "rule-T16")
    assert guest.browser.execute_script(IN_SIGHT, "rule-T16")
    said = {"en": "It goes immediately left or right", "zh_Hant": "只能放在兩端"}[language]
    assert said in guest.find("#rule-T16").text
    assert guest.faults() == []
    ActionChains(guest.browser).send_keys(Keys.ESCAPE).perform()
    guest.wait(lambda: not guest.all("dialog"))
    assert focused(guest) == f"{rule} T16"


def test_a_clause_that_another_names_is_a_link(opened: Callable[..., tuple[Guest, Pages]]) -> None:
    guest, pages = opened("a")
    guest.button("Rule T17").click()
    guest.wait(lambda: focused(guest) == "rule-T17")
    guest.find("dialog input").send_keys("no unhide")
    guest.wait(lambda: [each.text.split()[0] for each in guest.all("dialog .clause")] == ["T23"])
    guest.find('#rule-T23 a[href="#rule-T38"]').click()
    guest.wait(lambda: focused(guest) == "rule-T38")
    assert guest.find("dialog input").get_attribute("value") == ""
    assert guest.browser.current_url == pages.address, "the address stays"


def test_the_rules_are_searched_and_those_of_another_game_opened(opened: Callable[..., tuple[Guest, Pages]]) -> None:
    guest, pages = opened("a")
    guest.button("Menu").click()
    guest.find("dialog .inside > .wide").click()
    guest.wait(lambda: len(guest.all("dialog")) == 1 and bool(guest.all("dialog .pieces li")))
    assert [each.text for each in guest.all(".pieces li")][:2] == ["Crown", "Shield"]
    assert guest.faults() == []
    guest.find("dialog input").send_keys("stone that nobody wrote about")
    guest.wait(lambda: guest.find("dialog [role=status]").get_attribute("textContent") == "Found: 0")
    Select(guest.find("dialog select")).select_by_value("planetx")
    guest.wait(lambda: any("Theory phase" in each.text for each in guest.all("dialog summary")))
    assert guest.faults() == []
    pages.drop()
    guest.find("dialog input").send_keys("comets")
    guest.wait(lambda: any(each.text.startswith("X3") for each in guest.all("dialog .clause")), 5)
    assert not any(each.text.startswith("X4") for each in guest.all("dialog .clause"))


def test_a_game_without_rules_here_says_so_and_names_no_clause(opened: Callable[..., tuple[Guest, Pages]]) -> None:
    guest, pages = opened("a")
    pages.show(game="another", rules=[["Goal: 3 points"]])
    guest.wait(lambda: not guest.all(".alert button"))
    guest.browser.execute_script("arguments[0].click()", guest.button("All rules"))
    guest.reads("This table doesn't have the full rules of this game.")
