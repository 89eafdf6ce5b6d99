"""Defines a rest's cards and resolves contradictions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec
import numpy as np

from engine.table import Sight
from vision.cards.arrivals import MISFIT_MM
from vision.cards.comparing import NEAR_MM
from vision.finding.quad import Quad
from vision.tracking.looks import Look, Track


class Arrival(NamedTuple):
    """A new card; low: partly hidden."""

    look: Look
    low: bool


class Rest(NamedTuple):
    """Arrivals, and known cards: unmoved, covered, gone.

    turned: track numbers of kept cards turned over in place.
    perhaps_gone: of covered ones that nothing found covers.
    objects: non-cards.
    """

    came: list[Arrival]
    kept: list[Track]
    covered: list[Track]
    gone: list[Track]
    turned: frozenset[int] = frozenset()
    perhaps_gone: frozenset[int] = frozenset()
    objects: Sequence[Quad] = ()


def without_own_strips(came: Sequence[Arrival]) -> list[Arrival]:
    """Drop partly hidden arrivals near whole ones, as strips of these."""
    whole = [one.look for one in came if not one.low and one.look.sight is Sight.SEEN]
    return [one for one in came if not one.low or all(distance_mm(one.look, look) > MISFIT_MM for look in whole)]


def resolve_doubles(rest: Rest, still: frozenset[int]) -> Rest:
    """Resolve unique cards seen twice: doubt strips whose card is unmoved or better seen elsewhere. still: unmoved
    track numbers."""
    named = {t.look.kind: t for t in (*rest.kept, *rest.covered) if t.look.kind is not None}
    came = without_own_strips(rest.came)
    best = {one.look.kind: one for one in sorted(came, key=lambda one: (not one.low, one.look.confidence))}
    told, moved = list[Arrival](), set[int]()
    for one in came:
        track = named.get(one.look.kind or "")
        stays = one.low and track is not None and track.number in still and distance_mm(one.look, track.look) > NEAR_MM
        if one.look.kind is not None and (stays or best[one.look.kind] is not one):
            told.append(one._replace(look=_doubt(one.look)))
            continue
        told.append(one)
        if track is not None:
            moved.add(track.number)
    kept, covered = ([track for track in each if track.number not in moved] for each in (rest.kept, rest.covered))
    gone = [track for track in (*rest.kept, *rest.covered) if track.number in moved]
    return rest._replace(came=told, kept=kept, covered=covered, gone=[*rest.gone, *gone])


def _doubt(look: Look) -> Look:
    return msgspec.structs.replace(look, kind=None, face=None, sight=Sight.UNKNOWN, confidence=0.0)


def kinds(rest: Rest) -> set[str | None]:
    """Return the kinds of cards not gone, with None if one is unknown."""
    return {look.kind for look in (*(c.look for c in rest.came), *(t.look for t in (*rest.kept, *rest.covered)))}


def distance_mm(one: Look, other: Look) -> float:
    """Return the distance of two cards' centres."""
    return float(np.hypot(one.x_mm - other.x_mm, one.y_mm - other.y_mm))
