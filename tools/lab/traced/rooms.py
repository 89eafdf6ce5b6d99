"""A room for a seed: the camera over the table, lamps, daylight, the table top, and the sensor."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np


@dataclass(frozen=True)
class Lamp:
    """A round lamp above the table. Millimetres from the mat's middle, z up; watts: brightness, in no unit."""

    at: tuple[float, float, float]
    radius: float
    kelvin: float
    watts: float


@dataclass(frozen=True)
class Room:
    """fov: of the picture's width, degrees. lean, towards, roll: how the camera hangs, degrees. k1: distortion at half
    the width. f_stop_mm: radius of the lens. focus: against the distance of the mat's middle. gain: electrons of a
    pixel that is as bright as can be. tint: error of the white balance, red and blue. stops: error of the exposure."""

    seed: int
    fov: float
    lean: float
    towards: float
    roll: float
    slack: float
    k1: float
    aperture_mm: float
    focus: float
    lamps: tuple[Lamp, ...]
    daylight: float
    daylight_from: float
    wall: tuple[float, float, float]
    wood: tuple[float, float, float]
    grain: float
    gloss: float
    gain: float
    tint: tuple[float, float]
    stops: float
    jpeg: int


def draw_room(seed: int) -> Room:
    """What a living room may be like: one to three lamps, warm or neutral, more or less daylight from one side."""
    rng = np.random.default_rng([seed, 1])

    def between(low: float, high: float) -> float:
        return float(rng.uniform(low, high))

    warm = between(2500, 4500)
    lamps = []
    for _ in range(rng.integers(1, 4)):
        off, turn = between(250, 1100), between(0, 2 * np.pi)
        at = (off * float(np.cos(turn)), off * float(np.sin(turn)), between(900, 1700))
        lamps.append(Lamp(at, between(25, 170), warm * between(0.93, 1.07), between(0.4, 1.0)))
    brown = np.array([between(0.16, 0.62), between(0.45, 0.68), between(0.35, 0.62)])
    return Room(
        seed=seed,
        fov=between(54, 68),
        lean=between(0, 20),
        towards=between(0, 360),
        roll=between(-6, 6),
        slack=between(1.07, 1.18),
        k1=between(-0.02, 0.015),
        aperture_mm=between(0.8, 1.3),
        focus=between(0.95, 1.05),
        lamps=tuple(lamps),
        daylight=between(0.02, 0.5) if rng.random() < 0.6 else 0.0,
        daylight_from=between(0, 360),
        wall=(between(0.5, 0.8), between(0.5, 0.75), between(0.45, 0.75)),
        wood=(float(brown[0]), float(brown[0] * brown[1]), float(brown[0] * brown[1] * brown[2])),
        grain=between(0.15, 0.45),
        gloss=between(0.07, 0.3),
        gain=between(2500, 9000),
        tint=(between(0.9, 1.1), between(0.9, 1.1)),
        stops=between(-0.6, 0.35),
        jpeg=int(rng.integers(84, 93)),
    )


def glow(kelvin: float) -> np.ndarray:
    """Linear red, green and blue of a black body, green 1 (Planck's law at 610, 550 and 465 nm)."""
    micro = np.array([0.610, 0.550, 0.465])
    bright = micro**-5.0 / (np.exp(14388 / (micro * kelvin)) - 1)
    daylight = micro**-5.0 / (np.exp(14388 / (micro * 6504)) - 1)
    light = bright / daylight
    return light / light[1]


def surroundings(room: Room) -> np.ndarray:
    """What is about the table, a picture of all directions: ceiling, walls, a window. 128 x 256, up first."""
    rng = np.random.default_rng([room.seed, 2])
    down, round_ = np.mgrid[0:128, 0:256] / np.array([128, 256])[:, None, None]
    lamp = glow(float(np.mean([lamp.kelvin for lamp in room.lamps])))
    light = np.clip(1.15 - 1.3 * down, 0.12, None)[..., None] * np.array(room.wall) * lamp * 0.06
    for _ in range(6):  # furniture and pictures
        at, wide, high, tall = rng.random(), rng.uniform(0.02, 0.12), rng.uniform(0.3, 0.5), rng.uniform(0.03, 0.15)
        inside = (np.abs((round_ - at + 0.5) % 1 - 0.5) < wide) & (np.abs(down - high) < tall)
        light[inside] *= rng.uniform(0.2, 0.8)
    side = np.abs((round_ - room.daylight_from / 360 + 0.5) % 1 - 0.5)
    window = (side < 0.07) & (np.abs(down - 0.34) < 0.1) & (side > 0.004) & (np.abs(down - 0.34) > 0.003)
    light[window] += room.daylight * 10 * glow(6800)
    return light.astype(np.float32)


def planks(room: Room, side: int = 1024) -> np.ndarray:
    """The table top: growth rings cut lengthwise, with pores and seams. Reflectance, side x side x 3."""
    rng = np.random.default_rng([room.seed, 3])
    return wood(rng, np.array(room.wood), room.grain, side, boards=int(rng.integers(3, 8)))


def wood(rng: np.random.Generator, colour: np.ndarray, grain: float, side: int, boards: int = 1) -> np.ndarray:
    """Reflectance of sawn wood."""
    y, x = np.mgrid[0:side, 0:side] / side
    board = np.int32(y * boards)
    shift, tone = rng.uniform(0, 50, boards)[board], rng.uniform(0.88, 1.12, boards)[board]
    wave = sum(
        rng.uniform(0.3, 1) / k * np.sin(2 * np.pi * (k * 0.7 * x + k * 0.9 * y + rng.random()) + shift)
        for k in (1, 2, 3, 5)
    )
    depth = (y * boards % 1) * 14 / boards**0.5 + shift + 0.55 * wave
    rings = 0.5 + 0.5 * np.sin(2 * np.pi * depth + 2 * np.sin(2 * np.pi * (0.31 * depth)))
    pores = rng.normal(size=(side, max(8, side // 24)))
    pores = cv2.resize(pores, (side, side), interpolation=cv2.INTER_CUBIC)
    seam = np.minimum(y * boards % 1, 1 - y * boards % 1) * side / boards < 1.2
    bright = tone * (1 - grain * rings**2 + 0.05 * pores) * np.where(seam & (boards > 1), 0.45, 1)
    return np.clip(colour * bright[..., None], 0.01, 0.9).astype(np.float32)
