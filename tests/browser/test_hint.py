"""What can I do? on a seat's page: what its own list and the reference card say, and how to switch it off."""

from __future__ import annotations

import pytest
from selenium.webdriver import Chrome

from device.locale import LANGUAGES
from device.screens.page_view import Wire, wire
from device.session.page_views import sheet
from tests.browser.pages import Pages
from tests.browser.test_pages import GAMES, Guest
from tests.device.session.stages import SEATS, stages, table

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]


def begun(game: str, language: str) -> tuple[str, Wire]:
    """A seat that has to act after some actions, with its page."""
    session = dict(stages(game))["after 3 actions"]
    pages = {seat: wire(sheet(table(), session, seat), language) for seat in SEATS}
    return next((seat, page) for seat, page in pages.items() if page["answers"]["touch"])


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", GAMES)
def test_each_action_of_the_list_is_named_in_every_language(browser: Chrome, game: str, language: str) -> None:
    seat, page = begun(game, language)
    verbs = {each["verb"] for each in page["answers"]["touch"]["patterns"]}
    guest = Guest(browser)
    guest.holds(390, 844, dark=game == "planetx")
    with Pages(seat, page, language) as pages:
        browser.get(pages.address)
        browser.execute_script("localStorage.setItem('language', JSON.stringify(arguments[0]))", language)
        guest.sits_down(pages)
        guest.find(".hint summary").click()
        assert [verb for verb in verbs if verb not in guest.find(".hint p").text] == []
        lines = [line for card in page["rules"] for line in card]
        assert {each.text for each in guest.all(".hint li")} <= set(lines)
        assert guest.faults() == []


def test_it_says_who_is_one_point_from_winning(browser: Chrome) -> None:
    seat, page = begun("tellstones", "en")
    panels = [{**each, "entries": [["A", 2], ["B", 0]]} if each["kind"] == "score" else each for each in page["panels"]]
    guest = Guest(browser)
    guest.holds(390, 844)
    with Pages(seat, {**page, "panels": panels}) as pages:
        guest.sits_down(pages)
        guest.find(".hint summary").click()
        guest.reads("A wins with one more point.")
        assert "B wins" not in guest.find(".hint").text
        assert guest.faults() == []


def test_what_costs_something_is_said_and_hints_can_be_switched_off(browser: Chrome) -> None:
    seat, page = begun("tellstones", "en")
    guest = Guest(browser)
    guest.holds(390, 844)
    with Pages(seat, page) as pages:
        guest.sits_down(pages)
        guest.find(".hint summary").click()
        guest.reads("Think twice before choosing: Challenge, Boast.", "Boast: you know them all.")
        guest.button("Menu").click()
        next(each for each in guest.all(".switch") if each.text == "Show what I can do").click()
        assert guest.faults() == []
        guest.button("Close").click()
        guest.wait(lambda: not guest.all(".hint"))
        guest.browser.refresh()
        guest.wait(lambda: bool(guest.all(".status")))
        assert not guest.all(".hint"), "it is remembered"


def test_a_verb_is_only_costly_if_each_of_its_actions_is_and_no_longer_word_explains_it(browser: Chrome) -> None:
    seat, page = begun("tellstones", "en")
    touch = page["answers"]["touch"]
    cheap = [{**each, "costs": False} for each in touch["patterns"] if each["verb"] == "Challenge"]
    patterns = [*touch["patterns"], *cheap]
    answers = {**page["answers"], "touch": {**touch, "patterns": patterns}}
    rules = [["Challenge: one stone.", "Challengers wait."]]
    guest = Guest(browser)
    guest.holds(390, 844)
    with Pages(seat, {**page, "answers": answers, "rules": rules}) as pages:
        guest.sits_down(pages)
        guest.find(".hint summary").click()
        guest.reads("Think twice before choosing: Boast.")
        assert [each.text for each in guest.all(".hint li")] == ["Challenge: one stone."]
