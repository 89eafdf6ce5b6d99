"""Models the ground, cloth or paper under uneven light, and finds foreground."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from vision.camera import Image
from vision.finding.channels import extremes, split, sum_channels

Floats = npt.NDArray[np.float32]
Doubles = npt.NDArray[np.float64]

CONTRAST = 0.14
"""Least relative difference from the ground in any channel."""

OFFSET = 4.0
"""Added to levels against dark noise."""

GRAIN = 4
"""Reduction of the picture used to model the ground."""

NEAR = 0.35
"""Largest log difference from the commonest colour in the first fit."""

COLOURS, LEAST_CELL = 3, 0.02
"""Most candidate colours of the ground, and least share of pixels of each."""

HUE = 0.12
"""Largest spread between channels along which the ground is followed; more is another hue."""

PALER, STRONGER = 0.06, 1.5
"""Largest relative distance from the line between ground's and lamp's colours."""

NOISY, DIM = 3.0, 4.5
"""Noise in levels of brightness and between channels; decisive in the dark."""

SHINE, SHINES, LEAST_SHINE, TINTED = 0.15, 0.6, 0.01, 0.35
"""Relative brightening of a reflection (range); sheet share that determines the lamp's tint; largest tint."""

STEEP = 0.2
"""Log step across three small pixels that stops following the ground."""

LEAST_BARE = 0.02
"""Share of bare sheet needed to exclude known objects."""

NO_TINT = 1e-4
"""Squared tint of gray ground."""

SPREAD = 3.0
"""Extrapolation radius in small pixels."""

ROUNDS = 24

MORE = 0.01
"""Additional share of ground that another starting colour must explain."""


def stands_out(sheet: Image, usable: Image, other: Image | None = None) -> Image:
    """Return a mask (0/1) of the foreground, filled and without thin lines. other: mask of known non-ground."""
    bare = split(ground(sheet, usable, other))
    light = [np.add(plane, np.float32(OFFSET)) for plane in cv2.split(sheet)]
    against = [np.asarray(cv2.divide(one, own, dst=one), np.float32) for one, own in zip(light, bare, strict=True)]
    low, high = extremes(against)
    least, most = extremes([np.asarray(cv2.blur(one, (3, 3)), np.float32) for one in against])
    dark = 1.0 / bare[1]
    bold = cv2.max(high - 1, 1 - low) > np.maximum(CONTRAST, NOISY * dark)
    over = np.asarray((bold | (most - least > np.maximum(HUE, DIM * dark))) & (usable > 0), np.uint8)
    over = np.asarray(cv2.morphologyEx(over, cv2.MORPH_OPEN, np.ones((5, 5), np.uint8)), np.uint8)
    contours, _ = cv2.findContours(over, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    return np.asarray(cv2.drawContours(np.zeros_like(over), contours, -1, 1, cv2.FILLED), np.uint8)


def ground(sheet: Image, usable: Image, other: Image | None = None) -> Floats:
    """Return the bare ground's colour plus OFFSET by pixel, under slowly changing light.

    From a paraboloid through a common colour it is followed smoothly, also into reflections, but not across edges or
    into `other`.
    """
    small = (sheet.shape[1] // GRAIN, sheet.shape[0] // GRAIN)
    light = np.log(cv2.resize(sheet, small, interpolation=cv2.INTER_AREA).astype(np.float32) + OFFSET)
    bare = cv2.resize(usable, small, interpolation=cv2.INTER_NEAREST) > 0
    if other is not None:
        left = bare & (cv2.resize(other, small, interpolation=cv2.INTER_NEAREST) == 0)
        bare = left if np.count_nonzero(left) >= LEAST_BARE * left.size else bare
    fits = _paraboloids(light, bare)
    around, all_bare = np.ones((3, 3), np.uint8), bare.copy()
    bare &= extremes(split(cv2.dilate(light, around) - cv2.erode(light, around)))[1] < STEEP
    (told, most), more = _follow_ground(light, fits[0], bare, all_bare), MORE * np.count_nonzero(all_bare)
    for fit in fits[1:]:
        if most + more >= np.count_nonzero(all_bare):
            break
        followed, known = _follow_ground(light, fit, bare, all_bare)
        if known > most + more:
            told, most = followed, known
    return np.asarray(cv2.resize(np.exp(told), sheet.shape[1::-1], interpolation=cv2.INTER_LINEAR), np.float32)


def _follow_ground(
    light: Floats, fit: Floats, bare: npt.NDArray[np.bool_], all_bare: npt.NDArray[np.bool_]
) -> tuple[Floats, int]:
    """Return the ground's logarithm, H x W x 3, and count of matching pixels. bare: without edges; all_bare: with."""
    seen, own = np.exp(light), np.exp(fit)
    maybe = bare & (_aside(seen, own, _lamp(seen, own, bare)) < np.maximum(PALER, DIM / own[..., 1]))
    rest = light - fit
    carried, known = np.zeros_like(rest), np.zeros_like(maybe)
    for _ in range(ROUNDS):
        before, known = known, maybe & _agree(rest, carried)
        if np.array_equal(known, before):
            break
        carried = _extrapolate(rest, known)
    like_it = int(np.count_nonzero(all_bare & _agree(rest, carried)))
    return np.asarray(fit + carried, np.float32), like_it


def _lamp(light: Floats, own: Floats, bare: npt.NDArray[np.bool_]) -> Floats:
    """Return the reflected light's colour, about (1, 1, 1). light, own: H x W x 3."""
    more = light - own
    more = more[bare & ((more > SHINE * own) & (more < SHINES * own)).all(axis=2)]
    if len(more) < LEAST_SHINE * bare.size:
        return np.ones(3, np.float32)
    tint = np.median(more / more.mean(axis=1, keepdims=True), axis=0)
    return np.asarray(np.clip(tint, 1.0 - TINTED, 1.0 + TINTED), np.float32)


def _aside(light: Floats, own: Floats, lamp: Floats) -> Floats:
    """Return relative distances from the reflection line. light, own: H x W x 3."""
    tint, ground = (
        [one / (sum_channels(planes) / 3) - colour for one, colour in zip(planes, lamp, strict=True)]
        for planes in (split(light), split(own))
    )
    across = sum_channels([one * other for one, other in zip(tint, ground, strict=True)])
    strength = np.clip(across / np.maximum(sum_channels([one * one for one in ground]), NO_TINT), 0.0, STRONGER)
    off = [one - strength * other for one, other in zip(tint, ground, strict=True)]
    return np.asarray(np.sqrt(sum_channels([one * one for one in off])), np.float32)


def _agree(rest: Floats, carried: Floats) -> npt.NDArray[np.bool_]:
    low, high = extremes(split(rest - carried))
    return np.asarray((high < CONTRAST) & (low > -CONTRAST) & (high - low < HUE))


def _extrapolate(rest: Floats, known: npt.NDArray[np.bool_]) -> Floats:
    near = known.astype(np.float32)
    blue, green, red = cv2.split(cv2.multiply(rest, cv2.merge([near, near, near])))
    spread = np.asarray(cv2.GaussianBlur(cv2.merge([blue, green, red, near]), (0, 0), SPREAD), np.float32)
    *rests, weight = split(spread)
    share = np.maximum(weight, np.float32(0.02))
    return np.asarray(cv2.merge([cv2.divide(one, share) for one in rests]), np.float32)


def _paraboloids(light: Floats, bare: npt.NDArray[np.bool_]) -> list[Floats]:
    rows, columns = np.nonzero(bare)
    values = np.stack([plane[rows, columns] for plane in split(light)])
    places = _terms(columns / light.shape[1], rows / light.shape[0])
    fits = [_fit_paraboloid(values.astype(np.float64), places, colour) for colour in _commonest(values)]
    fits.sort(key=lambda one: one[1], reverse=True)
    y, x = np.mgrid[0 : light.shape[0], 0 : light.shape[1]]
    terms = _terms(x.ravel() / light.shape[1], y.ravel() / light.shape[0])
    return [np.asarray((terms.T @ fit.T).reshape(light.shape), np.float32) for fit, _ in fits]


def _fit_paraboloid(values: Doubles, places: Doubles, colour: Doubles) -> tuple[Doubles, int]:
    """Fit a paraboloid, 3 x 6, and count agreeing values (3 x N)."""
    fit: Doubles = np.zeros((3, len(places)))
    fit[:, 0] = colour
    agree = 0
    for within in (NEAR, 0.2, 0.12, 0.1):
        near = np.abs(values - fit @ places).max(axis=0) < within
        agree = int(np.count_nonzero(near))
        if agree < 0.05 * len(near):
            break
        there = places[:, near]
        fit = np.asarray(np.linalg.solve(there @ there.T, there @ values[:, near].T).T, np.float64)
    return fit, agree


def _terms(x: Doubles, y: Doubles) -> Doubles:
    return np.stack([np.ones_like(x), x, y, x * x, x * y, y * y])


def _commonest(light: Floats) -> list[Doubles]:
    """Return the commonest log colours. light: 3 x places."""
    found: list[Doubles] = []
    bins = np.floor(light / 0.25).astype(int)
    bins -= bins.min(axis=1, keepdims=True)
    size = bins.max(axis=1) + 1
    cells = np.bincount(np.ravel_multi_index(tuple(bins), size), minlength=int(size.prod())).reshape(size)
    for _ in range(COLOURS):
        fullest = np.unravel_index(int(cells.argmax()), size)
        if found and cells[fullest] < LEAST_CELL * light.shape[1]:
            break
        near = (np.abs(bins - np.array(fullest)[:, None]) <= 1).all(axis=0)
        found.append(np.asarray(np.median(light[:, near], axis=1), np.float64))
        cells[tuple(slice(max(0, at - 1), at + 2) for at in fullest)] = 0
    return found
