"""Costs of a club's pages as its archive grows: `python -m extensions.club.tests.bench.bench_club --json`.

The list of matches shows 200 of them, however many there are; the page of a player and the league go through all. Of
each page: milliseconds of processor time in an archive of 4,000 matches, and how many times what it costs in one of 400
(aim: 2 for the list; 10 would be in proportion).
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from random import Random

import msgspec

from referee_club import pages, standings
from referee_club.archive import Archive
from referee_club.markup import Visit
from referee_record.public_frames import Seated
from tools.tampering import GAMES

FEW, MANY, ROUNDS, PLAYERS, TABLES = 400, 4_000, 5, 60, 12
VISIT = Visit("en", asked=True)
PAGES: Mapping[str, Callable[[Archive], object]] = {
    "matches": lambda archive: pages.matches(archive, VISIT),
    "matches_of_a_game": lambda archive: pages.matches(archive, VISIT, game=GAMES[0]),
    "player": lambda archive: pages.player(archive, VISIT, "Player no. 1"),
    "league": lambda archive: standings.Known(archive.list_matches(over=True, limit=standings.LEAGUE)).league(),
}


def measure() -> dict[str, dict[str, float]]:
    """By page. Takes some ten seconds."""
    with tempfile.TemporaryDirectory() as folder:
        few, many = (_costs(Path(folder) / f"{count}.db", count) for count in (FEW, MANY))
    return {name: {"ms": round(many[name] * 1e3, 1), "grown": round(many[name] / few[name], 2)} for name in PAGES}


def filled(path: Path, count: int) -> Archive:
    """An archive of so many matches that are over, of all games, without their links."""
    dice, archive = Random(count), Archive(path)
    with archive.transaction() as db:
        for number in range(count):
            ones = dice.sample(range(PLAYERS), 2)
            seats = [Seated(seat, f"Player no. {one}", "", False) for seat, one in zip("ab", ones, strict=True)]
            words = (
                f"{number:032x}", f"table-{number % TABLES}", dice.choice(GAMES), 1.7e9 + 600 * number,
                msgspec.json.encode(seats).decode(), "A wins.", '["a"]', 40, 600.0,
            )  # fmt: skip
            db.execute(
                "INSERT INTO match (id, name, game, began, seats, result, winners, links, lasted) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                words,
            )
    return archive


def _costs(path: Path, count: int) -> dict[str, float]:
    """Seconds of each page, the least of some."""
    with closing(filled(path, count)) as archive:
        return {name: min(_timed(page, archive) for _ in range(ROUNDS)) for name, page in PAGES.items()}


def _timed(page: Callable[[Archive], object], archive: Archive) -> float:
    begun = time.process_time()
    page(archive)
    return time.process_time() - begun


def main() -> None:
    asked = argparse.ArgumentParser(
        prog="python -m extensions.club.tests.bench.bench_club", description=__doc__.split("\n", 1)[0]
    )
    asked.add_argument("--json", action="store_true", help="one JSON object, by page")
    given, found = asked.parse_args(), measure()
    if given.json:
        print(json.dumps(found, indent=2))
        return
    for name, figures in found.items():
        print(f"{name:18} {figures['ms']:7.1f} ms, {figures['grown']:5.2f} times a tenth of the matches")


if __name__ == "__main__":
    main()
