"""A table during a fault run: the daemon is killed and restarts, its disk loses unsynced data, all else persists."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import partial
from typing import Protocol

from device.clock import WallTime
from device.daemon.match_identity import Identity
from device.session.state import Play
from device.session.table import KnownGame, Table
from device.settings.table import TableSettings
from engine.entry import Entry
from referee_simulator.fault_runs.disk import LyingDisk
from referee_simulator.fault_runs.faults import ENDS, Fault, Kind
from referee_simulator.fault_runs.judge import Safety
from referee_simulator.hardware.pins import Bounce
from referee_simulator.harness.bumps import bump_scene
from referee_simulator.harness.sights import Sight
from referee_simulator.harness.timed_daemon import Fate, Timed
from referee_simulator.players.pressers import shows
from referee_simulator.players.world import Course
from referee_simulator.table.scenes import Scene
from referee_simulator.table.virtual import Faults

SOON = 12

PATIENCE = 6

DARK_S = 2.0

EVENING_S = 1_700_000_000.0
"""Wall time at the start, in Unix seconds."""

WORN = Bounce(0.014, 9)
MANY = 1 << 30
REPAINTED_S = 12.0
"""Seconds until a faulty display shows its screen again; an eighth is repainted per second."""

DRAWN_S = 0.1
"""Seconds until a healthy display shows a change."""

EVERY = 3
"""Wishes between checks of the displays."""


class Cut(Exception):
    """The daemon was killed."""


class Folk(Protocol):
    def life(self) -> Course: ...

    @property
    def known(self) -> KnownGame: ...


class Strikes(Fate):
    """The faults of a run. struck: those so far. wall_s: Unix seconds at the daemon's time 0."""

    def __init__(self, world: Timed, faults: Sequence[Fault], disk: LyingDisk) -> None:
        self.safety = Safety()
        self.struck: list[Fault] = []
        self.wall_s = EVENING_S
        self._world, self._faults, self._disk = world, list(faults), disk
        self._troubles, self._troubled = 0, 0.0
        self._wishes = self._waited = 0
        self._cut: tuple[Fault, int] | None = None
        self._healing: list[tuple[float, Callable[[], None]]] = []
        self._changed: dict[str, float] = {}
        self._stood: Scene | None = None

    @property
    def calm(self) -> bool:
        """True once no fault is active or pending."""
        return not (self._faults or self._healing or self._cut)

    def call(self) -> None:
        """Bring the remaining faults now."""
        self._faults = [Fault(each.kind, 1, each.lasts_s, each.dice) for each in self._faults]

    def begin(self) -> None:
        self._troubled = self._world.now

    def cut(self, fault: Fault) -> None:
        self._cut = fault, self._disk.records

    def take_cut(self) -> tuple[Fault, int]:
        """Return the fault that killed the daemon, and the disk calls until then."""
        assert self._cut is not None
        found, self._cut, self._waited = self._cut, None, 0
        return found

    kills = True

    def due(self) -> float | None:
        return self._healing[0][0] if self._healing else None

    def run_due(self, now: float) -> None:
        """End due faults. Raises Cut when the daemon is killed."""
        self._heal(now)
        if self._cut is not None and self._disk.records >= self._cut[1]:
            self.numb(True)
            raise Cut

    def note_shown(self, display: str) -> None:
        world = self._world
        self._changed[display] = world.now
        if hasattr(world, "referee") and isinstance(world.referee.core.session.stage, Play) and not self._disk.unsaved:
            self.safety.show(world.referee.core.session.stage.match, self._disk.records)

    def numb(self, numb: bool) -> None:
        for oled in self._world.oleds.values():
            oled.lose(MANY if numb else 0)

    def through(self, course: Course) -> Course:
        """Insert faults into a course, checking entries and displays between wishes."""
        for wish in course:
            self._strike()
            yield wish
            self._look()

    def _strike(self) -> None:
        if self._cut is not None:
            self._waited += 1
            if self._waited > PATIENCE:
                self._cut = self._cut[0], self._disk.records
            return
        self._wishes += 1
        if self._faults and self._wishes >= self._faults[0].after:
            fault, self._wishes = self._faults.pop(0), 0
            self.struck.append(fault)
            self._begin(fault, random.Random(fault.dice))

    def _begin(self, fault: Fault, dice: random.Random) -> None:
        if fault.kind in ENDS:
            self._cut = fault, self._disk.records + dice.randrange(SOON)
            return
        self._healing.append((self._world.now + fault.lasts_s, _ACTS[fault.kind](self, dice)))
        self._healing.sort(key=lambda each: each[0])

    def _heal(self, now: float) -> None:
        while self._healing and self._healing[0][0] <= now:
            self._healing.pop(0)[1]()

    def _full(self, _dice: random.Random) -> Callable[[], None]:
        self._disk.fill(True)
        return lambda: self._disk.fill(False)

    def _failing(self, dice: random.Random) -> Callable[[], None]:
        self._disk.fail(dice)
        return self._disk.mend

    def _drop_some(self, dice: random.Random) -> Callable[[], None]:
        share = dice.uniform(0.05, 0.4)
        self._lose(share)
        return self._trouble(lambda: self._lose(0.0))

    def _lose(self, share: float) -> None:
        for oled in self._world.oleds.values():
            oled.lose_some(share)

    def _remove_display(self, dice: random.Random) -> Callable[[], None]:
        oled = self._world.oleds[dice.choice(sorted(self._world.oleds))]
        oled.vanish()
        return self._trouble(oled.come_back)

    def _trouble(self, heal: Callable[[], None]) -> Callable[[], None]:
        self._troubles += 1

        def heal_one() -> None:
            heal()
            self._troubles, self._troubled = self._troubles - 1, self._world.now

        return heal_one

    def _stuck(self, dice: random.Random) -> Callable[[], None]:
        seat, button = dice.choice(sorted(self._world.pins.buttons, key=str))
        self._world.pins.stick(seat, button, True)
        return lambda: self._world.pins.stick(seat, button, False)

    def _wear_buttons(self, _dice: random.Random) -> Callable[[], None]:
        self._world.pins.wear(WORN)
        return lambda: self._world.pins.wear(Bounce())

    def _set_back(self, dice: random.Random) -> Callable[[], None]:
        self.wall_s -= dice.choice((60.0, 3600.0, 86400.0 * 365 * 30))
        return lambda: None

    def _camera(self, faults: Faults) -> Callable[[], None]:
        table = self._world.table
        table.faults = faults

        def heal() -> None:
            table.faults = Faults()

        return heal

    def _bump_table(self, dice: random.Random) -> Callable[[], None]:
        table = self._world.table
        self._stood = self._stood or table.scene
        table.see(bump_scene(self._stood, table.mat, dice))
        return lambda: None

    def _worker(self, _dice: random.Random) -> Callable[[], None]:
        self._world.kill_worker()
        return lambda: None

    def _look(self) -> None:
        self.safety.read(self._world.entries())
        if self._wishes % EVERY or self._cut is not None:
            return
        world = self._world
        if self._troubles > 0 or world.now - self._troubled < REPAINTED_S:
            return
        for name in world.oleds:
            if world.now - self._changed.get(name, world.now) >= DRAWN_S and not shows(world, name):
                self.safety.leak(name, f"it shows something else than {world.screen(name)}"[:300])


_ACTS: dict[Kind, Callable[[Strikes, random.Random], Callable[[], None]]] = {
    Kind.FULL: Strikes._full,
    Kind.FAILING: Strikes._failing,
    Kind.LOST: Strikes._drop_some,
    Kind.GONE: Strikes._remove_display,
    Kind.STUCK: Strikes._stuck,
    Kind.BOUNCE: Strikes._wear_buttons,
    Kind.CLOCK: Strikes._set_back,
    Kind.FROZEN: lambda strikes, _dice: strikes._camera(Faults(frozen=True)),
    Kind.GARBAGE: lambda strikes, dice: strikes._camera(dice.choice((Faults(black=True), Faults(glare=200.0)))),
    Kind.BLIND: lambda strikes, _dice: strikes._camera(Faults(gone=True)),
    Kind.WORKER: Strikes._worker,
    Kind.BUMPED: Strikes._bump_table,
}


class FaultRun(Timed):
    """The daemon on an unreliable disk. recorded: all entries at `finish`."""

    def __init__(
        self,
        settings: TableSettings,
        *,
        seed: int,
        faults: Sequence[Fault],
        disk: LyingDisk,
        rules: Table,
        sight: Sight | None,
    ) -> None:
        """disk: below the state folder."""
        self.strikes = Strikes(self, faults, disk)
        self.recorded: tuple[Entry, ...] = ()
        self._disk = disk
        self._lives, self._before = 0, (False, 0)
        fresh = partial(random.Random(f"{seed}/identity").getrandbits, 128)
        identity = Identity(fresh, lambda: WallTime(self.now + self.strikes.wall_s, True), "night")
        super().__init__(
            settings,
            seed=seed,
            rules=rules,
            sight=sight,
            opened=disk.open_journal,
            identity=identity,
            fate=self.strikes,
        )

    @property
    def calm(self) -> bool:
        return self.strikes.calm

    @property
    def unsaved(self) -> bool:
        """True while the daemon reports that nothing is saved."""
        return self._disk.unsaved

    def switch_off(self) -> None:
        self.strikes.cut(Fault(Kind.POWER, 0, 0.0, self._seed))

    def call(self) -> None:
        self.strikes.call()

    async def pass_run(self, folk: Folk) -> None:
        """Run until the players are done. Raises the daemon's failures."""
        while True:
            self._enter(folk)
            try:
                await self.run(self.strikes.through(folk.life()))
            except Cut:
                self.strikes.numb(False)
                self._start_anew()
                continue
            return

    def finish(self, folk: Folk) -> tuple[Entry, ...]:
        """Cut the power once more, and return the surviving entries."""
        self.recorded = tuple(self.entries())
        self.switch_off()
        self._leave()
        with self._disk.open_journal().journal as journal:
            there = journal.current_entries()
        self._come_back(folk.known, there)
        self._disk.close()
        return there

    def _enter(self, folk: Folk) -> None:
        self.strikes.begin()
        if self._lives:
            self._come_back(folk.known, self.entries())
        self._lives += 1

    def _come_back(self, known: KnownGame, there: Sequence[Entry]) -> None:
        before, cut = self._before
        disk, safety = self._disk, self.strikes.safety
        if disk.unsaved:
            safety.forget()
        else:
            safety.come_back(known, there, cut, unsaved=before, warned=disk.told, excused=disk.spoiled)
            disk.spoiled = False

    def _start_anew(self) -> None:
        self._leave()
        self._power_on()

    def _leave(self) -> None:
        fault, cut = self.strikes.take_cut()
        self._before = self.unsaved, cut
        self._disk.cut(fault.kind, cut, random.Random(fault.dice))
