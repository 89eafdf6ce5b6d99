"""The club's pages in Chromium: an organiser sees all tables at a glance, and what changes as it does."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from selenium.common.exceptions import NoSuchElementException, StaleElementReferenceException
from selenium.webdriver import Chrome, Keys
from selenium.webdriver.support.select import Select

from extensions.club.tests.test_hall import glance, in_play
from extensions.record.tests.herald.table import Match
from referee_club.archive import Archive
from referee_club.hall import Hall
from referee_club.tournament import Kind, Plan, draw
from referee_club.tournaments import Tournaments
from referee_record.public_entries import Opening
from referee_record.public_frames import Seated
from tests.browser.test_pages import Guest

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]
PATIENCE_S = 30.0


class Club:
    """An archive and its site, in a thread of their own."""

    def __init__(self, folder: Path) -> None:
        self._path, self._ready = folder / "club.db", threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run()))

    def __enter__(self) -> Club:
        self._thread.start()
        assert self._ready.wait(60), "the club's site does not start"
        return self

    def __exit__(self, *exc: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(30)
        assert not self._thread.is_alive(), "the club's site does not end"

    def do(self, deed: Callable[[Archive], object]) -> None:
        async def done() -> None:
            deed(self.archive)

        asyncio.run_coroutine_threadsafe(done(), self._loop).result(60)

    async def _run(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        self.archive = Archive(self._path)
        self.hall = Hall(self.archive, "127.0.0.1", 0)
        await self.hall.start()
        self._ready.set()
        await self._stop.wait()
        await self.hall.close()
        self.archive.close()


@pytest.fixture
def club(tmp_path: Path) -> Iterator[Club]:
    with Club(tmp_path) as opened:
        yield opened


def two_tables(archive: Archive) -> None:
    in_play(archive, "table-1")
    in_play(archive, "table-2", match="8" * 32)


@pytest.mark.parametrize(("width", "dark"), [(390, False), (360, True), (1920, False)])
def test_the_hall_shows_what_changes_as_it_does(browser: Chrome, club: Club, width: int, *, dark: bool) -> None:
    club.do(two_tables)
    guest = Guest(browser)
    guest.holds(width, 900, dark=dark)
    browser.get(f"{club.hall.address()}?lang=en")
    guest.wait(lambda: guest.find("#link").get_attribute("data-state") == "live", PATIENCE_S)
    guest.reads("2 tables", "table-1", "Anna chooses.")
    assert guest.faults() == []
    club.do(lambda archive: archive.take_glance("table-2", glance("8" * 32, needs="The camera is covered.")))
    guest.wait(lambda: "The camera is covered." in guest.find("main").text, PATIENCE_S)
    guest.wait(lambda: guest.all(".card h2")[0].text == "table-2", PATIENCE_S)
    assert guest.faults() == []
    Select(guest.find("#language")).select_by_value("ru")
    guest.wait(lambda: guest.find("html").get_attribute("lang") == "ru", PATIENCE_S)
    assert guest.faults() == []


def test_whoever_uses_the_keyboard_keeps_the_place(browser: Chrome, club: Club) -> None:
    club.do(two_tables)
    guest = Guest(browser)
    guest.holds(1280, 900)
    browser.get(f"{club.hall.address()}?lang=en")
    guest.wait(lambda: guest.find("#link").get_attribute("data-state") == "live", PATIENCE_S)
    here = browser.switch_to.active_element
    for _ in range(12):
        here.send_keys(Keys.TAB)
        here = browser.switch_to.active_element
        if here.text == "table-2":
            break
    assert here.text == "table-2"
    club.do(lambda archive: archive.take_glance("table-2", glance("8" * 32, needs="The camera is covered.")))
    guest.wait(lambda: "The camera is covered." in guest.find("main").text, PATIENCE_S)
    guest.wait(lambda: browser.switch_to.active_element.text == "table-2", PATIENCE_S)
    browser.switch_to.active_element.send_keys(Keys.ENTER)
    guest.wait(lambda: guest.find("h1").text == "table-2", PATIENCE_S)


@pytest.mark.parametrize(("width", "dark"), [(360, False), (1280, True)])
def test_each_page_is_sound(browser: Chrome, club: Club, width: int, *, dark: bool) -> None:
    match = Match()
    body = match.links[0].body
    assert isinstance(body, Opening)

    def play(archive: Archive) -> None:
        for n, link in enumerate(match.links):
            archive.take_link("table-1", body.match, n, link)
        in_play(archive, match=body.match, result="Anna wins.", winners=("a",))
        in_play(archive, "table-2", match="8" * 32)

    club.do(play)
    guest = Guest(browser)
    guest.holds(width, 900, dark=dark)
    for page, words in (
        ("table?name=table-1", ("Moves", "About this table")),
        (f"match?id={body.match}", ("referee verify", "Save the public record")),
        ("matches", ("Anna wins.",)),
        ("players", ("Anna",)),
        ("player?name=Anna", ("Tellstones",)),
        ("overlay?table=table-2", ("Anna",)),
    ):
        browser.get(f"{club.hall.address()}{page}{'&' if '?' in page else '?'}lang=en")
        guest.wait(lambda words=words: all(word in guest.find("body").text for word in words), PATIENCE_S)  # type: ignore[misc]
        assert guest.faults() == [], page


@pytest.mark.parametrize(("width", "dark"), [(360, True), (1280, False)])
def test_an_organiser_makes_a_tournament_and_says_how_games_end(
    browser: Chrome, club: Club, width: int, *, dark: bool
) -> None:
    guest = Guest(browser)
    guest.holds(width, 900, dark=dark)
    browser.get(f"{club.hall.organiser()}&lang=en")
    guest.wait(lambda: guest.find("#link").get_attribute("data-state") == "live", PATIENCE_S)
    assert guest.faults() == []
    guest.find("[name=name]").send_keys("Spring")
    for kind in ("swiss", "elimination"):
        Select(guest.find("[name=kind]")).select_by_value(kind)
        assert guest.find("[name=rounds]").is_displayed() == (kind == "swiss")
    guest.find("[name=entrants]").send_keys("Anna")
    until(guest, "Create", lambda: "A tournament has 2 to" in guest.find(".refused").text)
    guest.find("[name=entrants]").send_keys("\nBen\nCleo")
    until(guest, "Create", lambda: guest.find("h1").text == "A tournament")
    until(guest, "Draw", lambda: "Cleo won" in guest.find("main").text)
    assert guest.faults() == []
    until(guest, "Cleo won", lambda: any(each.text == "Draw the next round" for each in guest.all("button")))
    until(guest, "Draw the next round", lambda: "Anna won" in guest.find("main").text)
    until(guest, "Anna won", lambda: "finished: Anna is first" in guest.find("main").text)
    assert guest.faults() == []


def test_hits_that_are_typed_stay_while_a_table_says_a_result_and_enter_says_none(browser: Chrome, club: Club) -> None:
    made = list[str]()

    def drawn(archive: Archive) -> None:
        kept = Tournaments(archive)
        made.append(kept.make(Plan("Spring", Kind.POOLS, ("Anna", "Ben"))))
        kept.take(made[0], draw(kept.get(made[0])))

    club.do(drawn)
    guest = Guest(browser)
    browser.get(f"{club.hall.organiser().replace('tournaments?', 'tournament?')}&id={made[0]}&lang=en")
    guest.wait(lambda: guest.find("#link").get_attribute("data-state") == "live", PATIENCE_S)
    guest.find("[name=points0]").send_keys("5", Keys.ENTER)
    seats = (Seated("a", "Anna", "", False), Seated("b", "Ben", "", False))
    club.do(
        lambda archive: archive.take_glance("table-1", glance(seats=seats, result="Over.", winners=("a",), at=None))
    )
    guest.wait(lambda: "As played at a table: Anna" in guest.find("main").text, PATIENCE_S)
    assert guest.find("[name=points0]").get_property("value") == "5"
    assert "Ben won" in guest.find("main").text


def until(guest: Guest, button: str, done: Callable[[], bool]) -> None:
    """Presses a button, and again as long as its page has not connected, until that is done."""

    def pressed() -> bool:
        try:
            if done():
                return True
            guest.button(button).click()
        except (StopIteration, StaleElementReferenceException, NoSuchElementException):
            pass
        return False

    guest.wait(pressed, PATIENCE_S)
