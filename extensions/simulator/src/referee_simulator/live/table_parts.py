"""A running table's equipment: pins, displays, light, lens, faults and automatic play."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec

from device.clock import Clock
from device.key_gestures import Button
from device.session.table import SHARED
from engine.table import Seat
from engine.text import Text, in_context, say, who
from referee_simulator.hardware.buzzer import SimulatedBuzzer, Tones
from referee_simulator.hardware.oled import SimulatedOled
from referee_simulator.hardware.pins import Pins, seat_of
from referee_simulator.panel import Auto, Knob, Pixels, Shot, Switch
from referee_simulator.table.scenes import Scene
from referee_simulator.table.virtual import VirtualTable

GLARE = 150.0
LEAST_S = 0.06

_CAMERA = {"gone": say("Camera unplugged"), "frozen": say("Camera frozen"), "black": say("Camera picture black")}


class _Scale(msgspec.Struct, frozen=True):
    label: Text
    low: float
    high: float
    step: float
    unit: Text | str = ""


_SCALES = {
    "stops": _Scale(say("Exposure"), -2.0, 2.0, 0.1, say("stops")),
    "kelvin": _Scale(in_context("its colour", "Light"), 2400.0, 7500.0, 50.0, "K"),
    "tilt_deg": _Scale(say("Camera tilt"), 0.0, 28.0, 1.0, "°"),
    "glare": _Scale(say("Reflection"), 0.0, 160.0, 5.0),
    "shadow": _Scale(say("Shadows"), 0.0, 0.7, 0.05),
    "noise": _Scale(in_context("in a picture", "Noise"), 0.0, 8.0, 0.5),
    "soften": _Scale(say("Blur"), 0.2, 2.0, 0.1, "px"),
    "k1": _Scale(say("Lens distortion"), -0.1, 0.1, 0.01),
}


class Parts(msgspec.Struct, frozen=True):
    pins: Pins
    oleds: Mapping[str, SimulatedOled]
    buzzer: SimulatedBuzzer | None = None


class Fittings:
    """The equipment of a `Stage`. table: under the camera."""

    table: VirtualTable

    def __init__(self, seats: tuple[Seat, ...], parts: Parts, clock: Clock) -> None:
        self.seats, self.pins, self._oleds, self._clock = seats, parts.pins, parts.oleds, clock
        self._buzzer = parts.buzzer
        self.newest: Shot | None = None
        self.wanted_scene: Scene | None = None
        self.played: Callable[[Auto], None] = lambda _: None
        """Hears who plays from now on."""
        self._pressed: dict[tuple[str, Button], float] = {}
        self._off: set[str] = set()
        self._jammed: set[str] = set()
        self._auto: Auto = "off"

    def shot(self) -> Shot | None:
        return self.newest

    def screens(self) -> Mapping[str, Pixels]:
        return {name: _pixels(oled) for name, oled in self._oleds.items()}

    def tones(self) -> Tones | None:
        return None if self._buzzer is None else self._buzzer.read_tones()

    def press(self, panel: str, button: Button) -> None:
        self.pins.press(seat_of(panel), button, self._clock.now())
        self._pressed[panel, button] = self._clock.now()

    def release(self, panel: str, button: Button) -> None:
        """Release a button, at least LEAST_S after its press."""
        pressed = self._pressed.pop((panel, button), -LEAST_S)
        self.pins.release(seat_of(panel), button, max(self._clock.now(), pressed + LEAST_S))

    def knobs(self) -> tuple[Knob, ...]:
        return knobs(self.wanted_scene or self.table.scene)

    def turn(self, knob: str, value: float) -> None:
        """Set a knob for the camera loop to apply, as drawing takes a while. Raises KeyError."""
        self.wanted_scene = turn_knob(self.wanted_scene or self.table.scene, knob, value)

    def switches(self) -> tuple[Switch, ...]:
        faults = self.table.faults
        camera = [Switch(name, label, bool(getattr(faults, name))) for name, label in _CAMERA.items()]
        glare = Switch("glare", say("Lamp shines into the camera"), faults.glare > 0)
        displays = [
            Switch(f"display {name}", say("Display unplugged: {name}", name=_display_name(name)), name in self._off)
            for name in self._oleds
        ]
        jam = [
            Switch(
                f"stuck {seat}", say("Button stuck (choose): {name}", name=_display_name(seat)), seat in self._jammed
            )
            for seat in self.seats
        ]
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


def _pixels(oled: SimulatedOled) -> Pixels:
    image = oled.pixels()
    return Pixels(image.width, image.height, image.tobytes())


def _display_name(name: str) -> Text:
    named = {
        "table": in_context("whose display it is", "everybody's"),
        SHARED: in_context("whose display it is", "the shared one"),
    }
    return named.get(name) or say("seat {seat}", seat=who(name))


def knobs(scene: Scene) -> tuple[Knob, ...]:
    return tuple(
        Knob(name, scale.label, scale.low, scale.high, scale.step, round(getattr(scene, name), 3), scale.unit)
        for name, scale in _SCALES.items()
    )


def turn_knob(scene: Scene, name: str, value: float) -> Scene:
    """Return the scene with a knob set, clipped to its range. Raises KeyError."""
    scale = _SCALES[name]
    return msgspec.structs.replace(scene, **{name: min(max(value, scale.low), scale.high)})
