"""A seat's page at a virtual table, on the narrowest phone: its menu, and the cards that it holds."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from selenium.webdriver import ActionChains, Chrome, Keys

from device.lessons import LessonCard
from device.locale import LANGUAGES, translate
from engine.entry import Resign
from engine.text import Text
from referee_phones.app import cards_of
from tests.browser.conftest import Evenings
from tests.browser.test_pages import JUMPS, Guest, settle

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]
IN_SIGHT = """
const box = document.getElementById("asks").getBoundingClientRect();
return box.top >= 0 && box.bottom <= innerHeight;
"""
BEHIND = {"Resign": "A resigns", "Correct the referee": "Stone", "By phone": "Another phone"}
"""What is asked on, on the page behind the menu."""


BROKEN = """
const [title] = arguments;
const caption = document.querySelector(".your-card > span");
caption.textContent = title;
const text = caption.firstChild;
const lines = (start, end) => {
  const range = document.createRange();
  range.setStart(text, start);
  range.setEnd(text, end);
  return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
};
const words = [...title.matchAll(/\\S+/g)].filter(({ 0: word, index }) => lines(index, index + word.length) > 1);
const outside = caption.scrollWidth > caption.clientWidth ? [title] : [];
return [...words.map(([word]) => word), ...outside];
"""
"""Words of a card's caption that do not stand on one line."""

WIDTH = """
const caption = document.querySelector(".your-card > span");
caption.textContent = arguments[0];
const range = document.createRange();
range.selectNodeContents(caption);
return range.getBoundingClientRect().width;
"""


class Player(Guest):
    """Seat A's page."""

    def __init__(self, browser: Chrome, table: Evenings) -> None:
        super().__init__(browser)
        self.holds(360, 740)
        browser.get(table.seats["a"])
        browser.execute_script("localStorage.setItem('named', 'true')")
        self.wait(lambda: bool(self.all(".status")), 30)

    def choose(self, line: str) -> None:
        """A line of the menu, as a finger finds it there."""
        self.browser.execute_script("window.scrollTo(0, document.body.scrollHeight)")
        self.button("Menu").click()
        self.wait(lambda: any(each.text == line for each in self.all("dialog .line")))
        settle()
        self.button(line).click()

    def sees_it_done(self, *words: str) -> None:
        self.wait(lambda: not self.all("dialog"))
        self.reads(*words)


def test_the_menu_closes_over_what_each_of_its_lines_asks_on(browser: Chrome, table: Evenings) -> None:
    player = Player(browser, table)
    table.begin({})
    player.wait(lambda: "turn" in player.find(".status").text, 20)
    for line in (*BEHIND, "Resign"):
        player.choose(line)
        player.sees_it_done(BEHIND[line])
        assert browser.execute_script(IN_SIGHT), f"what {line!r} asks is not in sight"
    assert player.faults() == []
    player.choose("Resign")
    player.sees_it_done("A resigns")
    settle()
    player.button("No").click()
    player.wait(lambda: "A resigns" not in player.find(".ask").text)
    player.choose("Pause")
    player.sees_it_done("Continue")


def test_a_seat_resigns_in_its_menu(browser: Chrome, table: Evenings) -> None:
    player = Player(browser, table)
    table.begin({})
    player.wait(lambda: "turn" in player.find(".status").text, 20)
    player.choose("Resign")
    player.sees_it_done("A resigns")
    settle()
    next(each for each in player.all(".ask .line") if "resigns" in each.text).click()
    player.wait(lambda: isinstance(table.live.players.entries()[-1], Resign))


def test_a_hand_is_seen_beside_the_question_whether_to_keep_it(
    browser: Chrome, evening: Callable[..., Evenings]
) -> None:
    table = evening("fence")
    player = Player(browser, table)
    table.begin({})
    player.wait(lambda: "Keep your hand" in player.find("#asks").text and len(player.all(".your-card")) == 6, 20)
    fold = browser.execute_script(JUMPS)
    assert all(card.rect["y"] + card.rect["height"] <= fold for card in player.all(".your-card"))
    assert player.faults() == []


def test_no_word_below_a_card_is_broken(browser: Chrome, evening: Callable[..., Evenings]) -> None:
    player = Player(browser, evening("runes"))
    player.holds(600, 960)
    player.wait(lambda: len(player.all(".your-card")) == 5, 20)
    spaced = [language for language in LANGUAGES if not language.startswith("zh")]
    titles = {translate(Text(card.title), each) for card in cards_of("decktet").values() for each in spaced}
    for title in sorted(titles, key=len):
        assert browser.execute_script(BROKEN, title) == [], title
    assert player.faults() == []


def test_a_card_is_called_below_it_as_it_is_printed_on_it(browser: Chrome, evening: Callable[..., Evenings]) -> None:
    player = Player(browser, evening("runes"))
    player.holds(600, 960)
    player.wait(lambda: len(player.all(".your-card")) == 5, 20)
    printed, called = (browser.execute_script(WIDTH, word) for word in ("Туз Волн", "туз Волн"))
    assert called == printed


COVERED = """
const height = (selector) => document.querySelector(selector).getBoundingClientRect().height;
return height(".peeked .cover") / height(".peeked svg");
"""
"""The part of the piece that its cover hides."""


TOUCHED = """
const { left, top, width, height } = document.querySelector(".peeked").getBoundingClientRect();
return document.elementFromPoint(left + width / 2, top + height / 2)?.closest(".peeked");
"""
"""What a finger on the middle of the peeked piece meets, if it is the piece."""


@pytest.mark.parametrize("by", ["finger", "key"])
def test_a_stone_that_was_peeked_at_is_seen_as_long_as_it_is_held(browser: Chrome, table: Evenings, by: str) -> None:
    player, stage = Player(browser, table), table.live.stage
    table.begin({})
    stage.looked = {"a": tuple(body for body in stage.truth().bodies if body.kind == "crown")}
    player.wait(lambda: bool(player.all(".peeked")))

    def hold(*, down: bool) -> None:
        if by == "key":
            keys = ActionChains(browser)
            (keys.key_down(Keys.SPACE) if down else keys.key_up(Keys.SPACE)).perform()
        else:
            box = browser.execute_script("return arguments[0].getBoundingClientRect()", player.find(".peeked"))
            points = [{"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}] if down else []
            name = "touchStart" if down else "touchEnd"
            browser.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": name, "touchPoints": points})

    for place in ("0", "document.body.scrollHeight"):  # it is over the page, wherever that was asked for
        browser.execute_script(f"window.scrollTo(0, {place})")
        player.wait(lambda: bool(browser.execute_script(TOUCHED)))
    browser.execute_script("arguments[0].focus()", player.find(".peeked"))
    assert player.find(".peeked").text == "Hold to look"
    hold(down=True)
    player.wait(lambda: player.find(".peeked").text == "Crown" and browser.execute_script(COVERED) < 0.2)
    assert player.faults() == []
    hold(down=False)
    player.wait(lambda: player.find(".peeked").text == "Hold to look" and browser.execute_script(COVERED) > 0.8)
    player.button("Close").click()
    player.wait(lambda: not player.all(".curtain"))
    assert player.find(".peeked").text == "Hold to look"  # in its place on the page
    stage.looked = {"a": tuple(body for body in stage.truth().bodies if body.kind in ("crown", "flag"))}
    player.wait(lambda: len(player.all(".curtain .peeked")) == 2)
    assert player.faults() == []


def test_what_was_peeked_at_makes_way_for_the_next_step_of_a_lesson(browser: Chrome, table: Evenings) -> None:
    player, stage = Player(browser, table), table.live.stage
    steps: list[LessonCard] = [LessonCard(0, 2, ((Text("Peek."), "T29"),), None, None, False, False)]
    teacher: Any = SimpleNamespace(card=lambda _: steps[-1], offers=lambda _: False)
    table.begin({})
    stage.teacher = teacher
    player.wait(lambda: bool(player.all(".lesson")))
    stage.looked = {"a": tuple(body for body in stage.truth().bodies if body.kind == "crown")}
    player.wait(lambda: bool(player.all(".curtain .peeked")))
    steps.append(LessonCard(1, 2, (*steps[0].told, (Text("Place."), "T14")), ((Text("Place"),),), None, False, False))
    player.wait(lambda: bool(player.all(".peeked")) and not player.all(".curtain"))
    assert player.faults() == []


@pytest.mark.parametrize("by", ["list", "place"])
def test_the_card_to_lay_is_picked_above_the_list_in_two_taps(
    browser: Chrome, evening: Callable[..., Evenings], by: str
) -> None:
    table = evening("runes", helped=True)
    player, stage = Player(browser, table), table.live.stage
    player.holds(360, 740)
    table.begin({})
    player.wait(lambda: len(player.all(".your-card")) == 5 and bool(player.all(".touch .lit")), 20)
    fold = browser.execute_script(JUMPS)
    assert all(card.rect["y"] + card.rect["height"] <= fold for card in player.all(".your-card"))
    assert player.find(".your-cards").rect["y"] < player.find(".choices").rect["y"]
    assert player.faults() == []
    thing = player.find(".touch .lit") if by == "place" else player.button("Lay a card")
    browser.execute_script("arguments[0].scrollIntoView({ block: 'center' })", thing)
    settle()
    thing.click()
    player.wait(lambda: bool(player.all(".asked")), 20)
    player.reads("Tap the card to lay face down.")
    assert player.faults() == []
    card = stage.hands()["a"][2]
    player.all(".asked .your-card")[2].click()
    player.wait(lambda: len(player.all(".your-card")) == 4 and not player.all(".asked"), 20)
    assert card.kind not in [each.kind for each in stage.hands()["a"]]
