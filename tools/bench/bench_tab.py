"""How soon a visitor of the site can act: `python -m tools.bench.bench_tab [--json]`.

In Chromium, from this machine, with the page's processor throttled 4 times (a worker's is not):

first_s: from the opening of the site to the first action that the referee took, with nothing in the browser's cache;
    aim: at most 10
again_s: from the next opening, without a network, until the match that was left can go on; aim: at most 3
gzip_mb: what a first visit fetches before a match, by gzip, in MB; aim: at most 9

Exits with 1 if a figure misses its aim.
"""

from __future__ import annotations

import argparse
import functools
import json
import sys
import tempfile
import threading
import time
from http.server import ThreadingHTTPServer
from pathlib import Path

from selenium import webdriver

from extensions.tab.tests.browser.test_site import COVERED, MOVE, OPENS, SHOWN, UNCOVER, Handler, choose, until
from tests.browser.conftest import chromium
from tools.tab import build, weight

THROTTLED = 4
FIRST_S, AGAIN_S, GZIP_MB = 10.0, 3.0, 9.0
"""Aims."""

TRY_S = 0.1
"""Seconds between touches of a player who cannot wait."""


def measure() -> dict[str, float]:
    """Return the figures by name. Raises AssertionError if the site does not get so far."""
    with tempfile.TemporaryDirectory() as folder:
        found = build(Path(folder))
        server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=folder))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        page = chromium()
        try:
            address = f"http://127.0.0.1:{server.server_port}/"
            page.execute_cdp_cmd("Emulation.setCPUThrottlingRate", {"rate": THROTTLED})
            first = _first(page, address)
            until(page, "return navigator.serviceWorker.ready.then(() => true)")
            time.sleep(1)  # the journal goes to the browser's storage soon after a move
            server.shutdown()
            server.server_close()
            again = _again(page, address)
        finally:
            page.quit()
    return {
        "first_s": round(first, 2),
        "again_s": round(again, 2),
        "gzip_mb": round(weight(found).gzip / 1e6, 2),
    }


def _first(page: webdriver.Chrome, address: str) -> float:
    began = time.monotonic()
    page.get(address)
    choose(page, "Tellstones", "2 players")
    until(page, MOVE, "to the right end")
    while not page.execute_script(COVERED, "Hand the device to"):
        page.execute_script(MOVE, "to the right end")
        time.sleep(TRY_S)
    return time.monotonic() - began


def _again(page: webdriver.Chrome, address: str) -> float:
    began = time.monotonic()
    page.get(address)
    until(page, OPENS)
    until(page, UNCOVER)
    until(page, SHOWN, "Your turn.")
    return time.monotonic() - began


def main() -> int:
    """Print the figures. Return 1 if one misses its aim."""
    parser = argparse.ArgumentParser(prog="tools.bench.bench_tab", description=__doc__.partition("\n")[0])
    parser.add_argument("--json", action="store_true", help="one JSON object")
    given = parser.parse_args()
    figures = measure()
    print(json.dumps(figures) if given.json else "\n".join(f"{name:10} {value}" for name, value in figures.items()))
    aims = {"first_s": FIRST_S, "again_s": AGAIN_S, "gzip_mb": GZIP_MB}
    return int(any(figures[name] > aim for name, aim in aims.items()))


if __name__ == "__main__":
    sys.exit(main())
