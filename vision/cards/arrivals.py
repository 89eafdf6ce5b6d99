"""Finds rectangles that arrived since the last rest."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import msgspec
import numpy as np

from vision.camera import Image
from vision.cards.changes import share, without_rim
from vision.cards.comparing import GAP, STRIP, UNCHANGED, WHOLE, RestComparison
from vision.cards.remaining import remaining
from vision.finding.ground import stands_out
from vision.finding.quad import Quad
from vision.finding.quads import quads_in
from vision.finding.zones import zone_of
from vision.tracking.looks import Track

NEW = 0.12
"""Changed share of a new card's visible part."""

UNLIKE, STRANGE = 0.5, 0.85
"""Changed share of a strip over bare ground; or unexplained share without rim."""

GROUND = 0.25
"""Share of unchanged ground that a card may show."""

SOLID = 0.8
"""Foreground share of a place that another card took."""

MOSTLY = 0.5
"""Foreground share at which a new region counts whole, and its least size in cards."""

ANOTHER_LIGHT = 0.25
"""Changed share of the sheet that indicates other light."""

ASTRAY_MM = 3.0
"""Position error of pushed cards."""

MISFIT_MM = 8.0
"""Distance within which a strip belongs to the card above."""


class Arrivals:
    """New cards at a rest."""

    def __init__(self, work: RestComparison) -> None:
        self.work = work
        self.between: list[tuple[Quad, Image]] = []
        """Strips of known or inserted cards, with visible masks (0/1)."""

    def quads(self) -> list[Quad]:
        """Return new cards, lowest first; set `between`; mark cards found again as unmoved."""
        if not self.work.dirty(self.work.strange):
            return []
        ground = self._ground()
        came = self._came()
        solid = _without(self.work.solid(came), ground, self.work.on.area)
        solid = solid if came is None else _whole(solid, came, self.work.on.area)
        whole, strips = list[Quad](), list[tuple[Quad, Image]]()
        above = self.work.lying()
        news = self.work.strange if self.work.before is not None else None
        found = quads_in(
            self.work.sheet,
            solid,
            self.work.on.size,
            self.work.dirty,
            self.work.on.expected_angle,
            news,
            above.copy(),
            np.asarray(self.work.lay & (self.work.strange ^ 1), np.uint8),
        )
        for quad in self._uppermost_first(found, above):
            mask = self.work.on.mask(quad)
            visible = np.asarray(mask & (above == 0), np.uint8)
            above |= mask
            is_whole = np.count_nonzero(visible) >= WHOLE * np.count_nonzero(mask)
            same = not self._is_new(visible) or (not is_whole and self.work.lies_still(quad))
            if same and self.work.mark_found_again(quad, visible):
                continue
            if not self._is_new(visible, UNCHANGED if is_whole else NEW) or share(visible, ground) > GROUND:
                continue
            if not is_whole and self._lets_ground_through(visible):
                continue
            if is_whole:
                whole.append(quad)
            else:
                strips.append((msgspec.structs.replace(quad, shown=0.0), visible))
        lying = [self.work.on.quad(track.look) for track in remaining(self.work, whole)[0]]
        known = np.zeros_like(above)
        for quad in lying:
            known |= self.work.on.mask(quad)
        if self.work.slid:
            side = 2 * round(ASTRAY_MM * self.work.on.scale) + 1
            known = np.asarray(cv2.dilate(known, np.ones((side, side), np.uint8)), np.uint8)
        strips = [(quad, visible) for quad, visible in strips if not self._misfits(quad, [*whole, *lying])]
        strange = [quad for quad, visible in strips if self._is_new(np.asarray(visible & (known == 0), np.uint8))]
        self.between = [(quad, visible) for quad, visible in strips if quad not in strange]
        return [*strange[::-1], *(msgspec.structs.replace(quad, shown=1.0) for quad in whole[::-1])]

    def _lets_ground_through(self, visible: Image) -> bool:
        """Return True if a strip is mostly unchanged bare ground; a skew card makes mat lines resemble sides."""
        bare = np.asarray(visible & (self.work.lay ^ 1), np.uint8)
        if self.work.before is None or np.count_nonzero(bare) <= UNLIKE * np.count_nonzero(visible):
            return False
        return share(bare, self.work.changed) < UNLIKE and share(without_rim(bare), self.work.strange) < STRANGE

    def _uppermost_first(self, found: Sequence[Quad], lying: Image) -> list[Quad]:
        """Put cards farther on in a splay before partly hidden ones that they touch. lying: mask of unmoved cards."""
        work, ordered = self.work, list[Quad]()
        below = {quad: np.count_nonzero(work.on.mask(quad) & lying) > UNCHANGED * work.on.area for quad in found}
        for quad in found:
            lower = (one for one in ordered if below[one] and work.farther_on(one, quad) and work.touch(one, quad))
            first = None if below[quad] else next(lower, None)
            ordered.insert(len(ordered) if first is None else ordered.index(first), quad)
        return ordered

    def presumed_on_piles(self, lying: Sequence[Track], gone: Sequence[Track], fresh: Sequence[Quad]) -> list[Quad]:
        """Return presumed cards in place of piles' gone ones, where foreground remains but none was found: paper on
        paper has faint edges."""
        taken = [zone_of(track.look.x_mm, track.look.y_mm, self.work.on.zones) for track in lying]
        taken += [zone_of(*self.work.place(quad), self.work.on.zones) for quad in fresh]
        bare = [track for track in gone if self.work.in_pile(track.look.x_mm, track.look.y_mm)]
        bare = [track for track in bare if zone_of(track.look.x_mm, track.look.y_mm, self.work.on.zones) not in taken]
        solid = self.work.solid() if bare else self.work.strange
        quads = [self.work.on.quad(track.look) for track in bare]
        return [quad for quad in quads if share(self.work.on.mask(quad), solid) > SOLID]

    def _came(self) -> Image | None:
        """Return what appeared on bare ground (0/1); None under other light or without a previous sheet."""
        if self.work.before is None:
            return None
        around = cv2.dilate(self.work.lay, np.ones((GAP, GAP), np.uint8))
        news = cv2.morphologyEx(self.work.strange & (around == 0), cv2.MORPH_OPEN, np.ones((GAP, GAP), np.uint8))
        if np.count_nonzero(news) > ANOTHER_LIGHT * news.size:
            return None
        return np.asarray(news & (stands_out(self.work.before, self.work.usable, self.work.lay) == 0), np.uint8)

    def _ground(self) -> Image:
        """Return unchanged ground (0/1), excluding piles."""
        maybe = self.work.on.piles() | self.work.strange | self.work.lay
        maybe = np.asarray(cv2.morphologyEx(maybe, cv2.MORPH_CLOSE, np.ones((GAP, GAP), np.uint8)), np.uint8)
        contours, _ = cv2.findContours(maybe, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
        return np.asarray(cv2.drawContours(np.ones_like(maybe), contours, -1, (0,), cv2.FILLED), np.uint8)

    def _misfits(self, strip: Quad, whole: Sequence[Quad]) -> bool:
        """Return True if a strip lies crosswise or belongs to a whole card nearby."""
        expected = self.work.on.expected_angle(strip.x, strip.y)
        if expected is not None and abs((strip.angle_deg - expected + 90.0) % 180.0 - 90.0) > 45.0:
            return True
        here = self.work.on.scale * MISFIT_MM
        return any(np.hypot(strip.x - quad.x, strip.y - quad.y) < here for quad in whole)

    def _is_new(self, visible: Image, share: float = NEW) -> bool:
        shown = np.count_nonzero(visible)
        return bool(shown > STRIP * self.work.on.area and np.count_nonzero(visible & self.work.strange) > share * shown)


def _whole(solid: Image, came: Image, card: float) -> Image:
    """Add card-sized changes (`came`) that are mostly foreground; reflections resemble ground. card: its pixels."""
    count, labels = cv2.connectedComponents(came, connectivity=4)
    each = np.bincount(labels.ravel(), minlength=count)
    out = (np.bincount(labels[solid > 0], minlength=count) > MOSTLY * each) & (each > MOSTLY * card)
    out[0] = False
    return np.asarray(solid | out[labels], np.uint8)


def _without(solid: Image, ground: Image, card: float) -> Image:
    """Remove bare ground (reflections) from the mask if large. card: its pixels."""
    bare = np.asarray(cv2.morphologyEx(solid & ground, cv2.MORPH_OPEN, np.ones((GAP, GAP), np.uint8)), np.uint8)
    return np.asarray(solid & (bare ^ 1), np.uint8) if np.count_nonzero(bare) > GROUND * card else solid
