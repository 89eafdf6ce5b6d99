"""The owner's first run in Chromium, with the programs as they are shipped: from an empty state folder and the code of
the card to the first action that two phones play.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import cv2
import numpy as np
import pytest
from selenium.webdriver import Chrome

from tests.browser.shipped import Shipped
from tests.browser.test_pages import TAKEN_S, Guest
from tests.browser.test_phones import Phones

pytestmark = [pytest.mark.browser, pytest.mark.timeout(280)]
STAGES = ("The table's language", "Sheets to print", "The camera's picture", "Enrol pieces", "Check the table")
FAR_S = 100.0
PICTURES = 30_000
TAPS = 3
HEADING = "return document.querySelector('h1')?.textContent"
LINES = "return [...document.querySelectorAll('.ask .line')].map(({ textContent }) => textContent.trim())"


class Owner:
    """Whoever set the table up, with a phone."""

    def __init__(self, guest: Guest, table: Shipped) -> None:
        self.guest, self.table = guest, table
        guest.holds(390, 844)
        guest.browser.get(table.page("owner"))

    def claims(self, code: str) -> None:
        self.guest.wait(lambda: bool(self.guest.all("#code")), 20)
        time.sleep(0.5)
        field = self.guest.find("#code")
        field.clear()
        field.send_keys(code)
        self.guest.button("Claim").click()

    def does(self, doing: str) -> None:
        self.guest.wait(lambda: self.guest.browser.execute_script(HEADING) == doing, FAR_S)

    def taps(self, line: str) -> None:
        """A line of the step, once it may be tapped; again, if the step became another while the finger came down."""
        self.guest.wait(lambda: line in self.guest.browser.execute_script(LINES), FAR_S)
        for _ in range(TAPS):
            time.sleep(TAKEN_S)
            if self._took(line):
                return
        raise AssertionError(f"{line}: it may be tapped and does nothing")

    def reads_of_idle_work(self, words: str) -> bool:
        return hurried(self.table.folder) and words in self.guest.find("body").text

    def _took(self, line: str) -> bool:
        before = self._reads()
        self.guest.button(line).click()
        with suppress(AssertionError):
            self.guest.wait(lambda: self._reads() != before, 5)
            return True
        return False

    def _reads(self) -> tuple[str, list[str]]:
        return self.guest.browser.execute_script(HEADING), self.guest.browser.execute_script(LINES)

    def is_well(self) -> None:
        """Nothing is wrong with the page, in light and in dark, on a narrow phone and on a usual one."""
        for width, dark in ((360, True), (390, False)):
            self.guest.holds(width, 800, dark=dark)
            time.sleep(TAKEN_S)
            assert self.guest.faults() == []


def hurried(folder: Path) -> bool:
    """What the table runs idly, as it draws sheets, gets its share: on a busy machine it would get nothing. True."""
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if (
                str(folder).encode() in (process / "cmdline").read_bytes()
                and os.sched_getscheduler(int(process.name)) == os.SCHED_IDLE
            ):
                os.sched_setscheduler(int(process.name), os.SCHED_OTHER, os.sched_param(0))
    return True


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Shipped]:
    """With a camera that sees a grey cloth, and no mat. A folder does not wait, so it holds more than anybody reads;
    each picture is another than the one before, since a camera that sends the same one is taken for frozen."""
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    cloths = [pictures / f"{number:05}.jpg" for number in range(2)]
    for cloth, grey in zip(cloths, (126, 130), strict=True):
        cv2.imwrite(str(cloth), np.full((720, 1280, 3), grey, np.uint8))
    for number in range(2, PICTURES):
        (pictures / f"{number:05}.jpg").hardlink_to(cloths[number % 2])
    with Shipped(tmp_path, camera=f'source = "file"\npath = "{pictures}"') as running:
        yield running


def test_from_an_empty_state_folder_to_the_first_action(browser: Chrome, table: Shipped) -> None:
    owner = Owner(Guest(browser), table)
    owner.claims("not-the-code")
    owner.guest.reads("That is not the code of this table.")
    owner.is_well()
    owner.claims((table.folder / "state" / "claim-code").read_text().strip().lower())
    owner.does(STAGES[0])
    owner.is_well()
    owner.taps("English")
    owner.does(STAGES[1])
    owner.taps("A4 paper")
    owner.taps("Tellstones")
    owner.guest.wait(lambda: hurried(table.folder) and bool(owner.guest.all("a.taking")), FAR_S)
    owner.is_well()
    owner.taps("Continue")
    owner.taps("Back")
    owner.taps("Continue")
    owner.does(STAGES[2])
    owner.guest.wait(lambda: bool(owner.guest.all("img.sight")), FAR_S)
    owner.guest.reads("The mat is not found.")
    owner.is_well()
    browser.refresh()
    owner.does(STAGES[2])
    owner.taps("Continue")
    for doing in STAGES[3:]:
        owner.does(doing)
        owner.is_well()
        owner.taps("Continue")
    owner.does("The first game")
    owner.is_well()
    assert owner.guest.find(".way a").get_attribute("href") == table.page("table")
    owner.taps("Continue")
    owner.does("Table settings")
    owner.taps("Settings")
    owner.does("Settings")
    owner.is_well()
    owner.taps("The table's name: none yet")
    owner.taps("A B C D E")
    owner.taps("D")
    owner.is_well()
    owner.taps("Done")
    owner.guest.reads("The table's name: D")
    phones = Phones(Guest(browser), table)
    phones.begin("Tellstones")
    _plays(phones)


def _plays(phones: Phones) -> None:
    """Taps until the table tells of an action."""
    dice = random.Random(1)
    for turn in range(40):
        phones.turn_to("ab"[turn % 2])
        _, _, lines = phones.seen()
        if lines:
            phones.tap("Start anyway" if "Start anyway" in lines else dice.choice(lines))
        phones.turn_to("table")
        if phones.guest.all(".told li"):
            return
    raise AssertionError("no action is told")
