"""What a player who reads no list touches for an action, in each game: `python -m tools.bench.bench_touch [--json]`.

The actions of random matches, as the web app's own `selections.js` offers them, in Chromium.

turns: those that offer more than one action
taps: mean of the actions done, with the question that a costly one asks
rows: lines of the list that have to be read where something drawn can be touched
plain: turns on which nothing drawn can be touched, so that the list alone asks
reached, actions: of all legal actions on these turns, those that touching alone reaches

Exits with 1 if an action needs the list.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from statistics import mean
from typing import Any, NamedTuple

from selenium import webdriver

from device.screens.page_view import wire
from device.session import tapping
from device.session.matches import begin_match, record
from device.session.page_views import sheet
from device.session.state import Play, Session
from engine.entry import Act, Start
from engine.table import Seat
from tests.browser.conftest import chromium
from tests.browser.pages import Pages
from tests.device.session.stages import GAMES, SEATS, entries, table

MATCHES = 5
LONGEST = 80
SCRIPT = """
const done = arguments[arguments.length - 1];
import("./selections.js").then(({ read, touches }) => done(arguments[0].map((list) => {
  const moves = read(list);
  return moves.map((move) => touches(moves, move));
})), (error) => done(String(error)));
"""


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


def measure(browser: webdriver.Chrome, game: str) -> dict[str, float]:
    """Return the figures of a game."""
    found = list(moments(game))
    counted = browser.execute_async_script(SCRIPT, [moment.answers for moment in found])
    assert isinstance(counted, list), counted
    taps = [counts[moment.chosen] for moment, counts in zip(found, counted, strict=True)]
    every = [count for counts in counted for count in counts]
    drawn = [bool(moment.answers["touch"]["things"]) for moment in found]
    return {
        "taps": round(mean(count for count in taps if count is not None), 2),
        "rows": sum(len(m.answers["lines"]) for m, count in zip(found, taps, strict=True) if count is None),
        "turns": len(found),
        "plain": drawn.count(False),
        "reached": sum(count is not None for count in every),
        "actions": len(every),
    }


def main() -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="as JSON")
    as_json = parser.parse_args().json
    with Pages("table", {}) as pages, chromium() as browser:
        browser.get(f"{pages.address}app.json")
        figures = {game: measure(browser, game) for game in GAMES}
    if as_json:
        print(json.dumps(figures))
    else:
        for game, each in figures.items():
            print(
                f"{game}: {each['taps']} taps an action, {each['rows']} rows read, "
                f"{each['reached']} of {each['actions']} actions reached"
            )
    return int(any(each["reached"] < each["actions"] for each in figures.values()))


if __name__ == "__main__":
    sys.exit(main())
