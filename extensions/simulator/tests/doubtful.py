"""Eyes that err as honest vision may: they know less than is there, or know it late, but tell nothing that is false.

Fault injection for arbiter and session: what these eyes make of a match must never end in a wrong verdict, in a false
accusation, or in a match that cannot go on. Questions are allowed.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from itertools import accumulate

import msgspec

from engine.table import Arrangement, Face, Observation, Sight, Sighting, Touch, ZoneSight
from referee_simulator.hands.scripts import Script
from referee_simulator.harness.ideal_eyes import Ideal, Shown
from referee_simulator.table.ground_truth import Truth
from referee_simulator.table.virtual import VirtualTable
from vision.mat import Mat
from vision.messages import Report, VisionSetup

replace = msgspec.structs.replace
PAST = 100_000
"""Tracks that were given again are numbered from here."""


class Doubts(msgspec.Struct, frozen=True):
    """How often.

    Per piece and rest: covered, unknown (only what was just touched). Per touch: faint (less than certain), handless
    (nobody's hand can be told). Per rest: late (told as it was before, and right half a second later). Per ten pictures
    of a hand: early (told while hands are at work). Per face-down piece touched: lost (followed no more).
    Per card of a splay and rest: gone (not told at all, until something is touched in its zone), blank (unknown, until
    it is touched itself). Per piece that was carried off: ghost (something unknown is told where it lay, twice).
    Per pile and rest: phantom (its back is taken for another one; for certain only where something else was touched, as
    nobody could tell it from a draw elsewhere). Per piece that came to a zone: unseen; per piece that left the table:
    stale (told where it lay); both are told right a second later, without a hand. Per rest with something that is not
    plainly seen: again (looked at once more, some seconds later).
    """

    covered: float = 0.0
    unknown: float = 0.0
    faint: float = 0.0
    handless: float = 0.0
    late: float = 0.0
    early: float = 0.0
    lost: float = 0.0
    gone: float = 0.0
    blank: float = 0.0
    ghost: float = 0.0
    phantom: float = 0.0
    unseen: float = 0.0
    stale: float = 0.0
    again: float = 0.0


class Doubtful(Ideal):
    """Ideal eyes with doubts."""

    def __init__(self, mats: Mapping[str, Mat], doubts: Doubts, seed: int) -> None:
        super().__init__(mats)
        self._doubts, self._rng = doubts, random.Random(f"{seed}/doubts")
        self._again: float | None = None
        self._punctual = False
        self._before: Observation | None = None
        self._renamed: dict[int, int] = {}
        self._newest = PAST
        self._known: set[int] = set()
        self._held: tuple[Touch, ...] = ()
        self._told = 0.0
        self._gone: set[int] = set()
        self._blank: set[int] = set()
        self._ghosts: list[tuple[int, str, Sighting]] = []
        self._unseen: dict[int, Touch | None] = {}
        self._stale: dict[int, tuple[str, Sighting, Touch | None]] = {}

    def look(self, table: VirtualTable, at: float) -> Report:
        if self._again is not None and at >= self._again:
            self._due, self._again, self._punctual = table.resting(at), None, True
        if not table.resting(at) and self._setup is not None and self._rng.random() < self._doubts.early / 10:
            self._frame += 1
            self._moving = True
            seen = self._observe(table, self._setup, at)
            return Report(self._frame, at, True, seen.health, seen)
        return super().look(table, at)

    def _observe(self, table: Shown, setup: VisionSetup, at: float) -> Observation:
        assert isinstance(table, VirtualTable)
        part, self._told = _Part(table, self._told, at), at
        seen = self._renewed(super()._observe(part, setup, at))
        touched = {touch.track for touch in seen.touched}
        self._known = {p.track for z in self._before.zones for p in z.pieces if p} if self._before else set()
        seen = replace(seen, zones=tuple(self._dimmed(zone, touched) for zone in seen.zones))
        seen = replace(seen, zones=tuple(self._haunted(self._thinned(zone, touched)) for zone in seen.zones))
        seen = self._haunted_piles(self._slow(seen))
        seen = replace(seen, touched=(*self._held, *(self._felt(touch) for touch in seen.touched)))
        self._held = ()
        second, self._punctual = self._punctual, False
        late = self._chance("late") and not second
        if not second and any(p and p.sight is not Sight.SEEN for zone in seen.zones for p in zone.pieces):
            self._again = self._again or (at + self._rng.choice((1.0, 3.0, 7.0)) if self._chance("again") else None)
        if self._before is not None and late:
            self._again, self._held = at + 0.4, seen.touched
            seen = replace(self._before, serial=seen.serial, at=at, touched=(), lost=frozenset(), hands=seen.hands)
        self._before = seen
        return seen

    def _slow(self, seen: Observation) -> Observation:
        """Without what came and is not seen yet, and with what left and is told still."""
        second, touches = self._punctual, {touch.track: touch for touch in seen.touched}
        before = {p.track: (zone, p) for zone in self._before.zones for p in zone.pieces if p} if self._before else {}
        now = {p.track: zone for zone in seen.zones for p in zone.pieces if p}
        healed = self._unseen | {track: touch for track, (_, _, touch) in self._stale.items()}
        self._unseen, self._stale = {}, {}
        if second or self._before is None:
            before, now = {}, {}
        for track in sorted(now.keys() - before.keys() - healed.keys() - self._gone):
            if now[track].order is not Arrangement.PILE and self._chance("unseen"):
                self._unseen[track] = touches.pop(track, None)
        for track in sorted(before.keys() & touches.keys() - now.keys() - healed.keys()):
            zone, piece = before[track]
            if zone.order is not Arrangement.PILE and piece.sight is Sight.SEEN and self._chance("stale"):
                told = replace(piece, sight=self._rng.choice((Sight.SEEN, Sight.COVERED)))
                self._stale[track] = zone.zone, told, touches.pop(track)
        for touch in healed.values():
            if touch is not None:
                touches.setdefault(touch.track, replace(touch, hands=None))
        if not second and (self._unseen or self._stale):
            self._again = seen.at + 1.0
        zones = tuple(self._slowly(zone) for zone in seen.zones)
        return replace(seen, zones=zones, touched=tuple(touches.values()))

    def _slowly(self, zone: ZoneSight) -> ZoneSight:
        told = [piece for name, piece, _ in self._stale.values() if name == zone.zone]
        if zone.order is Arrangement.CELLS:
            before = next(z for z in self._before.zones if z.zone == zone.zone).pieces if told and self._before else ()
            stale = {i: p for i, was in enumerate(before) for p in told if was is not None and was.track == p.track}
            now = (None if p is not None and p.track in self._unseen else p for p in zone.pieces)
            return replace(zone, pieces=tuple(p or stale.get(i) for i, p in enumerate(now)))
        return replace(zone, pieces=(*told, *(p for p in zone.pieces if p is None or p.track not in self._unseen)))

    def _haunted_piles(self, seen: Observation) -> Observation:
        """Backs that were not touched are taken for others."""
        if not seen.hands:
            return seen
        touches, renamed, lost = list(seen.touched), dict[int, int](), set[int]()
        backs = [z.pieces[-1] for z in seen.zones if z.order is Arrangement.PILE and z.pieces]
        for back in backs:
            touched = any(back is not None and touch.track == back.track for touch in touches)
            if back is None or back.face is not Face.DOWN or touched or not self._chance("phantom"):
                continue
            if back.track not in self._known:
                continue
            self._newest += 1
            renamed[back.track] = self._newest
            certainty = self._rng.choice((1.0, 0.6)) if seen.touched else 0.6
            hands = self._rng.choice((seen.hands, None))
            touches.append(Touch(back.track, True, certainty, hands))
            lost |= {self._newest} if certainty < 1.0 else set()
        self._renamed = {ident: renamed.get(number, number) for ident, number in (renamed | self._renamed).items()}
        zones = tuple(
            replace(z, pieces=tuple(p and replace(p, track=renamed.get(p.track, p.track)) for p in z.pieces))
            for z in seen.zones
        )
        return replace(seen, zones=zones, touched=tuple(touches), lost=seen.lost | lost)

    def _thinned(self, zone: ZoneSight, touched: set[int]) -> ZoneSight:
        """A splay of which some strips are not found, and others cannot be read, for as long as nobody touches them."""
        if zone.order is not Arrangement.SPLAY:
            return zone
        here = {p.track for p in zone.pieces if p}
        self._gone -= here if here & touched else set()
        self._blank -= touched
        settled = [p.track for p in zone.pieces if p and p.track in self._known - touched]
        self._gone |= {track for track in settled if self._chance("gone")}
        self._blank |= {track for track in settled if self._chance("blank")}
        told = (p and (_unknown(p) if p.track in self._blank else p) for p in zone.pieces)
        return replace(zone, pieces=tuple(p for p in told if p is None or p.track not in self._gone))

    def _haunted(self, zone: ZoneSight) -> ZoneSight:
        """Where a piece lay that was carried off something is still told."""
        before = next((z for z in self._before.zones if z.zone == zone.zone), None) if self._before else None
        now = {p.track for p in zone.pieces if p}
        if zone.order in (Arrangement.AREA, Arrangement.SPLAY) and before is not None:
            left = [p for p in before.pieces if p and p.sight is Sight.SEEN and p.track not in now | self._gone]
            for piece in left:
                if self._chance("ghost"):
                    self._newest += 1
                    self._ghosts.append((2, zone.zone, replace(_unknown(piece), track=self._newest)))
        mine = [ghost for left, name, ghost in self._ghosts if name == zone.zone]
        rest = ((left - (name == zone.zone), name, ghost) for left, name, ghost in self._ghosts)
        self._ghosts = [each for each in rest if each[0] > 0]
        return replace(zone, pieces=(*zone.pieces, *mine))

    def _chance(self, name: str) -> bool:
        return bool(self._rng.random() < getattr(self._doubts, name))

    def _renewed(self, seen: Observation) -> Observation:
        """Face-down pieces that were touched may be followed no more: they get new tracks, which are told as lost."""
        down = {p.track for z in seen.zones for p in z.pieces if p is not None and p.face is Face.DOWN}
        fresh = []
        for touch in seen.touched:
            if touch.track in down and self._chance("lost"):
                self._newest += 1
                self._renamed[touch.track] = self._newest
                fresh.append(self._newest)
        named = self._renamed.get
        zones = tuple(
            replace(z, pieces=tuple(p and replace(p, track=named(p.track, p.track)) for p in z.pieces))
            for z in seen.zones
        )
        touched = tuple(replace(touch, track=named(touch.track, touch.track)) for touch in seen.touched)
        return replace(seen, zones=zones, touched=touched, lost=frozenset(fresh))

    def _dimmed(self, zone: ZoneSight, touched: set[int]) -> ZoneSight:
        return replace(zone, pieces=tuple(p and self._piece(p, touched) for p in zone.pieces))

    def _piece(self, piece: Sighting, touched: set[int]) -> Sighting:
        if piece.track in touched:
            if self._chance("unknown"):
                return _unknown(piece)
        elif piece.track in self._known and self._chance("covered"):
            return replace(piece, sight=Sight.COVERED)
        return piece

    def _felt(self, touch: Touch) -> Touch:
        if self._chance("faint"):
            touch = replace(touch, certainty=self._rng.uniform(0.4, 0.85))
        return replace(touch, hands=None) if self._chance("handless") else touch


def _unknown(piece: Sighting) -> Sighting:
    return replace(piece, kind=None, face=None, sight=Sight.UNKNOWN, confidence=0.3)


class _Part:
    """A table as it is told in the middle of a deed, or after that: what hands hold is not on it.

    since, until: what hands did before or after is not told.
    """

    def __init__(self, table: VirtualTable, since: float, until: float) -> None:
        self._table, self._since, self._until = table, since, until

    def settle(self, at: float) -> Truth:
        truth = self._table.settle(at) if self._table.resting(at) else self._table.truth(at)
        return Truth(tuple(body for body in truth.bodies if not body.held), truth.away)

    def scripts_since(self, since: float) -> tuple[Script, ...]:
        return tuple(self._cut(script) for script in self._table.scripts_since(since))

    def _cut(self, script: Script) -> Script:
        ends = tuple(accumulate((stroke.lasts for stroke in script.strokes), initial=script.begins))
        timed = zip(script.strokes, ends, ends[1:], strict=False)
        kept = tuple(stroke for stroke, begins, end in timed if begins < self._until and end > self._since)
        return replace(script, strokes=kept)
