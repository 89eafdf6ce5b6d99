"""`referee simulate` for people: the shipped daemon and a simulated table, composed, in real time, until stopped."""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from device import games
from device.buttons.panel import Panel as ButtonPanel
from device.clock import Clock, WallClock
from device.daemon.panes import Pane
from device.daemon.referee import Referee, together
from device.daemon.vision import VisionWorker
from device.displays.oled import Oled
from device.journal import Journal
from device.keys import Button
from device.resources import resource
from device.session.table import TABLE, Known, Table
from device.settings import TableSettings, load, template
from device.settings.table import Display
from device.sim.enrol import enrol
from device.sim.live.autoplay import CHEAT_RATE, AutoPlay
from device.sim.live.eyes import Eyes
from device.sim.live.lens import LiveLens
from device.sim.live.stage import LiveStage, Parts
from device.sim.oled import SimulatedOled
from device.sim.panel import Auto, Panel
from device.sim.pins import Pins
from device.sim.scenes import draw, published
from engine.errors import Invalid
from engine.table import Seat
from engine.text import say
from vision.cameras import CameraSpec
from vision.link import Setup
from vision.mat import Mat
from vision.worker import WorkerConfig

PORT = 8137
CONTACT_S = 0.002


class Evening(msgspec.Struct, frozen=True):
    """What `referee simulate` was asked for. seats: how many. auto: who plays at first. host, port: of the page."""

    game: str = "tellstones"
    seats: int = 2
    scene: str = "normal"
    seed: int = 1
    language: str = "en"
    auto: Auto = "off"
    cheat_rate: float = CHEAT_RATE
    host: str = "127.0.0.1"
    port: int = PORT


class Live:
    """One simulated evening, with its files in a private folder."""

    def __init__(self, evening: Evening, folder: Path, clock: Clock | None = None) -> None:
        """Raises what the parts raise: UnknownGame, SettingsError, NotEnrolled, OSError."""
        clock = clock or WallClock()
        wiring = load(template("simulated"))
        seats = tuple(sorted(wiring.seats)[: evening.seats])
        rules = _rules(evening, seats, wiring)
        known, mat = _game(rules, evening.game, len(seats))
        displays = _displays(wiring, seats)
        parts = Parts(Pins(_pins(wiring, seats), evening.seed), {n: _oled(n, each) for n, each in displays.items()})
        self.stage = LiveStage(
            known, seats, mat, scene=draw(published()[evening.scene], evening.seed), parts=parts, clock=clock
        )
        self._lens = LiveLens(self.stage, clock, folder / "frames")
        self._journal = Journal(folder / "journal.db")
        self.players = AutoPlay(self.stage, self._journal, clock, known, seed=evening.seed, cheats=evening.cheat_rate)
        command = _command(known, rules, folder, evening.seed)
        eyes = Eyes(VisionWorker(command, folder / "run"), self._look, self.players.seen)
        panes = {name: _pane(name, display, parts.oleds[name], clock) for name, display in displays.items()}
        self.referee = Referee(
            rules,
            self._journal,
            clock,
            seed=evening.seed,
            displays=panes,
            vision=eyes,
            publish=self.players.published,
        )
        self._clock, self._rules, self._auto = clock, rules, evening.auto
        self._buttons = [_buttons(self.referee, seat, wiring, parts.pins) for seat in seats]
        self.panel = Panel(self.stage, evening.host, evening.port)

    async def run(self, ready: Callable[[Panel], None], stop: asyncio.Event) -> None:
        """Until `stop`; `ready` hears when the pages can be opened. Raises OSError if the port is taken."""
        await self.panel.start()
        ready(self.panel)
        self.stage.play(self._auto)
        try:
            loops = [self.referee.run(self._buttons), self._lens.run(), self.players.run(), self._move_contacts()]
            await together(loops, stop)
        finally:
            await self.panel.close()
            self._lens.close()
            self._journal.close()

    def _look(self, setup: Setup) -> None:
        self.stage.change_mat(self._rules.mats[setup.mat])

    async def _move_contacts(self) -> None:
        """Contacts open, close and bounce when they are due."""
        while True:
            self.stage.pins.advance(self._clock.now())
            await self._clock.sleep_until(self._clock.now() + CONTACT_S)


async def simulate(evening: Evening, ready: Callable[[Panel], None], stop: asyncio.Event) -> None:
    """One evening; its files are gone afterwards. Raises what `Live` raises."""
    with tempfile.TemporaryDirectory(prefix="table-referee-") as folder:
        await Live(evening, Path(folder)).run(ready, stop)


def _rules(evening: Evening, seats: tuple[Seat, ...], wiring: TableSettings) -> Table:
    known = {name: Known(spec, games.game(spec)) for name, spec in games.specs().items()}
    return Table(
        panels=seats,
        games=known,
        screen=wiring.table_display is not None,
        camera=True,
        mats=games.mats({table.mat for each in known.values() for table in each.spec.tables if table.mat}),
        clock=msgspec.to_builtins(wiring.clock),
        language=evening.language,
        settle_s=wiring.timing.settle_s,
    )


def _game(rules: Table, name: str, seats: int) -> tuple[Known, Mat]:
    """The game that is laid out, and its usual mat. Raises UnknownGame, or Invalid if no camera can follow it."""
    known = rules.games.get(name) or Known(games.spec(name), games.game(games.spec(name)))
    mats = [table.mat for table in known.spec.tables if table.mat and seats in table.seats]
    if not mats:
        raise Invalid(say("{game} has no mat for {count} players.", game=known.spec.title, count=seats))
    return known, rules.mats[mats[0]]


def _displays(wiring: TableSettings, seats: tuple[Seat, ...]) -> dict[str, Display]:
    displays = {seat: wiring.seats[seat].display for seat in seats}
    return displays if wiring.table_display is None else {**displays, TABLE: wiring.table_display}


def _pins(wiring: TableSettings, seats: tuple[Seat, ...]) -> dict[tuple[Seat | None, Button], int]:
    return {(seat, Button(name)): pin for seat in seats for name, pin in wiring.seats[seat].input.pins()}


def _oled(name: str, display: Display) -> SimulatedOled:
    return SimulatedOled(display.controller, display.pixels, seed=sum(map(ord, name)))


def _pane(name: str, display: Display, wire: SimulatedOled, clock: Clock) -> Pane:
    return Pane(name, display.pixels, lambda: Oled(display, wire), clock, threaded=False)


def _buttons(referee: Referee, seat: Seat, wiring: TableSettings, pins: Pins) -> ButtonPanel:
    return ButtonPanel(
        seat,
        {Button(name): pin for name, pin in wiring.seats[seat].input.pins()},
        referee.listen,
        now=referee.clock.now,
        post=lambda call, *given: call(*given),  # simulated edges come on the loop's own thread
        factory=pins.factory,
    )


def _command(known: Known, rules: Table, folder: Path, seed: int) -> Callable[[str], Sequence[str]]:
    """How the vision worker is started. The pieces are enrolled first, as their owner would, under other light."""
    mats = [rules.mats[name] for name in sorted({table.mat for table in known.spec.tables if table.mat})]
    enrolled: dict[str, str] = {}
    for mat in mats:
        for name in {zone.set for zone in mat.zones} - enrolled.keys():
            enrolled[name] = str(folder / "sets" / name)
            enrol(mat, name, seed + 1, Path(enrolled[name]))

    def command(address: str) -> Sequence[str]:
        config = WorkerConfig(
            CameraSpec("shared", str(folder / "frames")),
            address,
            mats=str(resource("mats")),
            sets=str(resource("sets")),
            enrolled=enrolled,
            parent=os.getpid(),
        )
        return (sys.executable, "-m", "vision.worker", msgspec.json.encode(config).decode())

    return command
