"""Finds cards that were laid between others of a splay by their print: their sides may not be seen between these."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import msgspec
import numpy as np

from engine.table import Face, Sight
from vision.camera import Image
from vision.cards.arrivals import MISFIT_MM
from vision.cards.changes import share
from vision.cards.comparing import STRIP, Comparison
from vision.cards.rest import Rest, distance_mm, kinds
from vision.cards.slides import ahead, splay_of
from vision.cards.strips import SURELY, Strips
from vision.finding.quad import Quad
from vision.tracking.looks import Look, Track

NEWS = 0.03
"""Share of a card that looks otherwise where one shows, by nothing that came, from which another may lie on it."""

STEP_MM, LEAST_MM = 4.0, 5.0
"""So far apart are the places where a card is looked for, whose print tells then where it lies; so much of it shows."""

TURNS_DEG = (0.0, -5.0, 5.0)
"""So far it may be turned from how the cards beside it lie."""

OVERLAP = 0.25
"""Of a back that lies on a face: share of what shows of it that looks otherwise than before, times share of what looks
otherwise that it explains.
"""

FACE = 1.0
"""By so much the print of a face tells more than any back does."""

Owns = Callable[[Track, Quad, Image], bool]
"""Whether the back that shows (mask) where a rectangle lies may be that of a card."""


class Inserted:
    """Cards that came to lie between others."""

    def __init__(self, work: Comparison, strips: Strips, owns: Owns) -> None:
        self._work, self._strips, self._owns = work, strips, owns

    def looks(self, rest: Rest) -> dict[int, Look]:
        """What is read of them, where they lie, by the tracks of the cards right below."""
        unread = [one.look for one in rest.came if one.look.sight is Sight.UNKNOWN]
        perhaps = [t for t in rest.gone if any(distance_mm(look, t.look) <= MISFIT_MM for look in unread)]
        lying = {track.number: track for track in (*rest.kept, *rest.covered, *perhaps)}
        tracks = [lying[track.number] for track in self._work.known if track.number in lying]
        found = {track.number: self._upon(track, tracks[at + 1 :], rest) for at, track in enumerate(tracks)}
        return {number: look for number, look in found.items() if look is not None}

    def _upon(self, track: Track, above: Sequence[Track], rest: Rest) -> Look | None:
        """What came between a card and the next of its splay. above: the cards that lie higher."""
        work, zone = self._work, splay_of(self._work.on, track.look)
        following = next((one for one in above if splay_of(work.on, one.look) == zone), None)
        if zone is None or following is None or track.number in work.slid | rest.turned:
            return None
        over = self._covered_by([one.look for one in above])
        explained = over | self._covered_by([one.look for one in rest.came if one.look.sight is Sight.SEEN])
        news = np.asarray(work.shows(track) & work.strange & (explained ^ 1), np.uint8)
        if np.count_nonzero(news) <= NEWS * work.on.area:
            return None
        best, most, taken = None, 0.0, kinds(rest)
        for place in _places(track.look, following.look):
            quad = work.on.quad(place)
            seen = np.asarray(work.on.mask(quad) & (over ^ 1), np.uint8)
            if np.count_nonzero(seen) <= STRIP * work.on.area:
                continue
            strip = self._strips.read(quad, seen)
            if strip.look.sight is not Sight.SEEN or not self._lies_between(track, strip.look, following):
                continue
            if strip.look.kind is None:
                worth = self._as_a_back(track, quad, seen, news, strip.fit)
            else:
                worth = FACE + strip.fit if strip.laid and strip.look.kind not in taken else 0.0
            if worth > most:
                best, most = strip.look, worth
            if most >= FACE + SURELY:
                break
        return best

    def _as_a_back(self, low: Track, quad: Quad, seen: Image, news: Image, fit: float) -> float:
        """How well a back on a card explains what looks otherwise there (mask); 0 if it may be that card's own."""
        if low.look.face is Face.UP:
            overlap = share(seen, news) * share(news, seen)
            return overlap if overlap > OVERLAP else 0.0
        return 0.0 if low.look.face is None or self._owns(low, quad, seen) else fit

    def _lies_between(self, low: Track, look: Look, high: Track) -> bool:
        """Whether a card lies so in the splay of two others that all three are seen."""
        zone = splay_of(self._work.on, low.look)
        if zone is None or splay_of(self._work.on, look) != zone:
            return False
        first, here, last = (np.array([one.x_mm, one.y_mm]) @ ahead(zone) for one in (low.look, look, high.look))
        return bool(min(here - first, last - here) > LEAST_MM / 2)

    def _covered_by(self, looks: Sequence[Look]) -> Image:
        """Mask (0/1) of what cards cover."""
        mask = np.zeros_like(self._work.strange)
        for look in looks:
            mask |= self._work.on.mask(self._work.on.quad(look))
        return mask


def _places(low: Look, high: Look) -> Iterator[Look]:
    """Where a card may lie between two others."""
    way = np.array([high.x_mm - low.x_mm, high.y_mm - low.y_mm])
    turn, far = (high.angle_deg - low.angle_deg + 90.0) % 180.0 - 90.0, float(np.hypot(*way))
    along = np.linspace(LEAST_MM, far - LEAST_MM, max(2, round(far / STEP_MM))) / far if far > 2 * LEAST_MM else ()
    for aside in TURNS_DEG:
        for at in along:
            x, y, angle = low.x_mm + at * way[0], low.y_mm + at * way[1], low.angle_deg + at * turn + aside
            yield msgspec.structs.replace(low, x_mm=float(x), y_mm=float(y), angle_deg=float(angle))
