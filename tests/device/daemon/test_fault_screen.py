"""A referee that cannot begin says why on the displays, for as long as it takes to read it."""

from __future__ import annotations

import asyncio
import threading
import time
from functools import partial
from pathlib import Path

import msgspec
import pytest
from PIL import Image

from device.bus.endpoints import EndpointError
from device.clock import Clock, WallClock
from device.daemon import assembly, service
from device.daemon.displays import SHOWN_S, Pane, show_fault
from device.daemon.safe_mode import Begun
from device.daemon.service import dark, serve
from device.displays.keeper import Keeper, Lane, RetryTimes
from device.displays.oled import DisplayLost, Oled
from device.pins import PinLost
from device.screens.render import pages
from device.screens.screen import Screen
from device.settings import load, template
from device.settings.table import Display, I2c, NoCamera
from engine.text import Text
from referee_simulator.hardware.oled import SimulatedOled


class Leaping(Clock):
    """Time that passes as soon as everybody waits."""

    def __init__(self) -> None:
        self._now = 0.0

    def now(self) -> float:
        return self._now

    async def sleep_until(self, at: float) -> None:
        for _ in range(5):
            await asyncio.sleep(0)
        self._now = max(self._now, min(at, self._now + 0.5))
        if self._now < at:
            await self.sleep_until(at)


class Glass:
    """A display that remembers what it showed."""

    size = (128, 64)
    sent = 0

    def __init__(self) -> None:
        self.shown: list[Image.Image] = []
        self.closed = False

    def dim(self, dimmed: bool) -> None: ...

    def show(self, image: Image.Image) -> None:
        self.shown.append(image)

    def refresh(self) -> None:
        """Always in order."""

    def close(self) -> None:
        self.closed = True

    def drop(self) -> None:
        """Never lost."""

    def give_up(self) -> None:
        """Never hangs."""


def shown_by(pane: Pane, clock: Clock) -> None:
    error = OSError("pin 17 is in use: free it")
    asyncio.run(show_fault({"a": pane}, error, "en", clock, asyncio.Event()))


def test_the_fault_stands_on_the_display_and_then_it_is_blank() -> None:
    clock, glass = Leaping(), Glass()
    shown_by(Pane((128, 64), Keeper("a", lambda: glass, clock)), clock)
    alert = "The referee cannot begin: pin 17 is in use: free it"
    wanted = pages(Screen(alert=Text(alert)), (128, 64), "en")
    assert glass.shown[0].tobytes() == wanted[0].tobytes()
    assert clock.now() >= SHOWN_S
    assert glass.closed


@pytest.mark.parametrize("wrong", ["runtime", "pins"])
def test_whatever_lets_the_service_not_begin_is_shown_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wrong: str
) -> None:
    shown: list[Exception] = []

    async def show(_panes: object, error: Exception, *_rest: object) -> None:
        shown.append(error)

    def lost(*_given: object, **_named: object) -> None:
        raise PinLost("pin 17 is in use")

    monkeypatch.setattr(service, "show_fault", show)
    monkeypatch.setattr(assembly, "panels", lost)
    (tmp_path / "file").touch()
    run = tmp_path / "file" / "run" if wrong == "runtime" else tmp_path / "run"
    settings = msgspec.structs.replace(
        load(template("simulated")), runtime_dir=run, state_dir=tmp_path, camera=NoCamera()
    )
    with pytest.raises(EndpointError if wrong == "runtime" else PinLost) as raised:
        asyncio.run(serve(Begun(settings)))
    assert shown == [raised.value]


def test_without_a_display_nobody_is_kept_waiting() -> None:
    def build() -> Glass:
        raise DisplayLost("nothing answers")

    clock = Leaping()
    shown_by(Pane((128, 64), Keeper("a", build, clock)), clock)
    assert clock.now() < SHOWN_S


@pytest.mark.parametrize("bus", ["answers", "hangs"])
def test_while_a_start_waits_what_a_crash_left_lit_is_dark_and_a_bus_that_hangs_delays_nothing(bus: str) -> None:
    hang, wires = threading.Event(), {"a": SimulatedOled(), "b": SimulatedOled()}
    for wire in wires.values():
        Oled(Display(I2c()), wire).show(Image.new("1", (128, 64), 1))

    def build(name: str) -> Oled:
        if (bus, name) == ("hangs", "b"):
            hang.wait(100)
        return Oled(Display(I2c()), wires[name])

    async def main() -> None:
        answering = set(wires) if bus == "answers" else {"a"}
        timeout = {name: RetryTimes(close_s=60.0 if name in answering else 0.1) for name in wires}
        panes = {
            name: Pane(
                (128, 64),
                Keeper(name, partial(build, name), WallClock(), timeout=timeout[name], lane=Lane(name)),
            )
            for name in wires
        }
        stop = asyncio.Event()
        waiting = asyncio.ensure_future(dark(panes, 300, stop))
        while not all(panes[name].keeper.there and wires[name].pixels().getbbox() is None for name in answering):
            assert not waiting.done()
            await asyncio.sleep(0.01)
        stop.set()
        await waiting

    begun = time.monotonic()
    asyncio.run(main())
    assert time.monotonic() - begun < 60
    assert not wires["a"].on
    assert wires["b"].on == (bus == "hangs")
    hang.set()
