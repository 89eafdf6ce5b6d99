"""Identifies pieces hidden by hands with weighted hypotheses.

A piece lying still in sight is a *strand*, one out of sight is *hidden* at its last place. A new strand may be any
hidden piece: untouched (within a fraction of a millimetre), returned (some millimetres off), carried (as far as a hand
gets) or exchanged (at another's place). Each hypothesis maps strands to tracks; what most weight agrees on is certain,
the rest is lost. (Multiple hypothesis tracking after Reid, 1979, with a beam.)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec
import numpy as np

from vision.tracking.accounts import ONE_HAND, Hidden, Hypothesis, StrandPlace, TableModel
from vision.tracking.likelihood import RETURNED_MM, SECOND, apart_mm, haste, laid_density, likelihood, untouched_density
from vision.tracking.looks import Look

LOST = 1e-5
"""Weight of wrong tracking relative to right."""

AWAY = 0.05
"""Weight of removal relative to being put down."""

MOST_LOOKS = 3
"""Pictures counted, because successive errors correlate."""

DISPLACED = 0.8
"""Weight of removal of a covered piece whose place is taken."""

BEAM = 160
FLOOR = 1e-11

Agreement = Callable[[int, int | None], float]
"""Likelihood (0..1) of a strand's look for a track, or None for new."""

Agreements = Callable[[Mapping[int, Look]], Agreement]
"""Builds it from strands' looks."""


def hide(hypotheses: Sequence[Hypothesis], strand: int, place: Hidden) -> tuple[Hypothesis, ...]:
    """Hide a strand's track at `place` in each hypothesis."""
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
    """Count an empty look, up to MOST_LOOKS, for hidden pieces whose place is empty; mark them as lifted.

    Of more pieces than `hands` can hold, those held longest count as put down.
    """
    result = []
    for one in hypotheses:
        gone = {track: place for track, place in one.hidden.items() if place.empty < MOST_LOOKS and empty(place)}
        if gone:
            hidden = dict(one.hidden)
            for track, place in gone.items():
                hidden[track] = msgspec.structs.replace(place, empty=place.empty + 1)
            after = msgspec.structs.replace(one, hidden=hidden, lifted=one.lifted | gone.keys())
            result.append(_release(one, after, hands))
        else:
            result.append(one)
    return tuple(result)


def _release(before: Hypothesis, after: Hypothesis, hands: int) -> Hypothesis:
    earlier = [track for track, place in before.hidden.items() if place.held]
    spare = max(0, after.held - hands)
    if not spare or after.held == len(earlier):
        return after
    first = sorted(earlier, key=lambda track: before.hidden[track].at)[:spare]
    laid = {track: msgspec.structs.replace(after.hidden[track], laid=True) for track in first}
    return msgspec.structs.replace(after, hidden={**after.hidden, **laid})


def appear(
    hypotheses: Sequence[Hypothesis],
    places: Sequence[StrandPlace],
    at: float,
    agree: Agreement,
    setting: TableModel = ONE_HAND,
) -> tuple[Hypothesis, ...]:
    """Branch the hypotheses for each place where a piece appeared, hidden before or new; keep the likeliest (`prune`).
    agree: likelihood of the look."""
    for place in sorted(places, key=lambda place: _farness(hypotheses, place)):
        branched: list[Hypothesis] = []
        for one in hypotheses:
            branched.extend(_branches(one, place, at, agree, setting))
        hypotheses = prune(branched)
    return tuple(hypotheses)


def _farness(hypotheses: Sequence[Hypothesis], place: StrandPlace) -> float:
    """Return the distance to the likeliest hypothesis' nearest hidden piece, to link certain ones first."""
    hidden = hypotheses[0].hidden.values() if hypotheses else ()
    return min((float(np.hypot(h.x - place.x, h.y - place.y)) for h in hidden), default=1e9)


def _branches(
    one: Hypothesis, place: StrandPlace, at: float, agree: Agreement, setting: TableModel
) -> list[Hypothesis]:
    branches = [_place_track(one, None, place, setting.outside * agree(place.strand, None), at)]
    for track in one.hidden:
        dense = likelihood(one, track, place, at, setting) * agree(place.strand, track)
        if dense > 0:
            branches.append(_place_track(one, track, place, dense, at))
    return [_clear(one, branch, place, at, setting) for branch in branches]


def _clear(before: Hypothesis, one: Hypothesis, place: StrandPlace, at: float, setting: TableModel) -> Hypothesis:
    """Mark covered pieces as moved where another now is."""
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


def _place_track(one: Hypothesis, track: int | None, place: StrandPlace, dense: float, at: float) -> Hypothesis:
    hidden = {key: value for key, value in one.hidden.items() if key != track}
    strands = {**one.strands, place.strand: track}
    after = msgspec.structs.replace(one, weight=one.weight * dense, strands=strands, hidden=hidden)
    if track is None:
        return after
    was = one.hidden[track]
    far = apart_mm(was, place) > 3 * RETURNED_MM
    moved = far or (was.gone and 2 * untouched_density(was, place) < laid_density(one, track, place, at))
    lay = {key: lain for key, lain in one.lay.items() if key != track}
    return msgspec.structs.replace(
        after,
        lay=lay if moved else {**lay, track: was.before or (was.x, was.y)},
        lifted=one.lifted | {track} if far or was.taken or (moved and was.empty) else one.lifted - {track},
        left=(*one.left, (was.x, was.y)) if moved else one.left,
        shifts=(*one.shifts, (place.x - was.x, place.y - was.y)) if far else one.shifts,
    )


def persist_hypotheses(
    hypotheses: Sequence[Hypothesis], strands: Sequence[int], factor: float
) -> tuple[Hypothesis, ...]:
    """Multiply weights by `factor` for each of these strands that a hypothesis takes for new."""
    if not strands:
        return tuple(hypotheses)
    return prune(
        [
            msgspec.structs.replace(
                one, weight=one.weight * factor ** sum(one.strands.get(strand, 0) is None for strand in strands)
            )
            for one in hypotheses
        ]
    )


def weigh_removals(hypotheses: Sequence[Hypothesis]) -> tuple[Hypothesis, ...]:
    """Weigh hypotheses at rest: pieces in hands count as taken off the table."""
    return prune([msgspec.structs.replace(one, weight=one.weight * AWAY**one.held) for one in hypotheses])


def weigh(hypotheses: Sequence[Hypothesis], strands: Sequence[int], agree: Agreement) -> tuple[Hypothesis, ...]:
    """Weigh hypotheses by strands' looks, allowing for lost strands."""
    for strand in strands:
        branched: list[Hypothesis] = []
        for one in hypotheses:
            track = one.strands.get(strand)
            branched.append(msgspec.structs.replace(one, weight=one.weight * agree(strand, track)))
            if track is not None:
                lost = one.weight * LOST * agree(strand, None)
                branched.append(msgspec.structs.replace(one, weight=lost, strands={**one.strands, strand: None}))
        hypotheses = prune(branched)
    return tuple(hypotheses)


def prune(hypotheses: Sequence[Hypothesis]) -> tuple[Hypothesis, ...]:
    """Return the likeliest hypotheses, at most BEAM and above FLOOR, normalised and sorted; one if all weigh 0."""
    total = sum(one.weight for one in hypotheses)
    if total <= 0:
        return tuple(hypotheses[:1])
    ranked = sorted(hypotheses, key=lambda one: -one.weight)[:BEAM]
    kept = [one for one in ranked if one.weight / total > FLOOR]
    total = sum(one.weight for one in kept)
    return tuple(msgspec.structs.replace(one, weight=one.weight / total) for one in kept)


def identity(hypotheses: Sequence[Hypothesis], strand: int) -> tuple[int | None, float]:
    """Return a strand's likeliest track, None for a new piece, and its probability."""
    shares: dict[int | None, float] = {}
    for one in hypotheses:
        track = one.strands.get(strand)
        shares[track] = shares.get(track, 0.0) + one.weight
    return max(shares.items(), key=lambda item: item[1]) if shares else (None, 1.0)


def lift_probability(hypotheses: Sequence[Hypothesis], track: int) -> float:
    return sum(one.weight for one in hypotheses if track in one.lifted)
