"""Which piece is which while hands hide them: weighted hypotheses.

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

from vision.tracking.accounts import ONE_HAND, Hidden, Hypothesis, Place, Setting
from vision.tracking.likelihood import RETURNED_MM, SECOND, apart_mm, haste, laid, likelihood, still
from vision.tracking.looks import Look

LOST = 1e-5
"""Weight of having followed a piece wrongly, against having followed it rightly."""

AWAY = 0.05
"""Weight of a piece having been taken from the table, against having been laid down somewhere."""

MOST_LOOKS = 3
"""Pictures after the other err alike: no more than these are counted."""

DISPLACED = 0.8
"""Weight of a covered piece having been taken away because another now lies where it lay."""

BEAM = 160
FLOOR = 1e-11

Agreement = Callable[[int, int | None], float]
"""Likelihood (0..1) that a strand, by its looks, is that track (None: a new piece)."""

Agreements = Callable[[Mapping[int, Look]], Agreement]
"""The same for strands of which the looks are known."""


def hide(hypotheses: Sequence[Hypothesis], strand: int, place: Hidden) -> tuple[Hypothesis, ...]:
    """The strand is out of sight."""
    result = []
    for one in hypotheses:
        track = one.strands.get(strand)
        strands = {key: value for key, value in one.strands.items() if key != strand}
        hidden = dict(one.hidden)
        if track is not None:
            hidden[track] = msgspec.structs.replace(place, taken=track in one.lifted, before=one.lay.get(track))
        result.append(msgspec.structs.replace(one, strands=strands, hidden=hidden))
    return tuple(result)


def vacate(hypotheses: Sequence[Hypothesis], empty: Callable[[Hidden], bool], hands: int = 1) -> tuple[Hypothesis, ...]:
    """Notes which hidden pieces' last places are now seen to be empty: those pieces were lifted.

    hands: how many may hold a piece. What was held before is laid down when they take others.
    """
    result = []
    for one in hypotheses:
        gone = {track: place for track, place in one.hidden.items() if place.empty < MOST_LOOKS and empty(place)}
        if gone:
            hidden = dict(one.hidden)
            for track, place in gone.items():
                hidden[track] = msgspec.structs.replace(place, empty=place.empty + 1)
            after = msgspec.structs.replace(one, hidden=hidden, lifted=one.lifted | gone.keys())
            result.append(_released(one, after, hands))
        else:
            result.append(one)
    return tuple(result)


def _released(before: Hypothesis, after: Hypothesis, hands: int) -> Hypothesis:
    """The account in which hands hold no more pieces than they can: those taken last."""
    earlier = [track for track, place in before.hidden.items() if place.held]
    spare = max(0, after.held - hands)
    if not spare or after.held == len(earlier):
        return after
    first = sorted(earlier, key=lambda track: before.hidden[track].at)[:spare]
    laid = {track: msgspec.structs.replace(after.hidden[track], laid=True) for track in first}
    return msgspec.structs.replace(after, hidden={**after.hidden, **laid})


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
        dense = likelihood(one, track, place, at, setting) * agree(place.strand, track)
        if dense > 0:
            branches.append(_placed(one, track, place, dense, at))
    return [_cleared(one, branch, place, at, setting) for branch in branches]


def _cleared(before: Hypothesis, one: Hypothesis, place: Place, at: float, setting: Setting) -> Hypothesis:
    """Covered pieces that lay where another now lies must have been taken up, or pushed aside, before it was laid."""
    if not place.clear:
        return one
    beneath = {key: h for key, h in one.hidden.items() if not h.gone and apart_mm(h, place) < setting.apart_mm}
    if not beneath:
        return one
    track = one.strands[place.strand]
    carried = track is not None and before.hidden[track].gone
    full = carried and before.held >= setting.hands
    hidden, weight = dict(one.hidden), one.weight
    for key, was in beneath.items():
        hidden[key] = msgspec.structs.replace(was, moved=True)
        weight *= DISPLACED * haste(0.0, at - was.at) * (SECOND if full else 1.0)
    return msgspec.structs.replace(one, weight=weight, hidden=hidden)


def _placed(one: Hypothesis, track: int | None, place: Place, dense: float, at: float) -> Hypothesis:
    """The account in which a place holds that track (None: one from outside)."""
    hidden = {key: value for key, value in one.hidden.items() if key != track}
    strands = {**one.strands, place.strand: track}
    after = msgspec.structs.replace(one, weight=one.weight * dense, strands=strands, hidden=hidden)
    if track is None:
        return after
    was = one.hidden[track]
    far = apart_mm(was, place) > 3 * RETURNED_MM
    moved = far or (was.gone and 2 * still(was, place) < laid(one, track, place, at))
    lay = {key: lain for key, lain in one.lay.items() if key != track}
    return msgspec.structs.replace(
        after,
        lay=lay if moved else {**lay, track: was.before or (was.x, was.y)},
        lifted=one.lifted | {track} if far or was.taken or (moved and was.empty) else one.lifted - {track},
        left=(*one.left, (was.x, was.y)) if moved else one.left,
        shifts=(*one.shifts, (place.x - was.x, place.y - was.y)) if far else one.shifts,
    )


def persisted(hypotheses: Sequence[Hypothesis], strands: Sequence[int], factor: float) -> tuple[Hypothesis, ...]:
    """These strands lie still, or are seen to be pieces: that one comes from outside is less likely by a factor."""
    if not strands:
        return tuple(hypotheses)
    return pruned(
        [
            msgspec.structs.replace(
                one, weight=one.weight * factor ** sum(one.strands.get(strand, 0) is None for strand in strands)
            )
            for one in hypotheses
        ]
    )


def rested(hypotheses: Sequence[Hypothesis]) -> tuple[Hypothesis, ...]:
    """No hand is there any more: what was in one has left the table."""
    return pruned([msgspec.structs.replace(one, weight=one.weight * AWAY**one.held) for one in hypotheses])


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
