"""What one rest tells of the cards, and how readings that contradict each other are made to agree."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

import msgspec
import numpy as np

from engine.table import Sight
from vision.cards.arrivals import MISFIT_MM
from vision.cards.comparing import NEAR_MM
from vision.finding.quad import Quad
from vision.tracking.looks import Look, Track


class Arrival(NamedTuple):
    """A card that came; low: whether others hide a part of it."""

    look: Look
    low: bool


class Rest(NamedTuple):
    """What came, and of the cards known before: what lies as it did, what is covered, what is gone.

    turned: tracks of those that lie where they did with their other face up. perhaps_gone: of those that are covered by
    nothing that was found, so that they may be gone as well. objects: what was found and is no card, as far as can be
    told.
    """

    came: list[Arrival]
    kept: list[Track]
    covered: list[Track]
    gone: list[Track]
    turned: frozenset[int] = frozenset()
    perhaps_gone: frozenset[int] = frozenset()
    objects: Sequence[Quad] = ()


def without_own_strips(came: Sequence[Arrival]) -> list[Arrival]:
    """Without strips that show where a whole card came to lie: they are its own."""
    whole = [one.look for one in came if not one.low and one.look.sight is Sight.SEEN]
    return [one for one in came if not one.low or all(distance_mm(one.look, look) > MISFIT_MM for look in whole)]


def agreed(rest: Rest, still: frozenset[int]) -> Rest:
    """The same of cards of which each is there once: one that came is nowhere else.

    A strip is doubted if the card lies elsewhere as it did, or is seen better elsewhere. still: tracks of all of which
    that showed nothing has changed. Who reads a whole card errs less than who finds a strip again.
    """
    named = {t.look.kind: t for t in (*rest.kept, *rest.covered) if t.look.kind is not None}
    came = without_own_strips(rest.came)
    best = {one.look.kind: one for one in sorted(came, key=lambda one: (not one.low, one.look.confidence))}
    told, moved = list[Arrival](), set[int]()
    for one in came:
        track = named.get(one.look.kind or "")
        stays = one.low and track is not None and track.number in still and distance_mm(one.look, track.look) > NEAR_MM
        if one.look.kind is not None and (stays or best[one.look.kind] is not one):
            told.append(one._replace(look=_doubted(one.look)))
            continue
        told.append(one)
        if track is not None:
            moved.add(track.number)
    kept, covered = ([track for track in each if track.number not in moved] for each in (rest.kept, rest.covered))
    gone = [track for track in (*rest.kept, *rest.covered) if track.number in moved]
    return rest._replace(came=told, kept=kept, covered=covered, gone=[*rest.gone, *gone])


def _doubted(look: Look) -> Look:
    return msgspec.structs.replace(look, kind=None, face=None, sight=Sight.UNKNOWN, confidence=0.0)


def kinds(rest: Rest) -> Collection[str | None]:
    """Every kind that is seen."""
    return {look.kind for look in (*(c.look for c in rest.came), *(t.look for t in (*rest.kept, *rest.covered)))}


def distance_mm(one: Look, other: Look) -> float:
    """The distance of two cards' middles in millimetres."""
    return float(np.hypot(one.x_mm - other.x_mm, one.y_mm - other.y_mm))
