"""Pieces followed from rest to rest: which track a piece is, which were touched or lifted, covered or lost.

In motion only pieces that lie still are believed (seen at the same place in two pictures); what a hand carries is
hidden until it lies still again. `belief` keeps the accounts of what happened meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import msgspec
import numpy as np

from engine.table import Face, Sight, Touch
from vision.camera import Image
from vision.following import belief
from vision.following.belief import Hidden, Hypothesis, Place, Setting
from vision.following.turns import likeness, turn_between

SAME_MM = 2.5
"""A piece that lies still is found again within this."""

MOVED_MM = 1.2
SURELY_MOVED_MM = 2.0
TURNED_DEG = 3.0
NEAR_MM = 12.0
SURE = 0.98
"""Below this share of the weight a piece's past is lost."""

SAME_LOOK = 0.85
STEP_MM = 8.0
"""A piece that was seen a picture ago and is now seen this near is the same, on its way."""

WRONG_NAME = 1e-9
KNOWN_ELSEWHERE = 1e-5
FLIPPED = 0.1
"""Likelihood of a piece having been turned over meanwhile."""

LEAST_GUESS = 0.5
"""A piece that was followed and is known needs only this much certainty of being what it was."""

CLEAR_OUTLINE = 0.75
"""Support from which a piece's place is sure."""

BLUR_MM = 1.6
"""Error of the place of a piece with hardly any outline in sight."""

CLUTTER = 1e-8
"""Density of something in a motion picture only looking like a piece: a knuckle, a cuff."""

SLID_MM = 10.0
SLID_DIAMETERS = 1.7
"""A piece that went straight along the mat, from a little to this far, was pushed: it need not have been lifted."""

ASIDE_MM = 6.0


class Look(msgspec.Struct, frozen=True):
    """A piece as one picture at rest shows it; `kind` None if face down or not recognised."""

    x: float
    y: float
    angle: float
    kind: str | None
    face: Face | None
    sight: Sight
    confidence: float
    patch: Image | None = None
    """Its upright crop, if its turn can be told from it."""
    guess: str | None = None
    """What it might be, where it is not recognised."""


class Track(msgspec.Struct, frozen=True):
    """A piece that is followed. known: its kind as last recognised, also while it lies face down (never reported)."""

    number: int
    look: Look
    known: str | None


class Settled(msgspec.Struct, frozen=True):
    """The tracker's answer at rest."""

    tracks: tuple[Track, ...]
    touched: tuple[Touch, ...]
    lost: frozenset[int]


class Spotted(msgspec.Struct, frozen=True):
    """A piece-shaped thing in a motion picture. support: share of its outline that was seen."""

    x: float
    y: float
    support: float = 1.0

    @property
    def blur_mm(self) -> float:
        """How far off its place may be."""
        return BLUR_MM * (1.0 - self.support)


class _Strand(msgspec.Struct, frozen=True):
    """A piece in sight: where it is, and where it last lay still. A hand has it if it goes on from there."""

    number: int
    x: float
    y: float
    home: tuple[float, float]

    @property
    def carried(self) -> bool:
        return float(np.hypot(self.x - self.home[0], self.y - self.home[1])) > SAME_MM


Bare = Callable[[float, float], bool]
Seen = TypeVar("Seen", Look, Spotted)


class Tracker:
    """Feed it every motion picture and every rest; `settle` gives the tracks."""

    def __init__(self, newest: int = 0, apart_mm: float = NEAR_MM) -> None:
        """newest: the last track number that was given before. apart_mm: the least distance of two pieces' centres."""
        self._apart_mm = apart_mm
        self._hands = 1
        self._blind = False
        self.tracks: tuple[Track, ...] = ()
        self.newest = newest
        self._strands: list[_Strand] = []
        self._strand_numbers = 0
        self._hypotheses: tuple[Hypothesis, ...] = (Hypothesis(1.0, {}, {}),)
        self._candidates: list[Spotted] = []

    def follow(self, spotted: Sequence[Spotted], bare: Bare, at: float, hands: int = 1) -> None:
        """One picture in motion. bare(x, y): no hand is near that place, and it shows the bare mat. hands: in sight."""
        self._hands = max(self._hands, hands)
        spare = list(spotted)
        still = {s.number for s in self._strands if _take(spare, s.x, s.y, SAME_MM) is not None}
        kept = [msgspec.structs.replace(s, home=(s.x, s.y)) for s in self._strands if s.number in still]
        for strand in self._strands:
            if strand.number in still:
                continue
            step = _take(spare, strand.x, strand.y, STEP_MM)
            if step is None:
                self._hide(strand, at, self._flies(strand, spare))
            elif step.support < CLEAR_OUTLINE:
                kept.append(strand)  # half covered: it may lie where it lay
            else:
                kept.append(msgspec.structs.replace(strand, x=step.x, y=step.y))
        self._strands = kept
        self._vacate(spotted, bare)
        covered = [h for h in self._hypotheses[0].hidden.values() if not h.gone] if self._hypotheses else []
        fresh = [
            one
            for one in spare
            if _nearest(self._candidates, one.x, one.y, STEP_MM) is not None
            or any(np.hypot(h.x - one.x, h.y - one.y) <= SAME_MM for h in covered)
        ]
        self._candidates = spare
        setting = Setting(self._hands, outside=CLUTTER)  # over a covered piece another may hang in the air
        self._appear(fresh, at, lambda _strand, _track: 1.0, setting)

    def _hide(self, strand: _Strand, at: float, taken: bool = False) -> None:
        """taken: it was seen to leave its place."""
        place = Hidden(*strand.home, at, int(taken or strand.carried))
        self._hypotheses = belief.hide(self._hypotheses, strand.number, place)

    def _flies(self, strand: _Strand, spare: Sequence[Spotted]) -> bool:
        """Something is seen half over the place of a piece that lay there a picture ago: it is the same, on its way."""
        nearest = _nearest(spare, strand.x, strand.y, self._apart_mm)
        return nearest is not None and np.hypot(nearest.x - strand.x, nearest.y - strand.y) > NEAR_MM

    def _vacate(self, spotted: Sequence[Spotted], bare: Bare) -> None:
        self._hypotheses = belief.vacate(
            self._hypotheses,
            lambda place: bare(place.x, place.y) and _nearest(spotted, place.x, place.y, NEAR_MM) is None,
        )

    def _appear(self, spotted: Sequence[Spotted], at: float, agree: belief.Agreement, setting: Setting) -> None:
        fresh = []
        for one in spotted:
            self._strand_numbers += 1
            self._strands.append(_Strand(self._strand_numbers, one.x, one.y, (one.x, one.y)))
            fresh.append(Place(self._strand_numbers, one.x, one.y, one.blur_mm))
        self._hypotheses = belief.appear(self._hypotheses, fresh, at, agree, setting)

    def settle(self, looks: Sequence[Look], bare: Bare, at: float) -> Settled:
        """The table at rest. A piece that is not seen is gone if its place is bare, else covered."""
        by_strand = self._match(looks, bare, at)
        agree = self._agreement(by_strand)
        self._hypotheses = belief.weigh(self._hypotheses, sorted(by_strand), agree)
        before = {track.number: track for track in self.tracks}
        tracks, lost = self._identify(by_strand, before)
        settled = {track.number for track in tracks}
        tracks = [self._remembered(track, before, lost) for track in tracks]
        touched = [touch for track in tracks if (touch := self._touch(track, before, lost)) is not None]
        for number, track in sorted(before.items()):
            if number in settled:
                continue
            if bare(track.look.x, track.look.y) or self._taken(track, tracks):
                touched.append(Touch(number, lifted=True))
            else:
                look = msgspec.structs.replace(track.look, sight=Sight.COVERED)
                tracks.append(msgspec.structs.replace(track, look=look))
        if self._blind:
            tracks, lost = self._renumbered(tracks, lost)
        self._rebase(tracks, at)
        return Settled(self.tracks, tuple(touched), lost)

    def blind(self) -> None:
        """Nothing was seen for a while: what lies face down at the next rest is not known any more."""
        self._blind = True

    def _renumbered(self, tracks: Sequence[Track], lost: frozenset[int]) -> tuple[list[Track], frozenset[int]]:
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

    def _match(self, looks: Sequence[Look], bare: Bare, at: float) -> dict[int, Look]:
        """Looks by strand: strands that still lie there, then new ones."""
        spare = list(looks)
        by_strand: dict[int, Look] = {}
        for strand in list(self._strands):
            same = _take(spare, strand.x, strand.y, SAME_MM)
            if same is None:
                self._hide(strand, at)
                self._strands.remove(strand)
            else:
                by_strand[strand.number] = same
        self._vacate([Spotted(look.x, look.y) for look in looks], bare)
        expected = dict(enumerate(spare, start=self._strand_numbers + 1))
        agree = self._agreement(expected, only_new=True)
        self._appear([Spotted(look.x, look.y) for look in spare], at, agree, Setting(self._hands, self._apart_mm))
        return by_strand | expected

    def _agreement(self, looks: dict[int, Look], only_new: bool = False) -> belief.Agreement:
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

    def _identify(self, by_strand: dict[int, Look], before: dict[int, Track]) -> tuple[list[Track], frozenset[int]]:
        """A track for each look; those whose past is not sure get new ones."""
        tracks: list[Track] = []
        lost: set[int] = set()
        taken: set[int] = set()
        ranked = sorted(by_strand, key=lambda strand: -belief.identity(self._hypotheses, strand)[1])
        for strand in ranked:
            look = by_strand[strand]
            number, share = belief.identity(self._hypotheses, strand)
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

    def _taken(self, track: Track, tracks: Sequence[Track]) -> bool:
        """True if another piece lies where this one lay."""
        here = track.look
        return any(np.hypot(t.look.x - here.x, t.look.y - here.y) < self._apart_mm for t in tracks)

    @staticmethod
    def _was_here(look: Look, before: dict[int, Track]) -> bool:
        return any(np.hypot(t.look.x - look.x, t.look.y - look.y) < NEAR_MM for t in before.values())

    def _remembered(self, track: Track, before: dict[int, Track], lost: frozenset[int]) -> Track:
        """A piece that the recogniser now doubts, but that lies as it lay and looks as it looked, keeps its name."""
        old = before.get(track.number)
        if old is None or track.look.sight is not Sight.UNKNOWN:
            return track
        if track.known is not None and track.look.guess == track.known and track.look.confidence >= LEAST_GUESS:
            doubt = (1 - SURE) * (1 - track.look.confidence)
            sure = SURE * track.look.confidence
            look = msgspec.structs.replace(
                track.look, kind=track.known, face=Face.UP, sight=Sight.SEEN, confidence=sure / (sure + doubt)
            )
            return msgspec.structs.replace(track, look=look)
        if old.look.sight is not Sight.SEEN:
            return track
        if old.look.patch is None or track.look.patch is None or self._touch(track, before, lost) is not None:
            return track
        if likeness(old.look.patch, track.look.patch) < SAME_LOOK:
            return track
        x, y = track.look.x, track.look.y
        return msgspec.structs.replace(track, look=msgspec.structs.replace(old.look, x=x, y=y))

    def _touch(self, track: Track, before: dict[int, Track], lost: frozenset[int]) -> Touch | None:
        old = before.get(track.number)
        if old is None:
            return Touch(track.number, lifted=track.number in lost) if before or lost else None
        up = belief.lifted(self._hypotheses, track.number)
        if up > 0.5 and not self._slid(old.look, track.look):
            return Touch(track.number, lifted=True, certainty=round(up, 3))
        moved = float(np.hypot(track.look.x - old.look.x, track.look.y - old.look.y))
        faced = None not in (old.look.face, track.look.face) and old.look.face != track.look.face
        if faced or moved > SURELY_MOVED_MM:
            return Touch(track.number, lifted=faced)
        if moved > MOVED_MM or _turned(old.look, track.look):
            return Touch(track.number, lifted=False, certainty=0.9)
        return None

    def _slid(self, before: Look, after: Look) -> bool:
        """It may have been pushed along a row."""
        across, down = abs(after.x - before.x), abs(after.y - before.y)
        straight = min(across, down) < ASIDE_MM
        return straight and SLID_MM < max(across, down) < SLID_DIAMETERS * self._apart_mm and before.face is after.face

    def _rebase(self, tracks: Sequence[Track], at: float) -> None:
        """What is seen now is where the next account starts."""
        self.tracks = tuple(sorted(tracks, key=lambda track: track.number))
        self._strands, self._candidates, self._hands = [], [], 1
        strands: dict[int, int | None] = {}
        hidden: dict[int, Hidden] = {}
        for track in self.tracks:
            if track.look.sight is Sight.COVERED:
                hidden[track.number] = Hidden(track.look.x, track.look.y, at)
                continue
            self._strand_numbers += 1
            strands[self._strand_numbers] = track.number
            self._strands.append(
                _Strand(self._strand_numbers, track.look.x, track.look.y, (track.look.x, track.look.y))
            )
        self._hypotheses = (Hypothesis(1.0, strands, hidden),)

    def forget(self) -> None:
        """Takes every piece for untouched from here on (`Rebase`)."""
        self._rebase(self.tracks, 0.0)


def _turned(before: Look, after: Look) -> bool:
    if before.patch is None or after.patch is None or before.kind != after.kind:
        return False
    return abs(turn_between(before.patch, after.patch)) > TURNED_DEG


def _nearest(places: Sequence[Seen], x: float, y: float, within: float = SAME_MM) -> Seen | None:
    best = min(places, key=lambda place: (place.x - x) ** 2 + (place.y - y) ** 2, default=None)
    return best if best is not None and np.hypot(best.x - x, best.y - y) <= within else None


def _take(places: list[Seen], x: float, y: float, within: float) -> Seen | None:
    """The nearest of the places, taken out of the list; None if none is near enough."""
    nearest = _nearest(places, x, y, within)
    if nearest is not None:
        places.remove(nearest)
    return nearest
