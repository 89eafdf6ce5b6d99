"""What a page says where it cannot do its work: its program does not run, or the table refuses it."""

from __future__ import annotations

import re
import socketserver
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socket import SHUT_WR, create_connection, socket
from urllib.parse import urlsplit

import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By
from selenium.webdriver.support.wait import WebDriverWait

from device.locale import LANGUAGES, translate
from device.web.words import INSTEAD
from referee_phones.app import files, own
from referee_phones.content import SENTENCES
from tests.browser.conftest import Evenings

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]
SAID_S = 30.0

OLD = "a ?.# b;"
"""A program that no browser reads, as one of 2019 did not read `a?.b`."""


@contextmanager
def served(folder: Path, **changed: str) -> Iterator[str]:
    """The web app's files without a table, some of them exchanged."""
    for name, content in {**files(), **own("table", "en")}.items():
        path = folder / (name.strip("/") or "index.html")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.body)
    for name, text in changed.items():
        (folder / f"{name}.js").write_text(text, encoding="utf-8")

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()


def awaited(browser: Chrome, found: Callable[[Chrome], bool]) -> None:
    WebDriverWait(browser, SAID_S, 0.2).until(found)


def seen(browser: Chrome) -> str:
    """What is to be read on the page."""
    return browser.find_element(By.TAG_NAME, "body").text


def test_a_browser_that_cannot_read_the_program_shows_a_sentence_in_every_language(
    browser: Chrome, tmp_path: Path
) -> None:
    with served(tmp_path, app=OLD) as address:
        browser.get(address)
        awaited(browser, lambda page: seen(page) != "")
        for language in LANGUAGES:
            assert translate(INSTEAD, language) in seen(browser)


def test_so_does_one_without_javascript(browser: Chrome, tmp_path: Path) -> None:
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    with served(tmp_path) as address:
        browser.get(address)
        for language in LANGUAGES:
            assert translate(INSTEAD, language) in seen(browser)


def test_where_the_program_runs_the_sentence_is_gone(browser: Chrome, table: Evenings) -> None:
    browser.get(table.page)
    awaited(browser, lambda page: page.find_elements(By.CSS_SELECTOR, ".page") != [])
    assert browser.find_elements(By.ID, "instead") == []
    assert "JavaScript" not in seen(browser)


COUNTED = """
window.kept = [];
navigator.wakeLock.request = (what) => { kept.push(what); return Promise.reject(new DOMException("low battery")); };
"""


def test_the_table_s_page_keeps_its_screen_on_and_asks_again_when_it_is_seen_again(
    browser: Chrome, table: Evenings
) -> None:
    browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": COUNTED})
    browser.get(table.page)
    awaited(browser, lambda page: page.execute_script("return kept") == ["screen"])
    browser.execute_script("document.dispatchEvent(new Event('visibilitychange'))")
    assert browser.execute_script("return kept") == ["screen", "screen"]
    browser.get(table.seats["a"])
    awaited(browser, lambda page: page.find_elements(By.CSS_SELECTOR, ".page") != [])
    assert browser.execute_script("return kept") == [], "a seat's phone is its player's to keep awake"


class Proxy(socketserver.ThreadingTCPServer):
    """Stands before a page and says another Host than the browser did; without sockets: and passes on no WebSocket."""

    daemon_threads = allow_reuse_address = True

    def __init__(self, before: str, sockets: bool) -> None:
        super().__init__(("127.0.0.1", 0), Passing)
        self.port = urlsplit(before).port
        self.sockets = sockets


class Passing(socketserver.BaseRequestHandler):
    server: Proxy

    def handle(self) -> None:
        with create_connection(("127.0.0.1", self.server.port or 0)) as table:
            threading.Thread(target=self._pass, args=(table, self.request), daemon=True).start()
            with suppress(OSError):
                while data := self.request.recv(65536):
                    table.sendall(self._changed(data))

    def _changed(self, data: bytes) -> bytes:
        if self.server.sockets:
            return re.sub(rb"\r\nHost: [^\r]+", b"\r\nHost: localhost:%d" % (self.server.port or 0), data)
        return re.sub(rb"\r\n(?:Upgrade|Connection): [^\r]+", b"", data)

    @staticmethod
    def _pass(one: socket, other: socket) -> None:
        with suppress(OSError):  # the browser is gone
            while data := one.recv(65536):
                other.sendall(data)
            other.shutdown(SHUT_WR)


@pytest.mark.parametrize("sockets", [True, False])
def test_a_page_behind_a_proxy_that_keeps_it_from_the_table_says_why(
    browser: Chrome, table: Evenings, sockets: bool
) -> None:
    with Proxy(table.page, sockets) as proxy:
        threading.Thread(target=proxy.serve_forever, daemon=True).start()
        browser.get(f"http://127.0.0.1:{proxy.server_address[1]}/?lang=en")
        told = translate(SENTENCES["other-page"], "en") if sockets else "A proxy between them must pass on WebSockets."
        awaited(browser, lambda page: told in seen(page))
        proxy.shutdown()
