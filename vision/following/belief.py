"""Which piece is which while hands hide them: weighted hypotheses, and no opinion beyond them.

Between two rests the motion frames show pieces only now and then. A piece seen lying still is a *strand*; a piece that
is out of sight is *hidden* at its last place. When something appears, every hidden piece may be it, more or less
likely: it was never touched (same place to a fraction of a millimetre), it was put back (some millimetres off), it was
carried (as far as a hand gets in that time), or it was put where another hidden piece was (the shell game). Each
hypothesis says which strand is which track; what most of the weight agrees on is certain, the rest is lost.
(Multiple hypothesis tracking after Reid, 1979, with a beam instead of gating by tree.)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec
import numpy as np

UNTOUCHED, UNTOUCHED_MM = 0.85, 0.15
NUDGED, RETURNED_MM = 0.05, 4.0
"""Of a piece that was only covered: weights of lying where it lay, and of lying some millimetres off."""

MOVED = 0.15
"""Weight of a piece that was only covered having been taken up and laid elsewhere."""

SECOND = 0.01
"""The same over again if every hand already holds a piece."""

DISPLACED = 0.8
"""Weight of a covered piece having been taken away because another now lies where it lay."""

HOME, VACANT, ELSEWHERE = 0.3, 0.5, 0.2
"""Of a piece in a hand: weights of being put back, of being laid where others were taken away, and anywhere."""

PUSHED, PUSHED_MM = 0.3, 3.0
"""Of a piece that was pushed: weight of going as far as another one did."""

SEEMED_GONE = 0.03
"""How likely a place is to look empty in a picture though its piece was not touched."""

MOST_LOOKS = 3
"""Pictures after the other err alike: no more than these are counted."""

CARRY_S, CARRY_MM_S = 0.6, 500.0
"""What a hand needs to take a piece up and let go of it, and how fast it carries it."""

PICTURE_S = 0.2
"""A piece may have been hidden so long before the picture that first missed it."""

REACH_MM, SPEED_MM_S, FARTHEST_MM = 15.0, 150.0, 300.0
OUTSIDE = 2e-10
"""Density (per square millimetre) of a piece that nobody has seen before."""

LOST = 1e-5
"""Weight of having followed a piece wrongly, against having followed it rightly."""

BEAM = 160
FLOOR = 1e-11


class Hidden(msgspec.Struct, frozen=True):
    """A piece out of sight: last place, since when, and in how many pictures that place was since seen empty."""

    x: float
    y: float
    at: float
    empty: int = 0

    @property
    def gone(self) -> bool:
        """It was taken away: a hand has it."""
        return self.empty > 0


class Place(msgspec.Struct, frozen=True):
    """Something seen: a strand's number, where it lies, and how far off that may be because it is half covered."""

    strand: int
    x: float
    y: float
    blur_mm: float = 0.0


class Hypothesis(msgspec.Struct, frozen=True):
    """One account of what happened.

    strands: track by strand (None: a piece from outside). lifted: tracks taken up. left: places that hidden pieces were
    taken away from and that another may since have been laid on. shifts: how far pieces went that were found elsewhere.
    """

    weight: float
    strands: Mapping[int, int | None]
    hidden: Mapping[int, Hidden]
    lifted: frozenset[int] = frozenset()
    left: tuple[tuple[float, float], ...] = ()
    shifts: tuple[tuple[float, float], ...] = ()


class Setting(msgspec.Struct, frozen=True):
    """hands: how many may hold a piece. apart_mm: two pieces' centres are at least so far apart.

    outside: density, per square millimetre, of something that is none of the hidden pieces.
    """

    hands: int = 1
    apart_mm: float = 0.0
    outside: float = OUTSIDE


ONE_HAND = Setting()

Agreement = Callable[[int, int | None], float]
"""Likelihood (0..1) that a strand, by its looks, is that track (None: a new piece)."""


def hide(hypotheses: Sequence[Hypothesis], strand: int, place: Hidden) -> tuple[Hypothesis, ...]:
    """The strand is out of sight."""
    result = []
    for one in hypotheses:
        track = one.strands.get(strand)
        strands = {key: value for key, value in one.strands.items() if key != strand}
        hidden = dict(one.hidden) if track is None else {**one.hidden, track: place}
        result.append(msgspec.structs.replace(one, strands=strands, hidden=hidden))
    return tuple(result)


def vacate(hypotheses: Sequence[Hypothesis], empty: Callable[[Hidden], bool]) -> tuple[Hypothesis, ...]:
    """Notes which hidden pieces' last places are now seen to be empty: those pieces were lifted."""
    result = []
    for one in hypotheses:
        gone = {track: place for track, place in one.hidden.items() if place.empty < MOST_LOOKS and empty(place)}
        if gone:
            hidden = dict(one.hidden)
            for track, place in gone.items():
                hidden[track] = msgspec.structs.replace(place, empty=place.empty + 1)
            result.append(msgspec.structs.replace(one, hidden=hidden, lifted=one.lifted | gone.keys()))
        else:
            result.append(one)
    return tuple(result)


def appear(
    hypotheses: Sequence[Hypothesis],
    places: Sequence[Place],
    at: float,
    agree: Agreement,
    setting: Setting = ONE_HAND,
) -> tuple[Hypothesis, ...]:
    """New strands: each may be any hidden piece, or one from outside."""
    for place in sorted(places, key=lambda place: _farness(hypotheses, place)):
        branched: list[Hypothesis] = []
        for one in hypotheses:
            branched.extend(_branches(one, place, at, agree, setting))
        hypotheses = pruned(branched)
    return tuple(hypotheses)


def _farness(hypotheses: Sequence[Hypothesis], place: Place) -> float:
    """Distance to the nearest hidden piece of the likeliest account: sure links are made first."""
    hidden = hypotheses[0].hidden.values() if hypotheses else ()
    return min((float(np.hypot(h.x - place.x, h.y - place.y)) for h in hidden), default=1e9)


def _branches(one: Hypothesis, place: Place, at: float, agree: Agreement, setting: Setting) -> list[Hypothesis]:
    """One account goes on in as many ways as there are pieces that may lie there now."""
    branches = [_placed(one, None, place, setting.outside * agree(place.strand, None), at)]
    for track in one.hidden:
        likelihood = _likelihood(one, track, place, at, setting) * agree(place.strand, track)
        if likelihood > 0:
            branches.append(_placed(one, track, place, likelihood, at))
    return [_cleared(branch, place, setting.apart_mm) for branch in branches]


def _cleared(one: Hypothesis, place: Place, apart_mm: float) -> Hypothesis:
    """Covered pieces that lay where another now lies must have been taken up."""
    beneath = {key: h for key, h in one.hidden.items() if not h.gone and _apart(h, place) < apart_mm}
    if not beneath:
        return one
    hidden = dict(one.hidden)
    for key, was in beneath.items():
        hidden[key] = msgspec.structs.replace(was, empty=1)
    return msgspec.structs.replace(one, weight=one.weight * DISPLACED ** len(beneath), hidden=hidden)


def _placed(one: Hypothesis, track: int | None, place: Place, likelihood: float, at: float) -> Hypothesis:
    """The account in which a place holds that track (None: one from outside)."""
    hidden = {key: value for key, value in one.hidden.items() if key != track}
    strands = {**one.strands, place.strand: track}
    after = msgspec.structs.replace(one, weight=one.weight * likelihood, strands=strands, hidden=hidden)
    if track is None:
        return after
    was = one.hidden[track]
    apart = _apart(was, place)
    far = apart > 3 * RETURNED_MM
    still = _still(was, place)
    moved = far or (was.gone and 2 * still < _laid(one, track, place, at))
    return msgspec.structs.replace(
        after,
        lifted=one.lifted | {track} if moved else one.lifted - {track},
        left=(*one.left, (was.x, was.y)) if moved else one.left,
        shifts=(*one.shifts, (place.x - was.x, place.y - was.y)) if far else one.shifts,
    )


def _likelihood(one: Hypothesis, track: int, place: Place, at: float, setting: Setting) -> float:
    """Density per square millimetre of a hidden piece being what appears there."""
    hidden = one.hidden[track]
    apart = _apart(hidden, place)
    laid = _laid(one, track, place, at)
    if hidden.gone:
        return _still(hidden, place) + laid
    full = sum(h.gone for h in one.hidden.values()) >= setting.hands
    moved = MOVED * _haste(apart, at - hidden.at) * (SECOND if full else 1.0)
    return _still(hidden, place) + NUDGED * _normal(apart, RETURNED_MM) + moved * laid


def _haste(apart: float, since: float) -> float:
    """How likely a hand is to have been quick enough to take something up and lay it down so far away."""
    takes = CARRY_S + apart / CARRY_MM_S
    return float(min(1.0, (since + PICTURE_S) / takes)) ** 4


def _still(hidden: Hidden, place: Place) -> float:
    """Density of a piece that was never touched.

    Hardly any hand puts a piece back to a fifth of a millimetre: then its place only seemed empty (a shadow, a cuff).
    """
    sigma = float(np.hypot(UNTOUCHED_MM, place.blur_mm))
    return float(SEEMED_GONE**hidden.empty) * UNTOUCHED * _normal(_apart(hidden, place), sigma)


def _laid(one: Hypothesis, track: int, place: Place, at: float) -> float:
    """Density of a piece that was in a hand: put back, laid where another was, pushed as another was, or anywhere."""
    hidden = one.hidden[track]
    apart = _apart(hidden, place)
    reach = min(FARTHEST_MM, REACH_MM + SPEED_MM_S * max(0.0, at - hidden.at))
    others = [(h.x, h.y) for key, h in one.hidden.items() if key != track]
    pushed = [(hidden.x + dx, hidden.y + dy) for dx, dy in one.shifts]
    return (
        HOME * _normal(apart, RETURNED_MM)
        + VACANT * _beside(place, [*others, *one.left], RETURNED_MM)
        + PUSHED * _beside(place, pushed, PUSHED_MM)
        + ELSEWHERE * _normal(apart, reach)
    )


def _apart(hidden: Hidden, place: Place) -> float:
    return float(np.hypot(hidden.x - place.x, hidden.y - place.y))


def _beside(place: Place, others: Sequence[tuple[float, float]], sigma: float) -> float:
    """Density of being laid, some millimetres off, at one of several places."""
    apart = [float(np.hypot(x - place.x, y - place.y)) for x, y in others]
    return sum(_normal(distance, sigma) for distance in apart) / max(1, len(apart))


def _normal(distance: float, sigma: float) -> float:
    return float(np.exp(-0.5 * (distance / sigma) ** 2) / (2 * np.pi * sigma**2))


def weigh(hypotheses: Sequence[Hypothesis], strands: Sequence[int], agree: Agreement) -> tuple[Hypothesis, ...]:
    """Weighs every account by how well the strands' looks agree with it; each strand may also have been lost."""
    for strand in strands:
        branched: list[Hypothesis] = []
        for one in hypotheses:
            track = one.strands.get(strand)
            branched.append(msgspec.structs.replace(one, weight=one.weight * agree(strand, track)))
            if track is not None:
                lost = one.weight * LOST * agree(strand, None)
                branched.append(msgspec.structs.replace(one, weight=lost, strands={**one.strands, strand: None}))
        hypotheses = pruned(branched)
    return tuple(hypotheses)


def pruned(hypotheses: Sequence[Hypothesis]) -> tuple[Hypothesis, ...]:
    """Normalised to sum 1, the best first, the hopeless dropped."""
    total = sum(one.weight for one in hypotheses)
    if total <= 0:
        return tuple(hypotheses[:1])
    ranked = sorted(hypotheses, key=lambda one: -one.weight)[:BEAM]
    kept = [one for one in ranked if one.weight / total > FLOOR]
    total = sum(one.weight for one in kept)
    return tuple(msgspec.structs.replace(one, weight=one.weight / total) for one in kept)


def identity(hypotheses: Sequence[Hypothesis], strand: int) -> tuple[int | None, float]:
    """The likeliest track of a strand, and its probability."""
    shares: dict[int | None, float] = {}
    for one in hypotheses:
        track = one.strands.get(strand)
        shares[track] = shares.get(track, 0.0) + one.weight
    return max(shares.items(), key=lambda item: item[1]) if shares else (None, 1.0)


def lifted(hypotheses: Sequence[Hypothesis], track: int) -> float:
    """Probability that the piece was taken up."""
    return sum(one.weight for one in hypotheses if track in one.lifted)
