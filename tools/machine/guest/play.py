"""The project's own simulated players at the real service: pins by gpio-sim, displays by the bytes that they got.

    play.py TABLE.toml --seed 1 --game tellstones --longest 20

plays one match, or goes on with the one that was begun, to its end, and prints a line of JSON. After each press the
memory of every display is compared with what the daemon says it shows. Runs in the machine, with the referee's own
environment.
"""

from __future__ import annotations

import argparse
import json
import mmap
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

sys.path.insert(0, "/run/machine")

import msgspec
import zmq

from device.bus.display_sockets import Shown
from device.bus.endpoints import ipc
from device.daemon import assembly
from device.displays.oled import node
from device.journal import Archive, JournalError
from device.key_gestures import Button
from device.screens.render import pages
from device.screens.screen import BLANK, Screen
from device.session.table import SHARED
from device.settings import load
from device.settings.table import I2c, TableSettings
from engine.entry import Entry
from referee_simulator.players import menus
from referee_simulator.players.pressers import Habits, Onward
from referee_simulator.players.world import Course, Hold, Pause, Tap
from tools.machine.guest.agent import LOG, pull
from tools.machine.guest.oled import SPI, Displays, Key, image

if TYPE_CHECKING:
    from PIL.Image import Image

    from referee_simulator.harness.timed_daemon import Timed

HOLD_S = 0.08
QUIET_S = 0.3
REST_S = 0.15
CHANGE_S = 3.0
"""How long a press may take to change a screen before it counts as one that changed nothing."""

PAGE = 4096
BUS_HZ = 400_000
"""Of I2C, as docs/wiring.md and the image have it, and in modules/pi_buses.c."""


class Glass:
    """One display, as somebody sees it."""

    def __init__(self, world: Real, key: Key, size: tuple[int, int], rotation: int) -> None:
        self.key, self.size = key, size
        self._world, self._rotation = world, rotation

    def pixels(self) -> Image:
        self._world.drain()
        display = self._world.displays.found.get(self.key)
        rows = display.rows() if display else [[0] * self.size[0]] * self.size[1]
        picture = image(rows)
        return picture.rotate(self._rotation) if self._rotation else picture


class Real:
    """What `referee_simulator.harness.timed_daemon.Timed` is in simulated time: panels that players can read and press.

    reacts: seconds from a button's release to the last byte of each screen that follows from it; own: of that beside
    the button. wires: how many of them the bytes of all screens that follow from a press take on an I2C bus: no machine
    is faster.
    """

    def __init__(self, table: Path, acknowledge: int = 0) -> None:
        """acknowledge: a place past the file system, in bytes, where the number of entries seen is written; 0: none."""
        self.settings = load(table)
        self.displays = Displays()
        self._log = LOG.open("rb")
        self._begun = time.monotonic()
        self._poller, self._shown = zmq.Poller(), dict[str, Shown]()
        self.oleds, self._pins = dict[str, Glass](), dict[str, dict[str, int]]()
        self._connect(zmq.Context(), self.settings)
        for seat, panel in self.settings.panels().items():
            self._pins[SHARED if seat is None else seat] = dict(panel.input.pins())
        self.presses = self.compared = 0
        self._running: str | None = None
        self.reacts, self.own, self.unlike = list[float](), list[float](), list[str]()
        self.wires = list[float]()
        self._stamp: tuple[int, ...] = ()
        self._entries: Sequence[Entry] = ()
        self._witness = Witness(acknowledge) if acknowledge else None
        self._settle(5.0)

    def _connect(self, context: zmq.Context[zmq.Socket[bytes]], settings: TableSettings) -> None:
        numbers = buses()
        for name, display in assembly.displays(settings).items():
            bus = display.bus
            key = (SPI, 0)
            if isinstance(bus, I2c):
                key = (numbers.get(int(node(display).name.removeprefix("i2c-")), 0), bus.address)
            self.oleds[name] = Glass(self, key, display.pixels, display.rotation)
            socket = context.socket(zmq.SUB)
            socket.connect(ipc(settings.runtime_dir, f"display-{name}"))
            socket.subscribe(b"")
            self._poller.register(socket, zmq.POLLIN)

    # What players see.

    @property
    def now(self) -> float:
        return time.monotonic() - self._begun

    def screen(self, panel: str) -> Screen:
        self._hear(0)
        shown = self._shown.get(panel)
        return shown.screen if shown else BLANK

    def language(self, panel: str) -> str:
        shown = self._shown.get(panel)
        return shown.language if shown else "en"

    def entries(self) -> Sequence[Entry]:
        path = self.settings.state_dir / "journal.db"
        stamp = tuple(p.stat().st_mtime_ns if p.exists() else 0 for p in (path, Path(f"{path}-wal")))
        if stamp == self._stamp:
            return self._entries
        try:
            with Archive(path) as journal:
                self._entries = () if journal.current is None else journal.entries(journal.current)
                if self._witness is not None:
                    self._witness.write(journal.current or 0, len(self._entries))
        except JournalError:
            return self._entries
        self._stamp = stamp
        return self._entries

    def drain(self) -> None:
        """Takes in what was sent to displays."""
        self.displays.feed(self._log.read())

    # What players do.

    def run(self, course: Course) -> None:
        """Makes wishes come true until there are no more."""
        for wish in course:
            match wish:
                case Tap(panel, button):
                    self._tap(panel, button)
                case Hold(panel, Button.NEXT, down):
                    self._run_on(panel, down)
                case Hold(panel, button, down):
                    pull(self._pin(panel, button), down)
                    self._settle(0.1)
                case Pause(seconds) if self._running is not None:
                    self._watch(self._running, seconds)
                case Pause(seconds):
                    self._settle(seconds)
                case _:
                    raise ValueError(f"there is nothing here that hands could handle: {wish}")

    def _run_on(self, panel: str, on: bool) -> None:
        """Lines run under a button that is held; a knob is turned on and on."""
        self._running = panel if on else None
        if "a" not in self._pins[panel]:
            pull(self._pin(panel, Button.NEXT), on)
            self.presses += on
        if not on:
            self._settle(0.1)
            self._compare()

    def _watch(self, panel: str, seconds: float) -> None:
        """Looks on while lines run: what is told comes to no rest meanwhile."""
        if "a" in self._pins[panel]:
            self._tap(panel, Button.NEXT)
            return
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            self._hear(20)

    def _tap(self, panel: str, button: Button) -> None:
        self.drain()
        bits = sum(self.displays.bits.values())
        *before, (pin, closed) = self._contacts(panel, button)
        for contact in before:
            pull(*contact)
            time.sleep(HOLD_S)
        self._hear(0)
        released = time.monotonic_ns()
        pull(pin, closed)
        self.presses += 1
        until = time.monotonic() + CHANGE_S
        while not (heard := self._hear(50)) and time.monotonic() < until:
            pass
        self._at_rest()
        heard |= self._hear(0)
        for name in heard:
            if self._alike(name) and (at := self.displays.last.get(self.oleds[name].key, 0)) > released:
                self.reacts.append((at - released) / 1e9)
                if name == panel:
                    self.own.append(self.reacts[-1])
        self._settle(0.0)
        self._compare()
        if heard:
            self.wires.append((sum(self.displays.bits.values()) - bits) / BUS_HZ)

    def _compare(self) -> None:
        """What every display holds with what the daemon says of it."""
        for name in self.oleds:
            self.compared += 1
            if not self._alike(name):
                self.unlike.append(f"{name}: {self.screen(name)}"[:300])

    def _hear(self, timeout_ms: int) -> set[str]:
        """Which displays the daemon has told something of."""
        heard = set[str]()
        for socket, _ in self._poller.poll(timeout_ms):
            while socket.poll(0):
                shown = msgspec.json.decode(socket.recv(), type=Shown)
                self._shown[shown.display] = shown
                heard.add(shown.display)
        return heard

    def _settle(self, least_s: float) -> None:
        """Until nothing more is told."""
        until = time.monotonic() + least_s
        while self._hear(int(QUIET_S * 1000)) or time.monotonic() < until:
            pass

    def _at_rest(self) -> None:
        """Until no display has changed for REST_S, or CHANGE_S have passed. To compare them is as much work as to draw
        them: done meanwhile, it would take the machine's time from what is measured."""
        until = time.monotonic() + CHANGE_S
        while time.monotonic() < until:
            before = dict(self.displays.last)
            time.sleep(REST_S)
            self.drain()
            if self.displays.last == before:
                return

    def _alike(self, name: str) -> bool:
        """Whether a display comes to hold what the daemon says, within three seconds."""
        glass = self.oleds[name]
        for _ in range(60):
            wanted = {page.tobytes() for page in pages(self.screen(name), glass.size, self.language(name))}
            if glass.pixels().tobytes() in wanted:
                return True
            self._hear(50)
        return False

    def _contacts(self, panel: str, button: Button) -> tuple[tuple[int, bool], ...]:
        """Which contacts close and open, one after the other: a button's, or those of a knob through one detent."""
        pins = self._pins[panel]
        if button is Button.NEXT and "a" in pins:
            return (pins["a"], True), (pins["b"], True), (pins["a"], False), (pins["b"], False)
        return (self._pin(panel, button), True), (self._pin(panel, button), False)

    def _pin(self, panel: str, button: Button) -> int:
        """Of a button; a knob is one, too, when it is pushed."""
        pins = self._pins[panel]
        return pins["push"] if button is Button.CHOOSE and "push" in pins else pins[button.value]


class Witness:
    """Writes past the end of the file system how many entries somebody has seen: cuts.py finds it among the writes."""

    def __init__(self, at: int) -> None:
        self._at, self._page = at, mmap.mmap(-1, PAGE)
        self._disk = os.open("/dev/vda", os.O_WRONLY | os.O_DIRECT)

    def write(self, match: int, entries: int) -> None:
        self._page[:PAGE] = f"SEEN {match} {entries} ".encode().ljust(PAGE, b".")
        os.pwrite(self._disk, self._page, self._at)


def buses() -> dict[int, int]:
    """Bus number -> which of pi_buses' buses it is: channel n of the multiplexer is 1 + n."""
    found = {1: 0}
    for link in Path("/sys/bus/i2c/devices").glob("1-0070/channel-*"):
        found[int(link.resolve().name.split("-")[1])] = 1 + int(link.name.rsplit("-", 1)[1])
    return found


def _ms(seconds: Sequence[float], share: float) -> float:
    """A quantile, in milliseconds; 0 without values."""
    ordered = sorted(seconds) or [0.0]
    return round(ordered[min(len(ordered) - 1, int(len(ordered) * share))] * 1000, 1)


def play_match(world: Real, game: str, seed: int, longest: int, options: dict[str, Any]) -> dict[str, Any]:
    """One match, and what came of it."""
    rules = assembly.session_table(world.settings)
    seats = 2 if world.settings.shared is not None else len(world.settings.seats)
    players = Onward(cast("Timed", world), rules.games[game], seats, seed, Habits(longest=longest))
    begun, found = time.monotonic(), len(world.entries())
    world.run(players.whole_match(options))
    tally = players.tally
    return {
        "game": game, "seed": seed, "seats": seats, "found": found, "stuck": tally.stuck,
        "notes": list(tally.notes)[:5], "actions": tally.actions, "right": tally.worth["right"],
        "wrong": tally.worth["wrong"],
        "presses": world.presses, "compared": world.compared, "unlike": len(world.unlike),
        "first_unlike": world.unlike[:2], "react_p50_ms": _ms(world.reacts, 0.5),
        "react_p95_ms": _ms(world.reacts, 0.95), "react_worst_ms": _ms(world.reacts, 1.0),
        "own_p50_ms": _ms(world.own, 0.5), "own_p95_ms": _ms(world.own, 0.95),
        "wire_p50_ms": _ms(world.wires, 0.5), "wire_p95_ms": _ms(world.wires, 0.95),
        "entries": len(world.entries()), "seconds": round(time.monotonic() - begun, 1),
    }  # fmt: skip


def set_out(world: Real, game: str, options: dict[str, Any]) -> dict[str, Any]:
    """Begins a match, and leaves it to others to play it."""
    rules = assembly.session_table(world.settings)
    spec, seats = rules.games[game].spec, len(world.settings.seats)
    world.run(menus.set_up(cast("Timed", world), next(iter(world.oleds)), spec, seats, options))
    return {"game": game, "entries": len(world.entries()), "unlike": len(world.unlike)}


def main() -> None:
    parser = argparse.ArgumentParser(description="plays a match at the real service's pins and displays")
    parser.add_argument("table", type=Path, help="the table file")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--game", default="tellstones")
    parser.add_argument("--longest", type=int, default=240, help="actions after which everybody resigns")
    parser.add_argument("--options", type=json.loads, default={}, help="options of the game, JSON")
    parser.add_argument(
        "--acknowledge", type=int, default=0, help="where on the disk to write how many entries were seen"
    )
    parser.add_argument("--set-out", action="store_true", help="begin a match, and leave it to others to play it")
    asked = parser.parse_args()
    world = Real(asked.table, asked.acknowledge)
    if asked.set_out:
        print(json.dumps(set_out(world, asked.game, asked.options)))
    else:
        print(json.dumps(play_match(world, asked.game, asked.seed, asked.longest, asked.options)))


if __name__ == "__main__":
    main()
