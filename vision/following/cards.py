"""Cards from rest to rest: what lies unchanged is what it was; what changed is looked for, named and told apart.

Cards lie on one another, and of the older ones only a strip may show. Each was seen whole when it was laid, so that
nothing has to be read off a strip as long as it looks as it did. Hands are not followed: a card that is gone and one
that has come are the same if they show the same, or if one was only turned or pushed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import NamedTuple

import msgspec
import numpy as np

from engine.table import Face, Order, Sight, Touch
from vision.camera import Image
from vision.finding.cardsheet import CardSheet
from vision.finding.pieces import Found, PieceFinder
from vision.finding.quad import Quad
from vision.finding.zones import zone_of
from vision.following.arrivals import Arrivals
from vision.following.comparing import NEAR_MM, WHOLE, Comparison
from vision.following.looks import Look, Settled, Track
from vision.following.memory import Memory, Picture
from vision.following.piles import drawn
from vision.following.recall import Now, recalled
from vision.following.strips import strip
from vision.mat import MatZone
from vision.recognition.naming import PartRecogniser

CARD_TRACKS = 500_000
"""Cards are numbered from here: discs and stones have the lower numbers."""

CLEARLY = 0.7
"""Share of the sides of a card that are edges, from which it is taken for one though it cannot be read."""

MOVED_MM = 1.5
"""From here on a card was handled."""

Namer = Callable[[Sequence[Found]], list[Look]]
"""Looks at cards in full sight."""


class Cards:
    """The cards of one set on one mat. Feed it every rest."""

    def __init__(self, newest: int = CARD_TRACKS) -> None:
        self.newest = newest
        self.tracks: tuple[Track, ...] = ()
        """The lowest first."""
        self._seen: Picture | None = None
        self._memory = Memory()

    def forget(self) -> None:
        """The pictures before do not count any more: the camera or the mat was moved."""
        self._seen = None
        self._memory.forget()

    def settle(
        self, image: Image, finder: PieceFinder, zones: Sequence[MatZone], name: Namer, parts: PartRecogniser | None
    ) -> Settled:
        """The cards at rest. image: the whole picture. parts: names those that are half covered.

        What has a card's shape, but is none that can be read, and lies where no card should, is some object.
        """
        before = self._seen.under(finder) if self._seen is not None and self._seen.image.shape == image.shape else None
        self._seen = Picture(image, finder, finder.sheet.rectify(image))
        work = Comparison(CardSheet(finder, zones), self._seen.sheet, before, finder.usable, self.tracks)
        back = self._back(work, finder)
        came, kept, covered, gone = _looked(work, name, parts)
        if finder.pieces.unique:
            came, moved = _only_once(came, kept, covered, work.still)
            gone += [track for track in (*kept, *covered) if track.number in moved]
            kept, covered = ([track for track in each if track.number not in moved] for each in (kept, covered))
        looks = [one.look for one in came]
        tracks, touched, lost = self._told(looks, gone, zones)
        taken = {look.kind for look in (*looks, *(track.look for track in (*kept, *covered)))}
        kept = _reread(work, kept, taken, name, parts)
        kept, drawn_now, doubtful = self._drawn(kept, looks, work)
        touched += [*back, *drawn_now]
        touched += [
            Touch(track.number, lifted=True)
            for track in covered
            if any(_other_back(track, look, zones) for look in looks)
        ]
        touched += [Touch(number, lifted=False) for number in sorted(work.slid)]
        lying = _stacked([*kept, *covered], [(track, one.low) for track, one in zip(tracks, came, strict=True)], work)
        known = {track.number for track in self.tracks}
        self.tracks = tuple(_topmost(lying, zones))
        if before is not None:
            new = {track.number for track in tracks} - known
            touched += [Touch(track.number, lifted=True) for track in self.tracks if track.number in new]
        self._memory.keep(self._seen, self.tracks, zones, frozenset())
        return Settled(self.tracks, tuple(touched), lost | doubtful)

    def _back(self, work: Comparison, finder: PieceFinder) -> list[Touch]:
        """Puts cards back that lie again where they were last seen: who brought them from elsewhere touched them."""
        remembered = self._memory.of(work.still)
        back = list(recalled(work.on, Now(finder, work.sheet, work.lying(), work.changed), remembered))
        work.put_back(back)
        known = {track.number for track in self.tracks}
        return [Touch(one.track.number, lifted=True) for one in back if one.track.number not in known]

    def _drawn(
        self, kept: Sequence[Track], came: Sequence[Look], work: Comparison
    ) -> tuple[list[Track], list[Touch], frozenset[int]]:
        """What lies now where cards were kept, which of them were drawn, and the tracks of which nobody is sure."""
        tracks, touches, lost = list[Track](), list[Touch](), set[int]()
        for track in kept:
            certainty = drawn(work, track, came)
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
        self, looks: Sequence[Look], gone: Sequence[Track], zones: Sequence[MatZone]
    ) -> tuple[list[Track], list[Touch], frozenset[int]]:
        """Tracks of what came, touches of all that was handled, and the tracks whose past is not sure."""
        left, tracks, touches, lost = list(gone), list[Track](), list[Touch](), set[int]()
        for look in looks:
            before = _same(look, left, zones)
            if before is None:
                self.newest += 1
                tracks.append(Track(self.newest, look, look.kind))
                if look.kind is None and any(track.look.kind is None for track in left):
                    lost.add(self.newest)
                continue
            left.remove(before)
            tracks.append(Track(before.number, look, look.kind or before.known))
            moved = float(np.hypot(look.x - before.look.x, look.y - before.look.y))
            turned = None not in (look.face, before.look.face) and look.face is not before.look.face
            if moved > MOVED_MM or turned:
                touches.append(Touch(before.number, lifted=moved > NEAR_MM or turned))
        touches += [Touch(track.number, lifted=True) for track in left]
        return tracks, touches, frozenset(lost)


class _Came(NamedTuple):
    """A card that came; low: whether others hide a part of it."""

    look: Look
    low: bool


def _looked(
    work: Comparison, name: Namer, parts: PartRecogniser | None
) -> tuple[list[_Came], list[Track], list[Track], list[Track]]:
    """What came, and of what was known: what lies as it did, what is covered, what is gone."""
    arrivals = Arrivals(work)
    quads = arrivals.quads()
    looks = _read(work, quads, name, parts)
    objects = _objects(work, quads, looks)
    kept, covered, gone = work.remaining(quads, objects)
    if hidden := arrivals.piled([*kept, *covered], gone, quads):
        quads = [*quads, *hidden]
        looks = _read(work, quads, name, parts)
        kept, covered, gone = work.remaining(quads, objects)
    each = [one for one in zip(quads, looks, strict=True) if one[0] not in objects]
    return [_Came(look, quad.shown < WHOLE) for quad, look in each], kept, covered, gone


def _read(work: Comparison, quads: Sequence[Quad], name: Namer, parts: PartRecogniser | None) -> list[Look]:
    whole = iter(name([work.on.found(quad) for quad in quads if quad.shown >= WHOLE]))
    return [
        next(whole) if quad.shown >= WHOLE else strip(work.on, work.sheet, quad, work.shows_of(quad, quads), parts)
        for quad in quads
    ]


def _reread(
    work: Comparison, kept: Sequence[Track], taken: Collection[str | None], name: Namer, parts: PartRecogniser | None
) -> list[Track]:
    """What lies as it did, read anew where it could not be read. taken: kinds that are seen elsewhere."""

    def anew(track: Track) -> Track:
        quad, seen = work.on.quad(track.look), work.shows(track)
        whole = np.count_nonzero(seen) >= WHOLE * work.on.area
        look = name([work.on.found(quad)])[0] if whole else strip(work.on, work.sheet, quad, seen, parts)
        told = look.sight is Sight.SEEN and (look.kind is None or look.kind not in taken)
        return Track(track.number, look, look.kind or track.known) if told else track

    return [anew(track) if track.look.sight is Sight.UNKNOWN else track for track in kept]


def _objects(work: Comparison, quads: Sequence[Quad], looks: Sequence[Look]) -> list[Quad]:
    """What cannot be read and lies where no card should, or has not even clear edges, with what seems to lie below."""
    unread = [quad for quad, look in zip(quads, looks, strict=True) if look.sight is Sight.UNKNOWN]
    cards = [quad for quad in unread if zone_of(*work.place(quad), work.on.zones) is not None]
    vague = [q for q in cards if q.shown >= WHOLE and q.support < CLEARLY and not work.in_pile(*work.place(q))]
    below = [q for q in cards if q.shown < WHOLE and any(work.touch(q, other) for other in vague)]
    return [quad for quad in unread if quad not in cards or quad in vague or quad in below]


def _same(look: Look, gone: Sequence[Track], zones: Sequence[MatZone]) -> Track | None:
    """Which of the cards that are gone from their places this one is; None if nobody can tell."""
    zone = zone_of(look.x, look.y, zones)
    if zone is not None and zone.order is Order.PILE and look.kind is None:
        return None  # one back looks like another

    def apart(track: Track) -> float:
        return float(np.hypot(look.x - track.look.x, look.y - track.look.y))

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


def _only_once(
    came: Sequence[_Came], kept: Sequence[Track], covered: Sequence[Track], still: frozenset[int]
) -> tuple[list[_Came], frozenset[int]]:
    """What came, doubted if the same card lies elsewhere as it did; and which tracks lie here now.

    still: tracks of all of which that showed nothing has changed. Of others only a rim was left, of another card.
    """
    named = {track.look.kind: track for track in (*kept, *covered) if track.look.kind is not None}
    told, moved = list[_Came](), set[int]()
    for one in came:
        track = named.get(one.look.kind or "")
        if track is None or one.look.sight is not Sight.SEEN:
            told.append(one)
        elif track.number in still and np.hypot(one.look.x - track.look.x, one.look.y - track.look.y) > NEAR_MM:
            look = msgspec.structs.replace(one.look, kind=None, face=None, sight=Sight.UNKNOWN, confidence=0.0)
            told.append(one._replace(look=look))
        else:
            told.append(one)
            moved.add(track.number)
    return told, frozenset(moved)


def _other_back(track: Track, look: Look, zones: Sequence[MatZone]) -> bool:
    """Whether a back that came to lie on a pile shows since the one that lay there was drawn, as far as can be told."""
    here, there = (zone_of(one.x, one.y, zones) for one in (track.look, look))
    return here is not None and here == there and track.look.face is look.face is Face.DOWN


def _stacked(lying: list[Track], came: Sequence[tuple[Track, bool]], work: Comparison) -> list[Track]:
    """What lay there and what came, the lowest first. came: with whether others hide a part of it."""
    for track, low in came:
        above = work.lies_below(track.look)
        at = next((number for number, other in enumerate(lying) if other.number in above), len(lying))
        lying.insert(0 if low and work.in_pile(track.look.x, track.look.y) else at, track)
    return lying


def _topmost(tracks: Iterable[Track], zones: Sequence[MatZone]) -> list[Track]:
    """All but what lies below the top of a pile."""
    kept: list[Track] = []
    full: set[str] = set()
    for track in reversed(list(tracks)):
        zone = zone_of(track.look.x, track.look.y, zones)
        if zone is not None and zone.order is Order.PILE:
            if zone.name in full:
                continue
            full.add(zone.name)
        kept.append(track)
    return kept[::-1]
