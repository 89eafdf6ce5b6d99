"""`python -m device.sim.live.unseen PLAN`: one virtual table of a hall, at the buttons alone, in real time.

It is the daemon of the harness (`device.sim.harness.timed`), whose simulated time goes as fast as time does, with the
public socket and the key of a real one, so that a real herald reads it. PLAN: a `Plan` as JSON.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import secrets
import signal
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from device.bus.public import Public
from device.clock import WallClock
from device.daemon import assembly
from device.daemon.glances import Glances
from device.daemon.identity import Identity
from device.daemon.signing import Signing
from device.evidence.commitment import SALT
from device.evidence.exporting import exported
from device.evidence.key import made
from device.evidence.links import FORMAT
from device.evidence.record import written
from device.journal.about import Secret
from device.logs import log_to_stderr
from device.settings.table import TableSettings
from device.sim.harness.plan import panels_of
from device.sim.harness.timed import Timed
from device.sim.players.pressers import Pressers
from device.sim.players.world import Course, Pause
from device.version import version
from device.walltime import WallTime
from vision.files import write_whole

_log = logging.getLogger(__name__)

STEP_S = 0.1
"""So finely simulated time follows real time."""

REST_S = 12.0
"""So long a match's end stands before the table is switched off and on for the next one."""

SAID = "said"
"""The folder of the records of what was said, one a match: there once it is over, or the table stops playing."""


class Plan(msgspec.Struct, frozen=True):
    """folder: of the table; its public socket is in run/public. name: the table's. matches: after so many nobody goes
    on, and the last one stands; None: without end. speed: of simulated time, against that of the clock."""

    folder: str
    name: str
    game: str
    seed: int
    matches: int | None = None
    speed: float = 1.0


class Unseen(Timed):
    """A table for one match. folder: of all its matches; settings: of this one."""

    def __init__(self, plan: Plan, settings: TableSettings, seed: int) -> None:
        self._plan, self._folder = plan, Path(plan.folder)
        self._public = Public(settings.runtime_dir / "public", WallClock())
        self.stopping = False
        rules = assembly.session_table(settings)
        identity = Identity(partial(secrets.randbits, 128), _wall, plan.name, _secret)
        super().__init__(settings, seed=seed, rules=rules, identity=identity)
        self._public.look(Glances(self.referee.core, _wall, lambda: ()).look)
        self._begun = time.monotonic()

    def _outside(self) -> dict[str, Any]:
        key = partial(made, self._folder)
        return {"signing": Signing(key, self._public), "public": self._public}

    async def play(self, *, last: bool) -> None:
        """One match, until it is over or the table is told to stop. last: its end stands until the process ends."""
        await self._public.listen()
        serving = asyncio.ensure_future(self._public.run())
        try:
            await self.run(self._life(last=last))
        finally:
            serving.cancel()
            await self._public.close()

    def _life(self, *, last: bool) -> Course:
        known = self.referee.core.table.games[self._plan.game]
        players = Pressers(self, known, len(self._settings.seats), self._seed)
        for wish in players.whole_match({}):
            yield wish
            if self.stopping:
                break
        for note in players.tally.notes:
            _log.warning("%s", note)
        yield Pause(1.0)
        self._note()
        yield Pause(REST_S)
        while last or self.stopping:
            yield Pause(REST_S)

    def _note(self) -> None:
        """Writes down what the table has said of its match in public."""
        entries, current = self.entries(), self._journal.current
        if current is None:
            return
        known, about = self.referee.core.table.games[self._plan.game], self._journal.about(current)
        record = exported(known, entries, about, made(self._folder), version(), reveal=False)
        write_whole(self._folder / SAID / f"{about.id}.signed", written(record))

    async def _run_to(self, until: float) -> None:
        """As in simulated time, but not before it is time."""
        while (step := min(until, self.now + STEP_S)) < until or step > self.now:
            await super()._run_to(step)
            await asyncio.sleep(max(0.0, self._begun + self.now / self._plan.speed - time.monotonic()))
        await super()._run_to(until)


def _wall() -> WallTime:
    """As if somebody had set the clock."""
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
    for number in itertools.count():
        folder = Path(plan.folder)
        match = folder / "matches" / f"{number}-{plan.seed}"
        match.mkdir(parents=True)
        settings = msgspec.structs.replace(panels_of(2, "own", match), runtime_dir=folder / "run", name=plan.name)
        under_way = Unseen(plan, settings, plan.seed + number)
        under_way.stopping = stopping
        await under_way.play(last=plan.matches == number + 1)


def main(words: list[str]) -> None:
    (said,) = words
    log_to_stderr()
    asyncio.run(_run(msgspec.json.decode(said, type=Plan)))


if __name__ == "__main__":
    main(sys.argv[1:])
