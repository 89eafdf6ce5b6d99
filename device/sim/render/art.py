"""What the faces of pieces look like: the drawn symbols of config/art on a stone of their own grain and wear."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

import cv2
import msgspec
import numpy as np

from device.resources import resource
from vision.camera import Image

# The symbol's square against the face's diameter (config/art/stones.toml).
SYMBOL = 0.78
_FINE = 4  # drawn this many times larger, then scaled down


class Figure(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A polygon or a disc in a square of 100 x 100, painted in ink or in paper."""

    fill: Literal["ink", "paper"]
    points: tuple[tuple[float, float], ...] = ()
    circle: tuple[float, float, float] | None = None


class Drawing(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One symbol: its figures, painted in order."""

    kind: str
    shapes: tuple[Figure, ...]


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    stone: tuple[Drawing, ...]


@lru_cache
def drawings(name: str = "stones") -> dict[str, Drawing]:
    """The symbols of a piece set by kind, from config/art/NAME.toml."""
    path = resource("art", f"{name}.toml")
    return {drawing.kind: drawing for drawing in msgspec.toml.decode(path.read_bytes(), type=_File).stone}


def symbol(drawing: Drawing, side: int) -> Image:
    """Coverage by ink, 0 to 255, in a square of `side` pixels that is the whole face."""
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
    """Coverage of a round face that fills a square of `side` pixels, with a pixel of rim."""
    fine = np.zeros((side * _FINE, side * _FINE), dtype=np.uint8)
    middle = side * _FINE // 2
    cv2.circle(fine, (middle, middle), middle - _FINE, 255, -1)
    return np.asarray(cv2.resize(fine, (side, side), interpolation=cv2.INTER_AREA), dtype=np.uint8)


@lru_cache(maxsize=256)
def stone(set_name: str, kind: str | None, side: int, seed: int, ident: int) -> Image:
    """One face of a stone as BGRA, `side` pixels square; `kind` None is the blank back.

    The grain and the tint belong to the physical stone (`ident` of the set with that `seed`).
    """
    rng = np.random.default_rng([seed, ident, 0 if kind is None else 1])
    tint = np.array((176.0, 196.0, 206.0)) + rng.normal(0.0, 3.0) + rng.normal(0.0, 1.5, 3)
    grain = cv2.GaussianBlur(rng.normal(0.0, 1.0, (side, side)).astype(np.float32), (0, 0), side / 24)
    grain = np.asarray(grain * (4.0 / max(1e-6, float(grain.std()))), dtype=np.float32)
    face = np.full((side, side, 3), tint, dtype=np.float32) + grain[..., None]
    if kind is not None:
        ink = symbol(drawings(set_name)[kind], side).astype(np.float32)[..., None] / 255.0
        wear = 0.92 + 0.05 * float(rng.uniform(-1, 1))
        face = face * (1.0 - ink * wear) + np.array((46.0, 36.0, 34.0)) * ink * wear
    # A turned edge: the rim is rounded and catches a little less light.
    span = np.linspace(-1, 1, side, dtype=np.float32)
    radius = np.sqrt(span[None, :] ** 2 + span[:, None] ** 2)[..., None]
    face *= 1.0 - 0.18 * np.clip((radius - 0.86) / 0.14, 0, 1)
    return np.dstack([np.clip(face, 0, 255).astype(np.uint8), disc(side)])
