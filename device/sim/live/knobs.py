"""The scene settings that can be changed while people play, and their bounds."""

from __future__ import annotations

import msgspec

from device.sim.bench import Knob
from device.sim.table.scenes import Scene
from engine.text import Text, meant, say


class _Scale(msgspec.Struct, frozen=True):
    label: Text
    low: float
    high: float
    step: float
    unit: Text | str = ""


_SCALES = {
    "stops": _Scale(say("Exposure"), -2.0, 2.0, 0.1, say("stops")),
    "kelvin": _Scale(meant("its colour", "Light"), 2400.0, 7500.0, 50.0, "K"),
    "tilt_deg": _Scale(say("Camera tilt"), 0.0, 28.0, 1.0, "°"),
    "glare": _Scale(say("Reflection"), 0.0, 160.0, 5.0),
    "shadow": _Scale(say("Shadows"), 0.0, 0.7, 0.05),
    "noise": _Scale(meant("in a picture", "Noise"), 0.0, 8.0, 0.5),
    "soften": _Scale(say("Blur"), 0.2, 2.0, 0.1, "px"),
    "k1": _Scale(say("Lens distortion"), -0.1, 0.1, 0.01),
}


def knobs(scene: Scene) -> tuple[Knob, ...]:
    """Every knob, where it stands in a scene."""
    return tuple(
        Knob(name, scale.label, scale.low, scale.high, scale.step, round(getattr(scene, name), 3), scale.unit)
        for name, scale in _SCALES.items()
    )


def turned(scene: Scene, name: str, value: float) -> Scene:
    """The scene with one knob turned, within its bounds. Raises KeyError if there is no such knob."""
    scale = _SCALES[name]
    return msgspec.structs.replace(scene, **{name: min(max(value, scale.low), scale.high)})
