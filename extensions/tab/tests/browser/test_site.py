"""The site in a real Chromium: a match by touch, the device handed on, and all of it without a network."""

from __future__ import annotations

import base64
import functools
import os
import re
import threading
import time
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from itertools import cycle
from pathlib import Path
from random import Random
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support.select import Select

from device.locale import LANGUAGES
from device.session.aim import READING_S
from extensions.tab.tests import playing
from extensions.tab.tests.forging import forged
from extensions.tab.tests.test_records import KEPT, has_signed, public_of, sign, verified
from tests.browser.conftest import chromium
from tools import random_records
from tools.browser_python import Unfetched
from tools.tab import build, weight
from tools.tab_records import GAMES, compare
from tools.tampering import KINDS, Kind

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
        if os.environ.get("CI"):
            raise
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
    return [text for text in told if not re.search(r"/rules/\w+/runes\.json", text)]


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


def test_a_browser_offers_to_install_it(page: webdriver.Chrome, host: ThreadingHTTPServer) -> None:
    page.get(f"http://127.0.0.1:{host.server_port}/")
    found = page.execute_cdp_cmd("Page.getAppManifest", {})
    assert found["url"].endswith("/manifest.webmanifest")
    assert not found["errors"]
    until(page, "return navigator.serviceWorker.controller !== null")
    wrong = page.execute_cdp_cmd("Page.getInstallabilityErrors", {})["installabilityErrors"]
    assert [each["errorId"] for each in wrong if each["errorId"] != "in-incognito"] == []


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


def test_random_matches_have_the_same_records_in_both_pythons(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert compare(folder, 40, seed=20261201).differ == ()
    monkeypatch.setattr(random_records, "MOST_ACTIONS", 3)
    found = compare(folder, 4, seed=20261201)
    assert [game for game, _ in found.differ] == list(GAMES), "a record that is not the same is named"


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


LEAVES = """
    new MutationObserver((_, watching) => {
      if (!document.querySelector(".curtain")) return;
      watching.disconnect();
      document.querySelector(".bar button").click();
    }).observe(document.body, { childList: true, subtree: true });"""


def test_a_move_is_kept_when_the_games_are_opened_at_once(page: webdriver.Chrome, host: ThreadingHTTPServer) -> None:
    page.get(f"http://127.0.0.1:{host.server_port}/")
    choose(page, "Tellstones", "2 players")
    first = until(page, "return document.querySelector('.which [aria-pressed=true]')?.innerText")
    until(page, MOVE, "to the right end")
    time.sleep(READING_S + 0.2)
    page.execute_script(LEAVES)
    page.execute_script(MOVE, "to the right end")
    until(page, OPENS)
    until(page, COVERED, f"Hand the device to {({'A': 'B', 'B': 'A'})[first]}.")
    assert faults(page) == []


def test_a_new_version_deletes_only_what_the_site_kept_itself(
    page: webdriver.Chrome, host: ThreadingHTTPServer
) -> None:
    others, old = {"another program", "table-referee:/copy/:1"}, "table-referee:/:1"
    page.get(f"http://127.0.0.1:{host.server_port}/site.css")
    page.execute_script("arguments[0].forEach((name) => caches.open(name))", [*others, old])
    page.get(f"http://127.0.0.1:{host.server_port}/")
    until(page, "return caches.keys().then((names) => !names.includes(arguments[0]))", old)
    assert others < set(page.execute_script("return caches.keys()"))


def verify(page: webdriver.Chrome, file: Path, notes: str = "") -> str:
    """Return what the page says of a file."""
    page.find_element(By.ID, "file").send_keys(str(file))
    page.execute_script("document.getElementById('notes').value = arguments[0]", notes)
    page.find_element(By.CSS_SELECTOR, "#ask button").click()
    until(page, "return document.querySelector('#finding h2') !== null")
    return page.find_element(By.ID, "finding").text


READY = "return location.pathname === '/verify/en/' && document.getElementById('instead') === null"
"""The page checks files: its first start, too, has fetched all that it needs."""


def test_files_of_matches_are_verified_without_a_network(
    page: webdriver.Chrome, host: ThreadingHTTPServer, tmp_path: Path
) -> None:
    page.get(f"http://127.0.0.1:{host.server_port}/verify/")
    until(page, "return navigator.serviceWorker.ready.then(() => caches.match('/records.bin')).then(Boolean)")
    until(page, READY)
    host.shutdown()
    host.server_close()

    page.get(f"http://127.0.0.1:{host.server_port}/verify/")
    until(page, READY)
    good = KEPT / "tellstones-3.signed.gz"
    found = verified(good.read_bytes())
    said = verify(page, good)
    for sentence in (found["said"], *found["unchecked"], *found["noteworthy"], found["key"]):
        assert sentence in said
    data, notes = forged(Kind.DRAW)
    (tmp_path / "match").write_bytes(data)
    found = verified(data, notes, "ru")
    Select(page.find_element(By.ID, "language")).select_by_value("ru")
    until(page, "return location.pathname === '/verify/ru/' && document.getElementById('instead') === null")
    said = verify(page, tmp_path / "match", notes)
    for sentence in (found["said"], f"{found['place']} {found['wrong']['why']}", *found["noteworthy"]):
        assert sentence in said
    assert said.startswith("Файл отвергнут")
    assert faults(page) == []


PRESS = """
    const doc = document.querySelector("iframe").contentDocument;
    const way = [...doc.querySelectorAll("button")].find(
      (each) => each.textContent.trim() === arguments[0] || each.getAttribute("aria-label") === arguments[0]);
    way?.click();
    return Boolean(way);"""
DOWNLOADS = """
    const { prototype } = document.querySelector("iframe").contentWindow.HTMLAnchorElement;
    prototype.click = function () {
      window.name_ = this.download;
      fetch(this.href).then((answer) => answer.text()).then((text) => (window.file_ = text));
    };"""


def test_a_match_played_in_the_browser_is_signed_there(
    page: webdriver.Chrome, host: ThreadingHTTPServer, tmp_path: Path
) -> None:
    page.get(f"http://127.0.0.1:{host.server_port}/")
    choose(page, "Tellstones", "2 players")
    first = until(page, "return document.querySelector('.which [aria-pressed=true]')?.innerText")
    until(page, SHOWN, "Your turn.")
    until(page, SHOWN, "write down head 0: ")
    for line in ("Menu", "Resign", f"{first} resigns"):
        until(page, PRESS, line)
        time.sleep(READING_S + 0.2)
    until(page, SHOWN, "Save the signed record")
    page.execute_script(DOWNLOADS)
    until(page, PRESS, "Save the signed record")
    data = until(page, "return window.file_").encode()
    assert page.execute_script("return window.name_").endswith(".signed")
    assert verified(data)["result"] == "consistent"
    (tmp_path / "match").write_bytes(data)
    until(page, "document.querySelector('.bar button').click(); return true")
    until(page, "const way = document.querySelector('a[href^=verify]'); way?.click(); return Boolean(way)")
    until(page, "return document.getElementById('ask') && document.getElementById('instead') === null")
    assert verify(page, tmp_path / "match").startswith("Consistent, but not verified")
    assert faults(page) == []


CHECK = """
    const [cases, done] = arguments;
    (async () => {
      const [{ start }, { records }] = await Promise.all([import("/python.js"), import("/records.js")]);
      const { verify } = await records(await start(() => {}));
      const bytes = (file) => Uint8Array.from(atob(file), (each) => each.charCodeAt(0));
      done(cases.map(([file, ...more]) => JSON.parse(verify(bytes(file), ...more))));
    })().catch((error) => done(String(error)));"""


def test_every_forgery_is_found_in_a_browser_as_on_a_computer(
    page: webdriver.Chrome, host: ThreadingHTTPServer
) -> None:
    cases = [(*forged(kind), language) for kind, language in zip(KINDS, cycle(LANGUAGES), strict=False)]
    page.get(f"http://127.0.0.1:{host.server_port}/")
    page.set_script_timeout(3 * PATIENCE_S)
    sent = [(base64.b64encode(data).decode(), *more) for data, *more in cases]
    assert page.execute_async_script(CHECK, sent) == [verified(*case) for case in cases]


SIGNATURES = """
    const [seed, message, checks, done] = arguments;
    import("/ed25519.js").then(({ hasSigned, publicOf, sign }) => {
      done([publicOf(seed), sign(seed, message), checks.map((each) => hasSigned(...each))]);
    }).catch((error) => done(String(error)));"""


def test_the_pages_signatures_are_those_of_openssl(page: webdriver.Chrome, host: ThreadingHTTPServer) -> None:
    rng = Random("signatures")
    seed, message = rng.randbytes(32), rng.randbytes(40)
    key = Ed25519PrivateKey.from_private_bytes(seed)
    good = (key.public_key().public_bytes_raw(), message, key.sign(message))
    checks = [good]
    for _ in range(200):
        changed = [bytearray(each) for each in good]
        part = rng.choice(changed)
        part[rng.randrange(len(part))] ^= 1 << rng.randrange(8)
        changed[2][-1] &= 0x0F  # what is larger is not even shown to the page
        checks.append((bytes(changed[0]), bytes(changed[1]), bytes(changed[2])))
    given = [[part.hex() for part in each] for each in checks]
    page.get(f"http://127.0.0.1:{host.server_port}/")
    found = page.execute_async_script(SIGNATURES, seed.hex(), message.hex(), given)
    assert found == [public_of(seed.hex()), sign(seed.hex(), message.hex()), [has_signed(*each) for each in given]]
    assert found[2].count(True) == checks.count(good)
