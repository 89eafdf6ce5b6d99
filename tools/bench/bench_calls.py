"""What one input costs the core, in calls instead of time: `python -m tools.bench.bench_calls`.

A report that tells nothing comes five times a second as long as the table rests (aim: fewer than 20 calls); an action
that is seen goes from the report to journal and displays (aim: fewer than 25 files of the core entered: those of
`engine` but for the rooms of the game that is played, `device/session` and `device/daemon`).
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections import Counter
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import msgspec

import device
from device import games
from device.daemon.core import Core, Store
from device.daemon.match_identity import simulated_chance
from device.journal import Journal
from device.key_gestures import Button, Gesture, Key
from device.screens.screen import Screen
from device.session.messages import Input
from device.session.state import Play
from device.session.table import KnownGame, Table
from engine.game import OptionValue
from engine.grammar import sentences
from engine.table import Health, Seat, Trace
from tests.engine.ideal import IdealTable
from vision.messages import Report, ToWorker

ROOT = Path(device.__file__).parents[1]
CORE = ("engine", "device/session", "device/daemon")
SECOND = 5
"""Reports in a second; at one of them a clock that runs shows something else."""

CLOCKS: dict[str, dict[str, OptionValue]] = {"no clock": {}, "a clock": {"kind": "move", "seconds": 60}}


class Shown:
    """An output that keeps what each display shows."""

    def __init__(self) -> None:
        self.screens: dict[str, Screen] = {}

    def show(self, display: str, screen: Screen, language: str) -> None:
        del language
        self.screens[display] = screen

    def look(self, message: ToWorker) -> None: ...

    def wish(self, wish: object) -> None: ...


class Room:
    """A match of Tellstones under a camera: two panels, or one that is shared, and a display for everybody."""

    def __init__(self, folder: Path, clock: dict[str, OptionValue], *, shared: bool = False) -> None:
        spec = games.spec("tellstones")
        self.known, self.now = KnownGame(spec, games.game(spec)), 0.0
        mats = games.mats(["tellstones"])
        self.panels: tuple[Seat | None, ...] = (None,) if shared else ("a", "b")
        own = tuple(seat for seat in self.panels if seat is not None)
        known = {"tellstones": self.known}
        table = Table(own, known, shared=shared, screen=True, camera=True, mats=mats, clock=clock)
        self.journal = Journal(folder / "journal.db")
        self.shown = Shown()
        self.core = Core(table, Store(self.journal), simulated_chance(5), self.shown, now=lambda: self.now)
        while not isinstance(self.core.session.stage, Play):
            for gesture in (Gesture.DOWN, Gesture.PRESS, Gesture.UP):
                self.now += 0.6
                self.core.take(Key(self.panels[0], Button.CHOOSE, gesture, self.now))
        self.pieces = IdealTable.of(self.known.game.layout(self.core.session.stage.match.state))
        self.core.take(self.report_rest())
        self.core.take(self.empty())

    def empty(self) -> Report:
        """Nothing moves, nothing came to rest."""
        self.now += 0.2
        return Report(0, self.now, False, Health.OK)

    def report_rest(self) -> Report:
        """The table at rest."""
        self.now += 1.0
        return Report(0, self.now, False, Health.OK, self.pieces.observe(self.now))

    def report_action(self) -> Report:
        """The first legal action that a camera can tell, carried out."""
        assert isinstance(self.core.session.stage, Play)
        game, state = self.known.game, self.core.session.stage.match.state
        seat = min(game.actors(state))
        traces = (game.trace(state, seat, game.read(state, seat, words)) for words in sentences(game, state, seat))
        trace: Trace = next(trace for trace in traces if trace.moves and not trace.declared)
        self.pieces.perform(trace)
        return self.report_rest()

    def calls(self, given: Input) -> Counter[str]:
        """How often each file of this program was entered on account of one input."""
        entered: Counter[CodeType] = Counter()

        def count(frame: FrameType, event: str, _given: object) -> None:
            if event == "call":
                entered[frame.f_code] += 1

        sys.setprofile(count)
        try:
            self.core.take(given)
        finally:
            sys.setprofile(None)
        found: Counter[str] = Counter()
        for code, times in entered.items():
            path = Path(code.co_filename)
            if path.is_relative_to(ROOT) and path != Path(__file__):
                found[path.relative_to(ROOT).as_posix()] += times
        return found


def of_core(entered: Counter[str]) -> Counter[str]:
    """Without journal, displays, and the rooms of the game that is played."""
    rooms = "engine/tellstones/"
    return Counter({f: n for f, n in entered.items() if f.startswith(CORE) and not f.startswith(rooms)})


def measure() -> dict[str, Any]:
    """Calls and files of one run; they are the same in every run."""
    figures: dict[str, Any] = {}
    for name, clock in CLOCKS.items():
        with tempfile.TemporaryDirectory() as folder:
            room = Room(Path(folder), clock)
            empty = sorted((room.calls(room.empty()) for _ in range(SECOND)), key=Counter.total)[SECOND // 2]
            seen = room.calls(room.report_action())
            room.journal.close()
        core = of_core(seen)
        figures[name] = {
            "empty_report": {"calls": empty.total(), "files": len(empty)},
            "seen_action": {
                "calls": seen.total(),
                "files": len(seen),
                "core_calls": core.total(),
                "core_files": len(core),
            },
        }
    return figures


def main() -> None:
    sys.stdout.write(json.dumps(msgspec.to_builtins(measure()), indent=2) + "\n")


if __name__ == "__main__":
    main()
