"""How a player plays who reads no list, and what the pages cost: `python -m tools.bench.bench_touch [--json]`.

Of the actions of random matches, as the web app's own `selections.js` offers them, in Chromium:

turns: those that offer more than one action
taps: mean of the actions done, with the question that a costly one asks
listed: lines of the list that have to be read where something drawn can be touched
plain: turns on which nothing drawn can be touched, so that the list alone asks
reached, actions: of all legal actions on these turns, those that touching alone reaches

Of a newcomer at the table of `make demo` (`tools.bench.newcomer`):

opened_s: from the page's opening to the first action that the referee accepts; aim: at most 10
moves_s: from *Play* to the newcomer's fifth legal move; aim: at most 60
rows, answers: lines of lists and buttons of short questions that are read before a move; aim for the rows: none

Of a seat's page (games that are played on a mat), and of the app:

fps, slowest: frames a second while a piece moves, with the processor throttled 4 times: median and minimum; aim for the
    median: at least 50
weight_kb: everything that is loaded before the first screen, compressed by gzip, in KB; aim: at most 150
sent_kb: the same as it is sent

Exits with 1 if an action needs the list, or a figure misses its aim.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from statistics import mean, median
from typing import Any, NamedTuple

from selenium import webdriver

from device.screens.page_view import wire
from device.session import tapping
from device.session.matches import begin_match, record
from device.session.page_views import sheet
from device.session.state import Play, Session
from engine.entry import Act, Start
from engine.table import Seat
from referee_phones.app import files, own
from tests.browser.conftest import chromium
from tests.browser.pages import Pages, Wire
from tests.browser.test_pages import Guest
from tests.device.session.stages import GAMES, SEATS, entries, stages, table
from tools.bench import newcomer

MATCHES = 5
LONGEST = 80
PATIENCE_S = 300
OPENED_S, MOVES_S, FPS, WEIGHT_KB = 10.0, 60.0, 50.0, 150.0
"""Aims."""

THROTTLED, MOVED, SHOWN, MOVE_S = 4, 8, 30, 0.8
"""So many times slower than the processor is; moves that are measured; pages on which they are looked for, and seconds
for each."""

SCRIPT = """
const done = arguments[arguments.length - 1];
import("./selections.js").then(
  ({ read, touches }) => done(arguments[0].map((list) => touches(read(list)))),
  (error) => done(String(error)),
);
"""

COUNT_FRAMES = """
window.rates = [];
const animate = Element.prototype.animate;
Element.prototype.animate = function (...args) {
  const moving = animate.apply(this, args);
  moving.ready.then(() => {
    let [frames, begun, done] = [0, performance.now(), false];
    const count = () => done || (frames++, requestAnimationFrame(count));
    requestAnimationFrame(count);
    moving.finished.then(() => ((done = true), window.rates.push((frames * 1000) / (performance.now() - begun))));
  });
  return moving;
};
"""
LOADED = "return performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname)"


class Moment(NamedTuple):
    """A list of a seat, and the number of the action that was done."""

    answers: dict[str, Any]
    chosen: int


def moments(game: str) -> Iterator[Moment]:
    """Yield each turn of random matches in which a page offers more than one action."""
    for seed in range(MATCHES):
        start, *after = entries(game, seed, LONGEST)
        assert isinstance(start, Start)
        play = begin_match(table().games[game], start, 0.0)
        for entry in after:
            if isinstance(entry, Act):
                yield from _moment(play, entry.seat, entry.words)
            play = record(play, (entry,))


def _moment(play: Play, seat: Seat, words: tuple[str, ...]) -> Iterator[Moment]:
    session = Session(play, play.match.at, 1, "en", phones=frozenset(SEATS))
    found = tapping.answers(table(), session, seat).moves.found
    chosen = next((number for number, move in enumerate(found) if move.words == words), None)
    if chosen is not None and len(found) > 1:
        yield Moment(wire(sheet(table(), session, seat), "en")["answers"], chosen)


def count_touches(browser: webdriver.Chrome, game: str) -> dict[str, float]:
    """Return the touches that a game's actions take."""
    found = list(moments(game))
    counted = browser.execute_async_script(SCRIPT, [moment.answers for moment in found])
    assert isinstance(counted, list), counted
    taps = [counts[moment.chosen] for moment, counts in zip(found, counted, strict=True)]
    every = [count for counts in counted for count in counts]
    drawn = [bool(moment.answers["touch"]["things"]) for moment in found]
    return {
        "taps": round(mean(count for count in taps if count is not None), 2),
        "listed": sum(len(m.answers["lines"]) for m, count in zip(found, taps, strict=True) if count is None),
        "turns": len(found),
        "plain": drawn.count(False),
        "reached": sum(count is not None for count in every),
        "actions": len(every),
    }


def measure_newcomer(browser: webdriver.Chrome, game: str) -> dict[str, float]:
    """Return what a newcomer in this game needs."""
    with tempfile.TemporaryDirectory() as folder:
        return newcomer.measure(browser, game, Path(folder))


def frames(browser: webdriver.Chrome, game: str) -> dict[str, float]:
    """Return the frames a second while pieces move on a seat's page; nothing for a game in which none does."""
    pages_shown, rates = islice(_pages(game), SHOWN), list[float]()
    guest = Guest(browser)
    guest.holds(390, 844)
    with Pages("a", next(pages_shown)) as pages:
        guest.sits_down(pages)
        browser.execute_script(COUNT_FRAMES)
        browser.execute_cdp_cmd("Emulation.setCPUThrottlingRate", {"rate": THROTTLED})
        for page in pages_shown:
            pages.show(**page)
            time.sleep(MOVE_S)
            if len(rates := browser.execute_script("return rates")) >= MOVED:
                break
        browser.execute_cdp_cmd("Emulation.setCPUThrottlingRate", {"rate": 1})
    return {"fps": round(median(rates), 1), "slowest": round(min(rates), 1)} if rates else {}


def _pages(game: str) -> Iterator[Wire]:
    """Yield seat A's pages in random matches."""
    for seed in range(MATCHES):
        start, *after = entries(game, seed, LONGEST)
        assert isinstance(start, Start)
        play = begin_match(table().games[game], start, 0.0)
        for entry in after:
            play = record(play, (entry,))
            session = Session(play, play.match.at, 1, "en", phones=frozenset(SEATS))
            yield wire(sheet(table(), session, "a"), "en")


def weight(browser: webdriver.Chrome) -> dict[str, float]:
    """Return the KB that a seat's page loads until its first screen."""
    page = wire(sheet(table(), dict(stages("tellstones"))["after 3 actions"], "a"), "en")
    guest, served = Guest(browser), {**files(), **own("a", "en")}
    with Pages("a", page) as pages:
        guest.sits_down(pages)
        loaded = {"/", *browser.execute_script(LOADED)} & {*served}
    bodies = [served[path].body for path in loaded]
    return {
        "weight_kb": round(sum(len(gzip.compress(body, 9)) for body in bodies) / 1000, 1),
        "sent_kb": round(sum(map(len, bodies)) / 1000, 1),
    }


def main() -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="as JSON")
    as_json = parser.parse_args().json
    with Pages("table", {}) as pages, chromium() as browser:
        browser.set_script_timeout(PATIENCE_S)
        browser.get(f"{pages.address}app.json")
        taps = {game: count_touches(browser, game) for game in GAMES}
    with chromium() as browser:
        app = weight(browser)
        games = {game: {**taps[game], **frames(browser, game)} for game in GAMES}
    for game in GAMES:
        with chromium() as browser:
            games[game] |= measure_newcomer(browser, game)
    if as_json:
        print(json.dumps({"app": app, "games": games}))
    else:
        for name, each in {"app": app, **games}.items():
            print(f"{name}: {', '.join(f'{figure} {value}' for figure, value in each.items())}")
    return int(app["weight_kb"] > WEIGHT_KB or any(map(_misses, games.values())))


def _misses(found: dict[str, float]) -> bool:
    late = found["opened_s"] > OPENED_S or found["moves_s"] > MOVES_S
    read = found["reached"] < found["actions"] or found["rows"] > 0
    return late or read or found.get("fps", FPS) < FPS


if __name__ == "__main__":
    sys.exit(main())
