"""Detects absent cards by vanished sides against bare ground, also in reflections."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from vision.camera import Image
from vision.cards.cardsheet import CardSheet
from vision.cards.comparing import RestComparison
from vision.finding.ground import CONTRAST, OFFSET
from vision.tracking.looks import Track

Floats = npt.NDArray[np.float32]
Places = npt.NDArray[np.intp]

ASIDE_MM = 3.0
"""Sampling distance from a side, beyond lines and blur."""

ALONG = 0.25
"""Visible share required, in longer sides."""

NEARLY_ALL = 0.9
"""Vanished share required."""


def sides_gone(work: RestComparison, track: Track) -> bool:
    """Return True if a card's sides, seen before on bare ground, vanished."""
    if work.before is None:
        return False
    bare = np.asarray(((work.lay | work.strange) ^ 1) & work.usable, np.uint8)
    across = _across(work.on, track, np.asarray(work.shows(track) & work.strange, np.uint8), bare)
    seen = _steps(work.before, across) > CONTRAST
    gone = seen & (_steps(work.sheet, across) < CONTRAST)
    least = ALONG * max(work.on.size)
    return bool(np.count_nonzero(seen) > least and np.count_nonzero(gone) >= NEARLY_ALL * np.count_nonzero(seen))


def _across(on: CardSheet, track: Track, shown: Image, bare: Image) -> Places:
    """Return rows of four pixels across the card's sides, N x 4 x 2 (x, y): two on `shown`, then two outside on `bare`.

    Rows with unusable pixels are dropped.
    """
    corners = on.quad(track.look).corners(on.size).astype(np.float64)
    middle, aside = corners.mean(axis=0), ASIDE_MM * on.scale
    lines = list[npt.NDArray[np.float64]]()
    for start, end in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        way = end - start
        outward = np.array([way[1], -way[0]]) / np.linalg.norm(way)
        outward *= np.sign(outward @ ((start + end) / 2 - middle))
        along = start + way * np.linspace(0.0, 1.0, round(np.linalg.norm(way)))[:, None]
        lines.append(along[:, None] + outward * (aside * np.array([-3.0, -1.0, 1.0, 3.0]))[:, None])
    places = np.rint(np.concatenate(lines)).astype(np.intp)
    height, width = shown.shape
    places = places[((places >= 0) & (places < (width, height))).all(axis=(1, 2))]
    clear = on.outlines() ^ 1
    usable = np.stack([(bare if outside else shown) & clear for outside in (False, False, True, True)])
    return np.asarray(places[(usable[np.arange(4), places[..., 1], places[..., 0]] > 0).all(axis=1)], np.intp)


def _steps(sheet: Image, across: Places) -> Floats:
    """Return each row's log step beyond the local slope, in the channel of the largest."""
    light = np.log(cv2.blur(sheet, (3, 3)).astype(np.float32) + np.float32(OFFSET))
    inner, within, without, outer = np.moveaxis(light[across[..., 1], across[..., 0]], 1, 0)
    slope = ((inner - within) + (without - outer)) / 2
    return np.asarray(np.abs(within - without - slope).max(axis=-1, initial=0.0), np.float32)
