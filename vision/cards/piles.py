"""Tracks the backs on piles between rests."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import cv2
import msgspec
import numpy as np

from engine.table import Arrangement, Face, Sight
from vision.camera import Image
from vision.cards.changes import RIM, changes
from vision.cards.comparing import GAP, STRIP, WHOLE, RestComparison
from vision.cards.draws import UNSURE, Pile, alike
from vision.cards.recall import PastPicture
from vision.cards.rest import Arrival, Rest
from vision.finding.pieces import PieceFinder
from vision.finding.zones import zone_of
from vision.tracking.accounts import Carry
from vision.tracking.looks import Look, Track, refit_look

ELSEWHERE_MM = 2.5
"""Displacement that always means another back."""

HIGHEST_MM = 30.0
"""Largest pile height, for parallax."""


KeptOff = Callable[[float, float, float], bool]
"""Tells whether all hands since the last rest stayed a distance (mm) from a place (x and y in mm)."""


def no_place(_x_mm: float, _y_mm: float, _reach_mm: float) -> bool:
    """Tell that hands may have been everywhere."""
    return False


class Top(NamedTuple):
    """A back last seen well, with its picture and overlapping cards."""

    track: Track
    picture: PastPicture
    over: tuple[Look, ...]

    def refit(self, carry: Carry) -> Top:
        """Return the back under a better fit."""
        track = msgspec.structs.replace(self.track, look=refit_look(self.track.look, carry))
        return Top(track, self.picture, tuple(refit_look(look, carry) for look in self.over))


class BackMatch(NamedTuple):
    """A pile's back compared with its last view. certainty: that it is another; share: compared part."""

    certainty: float
    share: float


class Tops:
    """Backs on piles, distinguished by their places."""

    def __init__(self) -> None:
        self._seen: dict[str, Top] = {}
        self._shares: dict[str, float] = {}

    def reset_after_move(self, finder: PieceFinder) -> None:
        """Mark pictures as of before a camera or mat move. finder: see `PastPicture.after_move`."""
        self._seen = {name: top._replace(picture=top.picture.after_move(finder)) for name, top in self._seen.items()}

    def refit(self, carry: Carry) -> None:
        """Carry millimetres over to a better fit."""
        self._seen = {name: top.refit(carry) for name, top in self._seen.items()}

    def follow(
        self, work: RestComparison, finder: PieceFinder, rest: Rest, kept_off: KeptOff = no_place
    ) -> tuple[Rest, Mapping[int, float]]:
        """Return the rest with comparable backs kept, and exchange probabilities by previous track number."""
        self._shares, certainties = {}, dict[int, float]()
        for name, top in self._seen.items():
            number = top.track.number
            kept = any(track.number == number for track in rest.kept)
            came = None if kept else _back(work, rest.came, name)
            if not kept and came is None:
                continue
            certainty, self._shares[name] = _compare(work, finder, top, rest)
            if certainty < 1.0 and kept_off(top.track.look.x_mm, top.track.look.y_mm, work.on.long_mm / 2):
                certainty = 0.0
            if kept and not certainty:  # an unread arrival that leaves the back visible is an object
                rest = rest._replace(came=[one for one in rest.came if not _unread(work, one, name)])
            if came is not None:
                known = came.look.face is Face.DOWN
                if known and certainty and _corners_apart(work, top.track.look, came.look) > ELSEWHERE_MM:
                    certainty = 1.0
                if not known and 0.0 < certainty < 1.0:
                    continue  # something unread lies on the pile
                rest = _as_kept(work, rest, top.track, came, same=not certainty)
            certainties[number] = certainty
        return rest, certainties

    def keep(self, picture: PastPicture, work: RestComparison, tracks: Sequence[Track]) -> None:
        """Remember current backs; keep views of unchanged, half-hidden ones; forget those of empty or face-up piles."""
        for zone in (zone for zone in work.on.zones if zone.order is Arrangement.PILE):
            here = [track for track in tracks if zone_of(track.look.x_mm, track.look.y_mm, work.on.zones) == zone]
            known = self._seen.get(zone.name)
            if not here or any(track.look.face is Face.UP for track in here):
                self._seen.pop(zone.name, None)
                continue
            top = here[-1]
            same = known is not None and known.track.number == top.number
            if top.look.sight is Sight.SEEN and not (same and self._shares.get(zone.name, 0.0) < WHOLE):
                over = tuple(other.look for other in tracks if other.number != top.number)
                self._seen[zone.name] = Top(top, picture, over)


def _back(work: RestComparison, came: Sequence[Arrival], name: str) -> Arrival | None:
    """Return the uppermost arrival on a pile if it may be a back, else None."""
    here = [one for one in came if _pile_of(work, one.look) == name]
    return here[-1] if here and here[-1].look.face is not Face.UP else None


def _unread(work: RestComparison, one: Arrival, name: str) -> bool:
    return _pile_of(work, one.look) == name and one.look.sight is Sight.UNKNOWN


def _pile_of(work: RestComparison, look: Look) -> str:
    zone = zone_of(look.x_mm, look.y_mm, work.on.zones)
    return "" if zone is None else zone.name


def _as_kept(work: RestComparison, rest: Rest, track: Track, came: Arrival, *, same: bool) -> Rest:
    """Keep an arrival as the pile's last card (`same`) or its successor."""
    plain = came.look.sight is Sight.SEEN and not same
    look = came.look if plain else msgspec.structs.replace(track.look, sight=Sight.SEEN)
    name = _pile_of(work, look)
    on_it = [other for other in rest.covered if _pile_of(work, other.look) == name]
    covered, gone = ([t for t in each if t.number != track.number] for each in (rest.covered, [*rest.gone, *on_it]))
    kept = [*rest.kept, Track(track.number, look, None)]
    covered = [other for other in covered if other not in on_it]
    return rest._replace(came=[one for one in rest.came if one is not came], kept=kept, covered=covered, gone=gone)


def _compare(work: RestComparison, finder: PieceFinder, top: Top, rest: Rest) -> BackMatch:
    before = top.picture.under(finder)
    if before.shape != work.sheet.shape:
        return BackMatch(UNSURE, 0.0)
    on, name = work.on, _pile_of(work, top.track.look)
    lying = [track.look for track in (*rest.kept, *rest.covered)] + [one.look for one in rest.came]
    over = np.zeros_like(work.changed)
    for look in (*top.over, *lying):
        if _pile_of(work, look) != name:
            over |= on.mask(on.quad(look))
    whole = on.mask(on.quad(top.track.look))
    own = np.asarray(whole & (cv2.dilate(over, np.ones((RIM, RIM), np.uint8)) == 0), np.uint8)
    own = _comparable(work, before, own, whole)
    share = np.count_nonzero(own) / np.count_nonzero(cv2.erode(whole, np.ones((RIM, RIM), np.uint8)))
    if share < STRIP:
        return BackMatch(UNSURE, share)
    aside = _aside(top, finder) if top.picture.elsewhere else None
    return BackMatch(_another(work, before, own, whole, aside), share)


def _aside(top: Top, finder: PieceFinder) -> tuple[float, float]:
    """Return the apparent shift of the highest pile since a move, in sheet pixels."""
    place = np.array([[top.track.look.x_mm, top.track.look.y_mm]])
    now, then = (
        one.projection.millimetres(one.projection.pixels(place, HIGHEST_MM)) for one in (finder, top.picture.finder)
    )
    right, down = ((now - then)[0] * finder.sheet.scale).tolist()
    return right, down


def _comparable(work: RestComparison, before: Image, own: Image, whole: Image) -> Image:
    """Return a back's clear and unchanged part (0/1)."""
    clear = np.asarray(own & alike(before, work.sheet, whole), np.uint8)
    return np.asarray(cv2.erode(clear, np.ones((RIM, RIM), np.uint8)), np.uint8)


def _another(
    work: RestComparison, before: Image, own: Image, whole: Image, aside: tuple[float, float] | None = None
) -> float:
    """Return the probability of another back. own, whole: masks (0/1)."""
    changed = work.changed if before is work.before else changes(work.sheet, before)
    beside = cv2.dilate(changed | whole, np.ones((GAP, GAP), np.uint8))
    ground = np.asarray(work.usable & (beside == 0), np.uint8)
    return Pile(before, work.sheet, own, ground, work.on.size, work.on.scale, aside).draw_probability()


def perhaps_another(work: RestComparison, track: Track) -> bool:
    """Return True if a back in place may be another; False if hardly comparable."""
    if work.before is None:
        return False
    whole = work.on.mask(work.on.quad(track.look))
    own = _comparable(work, work.before, work.shows(track), whole)
    return bool(np.count_nonzero(own) > STRIP * work.on.area and _another(work, work.before, own, whole) > 0.0)


def _corners_apart(work: RestComparison, one: Look, other: Look) -> float:
    """Return the largest corner distance in millimetres."""
    ours, theirs = (work.on.quad(look).corners(work.on.size) for look in (one, other))
    turned = min((np.roll(theirs, turn, axis=0) for turn in range(4)), key=lambda way: float(np.abs(way - ours).max()))
    return float(np.hypot(*(turned - ours).T).max()) / work.on.scale
