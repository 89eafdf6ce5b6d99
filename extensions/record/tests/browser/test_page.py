"""The page of `referee verify --page` in Chromium: a match's file is chosen, and read is whether it was played by the
rules."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.support.select import Select

from device.journal import About
from extensions.record.tests.test_verify import SECRET, about_of, exported
from referee_record.public_entries import heads
from referee_record.signed_record import read
from tests.browser.test_pages import Guest

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]


@pytest.fixture
def address() -> Iterator[str]:
    """Of the page, as the command prints it."""
    words = [sys.executable, "-c", "from device.cli import main; main()", "verify", "--page", "--port", "0"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as serving:
        assert serving.stdout is not None
        yield serving.stdout.readline().strip()
        serving.terminate()
        assert serving.wait(30) == 0


@pytest.mark.parametrize(("width", "dark"), [(390, False), (360, True)])
def test_whoever_lost_chooses_the_file_and_reads_what_was_found(
    browser: Chrome, address: str, tmp_path: Path, width: int, *, dark: bool
) -> None:
    file = exported(tmp_path, "runes", about_of("runes", About(secret=SECRET)), "--reveal")
    own, guest = tuple(heads(read(file.read_bytes()).links)), Guest(browser)
    guest.holds(width, 844, dark=dark)
    browser.get(address)
    guest.wait(lambda: guest.find("#link").get_attribute("data-state") == "live")
    guest.button("Check it").click()
    guest.reads("Not checked: choose a file first.")
    guest.find("#file").send_keys(str(file))
    guest.find("#notes").send_keys(f"{own[0].n} {own[0].short}\n{own[-1].n} {own[-1].short}")
    guest.button("Check it").click()
    guest.wait(lambda: "Verified: every entry follows" in guest.find("#finding").text, 60)
    guest.reads("Dueling Runes, played with version", own[-1].short)
    assert guest.faults() == []
    Select(guest.find("#language")).select_by_value("ru")
    guest.wait(lambda: "Играли по правилам?" in guest.find("h1").text)
