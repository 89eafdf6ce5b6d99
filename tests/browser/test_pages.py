"""The web app in Chromium: a seat's page on a phone, the table's page on a tablet, and sheets as they are sent."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

import cv2
import numpy as np
import pytest
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver import ActionChains, Chrome, Keys
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.select import Select

from device.owner.claim import digest
from referee_phones.app import Demo
from referee_phones.daemon import seats
from referee_phones.daemon.handshake import seal
from referee_phones.daemon.seats import SeatedPhones
from tests.browser.pages import CODE, EMPTY, Pages, Wire
from tests.device.session.test_page_views import shown as sheets

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]
AXE = (Path(__file__).parent / "axe.min.js").read_text()
VIOLATIONS = """
const done = arguments[arguments.length - 1];
const told = (node) => node.target.join(" ") + ": " + node.failureSummary;
axe.run().then(({ violations }) => done(violations.map(({ id, nodes }) => id + ": " + nodes.map(told).join("; "))));
"""
SMALL = """
const seen = [...document.querySelectorAll("button, select, input, summary")].filter((each) => each.offsetParent);
return seen.map((each) => [(each.closest("label") ?? each).getBoundingClientRect(), each.textContent])
  .filter(([box]) => box.height < 43.5 || box.width < 43.5).map(([, text]) => text);
"""
TOO_WIDE = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
CUT = """
return [...document.querySelectorAll(".who, .game")].filter((each) => each.scrollWidth > each.clientWidth)
  .map(({ textContent }) => textContent);
"""
GAMES = ("tellstones", "planetx", "fence", "runes")
IN_CLEAR = "This page is not encrypted: anyone on this network can read what it shows."
TAKEN_S = 0.7
"""So long after a change a line may be tapped."""

SHAKEN = """
window.shaken = 0;
document.addEventListener("animationstart", ({ animationName }) => (window.shaken += animationName === "shake"));
"""

TAP_AT_ONCE = """
const [wanted, next] = arguments;
const tap = (button) => {
  button.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true }));
  button.dispatchEvent(new MouseEvent("click", { bubbles: true, detail: 1 }));
};
const find = (text) => [...document.querySelectorAll("button")].find(({ textContent }) => textContent.trim() === text);
new MutationObserver((_, watching) => {
  if (!find(wanted)) return;
  watching.disconnect();
  tap(find(wanted));
  tap(find(next));
}).observe(document.body, { subtree: true, childList: true, characterData: true });
"""
"""Taps a line as soon as it is there, and another one after it."""

WITHIN = """
const box = document.querySelector(".sheet").getBoundingClientRect();
return box.top >= 0 && box.bottom <= innerHeight;
"""
ANIMATED = """
window.animated = [];
const animate = Element.prototype.animate;
Element.prototype.animate = function (...args) {
  window.animated.push(this.dataset.spot);
  return animate.apply(this, args);
};
"""

JUMPS = "return document.querySelector('.jump').getBoundingClientRect().top"

LINES = {**EMPTY, "serial": 7, "asks": "What do you do?", "lines": ["Place", "Hide", "Swap"], "back": True}

CARD: Wire = {
    "at": 0,
    "of": 2,
    "told": [["Look.", "F14"]],
    "moves": None,
    "refusal": None,
    "reads": False,
    "waits": False,
}
"""Of a lesson."""


class Guest:
    """Somebody with a browser."""

    def __init__(self, browser: Chrome) -> None:
        self.browser = browser

    def holds(self, width: int, height: int, *, dark: bool = False) -> None:
        """A device of that size, in pixels of a page."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        colours = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [colours]})

    def sits_down(self, pages: Pages, *, named: bool = True) -> None:
        """Opens the address of an invitation, and waits for the sheet."""
        self.browser.get(pages.address)
        if named:
            self.browser.execute_script("localStorage.setItem('named', 'true')")
        self.browser.get("about:blank")
        self.browser.get(f"{pages.address}#{CODE}")
        self.wait(lambda: bool(self.all(".status")))

    def point(self, by: str, kind: str, at: tuple[float, float]) -> None:
        """A mouse or a finger goes down, moves or goes up."""
        x, y = at
        if by == "finger":
            points = [] if kind == "up" else [{"x": x, "y": y}]
            name = {"down": "touchStart", "move": "touchMove", "up": "touchEnd"}[kind]
            self.browser.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": name, "touchPoints": points})
            return
        name = {"down": "mousePressed", "move": "mouseMoved", "up": "mouseReleased"}[kind]
        pressed = {"button": "left", "buttons": 1, "clickCount": 1}
        self.browser.execute_cdp_cmd("Input.dispatchMouseEvent", {"type": name, "x": x, "y": y, **pressed})

    def find(self, selector: str) -> WebElement:
        return self.browser.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector: str) -> list[WebElement]:
        return self.browser.find_elements(By.CSS_SELECTOR, selector)

    def button(self, text: str) -> WebElement:
        while True:
            with suppress(StaleElementReferenceException):  # the page was drawn again meanwhile
                return next(each for each in self.all("button") if each.text == text)

    def reads(self, *words: str) -> None:
        self.wait(lambda: all(word in self.find("body").text for word in words))

    def hears(self, word: str) -> None:
        self.wait(lambda: word in (self.find("#told").get_attribute("textContent") or ""))

    def wait(self, done: Callable[[], bool], seconds: float = 10.0) -> None:
        until = time.monotonic() + seconds
        while True:
            with suppress(StaleElementReferenceException):  # the page was drawn again meanwhile
                if done():
                    return
            assert time.monotonic() < until, f"it does not happen; the page says: {self.find('body').text}"
            time.sleep(0.03)

    def faults(self) -> list[str]:
        """What is wrong with the page as it is: rules of axe, errors, small targets, what must be scrolled sideways."""
        self.browser.execute_script(AXE)
        violations: list[str] = self.browser.execute_async_script(VIOLATIONS)
        small = [f"too small to tap: {text}" for text in self.browser.execute_script(SMALL)]
        wide = ["wider than the display"] if self.browser.execute_script(TOO_WIDE) > 0 else []
        errors = [entry["message"] for entry in self.browser.get_log("browser") if entry["level"] == "SEVERE"]
        return [*violations, *small, *wide, *errors]


@pytest.fixture
def guest(browser: Chrome) -> Guest:
    made = Guest(browser)
    made.holds(390, 844)
    return made


@pytest.fixture
def seat() -> Iterator[Pages]:
    sheet = {**sheets("tellstones")["after 0 actions"]["a"], "answers": LINES, "status": "Your turn."}
    with Pages("a", sheet) as running:
        yield running


def returned(said: Wire) -> bool:
    """Whether a page came back with its key."""
    return "prove" in said and "join" not in said


def settle() -> None:
    time.sleep(TAKEN_S)


def test_a_phone_takes_its_seat_with_a_code_and_comes_back_with_its_own_key(guest: Guest, seat: Pages) -> None:
    guest.sits_down(seat)
    seat.hears(lambda said: "join" in said)
    assert "#" not in guest.browser.current_url
    kept = guest.browser.execute_script("return JSON.parse(localStorage.getItem('key'))")
    assert digest(kept) == seat.guests.phones["a"]
    guest.browser.refresh()
    seat.hears(returned)
    guest.reads("Your turn.")


def test_neither_a_key_nor_a_code_leaves_the_browser(guest: Guest, seat: Pages) -> None:
    guest.sits_down(seat)
    guest.browser.refresh()
    guest.reads("Your turn.")
    secrets = (CODE, guest.browser.execute_script("return JSON.parse(localStorage.getItem('key'))"))
    assert len(seat.heard) == 2
    assert not [secret for secret in secrets for said in seat.heard if secret in str(said)]


def test_a_page_that_is_not_encrypted_joins_too_and_says_what_the_network_sees(guest: Guest, seat: Pages) -> None:
    """Browsers give it no `crypto.subtle`. An address of this machine itself would be as good as encrypted."""
    guest.browser.get("about:blank")
    guest.browser.get(f"{seat.address.replace('127.0.0.1', '0.0.0.0')}#{CODE}")
    guest.reads("Your turn.", IN_CLEAR, "Your name")
    assert guest.browser.execute_script("return [isSecureContext, typeof crypto.subtle]") == [False, "undefined"]
    guest.find("#name-a").send_keys("Anna")
    guest.button("Save").click()
    guest.wait(lambda: IN_CLEAR not in guest.find("body").text)
    guest.button("Menu").click()
    guest.reads(IN_CLEAR)
    assert guest.faults() == []
    guest.browser.refresh()
    guest.reads("Your turn.")
    seat.hears(returned)


def test_a_phone_that_has_a_key_from_before_the_handshake_comes_back_with_it(guest: Guest, seat: Pages) -> None:
    key = "0123456789abcdef0123456789abcdef"
    seat.guests = SeatedPhones({"a": digest(key)})
    guest.browser.get(seat.address)
    guest.browser.execute_script(f"localStorage.setItem('key', '\"{key}\"'); localStorage.setItem('seated', 'true')")
    guest.browser.refresh()
    guest.reads("Your turn.")
    assert not [said for said in seat.heard if key in str(said)]


def test_a_phone_whose_link_broke_while_it_joined_has_its_seat(guest: Guest, seat: Pages) -> None:
    seat.mute = True
    guest.browser.get(f"{seat.address}#{CODE}")
    seat.hears(lambda said: "join" in said)
    seat.mute = False
    seat.drop()
    seat.hears(returned)
    guest.reads("Your turn.")
    assert "#" not in guest.browser.current_url


@pytest.mark.parametrize("typed", [CODE.lower(), "abcd-efgh-2234-5677"])
def test_a_code_may_come_in_any_hand(guest: Guest, seat: Pages, typed: str) -> None:
    guest.browser.get("about:blank")
    guest.browser.get(f"{seat.address}#{typed}")
    guest.reads("Your turn.")


def test_a_code_that_a_seats_page_was_asked_for_can_be_read_there_alone(guest: Guest, seat: Pages) -> None:
    guest.sits_down(seat)
    way, code = "HTTP://192.168.1.23:8141/", "ABCDEFGH22345677"
    hidden = seal(seat.guests.phones["a"], code)
    seat.show(codes=[{"seat": "b", "name": "Seat B", "address": f"{way}#{hidden}"}])
    guest.wait(lambda: [each.get_attribute("href") for each in guest.all(".codes a")] == [f"{way.lower()}#{code}"])
    assert code not in hidden
    assert guest.faults() == []


def test_a_code_that_was_used_is_told_in_a_sentence_and_leaves_no_seat(guest: Guest, seat: Pages) -> None:
    seat.guests = SeatedPhones(spent=(digest(CODE),))
    guest.browser.get(f"{seat.address}#{CODE}")
    guest.reads("This code has already been used.", "This phone has no seat yet")
    assert guest.faults() == []
    assert "#" not in guest.browser.current_url


def test_a_seat_that_was_passed_on_is_gone_until_its_code_is_scanned_again(guest: Guest, seat: Pages) -> None:
    guest.sits_down(seat)
    seat.guests = seats.leave(seat.guests, "a")
    guest.browser.refresh()
    guest.reads("Somebody else has this seat, or it was given up.", "This phone has no seat yet")
    guest.browser.refresh()
    guest.reads("This phone has no seat yet")
    assert not list(filter(returned, seat.heard))[1:], "a key that has no seat is not tried again"
    seat.guests = seats.invite(seat.guests, "a", CODE)
    guest.browser.get("about:blank")
    guest.browser.get(f"{seat.address}#{CODE}")
    guest.reads("Your turn.")


def test_a_link_that_breaks_is_told_and_comes_back_by_itself(guest: Guest, seat: Pages) -> None:
    guest.sits_down(seat)
    seat.hears(lambda said: "join" in said)
    seat.drop()
    guest.hears("No connection to the table.")
    seat.hears(returned)
    guest.wait(lambda: not guest.all(".banner"))
    guest.hears("Connected to the table.")


def test_a_page_that_another_took_over_waits_until_it_is_asked(guest: Guest, seat: Pages) -> None:
    guest.sits_down(seat)
    seat.say({"refused": "This seat is now in use on another page.", "why": "superseded"})
    seat.drop()
    guest.reads("This seat was opened on another page.")
    said = guest.find("body").get_attribute("textContent") or ""
    assert "comes back by itself" not in said, "nor is it said to those who only hear the page"
    assert guest.faults() == []
    time.sleep(2.0)
    assert not list(filter(returned, seat.heard))
    guest.button("Play here").click()
    seat.hears(returned)
    guest.wait(lambda: not guest.all(".banner"))


def test_a_tap_names_the_line_and_the_list_it_stood_in(guest: Guest, seat: Pages) -> None:
    guest.sits_down(seat)
    settle()
    guest.button("Hide").click()
    assert seat.tapped() == {"serial": 7, "line": 1, "menu": False}
    seat.show(answers={**LINES, "serial": 8, "path": ["Hide"], "lines": ["Crown", "Flag"]})
    guest.wait(lambda: [each.text for each in guest.all(".path li")] == ["Hide"])
    guest.button("Back").click()
    assert seat.tapped() == {"serial": 8, "line": -1, "menu": False}


def test_a_second_tap_waits_for_the_answer_to_the_first(guest: Guest, seat: Pages) -> None:
    guest.sits_down(seat)
    settle()
    guest.button("Place").click()
    guest.button("Swap").click()
    assert seat.tapped()["line"] == 0
    assert not [said for said in seat.heard if "tap" in said]
    seat.say({"refused": "Too fast: the last tap still counts.", "why": "busy"})
    guest.reads("Too fast")
    guest.button("Swap").click()
    assert seat.tapped()["line"] == 2, "a tap that was not taken does not keep the next one waiting"


def test_a_line_that_changed_under_the_finger_does_nothing(guest: Guest, seat: Pages) -> None:
    guest.sits_down(seat)
    settle()
    guest.browser.execute_script(TAP_AT_ONCE, "Peek", "Hide")
    seat.show(answers={**LINES, "serial": 8, "lines": ["Peek", "Hide", "Swap"]})
    assert seat.tapped() == {"serial": 8, "line": 1, "menu": False}, "a line that stayed where it was can be tapped"


def test_a_tap_counts_for_the_list_on_which_the_finger_came_down(guest: Guest, seat: Pages) -> None:
    guest.sits_down(seat)
    settle()
    ActionChains(guest.browser).click_and_hold(guest.button("Place")).perform()
    seat.show(answers={**LINES, "serial": 9, "lines": ["Peek", "Hide", "Swap"]})
    guest.wait(lambda: guest.all(".line")[0].text == "Peek")
    ActionChains(guest.browser).release().perform()
    assert seat.tapped() == {"serial": 7, "line": 0, "menu": False}


def test_the_keyboard_alone_is_enough(guest: Guest, seat: Pages) -> None:
    guest.sits_down(seat)
    settle()

    def press(*keys: str) -> None:
        ActionChains(guest.browser).send_keys(*keys).perform()

    def focused() -> str:
        text: str = guest.browser.execute_script("return document.activeElement.textContent.trim()")
        return text

    press(Keys.TAB, Keys.TAB)
    assert focused() == "Place"
    press(Keys.ARROW_DOWN, Keys.ARROW_DOWN)
    assert focused() == "Swap"
    press(Keys.ENTER)
    assert seat.tapped() == {"serial": 7, "line": 2, "menu": False}
    seat.show(answers={**LINES, "serial": 8, "path": ["Swap"], "lines": ["1 and 2", "2 and 3"]})
    guest.wait(lambda: focused() == "1 and 2")
    press(Keys.ESCAPE)
    assert seat.tapped() == {"serial": 8, "line": -1, "menu": False}


def test_the_menu_is_tapped_by_its_own_serial_and_closes_when_it_has_been_done(guest: Guest, seat: Pages) -> None:
    guest.sits_down(seat)
    menu = {**EMPTY, "serial": 3, "lines": ["Pause", "Undo"]}
    seat.show(menu=menu)
    settle()
    guest.button("Menu").click()
    settle()
    assert guest.faults() == []
    guest.button("Undo").click()
    assert seat.tapped() == {"serial": 3, "line": 1, "menu": True}
    seat.show(menu={**menu, "serial": 4, "path": ["Undo"], "lines": ["Yes, take it back"], "back": True})
    guest.reads("Yes, take it back")
    settle()
    guest.button("Yes, take it back").click()
    assert seat.tapped() == {"serial": 4, "line": 0, "menu": True}
    seat.show(menu={**menu, "serial": 5})
    guest.wait(lambda: not guest.all("dialog"))


def test_what_is_refused_in_the_menu_is_read_there(guest: Guest, seat: Pages) -> None:
    guest.sits_down(seat)
    seat.show(menu={**EMPTY, "serial": 3, "lines": ["Pause", "Undo"]})
    settle()
    guest.button("Menu").click()
    settle()
    guest.button("Undo").click()
    assert seat.tapped() == {"serial": 3, "line": 1, "menu": True}
    seat.show(alert=["There is nothing to take back."])
    guest.wait(lambda: "There is nothing to take back." in guest.find("dialog").text)
    assert guest.faults() == []
    seat.say({"refused": "Too fast: the last tap still counts.", "why": "busy"})
    guest.wait(lambda: not guest.all("dialog"))
    guest.reads("Too fast")


def test_another_phone_takes_the_seat_of_one_that_is_lost_with_its_number(guest: Guest, seat: Pages) -> None:
    guest.sits_down(seat)
    number = seats.number(seat.guests, "a")
    guest.button("Menu").click()
    guest.reads("If this phone is lost: open", f"and enter {number} there.")
    assert guest.faults() == []
    guest.browser.execute_script("localStorage.clear()")
    guest.browser.get("about:blank")
    guest.browser.get(seat.address)
    guest.reads("This phone has no seat yet", "Did you lose the phone that had this seat?")
    assert guest.faults() == []
    guest.find("#number").send_keys("123")
    guest.button("Take the seat").click()
    guest.reads("That number is wrong: the six digits are in the phone's menu.")
    assert guest.faults() == []
    guest.find("#number").send_keys(f"{number[:3]} {number[3:]}")
    guest.button("Take the seat").click()
    seat.hears(lambda said: "number" in said)
    guest.wait(lambda: bool(guest.all(".status")))


def test_a_browser_without_dialogs_has_the_menu_all_the_same(guest: Guest, seat: Pages) -> None:
    """Safari before 15.4."""
    guest.sits_down(seat)
    guest.browser.execute_script("delete HTMLDialogElement.prototype.showModal")
    seat.show(menu={**EMPTY, "serial": 3, "lines": ["Pause", "Undo"]})
    settle()
    guest.button("Menu").click()
    settle()
    assert guest.faults() == []
    assert guest.browser.switch_to.active_element.text == "Close"
    guest.button("Undo").click()
    assert seat.tapped() == {"serial": 3, "line": 1, "menu": True}
    guest.browser.switch_to.active_element.send_keys(Keys.ESCAPE)
    guest.wait(lambda: not guest.all("dialog"))
    assert guest.browser.switch_to.active_element.text == "Menu"


def test_every_change_is_said_once_to_who_listens(guest: Guest, seat: Pages) -> None:
    guest.sits_down(seat)
    guest.hears("Your turn. ")
    told = ["A puts the Crown at the left end."]
    seat.show(told=told, status="B's turn", wanted=None, answers={**EMPTY, "serial": 8})
    guest.hears("A puts the Crown at the left end. B's turn")
    seat.show(told=[*told, "B hides the Knight"], status="Your turn.", alert=["A hand is in the way", "Take it away"])
    guest.hears("B hides the Knight. A hand is in the way Take it away. Your turn.")
    assert len(guest.all("[aria-live]")) == 1


def test_changes_are_read_aloud_and_sounded_where_that_is_switched_on(guest: Guest, seat: Pages) -> None:
    guest.sits_down(seat)
    guest.browser.execute_script(
        "window.said = []; window.rung = 0;"
        "speechSynthesis.speak = ({ text, lang }) => said.push(`${lang}: ${text}`);"
        "const start = OscillatorNode.prototype.start;"
        "OscillatorNode.prototype.start = function (at) { rung += 1; start.call(this, at); };"
    )
    seat.show(told=["A peeks."])
    guest.hears("A peeks.")
    assert guest.browser.execute_script("return [said.length, rung]") == [0, 0], "both are off at first"
    guest.button("Menu").click()
    for switch in guest.all('input[role="switch"]'):
        switch.click()
    guest.button("Close").click()
    seat.show(told=["A peeks.", "A boasts."])
    guest.wait(lambda: bool(guest.browser.execute_script("return said.includes('en: A boasts.') && rung > 0")))


def test_a_table_may_have_its_pages_read_aloud_and_a_page_may_choose_otherwise(guest: Guest, seat: Pages) -> None:
    guest.sits_down(seat)
    guest.browser.execute_script("window.said = []; speechSynthesis.speak = ({ text }) => said.push(text);")
    seat.show(told=["A peeks."], aloud=True)
    guest.wait(lambda: bool(guest.browser.execute_script("return said.some((text) => text.includes('A peeks.'))")))
    guest.button("Menu").click()
    switches = guest.all('input[role="switch"]')
    assert [each.is_selected() for each in switches[:2]] == [True, False], "it reads aloud, and does not sound"
    switches[0].click()
    guest.button("Close").click()
    guest.browser.execute_script("said.length = 0")
    seat.show(told=["A peeks.", "A boasts."])
    guest.hears("A boasts.")
    assert guest.browser.execute_script("return said.length") == 0


def test_clocks_count_down_by_themselves_and_stand_when_they_are_held(guest: Guest, seat: Pages) -> None:
    guest.sits_down(seat)
    seat.now = 1000.0
    running = {"seat": "a", "of": "A", "left_s": None, "ends": 1062.5}
    seat.show(clocks=[running, {"seat": "b", "of": "B", "left_s": 600.0, "ends": None}])
    guest.wait(lambda: [each.text for each in guest.all(".time > [aria-hidden]")] == ["1:01", "10:00"])


def test_a_name_is_asked_once_and_can_be_changed(guest: Guest, seat: Pages) -> None:
    guest.sits_down(seat, named=False)
    guest.find("#name-a").send_keys("Anna")
    assert guest.faults() == []
    guest.button("Save").click()
    assert seat.hears(lambda said: "name" in said) == {"name": "Anna"}
    guest.wait(lambda: not guest.all("#name-a"))
    guest.browser.refresh()
    guest.reads("Your turn.")
    assert not guest.all("#name-a")
    assert not [said for said in seat.heard if "name" in said], "the table knows it, or has a newer one"
    seat.say({"refused": "A name has 12 characters at most.", "why": "name"})
    guest.reads("A name has 12 characters at most.", "Your name")


@pytest.mark.parametrize("window", ['named {"seat":"a"}', "learn"])
def test_a_name_that_was_left_empty_at_the_table_is_not_asked_again(guest: Guest, seat: Pages, window: str) -> None:
    guest.browser.get(seat.address)
    guest.browser.execute_script("window.open(...arguments)", f"{seat.address}#{CODE}", window)
    guest.browser.switch_to.window(guest.browser.window_handles[-1])
    guest.wait(lambda: bool(guest.all(".status")))
    assert not guest.all(".naming")


def test_a_colour_is_asked_with_the_name_and_stands_wherever_the_player_is_named(guest: Guest, seat: Pages) -> None:
    guest.holds(360, 740, dark=True)
    guest.sits_down(seat, named=False)
    assert not guest.all(".colours"), "a colour goes with a name"
    guest.find("#name-a").send_keys("Anna")
    guest.wait(lambda: guest.find(".colours .chosen").get_attribute("textContent") == "Blue")
    guest.find(".colours [data-colour=green]").click()
    assert guest.faults() == []
    guest.button("Save").click()
    assert seat.hears(lambda said: "name" in said) == {"name": "Anna", "colour": "green"}
    (me, other) = seat.sheet["players"]
    clocks = [{"seat": each, "of": each, "short_s": 30, "left_s": 60.0, "ends": None} for each in "ab"]
    seat.show(players=[{**me, "colour": "green"}, {**other, "colour": "yellow"}], clocks=clocks)

    def marks(where: str) -> list[str | None]:
        return [each.get_attribute("data-colour") for each in guest.all(f"{where} .mark")]

    guest.wait(lambda: marks(".who") == ["green"])
    assert marks(".clocks") == ["green", "yellow"]
    assert set(marks(".board")) == {"green", "yellow"}
    seat.show(**{**sheets("tellstones")["end"]["a"], "players": seat.sheet["players"]})
    guest.wait(lambda: marks(".won") == ["yellow"])


def test_the_tables_page_asks_for_the_names_of_those_without_a_phone(guest: Guest) -> None:
    sheet = sheets("tellstones")["rules"]["table"]
    player = {"side": None, "turn": False, "phone": False}
    called = (("a", "A", "blue"), ("b", "Bert", "red"))
    nameable = [{**player, "seat": seat, "name": name, "colour": colour} for seat, name, colour in called]
    with Pages("table", {**sheet, "nameable": nameable}) as pages:
        guest.holds(1024, 768)
        guest.browser.get(pages.address)
        guest.wait(lambda: len(guest.all(".nameable form")) == 2)
        assert [each.is_enabled() for each in guest.all(".nameable .strong")] == [False, False], "nothing is new"
        assert guest.find("#name-b").get_attribute("value") == "Bert"
        guest.find("#name-a").send_keys("Anna")
        guest.find(".colours [data-colour=yellow]").click()
        guest.find(".nameable .strong").click()
        assert pages.hears(lambda said: "name" in said) == {"name": "Anna", "colour": "yellow", "seat": "a"}
        pages.say({"refused": "Somebody at this table has this colour already.", "why": "name"})
        guest.reads("Somebody at this table has this colour already.")
        assert guest.faults() == []


def test_a_long_name_leaves_the_games_title_whole(guest: Guest, seat: Pages) -> None:
    guest.holds(360, 740)
    guest.sits_down(seat)
    (me, *others) = seat.sheet["players"]
    for title in ("Камни судьбы", "The Search for Planet X", "Поиски девятой планеты"):
        seat.show(heading=title, players=[{**me, "name": "Wolfgang Ama"}, *others])
        guest.wait(lambda: guest.find(".bar .game").text == title)  # noqa: B023
        assert guest.browser.execute_script(CUT) == [], title
    assert guest.find(".bar").rect["height"] <= 64
    assert guest.faults() == []
    guest.holds(800, 600)
    assert guest.find(".who").rect["y"] < guest.find(".bar .game").rect["y"] + 10, "side by side where there is room"


def test_a_seat_is_given_up_after_a_question(guest: Guest, seat: Pages) -> None:
    guest.sits_down(seat)
    guest.button("Menu").click()
    guest.button("Leave this seat").click()
    assert not [said for said in seat.heard if "go" in said]
    assert guest.faults() == []
    guest.button("Yes").click()
    seat.hears(lambda said: said == {"go": True})
    seat.say({"refused": "This seat was given up.", "why": "revoked"})
    guest.reads("This phone has no seat yet")


def test_a_seat_that_the_table_did_not_hear_being_given_up_is_still_this_phones(guest: Guest, seat: Pages) -> None:
    guest.sits_down(seat)
    seat.hears(lambda said: "join" in said)
    guest.button("Menu").click()
    guest.button("Leave this seat").click()
    guest.browser.execute_script("WebSocket.prototype.send = () => {}")
    guest.button("Yes").click()
    guest.browser.refresh()
    seat.hears(returned)
    guest.reads("What do you do?")


def test_a_browser_that_keeps_nothing_has_its_seat_until_the_page_is_closed(guest: Guest, seat: Pages) -> None:
    script = "Storage.prototype.getItem = Storage.prototype.setItem = () => { throw new DOMException('refused'); };"
    added = guest.browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": script})
    try:
        guest.sits_down(seat, named=False)
        seat.hears(lambda said: "join" in said)
        seat.drop()
        seat.hears(returned)
        guest.wait(lambda: not guest.all(".banner"))
    finally:
        guest.browser.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", added)


@pytest.mark.parametrize("mark", ["%", "X" * 3000])
def test_an_address_that_was_spoiled_on_its_way_gets_a_sentence(guest: Guest, seat: Pages, mark: str) -> None:
    guest.browser.get("about:blank")
    guest.browser.get(f"{seat.address}#{mark}")
    seat.hears(lambda said: "join" in said)
    guest.reads("This phone has no seat yet")


def test_another_language_is_chosen_on_the_page_and_kept(guest: Guest, seat: Pages) -> None:
    guest.sits_down(seat)
    guest.button("Menu").click()
    Select(guest.find("dialog select")).select_by_value("ru")
    guest.reads("Меню", "Освободить место")
    assert seat.hears(lambda said: "speak" in said) == {"speak": "ru"}
    assert guest.find("html").get_attribute("lang") == "ru"
    guest.browser.refresh()
    guest.reads("Ваши сведения")
    assert guest.faults() == []


def test_a_virtual_table_speaks_the_language_that_it_was_given_and_keeps_its_game_in_sight(guest: Guest) -> None:
    sheet = sheets("fence")["after 3 actions"]["table"]
    players = [{**each, "name": "Alexandrinas"} for each in sheet["players"]]
    demo = Demo({"a": "http://127.0.0.1:1/", "b": "http://127.0.0.1:2/"}, scan=False, beside={}, language="ru")
    with Pages("table", {**sheet, "players": players}, demo=demo) as table:
        guest.browser.get(table.address)
        guest.reads("Меню")
        game, play, menu = (guest.find(f".bar > {each}").rect for each in (".game", ".invite", "button"))
        assert game["width"] > 100
        assert play["y"] >= menu["y"] + menu["height"]
        guest.holds(1280, 800)
        assert guest.find(".bar > .invite").rect["y"] < menu["y"] + menu["height"]
        assert guest.faults() == []


def _stages(game: str) -> Iterator[tuple[str, Wire]]:
    """A seat's sheet at each stage, and one in which everything is there that may be there."""
    for stage, found in sheets(game).items():
        yield stage, found["a"]
    full = sheets(game)["after 12 actions"]
    alert = {"alert": ["Not legal: the stone lies face down. T31", "Put stone 2 back", "Turn it down"]}
    yield "all at once", {**full["b"], **alert, "lacks": ["Turn stone 3 face up"], "answers": LINES}


@pytest.mark.parametrize("game", GAMES)
def test_a_seat_has_no_fault_at_any_stage_on_the_narrowest_phone(guest: Guest, seat: Pages, game: str) -> None:
    guest.holds(360, 740)
    guest.sits_down(seat)
    for number, (stage, sheet) in enumerate(_stages(game)):
        guest.holds(360, 740, dark=number % 2 == 1)
        seat.show(**sheet)
        settle()
        assert guest.faults() == [], stage


@pytest.mark.parametrize("game", GAMES)
def test_the_table_has_no_fault_at_any_stage(guest: Guest, game: str) -> None:
    found = sheets(game)
    with Pages("table", found["rules"]["table"]) as pages:
        guest.browser.get(pages.address)
        for number, stage in enumerate(found):
            guest.holds(1280, 800, dark=number % 2 == 1)
            pages.show(**found[stage]["table"])
            settle()
            assert guest.faults() == [], stage


def test_the_table_is_drawn_as_it_lies_and_what_the_last_action_touched_is_marked(guest: Guest) -> None:
    sheet = sheets("tellstones")["after 3 actions"]["table"]
    lying = sheet["board"]["pieces"]
    with Pages("table", sheet) as pages:
        guest.holds(1280, 800)
        guest.browser.get(pages.address)
        guest.wait(lambda: len(guest.all(".board .piece")) == len(lying))
        assert len(guest.all(".board .piece.marked")) == sum(piece["marked"] for piece in lying) > 0
        told = guest.find(".board figcaption").get_attribute("textContent") or ""
        assert all(piece["name"] in told for piece in lying)
        box = guest.find(".board svg").rect
        assert box["y"] + box["height"] <= 800
        assert box["width"] > 600


def test_a_free_seat_has_a_code_that_a_camera_reads(guest: Guest) -> None:
    addresses = [f"HTTP://192.168.1.23:814{at}/#ABCDEFGH2345677{at}" for at in range(4)]
    codes = [{"seat": s, "name": f"Seat {s}", "address": a} for s, a in zip("abcd", addresses, strict=True)]
    with Pages("table", {**sheets("runes")["rules"]["table"], "codes": codes}) as pages:
        guest.holds(1280, 800, dark=True)
        guest.browser.get(pages.address)
        guest.wait(lambda: len(guest.all("svg.code")) == len(codes))
        assert guest.faults() == []
        assert len({code.rect["y"] for code in guest.all("svg.code")}) == 1, "they stand side by side"
        for code, address in zip(guest.all("svg.code"), addresses, strict=True):
            assert _read(code.screenshot_as_png) == address
        pages.show(codes=[])
        guest.wait(lambda: not guest.all("svg.code"))


@pytest.mark.parametrize("game", ["planetx", "tellstones"])
def test_after_a_match_what_became_of_it_stands_above_the_codes_of_free_seats(guest: Guest, game: str) -> None:
    codes = [{"seat": s, "name": f"Seat {s}", "address": f"HTTP://192.168.1.23:8142/#ABCDEFGH2345677{s}"} for s in "cd"]
    played = {**sheets(game)["after 12 actions"]["table"], "status": "The match is over.", "codes": codes}
    with Pages("table", played) as pages:
        for width, height in ((1280, 800), (390, 844)):
            guest.holds(width, height)
            guest.browser.get(pages.address)
            guest.wait(lambda: len(guest.all("svg.code")) == len(codes))
            known, take = (guest.find(f"[aria-labelledby={each}]").rect for each in ("knows", "take"))
            assert known["y"] + known["height"] <= take["y"]
            assert guest.faults() == []


@pytest.mark.parametrize("game", GAMES)
def test_after_a_match_a_rematch_is_in_sight_before_what_is_shared(guest: Guest, game: str) -> None:
    guest.holds(390, 844)
    with Pages("a", sheets(game)["end"]["a"]) as pages:
        guest.sits_down(pages)
        rematch, share = (_middle(guest.button(text))[1] for text in ("Rematch", "Share a picture"))
        assert rematch < min(share, guest.browser.execute_script(JUMPS))
        assert guest.faults() == []


def _read(png: bytes) -> str:
    """What a QR code says."""
    picture = cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None
    return cv2.QRCodeDetector().detectAndDecode(picture)[0]


def test_pictures_numbers_and_places_have_words(guest: Guest, seat: Pages) -> None:
    guest.sits_down(seat)
    panels: list[Wire] = [
        {"kind": "glyphs", "names": ["crown", "down", ""], "captions": ["1", "2", "3"], "marked": [1]},
        {"kind": "gauge", "label": "Stamina", "value": 4, "maximum": 6},
        {"kind": "score", "entries": [["Anna", 1], ["B", 0]], "to": 3},
        {"kind": "ring", "cells": ["C", ""], "words": ["comet", ""], "lit": [2], "marks": [[2, "A"]]},
        {"kind": "cells", "cells": ["G", ""], "numbers": ["", "1"]},
        {"kind": "line", "text": "Season: Spring", "strong": True},
    ]
    panels[0]["words"] = ["Crown", "face down", ""]
    seat.show(panels=panels)
    guest.wait(lambda: len(guest.all(".panels > *")) == len(panels))
    words = [each.get_attribute("textContent") for each in guest.all(".panels .unseen")]
    assert "face down, asked about" in words
    assert guest.find('[role="meter"]').get_attribute("aria-valuetext") == "4 of 6"
    assert [each.text for each in guest.all(".ring .meanings div")] == ["C\ncomet"]
    items = [each.get_attribute("textContent") for each in guest.all(".ring .unseen li")]
    assert items == ["Sector 1: comet", "Sector 2: not marked, A, visible"]
    assert {"–: G", "1: not marked"} <= set(words)
    assert guest.faults() == []


def test_zones_are_named_in_letters_that_can_be_read_on_every_width(guest: Guest) -> None:
    """Also once the device was turned: from 9 pixels a line on."""
    sizes = "return [...document.querySelectorAll('.board .caption')].map((each) => each.getBoundingClientRect())"
    with Pages("table", sheets("tellstones")["after 3 actions"]["table"]) as pages:
        for width, height in ((1280, 800), (360, 740), (1280, 800)):
            guest.holds(width, height)
            guest.browser.get(pages.address) if not guest.all(".board") else None
            guest.wait(lambda: bool(guest.all(".board .caption")))
            settle()
            found = [min(each["width"], each["height"]) for each in guest.browser.execute_script(sizes)]
            assert found, "the mat has names"
            assert all(9 <= least <= 24 for least in found), (width, found)


@pytest.fixture
def board() -> Iterator[Pages]:
    """B's first turn of Tellstones: one stone lies in the Line."""
    with Pages("b", {**sheets("tellstones")["after 0 actions"]["b"]}) as running:
        yield running


def lit(guest: Guest) -> set[str]:
    return {str(each.get_attribute("data-spot")) for each in guest.all(".board .lit")}


def touched(pages: Pages) -> str:
    """The sentence of the action that was tapped by touch."""
    answers, tap = pages.sheet["answers"], pages.tapped()
    assert tap["serial"] == answers["serial"]
    pattern, words, _ = answers["touch"]["moves"][tap["line"] - len(answers["lines"])]
    text: str = answers["touch"]["patterns"][pattern]["text"]
    return text.format("", *(answers["touch"]["words"][word] for word in words))


def test_a_stone_is_touched_then_an_end_of_the_line(guest: Guest, board: Pages) -> None:
    guest.sits_down(board)
    settle()
    assert lit(guest) == {"line/0", *(f"pool/{number}" for number in range(6))}
    guest.find("[data-spot='pool/0']").click()
    guest.wait(lambda: lit(guest) == {">line/0", ">line/1"})
    assert guest.faults() == []
    guest.find("[data-spot='>line/1']").click()
    assert touched(board) == "Crown to the left end"


def _middle(element: WebElement) -> tuple[float, float]:
    """Return an element's middle in the window, in pixels."""
    box = element.parent.execute_script("return arguments[0].getBoundingClientRect()", element)
    return box["left"] + box["width"] / 2, box["top"] + box["height"] / 2


@pytest.mark.parametrize("by", ["mouse", "finger"])
def test_a_stone_is_dragged_to_an_end_of_the_line(guest: Guest, board: Pages, by: str) -> None:
    guest.sits_down(board)
    settle()

    point = partial(guest.point, by)
    stone = guest.find("[data-spot='pool/0']")
    guest.browser.execute_script("arguments[0].scrollIntoView({ block: 'center' })", guest.find(".board"))
    x, y = _middle(stone)
    point("down", (x, y))
    point("move", (x + 20, y))
    guest.wait(lambda: lit(guest) == {">line/0", ">line/1"})
    end = _middle(guest.find("[data-spot='>line/1']"))
    point("move", end)
    guest.wait(lambda: _middle(stone) == pytest.approx(end, abs=3))
    point("up", end)
    assert touched(board) == "Crown to the left end"


def test_a_stone_that_is_dropped_beside_goes_back_and_stays_chosen(guest: Guest, board: Pages) -> None:
    guest.sits_down(board)
    settle()
    stone = guest.find("[data-spot='pool/0']")
    there = _middle(stone)
    ActionChains(guest.browser).drag_and_drop_by_offset(stone, 30, 4).perform()
    guest.wait(lambda: lit(guest) == {">line/0", ">line/1"})
    assert _middle(stone) == pytest.approx(there, abs=1)
    assert not [said for said in board.heard if "tap" in said]


def test_where_a_drag_only_begins_nothing_is_carried_out(guest: Guest, board: Pages) -> None:
    guest.sits_down(board)
    settle()
    guest.find("[data-spot='pool/0']").click()
    guest.wait(lambda: lit(guest) == {">line/0", ">line/1"})
    x, y = _middle(guest.find("[data-spot='>line/1']"))
    for action, at in (("down", (x, y)), ("move", (x + 20, y)), ("up", (x + 20, y))):
        guest.point("mouse", action, at)
    guest.wait(lambda: ">line/0" not in lit(guest))
    assert not [said for said in board.heard if "tap" in said]


PLAYED = {"verb": "Play a card", "text": "Play a card: {1}", "costs": False, "clause": "F28"}
DEAR = {**PLAYED, "verb": "Discard", "text": "Discard {1}", "costs": True}
HELD = {
    "things": ["=fleche-5", "=fleche-6", "=lunge-6", "strip/4"],
    "words": ["Fleche 5", "Fleche 6", "Lunge 6"],
    "patterns": [PLAYED, DEAR],
    "moves": [[0, [0], [0]], [0, [1], [1, 3]], [1, [2], [2]]],
    "cards": [{"heading": "Fleche", "things": [0, 1]}, {"heading": "Lunge", "things": [2]}],
}
"""Three cards: one is played by itself, one onto a piece, and one costs something."""


@pytest.mark.parametrize("by", ["mouse", "finger"])
@pytest.mark.parametrize(
    ("card", "onto", "done"),
    [
        ("=fleche-5", None, "Play a card: Fleche 5"),
        ("=fleche-6", "strip/4", "Play a card: Fleche 6"),
        ("=fleche-6", None, None),
        ("=lunge-6", None, None),
    ],
)
def test_a_card_is_drawn_up_or_onto_what_it_is_meant_for(
    guest: Guest, by: str, card: str, onto: str | None, done: str | None
) -> None:
    sheet = sheets("fence")["after 3 actions"]["a"]
    with Pages("a", {**sheet, "answers": {**sheet["answers"], "touch": HELD}}) as pages:
        guest.sits_down(pages)
        settle()
        guest.browser.execute_script("arguments[0].scrollIntoView({ block: 'end' })", guest.find(".fan"))
        there = _middle(guest.find(f"[data-spot='{card}']"))
        up = (there[0], guest.find(".fan").rect["y"] - guest.browser.execute_script("return scrollY") - 60)
        guest.point(by, "down", there)
        guest.point(by, "move", (there[0], there[1] - 15))
        guest.wait(lambda: bool(guest.all(".fan .picked")))
        end = up if onto is None else _middle(guest.find(f".board [data-spot='{onto}']"))
        guest.point(by, "move", end)
        assert _middle(guest.find(f"[data-spot='{card}']")) == pytest.approx(end, abs=8), "it is under the hand"
        guest.point(by, "up", end)
        if done is None:
            guest.wait(lambda: bool(guest.all(".sheet")))
            assert not [said for said in pages.heard if "tap" in said], "it was drawn up, and the rest is asked"
        else:
            assert touched(pages) == done


@pytest.mark.parametrize("by", ["mouse", "finger"])
def test_a_card_that_goes_back_to_the_others_plays_nothing_and_many_cards_scroll(guest: Guest, by: str) -> None:
    sheet = sheets("fence")["after 3 actions"]["a"]
    with Pages("a", {**sheet, "answers": {**sheet["answers"], "touch": HELD}}) as pages:
        guest.sits_down(pages)
        settle()
        guest.browser.execute_script("arguments[0].scrollIntoView({ block: 'center' })", guest.find(".fan"))
        (x, y) = _middle(guest.find("[data-spot='=fleche-5']"))
        for kind, dy in (("down", 0), ("move", -15), ("move", -2), ("up", -2)):
            guest.point(by, kind, (x, y + dy))
        guest.wait(lambda: bool(guest.all(".fan .picked")))
        assert not [said for said in pages.heard if "tap" in said]
        pages.show(answers={**sheet["answers"], "serial": 99})
        guest.wait(lambda: bool(guest.all(".fan.many")))
        (x, y) = _middle(guest.find(".fan.many .lit, .fan.many .idle"))
        for kind, dy in (("down", 0), ("move", -15), ("move", -30), ("up", -30)):
            guest.point(by, kind, (x, y + dy))
        settle()
        assert len(guest.all(".fan .picked")) == (1 if by == "mouse" else 0)


def test_all_cards_that_a_hand_may_hold_are_above_the_fold_of_a_phone(guest: Guest) -> None:
    """And large enough for a finger. Faults look at their size."""
    guest.holds(360, 740)
    with Pages("b", sheets("runes")["after 3 actions"]["b"]) as pages:
        guest.sits_down(pages)
        cards, fold = guest.all(".fan.many .card"), guest.browser.execute_script(JUMPS)
        assert len(cards) > 40
        assert all(card.rect["y"] + card.rect["height"] <= fold for card in cards)
        assert guest.faults() == []


@pytest.mark.parametrize(("count", "overlap"), [(5, False), (7, True)])
def test_a_hand_stands_in_one_row_and_overlaps_where_it_must(guest: Guest, count: int, overlap: bool) -> None:
    guest.holds(360, 740)
    sheet = sheets("runes")["after 3 actions"]["b"]
    touch = sheet["answers"]["touch"]
    held = {**touch, "moves": touch["moves"][:count]}
    with Pages("b", {**sheet, "answers": {**sheet["answers"], "touch": held}}) as pages:
        guest.sits_down(pages)
        left = [card.rect["x"] for card in guest.all("ul.fan .card")]
        assert len(left) == count
        assert len({card.rect["y"] for card in guest.all("ul.fan .card")}) == 1
        steps = [right - before for before, right in itertools.pairwise(left)]
        assert min(steps) >= 44, "what is seen of each is as large as a finger"
        assert (min(steps) < guest.find("ul.fan .card").rect["width"] - 1) == overlap
        assert guest.faults() == []


def test_each_refusal_shakes_the_picture(guest: Guest, board: Pages) -> None:
    guest.sits_down(board)
    guest.browser.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-reduced-motion", "value": "no-preference"}]}
    )
    guest.browser.execute_script(SHAKEN)

    def shaken(times: int) -> Callable[[], bool]:
        return lambda: bool(guest.browser.execute_script("return shaken") == times)

    for count in (1, 2):
        settle()
        for spot in ("pool/0", ">line/1"):
            guest.find(f"[data-spot='{spot}']").click()
        touched(board)
        board.heard.clear()
        board.show(alert=["The Line is full."], answers={**board.sheet["answers"], "serial": 50 + count})
        guest.wait(shaken(count))


def test_what_one_touch_means_stands_on_a_button_first(guest: Guest, board: Pages) -> None:
    guest.sits_down(board)
    settle()
    guest.find("[data-spot='line/0']").click()
    guest.wait(lambda: [each.text for each in guest.all(".meant .line")] == ["Hide the Knight (place 1)"])
    guest.find(".meant .line").click()
    assert touched(board) == "Hide the Knight (place 1)"


def test_a_question_about_nothing_drawn_stands_once(guest: Guest) -> None:
    with Pages("a", sheets("fence")["after 0 actions"]["a"]) as pages:
        guest.sits_down(pages)
        settle()
        assert [each.text for each in guest.all(".ask button.line")] == ["Keep the hand", "New hand"]
        guest.button("New hand").click()
        assert pages.tapped()["line"] == 1
        pages.say({"lesson": {**CARD, "moves": [["Keep the hand"]]}})
        guest.wait(lambda: [each.text for each in guest.all(".ask .wanted")] == ["Keep the hand"])
        assert guest.faults() == []


@pytest.mark.parametrize("dragged", [False, True])
def test_an_arc_of_the_sky_is_chosen_by_its_ends_and_the_time_is_said_at_once(guest: Guest, dragged: bool) -> None:
    guest.holds(360, 740)
    with Pages("a", sheets("planetx")["after 3 actions"]["a"]) as pages:
        guest.sits_down(pages)
        settle()
        ends = [guest.find(f"[data-spot='#{sector}']") for sector in (5, 2)]
        if dragged:
            ActionChains(guest.browser).drag_and_drop(*ends).perform()
        else:
            for end in ends:
                end.click()
        guest.wait(lambda: guest.find(".meant .noun").text == "Survey for …: sectors 2-5 (time 3)")
        assert [each.get_attribute("data-spot") for each in guest.all(".sector.between")] == ["#3", "#4"]
        assert {"comets", "gas clouds"} < {each.text for each in guest.all(".meant .line")}
        assert guest.faults() == []
        guest.find(".meant .line").click()
        assert touched(pages) == "Survey for asteroids: sectors 2-5 (time 3)"


def test_a_lesson_has_no_button_before_its_match_and_says_why(guest: Guest, board: Pages) -> None:
    guest.sits_down(board)
    board.say({"lesson": {**CARD, "moves": [], "waits": True}})
    guest.reads("The demo is ending its match. Yours starts in a moment.")
    assert guest.all(".lesson .strong") == []
    board.say({"lesson": {**CARD, "moves": [], "reads": True}})
    guest.wait(lambda: [each.text for each in guest.all(".lesson .strong")] == ["Next"])
    assert guest.faults() == []


def test_the_letters_of_pawns_are_not_outlined(guest: Guest) -> None:
    with Pages("a", sheets("planetx")["after 3 actions"]["a"]) as pages:
        guest.sits_down(pages)
        assert {each.value_of_css_property("stroke") for each in guest.all(".ring text.mark")} == {"none"}


def test_a_card_is_touched_and_a_sheet_in_sight_asks_what_it_is_for(guest: Guest) -> None:
    guest.holds(360, 740)
    with Pages("a", sheets("fence")["after 3 actions"]["a"]) as pages:
        guest.sits_down(pages)
        settle()
        card = guest.find("[data-spot='=stop-hit-6']")
        guest.browser.execute_script("arguments[0].scrollIntoView({ block: 'center' })", card)
        card.click()
        guest.wait(lambda: bool(guest.all(".sheet")))
        assert [each.text for each in guest.all(".sheet .line")] == [
            "Exchange a card: Stop Hit, Speed 6",
            "Stall: Stop Hit, Speed 6",
        ]
        assert guest.browser.execute_script(WITHIN)
        assert guest.faults() == []
        guest.find(".sheet .line").click()
        assert touched(pages) == "Exchange a card: Stop Hit, Speed 6"


@pytest.mark.parametrize(("motion", "moving"), [("no-preference", 1), ("reduce", 0)])
def test_a_piece_moves_where_it_went(guest: Guest, board: Pages, motion: str, moving: int) -> None:
    guest.sits_down(board)
    feature = {"name": "prefers-reduced-motion", "value": motion}
    guest.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
    guest.browser.execute_script(ANIMATED)
    drawn = board.sheet["board"]
    pieces = [{**each, "zone": "line", "index": 1} if each["kind"] == "crown" else each for each in drawn["pieces"]]
    board.show(board={**drawn, "pieces": pieces})
    guest.wait(lambda: bool(guest.all("[data-spot='line/1']")))
    settle()
    assert [spot for spot in guest.browser.execute_script("return animated") if spot == "line/1"] == ["line/1"] * moving


def test_a_wrong_tap_is_undone_by_a_button_that_goes_by_itself(guest: Guest, board: Pages) -> None:
    guest.sits_down(board)
    board.show(regret=2.0)
    guest.wait(lambda: bool(guest.all(".regret")))
    button, line = (guest.find(selector).rect for selector in (".regret", ".choices"))
    assert button["y"] + button["height"] <= line["y"], "it is over no line of the list"
    assert guest.faults() == []
    guest.button("↶ Undo").click()
    assert board.tapped() == {"serial": board.sheet["answers"]["serial"], "line": -2, "menu": False}
    guest.wait(lambda: not guest.all(".regret"))
    board.show(regret=2.1)
    guest.wait(lambda: bool(guest.all(".regret")))
    guest.wait(lambda: not guest.all(".regret"))
    assert guest.find(".choices").rect == line, "no line moves below a finger"


def test_a_phone_shows_the_mat_while_the_other_seat_plays(guest: Guest) -> None:
    page = sheets("tellstones")["after 0 actions"]["a"]
    assert not page["answers"]["touch"]
    with Pages("a", page) as pages:
        guest.sits_down(pages)
        guest.wait(lambda: len(guest.all(".board .piece")) == 7)
        assert lit(guest) == set()
        assert guest.faults() == []


def test_a_touch_on_a_list_that_has_just_come_is_not_taken_and_that_is_said(guest: Guest, board: Pages) -> None:
    guest.sits_down(board)
    settle()
    guest.find("[data-spot='pool/0']").click()
    guest.wait(lambda: len(lit(guest)) == 2)
    board.show(answers={**board.sheet["answers"], "serial": 99, "path": ["Crown"]})
    guest.wait(lambda: guest.find(".path").text == "Crown")
    guest.find("[data-spot='>line/1']").click()
    guest.reads("The list changed. Please choose again.")
    assert not [said for said in board.heard if "tap" in said]
