"""Cards of one rest against those known from the rest before: which still hold, and what has come."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import msgspec
import numpy as np

from engine.table import Face, Order, Sight
from vision.camera import Image
from vision.finding.cardsheet import CardSheet
from vision.finding.ground import stands_out
from vision.finding.pieces import Found
from vision.finding.quad import Quad
from vision.finding.quads import quads_in
from vision.finding.zones import zone_of
from vision.following.changes import changes, in_sight
from vision.following.draws import UNSURE, Pile
from vision.following.looks import Look, Track
from vision.following.slides import moved_by, slid, strip_of
from vision.recognition.enrolment import BACK
from vision.recognition.naming import PartRecogniser

UNCHANGED, DIRTY = 0.05, 0.06
"""Share of what shows of a card that may differ though nothing happened; share of a card that is worth a look."""

NEW = 0.12
"""Share of a newly found card, as far as it is in sight, that must differ from the picture before."""

SAME_MM, SAME_DEG = 4.0, 6.0
"""Within these a card that is found is the one that was known there."""

STRIP = 0.07
"""Share of a card that must be in sight for it not to be covered."""

ASKEW = 0.3
"""So much of a card may show under the one that lies on it in a pile."""

RIM = 5
"""Pixels: half so wide is the rim of a card that came where something else may show than what lies below it."""

WHOLE = 0.88
"""Share from which a card is named by its face."""

GROUND = 0.25
"""More of what shows of a card is not ground that was bare before and looks the same."""

SOLID = 0.8
"""So much of where a card lay must stand out for another to lie there now."""

GAP = 5
"""Gaps of so many pixels in what changed are closed: there a card looks like the ground."""

MISFIT_MM = 8.0
"""A strip that shows so near below another card is that card's own: it lies a little beside where it was found."""

NEAR_MM = 14.0
"""How far a card goes that is turned over or pushed aside on the spot."""


class Comparison:
    """One rest: the sheet, what is known of its cards, and what of that still holds.

    before: the sheet at the rest before; None if that does not count. usable: mask (0/1) of where cards may lie.
    """

    def __init__(
        self, on: CardSheet, sheet: Image, before: Image | None, usable: Image, tracks: Sequence[Track]
    ) -> None:
        self._on, self._sheet, self._known = on, sheet, list(tracks)
        self._before = before if before is not None and before.shape == sheet.shape else None
        self._usable = usable
        self._changed = np.ones_like(usable) if self._before is None else changes(sheet, self._before)
        masks = [on.mask(on.quad(track.look)) for track in tracks]
        self._lay = np.asarray(sum(masks, np.zeros_like(usable)) > 0, np.uint8)
        self._visible = in_sight(masks)
        self._still = [self._untouched(mask) for mask in self._visible]
        self.slid = self._pushed()
        """Tracks of the cards of splays that were pushed along."""

    def _pushed(self) -> frozenset[int]:
        """Cards that were pushed along lie now where they are found again."""
        if self._before is None or all(self._still):
            return frozenset()
        each = list(zip(self._known, self._visible, strict=True))
        moved = [one for one, still in zip(each, self._still, strict=True) if not still]
        ways = {track.number: way for track, way in slid(self._on, self._before, self._sheet, moved)}
        for number, track in enumerate(self._known):
            if track.number in ways:
                self._known[number] = moved_by(self._on, track, ways[track.number])
                self._visible[number] = strip_of(self._on, self._known[number].look)
                self._still[number] = True
        return frozenset(ways)

    def fresh_quads(self) -> list[Quad]:
        """Cards that were not there before, the lowest first.

        Those that lie whole are taken first; what is left of the cards known before explains what shows below them.
        """
        if not self._dirty(self._changed):
            return []
        solid, ground = stands_out(self._sheet, self._usable), self._ground()
        whole, strips = list[Quad](), list[tuple[Quad, Image]]()
        above = self._unmoved()
        news = self._changed if self._before is not None else None
        for quad in quads_in(self._sheet, solid, self._on.size, self._dirty, self._on.expected, news, above.copy()):
            mask = self._on.mask(quad)
            visible = np.asarray(mask & (above == 0), np.uint8)
            above |= mask
            is_whole = np.count_nonzero(visible) >= WHOLE * np.count_nonzero(mask)
            if not self._is_new(visible) and self._found_again(quad, visible):
                continue
            if not self._is_new(visible, UNCHANGED if is_whole else NEW) or _share(visible, ground) > GROUND:
                continue
            if is_whole:
                whole.append(quad)
            else:
                strips.append((msgspec.structs.replace(quad, shown=0.0), visible))
        known, lying = np.zeros_like(above), [self._on.quad(track.look) for track in self.remaining(whole)[0]]
        for quad in lying:
            known |= self._on.mask(quad)
        strips = [(quad, visible) for quad, visible in strips if not self._misfits(quad, [*whole, *lying])]
        strange = [quad for quad, visible in strips if self._is_new(np.asarray(visible & (known == 0), np.uint8))]
        return [*strange[::-1], *(msgspec.structs.replace(quad, shown=1.0) for quad in whole[::-1])]

    def piled(self, lying: Sequence[Track], gone: Sequence[Track], fresh: Sequence[Quad]) -> list[Quad]:
        """Where something must lie on piles of which nothing was found: edges of paper on paper are faint.

        lying: cards that are where they were. It lies about where the last one lay.
        """
        taken = [zone_of(track.look.x, track.look.y, self._on.zones) for track in lying]
        taken += [zone_of(place.x_mm, place.y_mm, self._on.zones) for place in map(self._on.found, fresh)]
        bare = [track for track in gone if self.in_pile(track.look)]
        bare = [track for track in bare if zone_of(track.look.x, track.look.y, self._on.zones) not in taken]
        solid = stands_out(self._sheet, self._usable) if bare else self._changed
        quads = [self._on.quad(track.look) for track in bare]
        return [quad for quad in quads if _share(self._on.mask(quad), solid) > SOLID]

    def _ground(self) -> Image:
        """Mask (0/1) of the ground: no card was there before, and nothing has changed.

        Of a pile only the top is known, so that what shows below it is no ground.
        """
        maybe = self._on.piles() | self._changed | self._lay
        maybe = np.asarray(cv2.morphologyEx(maybe, cv2.MORPH_CLOSE, np.ones((GAP, GAP), np.uint8)), np.uint8)
        contours, _ = cv2.findContours(maybe, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
        return np.asarray(cv2.drawContours(np.ones_like(maybe), contours, -1, (0,), cv2.FILLED), np.uint8)

    def _found_again(self, quad: Quad, visible: Image) -> bool:
        """A card that looks a little otherwise than before, but lies as it did, is still there."""
        here, shown = self._on.found(quad), np.count_nonzero(visible)
        again = [
            number
            for number, track in enumerate(self._known)
            if shown >= WHOLE * np.count_nonzero(self._visible[number]) and _at(track.look, here)
        ]
        for number in again:
            self._still[number] = True
        return bool(again)

    def _unmoved(self) -> Image:
        """Mask (0/1) of what shows of the cards that lie as they did: whatever came lies beside or below it."""
        mask = np.zeros_like(self._changed)
        for visible, still in zip(self._visible, self._still, strict=True):
            mask |= visible * np.uint8(still)
        return mask

    def lies_below(self, look: Look) -> frozenset[int]:
        """Tracks of the cards that lie as they did, and on a card that came."""
        mask = self._on.mask(self._on.quad(look))
        known = zip(self._known, self._visible, self._still, strict=True)
        return frozenset(
            t.number for t, v, still in known if still and np.count_nonzero(mask & v) > UNCHANGED * self._on.area
        )

    def _misfits(self, strip: Quad, whole: Sequence[Quad]) -> bool:
        """Whether a strip is no card by itself: it belongs to another, or lies as no card would below another there."""
        expected = self._on.expected(strip.x, strip.y)
        if expected is not None and abs((strip.angle_deg - expected + 90.0) % 180.0 - 90.0) > 45.0:
            return True
        here = self._on.scale * MISFIT_MM
        return any(np.hypot(strip.x - quad.x, strip.y - quad.y) < here for quad in whole)

    def _is_new(self, visible: Image, share: float = NEW) -> bool:
        shown = np.count_nonzero(visible)
        return bool(shown > STRIP * self._on.area and np.count_nonzero(visible & self._changed) > share * shown)

    def strip(self, quad: Quad, quads: Sequence[Quad], parts: PartRecogniser | None) -> Look:
        """A card of which others hide a part, named if what shows of it is like one kind and no other."""
        here = self._on.found(quad)
        seen = np.asarray(self._on.mask(quad) & (self._unmoved() == 0), np.uint8)
        for other in quads[quads.index(quad) + 1 :]:
            seen = np.asarray(seen & (self._on.mask(other) == 0), np.uint8)
        looks = Look(here.x_mm, here.y_mm, quad.angle_deg, None, None, Sight.UNKNOWN, 0.0)
        if parts is None:
            return looks
        crop, mask = (self._on.cut(picture, quad) for picture in (self._sheet, seen))
        naming = parts.name_part(crop, mask)
        if naming.kind == BACK:
            return msgspec.structs.replace(looks, face=Face.DOWN, sight=Sight.SEEN, confidence=naming.confidence)
        if naming.kind is None:
            return looks
        named = msgspec.structs.replace(looks, kind=naming.kind, face=Face.UP, sight=Sight.SEEN)
        return msgspec.structs.replace(named, confidence=naming.confidence)

    def remaining(self, fresh: Sequence[Quad]) -> tuple[list[Track], list[Track], list[Track]]:
        """Of the cards known before: those that lie as they did, those that are covered, and those that are gone."""
        hides = np.zeros_like(self._changed)
        for quad in fresh:
            hides |= self._on.mask(quad)
        over = cv2.dilate(hides, np.ones((RIM, RIM), np.uint8))
        kept, covered, gone = list[Track](), list[Track](), list[Track]()
        known = list(zip(self._known, self._visible, self._still, strict=True))
        for track, visible, still in reversed(known):
            mask, left = self._on.mask(self._on.quad(track.look)), np.asarray(visible & (over == 0), np.uint8)
            shows = ASKEW if self.in_pile(track.look) else STRIP
            hidden = np.count_nonzero(mask & (hides == 0)) < shows * self._on.area
            if still:
                kept.append(track)
            elif hidden and self._may_be_under(track, fresh):
                covered.append(_hidden(track))
            elif self._unchanged(left):
                kept.append(track)
            else:
                gone.append(track)
                continue
            hides |= mask
        return kept[::-1], covered[::-1], gone[::-1]

    def drawn(self, track: Track, came: Sequence[Look]) -> float:
        """Probability that the back on a pile is another one than before.

        came: what came, and may reach over it, as may what lay on it before.
        """
        if self._before is None or not self.in_pile(track.look) or track.look.face is not Face.DOWN:
            return 0.0
        others = [other.look for other in self._known if other.number != track.number]
        over = np.zeros_like(self._changed)
        for look in (*others, *came):
            over |= self._on.mask(self._on.quad(look))
        over = np.asarray(cv2.dilate(over, np.ones((RIM, RIM), np.uint8)), np.uint8)
        whole = self._on.mask(self._on.quad(track.look))
        own = np.asarray(cv2.erode(whole & (over ^ 1), np.ones((RIM, RIM), np.uint8)), np.uint8)
        if np.count_nonzero(own) < STRIP * self._on.area:
            return UNSURE
        beside = cv2.dilate(self._changed | whole, np.ones((GAP, GAP), np.uint8))
        ground = np.asarray(self._usable & (beside == 0), np.uint8)
        return Pile(self._before, self._sheet, own, ground, self._on.size, self._on.scale).drawn()

    def in_pile(self, look: Look) -> bool:
        """Whether a card lies on a pile, or below its top."""
        zone = zone_of(look.x, look.y, self._on.zones)
        return zone is not None and zone.order is Order.PILE

    def _may_be_under(self, track: Track, fresh: Sequence[Quad]) -> bool:
        """Outside piles a card that lies just where another lay was put in its place, or is the same, turned over.

        Cards of a splay close up over the place of one that is gone.
        """
        if self.in_pile(track.look):
            return True
        zone = zone_of(track.look.x, track.look.y, self._on.zones)
        closed = (zone_of(t.look.x, t.look.y, self._on.zones) for t in self._known if t.number in self.slid)
        if zone is not None and zone in closed:
            return False
        places = [self._on.found(quad) for quad in fresh]
        return all(np.hypot(track.look.x - p.x_mm, track.look.y - p.y_mm) > NEAR_MM for p in places)

    def _dirty(self, blob: Image) -> bool:
        """Whether anything happened in a part of the picture."""
        return bool(np.count_nonzero(blob & self._changed) > DIRTY * self._on.area)

    def _untouched(self, visible: Image) -> bool:
        """Also what differs a little from before is the card that was there: so little is not worth a look."""
        whole = np.count_nonzero(visible) >= WHOLE * self._on.area
        return self._unchanged(visible) or bool(whole and not self._dirty(visible))

    def _unchanged(self, mask: Image) -> bool:
        """Its rim does not count: what lay beside it may be gone, and nobody knows to a pixel where it ends."""
        inner = np.asarray(cv2.erode(mask, np.ones((RIM, RIM), np.uint8)), np.uint8)
        mask = inner if inner.any() else mask
        seen = np.count_nonzero(mask)
        return bool(seen > 0 and np.count_nonzero(mask & self._changed) < UNCHANGED * seen)


def _share(of: Image, within: Image) -> float:
    return int(np.count_nonzero(of & within)) / max(1, int(np.count_nonzero(of)))


def _at(look: Look, here: Found) -> bool:
    turn = abs((look.angle - here.angle_deg + 90.0) % 180.0 - 90.0)
    return float(np.hypot(look.x - here.x_mm, look.y - here.y_mm)) < SAME_MM and turn < SAME_DEG


def _hidden(track: Track) -> Track:
    return msgspec.structs.replace(track, look=msgspec.structs.replace(track.look, sight=Sight.COVERED))
