"""Computes likelihoods (1/mm²) of hidden pieces reappearing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vision.tracking.accounts import Hidden, Hypothesis, StrandPlace, TableModel

UNTOUCHED, UNTOUCHED_MM = 0.85, ((0.9, 0.12), (0.09, 0.35), (0.01, 0.9))
"""Weight of an unmoved covered piece; mixture of shares and sigmas of its apparent motion."""

NUDGED, RETURNED_MM = 0.05, 4.0
"""Weight and distance of a covered piece being nudged."""

MOVED = 0.15
"""Weight of a covered piece being carried."""

SECOND = 0.01
"""Factor when all hands are full."""

HOME, VACANT, ELSEWHERE = 0.3, 0.5, 0.2
"""Weights of a held piece: returned, at a vacated place, anywhere."""

PUSHED, PUSHED_MM = 0.3, 3.0
"""Weight and spread of a push like another piece's."""

BACKWARD = 0.01
"""Likelihood of a push against the seen direction."""

STRAIGHT, ALONG_MM, ACROSS_MM = 0.1, 40.0, 2.5
"""Weight, length and straightness of a push."""

AGAIN = 0.05
"""Weight of a put-down piece being lifted again unseen."""

SEEMED_GONE = 0.005
"""Likelihood of an untouched piece's place seeming empty."""

SEEMED_ASIDE = 0.05
"""Likelihood of an untouched piece seeming displaced."""

TWICE = 1e-3
"""Likelihood of two places at once."""

CARRY_S, CARRY_MM_S = 0.3, 600.0
"""Time to lift and release, and a hand's speed."""

PICTURE_S = 0.2
"""Uncertainty of the time of hiding."""

REACH_MM, SPEED_MM_S, FARTHEST_MM = 60.0, 400.0, 250.0
"""A hand's initial reach, growth per second, and limit."""


def likelihood(one: Hypothesis, track: int, place: StrandPlace, at: float, setting: TableModel) -> float:
    """Return the density (1/mm²) of a hidden piece at a place."""
    hidden = one.hidden[track]
    apart = apart_mm(hidden, place)
    carried = laid_density(one, track, place, at) * (TWICE if at < hidden.at - PICTURE_S / 2 else 1.0)
    if hidden.gone:
        return untouched_density(hidden, place) + carried
    taken = MOVED * haste(apart, at - hidden.at) * (SECOND if one.held >= setting.hands else 1.0)
    return untouched_density(hidden, place) + NUDGED * _normal(apart, RETURNED_MM) + taken * carried


def haste(apart: float, since: float) -> float:
    """Return the likelihood that a hand was fast enough. apart: millimetres; since: seconds."""
    takes = CARRY_S + apart / CARRY_MM_S
    return float(min(1.0, (max(0.0, since) + PICTURE_S) / takes)) ** 4


def untouched_density(hidden: Hidden, place: StrandPlace) -> float:
    """Return an untouched piece's density: if its place was empty, it only seemed so."""
    seen = _scattered_density(apart_mm(hidden, place), place.blur_mm)
    if hidden.before is not None:
        x, y = hidden.before
        seen += SEEMED_ASIDE * _scattered_density(float(np.hypot(x - place.x, y - place.y)), place.blur_mm)
    return float(SEEMED_GONE ** (hidden.empty + hidden.moved)) * UNTOUCHED * seen


def _scattered_density(apart: float, blur_mm: float) -> float:
    return sum(share * _normal(apart, float(np.hypot(mm, blur_mm))) for share, mm in UNTOUCHED_MM)


def laid_density(one: Hypothesis, track: int, place: StrandPlace, at: float) -> float:
    """Return a held piece's density: returned, exchanged, pushed or anywhere."""
    hidden = one.hidden[track]
    apart = apart_mm(hidden, place)
    reach = min(FARTHEST_MM, REACH_MM + SPEED_MM_S * max(0.0, at - hidden.at))
    others = [(h.x, h.y) for key, h in one.hidden.items() if key != track]
    pushed = [(hidden.x + dx, hidden.y + dy) for dx, dy in one.shifts if _onward(hidden, dx, dy)]
    back = (
        HOME * _normal(apart, RETURNED_MM)
        + VACANT * _beside(place, [*others, *one.left], RETURNED_MM)
        + PUSHED * _beside(place, pushed, PUSHED_MM)
    )
    dx, dy = place.x - hidden.x, place.y - hidden.y
    straight = STRAIGHT * _straight(dx, dy) * (1.0 if _onward(hidden, dx, dy) else BACKWARD)
    return back * (AGAIN if hidden.laid else 1.0) + straight + ELSEWHERE * _normal(apart, reach)


def _onward(hidden: Hidden, dx: float, dy: float) -> bool:
    """Return True unless the piece was seen leaving in the opposite direction."""
    if hidden.last is None:
        return True
    return (hidden.last[0] - hidden.x) * dx + (hidden.last[1] - hidden.y) * dy > 0.0


def apart_mm(hidden: Hidden, place: StrandPlace) -> float:
    return float(np.hypot(hidden.x - place.x, hidden.y - place.y))


def _beside(place: StrandPlace, others: Sequence[tuple[float, float]], sigma: float) -> float:
    apart = [float(np.hypot(x - place.x, y - place.y)) for x, y in others]
    return sum(_normal(distance, sigma) for distance in apart) / max(1, len(apart))


def _straight(dx: float, dy: float) -> float:
    ways = (_line(dx, ALONG_MM) * _line(dy, ACROSS_MM), _line(dy, ALONG_MM) * _line(dx, ACROSS_MM))
    return sum(ways) / 2


def _line(distance: float, sigma: float) -> float:
    return float(np.exp(-0.5 * (distance / sigma) ** 2) / (np.sqrt(2 * np.pi) * sigma))


def _normal(distance: float, sigma: float) -> float:
    return float(np.exp(-0.5 * (distance / sigma) ** 2) / (2 * np.pi * sigma**2))
