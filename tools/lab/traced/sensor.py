"""From light to a JPEG, as a small camera does it: lens, colour filters, photons, white balance, sharpening."""

from __future__ import annotations

import cv2
import numpy as np
from rooms import Room, glow

WIDER = 1.06
"""So much more than the picture is traced, for the lens to bend."""


class Sensor:
    """Exposure and white balance are settled once, by the first picture, as the referee locks a camera's."""

    def __init__(self, room: Room, first: np.ndarray) -> None:
        """first: light, H x W x 3, red first."""
        self._room = room
        self._lamp = glow(float(np.mean([lamp.kelvin for lamp in room.lamps])))
        grey = first.mean(axis=(0, 1))
        seen = 0.5 * self._lamp + 0.5 * grey / grey[1]
        gains = seen[1] / seen * np.array([room.tint[0], 1.0, room.tint[1]])
        self._gains = gains / gains.min()  # so that what is too bright becomes white
        bright = first[..., 1] * self._gains[1]
        scale = min(0.2 / float(bright.mean()), 0.8 / float(np.percentile(bright, 98.5)))
        self._scale = scale * 2**room.stops

    def picture(self, light: np.ndarray, size: tuple[int, int], rng: np.random.Generator) -> np.ndarray:
        """Blue, green and red in bytes, as wide and high as asked."""
        room, (wide, high) = self._room, size
        bent = lens(light, room.k1, size)
        raw_light = np.clip(bent * self._scale, 0, None)
        raw = np.empty((high, wide), np.float32)
        for row, column, channel in ((0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 2)):
            raw[row::2, column::2] = raw_light[row::2, column::2, channel]
        electrons = rng.poisson(np.clip(raw, 0, 4) * room.gain) + rng.normal(0, 5.0, raw.shape)
        kept = np.clip(electrons / room.gain, 0, 1)
        plain = cv2.cvtColor(np.uint16(kept * 65535), cv2.COLOR_BayerRGGB2RGB_EA).astype(np.float32) / 65535
        balanced = np.clip(plain * self._gains, 0, 1)
        grey = np.where(balanced <= 0.0031308, balanced * 12.92, 1.055 * balanced ** (1 / 2.4) - 0.055)
        grey = grey + 0.04 / np.pi * np.sin(2 * np.pi * (grey - 0.5))
        sharp = grey + 0.45 * (grey - cv2.GaussianBlur(grey, (0, 0), 1.1))
        return np.uint8(np.clip(sharp[..., ::-1] * 255 + 0.5, 0, 255))

    def jpeg(self, image: np.ndarray) -> bytes:
        return cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, self._room.jpeg])[1].tobytes()


def lens(light: np.ndarray, k1: float, size: tuple[int, int]) -> np.ndarray:
    """Bends a picture that is traced through a straight lens, darkens its corners, and parts the colours at its rim."""
    wide, high = size
    tall, across = light.shape[:2]
    y, x = np.mgrid[0:high, 0:wide].astype(np.float32)
    x, y = (x - (wide - 1) / 2) / (wide / 2), (y - (high - 1) / 2) / (wide / 2)
    r2 = x * x + y * y
    planes = []
    for channel, spread in enumerate((1.0004, 1.0, 0.9996)):
        bent = spread * (1 + k1 * r2) * (wide / 2)
        to = (x * bent + (across - 1) / 2, y * bent + (tall - 1) / 2)
        planes.append(cv2.remap(np.ascontiguousarray(light[..., channel]), *to, cv2.INTER_CUBIC))
    return np.stack(planes, -1) * (1 - 0.16 * r2)[..., None]
