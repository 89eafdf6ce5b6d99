"""Draws faces of pieces: symbols on stones, printed cards."""

from __future__ import annotations

from functools import lru_cache

import cv2
import numpy as np

from device.art import SYMBOL, Drawing, cards, drawings
from device.printing import pieces as printed
from device.printing.formats import picture
from device.resources import find
from vision.camera import Image

_PER_MM = 5.0  # resolution of printed cards before scaling down
_FINE = 4  # oversampling


def symbol(drawing: Drawing, side: int) -> Image:
    fine = side * _FINE
    sheet = np.zeros((fine, fine), dtype=np.uint8)
    scale = fine * SYMBOL / 100.0
    shift = fine * (1.0 - SYMBOL) / 2.0
    for figure in drawing.shapes:
        colour = 255 if figure.fill == "ink" else 0
        if figure.circle is not None:
            x, y, radius = (v * scale for v in figure.circle)
            cv2.circle(sheet, (round(x + shift), round(y + shift)), round(radius), colour, -1)
        else:
            corners = np.array(figure.points) * scale + shift
            cv2.fillPoly(sheet, [np.round(corners).astype(np.int32)], (colour,))
    return np.asarray(cv2.resize(sheet, (side, side), interpolation=cv2.INTER_AREA), dtype=np.uint8)


def disc(side: int) -> Image:
    fine = np.zeros((side * _FINE, side * _FINE), dtype=np.uint8)
    middle = side * _FINE // 2
    cv2.circle(fine, (middle, middle), middle - _FINE, 255, -1)
    return np.asarray(cv2.resize(fine, (side, side), interpolation=cv2.INTER_AREA), dtype=np.uint8)


@lru_cache(maxsize=256)
def stone(set_name: str, kind: str | None, side: int, seed: int, ident: int) -> Image:
    """Return a stone's face as BGRA, `side` pixels square; kind None is the back. `seed` and `ident` choose grain, tint
    and wear."""
    rng = np.random.default_rng([seed, ident, 0 if kind is None else 1])
    tint = np.array((176.0, 196.0, 206.0)) + rng.normal(0.0, 3.0) + rng.normal(0.0, 1.5, 3)
    grain = cv2.GaussianBlur(rng.normal(0.0, 1.0, (side, side)).astype(np.float32), (0, 0), side / 24)
    grain = np.asarray(grain * (4.0 / max(1e-6, float(grain.std()))), dtype=np.float32)
    face = np.full((side, side, 3), tint, dtype=np.float32) + grain[..., None]
    if kind is not None:
        drawing = drawings(set_name)[kind]
        ink = symbol(drawing, side).astype(np.float32)[..., None] / 255.0
        wear = 0.92 + 0.05 * float(rng.uniform(-1, 1))
        face = face * (1.0 - ink * wear) + _paint(drawing.ink) * ink * wear
    # The rounded rim catches less light.
    span = np.linspace(-1, 1, side, dtype=np.float32)
    radius = np.sqrt(span[None, :] ** 2 + span[:, None] ** 2)[..., None]
    face *= 1.0 - 0.18 * np.clip((radius - 0.86) / 0.14, 0, 1)
    return np.dstack([np.clip(face, 0, 255).astype(np.uint8), disc(side)])


def _paint(colour: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    red, green, blue = (int(colour[k : k + 2], 16) for k in (1, 3, 5))
    return np.maximum((blue, green, red), (46.0, 36.0, 34.0))


@lru_cache(maxsize=256)
def _fine(set_name: str, kind: str | None) -> Image:
    sheet = printed.back(set_name) if kind is None else printed.face(set_name, kind)
    return np.ascontiguousarray(np.asarray(picture(sheet, _PER_MM), dtype=np.uint8)[..., ::-1])


@lru_cache(maxsize=512)
def card(set_name: str, kind: str | None, side: int, seed: int, ident: int) -> Image:
    """Return a card's face as BGRA, longer side `side` pixels; kind None is the back."""
    fine = _fine(set_name, kind)
    scale = side / max(fine.shape[:2])
    size = round(fine.shape[1] * scale), round(fine.shape[0] * scale)
    face = cv2.resize(fine, size, interpolation=cv2.INTER_AREA).astype(np.float32)
    rng = np.random.default_rng([seed, ident, 2 if kind is None else 3])
    face = face * (0.9 + rng.normal(0.0, 0.01, 3)) + rng.normal(0.0, 2.0, face.shape[:2])[..., None]
    opaque = np.full(face.shape[:2], 255, dtype=np.uint8)
    return np.dstack([np.clip(face, 0, 255).astype(np.uint8), opaque])


def face(set_name: str, kind: str | None, side: int, seed: int, ident: int) -> Image:
    """Return a piece's face; see `card` and `stone`."""
    draw = card if _is_card(set_name) else stone
    return draw(set_name, kind, side, seed, ident)


@lru_cache
def _is_card(set_name: str) -> bool:
    return find("art", f"{set_name}.toml").is_file() and bool(cards(set_name))
