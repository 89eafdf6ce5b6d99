"""Reads cards at a rest: arrivals, and remaining ones with their faces."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import cv2
import msgspec
import numpy as np

from engine.table import Face, Sight
from vision.camera import Image
from vision.cards.arrivals import MISFIT_MM, SOLID, Arrivals
from vision.cards.changes import RIM, brightness_steps, in_sight, share
from vision.cards.comparing import NEAR_MM, STRIP, WHOLE, RestComparison
from vision.cards.inserted import Inserted
from vision.cards.remaining import remaining, under
from vision.cards.rest import Arrival, Rest, distance_mm, kinds, resolve_doubles, without_own_strips
from vision.cards.sides import sides_gone
from vision.cards.slides import strip_of
from vision.cards.strips import Strips
from vision.finding.pieces import FoundPiece
from vision.finding.quad import Quad
from vision.finding.zones import zone_of
from vision.recognition.enrolment import BACK
from vision.recognition.naming import PartRecogniser
from vision.recognition.prints.reading import BACK_FIT, FIT
from vision.recognition.prints.seeking import WORTH
from vision.tracking.looks import Look, Track, as_covered

CLEARLY = 0.7
"""Edge support of an unreadable card."""

BLANK = 0.03
"""Least print share of a card."""

AGAIN = 0.5
"""Former object share, to stay one."""

AS_THEN = 0.5
"""Share resembling an earlier, perhaps returned card."""

LINE_MM = 6.0
"""Width of a possible blurred line."""

OPEN = 0.98
"""Visible share of an uncovered card."""

ON_A_CARD, MARGIN = 0.5, 0.02
"""Share of a strip on a known card to compare, and tolerated loss of agreement."""

PEEP, RATHER = 0.02, 0.2
"""Area (in cards) where another may show, and gain in agreement needed."""

OWN = 0.5
"""Ratio of disagreements with the card's own back and another's; repetitive lines look alike."""

LINES = 0.2
"""Visible share from which lines locate backs."""

STANDING = 0.5
"""Least foreground share of a card."""

Namer = Callable[[Sequence[FoundPiece]], list[Look]]
"""Reads fully visible cards."""


class Reader:
    """Reads a rest's cards. parts: names partly covered ones; unique: no kind repeats."""

    def __init__(self, work: RestComparison, name: Namer, parts: PartRecogniser | None, *, unique: bool) -> None:
        self._work, self._name, self._unique = work, name, unique
        self._strips = Strips(work.on, work.sheet, parts)

    def rest(self) -> Rest:
        """Read all cards: arrived, kept, covered and gone."""
        arrivals = Arrivals(self._work)
        quads = arrivals.quads()
        between = [self._where_one_lay(*strip) for strip in arrivals.between]
        strangers = self._strangers(between)
        quads = [*strangers, *quads]
        looks = self._read(quads)
        if aside := self._laid_upon(quads, looks):
            quads = [aside.get(quad, quad) for quad in quads]
            looks = self._read(quads)
        quads, looks = self._drop_unreadable(*self._left_over(quads, looks))
        between = [strip for strip in between if strip[0] not in strangers]
        rest = self._build_rest(arrivals, quads, looks, between)
        inserted = Inserted(self._work, self._strips, self._may_be_of).looks(rest)
        if not inserted:
            return rest
        again = self._build_rest(arrivals, *self._with([look for _, look in inserted], quads, looks), between)
        lay = {track.number for track in (*rest.kept, *rest.covered)} - rest.turned | {number for number, _ in inserted}
        lie = {track.number for track in (*again.kept, *again.covered)} - again.turned
        return again if lay <= lie else rest  # an insertion must not replace a known card

    def _with(
        self, inserted: Sequence[Look], quads: Sequence[Quad], looks: Sequence[Look]
    ) -> tuple[list[Quad], list[Look]]:
        """Add insertions and drop unreadable arrivals near them."""
        low = [msgspec.structs.replace(self._work.on.quad(look), shown=0.0) for look in inserted]
        told = [
            (quad, look)
            for quad, look in zip(quads, looks, strict=True)
            if look.sight is Sight.SEEN or all(distance_mm(look, one) > NEAR_MM for one in inserted)
        ]
        return self._drop_unreadable([*low, *(quad for quad, _ in told)], [*inserted, *(look for _, look in told)])

    def _build_rest(
        self, arrivals: Arrivals, quads: list[Quad], looks: list[Look], between: Sequence[tuple[Quad, Image]]
    ) -> Rest:
        """Return the rest with these arrivals, and the others kept, covered or gone."""
        objects = self._objects(quads, looks)
        kept, covered, gone = remaining(self._work, self._as_read(quads, looks), objects)
        whole = [quad for quad in quads if quad.shown >= WHOLE]
        if below := arrivals.presumed_on_piles(kept, [*gone, *covered], whole):
            quads, looks = [*quads, *below], [*looks, *self._read([*quads, *below])[len(quads) :]]
            kept, covered, gone = remaining(self._work, self._as_read(quads, looks), objects)
        each = [one for one in zip(quads, looks, strict=True) if one[0] not in objects]
        rest = Rest([Arrival(look, quad.shown < WHOLE) for quad, look in each], kept, covered, gone, objects=objects)
        rest = (
            resolve_doubles(rest, self._work.still)
            if self._unique
            else rest._replace(came=without_own_strips(rest.came))
        )
        return self._cover_missed(self._where_they_lay(self._anew(rest), self._as_read(quads, looks), between))

    def _read(self, quads: Sequence[Quad]) -> list[Look]:
        whole = [quad for quad in quads if quad.shown >= WHOLE]
        named = dict(zip(whole, self._name([self._work.on.to_piece(quad) for quad in whole]), strict=True))
        return [self._read_one(quad, quads, named.get(quad)) for quad in quads]

    def _read_one(self, quad: Quad, quads: Sequence[Quad], whole: Look | None) -> Look:
        """Read a card whole, or by its visible part."""
        if whole is not None and whole.sight is Sight.SEEN:
            return whole
        seen = self._work.shows_of(quad, quads)
        if whole is not None and share(self._work.on.mask(quad), seen) >= OPEN:
            return whole
        part = self._strips.look(quad, seen)
        return part if whole is None or part.sight is Sight.SEEN else whole

    def _where_one_lay(self, quad: Quad, visible: Image) -> tuple[Quad, Image]:
        """Move an unread strip to a former card's place unless its print fits worse there; edges may be others'."""
        work, own = self._work, self._strips.fit(quad, visible)
        if own >= FIT:
            return quad, visible
        moved = [work.on.quad(track.look) for track in work.moved]
        shown, far = np.count_nonzero(visible), NEAR_MM * work.on.scale
        near = [
            there
            for there in moved
            if np.hypot(there.x - quad.x, there.y - quad.y) <= far
            or np.count_nonzero(visible & work.on.mask(there)) >= ON_A_CARD * shown
        ]
        places = [msgspec.structs.replace(one, support=quad.support, shown=quad.shown) for one in near]
        each = [(place, np.asarray(work.shows_of(place, [place]) & work.news, np.uint8)) for place in places]
        each = [one for one in each if np.count_nonzero(one[1]) > STRIP * work.on.area]
        fits = [self._strips.fit(*one) for one in each]
        if not fits or max(fits) < own - MARGIN:
            return quad, visible
        return each[fits.index(max(fits))]

    def _strangers(self, between: Sequence[tuple[Quad, Image]]) -> list[Quad]:
        return [quad for quad, visible in between if not self._is_explained(quad, visible)]

    def _is_explained(self, quad: Quad, visible: Image) -> bool:
        """Return True if a strip may be a known card, or is unreadable."""
        work, look = self._work, self._strips.look(quad, visible)
        if look.sight is not Sight.SEEN:
            return True
        x, y = work.place(quad)
        near = [track.look for track in work.moved if np.hypot(track.look.x_mm - x, track.look.y_mm - y) <= NEAR_MM]
        if any(one.face in (None, look.face) for one in near):
            return True
        least = max(FIT, self._strips.fit(quad, visible) - MARGIN)
        if any(self._agrees(track, visible, least) for track in work.known if track.number in work.still):
            return True
        alike = [track for track in work.known if (track.look.kind, track.look.face) == (look.kind, look.face)]
        if look.face is Face.UP:
            return bool(alike)
        touched = [track for track in alike if work.touch(quad, work.on.quad(track.look))]
        return any(track.number not in work.still or self._may_be_of(track, quad, visible) for track in touched)

    def _may_be_of(self, back: Track, quad: Quad, visible: Image) -> bool:
        """Return True unless a visible back fits much better here than at the known card's place."""
        if np.count_nonzero(visible) < LINES * self._work.on.area or back.number in self._work.slid:
            return True
        there = self._work.on.quad(back.look)
        part = np.asarray(visible & self._work.on.mask(there), np.uint8)
        mostly = np.count_nonzero(part) >= ON_A_CARD * np.count_nonzero(visible)
        theirs = self._strips.back(there, part) if mostly else 0.0
        return 1.0 - self._strips.back(quad, visible) > OWN * (1.0 - theirs)

    def _agrees(self, track: Track, visible: Image, least: float = FIT) -> bool:
        """Return True if a strip lies mostly on a known face and fits it. least: correlation."""
        on, kind = self._work.on, track.look.kind
        part = np.asarray(visible & on.mask(on.quad(track.look)), np.uint8)
        if kind is None or np.count_nonzero(part) < ON_A_CARD * np.count_nonzero(visible):
            return False
        return self._strips.fit(on.quad(track.look), part, (kind,)) >= least

    def _laid_upon(self, quads: Sequence[Quad], looks: Sequence[Look]) -> dict[Quad, Quad]:
        """Return new places of unread strips on a known card that still reads: halfway to the next card."""
        work, aside = self._work, dict[Quad, Quad]()
        for quad, look in zip(quads, looks, strict=True):
            track = work.known_at(quad) if look.sight is Sight.UNKNOWN and quad.shown < WHOLE else None
            above = work.lies_next(track) if track is not None else None
            if track is None or track.look.kind is None or above is None:
                continue
            left = np.asarray(work.shows(track) & (work.news ^ 1), np.uint8)
            enough = np.count_nonzero(left) >= STRIP * work.on.area
            if enough and _reads_as(track, self._strips.look(work.on.quad(track.look), left)):
                there = work.on.quad(above.look)
                aside[quad] = msgspec.structs.replace(quad, x=(quad.x + there.x) / 2, y=(quad.y + there.y) / 2)
        return aside

    def _left_over(self, quads: Sequence[Quad], looks: Sequence[Look]) -> tuple[list[Quad], list[Look]]:
        """Drop strips that show only ground once cards are where read."""
        work, lie = self._work, self._as_read(quads, looks)
        if all(quad.shown >= WHOLE for quad in quads) or lie == list(quads):
            return list(quads), list(looks)
        side = round(LINE_MM * work.on.scale) | 1
        solid, line = work.solid(), np.ones((side, side), np.uint8)

        def shows(strip: Quad) -> bool:
            left = np.asarray(cv2.morphologyEx(work.shows_of(strip, lie) & solid, cv2.MORPH_OPEN, line), np.uint8)
            return bool(np.count_nonzero(left) > STRIP * work.on.area)

        aside = [number for number, (quad, there) in enumerate(zip(quads, lie, strict=True)) if quad != there]
        each = enumerate(zip(quads, looks, lie, strict=True))
        told = [
            (quad, look)
            for number, (quad, look, there) in each
            if quad.shown >= WHOLE or aside == [number] or shows(there)
        ]
        return [quad for quad, _ in told], [look for _, look in told]

    def _drop_unreadable(self, quads: Sequence[Quad], looks: Sequence[Look]) -> tuple[list[Quad], list[Look]]:
        """Drop unreadable arrivals where a known card still reads."""
        over = np.zeros_like(self._work.strange)
        for quad, look in zip(quads, looks, strict=True):
            over |= self._work.on.mask(quad) * np.uint8(look.sight is Sight.SEEN)
        told = [
            (quad, look) for quad, look in zip(quads, looks, strict=True) if not self._is_misplaced(quad, look, over)
        ]
        return [quad for quad, _ in told], [look for _, look in told]

    def _is_misplaced(self, quad: Quad, look: Look, over: Image) -> bool:
        """Return True if several cards' sides were combined. over: mask (0/1) of read arrivals."""
        if look.sight is Sight.SEEN:
            return False
        work, mask = self._work, np.asarray(self._work.on.mask(quad) & (over ^ 1), np.uint8)
        for track in work.known:
            under_it = np.asarray(mask & work.shows(track), np.uint8)
            if track.number in work.still or np.count_nonzero(under_it) < STRIP * work.on.area:
                continue
            as_ever = track.look.kind is not None and _reads_as(
                track, self._strips.look(work.on.quad(track.look), under_it)
            )
            if as_ever or (quad.shown < WHOLE and self._agrees(track, under_it)):
                return True
        return False

    def _objects(self, quads: Sequence[Quad], looks: Sequence[Look]) -> list[Quad]:
        """Return arrivals that are no cards: unreadable and misplaced, unprinted or vague, or apparent cards below."""
        work, unread = self._work, [q for q, look in zip(quads, looks, strict=True) if look.sight is Sight.UNKNOWN]
        cards = [quad for quad in unread if zone_of(*work.place(quad), work.on.zones) is not None]
        single = [quad for quad in cards if quad.shown >= WHOLE and not work.in_pile(*work.place(quad))]
        vague = [quad for quad in single if self._is_vague(quad, quads) or work.is_known(quad)]
        vague += [quad for quad in cards if quad not in vague and self._blank(quad, quads)]
        faint = [quad for quad in cards if quad not in vague and quad.support < CLEARLY and quad.shown < WHOLE]
        vague += [quad for quad in faint if share(work.shows_of(quad, quads), work.objects) > AGAIN]
        backs = [q for q, look in zip(quads, looks, strict=True) if look.face is Face.DOWN and q.support < CLEARLY]
        ghosts = [quad for quad in backs if self._blank(quad, quads) and not self._shows_lines(quad, quads)]
        below = [q for q in cards if q.shown < WHOLE and any(work.touch(q, other) for other in (*vague, *ghosts))]
        return [*ghosts, *(quad for quad in unread if quad not in cards or quad in vague or quad in below)]

    def _blank(self, quad: Quad, quads: Sequence[Quad]) -> bool:
        """Return True if unprinted, as reflections are, and unlike earlier cards."""
        work = self._work
        shown = np.asarray(cv2.erode(work.shows_of(quad, quads), np.ones((RIM, RIM), np.uint8)), np.uint8)
        return share(shown, work.as_then()) <= AS_THEN and self._is_unprinted(shown)

    def _is_vague(self, quad: Quad, quads: Sequence[Quad]) -> bool:
        """Return True if neither sides nor print show a card."""
        return quad.support < CLEARLY and self._strips.fit(quad, self._work.shows_of(quad, quads)) < FIT

    def _is_unprinted(self, shown: Image) -> bool:
        """Return True if a part (0/1) shows at most mat lines."""
        print_ = np.asarray(shown & brightness_steps(self._work.sheet) & (self._work.on.outlines() ^ 1), np.uint8)
        return bool(np.count_nonzero(print_) < BLANK * np.count_nonzero(shown))

    def _shows_lines(self, quad: Quad, quads: Sequence[Quad]) -> bool:
        return self._strips.fit(quad, self._work.shows_of(quad, quads), (BACK,)) >= BACK_FIT

    def _as_read(self, quads: Sequence[Quad], looks: Sequence[Look]) -> list[Quad]:
        """Return the rectangles, moved to their prints where read."""
        on = self._work.on
        return [
            msgspec.structs.replace(on.quad(look), support=quad.support, shown=quad.shown)
            if look.sight is Sight.SEEN and (look.face is Face.UP or quad.shown < WHOLE)
            else quad
            for quad, look in zip(quads, looks, strict=True)
        ]

    def _anew(self, rest: Rest) -> Rest:
        """Read kept unread cards again; drop those that are ground."""
        taken = kinds(rest)

        def anew(track: Track) -> Track:
            quad, seen = self._work.on.quad(track.look), self._work.shows(track)
            whole = np.count_nonzero(seen) >= WHOLE * self._work.on.area
            look = self._name([self._work.on.to_piece(quad)])[0] if whole else self._strips.look(quad, seen)
            told = look.sight is Sight.SEEN and (look.kind is None or look.kind not in taken)
            return Track(track.number, look, look.kind or track.known) if told else track

        kept = [anew(track) if track.look.sight is Sight.UNKNOWN else track for track in rest.kept]
        return rest._replace(kept=[track for track in kept if not self._is_ground(track)])

    def _is_ground(self, track: Track) -> bool:
        """Return True if a never-read card is background without print."""
        if track.look.sight is not Sight.UNKNOWN or track.known is not None:
            return False
        shown = self._work.shows(track)
        solid = np.count_nonzero(shown & self._work.solid())
        return bool(solid < STANDING * np.count_nonzero(shown)) and self._is_unprinted(shown)

    def _where_they_lay(self, rest: Rest, fresh: Sequence[Quad], between: Sequence[tuple[Quad, Image]]) -> Rest:
        """Restore gone cards read in place: turned over, partly uncovered, or replaced under others."""
        taken, turned, again, instead = kinds(rest), dict[int, Track](), dict[int, Track](), list[Arrival]()
        for track in rest.gone:
            if track.look.kind not in taken and self._peeps_out(track, rest):
                again[track.number] = track
                continue
            near = any(distance_mm(one.look, track.look) <= MISFIT_MM for one in rest.came)
            others = [q for q in fresh if q.shown >= WHOLE or track.number not in under(self._work, q)]
            backs = self._backs(rest, track)
            look = None if near else self._where_it_lay(track, others, backs) or self._aside(track, between, backs)
            if (
                look is not None
                and look.face not in (None, track.look.face)
                and (look.kind is None or look.kind not in taken)
            ):
                turned[track.number] = Track(track.number, look, look.kind or track.known)
            elif look is not None and look.kind is not None and look.kind not in taken:
                if look.kind == track.look.kind:
                    again[track.number] = track
                elif np.count_nonzero(self._work.shows(track)) < WHOLE * self._work.on.area:
                    instead.append(Arrival(look, low=True))
        rest = rest._replace(came=[*rest.came, *instead])
        if not turned and not again:
            return rest
        known = [track.number for track in self._work.known]
        back = turned | again
        kept = sorted([*rest.kept, *back.values()], key=lambda track: known.index(track.number))
        gone = [track for track in rest.gone if track.number not in back]
        return rest._replace(kept=kept, gone=gone, turned=frozenset(turned))

    def _peeps_out(self, track: Track, rest: Rest) -> bool:
        """Return True if a card's remainder fits it and no lower card."""
        work, kind = self._work, track.look.kind
        if kind is None or work.in_pile(track.look.x_mm, track.look.y_mm):
            return False
        news = sum((work.on.mask(work.on.quad(one.look)) for one in rest.came), np.zeros_like(work.strange)) > 0
        news = np.asarray(cv2.dilate(news.astype(np.uint8), np.ones((RIM, RIM), np.uint8)), np.uint8)
        left = np.asarray(work.shows(track) & (news ^ 1), np.uint8)
        if np.count_nonzero(left) < STRIP * work.on.area or not work.is_unchanged(left):
            return False
        own = self._strips.fit_there(work.on.quad(track.look), left, (kind,))
        for other in work.below(track):
            quad = work.on.quad(other.look)
            part = np.asarray(left & work.on.mask(quad), np.uint8)
            named = (other.look.kind,) if other.look.kind is not None else ()
            if (
                np.count_nonzero(part) > PEEP * work.on.area
                and own < self._strips.fit_there(quad, part, named) + RATHER
            ):
                return False
        return own >= FIT

    def _backs(self, rest: Rest, gone: Track) -> Image:
        """Return visible known backs (0/1) confusable with the absent card's."""
        on, hidden = self._work.on, np.zeros_like(self._work.strange)
        lying = {track.number for track in (*rest.kept, *rest.covered)}
        tracks = [track for track in self._work.known if track.number in lying]
        seen = in_sight([on.mask(on.quad(track.look)) for track in tracks])
        there, shown = on.quad(gone.look), self._work.shows(gone)
        for track, mask in zip(tracks, seen, strict=True):
            if track.look.face is Face.UP or not (mask & shown).any():
                continue
            if track.look.face is None or self._may_be_of(track, there, np.asarray(mask & shown, np.uint8)):
                hidden |= mask
        return hidden

    def _cover_missed(self, rest: Rest) -> Rest:
        """Treat cards as covered if their place, or pushed place, is unexplained foreground."""
        missed = list[Track]()
        for track in rest.gone:
            if _found_elsewhere(track, rest.came):
                continue
            along = self._work.pushed_with(track)
            if self._stands_out(track, self._work.shows(track), rest):
                missed.append(track)
            elif along is not None and self._stands_out(along, strip_of(self._work.on, along.look), rest):
                missed.append(along)
        numbers = frozenset(track.number for track in missed)
        gone = [track for track in rest.gone if track.number not in numbers]
        return rest._replace(covered=[*rest.covered, *map(as_covered, missed)], gone=gone, perhaps_gone=numbers)

    def _stands_out(self, track: Track, shown: Image, rest: Rest) -> bool:
        """Return True if unexplained foreground may be this card."""
        work = self._work
        placed = zone_of(track.look.x_mm, track.look.y_mm, work.on.zones) is not None
        if not placed or work.in_pile(track.look.x_mm, track.look.y_mm) or not shown.any():
            return False
        if any(distance_mm(look, track.look) <= NEAR_MM for look in self._newly(rest)):
            return False  # a new card took its place
        if sides_gone(work, track):
            return False
        left = self._unexplained_part(shown, rest)
        least = SOLID * np.count_nonzero(self._open(shown, rest))
        if np.count_nonzero(left) < max(least, STRIP * work.on.area):
            return False
        return bool(np.count_nonzero(left & work.solid()) > least)

    def _newly(self, rest: Rest) -> list[Look]:
        """Return arrived and returned looks."""
        back = [track.look for track in rest.kept if track.number in self._work.brought]
        return [*(one.look for one in rest.came), *back]

    def _open(self, shown: Image, rest: Rest) -> Image:
        on, open_ = self._work.on, shown.copy()
        for look in self._newly(rest):
            open_ &= on.mask(on.quad(look)) ^ 1
        return open_

    def _unexplained_part(self, shown: Image, rest: Rest) -> Image:
        """Return parts of a mask (0/1) not read as new or lower cards."""
        on, left = self._work.on, self._open(shown, rest)
        open_ = left.copy()
        for track in rest.kept[::-1]:
            quad = on.quad(track.look)
            part = np.asarray(open_ & on.mask(quad), np.uint8)
            open_ &= part ^ 1
            large = np.count_nonzero(part) > STRIP * on.area
            if not large or _reads_as(track, self._strips.look(quad, part)) or self._is_uncovered(track, quad, part):
                left &= part ^ 1
        return left

    def _is_uncovered(self, track: Track, quad: Quad, part: Image) -> bool:
        """Return True if a newly uncovered part fits and, with that seen before, reads as the card."""
        if not self._is_unprinted(part) and self._strips.fit(quad, part, (track.look.kind or BACK,)) < WORTH:
            return False
        return _reads_as(track, self._strips.look(quad, np.asarray(part | self._work.shows(track), np.uint8)))

    def _where_it_lay(self, track: Track, others: Sequence[Quad], backs: Image) -> Look | None:
        """Return the look read at a splayed card's place, or None."""
        work, seen = self._work, self._work.shows(track)
        if work.in_pile(track.look.x_mm, track.look.y_mm):
            return None
        for quad in others:
            seen = np.asarray(seen & (work.on.mask(quad) ^ 1), np.uint8)
        own = self._turned_there(track.look, np.asarray(seen & (backs ^ 1), np.uint8))
        if own is not None or not (seen & backs).any():
            return own
        face = self._turned_there(track.look, seen)
        return face if face is not None and face.face is Face.UP else None

    def _turned_there(self, where: Look, seen: Image) -> Look | None:
        """Return the look of a card turned over near here, or None."""
        shown = np.count_nonzero(seen)
        if shown < STRIP * self._work.on.area or np.count_nonzero(seen & self._work.solid()) <= SOLID * shown:
            return None
        return self._strips.turned_look(where, seen)

    def _aside(self, track: Track, between: Sequence[tuple[Quad, Image]], backs: Image) -> Look | None:
        """Return the look of a nearby strip, or None."""
        for quad, visible in between:
            here, own = self._work.on.to_piece(quad), np.asarray(visible & (backs ^ 1), np.uint8)
            near = np.hypot(here.x_mm - track.look.x_mm, here.y_mm - track.look.y_mm) <= NEAR_MM
            if near and np.count_nonzero(own) >= STRIP * self._work.on.area:
                look = self._strips.look(quad, own)
                if look.sight is Sight.SEEN:
                    return look
        return None


def _reads_as(track: Track, look: Look) -> bool:
    return (look.kind, look.face) == (track.look.kind, track.look.face)


def _found_elsewhere(track: Track, came: Sequence[Arrival]) -> bool:
    """Return True if an arrival may be this card."""
    looks = [one.look for one in came]
    return any(look.kind == track.known if look.kind is not None else look.face is not Face.UP for look in looks)
