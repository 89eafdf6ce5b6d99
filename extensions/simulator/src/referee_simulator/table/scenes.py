"""Scenes of the virtual camera, drawn from ranges `easy`, `normal`, `hard` and `phone` (config/sim)."""

from __future__ import annotations

from typing import TypeAlias

import msgspec
import numpy as np

from device.resources import load_shipped

Range: TypeAlias = "tuple[float, float]"

NONE: Range = (0.0, 0.0)
"""No such effect."""


class Ranges(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Bounds of a scene; units are in config/sim/scenes.toml."""

    stops: Range
    kelvin: Range
    tilt_deg: Range
    roll_deg: Range
    k1: Range
    noise: Range
    soften: Range
    slope: Range
    shadow: Range
    glare: Range
    drift_stops: float
    drift_kelvin: float
    jitter_mm: float
    jitter_deg: float
    card_deg: float
    hands: float
    tremble_px: Range = NONE
    tremble_hand_px: Range = NONE
    tremble_deg: Range = NONE
    rolling: Range = NONE
    banding: Range = NONE
    shot: Range = NONE
    sharpen: Range = NONE
    jpeg: Range = NONE
    answer: Range = NONE
    lamp_below: bool = False
    nudge_s: float = 0.0
    mat_only: bool = False


class Scene(msgspec.Struct, frozen=True):
    """A scene's values, and the seed of its random parts.

    tilt_to_deg: direction of the camera's lean
    aside_deg: aim off the mat's centre (right, down)
    light_deg: direction of the light"""

    seed: int
    stops: float = 0.0
    kelvin: float = 5000.0
    tilt_deg: float = 0.0
    tilt_to_deg: float = 90.0
    roll_deg: float = 0.0
    aside_deg: tuple[float, float] = (0.0, 0.0)
    k1: float = 0.0
    noise: float = 2.0
    soften: float = 0.5
    slope: float = 0.1
    light_deg: float = 225.0
    shadow: float = 0.3
    glare: float = 0.0
    drift_stops: float = 0.0
    drift_kelvin: float = 0.0
    jitter_mm: float = 2.0
    jitter_deg: float = 10.0
    card_deg: float = 6.0
    hands: float = 0.0
    tremble_px: float = 0.0
    tremble_hand_px: float = 0.0
    tremble_deg: float = 0.0
    rolling: float = 0.0
    banding: float = 0.0
    shot: float = 0.0
    sharpen: float = 0.0
    jpeg: float = 0.0
    answer: float = 0.0
    lamp_below: bool = False
    nudge_s: float = 0.0
    mat_only: bool = False


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    scene: dict[str, Ranges]


def load_scenes() -> dict[str, Ranges]:
    return load_shipped(_File, "sim", "scenes.toml").scene


def draw(ranges: Ranges, seed: int) -> Scene:
    """Draw a scene, deterministic by seed."""
    rng = np.random.default_rng([seed, 0x5CE7E])

    def pick(bounds: Range) -> float:
        return float(rng.uniform(*bounds))

    # By reciprocal temperature, as perceived, warm light is as frequent as cold.
    low, high = ranges.kelvin
    kelvin = 1.0 / pick((1.0 / high, 1.0 / low))
    return Scene(
        seed=seed,
        stops=pick(ranges.stops),
        kelvin=kelvin,
        tilt_deg=pick(ranges.tilt_deg),
        tilt_to_deg=pick((0.0, 360.0)),
        roll_deg=pick(ranges.roll_deg),
        k1=pick(ranges.k1),
        noise=pick(ranges.noise),
        soften=pick(ranges.soften),
        slope=pick(ranges.slope),
        light_deg=pick((0.0, 360.0)),
        shadow=pick(ranges.shadow),
        glare=pick(ranges.glare),
        drift_stops=ranges.drift_stops,
        drift_kelvin=ranges.drift_kelvin,
        jitter_mm=ranges.jitter_mm,
        jitter_deg=ranges.jitter_deg,
        card_deg=ranges.card_deg,
        hands=ranges.hands,
        tremble_px=pick(ranges.tremble_px),
        tremble_hand_px=pick(ranges.tremble_hand_px),
        tremble_deg=pick(ranges.tremble_deg),
        rolling=pick(ranges.rolling),
        banding=pick(ranges.banding),
        shot=pick(ranges.shot),
        sharpen=pick(ranges.sharpen),
        jpeg=pick(ranges.jpeg),
        answer=pick(ranges.answer),
        lamp_below=ranges.lamp_below,
        nudge_s=ranges.nudge_s,
        mat_only=ranges.mat_only,
    )
