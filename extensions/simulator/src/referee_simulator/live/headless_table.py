"""`python -m referee_simulator.live.headless_table PLAN` (a `Plan` as JSON): a virtual table of a hall, at the buttons
only, in real time.

Runs `harness.timed_daemon` with a public socket and key. After a kill it resumes the match."""

from __future__ import annotations

import asyncio
import itertools
import logging
import os
import secrets
import signal
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import msgspec

from device.bus.framing import HEAD
from device.clock import Clock, WallClock, WallTime
from device.daemon import assembly
from device.daemon.match_identity import Identity
from device.journal.match_info import Secret
from device.logs import log_to_stderr
from device.settings.table import TableSettings, TurnClock
from device.version import version
from referee_record.daemon.glances import Glances
from referee_record.daemon.listener import Signing
from referee_record.daemon.public_socket import Public
from referee_record.public_entries import FORMAT, SALT
from referee_record.public_frames import FRAME, Glance
from referee_record.signed_record import encode_record, export
from referee_record.table_key import make_key
from referee_simulator.harness.plan import panels_of
from referee_simulator.harness.timed_daemon import Timed
from referee_simulator.players.pressers import Onward
from referee_simulator.players.world import Course, Pause
from vision.files import private_dir, write_whole

_log = logging.getLogger(__name__)

STEP_S = 0.1
"""Step of simulated time."""

REST_S = 12.0
"""Seconds between a match's end and restart."""

SAID = "said"
"""Folder of matches' public records."""

OVER = "over"
"""Marks a completed match's folder; a restarted table resumes the first without it."""

STANDS = "stands"
"""Marks a stopped table's folder once its record is written."""

DIARY = "diary"

CLOCK = TurnClock("chess", 3600, fall="note")
"""Clock of every match; its time left identifies summaries."""


class Page(msgspec.Struct, frozen=True, omit_defaults=True):
    """An event at a table: a signed record entry, unless `left`, `same` or `stuck` is set.

    at: CLOCK_MONOTONIC seconds
    left: seconds on the clocks in a new summary
    same: the summary did not change
    stuck: why players cannot continue"""

    at: float
    left: tuple[float, ...] | None = None
    same: bool = False
    stuck: str = ""

    @property
    def signed(self) -> bool:
        return self.left is None and not self.same and not self.stuck


class Diary:
    def __init__(self, folder: Path) -> None:
        self._path = folder / DIARY

    def write(self, left: tuple[float, ...] | None = None, *, same: bool = False, stuck: str = "") -> None:
        page = msgspec.json.encode(Page(time.monotonic(), left, same, stuck)) + b"\n"
        file = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            os.write(file, page)  # at once: a killed writer leaves no half
        finally:
            os.close(file)


class Noting(Public):
    """A public socket that logs signed entries and the summaries after them."""

    def __init__(self, folder: Path, clock: Clock, diary: Diary) -> None:
        super().__init__(folder, clock)
        self._diary, self._unseen = diary, False

    def put(self, frame: bytes, standing: bytes) -> None:
        self._diary.write()
        self._unseen = True
        super().put(frame, standing)

    def look(self, look: Callable[[float, bool], bytes], looked: Callable[[], bytes] = lambda: b"") -> None:
        def note_frame(at: float, anew: bool) -> bytes:
            frame = look(at, anew)
            if frame:
                seen = msgspec.json.decode(frame[HEAD:], type=FRAME)
                assert isinstance(seen, Glance)
                self._diary.write(tuple(each.left_s for each in seen.clocks))
            elif self._unseen:
                self._diary.write(same=True)
            self._unseen = False
            return frame

        super().look(note_frame, looked)


class Plan(msgspec.Struct, frozen=True):
    """A table to run. folder: contains run/public. speed: of simulated against real time."""

    folder: str
    name: str
    game: str
    seed: int
    speed: float = 1.0


class Unseen(Timed):
    """A table for one match. settings: for it alone; public, diary: shared."""

    def __init__(self, plan: Plan, settings: TableSettings, seed: int, public: Public, diary: Diary) -> None:
        self._plan, self._folder, self._public, self._diary = plan, Path(plan.folder), public, diary
        self.stopping = False
        rules = assembly.session_table(settings)
        identity = Identity(partial(secrets.randbits, 128), _wall, plan.name, _secret)
        super().__init__(settings, seed=seed, rules=rules, identity=identity)
        glances = Glances(self.referee.core, _wall, lambda: ())
        # The socket runs on the machine's time; clocks are told as the match has them.
        self._public.look(lambda _, anew: glances.look(self.now, anew), glances.last_frame)
        self._begun = time.monotonic()

    def _listener(self) -> Signing:
        return Signing(partial(make_key, self._folder), self._public)

    async def play(self) -> None:
        await self.run(self._life())

    def _life(self) -> Course:
        known = self.referee.core.table.games[self._plan.game]
        players = Onward(self, known, len(self._settings.seats), self._seed)
        for wish in players.whole_match({}):
            yield wish
            if self.stopping:
                break
        for note in players.tally.notes:
            _log.warning("%s", note)
            self._diary.write(stuck=note)
        yield Pause(1.0)
        self._note()
        rests_until = self.now + REST_S
        while self.stopping or self.now < rests_until:
            if self.stopping:
                (self._folder / STANDS).touch()
            yield Pause(1.0)

    def _note(self) -> None:
        """Write the match's public record and mark the match as over, if there is one."""
        entries, current = self.entries(), self._journal.current
        if current is None:
            return
        known, about = self.referee.core.table.games[self._plan.game], self._journal.about(current)
        record = export(known, entries, about, make_key(self._folder), version(), reveal=False)
        write_whole(self._folder / SAID / f"{about.id}.signed", encode_record(record))
        (self._settings.state_dir / OVER).touch()

    async def _run_to(self, until: float) -> None:
        while (step := min(until, self.now + STEP_S)) < until or step > self.now:
            await super()._run_to(step)
            await asyncio.sleep(max(0.0, self._begun + self.now / self._plan.speed - time.monotonic()))
        await super()._run_to(until)


def _wall() -> WallTime:
    return WallTime(round(time.time(), 3), True)


def _secret() -> Secret:
    return Secret(secrets.token_hex(SALT), version(), format=FORMAT)


async def _run(plan: Plan) -> None:
    stopping = False
    under_way: Unseen | None = None

    def stop() -> None:
        nonlocal stopping
        stopping = True
        if under_way is not None:
            under_way.stopping = True

    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop)
    folder, diary = Path(plan.folder), Diary(Path(plan.folder))
    matches, public = private_dir(folder / "matches"), Noting(folder / "run" / "public", WallClock(), diary)
    await public.listen()
    serving = asyncio.ensure_future(public.run())
    try:
        for number in itertools.count(sum(1 for _ in matches.glob(f"*/{OVER}"))):
            match = private_dir(matches / f"{number}-{plan.seed}")
            settings = panels_of(2, "own", match)
            settings = msgspec.structs.replace(settings, runtime_dir=folder / "run", name=plan.name, clock=CLOCK)
            under_way = Unseen(plan, settings, plan.seed + number, public, diary)
            under_way.stopping = stopping
            await under_way.play()
    finally:
        serving.cancel()
        await public.close()


def main(words: list[str]) -> None:
    (said,) = words
    log_to_stderr()
    asyncio.run(_run(msgspec.json.decode(said, type=Plan)))


if __name__ == "__main__":
    main(sys.argv[1:])
