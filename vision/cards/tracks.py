"""Tracks cards between rests: unchanged ones keep their names, changed ones are found, named and matched.

Overlapped cards were seen whole when laid, so unchanged strips need no reading. Hands are not tracked: a gone and a
new card match if they show the same, or one was only turned over or pushed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache, partial

import msgspec
import numpy as np

from engine.table import Arrangement, Face, Sight, Touch
from vision.camera import Image
from vision.cards.cardsheet import CardSheet
from vision.cards.comparing import NEAR_MM, RestComparison
from vision.cards.draws import UNSURE
from vision.cards.leftover import Leftover
from vision.cards.piles import KeptOff, Tops, no_place, perhaps_another
from vision.cards.reader import Namer, Reader
from vision.cards.recall import Memory, PastPicture, TableNow, recall_cards, where_as_then
from vision.cards.remaining import under
from vision.cards.rest import Arrival, Rest
from vision.cards.strips import Strips
from vision.finding.pieces import PieceFinder
from vision.finding.zones import zone_of
from vision.mat import MatZone
from vision.recognition.naming import PartRecogniser
from vision.tracking.accounts import Carry
from vision.tracking.looks import Look, Track, TrackUpdate, refit_look

CARD_TRACKS = 500_000
"""First card number, above other pieces'."""

MOVED_MM, TWISTED_DEG = 1.5, 6.0
"""Motion of a handled card."""

STIRRED_MM, STIRRED_DEG = 0.6, 1.2
"""Motion of a card perhaps exchanged."""


class Cards:
    """Tracks one card set on a mat."""

    def __init__(self, newest: int = CARD_TRACKS) -> None:
        self.newest = newest
        self.tracks: tuple[Track, ...] = ()
        """Lowest first."""
        self._seen: PastPicture | None = None
        self._memory = Memory()
        self._tops = Tops()
        self._leftover = Leftover()

    def reset_after_move(self, finder: PieceFinder) -> None:
        """Forget remembered cards and leftovers after a camera or mat move. finder: see `PastPicture.after_move`."""
        self._seen = self._seen.after_move(finder) if self._seen is not None else None
        self._tops.reset_after_move(finder)
        self._forget_places()

    def _forget_places(self) -> None:
        self._memory.forget()
        self._leftover.forget()

    def refit(self, carry: Carry) -> None:
        """Carry millimetres over to a better fit; forget remembered cards and leftovers."""
        self.tracks = tuple(msgspec.structs.replace(each, look=refit_look(each.look, carry)) for each in self.tracks)
        self._tops.refit(carry)
        self._forget_places()

    def settle(
        self,
        image: Image,
        finder: PieceFinder,
        zones: Sequence[MatZone],
        name: Namer,
        parts: PartRecogniser | None,
        kept_off: KeptOff = no_place,
    ) -> TrackUpdate:
        """Update and return the tracks at a rest. image: whole picture; parts: names partly covered cards."""
        before = self._seen.under(finder) if self._seen is not None and self._seen.image.shape == image.shape else None
        self._seen = PastPicture(image, finder, finder.sheet.rectify(image))
        on = CardSheet(finder, zones)
        work = RestComparison(
            on, self._seen.sheet, before, finder.usable, self.tracks, lambda quad: name([on.to_piece(quad)])[0]
        )
        self._leftover.remind(work)
        back = self._back(work, finder, parts)
        rest = Reader(work, name, parts, unique=finder.pieces.unique).rest()
        rest, certainties = self._tops.follow(work, finder, rest, kept_off)
        rest, stirred = _stirred_backs(work, rest)
        looks = [one.look for one in rest.came]
        tracks, touched, lost = self._build_tracks(looks, rest.gone, zones, stirred)
        kept, drawn_now, doubtful = self._apply_draws(rest.kept, certainties)
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
        lying = _stack(lower, came, work)
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

    def _back(self, work: RestComparison, finder: PieceFinder, parts: PartRecogniser | None) -> list[Touch]:
        """Restore returned cards; return touches of those turned or not tracked before."""
        remembered = self._memory.of(work.partly_still)
        now = TableNow(finder, work.sheet, work.lying(), work.changed)
        strips = Strips(work.on, work.sheet, parts)
        back = list(recall_cards(work.on, now, remembered, lambda quad, seen: strips.look(quad, seen).kind))
        work.put_back(back)
        lay = {track.number for track in self.tracks}
        gone = [one for one in remembered if one.track.number not in lay]
        work.as_then = cache(partial(where_as_then, work.on, now, gone))
        faces = {track.number: track.look.face for track in self.tracks}
        as_it_was = [one for one in back if faces.get(one.track.number) is one.track.look.face]
        return [Touch(one.track.number, lifted=True) for one in back if one not in as_it_was]

    def _apply_draws(
        self, kept: Sequence[Track], certainties: Mapping[int, float]
    ) -> tuple[list[Track], list[Touch], frozenset[int]]:
        """Renumber backs perhaps drawn; return all tracks, touches, and uncertain tracks' numbers."""
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
        """Return a pile's next card under a new number."""
        self.newest += 1
        return msgspec.structs.replace(track, number=self.newest)

    def _build_tracks(
        self, looks: Sequence[Look], gone: Sequence[Track], zones: Sequence[MatZone], stirred: frozenset[int]
    ) -> tuple[list[Track], list[Touch], frozenset[int]]:
        """Return arrivals' tracks, touches, and uncertain tracks' numbers. stirred: of slightly moved backs."""
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
            touch = _touch_of(before, look)
            if before.look.face is look.face is Face.DOWN:
                if touch is not None or before.number in stirred or _is_stirred(before, look):
                    backs[len(tracks)] = touch
            elif touch is not None:
                touches.append(touch)
            tracks.append(Track(before.number, look, look.kind or before.known))
        touches += self._perhaps_exchanged(tracks, backs, lost)
        touches += [Touch(track.number, lifted=True) for track in left]
        return tracks, touches, frozenset(lost)

    def _perhaps_exchanged(self, tracks: list[Track], backs: Mapping[int, Touch | None], lost: set[int]) -> list[Touch]:
        """Return touches of moved backs. If several may be exchanged, renumber all backs in `tracks`, add the new
        numbers to `lost`, and return unsure touches of all. backs: touches by index."""
        moved = [touch for touch in backs.values() if touch is not None]
        if len(backs) < 2 or not moved:
            return moved
        touches = [Touch(tracks[number].number, lifted=True, certainty=UNSURE) for number in backs]
        for number in backs:
            self.newest += 1
            tracks[number] = Track(self.newest, tracks[number].look, None)
            lost.add(self.newest)
        return touches


def _touch_of(before: Track, look: Look) -> Touch | None:
    """Return a card's touch between looks; None if it hardly moved. lifted: it went far or was turned over."""
    was = before.look
    moved, twisted = _apart(was, look)
    turned = None not in (look.face, was.face) and look.face is not was.face
    if moved > MOVED_MM or turned or twisted > TWISTED_DEG:
        return Touch(before.number, lifted=moved > NEAR_MM or turned)
    return None


def _stirred_backs(work: RestComparison, rest: Rest) -> tuple[Rest, frozenset[int]]:
    """Treat slightly moved backs outside piles as arrivals if another moved; also return their numbers."""
    came_down = any(one.look.face is Face.DOWN for one in rest.came)
    if not came_down or not any(track.look.face is Face.DOWN for track in rest.gone):
        return rest, frozenset()
    backs = [track for track in rest.kept if track.look.face is Face.DOWN and track.look.sight is Sight.SEEN]
    single = [track for track in backs if not work.in_pile(track.look.x_mm, track.look.y_mm)]
    stirred = [track for track in single if track.number in work.still and perhaps_another(work, track)]
    came = [*rest.came, *(Arrival(track.look, low=False) for track in stirred)]
    kept = [track for track in rest.kept if track not in stirred]
    return rest._replace(came=came, kept=kept, gone=[*rest.gone, *stirred]), frozenset(t.number for t in stirred)


def _is_stirred(before: Track, look: Look) -> bool:
    moved, twisted = _apart(before.look, look)
    return moved > STIRRED_MM or twisted > STIRRED_DEG


def _apart(one: Look, other: Look) -> tuple[float, float]:
    """Return distance in mm and degrees modulo 180."""
    turn = abs((other.angle_deg - one.angle_deg + 90.0) % 180.0 - 90.0)
    return float(np.hypot(other.x_mm - one.x_mm, other.y_mm - one.y_mm)), turn


def _same(look: Look, gone: Sequence[Track], zones: Sequence[MatZone]) -> Track | None:
    """Return the gone card that this look shows, or None."""
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
    """Return True if both are backs in one zone."""
    here, there = (zone_of(one.x_mm, one.y_mm, zones) for one in (track.look, look))
    return here is not None and here == there and track.look.face is look.face is Face.DOWN


def _stack(lying: list[Track], came: Sequence[tuple[Track, bool]], work: RestComparison) -> list[Track]:
    """Insert arrivals into the stack, lowest first."""
    for track, low in came:
        above = work.cards_above(track.look) | (under(work, work.on.quad(track.look)) if low else frozenset())
        at = next((number for number, other in enumerate(lying) if other.number in above), len(lying))
        lying.insert(0 if low and work.in_pile(track.look.x_mm, track.look.y_mm) else at, track)
    return lying


def _topmost(tracks: Iterable[Track], zones: Sequence[MatZone]) -> list[Track]:
    """Drop cards below a pile's top."""
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
