"""The site in a real Chromium: a match by touch, the device handed on, and all of it without a network."""

from __future__ import annotations

import functools
import threading
import time
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver

from device.session.aim import READING_S
from extensions.tab.tests import playing
from tests.browser.conftest import chromium
from tools.browser_python import Unfetched
from tools.tab import build, weight

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]
PATIENCE_S = 60.0
MOST_BYTES = 9_000_000


class Handler(SimpleHTTPRequestHandler):
    """Any web host."""

    extensions_map: dict[str, str] = SimpleHTTPRequestHandler.extensions_map | {
        ".mjs": "text/javascript",
        ".wasm": "application/wasm",
    }

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("site")
    try:
        found = build(path)
    except Unfetched as error:
        pytest.skip(str(error))
    assert weight(found).gzip <= MOST_BYTES
    return path


@pytest.fixture
def host(folder: Path) -> Iterator[ThreadingHTTPServer]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def page() -> Iterator[webdriver.Chrome]:
    driver = chromium()
    driver.set_window_size(420, 860)
    yield driver
    driver.quit()


def until(page: webdriver.Chrome, script: str, *words: Any) -> Any:
    """Return the script's result once it is true."""
    end = time.monotonic() + PATIENCE_S
    while not (found := page.execute_script(script, *words)):
        assert time.monotonic() < end, f"{script}\n{page.execute_script('return document.body.innerText')}"
        time.sleep(0.05)
    return found


def choose(page: webdriver.Chrome, game: str, players: str) -> None:
    script = """
        const box = [...document.querySelectorAll(".games li")].find((each) => each.innerText.includes(arguments[0]));
        const way = box && [...box.querySelectorAll("button")].find((each) => each.innerText === arguments[1]);
        way?.click();
        return Boolean(way);"""
    until(page, script, game, players)


MOVE = """
    const doc = document.querySelector("iframe")?.contentDocument;
    const way = doc && [...doc.querySelectorAll("button")].find((each) => each.innerText.trim().endsWith(arguments[0]));
    way?.click();
    return Boolean(way);"""
SHOWN = """
    const doc = document.querySelector("iframe")?.contentDocument;
    return doc?.body?.innerText.includes(arguments[0]);"""
BEHIND = "return document.querySelector('iframe').contentDocument.body?.innerText ?? ''"
COVERED = "return document.querySelector('.curtain')?.innerText.includes(arguments[0])"
UNCOVER = "const way = document.querySelector('.curtain button'); way?.click(); return Boolean(way);"
OPENS = "const way = document.querySelector('.go-on button'); way?.click(); return Boolean(way);"


def move(page: webdriver.Chrome, text: str, name: str) -> None:
    """Touch a line of the list, once it has stood there long enough to be read; then the device goes to `name`."""
    until(page, MOVE, text)
    time.sleep(READING_S + 0.2)
    page.execute_script(MOVE, text)
    until(page, COVERED, f"Hand the device to {name}.")


def faults(page: webdriver.Chrome) -> list[str]:
    """Return what the console calls an error, but for rules that are not passed on."""
    told = [entry["message"] for entry in page.get_log("browser") if entry["level"] == "SEVERE"]
    return [text for text in told if "/rules/runes.json" not in text]


def test_two_players_hand_the_device_on_and_the_match_goes_on_without_a_network(
    page: webdriver.Chrome, host: ThreadingHTTPServer
) -> None:
    address = f"http://127.0.0.1:{host.server_port}/"
    page.get(address)
    until(page, "return navigator.serviceWorker.controller !== null || document.querySelector('.games') !== null")
    choose(page, "Tellstones", "2 players")
    first = until(page, "return document.querySelector('.which [aria-pressed=true]')?.innerText")
    other = {"A": "B", "B": "A"}[first]
    move(page, "to the right end", other)
    assert "Your turn." not in page.execute_script(BEHIND), "a seat's page gets nothing behind the curtain"
    assert not page.execute_script("return document.querySelector('iframe').contentDocument.querySelector('.board')")
    until(page, UNCOVER)
    until(page, SHOWN, "Your turn.")
    until(page, "return navigator.serviceWorker.ready.then(() => caches.keys()).then((names) => names.length > 0)")
    time.sleep(1)  # the journal goes to the browser's storage soon after a move
    host.shutdown()
    host.server_close()

    page.get(address)
    until(page, OPENS)
    until(page, COVERED, f"Hand the device to {other}.")  # whoever opens it again may be another player
    until(page, UNCOVER)
    until(page, SHOWN, "Your turn.")
    move(page, "to the left end", first)
    assert faults(page) == []


def test_a_newcomer_learns_against_the_computer(page: webdriver.Chrome, host: ThreadingHTTPServer) -> None:
    page.get(f"http://127.0.0.1:{host.server_port}/")
    choose(page, "Tellstones", "Learn to play")
    until(page, MOVE, "Next")
    until(page, SHOWN, "Your turn.")
    time.sleep(READING_S + 0.2)
    until(page, MOVE, "to the right end")
    until(page, SHOWN, "3 of 8")
    until(page, SHOWN, "B puts")
    until(page, SHOWN, "Your turn.")
    assert not page.execute_script("return document.querySelector('.curtain')"), "nobody takes the device over"
    assert faults(page) == []


PYTHON = """
    const [text, matches, done] = arguments;
    (async () => {
      const { start } = await import("/python.js");
      const python = await start(() => {});
      python.runPython(text);
      const record = python.globals.get("record");
      done(matches.map((match) => record(...match)));
    })().catch((error) => done(String(error)));"""


def test_a_browser_keeps_the_same_records_as_a_table(page: webdriver.Chrome, host: ThreadingHTTPServer) -> None:
    matches = [("tellstones", 2, 5), ("planetx", 2, 5), ("fence", 2, 5), ("runes", 3, 5)]
    page.get(f"http://127.0.0.1:{host.server_port}/")
    page.set_script_timeout(3 * PATIENCE_S)
    found = page.execute_async_script(PYTHON, Path(playing.__file__).read_text(encoding="utf-8"), matches)
    assert found == [playing.record(*match) for match in matches]


@pytest.mark.parametrize(
    ("game", "players"),
    [("The Search for Planet X", "2 players"), ("Ready... Fence!", "2 players"), ("Dueling Runes", "3 players")],
)
def test_the_other_games_begin_in_it(
    page: webdriver.Chrome, host: ThreadingHTTPServer, game: str, players: str
) -> None:
    page.get(f"http://127.0.0.1:{host.server_port}/")
    choose(page, game, players)
    until(page, SHOWN, "Your turn.")
    assert len(page.execute_script("return [...document.querySelectorAll('.which button')]")) == int(players[0])
    assert faults(page) == []
