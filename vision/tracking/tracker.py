"""Tracks pieces between rests: touched, lifted, covered or lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
import numpy as np

from engine.table import Face, Sight, Touch
from vision.finding.pieces import FoundPiece
from vision.tracking import belief
from vision.tracking.accounts import Carry
from vision.tracking.elimination import named_by_the_rest
from vision.tracking.looks import Look, Track, TrackUpdate, refit_look
from vision.tracking.motion import NEAR_MM, Bare, Motion
from vision.tracking.pushes import slid
from vision.tracking.turns import gain, likeness, turn_between

# --- touches and lifts of a piece


MOVED_MM, SURELY_MOVED_MM = 2.5, 4.0
"""Apparent motion above which an untouched piece is unlikely, and above which a touch is certain."""

SAME_MM = 0.15
"""Accuracy with which a hand hardly ever puts a piece back."""

PERHAPS = 0.8
"""Certainty of a lift if the piece is in place, or if another is lost that may be it."""

TURNED_DEG, TURNED_GAIN = 3.0, 1.5
"""Least turn of a touched piece, and factor by which it must reduce the difference."""


def touch(
    track: Track, before: Mapping[int, Track], after: Sequence[Track], *, lifted: float, lost: bool, apart_mm: float
) -> Touch | None:
    """Return a piece's touch since the last rest, or None.

    before, after: earlier tracks by number, and present ones.
    lifted: probability.
    lost: unknown past.
    """
    old = before.get(track.number)
    if old is None:
        return Touch(track.number, lifted=lost) if before or lost else None
    moved = float(np.hypot(track.look.x_mm - old.look.x_mm, track.look.y_mm - old.look.y_mm))
    faced = None not in (old.look.face, track.look.face) and old.look.face != track.look.face
    others = [(before[t.number].look, t.look) for t in after if t.number in before and t.number != track.number]
    if lifted > 0.5 and not slid(old.look, track.look, others, apart_mm):
        most = PERHAPS if moved < SAME_MM and not faced else 1.0
        return Touch(track.number, lifted=True, certainty=round(min(lifted, most), 3))
    if faced or moved > SURELY_MOVED_MM:
        return Touch(track.number, lifted=faced)
    if has_turned(old.look, track.look):
        return Touch(track.number, lifted=False, certainty=0.9)
    return Touch(track.number, lifted=False, certainty=0.7) if moved > MOVED_MM else None


def has_turned(before: Look, after: Look) -> bool:
    """Return True if a piece was rotated in place."""
    if before.rings is None or after.rings is None or before.kind != after.kind:
        return False
    if not (before.rings.patterned and after.rings.patterned):
        return False
    turn = turn_between(before.rings, after.rings)
    return abs(turn) > TURNED_DEG and gain(before.rings, after.rings) > TURNED_GAIN


# --- pieces from rest to rest


SURE = 0.98
"""Probability below which a piece is lost."""

SAME_LOOK = 0.85

WRONG_NAME = 1e-9
KNOWN_ELSEWHERE = 1e-5
FLIPPED = 0.1
"""Likelihood of being turned over."""


class Tracker:
    """Tracks pieces.

    newest: last number used.
    apart_mm: least distance of centres.
    every: number of pieces, if known.
    single: kinds that are there once.
    """

    def __init__(
        self, newest: int = 0, apart_mm: float = NEAR_MM, every: int | None = None, single: Sequence[str] = ()
    ) -> None:
        self._apart_mm, self._every, self._single = apart_mm, every, single
        self._blind = False
        self._all: dict[int, Track] = {}
        """Every piece, including absent ones; empty if unproven."""
        self.tracks: tuple[Track, ...] = ()
        self.newest = newest
        self._motion = Motion(apart_mm, every)

    def follow(self, spotted: Sequence[FoundPiece], bare: Bare, at: float, hands: int = 1) -> None:
        """Process a picture in motion. bare(x, y): nothing there and no hand; hands: visible number."""
        self._motion.follow(spotted, bare, at, hands)

    def settle(self, looks: Sequence[Look], bare: Bare, at: float) -> TrackUpdate:
        """Process a rest. A missing piece is gone if its place is bare or taken, else covered."""
        before = {track.number: track for track in self.tracks}
        by_strand = self._motion.match(looks, bare, at, lambda fresh: self._agreement(fresh, only_new=True))
        weighed = belief.weigh(self._motion.hypotheses, sorted(by_strand), self._agreement(by_strand))
        self._motion.hypotheses = weighed
        tracks, lost = self._identify(by_strand, before)
        tracks = [self._remember(track, before, lost) for track in tracks]
        tracks = named_by_the_rest(tracks, self._single, SURE)
        touched = [t for track in tracks if (t := self._touch(track, before, tracks, lost)) is not None]
        doubted = bool(lost)
        for missing, found in _only_ones(before, tracks, lost):
            tracks[tracks.index(found)] = Track(missing.number, found.look, found.known)
            touched = [t for t in touched if t.track != found.number] + [Touch(missing.number, lifted=True)]
            lost -= {found.number}
        for number in sorted(before.keys() - {track.number for track in tracks}):
            track = before[number]
            if bare(track.look.x_mm, track.look.y_mm) or self._is_taken(track, tracks):
                touched.append(Touch(number, lifted=True, certainty=PERHAPS if lost else 1.0))
            elif track.look.face is not None or track.known is not None:  # otherwise it may not have been a piece
                look = msgspec.structs.replace(track.look, sight=Sight.COVERED)
                tracks.append(msgspec.structs.replace(track, look=look))
        sure = not (doubted or self._blind or self._some_exchanged(tracks))
        back = self._come_back(tracks) if sure else None
        if back is not None:
            away, found = back
            tracks[tracks.index(found)] = Track(away.number, found.look, found.look.kind or away.known)
            touched = [t for t in touched if t.track != found.number] + [Touch(away.number, lifted=True)]
        if self._blind:
            tracks, lost = self._renumber(tracks, lost)
        self._all = self._account_for(tracks, sure=sure)
        self._rebase(tracks, at)
        return TrackUpdate(self.tracks, tuple(touched), lost)

    def blind(self) -> None:
        """Give pieces that are not face up new numbers at the next rest."""
        self._blind, self._all = True, {}

    def refit(self, carry: Carry) -> None:
        """Carry millimetres over to a better fit."""
        self.tracks = tuple(msgspec.structs.replace(each, look=refit_look(each.look, carry)) for each in self.tracks)
        self._motion.refit(carry)

    def forget(self) -> None:
        """Treat all pieces as untouched (`Rebase`)."""
        self._rebase(self.tracks, 0.0)

    def _rebase(self, tracks: Sequence[Track], at: float) -> None:
        self.tracks = tuple(sorted(tracks, key=lambda track: track.number))
        covered = {track.number: track for track in self.tracks if track.look.sight is Sight.COVERED}
        self._motion.start([track for track in self.tracks if track.number not in covered], covered, at)

    def _renumber(self, tracks: Sequence[Track], lost: frozenset[int]) -> tuple[list[Track], frozenset[int]]:
        self._blind = False
        result: list[Track] = []
        fresh: set[int] = set()
        known = {track.number for track in self.tracks}
        for track in tracks:
            if track.look.face is Face.UP or track.number not in known:
                result.append(track)
                continue
            self.newest += 1
            fresh.add(self.newest)
            result.append(Track(self.newest, track.look, None))
        return result, lost | fresh

    def _agreement(self, looks: Mapping[int, Look], *, only_new: bool = False) -> belief.Agreement:
        known = {track.number: track.known for track in self.tracks}
        faces = {track.number: track.look.face for track in self.tracks}
        kinds = set(known.values()) - {None}

        def agree(strand: int, track: int | None) -> float:
            look = looks.get(strand)
            if look is None:
                return 1.0
            if look.kind is None:
                was = None if track is None else faces.get(track)
                return FLIPPED if None not in (was, look.face) and was is not look.face else 1.0
            if track is None:
                return KNOWN_ELSEWHERE if look.kind in kinds and only_new else 1.0
            kind = known.get(track)
            wrong = kind is not None and kind != look.kind
            claimed = kind is None and look.kind in kinds
            return WRONG_NAME if wrong else KNOWN_ELSEWHERE if claimed else 1.0

        return agree

    def _identify(
        self, by_strand: Mapping[int, Look], before: Mapping[int, Track]
    ) -> tuple[list[Track], frozenset[int]]:
        tracks: list[Track] = []
        lost: set[int] = set()
        taken: set[int] = set()
        accounts = self._motion.hypotheses
        told = {strand: belief.identity(accounts, strand) for strand in by_strand}
        for strand in sorted(by_strand, key=lambda strand: -told[strand][1]):
            look, (number, share) = by_strand[strand], told[strand]
            if number is None or share < SURE or number in taken:
                unsure = number is not None or share < SURE
                self.newest += 1
                tracks.append(Track(self.newest, look, look.kind))
                if unsure or self._was_here(look, before):
                    lost.add(self.newest)
                continue
            taken.add(number)
            tracks.append(Track(number, look, look.kind or before[number].known))
        return tracks, frozenset(lost)

    def _come_back(self, tracks: Sequence[Track]) -> tuple[Track, Track] | None:
        """Return the only absent piece and the only new one, if proven identical."""
        here = {track.number for track in tracks}
        away = [track for number, track in self._all.items() if number not in here]
        fresh = [track for track in tracks if track.number not in self._all]
        if not self._complete(tracks) or len(away) != 1 or len(fresh) != 1:
            return None
        kind = fresh[0].look.kind
        others = {track.known for track in tracks if track is not fresh[0]}
        agrees = kind is None or kind == away[0].known or (away[0].known is None and kind not in others)
        return (away[0], fresh[0]) if agrees else None

    def _account_for(self, tracks: Sequence[Track], *, sure: bool) -> dict[int, Track]:
        """Return every piece if the absent ones are proven, else none. sure: none lost or exchangeable."""
        here = {track.number: track for track in tracks}
        if self._complete(tracks):
            return here
        followed = sure and here.keys() <= self._all.keys() and all(map(_made_out, tracks))
        return {**self._all, **here} if followed else {}

    def _complete(self, tracks: Sequence[Track]) -> bool:
        return len(tracks) == self._every and all(map(_made_out, tracks))

    def _some_exchanged(self, tracks: Sequence[Track]) -> bool:
        """Return True if a present piece may have been lifted."""
        accounts = self._motion.hypotheses
        return any(belief.lift_probability(accounts, track.number) > 1 - SURE for track in tracks)

    def _is_taken(self, track: Track, tracks: Sequence[Track]) -> bool:
        here = track.look
        return any(np.hypot(t.look.x_mm - here.x_mm, t.look.y_mm - here.y_mm) < self._apart_mm for t in tracks)

    @staticmethod
    def _was_here(look: Look, before: Mapping[int, Track]) -> bool:
        return any(np.hypot(t.look.x_mm - look.x_mm, t.look.y_mm - look.y_mm) < NEAR_MM for t in before.values())

    def _remember(self, track: Track, before: Mapping[int, Track], lost: frozenset[int]) -> Track:
        """Return the track with its old name if the piece has none now and looks as before."""
        old = before.get(track.number)
        if old is None or track.look.sight is not Sight.UNKNOWN:
            return track
        if old.look.sight is not Sight.SEEN:
            return track
        if old.look.rings is None or track.look.rings is None or self._touch(track, before, (), lost) is not None:
            return track
        if likeness(old.look.rings, track.look.rings) < SAME_LOOK:
            return track
        x, y = track.look.x_mm, track.look.y_mm
        return msgspec.structs.replace(track, look=msgspec.structs.replace(old.look, x_mm=x, y_mm=y))

    def _touch(
        self, track: Track, before: Mapping[int, Track], after: Sequence[Track], lost: frozenset[int]
    ) -> Touch | None:
        up = belief.lift_probability(self._motion.hypotheses, track.number)
        return touch(track, before, after, lifted=up, lost=track.number in lost, apart_mm=self._apart_mm)


def _made_out(track: Track) -> bool:
    """Return True if visible with a known face, unlike coins or shadows."""
    return track.look.sight is Sight.SEEN and track.look.face is not None


def _only_ones(before: Mapping[int, Track], tracks: Sequence[Track], lost: frozenset[int]) -> list[tuple[Track, Track]]:
    """Pair missing pieces with lost tracks that show their name, where it is unique in both."""
    present = {track.number for track in tracks}
    missing = [track for number, track in before.items() if number not in present and track.known is not None]
    strange = [track for track in tracks if track.number in lost and track.look.face is Face.UP]
    pairs = []
    for track in missing:
        same = [other for other in strange if other.look.kind == track.known]
        if len(same) == 1 and [other.known for other in missing].count(track.known) == 1:
            pairs.append((track, same[0]))
    return pairs


__all__ = ["NEAR_MM", "SURE", "Look", "Track", "TrackUpdate", "Tracker"]
