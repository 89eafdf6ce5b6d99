"""Names unrecognised pieces by what the others are, and by what they were."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from engine.table import Face, Sight
from vision.recognition.joint_naming import named_together, odds_of
from vision.recognition.naming import Naming
from vision.tracking.looks import Track


def named_by_the_rest(tracks: Sequence[Track], single: Sequence[str], same: float) -> list[Track]:
    """Return the tracks, with names for those that can be nothing else.

    single: kinds that are there once. same: probability that a track is the piece it was.
    """
    if not any(_is_open(track) for track in tracks):
        return list(tracks)
    namings = named_together([_naming(track, single, same) for track in tracks], single)
    return [_named(track, naming) if _is_open(track) else track for track, naming in zip(tracks, namings, strict=True)]


def _is_open(track: Track) -> bool:
    return track.look.sight is Sight.UNKNOWN and bool(track.look.odds)


def _naming(track: Track, single: Sequence[str], same: float) -> Naming:
    look = track.look
    if _is_open(track):
        before = odds_of(track.known, same)
        known = tuple((kind, ratio * before.get(kind, 1.0)) for kind, ratio in look.odds)
        return Naming(None, look.confidence, look.angle_deg, look.guess, odds=known)
    if look.kind is not None:
        return Naming(look.kind, look.confidence, look.angle_deg)
    if track.known is not None:
        return Naming(track.known, same, look.angle_deg)
    anything = 1 / max(1, len(single)) if look.face is Face.DOWN else 0.0
    return Naming(None, 0.0, look.angle_deg, odds=tuple((kind, anything) for kind in single))


def _named(track: Track, naming: Naming) -> Track:
    if naming.kind is None:
        return track
    look = msgspec.structs.replace(
        track.look, kind=naming.kind, face=Face.UP, sight=Sight.SEEN, confidence=naming.confidence, guess=None, odds=()
    )
    return Track(track.number, look, naming.kind)
