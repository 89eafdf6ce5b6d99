"""Finds cards inserted into splays by print, since sides may be hidden."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from engine.table import Arrangement, Face, Sight
from vision.camera import Image
from vision.cards.arrivals import MISFIT_MM
from vision.cards.changes import share
from vision.cards.comparing import STRIP, RestComparison
from vision.cards.rest import Rest, distance_mm
from vision.cards.slides import ahead, splay_of
from vision.cards.strips import SURELY, Strip, Strips
from vision.finding.quad import Quad
from vision.mat import MatZone
from vision.recognition.enrolment import BACK
from vision.tracking.looks import Look, Track

NEWS = 0.03
"""Unexplained share of a card that may hide an insertion."""

STEP_MM, EDGE_MM, LEAST_MM = 4.0, 5.0, 2.5
"""Search spacing, margin at neighbours, and least distance from them."""

BEFORE_MM = 32.0
"""Search distance before a splay's oldest card."""

TURNS_DEG = (0.0, -5.0, 5.0)
"""Search angles relative to neighbours."""

OVERLAP = 0.25
"""Least product of changed share and explained share without print."""

OTHERWISE = 0.65
"""Changed share of a back: more over face or ground, less over a back."""

READ = 1.0
"""Bonus of a read face."""

Owns = Callable[[Track, Quad, Image], bool]
"""Tells if a visible back (mask) may be a known card's."""


class Inserted:
    """Cards inserted into or below splays."""

    def __init__(self, work: RestComparison, strips: Strips, owns: Owns) -> None:
        self._work, self._strips, self._owns = work, strips, owns

    def looks(self, rest: Rest) -> list[tuple[int, Look]]:
        """Return inserted cards' looks, each with the track number right below, or the oldest's."""
        work, found = self._work, list[tuple[int, Look]]()
        if not work.dirty(work.strange):
            return found
        tracks, seen = self._lying(rest), [one.look for one in rest.came if one.look.sight is Sight.SEEN]
        explained = self._covered_by(seen)
        taken = {BACK, *(look.kind for look in (*seen, *(track.look for track in rest.kept)))}
        for gap in self._gaps(tracks):
            if gap.low is not None and gap.low.number in work.slid | rest.turned:
                continue
            look = self._between(gap, explained, taken)
            if look is not None:
                found.append((gap.number, look))
                explained |= self._covered_by([look])
                taken |= {look.kind}
        return found

    def _lying(self, rest: Rest) -> list[Track]:
        """Return lying cards, and missing ones perhaps only misread, lowest first."""
        unread = [one.look for one in rest.came if one.look.sight is Sight.UNKNOWN]
        perhaps = [t for t in rest.gone if any(distance_mm(look, t.look) <= MISFIT_MM for look in unread)]
        lying = {track.number: track for track in (*rest.kept, *rest.covered, *perhaps)}
        return [lying[track.number] for track in self._work.known if track.number in lying]

    def _gaps(self, tracks: Sequence[Track]) -> Iterator[_Gap]:
        """Yield gaps between cards and before the oldest."""
        for zone in (zone for zone in self._work.on.zones if zone.order is Arrangement.SPLAY):
            low: Track | None = None
            for number, high in enumerate(tracks):
                if splay_of(self._work.on, high.look) == zone:
                    yield _Gap(zone, low, high, tracks[number:])
                    low = high

    def _between(self, gap: _Gap, explained: Image, taken: Collection[str | None]) -> Look | None:
        """Return the best insertion in a gap, or None. explained: mask (0/1) of read cards; taken: kinds elsewhere."""
        work, over = self._work, self._covered_by([one.look for one in gap.over])
        news = np.asarray(self._visible_part(gap) & work.strange & ((over | explained) ^ 1), np.uint8)
        least = (STRIP if gap.low is None else NEWS) * work.on.area
        if np.count_nonzero(news) <= least or self._reads_as_ever(gap.low):
            return None
        found = list[_Candidate]()
        for place in gap.places():
            strip, quad, seen = self._read(place, over)
            if np.count_nonzero(seen) <= STRIP * work.on.area or not gap.holds(strip.look):
                continue
            if strip.there is None and (strip.look.face is not Face.DOWN or gap.low is None):
                continue  # a back's colour suffices on a card, not on the ground, where lamplight may imitate it
            if strip.look.face is Face.DOWN:
                worth = _as_a_back(gap.low, seen, news, strip.fit)
            elif strip.guess in taken:
                worth = 0.0
            else:
                worth = READ + strip.fit if strip.look.sight is Sight.SEEN else _overlap(seen, news)
            found.append(_Candidate(strip.look, worth, quad, seen))
            if worth >= READ + SURELY:
                break
        best = max(found, key=lambda one: one.worth, default=None)
        if best is None or not best.worth:
            return None
        beside = gap.low if best.look.face is Face.DOWN and _is_back(gap.low) else None
        return None if beside is not None and self._owns(beside, best.quad, best.seen) else best.look

    def _reads_as_ever(self, low: Track | None) -> bool:
        """Return True if the card below the gap still reads as its face."""
        if low is None or low.look.face is not Face.UP:
            return False
        strip = self._strips.read(self._work.on.quad(low.look), self._work.shows(low))
        return strip.look.kind == low.look.kind and strip.fit >= SURELY

    def _read(self, place: Look, over: Image) -> tuple[Strip, Quad, Image]:
        """Read a card here or at its print; also return place and visible part. over: covering mask."""
        quad = self._work.on.quad(place)
        seen = np.asarray(self._work.on.mask(quad) & (over ^ 1), np.uint8)
        strip = self._strips.read(quad, seen)
        if strip.look.sight is Sight.SEEN or strip.there is None:
            return strip, quad, seen
        quad = self._work.on.quad(strip.there)
        seen = np.asarray(self._work.on.mask(quad) & (over ^ 1), np.uint8)
        return self._strips.read(quad, seen), quad, seen

    def _visible_part(self, gap: _Gap) -> Image:
        """Return where an insertion may show (0/1)."""
        if gap.low is not None:
            return self._work.shows(gap.low)
        bare = self._covered_by(list(gap.places())) & (self._work.lay ^ 1)
        return np.asarray(bare & self._work.solid(), np.uint8)

    def _covered_by(self, looks: Sequence[Look]) -> Image:
        mask = np.zeros_like(self._work.strange)
        for look in looks:
            mask |= self._work.on.mask(self._work.on.quad(look))
        return mask


class _Candidate(NamedTuple):
    """A possible insertion with its place and visible part (0/1). worth: 0 for none."""

    look: Look
    worth: float
    quad: Quad
    seen: Image


class _Gap(NamedTuple):
    """A splay's gap between two cards. low: None before the oldest. over: cards that may hide it."""

    zone: MatZone
    low: Track | None
    high: Track
    over: Sequence[Track]

    @property
    def number(self) -> int:
        """Return the track number of the card below, or of the oldest."""
        return self.high.number if self.low is None else self.low.number

    def places(self) -> Iterator[Look]:
        last = self.high.look
        first = self.low.look if self.low is not None else _on_by(last, -BEFORE_MM * ahead(self.zone))
        way = np.array([last.x_mm - first.x_mm, last.y_mm - first.y_mm])
        turn, far = (last.angle_deg - first.angle_deg + 90.0) % 180.0 - 90.0, float(np.hypot(*way))
        number = max(2, round(far / STEP_MM)) if far > 2 * EDGE_MM else 0
        for aside in TURNS_DEG:
            for at in np.linspace(EDGE_MM, far - EDGE_MM, number) / far:
                there = _on_by(first, at * way)
                yield msgspec.structs.replace(there, angle_deg=float(first.angle_deg + at * turn + aside))

    def holds(self, look: Look) -> bool:
        onward = ahead(self.zone)
        here, last = (float(np.array([one.x_mm, one.y_mm]) @ onward) for one in (look, self.high.look))
        first = -np.inf if self.low is None else np.array([self.low.look.x_mm, self.low.look.y_mm]) @ onward
        return bool(min(here - first, last - here) > LEAST_MM)


def _as_a_back(low: Track | None, seen: Image, news: Image, fit: float) -> float:
    """Return a back's worth as explanation of the change; 0 for none."""
    otherwise = share(seen, news)
    if low is None or low.look.face is Face.UP:
        return _overlap(seen, news) if otherwise > OTHERWISE else 0.0
    return fit if _is_back(low) and otherwise < OTHERWISE else 0.0


def _is_back(low: Track | None) -> bool:
    return low is not None and low.look.face is Face.DOWN and low.look.sight is Sight.SEEN


def _on_by(look: Look, way: npt.NDArray[np.float64]) -> Look:
    return msgspec.structs.replace(look, x_mm=float(look.x_mm + way[0]), y_mm=float(look.y_mm + way[1]))


def _overlap(seen: Image, news: Image) -> float:
    """Return the overlap of visible part and change; 0 if small."""
    overlap = share(seen, news) * share(news, seen)
    return overlap if overlap > OVERLAP else 0.0
