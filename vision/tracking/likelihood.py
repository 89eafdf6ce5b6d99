"""How likely a hidden piece is to be what appears somewhere: densities per square millimetre."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vision.tracking.accounts import Hidden, Hypothesis, Place, Setting

UNTOUCHED, UNTOUCHED_MM = 0.85, ((0.9, 0.12), (0.09, 0.35), (0.01, 0.9))
"""Weight of a covered piece lying where it lay, and by how much it then seems to have moved: shares and sigmas."""

NUDGED, RETURNED_MM = 0.05, 4.0
"""Weight of a piece that was only covered lying some millimetres off, and how far."""

MOVED = 0.15
"""Weight of a piece that was only covered having been taken up and laid elsewhere."""

SECOND = 0.01
"""The same over again if every hand already holds a piece."""

HOME, VACANT, ELSEWHERE = 0.3, 0.5, 0.2
"""Of a piece in a hand: weights of being put back, of being laid where others were taken away, and anywhere."""

PUSHED, PUSHED_MM = 0.3, 3.0
"""Of a piece that was pushed: weight of going as far as another one did."""

BACKWARD = 0.01
"""How likely a piece that was seen to leave its place is to have been pushed the other way in the end."""

STRAIGHT, ALONG_MM, ACROSS_MM = 0.1, 40.0, 2.5
"""Weight of a piece having been pushed along the mat, how far, and how straight."""

AGAIN = 0.05
"""Weight of a piece that was laid down having been taken up once more, unseen, and put where it or another belongs."""

SEEMED_GONE = 0.005
"""How likely a place is to look empty in a picture though its piece was not touched."""

SEEMED_ASIDE = 0.05
"""How likely a piece is to have been seen a little aside, under a hand, though it was not touched."""

TWICE = 1e-3
"""How likely something is to be a piece that was seen elsewhere at the same time."""

CARRY_S, CARRY_MM_S = 0.3, 600.0
"""What a hand needs to take a piece up and let go of it, and how fast it carries it."""

PICTURE_S = 0.2
"""A piece may have been hidden so long before the picture that first missed it."""

REACH_MM, SPEED_MM_S, FARTHEST_MM = 60.0, 400.0, 250.0
"""How far a hand lays a piece from where it took it: at once, more with every second, and at most."""


def likelihood(one: Hypothesis, track: int, place: Place, at: float, setting: Setting) -> float:
    """Density per square millimetre of a hidden piece being what appears there."""
    hidden = one.hidden[track]
    apart = apart_mm(hidden, place)
    carried = laid(one, track, place, at) * (TWICE if at < hidden.at - PICTURE_S / 2 else 1.0)
    if hidden.gone:
        return still(hidden, place) + carried
    taken = MOVED * haste(apart, at - hidden.at) * (SECOND if one.held >= setting.hands else 1.0)
    return still(hidden, place) + NUDGED * _normal(apart, RETURNED_MM) + taken * carried


def haste(apart: float, since: float) -> float:
    """How likely a hand is to have been quick enough to take something up and lay it down so far away."""
    takes = CARRY_S + apart / CARRY_MM_S
    return float(min(1.0, (max(0.0, since) + PICTURE_S) / takes)) ** 4


def still(hidden: Hidden, place: Place) -> float:
    """Density of a piece that was never touched.

    Hardly any hand puts a piece back to a fifth of a millimetre: then its place only seemed empty (a shadow, a cuff).
    """
    seen = _untouched(apart_mm(hidden, place), place.blur_mm)
    if hidden.before is not None:
        x, y = hidden.before
        seen += SEEMED_ASIDE * _untouched(float(np.hypot(x - place.x, y - place.y)), place.blur_mm)
    return float(SEEMED_GONE ** (hidden.empty + hidden.moved)) * UNTOUCHED * seen


def _untouched(apart: float, blur_mm: float) -> float:
    """Density of a piece that lies where it lay seeming to lie so far apart from that."""
    return sum(share * _normal(apart, float(np.hypot(mm, blur_mm))) for share, mm in UNTOUCHED_MM)


def laid(one: Hypothesis, track: int, place: Place, at: float) -> float:
    """Density of a piece that was in a hand: put back, laid where another was, pushed as another was, or anywhere."""
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
    """Whether a piece that was seen to leave its place, if it was, went about that way."""
    if hidden.last is None:
        return True
    return (hidden.last[0] - hidden.x) * dx + (hidden.last[1] - hidden.y) * dy > 0.0


def apart_mm(hidden: Hidden, place: Place) -> float:
    return float(np.hypot(hidden.x - place.x, hidden.y - place.y))


def _beside(place: Place, others: Sequence[tuple[float, float]], sigma: float) -> float:
    """Density of being laid, some millimetres off, at one of several places."""
    apart = [float(np.hypot(x - place.x, y - place.y)) for x, y in others]
    return sum(_normal(distance, sigma) for distance in apart) / max(1, len(apart))


def _straight(dx: float, dy: float) -> float:
    """Density of having been pushed along one of the mat's edges."""
    ways = (_line(dx, ALONG_MM) * _line(dy, ACROSS_MM), _line(dy, ALONG_MM) * _line(dx, ACROSS_MM))
    return sum(ways) / 2


def _line(distance: float, sigma: float) -> float:
    return float(np.exp(-0.5 * (distance / sigma) ** 2) / (np.sqrt(2 * np.pi) * sigma))


def _normal(distance: float, sigma: float) -> float:
    return float(np.exp(-0.5 * (distance / sigma) ** 2) / (2 * np.pi * sigma**2))
