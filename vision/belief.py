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

UNTOUCHED, UNTOUCHED_MM = 0.85, 0.2
RETURNED, RETURNED_MM = 0.08, 4.0
SEEMED_GONE = 0.03
"""How likely a place is to look empty though its piece was not touched."""

CARRIED = 0.035
EXCHANGED, EXCHANGED_BACK = 0.15, 0.8
"""Weights of a piece being laid where another one is hidden, and where another one was taken away from."""

REACH_MM, SPEED_MM_S, FARTHEST_MM = 15.0, 150.0, 300.0
OUTSIDE = 2e-10
"""Density (per square millimetre) of a piece that nobody has seen before."""

LOST = 1e-5
"""Weight of having followed a piece wrongly, against having followed it rightly."""

BEAM = 96
FLOOR = 1e-7


class Hidden(msgspec.Struct, frozen=True):
    """A piece out of sight: last place, since when, and whether that place was since seen empty."""

    x: float
    y: float
    at: float
    gone: bool = False


class Place(msgspec.Struct, frozen=True):
    """Something seen: a strand's number and where it lies."""

    strand: int
    x: float
    y: float


class Hypothesis(msgspec.Struct, frozen=True):
    """One account of what happened.

    strands: track by strand (None: a piece from outside). lifted: tracks taken up. left: places that hidden pieces were
    taken away from and that another may since have been laid on.
    """

    weight: float
    strands: Mapping[int, int | None]
    hidden: Mapping[int, Hidden]
    lifted: frozenset[int] = frozenset()
    left: tuple[tuple[float, float], ...] = ()


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
        gone = {track: place for track, place in one.hidden.items() if not place.gone and empty(place)}
        if gone:
            hidden = dict(one.hidden)
            for track, place in gone.items():
                hidden[track] = msgspec.structs.replace(place, gone=True)
            result.append(msgspec.structs.replace(one, hidden=hidden, lifted=one.lifted | gone.keys()))
        else:
            result.append(one)
    return tuple(result)


def appear(
    hypotheses: Sequence[Hypothesis], places: Sequence[Place], at: float, agree: Agreement
) -> tuple[Hypothesis, ...]:
    """New strands: each may be any hidden piece, or one from outside."""
    for place in sorted(places, key=lambda place: _farness(hypotheses, place)):
        branched: list[Hypothesis] = []
        for one in hypotheses:
            branched.extend(_branches(one, place, at, agree))
        hypotheses = pruned(branched)
    return tuple(hypotheses)


def _farness(hypotheses: Sequence[Hypothesis], place: Place) -> float:
    """Distance to the nearest hidden piece of the likeliest account: sure links are made first."""
    hidden = hypotheses[0].hidden.values() if hypotheses else ()
    return min((float(np.hypot(h.x - place.x, h.y - place.y)) for h in hidden), default=1e9)


def _branches(one: Hypothesis, place: Place, at: float, agree: Agreement) -> list[Hypothesis]:
    outside = one.weight * OUTSIDE * agree(place.strand, None)
    branches = [msgspec.structs.replace(one, weight=outside, strands={**one.strands, place.strand: None})]
    for track, hidden in one.hidden.items():
        others = [(h.x, h.y) for key, h in one.hidden.items() if key != track]
        untouched = _untouched(hidden, place)
        likelihood = (
            untouched
            + _carried(hidden, place, at)
            + EXCHANGED * _beside(place, others)
            + EXCHANGED_BACK * _beside(place, one.left)
        )
        weight = one.weight * likelihood * agree(place.strand, track)
        if weight <= 0:
            continue
        far = float(np.hypot(hidden.x - place.x, hidden.y - place.y)) > 3 * RETURNED_MM
        moved = (hidden.gone and 2 * untouched < likelihood) or far
        branches.append(
            Hypothesis(
                weight,
                {**one.strands, place.strand: track},
                {key: value for key, value in one.hidden.items() if key != track},
                one.lifted | {track} if moved else one.lifted - {track},
                (*one.left, (hidden.x, hidden.y)) if moved else one.left,
            )
        )
    return branches


def _untouched(hidden: Hidden, place: Place) -> float:
    """Density per square millimetre of a piece that lies where it lay.

    Hardly any hand puts a piece back to a fifth of a millimetre: then its place only seemed empty (a shadow, a cuff).
    """
    apart = float(np.hypot(hidden.x - place.x, hidden.y - place.y))
    return (SEEMED_GONE if hidden.gone else 1.0) * UNTOUCHED * _normal(apart, UNTOUCHED_MM)


def _carried(hidden: Hidden, place: Place, at: float) -> float:
    """Density per square millimetre of a piece that was put back some millimetres off, or carried elsewhere."""
    apart = float(np.hypot(hidden.x - place.x, hidden.y - place.y))
    reach = min(FARTHEST_MM, REACH_MM + SPEED_MM_S * max(0.0, at - hidden.at))
    return RETURNED * _normal(apart, RETURNED_MM) + CARRIED * _normal(apart, reach)


def _beside(place: Place, others: Sequence[tuple[float, float]]) -> float:
    """Density of being laid, some millimetres off, where one of the others was."""
    apart = [float(np.hypot(x - place.x, y - place.y)) for x, y in others]
    return sum(_normal(distance, RETURNED_MM) for distance in apart) / max(1, len(apart))


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
