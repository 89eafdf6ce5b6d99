"""A newcomer at `make demo` opens the table's page, presses Play, takes seats, and plays."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from selenium.common.exceptions import WebDriverException
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By

from device.lessons import lessons
from tests.browser.shipped import CODE, ROOT
from tests.browser.test_pages import TAKEN_S, Guest
from tests.browser.test_phones import READ, Seen
from tools.bench.newcomer import Newcomer as Toucher

pytestmark = [pytest.mark.browser, pytest.mark.timeout(280)]
READY_S = 90.0
LESSON_S = 200.0
ANSWER_S = 12.0
"""A simulated hand takes some seconds, and the camera waits until it is gone."""

BOXES = ".seating [autocomplete]"
READING_S = TAKEN_S
FIRST = ("English", "Tellstones", "Continue", "No clock", "Start")
"""What is tapped on the way to the first turn."""


class Newcomer:
    """One browser with a tab for each page. pages: their tabs."""

    def __init__(self, browser: Chrome, address: str) -> None:
        self.browser, self.guest = browser, Guest(browser)
        self.guest.holds(1280, 800)
        browser.get(address)
        self.pages = {"table": browser.current_window_handle}

    def sits_down(self, seat: str) -> None:
        """Press Play, and open a tab for a seat."""
        self.plays()
        before = set(self.browser.window_handles)
        self.browser.find_element(By.LINK_TEXT, f"Play as {seat.upper()}").click()
        self.guest.wait(lambda: len(self.browser.window_handles) > len(before), READY_S)
        (self.pages[seat],) = set(self.browser.window_handles) - before
        self.guest.find(".seating > .plain:last-child").click()
        self.look_at(seat)
        self.guest.wait(lambda: bool(self.guest.all(".status")), 30)

    def plays(self) -> None:
        """Press the button that the table's page has from the start."""
        self.look_at("table")
        self.guest.wait(lambda: bool(self.guest.all(".invite")), READY_S)
        self.guest.find(".invite > button").click()

    def look_at(self, page: str) -> None:
        self.browser.switch_to.window(self.pages[page])
        self.guest.holds(*((1280, 800) if page == "table" else (390, 844)))

    def reads(self, page: str) -> Seen:
        self.look_at(page)
        status, asks, lines = self.browser.execute_script(READ)
        return status, asks, tuple(lines)

    def shows(self, page: str, *words: str) -> None:
        """Waits until a page says all of it."""
        self.look_at(page)
        self.guest.wait(lambda: all(word in self.guest.find("body").text for word in words), ANSWER_S)

    def taps(self, seat: str, *words: str) -> None:
        """The first lines that say this, one after the other; each is waited for."""
        for word in words:
            until = time.monotonic() + ANSWER_S
            while True:
                place = next((n for n, line in enumerate(self.reads(seat)[2]) if word in line), None)
                if place is not None:
                    break
                assert time.monotonic() < until, f"{word!r} is not offered: {self.reads(seat)}"
                time.sleep(0.1)
            time.sleep(READING_S)
            before = self.reads(seat)
            button = self.guest.all(".ask .line")[before[2].index(next(x for x in before[2] if word in x))]
            self.browser.execute_script("arguments[0].scrollIntoView({ block: 'center' })", button)
            button.click()
            self.guest.wait(partial(self._differs, seat, before), ANSWER_S)

    def _differs(self, seat: str, before: Seen) -> bool:
        return self.reads(seat) != before

    def begins(self, seat: str) -> str:
        """Go from power-on to the first turn by what a page asks, and return the seat that a coin chose."""
        until = time.monotonic() + READY_S
        while True:
            status, _, lines = self.reads(seat)
            if any(line.endswith(" to the left end") for line in lines):
                return seat
            if status.endswith("'s turn"):
                return status.removesuffix("'s turn").lower()
            assert time.monotonic() < until, f"no match begins: {self.reads(seat)}"
            if line := next((line for line in self.reads(seat)[2] if line in FIRST), None):
                self.taps(seat, line)
            time.sleep(0.1)

    def is_asked(self, seat: str) -> tuple[str, ...]:
        """Waits for the hand that carries out what was ordered: then it is this seat's turn."""
        self.guest.wait(lambda: self.reads(seat)[0] == "Your turn." and len(self.reads(seat)[2]) > 1, ANSWER_S)
        return self.reads(seat)[2]


@pytest.fixture
def addresses(tmp_path: Path) -> Iterator[dict[str, str]]:
    yield from running(tmp_path, "--no-auto")


@pytest.fixture
def demo(tmp_path: Path) -> Iterator[dict[str, str]]:
    yield from running(tmp_path)


@pytest.fixture
def fence(tmp_path: Path) -> Iterator[dict[str, str]]:
    yield from running(tmp_path, "--no-auto", "--game", "fence")


@pytest.fixture
def abroad(tmp_path: Path) -> Iterator[dict[str, str]]:
    yield from running(tmp_path, "--host", "0.0.0.0")


def running(tmp_path: Path, *options: str) -> Iterator[dict[str, str]]:
    """What `referee simulate` prints, by the name of the page."""
    command = [sys.executable, "-c", CODE, "simulate", *options, "--ideal", "--scene", "easy", "--port", "0"]
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=log, text=True)
    assert process.stdout is not None
    printed = {}
    for line in process.stdout:
        name, _, address = line.strip().rpartition(" ")
        printed[name.strip()] = address
        if "play as B" in printed:
            break
    yield printed
    process.terminate()
    process.wait(30)
    process.stdout.close()


def test_a_newcomer_plays_from_the_links_of_the_tables_page(browser: Chrome, addresses: dict[str, str]) -> None:
    """Nothing is typed and no piece is dragged: a simulated hand carries out what the seats order."""
    person = Newcomer(browser, addresses["the table"])
    person.sits_down("a")
    person.sits_down("b")
    person.shows("table", "by phone", "Simulator")
    assert "#" not in browser.current_url
    first = person.begins("a")
    second = "b" if first == "a" else "a"
    one, other, place = first.upper(), second.upper(), 1 if first == "a" else 2  # counted from the left of seat A
    person.shows("table", f"{one}'s turn", f"{one} is choosing a move.")
    person.taps(first, "Crown to the left end")
    assert "Shield to the left end" in person.is_asked(second)
    person.shows("table", f"{other}'s turn", f"{other} puts the Crown at place {place}.")
    person.taps(second, f"Hide the Knight (place {3 - place})")
    person.is_asked(first)
    person.taps(first, "Boast", "Yes")
    person.shows("table", f"{one} boasts", f"{other}'s turn")
    person.taps(second, "Believe")
    person.taps(second, "Yes")
    person.shows("table", f"{other}: I believe you.", f"{one} scores.")
    for page in ("table", "a", "b"):
        person.look_at(page)
        time.sleep(TAKEN_S)
        assert person.guest.faults() == [], page


def test_a_newcomer_starts_the_match_on_the_tables_page_and_then_sits_down(
    browser: Chrome, addresses: dict[str, str]
) -> None:
    """The first button that a newcomer sees leads into a match, and the seats can be taken as before."""
    person = Newcomer(browser, addresses["the table"])
    person.guest.wait(lambda: bool(person.guest.all(".begin")), READY_S)
    person.shows("table", "Start when all are ready.", "Play")
    person.guest.button("Start").click()
    person.guest.wait(lambda: not person.guest.all(".begin"), ANSWER_S)
    first = person.begins("table")
    second = "b" if first == "a" else "a"
    person.sits_down(first)
    person.sits_down(second)
    person.taps(first, "Crown to the left end")
    assert "Shield to the left end" in person.is_asked(second)


FRAMES = "return [...document.querySelectorAll('iframe')].filter((each) => each.offsetParent).map((each) => each.title)"
PLACE = "const { x, y } = document.querySelector('.invite > button').getBoundingClientRect(); return [x, y]"


def moves(person: Newcomer) -> int:
    return len(person.guest.all(".told li"))


def test_the_demo_plays_itself_until_a_newcomer_presses_play(browser: Chrome, demo: dict[str, str]) -> None:
    """Its button stays where it is. Then every seat is on this screen, and what is lit is enough to play."""
    person = Newcomer(browser, demo["the table"])
    guest = person.guest
    guest.wait(lambda: moves(person) > 0, READY_S)
    place, before = browser.execute_script(PLACE), moves(person)
    guest.wait(lambda: moves(person) > before, READY_S)
    assert browser.execute_script(PLACE) == place
    assert guest.faults() == []
    person.plays()
    time.sleep(TAKEN_S)
    assert guest.faults() == []
    guest.find(".seating button.way").click()
    guest.wait(lambda: bool(guest.all(".waits")))
    guest.wait(lambda: not guest.all(".waits"), 60)
    assert browser.execute_script(FRAMES) == ["Seat A", "Seat B"]
    done, finger = set[str](), Toucher(browser)

    def plays() -> bool:
        finger.touch()
        for frame in guest.all("iframe"):
            browser.switch_to.frame(frame)
            done.update(each.text for each in guest.all(".told li"))
            browser.switch_to.default_content()
        return len(done) > 2

    guest.wait(plays, READY_S)
    guest.holds(390, 844)
    guest.wait(lambda: len(browser.execute_script(FRAMES)) == 1)
    other = next(each for each in guest.all(".which button") if each.get_attribute("aria-pressed") == "false")
    other.click()
    guest.wait(lambda: browser.execute_script(FRAMES) == [f"Seat {other.text}"])
    guest.button("Table").click()
    guest.wait(lambda: bool(guest.all(".invite")))
    assert guest.faults() == []


LIT = (".lesson .strong", ".meant .line", ".touch .lit", ".choices .wanted")
"""Selectors of the things that a lesson leads to, in this order."""


def test_a_newcomer_goes_through_a_lesson_by_touching_what_is_lit(browser: Chrome, demo: dict[str, str]) -> None:
    """Each step is reached in turn, the referee refuses what is tried, and the match goes on when the card is gone."""
    guest = Guest(browser)
    guest.holds(390, 844)
    browser.get(demo["the table"])
    guest.wait(lambda: bool(guest.all(".learn")), READY_S)
    guest.find(".learn").click()
    guest.wait(lambda: browser.execute_script(FRAMES) == ["Seat A"])
    browser.switch_to.frame(guest.find("iframe"))
    guest.wait(lambda: bool(guest.all(".lesson")), READY_S)
    assert guest.faults() == []
    steps, refusals = list[str](), set[str]()

    def goes_on() -> bool:
        try:
            if not guest.all(".lesson"):
                return True
            if (text := guest.find(".lesson p").text) not in steps:
                steps.append(text)
            refusals.update(each.text for each in guest.all(".lesson .refusal"))
            thing = next((each for selector in LIT for each in guest.all(selector)), None)
            if thing is not None and guest.find(".lesson p").text == text:
                browser.execute_script("arguments[0].scrollIntoView({ block: 'center' })", thing)
                thing.click()
        except WebDriverException:
            pass  # it went while the finger came down
        return False

    guest.wait(goes_on, LESSON_S)
    assert steps == [step.text for step in lessons()["tellstones"][0].steps]
    assert refusals == {"No stone is face down."}
    guest.wait(lambda: len(guest.all(".told li")) > 0)


def test_the_lesson_of_the_chosen_mode_is_offered(browser: Chrome, fence: dict[str, str]) -> None:
    person = Newcomer(browser, fence["the table"])
    guest, (lesson,) = person.guest, (each for each in lessons()["fence"] if each.when == {"mode": ("advanced",)})
    person.sits_down("a")
    while not any(line.startswith("Game: ") for line in person.reads("a")[2]):
        time.sleep(READING_S)
        guest.button("Back").click()
        time.sleep(READING_S)
    assert not guest.all(".learn")
    person.taps("a", "Game: ", "Advanced", "Continue", "No clock", "Continue")
    guest.wait(lambda: bool(guest.all(".learn")), READY_S)
    guest.find(".learn").click()
    guest.wait(lambda: bool(guest.all(".lesson")), READY_S)
    assert guest.find(".lesson p").text == lesson.steps[0].text
    guest.wait(lambda: person.reads("a")[0] == "Your turn.", READY_S)


def test_one_seat_is_here_and_the_other_is_taken_with_a_code(browser: Chrome, abroad: dict[str, str]) -> None:
    person = Newcomer(browser, abroad["the table"])
    guest = person.guest
    person.plays()
    guest.find(".seating .way:not(.strong)").click()
    guest.wait(lambda: browser.execute_script(FRAMES) == ["Seat A"])
    guest.wait(lambda: len(guest.all(".codes li")) == 1 and not guest.all(".waits"), 60)
    code = guest.find(".codes a").get_attribute("href")
    assert code is not None
    browser.switch_to.new_window("tab")
    browser.get(code)
    guest.wait(lambda: any("turn" in each.text for each in guest.all(".status")), READY_S)
    browser.switch_to.window(person.pages["table"])
    guest.wait(lambda: not guest.all(".codes"))


def test_names_are_asked_before_the_match_and_remembered(browser: Chrome, addresses: dict[str, str]) -> None:
    person, names = Newcomer(browser, addresses["the table"]), ["Anna", "Борис"]
    guest = person.guest

    def marks(where: str) -> list[str | None]:
        return [each.get_attribute("data-colour") for each in guest.all(f"{where} .mark")]

    person.plays()
    guest.holds(360, 740)
    for box, name in zip(guest.all(BOXES), names, strict=True):
        box.send_keys(name)
    guest.all(".colours [data-colour=green]")[0].click()
    assert guest.faults() == []
    guest.find(".seating button.way").click()
    guest.wait(lambda: [each.text for each in guest.all(".which button")] == names, READY_S)
    browser.switch_to.frame(guest.find("iframe.shown"))
    guest.wait(lambda: bool(guest.all(".status")))
    assert not guest.all(".naming"), "it is not asked again"
    browser.switch_to.default_content()
    guest.wait(lambda: marks(".which") == ["green", "red"], READY_S)
    browser.get(addresses["the table"])
    person.plays()
    assert [each.get_attribute("value") for each in guest.all(BOXES)] == names
    assert marks(".seating .chosen") == ["green", "red"]
