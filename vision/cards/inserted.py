"""Finds cards that were laid between others of a splay by their print: their sides may not be seen between these."""

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
from vision.cards.comparing import STRIP, Comparison
from vision.cards.rest import Rest, distance_mm
from vision.cards.slides import ahead, splay_of
from vision.cards.strips import SURELY, Strip, Strips
from vision.finding.quad import Quad
from vision.mat import MatZone
from vision.recognition.enrolment import BACK
from vision.tracking.looks import Look, Track

NEWS = 0.03
"""Share of a card that looks otherwise where one shows, by nothing that came, from which another may lie on it."""

STEP_MM, EDGE_MM, LEAST_MM = 4.0, 5.0, 2.5
"""So far apart are the places where a card is looked for, and so far from those beside it: its print tells where it
lies. Nearer to them than the last it does not lie between them.
"""

BEFORE_MM = 32.0
"""So far before the oldest card of a splay another is looked for that was laid below it."""

TURNS_DEG = (0.0, -5.0, 5.0)
"""So far it may be turned from how the cards beside it lie."""

OVERLAP = 0.25
"""Share of what shows of a card that looks otherwise than before, times share of what looks otherwise that it explains:
at least so much of one that is not told by its print.
"""

OTHERWISE = 0.65
"""Share of what shows of a back that looks otherwise than before: more on a face or the ground, and less on a back, of
which the lines alone differ. In a shadow it is neither.
"""

READ = 1.0
"""By so much a face that is read tells more than all else."""

Owns = Callable[[Track, Quad, Image], bool]
"""Whether the back that shows (mask) where a rectangle lies may be that of a card."""


class Inserted:
    """Cards that came to lie between others of a splay, or below its oldest."""

    def __init__(self, work: Comparison, strips: Strips, owns: Owns) -> None:
        self._work, self._strips, self._owns = work, strips, owns

    def looks(self, rest: Rest) -> list[tuple[int, Look]]:
        """What is read of them, where they lie, each with the track of the card right below, or of the oldest."""
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
        """The cards known that lie there, the lowest first, and those where something came that could not be read.

        That may be what shows of them and of what was laid on them, taken for one.
        """
        unread = [one.look for one in rest.came if one.look.sight is Sight.UNKNOWN]
        perhaps = [t for t in rest.gone if any(distance_mm(look, t.look) <= MISFIT_MM for look in unread)]
        lying = {track.number: track for track in (*rest.kept, *rest.covered, *perhaps)}
        return [lying[track.number] for track in self._work.known if track.number in lying]

    def _gaps(self, tracks: Sequence[Track]) -> Iterator[_Gap]:
        """All between two cards, and before the oldest. tracks: the lowest first."""
        for zone in (zone for zone in self._work.on.zones if zone.order is Arrangement.SPLAY):
            low: Track | None = None
            for number, high in enumerate(tracks):
                if splay_of(self._work.on, high.look) == zone:
                    yield _Gap(zone, low, high, tracks[number:])
                    low = high

    def _between(self, gap: _Gap, explained: Image, taken: Collection[str | None]) -> Look | None:
        """What came to lie there. explained: mask (0/1) of what came and was read. taken: kinds that lie elsewhere."""
        work, over = self._work, self._covered_by([one.look for one in gap.over])
        news = np.asarray(self._shown(gap) & work.strange & ((over | explained) ^ 1), np.uint8)
        least = (STRIP if gap.low is None else NEWS) * work.on.area
        if np.count_nonzero(news) <= least or self._reads_as_ever(gap.low):
            return None
        best, most = None, 0.0
        for place in gap.places():
            strip, quad, seen = self._read(place, over)
            if np.count_nonzero(seen) <= STRIP * work.on.area or not gap.holds(strip.look):
                continue
            if strip.there is None and (strip.look.face is not Face.DOWN or gap.low is None):
                continue  # on a card a back's colour is enough: on the ground a lamp's light has that, too
            if strip.look.face is Face.DOWN:
                worth = self._as_a_back(gap.low, quad, seen, news, strip.fit)
            elif strip.guess in taken:
                worth = 0.0
            else:
                worth = READ + strip.fit if strip.look.sight is Sight.SEEN else _overlap(seen, news)
            if worth > most:
                best, most = strip.look, worth
            if most >= READ + SURELY:
                break
        return best

    def _reads_as_ever(self, low: Track | None) -> bool:
        """Whether all that showed of a face is read as it, so that no card lies there."""
        if low is None or low.look.face is not Face.UP:
            return False
        strip = self._strips.read(self._work.on.quad(low.look), self._work.shows(low))
        return strip.look.kind == low.look.kind and strip.fit >= SURELY

    def _read(self, place: Look, over: Image) -> tuple[Strip, Quad, Image]:
        """What is read of a card there, or where its print lies then, and what is seen of it. over: mask of others."""
        quad = self._work.on.quad(place)
        seen = np.asarray(self._work.on.mask(quad) & (over ^ 1), np.uint8)
        strip = self._strips.read(quad, seen)
        if strip.look.sight is Sight.SEEN or strip.there is None:
            return strip, quad, seen
        quad = self._work.on.quad(strip.there)
        seen = np.asarray(self._work.on.mask(quad) & (over ^ 1), np.uint8)
        return self._strips.read(quad, seen), quad, seen

    def _shown(self, gap: _Gap) -> Image:
        """Mask (0/1) of what may show another card: the lower one, or what stands out where no card lay."""
        if gap.low is not None:
            return self._work.shows(gap.low)
        bare = self._covered_by(list(gap.places())) & (self._work.lay ^ 1)
        return np.asarray(bare & self._work.solid(), np.uint8)

    def _as_a_back(self, low: Track | None, quad: Quad, seen: Image, news: Image, fit: float) -> float:
        """How well a back explains what looks otherwise there (mask); 0 if it may be that of the lower card."""
        otherwise = share(seen, news)
        if low is None or low.look.face is Face.UP:
            return _overlap(seen, news) if otherwise > OTHERWISE else 0.0
        back = low.look.face is Face.DOWN and low.look.sight is Sight.SEEN and otherwise < OTHERWISE
        return fit if back and not self._owns(low, quad, seen) else 0.0

    def _covered_by(self, looks: Sequence[Look]) -> Image:
        """Mask (0/1) of what cards cover."""
        mask = np.zeros_like(self._work.strange)
        for look in looks:
            mask |= self._work.on.mask(self._work.on.quad(look))
        return mask


class _Gap(NamedTuple):
    """Two cards of a splay that lie on one another; before its oldest card there is no lower one. over: what may hide
    what lies between.
    """

    zone: MatZone
    low: Track | None
    high: Track
    over: Sequence[Track]

    @property
    def number(self) -> int:
        """The track of the card right below, or of the oldest."""
        return self.high.number if self.low is None else self.low.number

    def places(self) -> Iterator[Look]:
        """Where a card may lie."""
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
        """Whether a card lies farther on than the lower one, and less far than the higher."""
        onward = ahead(self.zone)
        here, last = (float(np.array([one.x_mm, one.y_mm]) @ onward) for one in (look, self.high.look))
        first = -np.inf if self.low is None else np.array([self.low.look.x_mm, self.low.look.y_mm]) @ onward
        return bool(min(here - first, last - here) > LEAST_MM)


def _on_by(look: Look, way: npt.NDArray[np.float64]) -> Look:
    """A look so many millimetres aside."""
    return msgspec.structs.replace(look, x_mm=float(look.x_mm + way[0]), y_mm=float(look.y_mm + way[1]))


def _overlap(seen: Image, news: Image) -> float:
    """How well what is seen of a card explains what looks otherwise (masks); 0 if hardly."""
    overlap = share(seen, news) * share(news, seen)
    return overlap if overlap > OVERLAP else 0.0
