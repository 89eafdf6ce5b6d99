"""Names unrecognised pieces by what the others are, and by what they were."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from engine.table import Face, Sight
from vision.recognition.joint_naming import named_together, odds_of
from vision.recognition.naming import Candidate, Naming
from vision.tracking.looks import Track


def named_by_the_rest(tracks: Sequence[Track], single: Sequence[str], same: float) -> list[Track]:
    """Return the tracks, with names for those that can be nothing else.

    single: kinds that are there once. same: probability that a track is the piece it was.
    """
    if not any(_is_open(track) for track in tracks):
        return list(tracks)
    namings = named_together([_naming(track, single, same) for track in tracks], single)
    return [
        _apply_naming(track, naming) if _is_open(track) else track
        for track, naming in zip(tracks, namings, strict=True)
    ]


def _is_open(track: Track) -> bool:
    return track.look.sight is Sight.UNKNOWN and bool(track.look.candidates)


def _naming(track: Track, single: Sequence[str], same: float) -> Naming:
    look = track.look
    if _is_open(track):
        before = odds_of(track.known, same)
        known = [msgspec.structs.replace(one, odds=one.odds * before.get(one.kind, 1.0)) for one in look.candidates]
        return Naming(None, look.confidence, look.angle_deg, look.guess, candidates=tuple(known))
    if look.kind is not None:
        return Naming(look.kind, look.confidence, look.angle_deg)
    if track.known is not None:
        return Naming(track.known, same, look.angle_deg)
    anything = single if look.face is Face.DOWN else ()
    known = [Candidate(kind, 1 / len(single), look.angle_deg) for kind in anything]
    return Naming(None, 0.0, look.angle_deg, candidates=tuple(known))


def _apply_naming(track: Track, naming: Naming) -> Track:
    look = msgspec.structs.replace(track.look, angle_deg=naming.angle_deg, guess=naming.guess)
    if naming.kind is None:
        return msgspec.structs.replace(track, look=look)
    told = msgspec.structs.replace(
        look,
        kind=naming.kind,
        face=Face.UP,
        sight=Sight.SEEN,
        confidence=naming.confidence,
        guess=None,
        candidates=(),
    )
    return Track(track.number, told, naming.kind)
