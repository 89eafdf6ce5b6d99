"""Follows cards from rest to rest: what is unchanged keeps its name; what changed is found, named and matched.

Cards lie on one another, and of the older ones only a strip may show. Each was seen whole when it was laid, so that
nothing has to be read off a strip as long as it looks as it did. Hands are not followed: a card that is gone and one
that has come are the same if they show the same, or if one was only turned or pushed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache, partial

import msgspec
import numpy as np

from engine.table import Arrangement, Face, Sight, Touch
from vision.camera import Image
from vision.cards.cardsheet import CardSheet
from vision.cards.comparing import NEAR_MM, Comparison
from vision.cards.draws import UNSURE
from vision.cards.leftover import Leftover
from vision.cards.piles import Tops, perhaps_another
from vision.cards.reader import Namer, Reader
from vision.cards.recall import Memory, Picture, TableNow, recalled, where_as_then
from vision.cards.remaining import under
from vision.cards.rest import Arrival, Rest
from vision.cards.strips import Strips
from vision.finding.pieces import PieceFinder
from vision.finding.zones import zone_of
from vision.mat import MatZone
from vision.recognition.naming import PartRecogniser
from vision.tracking.accounts import Carry
from vision.tracking.looks import Look, Track, TrackUpdate, carried

CARD_TRACKS = 500_000
"""Cards are numbered from here: discs and stones have the lower numbers."""

MOVED_MM, TWISTED_DEG = 1.5, 6.0
"""From here on a card was handled."""

STIRRED_MM, STIRRED_DEG = 0.6, 1.2
"""From here on a card that looks otherwise was perhaps exchanged for another that moved in the same rest."""


class Cards:
    """The cards of one set on one mat. Feed it every rest."""

    def __init__(self, newest: int = CARD_TRACKS) -> None:
        self.newest = newest
        self.tracks: tuple[Track, ...] = ()
        """The lowest first."""
        self._seen: Picture | None = None
        self._memory = Memory()
        self._tops = Tops()
        self._leftover = Leftover()

    def moved(self, finder: PieceFinder) -> None:
        """The camera or the mat was moved: of the pictures before, the last one's sheet alone counts, and those of
        piles. finder: see `Picture.moved`."""
        self._seen = self._seen.moved(finder) if self._seen is not None else None
        self._tops.moved(finder)
        self._forget_places()

    def _forget_places(self) -> None:
        self._memory.forget()
        self._leftover.forget()

    def carried(self, carry: Carry) -> None:
        """A better fit of the mat tells where all of it is in truth: nothing was touched."""
        self.tracks = tuple(msgspec.structs.replace(each, look=carried(each.look, carry)) for each in self.tracks)
        self._tops.carried(carry)
        self._forget_places()

    def settle(
        self, image: Image, finder: PieceFinder, zones: Sequence[MatZone], name: Namer, parts: PartRecogniser | None
    ) -> TrackUpdate:
        """The cards at rest. image: the whole picture. parts: names those that are half covered.

        What has a card's shape, but is none that can be read, and lies where no card should, is some object.
        """
        before = self._seen.under(finder) if self._seen is not None and self._seen.image.shape == image.shape else None
        self._seen = Picture(image, finder, finder.sheet.rectify(image))
        on = CardSheet(finder, zones)
        work = Comparison(
            on, self._seen.sheet, before, finder.usable, self.tracks, lambda quad: name([on.found(quad)])[0]
        )
        self._leftover.remind(work)
        back = self._back(work, finder, parts)
        rest = Reader(work, name, parts, unique=finder.pieces.unique).rest()
        rest, certainties = self._tops.followed(work, finder, rest)
        rest, stirred = _stirred_backs(work, rest)
        looks = [one.look for one in rest.came]
        tracks, touched, lost = self._told(looks, rest.gone, zones, stirred)
        kept, drawn_now, doubtful = self._drawn(rest.kept, certainties)
        touched += [*back, *drawn_now]
        touched += [
            Touch(track.number, lifted=True)
            for track in rest.covered
            if any(_other_back(track, look, zones) for look in looks)
        ]
        touched += [Touch(number, lifted=True) for number in sorted(rest.turned)]
        touched += [Touch(number, lifted=True, certainty=UNSURE) for number in sorted(rest.perhaps_gone)]
        touched += [Touch(number, lifted=False) for number in sorted(work.slid)]
        came = [(track, one.low) for track, one in zip(tracks, rest.came, strict=True)]
        order = {track.number: number for number, track in enumerate(work.known)}
        lower = sorted([*kept, *rest.covered], key=lambda track: order.get(track.number, len(order)))
        lying = _stacked(lower, came, work)
        known = {track.number for track in self.tracks}
        self.tracks = tuple(_topmost(lying, zones))
        if before is not None:
            new = {track.number for track in tracks} - known
            touched += [Touch(track.number, lifted=True) for track in self.tracks if track.number in new]
        self._memory.keep(self._seen, self.tracks, zones)
        self._tops.keep(self._seen, work, self.tracks)
        in_sight = [track.look for track in lying if track.look.sight is not Sight.COVERED]
        unclear = self._leftover.keep(work, in_sight, rest.objects)
        return TrackUpdate(self.tracks, tuple(touched), lost | doubtful, unclear)

    def _back(self, work: Comparison, finder: PieceFinder, parts: PartRecogniser | None) -> list[Touch]:
        """Puts cards back that lie again where they were last seen: who brought them from elsewhere touched them."""
        remembered = self._memory.of(work.partly_still)
        now = TableNow(finder, work.sheet, work.lying(), work.changed)
        strips = Strips(work.on, work.sheet, parts)
        back = list(recalled(work.on, now, remembered, lambda quad, seen: strips.look(quad, seen).kind))
        work.put_back(back)
        lay = {track.number for track in self.tracks}
        gone = [one for one in remembered if one.track.number not in lay]
        work.as_then = cache(partial(where_as_then, work.on, now, gone))
        faces = {track.number: track.look.face for track in self.tracks}
        as_it_was = [one for one in back if faces.get(one.track.number) is one.track.look.face]
        return [Touch(one.track.number, lifted=True) for one in back if one not in as_it_was]

    def _drawn(
        self, kept: Sequence[Track], certainties: Mapping[int, float]
    ) -> tuple[list[Track], list[Touch], frozenset[int]]:
        """What lies now where cards were kept, which of them were drawn, and the tracks of which nobody is sure."""
        tracks, touches, lost = list[Track](), list[Touch](), set[int]()
        for track in kept:
            certainty = certainties.get(track.number, 0.0)
            tracks.append(self._next_of(track) if certainty else track)
            if certainty:
                touches.append(Touch(track.number, lifted=True, certainty=certainty))
            if 0.0 < certainty < 1.0:
                lost.add(tracks[-1].number)
        return tracks, touches, frozenset(lost)

    def _next_of(self, track: Track) -> Track:
        """The card that lay below the top of a pile."""
        self.newest += 1
        return msgspec.structs.replace(track, number=self.newest)

    def _told(
        self, looks: Sequence[Look], gone: Sequence[Track], zones: Sequence[MatZone], stirred: frozenset[int]
    ) -> tuple[list[Track], list[Touch], frozenset[int]]:
        """Tracks of what came, touches of all that was handled, and the tracks whose past is not sure.

        stirred: backs that lie otherwise, though by little.
        """
        left, tracks, touches, lost = list(gone), list[Track](), list[Touch](), set[int]()
        backs = dict[int, Touch | None]()
        for look in looks:
            before = _same(look, left, zones)
            if before is None:
                self.newest += 1
                tracks.append(Track(self.newest, look, look.kind))
                if look.kind is None and any(track.look.kind is None for track in left):
                    lost.add(self.newest)
                continue
            left.remove(before)
            touch = _handled(before, look)
            if before.look.face is look.face is Face.DOWN:
                if touch is not None or before.number in stirred or _stirred(before, look):
                    backs[len(tracks)] = touch
            elif touch is not None:
                touches.append(touch)
            tracks.append(Track(before.number, look, look.kind or before.known))
        touches += self._perhaps_exchanged(tracks, backs, lost)
        touches += [Touch(track.number, lifted=True) for track in left]
        return tracks, touches, frozenset(lost)

    def _perhaps_exchanged(self, tracks: list[Track], backs: Mapping[int, Touch | None], lost: set[int]) -> list[Touch]:
        """Touches of face-down cards that lie otherwise: if one of several was moved, each may lie where another lay.

        backs: where they stand among the tracks, with how each was touched as far as can be told by itself. They get
        new numbers then, and are lost.
        """
        moved = [touch for touch in backs.values() if touch is not None]
        if len(backs) < 2 or not moved:
            return moved
        touches = [Touch(tracks[number].number, lifted=True, certainty=UNSURE) for number in backs]
        for number in backs:
            self.newest += 1
            tracks[number] = Track(self.newest, tracks[number].look, None)
            lost.add(self.newest)
        return touches


def _handled(before: Track, look: Look) -> Touch | None:
    """How a card was touched that lies about where it lay; None if it was not."""
    was = before.look
    moved, twisted = _apart(was, look)
    turned = None not in (look.face, was.face) and look.face is not was.face
    if moved > MOVED_MM or turned or twisted > TWISTED_DEG:
        return Touch(before.number, lifted=moved > NEAR_MM or turned)
    return None


def _stirred_backs(work: Comparison, rest: Rest) -> tuple[Rest, frozenset[int]]:
    """The rest with the backs among what came that lie where they did, but for less than is told, if another was moved.

    Of those in piles the draws tell.
    """
    came_down = any(one.look.face is Face.DOWN for one in rest.came)
    if not came_down or not any(track.look.face is Face.DOWN for track in rest.gone):
        return rest, frozenset()
    backs = [track for track in rest.kept if track.look.face is Face.DOWN and track.look.sight is Sight.SEEN]
    single = [track for track in backs if not work.in_pile(track.look.x_mm, track.look.y_mm)]
    stirred = [track for track in single if track.number in work.still and perhaps_another(work, track)]
    came = [*rest.came, *(Arrival(track.look, low=False) for track in stirred)]
    kept = [track for track in rest.kept if track not in stirred]
    return rest._replace(came=came, kept=kept, gone=[*rest.gone, *stirred]), frozenset(t.number for t in stirred)


def _stirred(before: Track, look: Look) -> bool:
    """Whether a card may lie otherwise than one did there, though too little to be told by itself."""
    moved, twisted = _apart(before.look, look)
    return moved > STIRRED_MM or twisted > STIRRED_DEG


def _apart(one: Look, other: Look) -> tuple[float, float]:
    """Millimetres and degrees from one look to another; half turns do not count."""
    turn = abs((other.angle_deg - one.angle_deg + 90.0) % 180.0 - 90.0)
    return float(np.hypot(other.x_mm - one.x_mm, other.y_mm - one.y_mm)), turn


def _same(look: Look, gone: Sequence[Track], zones: Sequence[MatZone]) -> Track | None:
    """Which of the cards that are gone from their places this one is; None if nobody can tell."""
    zone = zone_of(look.x_mm, look.y_mm, zones)
    if zone is not None and zone.order is Arrangement.PILE and look.kind is None:
        return None  # one back looks like another

    def apart(track: Track) -> float:
        return float(np.hypot(look.x_mm - track.look.x_mm, look.y_mm - track.look.y_mm))

    if look.kind is not None:
        named = [track for track in gone if track.known == look.kind]
        if named:
            return min(named, key=apart)
    near = [track for track in gone if apart(track) < NEAR_MM]
    if len(near) != 1:
        return None
    (was,) = near
    contradicts = None not in (look.kind, was.known) and look.kind != was.known
    doubtful = look.sight is Sight.UNKNOWN
    return None if contradicts or doubtful else was


def _other_back(track: Track, look: Look, zones: Sequence[MatZone]) -> bool:
    """Whether a back that came to lie on a pile shows since the one that lay there was drawn, as far as can be told."""
    here, there = (zone_of(one.x_mm, one.y_mm, zones) for one in (track.look, look))
    return here is not None and here == there and track.look.face is look.face is Face.DOWN


def _stacked(lying: list[Track], came: Sequence[tuple[Track, bool]], work: Comparison) -> list[Track]:
    """What lay there and what came, the lowest first. came: with whether others hide a part of it."""
    for track, low in came:
        above = work.lies_below(track.look) | (under(work, work.on.quad(track.look)) if low else frozenset())
        at = next((number for number, other in enumerate(lying) if other.number in above), len(lying))
        lying.insert(0 if low and work.in_pile(track.look.x_mm, track.look.y_mm) else at, track)
    return lying


def _topmost(tracks: Iterable[Track], zones: Sequence[MatZone]) -> list[Track]:
    """All but what lies below the top of a pile."""
    kept: list[Track] = []
    full: set[str] = set()
    for track in reversed(list(tracks)):
        zone = zone_of(track.look.x_mm, track.look.y_mm, zones)
        if zone is not None and zone.order is Arrangement.PILE:
            if zone.name in full:
                continue
            full.add(zone.name)
        kept.append(track)
    return kept[::-1]
