"""Exposure, light colour, drift, glare and noise of the virtual camera."""

from __future__ import annotations

import math

import cv2
import numpy as np
import numpy.typing as npt

from referee_simulator.render import effects
from referee_simulator.table.scenes import Scene
from vision.camera import Image

# White paper comes out at about 170 of 255: two thirds of a stop under a camera's choice, so that one stop more does
# not burn it out.
EXPOSURE = 0.5
_POOL = 256


def encode(linear: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Apply the sRGB curve: linear light to level, both 0..1."""
    low = linear * 12.92
    high = 1.055 * np.maximum(linear, 1e-9) ** (1 / 2.4) - 0.055
    return np.where(linear <= 0.0031308, low, high)


def decode(level: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Invert `encode`."""
    low = level / 12.92
    high = ((level + 0.055) / 1.055) ** 2.4
    return np.where(level <= 0.04045, low, high)


def colour_of(kelvin: float) -> npt.NDArray[np.float64]:
    """Return gains (B, G, R; green 1) at a temperature, for a camera balanced for 5000 K.

    Source: Planck's law at 460, 540 and 610 nm."""
    metres = np.array([460e-9, 540e-9, 610e-9])

    def radiance(temperature: float) -> npt.NDArray[np.float64]:
        return np.asarray(1.0 / (metres**5 * np.expm1(0.014388 / (metres * temperature))), dtype=np.float64)

    gains = radiance(kelvin) / radiance(5000.0)
    return np.asarray(gains / gains[1], dtype=np.float64)


class Sensor:
    """A scene's exposure, colour and noise, determined by seed, time and serial."""

    def __init__(self, scene: Scene, size: tuple[int, int]) -> None:
        self._scene = scene
        self._size = size
        rng = np.random.default_rng([scene.seed, 0x5E5])
        self._phases = rng.uniform(0, 2 * math.pi, 4)
        self.mirrored_at = rng.uniform((0.25, 0.25), (0.75, 0.75)) * np.array(size)
        """Middle pixel of the scene's own reflection."""
        self._glare_px = rng.uniform(80, 220, 2) * (size[0] / 1280)
        self._own = self._reflection(scene.glare, self._glare_px)
        width, height = size
        shape = (height + _POOL, width + _POOL, 3)
        grains = np.empty(shape, dtype=np.float32)
        cv2.setRNGSeed(scene.seed & 0x7FFFFFFF)
        cv2.randn(grains, np.zeros(3), np.full(3, scene.noise))
        self._plus = cv2.convertScaleAbs(np.maximum(grains, 0))
        self._minus = cv2.convertScaleAbs(np.maximum(-grains, 0))

    def gains(self, at: float) -> npt.NDArray[np.float64]:
        scene, phase = self._scene, self._phases
        wander = 0.6 * math.sin(at / 7.3 + phase[0]) + 0.4 * math.sin(at / 2.9 + phase[1])
        shift = 0.6 * math.sin(at / 9.1 + phase[2]) + 0.4 * math.sin(at / 3.7 + phase[3])
        kelvin = max(2000.0, scene.kelvin + scene.drift_kelvin * shift)
        exposure: float = EXPOSURE * 2.0 ** (scene.stops + scene.drift_stops * wander)
        return exposure * colour_of(kelvin)

    def expose(
        self,
        picture: Image,
        at: float,
        serial: int,
        glare: float,
        dimmed: float = 0.0,
        covered: Image | None = None,
    ) -> Image:
        """Return the sensor's picture.

        glare: peak of an additional reflection, in levels
        dimmed: stops of reduced exposure, recovering clipped highlights
        covered: mask (0 to 255) of hands, which hide the scene's own reflection"""
        levels = decode(np.arange(256) / 255.0)
        table = np.round(np.stack([encode(levels * gain) * 255 for gain in self.gains(at)], axis=-1))
        lit = np.asarray(cv2.LUT(picture, table.astype(np.uint16)[None]), np.uint16)
        _add(lit, *self._own, covered)
        if glare > 0:
            _add(lit, *self._reflection(glare, self._glare_px * 4))
        light = effects.add_bands(_clip(lit, dimmed), self._scene, serial)
        image = self._grain(effects.shot(light, self._scene, serial), serial)
        return effects.compress(effects.sharpen_picture(image, self._scene), self._scene)

    def _grain(self, picture: Image, serial: int) -> Image:
        rng = np.random.default_rng([self._scene.seed, serial])
        dx, dy, ex, ey = (int(v) for v in rng.integers(0, _POOL, 4))
        width, height = self._size
        brighter = cv2.add(picture, self._plus[dy : dy + height, dx : dx + width])
        return np.asarray(cv2.subtract(brighter, self._minus[ey : ey + height, ex : ex + width]), dtype=np.uint8)

    def _reflection(self, peak: float, radii: npt.NDArray[np.float64]) -> tuple[tuple[int, int], Image]:
        width, height = self._size
        x0, y0 = (max(0, int(v)) for v in self.mirrored_at - 2.5 * radii)
        x1 = min(width, int(self.mirrored_at[0] + 2.5 * radii[0]))
        y1 = min(height, int(self.mirrored_at[1] + 2.5 * radii[1]))
        xs = (np.arange(x0, x1) - self.mirrored_at[0]) / radii[0]
        ys = (np.arange(y0, y1) - self.mirrored_at[1]) / radii[1]
        blob = np.exp(-(ys[:, None] ** 2)) * np.exp(-(xs[None, :] ** 2)) * peak
        level = np.clip(blob, 0, 255).astype(np.uint8)
        return (x0, y0), np.asarray(cv2.merge([level, level, level]), np.uint8)


def _add(lit: npt.NDArray[np.uint16], corner: tuple[int, int], light: Image, covered: Image | None = None) -> None:
    (x0, y0), (height, width) = corner, light.shape[:2]
    if covered is not None:
        open_ = cv2.bitwise_not(covered[y0 : y0 + height, x0 : x0 + width])
        light = np.asarray(cv2.multiply(light, cv2.merge([open_] * 3), scale=1 / 255), np.uint8)
    lit[y0 : y0 + height, x0 : x0 + width] += light


def _clip(lit: npt.NDArray[np.uint16], dimmed: float) -> Image:
    if not dimmed:
        return np.minimum(lit, 255).astype(np.uint8)
    levels = np.arange(int(lit.max()) + 1) / 255.0
    table = np.clip(np.round(encode(decode(levels) * 2.0**-dimmed) * 255), 0, 255).astype(np.uint8)
    return table[lit]
