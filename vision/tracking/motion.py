"""Tracks pieces while hands move.

A piece in sight is a *strand*. A carried piece is hidden until two pictures show it at the same place. `belief` keeps
the hypotheses.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec
import numpy as np

from vision.finding.pieces import FoundPiece
from vision.tracking import belief
from vision.tracking.accounts import ALL_THERE, CLUTTER, OUTSIDE, Carry, Hidden, Hypothesis, StrandPlace, TableModel
from vision.tracking.looks import Look, Track, blur_mm, is_clear, nearest, take
from vision.tracking.pushes import shift

SAME_MM = 2.5
"""Tolerance of a still piece."""

STEP_MM = 8.0
"""Motion of a piece between pictures."""

NEAR_MM = 12.0
"""Distance of a detection that keeps a place occupied."""

CARRIED_MM = 5.0
"""Distance from home of a carried piece."""

LATELY_S, REMEMBERED_S, AGAIN_MM = 0.35, 1.5, 1.2
"""Time to find a detection again; after an arm, longer and at the same place."""

STAYS = 3
"""Still pictures that confirm a piece."""

CLEARANCE_MM = 4.0
"""Apparent overlap of moving pieces."""

Bare = Callable[[float, float], bool]


class Strand(msgspec.Struct, frozen=True):
    """A piece in sight. home: last still place; stays: pictures there."""

    number: int
    x: float
    y: float
    home: tuple[float, float]
    stays: int = 0

    @property
    def carried(self) -> bool:
        return float(np.hypot(self.x - self.home[0], self.y - self.home[1])) > CARRIED_MM


class TimedPiece(msgspec.Struct, frozen=True):
    """A detection with its first and last time."""

    spotted: FoundPiece
    since: float
    at: float

    def apart(self, other: FoundPiece) -> float:
        return float(np.hypot(self.spotted.x_mm - other.x_mm, self.spotted.y_mm - other.y_mm))


class Motion:
    """Hypotheses since the last rest. Call `follow` per picture, then `match`. apart_mm, every: see `Tracker`."""

    def __init__(self, apart_mm: float, every: int | None) -> None:
        self._apart_mm, self._every = apart_mm, every
        self._new = 1.0
        self.hypotheses: tuple[Hypothesis, ...] = (Hypothesis(1.0, {}, {}),)
        self._strands: list[Strand] = []
        self._numbers = 0
        self._candidates: list[TimedPiece] = []
        self._hands = self._last_hands = 1

    def start(self, tracks: Sequence[Track], covered: Mapping[int, Track], at: float) -> None:
        """Start from the tracks of a table at rest."""
        self._strands, self._candidates, self._hands, self._last_hands = [], [], 1, 1
        strands: dict[int, int | None] = {}
        for track in tracks:
            strands[self._strand(track.look.x_mm, track.look.y_mm)] = track.number
        hidden = {number: Hidden(track.look.x_mm, track.look.y_mm, at) for number, track in covered.items()}
        self.hypotheses = (Hypothesis(1.0, strands, hidden),)
        all_there = self._every is not None and len(strands) + len(hidden) >= self._every
        self._new = ALL_THERE if all_there else 1.0

    def follow(self, spotted: Sequence[FoundPiece], bare: Bare, at: float, hands: int) -> None:
        """Follow pieces into the next picture in motion."""
        # A hand parted in one picture, by a cuff in the mat's colour, counts as one.
        self._hands, self._last_hands = max(self._hands, min(hands, self._last_hands)), hands
        spare = list(spotted)
        still, rest = self._still(spare)
        together = shift([(s.x, s.y) for s in rest], [(p.x_mm, p.y_mm) for p in self._news(spare)])
        moved = [self._move_strand(strand, spare, together, at) for strand in rest]
        self._strands = [*still, *(strand for strand in moved if strand is not None)]
        doubtful = [strand.number for strand in still if strand.stays <= STAYS]
        self.hypotheses = belief.persist_hypotheses(self.hypotheses, doubtful, (OUTSIDE / CLUTTER) ** (1 / STAYS))
        self._vacate(spotted, bare)
        self._welcome(spare, at)

    def match(self, looks: Sequence[Look], bare: Bare, at: float, agree: belief.Agreements) -> dict[int, Look]:
        """Match looks at rest to strands; return them by strand, old ones first."""
        spare = list(looks)
        by_strand: dict[int, Look] = {}
        for strand in self._strands:
            same = take(spare, strand.x, strand.y, SAME_MM)
            if same is None:
                self._hide(strand, at)
            else:
                by_strand[strand.number] = same
        self._vacate([FoundPiece(look.x_mm, look.y_mm, look.angle_deg, 1.0) for look in looks], bare)
        self.hypotheses = belief.persist_hypotheses(self.hypotheses, list(by_strand), self._new)
        fresh = {self._strand(look.x_mm, look.y_mm): look for look in spare}
        places = [StrandPlace(number, look.x_mm, look.y_mm) for number, look in fresh.items()]
        self.hypotheses = belief.appear(self.hypotheses, places, at, agree(fresh), self._setting(OUTSIDE * self._new))
        self.hypotheses = belief.weigh_removals(self.hypotheses)
        return by_strand | fresh

    def refit(self, carry: Carry) -> None:
        self._strands = [_carried_strand(strand, carry) for strand in self._strands]
        self._candidates = [
            msgspec.structs.replace(one, spotted=_carried_find(one.spotted, carry)) for one in self._candidates
        ]
        self.hypotheses = tuple(each.refit(carry) for each in self.hypotheses)

    def _still(self, spare: list[FoundPiece]) -> tuple[list[Strand], list[Strand]]:
        still, rest = [], []
        for strand in self._strands:
            here = take(spare, strand.x, strand.y, SAME_MM)
            if here is None:
                rest.append(strand)
                continue
            x, y = (here.x_mm, here.y_mm) if is_clear(here) else (strand.x, strand.y)
            still.append(msgspec.structs.replace(strand, x=x, y=y, home=(x, y), stays=strand.stays + 1))
        return still, rest

    def _move_strand(
        self, strand: Strand, spare: list[FoundPiece], together: tuple[float, float] | None, at: float
    ) -> Strand | None:
        pushed = None if together is None else take(spare, strand.x + together[0], strand.y + together[1], SAME_MM)
        here = pushed or take(spare, strand.x, strand.y, STEP_MM)
        if here is None:
            self._hide(strand, at)
            return None
        if pushed is None and not is_clear(here):
            return strand  # half covered: it may lie where it lay
        return msgspec.structs.replace(strand, x=here.x_mm, y=here.y_mm)

    def _news(self, spare: Sequence[FoundPiece]) -> list[FoundPiece]:
        hidden = self.hypotheses[0].hidden.values()
        places = [(h.x, h.y) for h in hidden] + [(c.spotted.x_mm, c.spotted.y_mm) for c in self._candidates]
        return [one for one in spare if all(np.hypot(x - one.x_mm, y - one.y_mm) > SAME_MM for x, y in places)]

    def _welcome(self, spare: Sequence[FoundPiece], at: float) -> None:
        """Add strands seen twice or at a covered piece's place."""
        seen = [TimedPiece(one, self._since(one, at), at) for one in spare]
        kept = [c for c in self._candidates if nearest(spare, c.spotted.x_mm, c.spotted.y_mm, STEP_MM) is None]
        self._candidates = [*seen, *(c for c in kept if at - c.at <= REMEMBERED_S)]
        covered = [h for h in self.hypotheses[0].hidden.values() if not h.gone]
        for since in sorted({candidate.since for candidate in seen}):
            places = [
                StrandPlace(self._strand(one.x_mm, one.y_mm), one.x_mm, one.y_mm, blur_mm(one), is_clear(one))
                for one in (c.spotted for c in seen if c.since == since)
                if since < at or any(np.hypot(h.x - one.x_mm, h.y - one.y_mm) <= SAME_MM for h in covered)
            ]
            self.hypotheses = belief.appear(self.hypotheses, places, since, _anything, self._setting(CLUTTER))

    def _since(self, one: FoundPiece, at: float) -> float:
        return min(
            (
                candidate.since
                for candidate in self._candidates
                if candidate.apart(one) <= (STEP_MM if at - candidate.at < LATELY_S else AGAIN_MM)
            ),
            default=at,
        )

    def _setting(self, outside: float) -> TableModel:
        return TableModel(self._hands, self._apart_mm - CLEARANCE_MM, outside)

    def _strand(self, x: float, y: float) -> int:
        self._numbers += 1
        self._strands.append(Strand(self._numbers, x, y, (x, y)))
        return self._numbers

    def _hide(self, strand: Strand, at: float) -> None:
        last = (strand.x, strand.y) if strand.carried else None
        place = Hidden(*strand.home, at, moved=strand.carried, last=last)
        self.hypotheses = belief.hide(self.hypotheses, strand.number, place)

    def _vacate(self, spotted: Sequence[FoundPiece], bare: Bare) -> None:
        self.hypotheses = belief.vacate(
            self.hypotheses,
            lambda place: bare(place.x, place.y) and nearest(spotted, place.x, place.y, NEAR_MM) is None,
            self._hands,
        )


def _anything(_strand: int, _track: int | None) -> float:
    return 1.0


def _carried_strand(strand: Strand, carry: Carry) -> Strand:
    x, y = carry(strand.x, strand.y)
    return msgspec.structs.replace(strand, x=x, y=y, home=carry(*strand.home))


def _carried_find(found: FoundPiece, carry: Carry) -> FoundPiece:
    x, y = carry(found.x_mm, found.y_mm)
    return msgspec.structs.replace(found, x_mm=x, y_mm=y)
