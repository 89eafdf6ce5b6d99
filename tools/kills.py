"""The kill test: matches that are killed with SIGKILL at random calls and restarted lose and repeat nothing.

    python -m tools.kills --kills 150 --seed 7 --folder kills

A process plays a match at the buttons, on the shipped session and journal, as its seed says. It is killed again and
again, at any call of a file or pipe, in every other match also while an order waits to be carried out. Whatever a
display had shown must be there after the restart, and at every restart the journal must be the beginning of the journal
of the same match that nobody killed.

With --service N so many of the kills hit the whole service (tools/service.py), or its vision worker, which must not end
the service. Nobody knows how such a match would have gone on without: what was shown must follow from what is there,
and what was there before must still be.
"""

from __future__ import annotations

import logging
import math
import multiprocessing
import os
import random
import shutil
import signal
import sys
import tempfile
import threading
import time
import zlib
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path

import msgspec

from device import games
from device.daemon.core import Core, Store
from device.daemon.match_identity import simulated_chance
from device.daemon.referee import Ports
from device.journal import Archive
from device.journal.opening import open_at_power_on
from device.key_gestures import Button, Gesture, Key
from device.screens.screen import Screen
from device.session.matches import LiveMatch
from device.session.menu_state import rows, standing
from device.session.state import MenuState, PanelMode, Play
from device.session.table import KnownGame, Table
from engine.entry import Entry, Start
from engine.errors import Refusal
from engine.game import Words
from engine.grammar import sentences
from engine.match import Match, advance, begin, encode, replay
from engine.table import Seat
from referee_simulator.disk.shim import Disk, start_over
from referee_simulator.fault_runs.judge import digest as digest_of
from referee_simulator.fault_runs.judge import states
from referee_simulator.harness.stored_results import OnProgress, StoredResults, carried_on, no_progress, total
from referee_simulator.players.menus import leads_to
from tools import longrun, service

LONGEST = 120
"""Entries after which a match counts as recorded: random play need not come to an end."""

EACH = 10
"""Kills of one match; one that comes to its end before is begun again."""

LIVES = 5
"""A match is killed so often on its way, on average."""

WORKERS = 0.3
"""Lives of the service in which its worker is killed, too."""

EARLY = 0.4
"""Lives of the service that end soon, as likely at the first ten calls as at the next hundred."""

SERVICE_CALLS, WORKER_CALLS = 4_000, 1_500
"""The last calls at which they are killed."""

LIFE_S = 15.0
"""After so long a service is killed wherever it is."""

MOST_NOTES = 20

PRELOADED = ["tools.service", "referee_simulator.fault_runs.judge", "device.journal.opening", "engine.tellstones.match"]
"""Modules that each life has from the start, with what they import: most of its time would be spent on importing."""


class Kills(msgspec.Struct, frozen=True):
    """owed: kills, or ends, at which an order waited to be carried out.
    lost: kills after which entries were gone that a display had shown. doubled: kills after which there was something
    else than the beginning of the match. differing: displays with another state than the match that nobody killed had
    then. alarms: starts at which the journal was said to be damaged or not to be written, and services that ended by
    themselves. victims: kills by who was killed.
    """

    kills: int = 0
    pending: int = 0
    matches: int = 0
    entries: int = 0
    lost: int = 0
    doubled: int = 0
    differing: int = 0
    alarms: int = 0
    victims: dict[str, int] = {}
    seconds: float = 0.0
    notes: tuple[str, ...] = ()

    @property
    def wrong(self) -> int:
        return self.lost + self.doubled + self.differing + self.alarms


class Player:
    """Presses the buttons of both seats as the seed and the number of entries say, and tells what displays show."""

    def __init__(self, path: Path, seed: int, tell: Callable[[str], None] = lambda _line: None) -> None:
        """tell: hears what is wrong with the journal, and a line for each screen."""
        spec = games.spec("tellstones")
        self._known = KnownGame(spec, games.game(spec))
        self._seed, self._now = seed, 0.0
        self._tell, opened = tell, open_at_power_on(path)
        self._journal = opened.journal
        if opened.mended is not None or opened.unsaved is not None:
            tell(f"{TOLD}{opened.mended or opened.unsaved}")
        camera = bool(seed % 2)  # then what is ordered stays owed until somebody says that it is done
        table = Table(("a", "b"), {"tellstones": self._known}, camera=camera, mats=games.mats(["tellstones"]))
        ports = Ports(outlets=(self.show,))
        self._core = Core(table, Store(self._journal), simulated_chance(seed), ports, now=lambda: self._now)
        self._core.show_all()

    def show(self, display: str, screen: Screen, language: str) -> None:
        """A screen is shown."""
        del display, screen, language
        if hasattr(self, "_core") and isinstance(self._core.session.stage, Play):
            self.note_shown(len(self.entries()), self._core.session.stage.match)

    def note_shown(self, entries: int, match: Match) -> None:
        """One line for each screen: how many entries it follows from, and the state that it shows."""
        self._tell(f"{entries} {digest(encode(match))}")

    def close(self) -> None:
        """The journal is closed as when the daemon is stopped."""
        self._journal.close()

    def entries(self) -> tuple[Entry, ...]:
        return self._journal.current_entries()

    def play(self, longest: int = LONGEST) -> tuple[Entry, ...]:
        """Plays on to the end, or until there are so many entries."""
        if not isinstance(self._core.session.stage, Play):
            self._press("a", *[Button.CHOOSE] * 5)
        self._core.take(Key("a", Button.BACK, Gesture.PRESS, self._now))  # after a restart, time goes on from here
        while len(self.entries()) < longest and self._play().match.result is None:
            self._now += 1.0
            self._turn(random.Random(f"{self._seed}/{len(self.entries())}"))
            self._pause(random.Random(f"{self._seed}/{len(self.entries())}/pause"))
        return self.entries()

    def _pause(self, rng: random.Random) -> None:
        """What the daemon does for the journal when its displays are served, and when the table rests."""
        if rng.random() < 0.1:
            self._journal.rest()
        elif rng.random() < 0.9:
            self._journal.attest()

    def _turn(self, rng: random.Random) -> None:
        match = self._play().match
        if match.pending is not None:
            self._carry_out(min(match.start.seats))
            return
        if match.past and rng.random() < 0.15:
            self._take_back(rng)
            return
        seat = min(self._known.game.actors(match.state))
        self._act(seat, rng.choice(list(sentences(self._known.game, match.state, seat))))

    def _take_back(self, rng: random.Random) -> None:
        by, other = rng.sample(("a", "b"), 2)
        proposing = Button.NEXT, Button.NEXT, Button.CHOOSE
        if self._play().proposal is None:
            self._core.take(Key(by, Button.CHOOSE, Gesture.LONG, self._now))
            self._press(by, *proposing)
        else:  # it was proposed before a restart, and took as long: entries bear their times
            self._now += len(proposing)
        self._press(other, Button.NEXT, Button.CHOOSE)

    def _act(self, seat: Seat, words: Words) -> None:
        before = self._play().match
        if self._desk(seat).mode is PanelMode.VIEW:
            self._press(seat, Button.CHOOSE)
        else:  # without a camera the menu of a turn opens by itself, but not after a restart: entries bear their times
            self._now += 1.0
        while self._play().match is before and (menu_state := self._desk(seat)).mode is not PanelMode.VIEW:
            if menu_state.mode is PanelMode.ACT:
                listed = rows(self._play(), seat, menu_state)
                self._press(seat, *[Button.NEXT] * [leads_to(row, words) for row in listed].index(True))
            self._press(seat, Button.CHOOSE)

    def _carry_out(self, seat: Seat) -> None:
        if self._play().menu_state(seat).mode is PanelMode.DONE:
            self._now += 1.0  # as long as it takes to get there after a restart: entries bear their times
        else:
            self._press(seat, Button.CHOOSE)
        self._press(seat, Button.CHOOSE)

    def _desk(self, seat: Seat) -> MenuState:
        return standing(LiveMatch(self._core.table, self._core.session), seat)

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


class Run(msgspec.Struct, frozen=True):
    """What a process did until it ended or was killed. screens: entries that each followed from, and the state that it
    showed. calls: of files and pipes, until the end of the match; 0 if it was killed. told: what was said at its start
    to be wrong with the journal.
    """

    screens: tuple[tuple[int, str], ...]
    calls: int
    progress: str = ""

    @property
    def over(self) -> bool:
        return self.calls > 0


class Record:
    """A match that nobody killed: its entries, the state after each, and the calls that it took."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.seed, whole = seed, folder / "whole"
        self.calls = run(whole, seed).calls
        assert self.calls, "a match that nobody killed came to no end"
        self.entries = read_entries(whole)
        game = games.game(games.spec("tellstones"))
        start, *rest = self.entries
        assert isinstance(start, Start)
        match = begin(game, start)
        self.states = {1: digest(encode(match))}
        for count, entry in enumerate(rest, 2):
            match, _ = advance(game, match, entry)
            self.states[count] = digest(encode(match))


class Killed(msgspec.Struct, frozen=True):
    """One match to be killed so often. service: it is played at the whole service."""

    seed: int
    kills: int
    service: bool = False


def kill(match: Killed) -> Kills:
    """Plays one match and kills it. In a process that was started with a simulated disk."""
    if match.service:
        return _kill_service(match)
    begun, dice = time.monotonic(), random.Random(f"{match.seed}/kills")
    with tempfile.TemporaryDirectory(prefix="kills-", dir=longrun.memory()) as place:
        record, folder = Record(Path(place), match.seed), Path(place) / "killed"
        result, shown = Kills(matches=1), 0
        while result.kills < match.kills:
            lived = run(folder, match.seed, dice.randrange(1, 2 * record.calls // LIVES))
            there = read_entries(folder)
            shown = max(shown, *(count for count, _ in lived.screens), 0, 0)
            result = _judge(result, record, lived, shown, there)
            if lived.over or result.kills == match.kills:
                result = msgspec.structs.replace(result, entries=result.entries + len(there))
            if lived.over:
                shutil.rmtree(folder)
                shown = 0
    return _with_seconds(result, begun)


def _with_seconds(result: Kills, begun: float) -> Kills:
    return msgspec.structs.replace(result, seconds=round(time.monotonic() - begun, 1))


def _kill_service(match: Killed) -> Kills:
    begun, dice = time.monotonic(), random.Random(f"{match.seed}/service")
    with tempfile.TemporaryDirectory(prefix="kills-", dir=longrun.memory()) as place:
        folder, result, before = Path(place), Kills(matches=1), tuple[Entry, ...]()
        while result.kills < match.kills:
            worker_at = dice.randint(1, WORKER_CALLS) if dice.random() < WORKERS else 0
            early = not worker_at and dice.random() < EARLY
            kill_at = _log_uniform(dice, SERVICE_CALLS) if early else dice.randint(SERVICE_CALLS // 4, SERVICE_CALLS)
            lines, code = life(service.live, (folder, match.seed, kill_at), worker_at, lasts_s=LIFE_S)
            there = read_entries(folder / "state")
            died = (folder / service.WORKER_KILLED).exists()
            result = _judged_service(result, lines, code, before, there, died)
            before = there
            for name in ("run", service.WORKER_KILLED):  # a reboot empties the runtime folder
                gone = folder / name
                shutil.rmtree(gone) if gone.is_dir() else gone.unlink(missing_ok=True)
            if any(line.startswith(OVER) for line in lines):
                shutil.rmtree(folder / "state")
                before = ()
    return _with_seconds(msgspec.structs.replace(result, entries=len(there)), begun)


def _log_uniform(dice: random.Random, most: int) -> int:
    return int(math.exp(dice.uniform(0.0, math.log(most))))


def _judged_service(
    result: Kills, lines: list[str], code: int, before: tuple[Entry, ...], there: tuple[Entry, ...], worker: bool
) -> Kills:
    """The sum with one life of the service more."""
    known = service.load_game()
    have = {digest_of(state) for state in states(known, there)}
    shown = {int(line) for line in lines if line.isdecimal()}
    over = any(line.startswith(OVER) for line in lines)
    faults = {
        "lost": f"{len(shown - have)} states were shown to which {len(there)} entries do not lead" * bool(shown - have),
        "doubled": "other entries are there than before" * (there[: len(before)] != before),
        "alarms": "".join(line for line in lines if line.startswith(TOLD)),
    }
    if not over and code != -signal.SIGKILL:
        faults["alarms"] += f"the service ended by itself: {code}"
    progress = tuple(f"service, kill {result.kills}: {name}: {how}" for name, how in faults.items() if how)
    died = {"service": int(not over), "worker": int(worker)}
    return msgspec.structs.replace(
        result,
        kills=result.kills + sum(died.values()),
        victims={name: result.victims.get(name, 0) + count for name, count in died.items()},
        pending=result.pending + _owes(there),
        notes=(*result.notes, *progress)[:MOST_NOTES],
        **{name: getattr(result, name) + bool(how) for name, how in faults.items()},
    )


def _judge(result: Kills, record: Record, life: Run, shown: int, there: tuple[Entry, ...]) -> Kills:
    """The sum with one life more."""
    odd = [f"{count} entries: {state}" for count, state in life.screens if record.states.get(count) != state]
    faults = {
        "lost": f"{len(there)} entries are there, {shown} were shown" * (shown > len(there)),
        "doubled": "other entries are there than were played" * (there != record.entries[: len(there)]),
        "differing": ", ".join(odd),
        "alarms": life.progress,
    }
    progress = tuple(f"match {record.seed}, kill {result.kills}: {name}: {how}" for name, how in faults.items() if how)
    return msgspec.structs.replace(
        result,
        kills=result.kills + (not life.over),
        victims={"core": result.kills + (not life.over)},
        pending=result.pending + _owes(there),
        notes=(*result.notes, *progress)[:MOST_NOTES],
        **{name: getattr(result, name) + bool(how) for name, how in faults.items()},
    )


def _owes(there: tuple[Entry, ...]) -> bool:
    try:
        return bool(there) and replay(games.game(games.spec("tellstones")), there).pending is not None
    except Refusal:
        return False  # a damaged journal is counted elsewhere


def run(folder: Path, seed: int, kill_at: int = 0) -> Run:
    """Plays in a process of its own until it is over, or killed at a call."""
    lines, code = life(_play, (folder, seed, kill_at))
    over = bool(lines) and lines[-1].startswith(OVER)
    assert over or code == -signal.SIGKILL, f"the process failed: {code}"
    progress = [line.removeprefix(TOLD) for line in lines if line.startswith(TOLD)]
    words = [line.split() for line in lines if not line.startswith((OVER, TOLD))]
    calls = int(lines[-1].removeprefix(OVER)) if over else 0
    return Run(tuple((int(count), state) for count, state in words), calls, "".join(progress))


def life(
    play: Callable[..., None], given: tuple[object, ...], *more: object, lasts_s: float = 60.0
) -> tuple[list[str], int]:
    """Runs `play` in a process of its own, for so many seconds at most. What it told, and its exit status."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(PRELOADED)
    reader, writer = context.Pipe(duplex=False)
    process = context.Process(target=play, args=(*given, writer, *more))
    process.start()
    writer.close()
    killer = threading.Timer(lasts_s, process.kill)
    killer.start()
    lines: list[str] = []
    with reader:
        while True:
            try:
                lines.append(reader.recv_bytes().decode())
            except EOFError:
                break
    process.join()
    killer.cancel()
    return lines, process.exitcode or 0


OVER, TOLD = "over ", "told "


def _play(folder: Path, seed: int, kill_at: int, writer: Connection) -> None:
    """In a process of its own."""
    logging.disable(logging.WARNING)  # what is wrong with the journal is told
    folder.mkdir(exist_ok=True)
    disk = Disk(folder)
    disk.kill(kill_at if kill_at else NEVER)
    player = Player(folder / "journal.db", seed, lambda line: writer.send_bytes(line.encode()))
    player.play()
    writer.send_bytes(f"{OVER}{disk.calls}".encode())
    os._exit(0)  # as when the power goes


NEVER = 1 << 40


def read_entries(folder: Path) -> tuple[Entry, ...]:
    """The entries of the match in a folder, read without writing: what a kill left is for the next start."""
    if not (folder / "journal.db").exists():
        return ()
    with Archive(folder / "journal.db") as journal:
        return journal.current_entries()


def kill_test(
    kills: int,
    seed: int,
    *,
    service: int = 0,
    jobs: int = 1,
    folder: Path | None = None,
    progress: OnProgress = no_progress,
) -> Kills:
    """Kills as often as asked, over as many matches as that takes; `service` of them the whole service or its worker.

    folder: keeps what was done.
    """
    core = kills - service
    drawn = [Killed(seed + n, min(EACH, core - n * EACH)) for n in range(-(-core // EACH))]
    drawn += [Killed(seed + n, min(EACH, service - n * EACH), True) for n in range(-(-service // EACH))]
    matches = dict(enumerate(drawn))
    kept = StoredResults(folder, {"kills": kills, "service": service, "seed": seed}, Kills)
    return total(carried_on(kill, matches, jobs, kept, progress).values(), Kills())


def main() -> int:
    parser = longrun.parser(__doc__, seed=1)
    parser.add_argument("--kills", type=int, default=150, help="kills (150)")
    parser.add_argument("--service", type=int, default=0, help="so many of them of the whole service (0)")
    given = parser.parse_args()
    with longrun.start_run("matches", start_over) as progress:
        result = kill_test(
            given.kills, given.seed, service=given.service, jobs=given.jobs, folder=given.folder, progress=progress
        )
    longrun.show(result, given.json)
    return int(result.wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
