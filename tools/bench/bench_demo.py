"""How soon the demo plays, and a newcomer in it: `python -m tools.bench.bench_demo [--json]`.

The table of `make demo` in Chromium. The newcomer presses *Play*, takes every seat on this screen, then touches only
what is lit, and the first button of a question. Nothing is read.

opened_s: from the page's opening to the first action that the referee accepts; aim: at most 10
moves_s: from *Play* to the newcomer's fifth legal move; aim: at most 60

Exits with 1 if a figure misses its aim.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.common.by import By

from engine.entry import Act
from referee_simulator.command import live_plan
from referee_simulator.options import Page, Table
from tests.browser.conftest import Evenings, chromium

OPENED_S, MOVES_S = 10.0, 60.0
"""Aims, in seconds."""

MOVES = 5
PATIENCE_S = 180.0
LOOK_S = 0.1
PLAY, HERE = ".invite > button", ".seating button.way"
TOUCHED = ((".meant .line", 99), (".touch .lit", 99), (".ask .line", 3))
"""Things that are touched, in this order, if there are at most so many. Longer lists would have to be read."""


def newcomer(browser: webdriver.Chrome) -> None:
    """Touch one lit thing, or the first button of a question, in the first seat that has any."""
    for frame in browser.find_elements(By.TAG_NAME, "iframe"):
        browser.switch_to.frame(frame)
        try:
            for selector, most in TOUCHED:
                if 0 < len(found := browser.find_elements(By.CSS_SELECTOR, selector)) <= most:
                    browser.execute_script("arguments[0].scrollIntoView({ block: 'center' })", found[0])
                    found[0].click()
                    return
        except WebDriverException:
            pass  # it went, or something came to lie over it, while the finger came down
        finally:
            browser.switch_to.default_content()


def measure(browser: webdriver.Chrome, folder: Path) -> dict[str, float]:
    """Return the figures."""
    with Evenings(live_plan(Table(game="tellstones"), Page(port=0)), folder) as evening:

        def moves() -> int:
            return sum(isinstance(entry, Act) for entry in evening.live.players.entries())

        before, opened = moves(), time.monotonic()
        browser.get(evening.page)
        until(lambda: moves() > before)
        acted = time.monotonic() - opened
        until(lambda: bool(browser.find_elements(By.CSS_SELECTOR, PLAY)))
        browser.find_element(By.CSS_SELECTOR, PLAY).click()
        played = time.monotonic()
        browser.find_element(By.CSS_SELECTOR, HERE).click()
        until(lambda: moves() == 0)  # the demo's own match has ended
        until(lambda: moves() == 0)

        def fifth() -> bool:
            newcomer(browser)
            return moves() >= MOVES

        until(fifth)
        return {"opened_s": round(acted, 1), "moves_s": round(time.monotonic() - played, 1)}


def until(done: Callable[[], bool]) -> None:
    """Wait. Raises TimeoutError."""
    last = time.monotonic() + PATIENCE_S
    while not done():
        if time.monotonic() > last:
            raise TimeoutError
        time.sleep(LOOK_S)


def main() -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="as JSON")
    as_json = parser.parse_args().json
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        figures = measure(browser, Path(folder))
    if as_json:
        print(json.dumps(figures))
    else:
        print(
            f"first refereed action {figures['opened_s']} s after the page was opened (at most {OPENED_S}), "
            f"{MOVES} legal moves {figures['moves_s']} s after Play (at most {MOVES_S})"
        )
    return int(figures["opened_s"] > OPENED_S or figures["moves_s"] > MOVES_S)


if __name__ == "__main__":
    sys.exit(main())
