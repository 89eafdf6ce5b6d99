"""The running table as the panel sees it: pieces and hands, pins, displays, light and faults, on one clock."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping

import msgspec

from device.clock import Clock
from device.keys import Button
from device.session.table import SHARED, Known
from device.sim.live.knobs import knobs, turned
from device.sim.live.laying import laid
from device.sim.oled import SimulatedOled
from device.sim.panel import Auto, Knob, Pixels, Shot, Switch
from device.sim.pins import Pins
from device.sim.scenes import Scene
from device.sim.table import VirtualTable
from device.sim.truth import Truth
from device.sim.writer import Writer
from engine.table import Seat
from vision.mat import Mat

GLARE = 150.0


class Parts(msgspec.Struct, frozen=True):
    """What the program is wired to: pins, and displays by name."""

    pins: Pins
    oleds: Mapping[str, SimulatedOled]


_CAMERA = {"gone": "Camera unplugged", "frozen": "Camera frozen", "black": "Camera black"}


class LiveStage:
    """A `Stage`. Begins with the mat on which the game is usually played, set out for a match."""

    def __init__(
        self, known: Known, seats: tuple[Seat, ...], mat: Mat, *, scene: Scene, parts: Parts, clock: Clock
    ) -> None:
        self._known, self.seats, self._clock = known, seats, clock
        self.pins, self._oleds = parts.pins, parts.oleds
        self.newest: Shot | None = None
        self.wanted_scene: Scene | None = None
        self.played: Callable[[Auto], None] = lambda _: None
        """Hears who plays from now on."""
        self._off: set[str] = set()
        self._jammed: set[str] = set()
        self._auto: Auto = "off"
        self._times_laid = 0
        self._rng = random.Random(scene.seed)
        self.table = self._spread(mat, scene)

    def change_mat(self, mat: Mat) -> None:
        """Another mat is laid and set out; nothing happens if it lies there already."""
        if mat != self.table.mat:
            faults = self.table.faults
            self.table = self._spread(mat, self.table.scene)
            self.table.faults = faults

    def _spread(self, mat: Mat, scene: Scene) -> VirtualTable:
        self._times_laid += 1
        truth = laid(self._known, mat, self.seats, scene, self._times_laid)
        return VirtualTable(mat, truth, scene, mat.sides.get(str(len(self.seats)), {}))

    @property
    def mat(self) -> Mat:
        return self.table.mat

    def truth(self) -> Truth:
        return self.table.truth(self._clock.now())

    def shot(self) -> Shot | None:
        return self.newest

    def screens(self) -> Mapping[str, Pixels]:
        return {name: _pixels(oled) for name, oled in self._oleds.items()}

    def press(self, panel: str, button: Button) -> None:
        self.pins.press(_seat(panel), button, self._clock.now())

    def release(self, panel: str, button: Button) -> None:
        self.pins.release(_seat(panel), button, self._clock.now())

    def take(self, seat: Seat, ident: int) -> None:
        self.table.take(seat, ident, self._clock.now())

    def carry(self, seat: Seat, x: float, y: float) -> None:
        self.table.carry(seat, x, y)

    def drop(self, seat: Seat, x: float, y: float) -> None:
        self.table.drop(seat, x, y)

    def flip(self, seat: Seat, ident: int) -> None:
        """By a hand, as everything: the camera must see who did it."""
        now = self._clock.now()
        body = self.table.settle(now).body(ident)
        hand = Writer(self.table.sides[seat], now, self.mat.size_mm, self._rng, look=ord(seat) * 7, pace=1.5)
        hand.turn(body, (body.x, body.y, body.angle))
        hand.leave()
        self.table.act((hand.script(),))

    def peek(self, seat: Seat, ident: int) -> str:
        return self.table.peek(seat, ident, self._clock.now())

    def lower(self, seat: Seat) -> None:
        self.table.lower(seat)

    def lay(self) -> None:
        self._times_laid += 1
        self.table.lay(laid(self._known, self.mat, self.seats, self.table.scene, self._times_laid))

    def knobs(self) -> tuple[Knob, ...]:
        return knobs(self.wanted_scene or self.table.scene)

    def turn(self, knob: str, value: float) -> None:
        """The camera loop puts it into effect: a new scene takes a while to draw."""
        self.wanted_scene = turned(self.wanted_scene or self.table.scene, knob, value)

    def switches(self) -> tuple[Switch, ...]:
        faults = self.table.faults
        camera = [Switch(name, label, bool(getattr(faults, name))) for name, label in _CAMERA.items()]
        glare = Switch("glare", "Lamp shines into the camera", faults.glare > 0)
        displays = [Switch(f"display {n}", f"Display {n} off its wire", n in self._off) for n in self._oleds]
        jam = [Switch(f"stuck {s}", f"Button choose of {s} stuck", s in self._jammed) for s in self.seats]
        return (*camera, glare, *displays, *jam)

    def throw(self, switch: str, on: bool) -> None:
        kind, _, name = switch.partition(" ")
        if switch in _CAMERA:
            self.table.faults = msgspec.structs.replace(self.table.faults, **{switch: on})
        elif switch == "glare":
            self.table.faults = msgspec.structs.replace(self.table.faults, glare=GLARE if on else 0.0)
        elif kind == "display":
            self._unplug(name, on)
        elif kind == "stuck" and name in self.seats:
            self.pins.stick(name, Button.CHOOSE, on)
            (self._jammed.add if on else self._jammed.discard)(name)
        else:
            raise KeyError(switch)

    def auto(self) -> Auto:
        return self._auto

    def play(self, auto: Auto) -> None:
        if auto != self._auto:
            self._auto = auto
            self.played(auto)

    def _unplug(self, name: str, on: bool) -> None:
        oled = self._oleds[name]
        if on and name not in self._off:
            oled.vanish()
            self._off.add(name)
        elif not on and name in self._off:
            oled.come_back()
            self._off.discard(name)


def _seat(panel: str) -> Seat | None:
    return None if panel == SHARED else panel


def _pixels(oled: SimulatedOled) -> Pixels:
    image = oled.pixels()
    return Pixels(image.width, image.height, image.tobytes())
