"""The kill test: matches that are killed with SIGKILL at random points and restarted lose and repeat nothing.

    python -m tools.kills --kills 200 --seed 7

One process plays a match at the buttons, on the shipped session and journal, as its seed says; this one kills it again
and again, in every other match also while an order waits to be carried out. Whatever a display had shown must be there
after the restart, and at every restart the journal must be the beginning of the journal of the same match that nobody
killed.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import threading
import time
import zlib
from pathlib import Path

import msgspec

from device import games
from device.daemon.core import Core
from device.journal import Journal
from device.keys import Button, Gesture, Key
from device.screens.screen import Screen
from device.session.state import Mode, Play
from device.session.table import Known, Table
from engine.entry import Entry
from engine.errors import Refusal
from engine.game import Words
from engine.grammar import sentences
from engine.match import Match, encode, replay
from engine.table import Seat
from vision.link import ToWorker

LONGEST = 120
"""Entries after which a match counts as recorded: random play need not come to an end."""

OVER = "over"


class Kills(msgspec.Struct, frozen=True):
    """owed: kills, or ends, at which an order waited to be carried out.
    lost: entries that a display had shown and that were gone. doubled: entries that should not be there.
    differing: restarts, or displays, with another state than the match that nobody killed had then.
    """

    kills: int
    owed: int
    matches: int
    entries: int
    lost: int
    doubled: int
    differing: int
    seconds: float


class Player:
    """Presses the buttons of both seats as the seed and the number of entries say, and tells what displays show."""

    def __init__(self, path: Path, seed: int) -> None:
        spec = games.spec("tellstones")
        self._known = Known(spec, games.game(spec))
        self._seed, self._now = seed, 0.0
        self._journal = Journal(path)
        camera = bool(seed % 2)  # then what is ordered stays owed until somebody says that it is done
        table = Table(("a", "b"), {"tellstones": self._known}, camera=camera, mats=games.mats(["tellstones"]))
        self._core = Core(table, self._journal, self, now=lambda: self._now, seed=seed)
        self._core.show_all()

    def show(self, display: str, screen: Screen, language: str) -> None:
        """A screen is shown."""
        del display, screen, language
        if hasattr(self, "_core") and isinstance(self._core.session.stage, Play):
            self.shown(len(self.entries()), self._core.session.stage.match)

    def shown(self, entries: int, match: Match) -> None:
        """One line for each screen: how many entries it follows from, and the state that it shows."""
        print(entries, digest(encode(match)), flush=True)

    def look(self, message: ToWorker) -> None:
        """The camera never sees anything."""

    def close(self) -> None:
        """The journal is closed as when the daemon is stopped."""
        self._journal.close()

    def entries(self) -> tuple[Entry, ...]:
        return () if self._journal.current is None else self._journal.entries(self._journal.current)

    def play(self) -> tuple[Entry, ...]:
        """Plays on to the end."""
        if not isinstance(self._core.session.stage, Play):
            self._press("a", *[Button.CHOOSE] * 4)
        self._core.take(Key("a", Button.BACK, Gesture.PRESS, self._now))  # after a restart, time goes on from here
        while len(self.entries()) < LONGEST and self._play().match.result is None:
            self._now += 1.0
            self._turn(random.Random(f"{self._seed}/{len(self.entries())}"))
        return self.entries()

    def _turn(self, rng: random.Random) -> None:
        match = self._play().match
        if match.owed is not None:
            self._carry_out(min(match.start.seats))
            return
        if match.past and rng.random() < 0.15:
            self._take_back(rng)
            return
        seat = min(self._known.game.actors(match.state))
        self._act(seat, rng.choice(list(sentences(self._known.game, match.state, seat))))

    def _take_back(self, rng: random.Random) -> None:
        by, other = rng.sample(("a", "b"), 2)
        self._core.take(Key(by, Button.CHOOSE, Gesture.LONG, self._now))
        self._press(by, Button.NEXT, Button.NEXT, Button.CHOOSE)
        self._press(other, Button.NEXT, Button.CHOOSE)

    def _act(self, seat: Seat, words: Words) -> None:
        self._press(seat, Button.CHOOSE)
        while (desk := self._play().desk(seat)).mode not in (Mode.VIEW, Mode.DONE):
            if desk.mode is Mode.ACT:
                choices = self._known.game.choices(self._play().match.state, seat, desk.words)
                place = [choice.word for choice in choices].index(words[len(desk.words)])
                self._press(seat, *[Button.NEXT] * place)
            self._press(seat, Button.CHOOSE)

    def _carry_out(self, seat: Seat) -> None:
        if self._play().desk(seat).mode is Mode.DONE:
            self._now += 1.0  # as long as it takes to get there after a restart: entries bear their times
        else:
            self._press(seat, Button.CHOOSE)
        self._press(seat, Button.CHOOSE)

    def _press(self, seat: Seat, *buttons: Button) -> None:
        for button in buttons:
            self._now += 1.0  # what is asked is read first
            self._core.take(Key(seat, button, Gesture.PRESS, self._now))

    def _play(self) -> Play:
        assert isinstance(self._core.session.stage, Play)
        return self._core.session.stage


def digest(state: bytes) -> str:
    """A short name for a state."""
    return f"{zlib.crc32(state):08x}"


class Record:
    """A match that nobody killed: its entries, and the state after each."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.path, self.seed = folder / f"{seed}.db", seed
        whole = folder / f"{seed}-whole.db"
        _, over, self.lasts_s = _run(whole, seed, 600.0)
        assert over, "a match that nobody killed came to no end"
        self.entries = _journalled(whole)
        game = games.game(games.spec("tellstones"))
        counts = range(1, len(self.entries) + 1)
        self.states = {count: digest(encode(replay(game, self.entries[:count]))) for count in counts}


def kill_test(kills: int, seed: int) -> Kills:
    """Kills as often as asked, over as many matches as that takes."""
    rng, begun = random.Random(seed), time.monotonic()
    total = Kills(0, 0, 0, 0, 0, 0, 0, 0.0)
    with tempfile.TemporaryDirectory(prefix="kills-") as folder:
        while total.kills < kills:
            total = _killed(Record(Path(folder), seed + total.matches), rng, total, kills)
    return msgspec.structs.replace(total, seconds=round(time.monotonic() - begun, 1))


def _killed(record: Record, rng: random.Random, total: Kills, kills: int) -> Kills:
    """One match to its end, or until enough was killed."""
    shown, over = 0, False
    while total.kills < kills and not over:
        lines, over, _ = _run(record.path, record.seed, rng.uniform(0.0, record.lasts_s / 4))
        there = _journalled(record.path)
        most, odd = _judged(lines, record)
        total = msgspec.structs.replace(
            total,
            kills=total.kills + (not over),
            owed=total.owed + _owes(there),
            lost=total.lost + max(0, max(shown, most) - len(there)),
            doubled=total.doubled + (there != record.entries[: len(there)]),
            differing=total.differing + odd,
        )
        shown = max(shown, most)
    return msgspec.structs.replace(total, matches=total.matches + 1, entries=total.entries + len(there))


def _owes(there: tuple[Entry, ...]) -> bool:
    try:
        return bool(there) and replay(games.game(games.spec("tellstones")), there).owed is not None
    except Refusal:
        return False  # a damaged journal is counted elsewhere


def _run(path: Path, seed: int, seconds: float) -> tuple[list[str], bool, float]:
    """Plays until it is over or killed, `seconds` after its first screen. Returns what it showed."""
    process = subprocess.Popen(_command(path, seed), stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    lines = [process.stdout.readline()]
    begun = time.monotonic()
    killer = threading.Timer(seconds, process.kill)
    killer.start()
    lines += process.stdout.readlines()
    process.wait()
    killer.cancel()
    process.stdout.close()
    whole = [line.strip() for line in lines if line.endswith("\n")]
    return [line for line in whole if line != OVER], OVER in whole, time.monotonic() - begun


def _judged(lines: list[str], record: Record) -> tuple[int, int]:
    """The most entries that a display followed from, and how many displays showed another state than they should."""
    shown = [line.split() for line in lines]
    odd = sum(record.states.get(int(count)) != state for count, state in shown)
    return max((int(count) for count, _ in shown), default=0), odd


def _journalled(path: Path) -> tuple[Entry, ...]:
    with Journal(path) as journal:
        return () if journal.current is None else journal.entries(journal.current)


def _command(path: Path, seed: int) -> list[str]:
    return [sys.executable, "-m", "tools.kills", "--play", str(path), "--seed", str(seed)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--play", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.play is not None:
        Player(given.play, given.seed).play()
        print(OVER, flush=True)
        return 0
    result = kill_test(given.kills, given.seed)
    print(msgspec.json.encode(result).decode())
    return int(bool(result.lost or result.doubled or result.differing))


if __name__ == "__main__":
    sys.exit(main())
