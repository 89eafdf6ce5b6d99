"""Compares the table at rest with the previous rest."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property

import cv2
import numpy as np

from engine.table import Arrangement, Sight
from vision.camera import Image
from vision.cards.cardsheet import CardSheet
from vision.cards.changes import RIM, brightness_steps, changes, in_sight, share, without_rim
from vision.cards.recall import ReturnedCard
from vision.cards.slides import Way, ahead, moved_by, slid, splay_at, splay_of, strip_of
from vision.finding.ground import stands_out
from vision.finding.pieces import FoundPiece
from vision.finding.quad import Quad
from vision.finding.zones import zone_of
from vision.mat import MatZone
from vision.tracking.looks import Look, Track

UNCHANGED, DIRTY = 0.05, 0.06
"""Changed share of an unchanged card; changed area in cards worth a search."""

SAME_MM, SAME_DEG = 4.0, 6.0
"""Tolerance of the same card."""

STRIP = 0.07
"""Visible share below which a card is covered."""

SPOT_MM, REPLACED = 6.0, 0.25
"""Distance of a replacing card, and share that may look unchanged."""

WHOLE = 0.88
"""Visible share needed to name a face."""

PRINTED, OVERLAID = 0.04, 0.15
"""Print share, and changed share under another card."""

MOVED, LEAST_PRINT = 0.3, 0.01
"""Changed share of a moved card's print, and least print in cards."""

GAP = 5
"""Gaps closed in changes, in pixels."""

NEAR_MM = 14.0
"""Motion when turned or pushed on the spot."""

Reads = Callable[[Quad], "Look | None"]
"""Reads a fully visible card."""


class RestComparison:
    """A rest's sheet and the known cards, updated as changes are explained.

    before: previous sheet, or None.
    usable: mask (0/1) of possible places.
    tracks: known cards, lowest first.
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
        """Unexplained changes (0/1)."""
        self.objects = np.zeros_like(usable)
        """Earlier unread arrivals (0/1), searched again."""
        masks = [on.mask(on.quad(track.look)) for track in tracks]
        self.as_then: Callable[[], Image] = lambda: np.zeros_like(usable)
        """Returns places (0/1) that look as with a now absent card."""
        self.lay = np.asarray(sum(masks, np.zeros_like(usable)) > 0, np.uint8)
        self._visible = in_sight(masks)
        self._still = [self._is_untouched(mask) for mask in self._visible]
        self._brought: list[tuple[float, float]] = []
        self.brought = frozenset[int]()
        """Tracks of returned cards; `_brought` has their places."""
        self.ways: dict[int, Way] = {}
        """Ways of pushed cards by track."""
        self.slid = self._update_pushed(reads)
        """Their track numbers."""

    def _update_pushed(self, reads: Reads) -> frozenset[int]:
        """Update pushed cards' places; return their track numbers."""
        if self.before is None or all(self._still):
            return frozenset()
        each = list(zip(self.known, self._visible, strict=True))
        moved = [one for one, still in zip(each, self._still, strict=True) if not still]
        lying = [track for track, still in zip(self.known, self._still, strict=True) if still]
        ways = slid(self.on, self.before, self.sheet, moved, lying)
        found = [moved_by(self.on, *one) for one in ways.items()]
        pushed = {one.number: one for one in found if not self.is_unchanged(strip_of(self.on, one.look))}
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
        """Return True if an uncovered pushed card reads as another with a similar strip."""
        quad, at = self.on.quad(one.look), self._number_of(one)
        above = [
            track
            for number, track in enumerate(self.known)
            if number > at and (self._still[number] or track.number in pushed)
        ]  # gone cards lie on nothing
        unread = one.look.kind is None and one.look.face is None
        if unread or any(self.touch(quad, self.on.quad(pushed.get(track.number, track).look)) for track in above):
            return False
        look = reads(quad)
        if look is None or look.sight is not Sight.SEEN or (look.kind, look.face) == (one.look.kind, one.look.face):
            return False
        return bool(np.hypot(look.x_mm - one.look.x_mm, look.y_mm - one.look.y_mm) <= SAME_MM)  # else it lies on it

    def _hidden_by(self, pushed: Collection[int]) -> None:
        """Mark cards partly hidden by pushed ones as unmoved, if their rest is unchanged."""
        over = np.zeros_like(self.strange)
        for number, track in reversed(list(enumerate(self.known))):
            if track.number in pushed:
                over |= self.on.mask(self.on.quad(track.look))
            elif not self._still[number] and (over & self._visible[number]).any():
                left = np.asarray(self._visible[number] & (over ^ 1), np.uint8)
                if self._shown_untouched(track, left):
                    self._visible[number], self._still[number] = left, True

    def pushed_with(self, track: Track) -> Track | None:
        """Return a splayed card moved like its nearest pushed neighbour, or None without one."""
        at, zone = self._number_of(track), self._splay(track)
        beside = [n for n, one in enumerate(self.known) if one.number in self.ways and self._splay(one) == zone]
        if zone is None or not beside:
            return None
        nearest = min(beside, key=lambda n: abs(n - at))
        return moved_by(self.on, track, self.ways[self.known[nearest].number])

    def _number_of(self, track: Track) -> int:
        return [one.number for one in self.known].index(track.number)

    def _splay(self, track: Track) -> MatZone | None:
        return splay_of(self.on, track.look)

    @property
    def still(self) -> frozenset[int]:
        """Return unmoved cards' track numbers, and pushed ones' in new places."""
        return frozenset(track.number for track, still in zip(self.known, self._still, strict=True) if still)

    @property
    def moved(self) -> list[Track]:
        """Return known cards changed or gone, but not pushed."""
        still = self.still
        return [track for track in self.known if track.number not in still]

    @property
    def news(self) -> Image:
        """Return unexplained changes with their rim (0/1)."""
        return np.asarray(cv2.dilate(self.strange, np.ones((RIM, RIM), np.uint8)), np.uint8)

    @property
    def partly_still(self) -> frozenset[int]:
        """Return track numbers of unmoved cards, and read ones with mostly unchanged print."""
        shown = zip(self.known, self._visible, strict=True)
        seen = ((track, visible) for track, visible in shown if track.look.sight is Sight.SEEN)
        return self.still | {track.number for track, visible in seen if self.keeps_print(visible)}

    def keeps_print(self, visible: Image) -> bool:
        """Return True if enough print was visible, now mostly unchanged."""
        return self.shows_print(visible) and share(np.asarray(visible & self._print, np.uint8), self.changed) < MOVED

    def shows_print(self, visible: Image) -> bool:
        return bool(np.count_nonzero(visible & self._print) > LEAST_PRINT * self.on.area)

    @cached_property
    def _print(self) -> Image:
        """Return the previous rest's print (0/1)."""
        return np.zeros_like(self.changed) if self.before is None else brightness_steps(self.before)

    def put_back(self, back: Sequence[ReturnedCard]) -> None:
        """Add returned cards as unmoved; they explain changes."""
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
        """Return track numbers of cards in place that lay on the returned card before."""
        then = {track.number: self.on.to_piece(self.on.quad(track.look)) for track in back.above}
        return frozenset(n for n, look in ((t.number, t.look) for t in self.known) if n in then and _at(look, then[n]))

    def _lies_on(self, back: ReturnedCard) -> frozenset[int]:
        """Return track numbers of unmoved cards that still hide the returned one, judged where print shows."""
        both = {n: part for n, part in self._shared_with(back.track.look).items() if share(part, self._print) > PRINTED}
        return frozenset(n for n, part in both.items() if share(part, back.alike) < 1.0 - share(part, self.changed))

    def _shared_with(self, look: Look) -> dict[int, Image]:
        """Return overlaps (0/1) with visible unmoved cards by track number."""
        mask = self.on.mask(self.on.quad(look))
        known = zip(self.known, self._visible, self._still, strict=True)
        both = {track.number: np.asarray(mask & visible, np.uint8) for track, visible, still in known if still}
        return {n: part for n, part in both.items() if np.count_nonzero(part) > UNCHANGED * self.on.area}

    def mark_found_again(self, quad: Quad, visible: Image) -> bool:
        """Mark a slightly changed card in place as unmoved; return True if any."""
        here, shown = self.on.to_piece(quad), np.count_nonzero(visible)
        again = [
            number
            for number, track in enumerate(self.known)
            if shown >= WHOLE * np.count_nonzero(self._visible[number]) and _at(track.look, here)
        ]
        for number in again:
            self._still[number] = True
        return bool(again)

    def lying(self) -> Image:
        """Return visible parts of unmoved cards (0/1)."""
        mask = np.zeros_like(self.strange)
        for visible, still in zip(self._visible, self._still, strict=True):
            mask |= visible * np.uint8(still)
        return mask

    def solid(self, news: Image | None = None) -> Image:
        """Return foreground (0/1); unmoved read cards and `news` are no ground."""
        cards = np.zeros_like(self.strange) if news is None else news.copy()
        for track, visible, still in zip(self.known, self._visible, self._still, strict=True):
            if still and track.look.sight is Sight.SEEN:
                cards |= visible
        return stands_out(self.sheet, self.usable, cards)

    def shows(self, track: Track) -> Image:
        """Return a card's visible mask (0/1)."""
        return next(v for t, v in zip(self.known, self._visible, strict=True) if t.number == track.number)

    def cards_above(self, look: Look) -> frozenset[int]:
        """Return track numbers of unmoved cards on an arrival, which counts as on top where overlaps are blank."""
        news = np.asarray(self.strange | self.objects, np.uint8)
        print_ = np.asarray(self._print & (news ^ 1), np.uint8)
        both = self._shared_with(look)
        plain = {number for number, part in both.items() if share(part, print_) > PRINTED}
        return frozenset(number for number in plain if share(both[number], news) < OVERLAID)

    def shows_of(self, quad: Quad, quads: Sequence[Quad]) -> Image:
        """Return an arrival's visible part (0/1). quads: all arrivals, lowest first. Pushed cards hide those below."""
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
        zone = zone_of(x_mm, y_mm, self.on.zones)
        return zone is not None and zone.order is Arrangement.PILE

    def lies_still(self, quad: Quad) -> bool:
        """Return True if a known card here keeps its print."""
        here = self.on.to_piece(quad)
        known = zip(self.known, self._visible, strict=True)
        return any(_at(track.look, here) and self.keeps_print(visible) for track, visible in known)

    def place(self, quad: Quad) -> tuple[float, float]:
        """Return a rectangle's place in millimetres."""
        here = self.on.to_piece(quad)
        return here.x_mm, here.y_mm

    def is_known(self, quad: Quad) -> bool:
        return self.known_at(quad) is not None

    def known_at(self, quad: Quad) -> Track | None:
        """Return the uppermost known card here, or None."""
        here = self.on.to_piece(quad)
        return next((track for track in self.known[::-1] if _at(track.look, here)), None)

    def below(self, track: Track) -> Sequence[Track]:
        """Return known cards lower in the stack, touching or not."""
        return self.known[: self._number_of(track)]

    def lies_next(self, track: Track) -> Track | None:
        """Return the splay's next card if unmoved and overlapping this one, else None."""
        above, zone = self.known[self._number_of(track) + 1 :], self._splay(track)
        following = next((one for one in above if self._splay(one) == zone), None)
        if zone is None or following is None or following.number not in self.still:
            return None
        return following if self.touch(self.on.quad(track.look), self.on.quad(following.look)) else None

    def farther_on(self, quad: Quad, other: Quad) -> bool:
        """Return True if the second is farther on in the same splay."""
        here, there = self.place(quad), self.place(other)
        zone = splay_at(self.on, *here)
        if zone is None or zone != splay_at(self.on, *there):
            return False
        return float(np.subtract(there, here) @ ahead(zone)) > 0.0

    def touch(self, quad: Quad, other: Quad) -> bool:
        """Return True if they overlap."""
        return bool((self.on.mask(quad) & self.on.mask(other)).any())

    def near(self, track: Track, fresh: Sequence[Quad], within_mm: float) -> bool:
        """Return True if an arrival or returned card is within this distance."""
        places = [*(self.place(quad) for quad in fresh), *self._brought]
        return any(np.hypot(track.look.x_mm - x, track.look.y_mm - y) <= within_mm for x, y in places)

    def dirty(self, blob: Image) -> bool:
        """Return True if a region (0/1) has enough unexplained changes to search."""
        return bool(np.count_nonzero(blob & self.strange) > DIRTY * self.on.area)

    def _is_untouched(self, visible: Image) -> bool:
        whole = np.count_nonzero(visible) >= WHOLE * self.on.area
        return self.is_unchanged(visible) or bool(whole and not self.dirty(visible))

    def _shown_untouched(self, track: Track, visible: Image) -> bool:
        """Return True if a card's visible part is large enough (near a returned card, larger) and unchanged."""
        least = REPLACED if self.near(track, (), SPOT_MM) else STRIP
        return bool(np.count_nonzero(visible) > least * self.on.area) and self._is_untouched(visible)

    def is_unchanged(self, mask: Image) -> bool:
        """Return True if a mask without rim is unchanged; False if it is empty."""
        mask = without_rim(mask)
        seen = np.count_nonzero(mask)
        return bool(seen > 0 and np.count_nonzero(mask & self.strange) < UNCHANGED * seen)


def _at(look: Look, here: FoundPiece) -> bool:
    turn = abs((look.angle_deg - here.angle_deg + 90.0) % 180.0 - 90.0)
    return float(np.hypot(look.x_mm - here.x_mm, look.y_mm - here.y_mm)) < SAME_MM and turn < SAME_DEG
