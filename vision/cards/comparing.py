"""Compares the table at one rest with the rest before: what looks otherwise, and what shows of the cards known."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property

import cv2
import numpy as np

from engine.table import Arrangement, Sight
from vision.camera import Image
from vision.cards.cardsheet import CardSheet
from vision.cards.changes import RIM, changes, in_sight, printed, share, without_rim
from vision.cards.recall import ReturnedCard
from vision.cards.slides import Way, ahead, moved_by, slid, splay_at, splay_of, strip_of
from vision.finding.ground import stands_out
from vision.finding.pieces import FoundPiece
from vision.finding.quad import Quad
from vision.finding.zones import zone_of
from vision.mat import MatZone
from vision.tracking.looks import Look, Track

UNCHANGED, DIRTY = 0.05, 0.06
"""Share of what shows of a card that may differ though nothing happened; share of a card that is worth a look."""

SAME_MM, SAME_DEG = 4.0, 6.0
"""Within these a card that is found is the one that was known there."""

STRIP = 0.07
"""Share of a card that must be in sight for it not to be covered."""

SPOT_MM, REPLACED = 6.0, 0.25
"""Where a card came so near, so much of the place of the one before may look as it did: paper looks like paper."""

WHOLE = 0.88
"""Share from which a card is named by its face."""

PRINTED, OVERLAID = 0.04, 0.15
"""The share that print makes up of a part of a card that is still to be seen, and that more of looks otherwise if
another card lies on it.
"""

MOVED, LEAST_PRINT = 0.3, 0.01
"""More of a card's print, as far as it showed, looks otherwise if it was moved; share of a card that must have shown
of print to tell.
"""

GAP = 5
"""Gaps of so many pixels in what changed are closed: there a card looks like the ground."""

NEAR_MM = 14.0
"""How far a card goes that is turned over or pushed aside on the spot."""

Reads = Callable[[Quad], "Look | None"]
"""Looks at a card in full sight."""


class Comparison:
    """One rest: the sheet, what is known of its cards, and what of that still holds.

    before: the sheet at the rest before; None if that does not count. usable: mask (0/1) of where cards may lie.
    reads: looks at a card in full sight.
    """

    def __init__(
        self,
        on: CardSheet,
        sheet: Image,
        before: Image | None,
        usable: Image,
        tracks: Sequence[Track],
        reads: Reads = lambda _: None,
    ) -> None:
        self.on, self.sheet, self.known = on, sheet, list(tracks)
        self.before = before if before is not None and before.shape == sheet.shape else None
        self.usable = usable
        self.changed = np.ones_like(usable) if self.before is None else changes(sheet, self.before)
        self.strange = self.changed
        """Mask (0/1) of what changed, but for what is explained."""
        self.objects = np.zeros_like(usable)
        """Mask (0/1) of what came before, was not read, and is looked for again."""
        masks = [on.mask(on.quad(track.look)) for track in tracks]
        self.as_then: Callable[[], Image] = lambda: np.zeros_like(usable)
        """Mask (0/1) of where the table looks as when a card was seen there that was gone at the rest before."""
        self.lay = np.asarray(sum(masks, np.zeros_like(usable)) > 0, np.uint8)
        self._visible = in_sight(masks)
        self._still = [self._untouched(mask) for mask in self._visible]
        self._brought: list[tuple[float, float]] = []
        self.brought = frozenset[int]()
        """Tracks of the cards that are back; before: where they lie."""
        self.ways: dict[int, Way] = {}
        """The cards of splays that were pushed along, by their tracks."""
        self.slid = self._pushed(reads)
        """Their tracks."""

    def _pushed(self, reads: Reads) -> frozenset[int]:
        """Cards that were pushed along lie now where they are found again: not where all looks as it did before."""
        if self.before is None or all(self._still):
            return frozenset()
        each = list(zip(self.known, self._visible, strict=True))
        moved = [one for one, still in zip(each, self._still, strict=True) if not still]
        lying = [track for track, still in zip(self.known, self._still, strict=True) if still]
        ways = slid(self.on, self.before, self.sheet, moved, lying)
        found = [moved_by(self.on, *one) for one in ways.items()]
        pushed = {one.number: one for one in found if not self.unchanged(strip_of(self.on, one.look))}
        pushed = {number: one for number, one in pushed.items() if not self._reads_otherwise(one, pushed, reads)}
        self.ways = {track.number: way for track, way in ways.items() if track.number in pushed}
        for number, track in enumerate(self.known):
            if track.number in pushed:
                self.known[number] = pushed[track.number]
                self._visible[number] = strip_of(self.on, self.known[number].look)
                self._still[number] = True
        self._hidden_by(pushed.keys())
        return frozenset(pushed)

    def _reads_otherwise(self, one: Track, pushed: Mapping[int, Track], reads: Reads) -> bool:
        """Whether a card on which no other lies is read as another: the strip by which it is found may be a twin's."""
        quad, at = self.on.quad(one.look), self._number_of(one)
        above = [
            track
            for number, track in enumerate(self.known)
            if number > at and (self._still[number] or track.number in pushed)
        ]  # who is gone lies on nothing
        unread = one.look.kind is None and one.look.face is None
        if unread or any(self.touch(quad, self.on.quad(pushed.get(track.number, track).look)) for track in above):
            return False
        look = reads(quad)
        if look is None or look.sight is not Sight.SEEN or (look.kind, look.face) == (one.look.kind, one.look.face):
            return False
        return bool(np.hypot(look.x_mm - one.look.x_mm, look.y_mm - one.look.y_mm) <= SAME_MM)  # else it lies on it

    def _hidden_by(self, pushed: Collection[int]) -> None:
        """A card of which one that was pushed hides more now lies still if what is left in sight of it is as it was.

        Of any other nothing is told by that: it may be the one that was taken, whose place the others closed up over.
        """
        over = np.zeros_like(self.strange)
        for number, track in reversed(list(enumerate(self.known))):
            if track.number in pushed:
                over |= self.on.mask(self.on.quad(track.look))
            elif not self._still[number] and (over & self._visible[number]).any():
                left = np.asarray(self._visible[number] & (over ^ 1), np.uint8)
                if self._shown_untouched(track, left):
                    self._visible[number], self._still[number] = left, True

    def pushed_with(self, track: Track) -> Track | None:
        """Where a card of a splay lies if it went with that of the pushed ones which lay next to it; None if none was.

        Cards keep their order, so that what lay between two others went along.
        """
        at, zone = self._number_of(track), self._splay(track)
        beside = [n for n, one in enumerate(self.known) if one.number in self.ways and self._splay(one) == zone]
        if zone is None or not beside:
            return None
        nearest = min(beside, key=lambda n: abs(n - at))
        return moved_by(self.on, track, self.ways[self.known[nearest].number])

    def _number_of(self, track: Track) -> int:
        """Where a card stands among those known, the lowest first."""
        return [one.number for one in self.known].index(track.number)

    def _splay(self, track: Track) -> MatZone | None:
        return splay_of(self.on, track.look)

    @property
    def still(self) -> frozenset[int]:
        """Tracks of the cards that lie as they did."""
        return frozenset(track.number for track, still in zip(self.known, self._still, strict=True) if still)

    @property
    def moved(self) -> list[Track]:
        """The cards known that do not lie as they did, as far as can be told."""
        still = self.still
        return [track for track in self.known if track.number not in still]

    @property
    def news(self) -> Image:
        """Mask (0/1) of what changed and is not explained, and of its rim."""
        return np.asarray(cv2.dilate(self.strange, np.ones((RIM, RIM), np.uint8)), np.uint8)

    @property
    def partly_still(self) -> frozenset[int]:
        """Tracks of the cards of which so much print looks as it did that they lie there: others cover the rest."""
        shown = zip(self.known, self._visible, strict=True)
        seen = ((track, visible) for track, visible in shown if track.look.sight is Sight.SEEN)
        return self.still | {track.number for track, visible in seen if self.keeps_print(visible)}

    def keeps_print(self, visible: Image) -> bool:
        """Whether most of the print that showed of a card is still there."""
        return self.shows_print(visible) and share(np.asarray(visible & self._print, np.uint8), self.changed) < MOVED

    def shows_print(self, visible: Image) -> bool:
        """Whether there was enough print on what showed of a card to tell it from the paper of another."""
        return bool(np.count_nonzero(visible & self._print) > LEAST_PRINT * self.on.area)

    @cached_property
    def _print(self) -> Image:
        """Mask (0/1) of what was printed at the rest before."""
        return np.zeros_like(self.changed) if self.before is None else printed(self.before)

    def put_back(self, back: Sequence[ReturnedCard]) -> None:
        """Takes these cards for lying there: what shows of them has not changed."""
        self._brought = [(one.track.look.x_mm, one.track.look.y_mm) for one in back]
        self.brought = ids = frozenset(one.track.number for one in back)
        still, over = self.still, {one.track.number: self._still_on(one) | self._lies_on(one) for one in back}
        known = [one for one in zip(self.known, self._visible, strict=True) if one[0].number not in ids]
        for one in back:
            known = [(track, np.asarray(visible & (one.visible ^ 1), np.uint8)) for track, visible in known]
            self.strange = np.asarray(self.strange & (one.visible ^ 1), np.uint8)
        for one in back:
            whole, on_it = self.on.quad(one.track.look), over[one.track.number]
            lying = ((n, self.on.quad(track.look)) for n, (track, _) in enumerate(known) if track.number in on_it)
            above = (n for n, quad in lying if self.touch(whole, quad))
            known.insert(next(above, len(known)), (one.track, one.visible))
        self.known, self._visible = [track for track, _ in known], [visible for _, visible in known]
        self._still = [t.number in ids | still or self._shown_untouched(t, visible) for t, visible in known]

    def _still_on(self, back: ReturnedCard) -> frozenset[int]:
        """Tracks of the cards that lay on one that is back, and lie there still."""
        then = {track.number: self.on.found(self.on.quad(track.look)) for track in back.above}
        return frozenset(n for n, look in ((t.number, t.look) for t in self.known) if n in then and _at(look, then[n]))

    def _lies_on(self, back: ReturnedCard) -> frozenset[int]:
        """Tracks of the cards that lie as they did on one that is back: there the table looks more as it last did.

        Where only paper is seen of both, nobody can tell.
        """
        both = {n: part for n, part in self._shared(back.track.look).items() if share(part, self._print) > PRINTED}
        return frozenset(n for n, part in both.items() if share(part, back.alike) < 1.0 - share(part, self.changed))

    def _shared(self, look: Look) -> dict[int, Image]:
        """Masks (0/1) of where a card lies and other cards, which lie as they did, are seen, by their tracks."""
        mask = self.on.mask(self.on.quad(look))
        known = zip(self.known, self._visible, self._still, strict=True)
        both = {track.number: np.asarray(mask & visible, np.uint8) for track, visible, still in known if still}
        return {n: part for n, part in both.items() if np.count_nonzero(part) > UNCHANGED * self.on.area}

    def found_again(self, quad: Quad, visible: Image) -> bool:
        """A card that looks a little otherwise than before, but lies as it did, is still there."""
        here, shown = self.on.found(quad), np.count_nonzero(visible)
        again = [
            number
            for number, track in enumerate(self.known)
            if shown >= WHOLE * np.count_nonzero(self._visible[number]) and _at(track.look, here)
        ]
        for number in again:
            self._still[number] = True
        return bool(again)

    def lying(self) -> Image:
        """Mask (0/1) of what shows of the cards that lie as they did: whatever came lies beside or below it."""
        mask = np.zeros_like(self.strange)
        for visible, still in zip(self._visible, self._still, strict=True):
            mask |= visible * np.uint8(still)
        return mask

    def solid(self, news: Image | None = None) -> Image:
        """Mask (0/1) of what stands out from the ground: cards that were read and lie as they did are none of it.

        news: mask of what else is none.
        """
        cards = np.zeros_like(self.strange) if news is None else news.copy()
        for track, visible, still in zip(self.known, self._visible, self._still, strict=True):
            if still and track.look.sight is Sight.SEEN:
                cards |= visible
        return stands_out(self.sheet, self.usable, cards)

    def shows(self, track: Track) -> Image:
        """Mask (0/1) of what is in sight of a card that lies as it did."""
        return next(v for t, v in zip(self.known, self._visible, strict=True) if t.number == track.number)

    def lies_below(self, look: Look) -> frozenset[int]:
        """Tracks of the cards that lie as they did, and on a card that came.

        Where only paper is seen of both, nobody can tell, and what came last lies uppermost.
        """
        news = np.asarray(self.strange | self.objects, np.uint8)
        print_ = np.asarray(self._print & (news ^ 1), np.uint8)
        both = self._shared(look)
        plain = {number for number, part in both.items() if share(part, print_) > PRINTED}
        return frozenset(number for number in plain if share(both[number], news) < OVERLAID)

    def shows_of(self, quad: Quad, quads: Sequence[Quad]) -> Image:
        """Mask (0/1) of what is in sight of one of the rectangles that came, the lowest first.

        A card that was pushed along is known by a strip: whatever lies below that lies below all of it.
        """
        mask, lying = self.on.mask(quad), self.lying()
        for track, visible in zip(self.known, self._visible, strict=True):
            whole, hides = self.on.quad(track.look), np.count_nonzero(visible & mask) > UNCHANGED * self.on.area
            if track.number in self.slid and hides and self.farther_on(quad, whole):
                lying |= self.on.mask(whole)
        seen = np.asarray(mask & (lying == 0), np.uint8)
        for other in quads[quads.index(quad) + 1 :]:
            seen = np.asarray(seen & (self.on.mask(other) == 0), np.uint8)
        return seen

    def in_pile(self, x_mm: float, y_mm: float) -> bool:
        """Whether a card lies on a pile, or below its top."""
        zone = zone_of(x_mm, y_mm, self.on.zones)
        return zone is not None and zone.order is Arrangement.PILE

    def lies_still(self, quad: Quad) -> bool:
        """Whether a card was known that lies just so, and most of its print is still there."""
        here = self.on.found(quad)
        known = zip(self.known, self._visible, strict=True)
        return any(_at(track.look, here) and self.keeps_print(visible) for track, visible in known)

    def place(self, quad: Quad) -> tuple[float, float]:
        """Where a rectangle lies, in millimetres."""
        here = self.on.found(quad)
        return here.x_mm, here.y_mm

    def is_known(self, quad: Quad) -> bool:
        """Whether a card was known that lies just so."""
        return self.known_at(quad) is not None

    def known_at(self, quad: Quad) -> Track | None:
        """The uppermost of the cards known that lie just so."""
        here = self.on.found(quad)
        return next((track for track in self.known[::-1] if _at(track.look, here)), None)

    def below(self, track: Track) -> Sequence[Track]:
        """The cards known that lie lower than this one."""
        return self.known[: self._number_of(track)]

    def lies_next(self, track: Track) -> Track | None:
        """The card that lay upon this one as the next of its splay, if it lies as it did."""
        above, zone = self.known[self._number_of(track) + 1 :], self._splay(track)
        following = next((one for one in above if self._splay(one) == zone), None)
        if zone is None or following is None or following.number not in self.still:
            return None
        return following if self.touch(self.on.quad(track.look), self.on.quad(following.look)) else None

    def farther_on(self, quad: Quad, other: Quad) -> bool:
        """Whether the second rectangle lies farther on in the splay that the first lies in."""
        here, there = self.place(quad), self.place(other)
        zone = splay_at(self.on, *here)
        if zone is None or zone != splay_at(self.on, *there):
            return False
        return float(np.subtract(there, here) @ ahead(zone)) > 0.0

    def touch(self, quad: Quad, other: Quad) -> bool:
        """Whether the one lies on the other."""
        return bool((self.on.mask(quad) & self.on.mask(other)).any())

    def near(self, track: Track, fresh: Sequence[Quad], within_mm: float) -> bool:
        """Whether a card came so near to the place where another lies."""
        places = [*(self.place(quad) for quad in fresh), *self._brought]
        return any(np.hypot(track.look.x_mm - x, track.look.y_mm - y) <= within_mm for x, y in places)

    def dirty(self, blob: Image) -> bool:
        """Whether anything happened in a part of the picture."""
        return bool(np.count_nonzero(blob & self.strange) > DIRTY * self.on.area)

    def _untouched(self, visible: Image) -> bool:
        """Also what differs a little from before is the card that was there: so little is not worth a look."""
        whole = np.count_nonzero(visible) >= WHOLE * self.on.area
        return self.unchanged(visible) or bool(whole and not self.dirty(visible))

    def _shown_untouched(self, track: Track, visible: Image) -> bool:
        """Of a card that is hidden but for a rim, or that another came back so near to, paper alone tells nothing."""
        least = REPLACED if self.near(track, (), SPOT_MM) else STRIP
        return bool(np.count_nonzero(visible) > least * self.on.area) and self._untouched(visible)

    def unchanged(self, mask: Image) -> bool:
        """Its rim does not count: what lay beside it may be gone."""
        mask = without_rim(mask)
        seen = np.count_nonzero(mask)
        return bool(seen > 0 and np.count_nonzero(mask & self.strange) < UNCHANGED * seen)


def _at(look: Look, here: FoundPiece) -> bool:
    turn = abs((look.angle_deg - here.angle_deg + 90.0) % 180.0 - 90.0)
    return float(np.hypot(look.x_mm - here.x_mm, look.y_mm - here.y_mm)) < SAME_MM and turn < SAME_DEG
