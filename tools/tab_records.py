"""Compares records of random matches: those of the site's Python, in Node, and those of this machine's.

    python -m tools.tab_records --matches 10000 --seed 1 --json

Games take turns. A match's notation, signed record and last state are equal to the byte, or it is named. Exits with 1
if one differs.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import msgspec

from referee_simulator.harness.stored_results import OnProgress
from tools import browser_python, longrun, random_records
from tools.tab import build

GAMES = ("tellstones", "planetx", "fence", "runes")


class Compared(msgspec.Struct, frozen=True):
    """actions: by game. differ: games and seeds of matches whose records are not the same."""

    matches: int
    actions: dict[str, int]
    differ: tuple[tuple[str, int], ...]


def compare(site: Path, matches: int, seed: int, progress: OnProgress = lambda _done, _of: None) -> Compared:
    """Play matches in both Pythons. site: folder of a built site."""
    rng = random.Random(seed)
    drawn = [(GAMES[number % len(GAMES)], rng.randrange(2**31)) for number in range(matches)]
    actions, differ = Counter(dict.fromkeys(GAMES, 0)), list[tuple[str, int]]()
    with _browser_records(site, drawn) as theirs:
        for number, (game, own_seed) in enumerate(drawn, start=1):
            count, digest = random_records.record(game, own_seed)
            actions[game] += count
            if next(theirs, "") != f"{count} {digest}":
                differ.append((game, own_seed))
            progress(number, matches)
    return Compared(matches, dict(actions), tuple(differ))


@contextmanager
def _browser_records(site: Path, drawn: Iterable[tuple[str, int]]) -> Iterator[Iterator[str]]:
    """Yield the records of the site's Python, as lines."""
    script = Path(random_records.__file__)
    command = browser_python.node_command("browser_records.mjs", str(site), str(script))
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as node:
        assert node.stdin is not None
        assert node.stdout is not None
        threading.Thread(target=_feed, args=(node.stdin, drawn), daemon=True).start()
        try:
            yield (line.strip() for line in node.stdout)
        finally:
            node.kill()


def _feed(pipe: IO[str], drawn: Iterable[tuple[str, int]]) -> None:
    with pipe:
        pipe.writelines(f"{game} {seed}\n" for game, seed in drawn)


def main() -> int:
    """Compare records in both Pythons, and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--matches", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1, help="draws the matches (1)")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, longrun.start_run("matches") as progress:
        try:
            build(Path(folder))
        except browser_python.Unfetched as error:
            parser.exit(1, f"{error}\n")
        found = compare(Path(folder), given.matches, given.seed, progress)
    longrun.show(found, given.json)
    return 1 if found.differ else 0


if __name__ == "__main__":
    sys.exit(main())
