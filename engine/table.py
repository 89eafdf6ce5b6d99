"""The table: pieces, zones, layouts, traces of actions, and camera observations.

Of the engine, vision imports only this, `engine.text` and `engine.errors`. Units: mm on the mat (origin top left, y
down), degrees clockwise, seconds of the frame's time stamp."""

from __future__ import annotations

from enum import StrEnum
from typing import TypeAlias

import msgspec

from engine.text import Text, say

Seat: TypeAlias = str
""""a", "b", "c" or "d", clockwise."""

SEATS: tuple[Seat, ...] = ("a", "b", "c", "d")


class Face(StrEnum):
    UP = "up"
    DOWN = "down"


class Arrangement(StrEnum):
    """The numbering of a zone's pieces; it also defines when two zones are equal."""

    ROW = "row"  # left to right as seat a sees it, without gaps: only the order counts
    AREA = "area"  # no order: a multiset, listed by kind
    CELLS = "cells"  # fixed cells, each empty or holding one piece: the cell counts
    PILE = "pile"  # one on another: only the top piece is seen, and listed
    SPLAY = "splay"  # oldest first; of all but the newest only a strip shows


class Spot(msgspec.Struct, frozen=True, order=True):
    """A zone's name and a 0-based number in it (see `Arrangement`)."""

    zone: str
    index: int


class Piece(msgspec.Struct, frozen=True, order=True):
    """A piece in a layout. kind: None if face down."""

    kind: str | None
    face: Face = Face.UP


class ZoneLayout(msgspec.Struct, frozen=True, order=True):
    """The contents of a zone. None is an empty cell, only in `Arrangement.CELLS`.

    open: hidden cards come and go by rule, so another card on top means nothing
    places: names of its places, if not numbers from 1"""

    zone: str
    order: Arrangement
    pieces: tuple[Piece | None, ...]
    open: bool = False
    places: tuple[Text, ...] = ()

    def place(self, index: int) -> Text:
        return place_name(self.zone, self.order, index, self.places)


def place_name(zone: str, order: Arrangement, index: int, places: tuple[Text, ...]) -> Text:
    """Return a place's name: its own from `places`, or its number; in an area or pile, the zone's."""
    if order in (Arrangement.AREA, Arrangement.PILE):
        return Text(zone)
    return places[index] if index < len(places) else say("place {place} of {zone}", place=index + 1, zone=Text(zone))


class Layout(msgspec.Struct, frozen=True, order=True):
    """The table as it should be: every zone of the game, in fixed order."""

    zones: tuple[ZoneLayout, ...]

    def zone(self, name: str) -> ZoneLayout:
        for zone in self.zones:
            if zone.zone == name:
                return zone
        raise KeyError(name)

    def at(self, spot: Spot) -> Piece | None:
        pieces = self.zone(spot.zone).pieces
        return pieces[spot.index] if 0 <= spot.index < len(pieces) else None


def public(layout: Layout) -> Layout:
    zones = (
        msgspec.structs.replace(
            zone,
            pieces=tuple(Piece(None, Face.DOWN) if p is not None and p.face is Face.DOWN else p for p in zone.pieces),
        )
        for zone in layout.zones
    )
    return Layout(tuple(zones))


class Move(msgspec.Struct, frozen=True, order=True):
    """A piece carried between spots of the layouts before and after. None is outside every zone."""

    source: Spot | None
    target: Spot | None


class Trace(msgspec.Struct, frozen=True):
    """An action as a camera sees it (law 3).

    layout: the resulting layout
    moves: carried pieces, without those that close ranks in a ROW
    turned: spots *before* of pieces turned over, carried or not
    lifted: spots *before* of pieces picked up and put back (a peek)
    hands: seats whose hand may act; empty is any
    declared: no camera can tell it from others, so buttons must order it"""

    layout: Layout
    moves: tuple[Move, ...] = ()
    turned: frozenset[Spot] = frozenset()
    lifted: frozenset[Spot] = frozenset()
    hands: frozenset[Seat] = frozenset()
    declared: bool = False

    @property
    def handled(self) -> frozenset[Spot]:
        """Spots before the action, of pieces that a hand must touch."""
        carried = frozenset(move.source for move in self.moves if move.source is not None)
        return carried | self.turned | self.lifted

    @property
    def touched(self) -> frozenset[Spot]:
        """Spots after the action, of touched pieces still on the table."""
        goes = {move.source: move.target for move in self.moves if move.source is not None}
        came = frozenset(move.target for move in self.moves if move.target is not None)
        return came | {spot for each in self.turned | self.lifted if (spot := goes.get(each, each)) is not None}

    @property
    def unseen(self) -> bool:
        """True if nothing visible happens."""
        return not (self.moves or self.turned or self.lifted)


class Sight(StrEnum):
    SEEN = "seen"
    COVERED = "covered"  # something hides it; the rest is as last seen
    UNKNOWN = "unknown"  # something lies there, and the recogniser abstains


class Sighting(msgspec.Struct, frozen=True):
    """A detected piece.

    track: the same while vision follows the piece, also face down
    kind: None if face down, unknown, or covered before it was seen
    confidence: calibrated probability of kind and face
    guess: likeliest kind of an UNKNOWN piece"""

    track: int
    kind: str | None
    face: Face | None
    sight: Sight
    confidence: float
    x_mm: float
    y_mm: float
    angle_deg: float
    guess: str | None = None


class Touch(msgspec.Struct, frozen=True):
    """A piece handled since the table was last at rest.

    lifted: picked up or turned over, not only pushed
    certainty: probability of the touch
    hands: seats whose hands were over it; None if unknown"""

    track: int
    lifted: bool
    certainty: float = 1.0
    hands: frozenset[Seat] | None = None


class ZoneSight(msgspec.Struct, frozen=True):
    """The detections in a zone, numbered as its `Arrangement` says; None is an empty cell."""

    zone: str
    order: Arrangement
    pieces: tuple[Sighting | None, ...]


class Health(StrEnum):
    OK = "ok"
    NO_FRAMES = "no_frames"  # camera gone or frozen
    NO_NETWORK = "no_network"  # network camera, and this process may not use the network
    UNREACHABLE = "unreachable"  # nothing answers at the address
    REFUSED = "refused"  # wrong user name or password in the address
    NO_VIDEO = "no_video"  # the address answers without video
    STALLED = "stalled"  # the stream has stopped
    ENDED = "ended"  # the camera has ended its stream
    FORBIDDEN = "forbidden"  # camera there, but shut to this process until its restart
    NO_MAT = "no_mat"  # no markers, and no homography to fall back on
    MIRRORED = "mirrored"  # markers found in the mirror image only
    DARK = "dark"  # black or far too dark
    GLARE = "glare"  # saturated
    BUMPED = "bumped"  # mat or camera jumped; being re-fitted
    SHAKING = "shaking"  # picture not at rest, though without hands

    @property
    def lost(self) -> bool:
        """True if the camera sends nothing, and may come back by itself."""
        return self in _LOST


_LOST = (
    *(Health.NO_FRAMES, Health.NO_NETWORK, Health.UNREACHABLE, Health.REFUSED),
    *(Health.NO_VIDEO, Health.STALLED, Health.ENDED),
)


class Observation(msgspec.Struct, frozen=True):
    """The table at rest, without hands, numbered from 1.

    touched: pieces handled since the observation before
    lost: new tracks of pieces that could not be followed
    hands: seats whose hands were over the mat since then; None if unknown
    strays: detections outside every zone, and unknown objects"""

    serial: int
    at: float
    zones: tuple[ZoneSight, ...]
    touched: tuple[Touch, ...] = ()
    lost: frozenset[int] = frozenset()
    hands: frozenset[Seat] | None = frozenset()
    strays: tuple[Sighting, ...] = ()
    health: Health = Health.OK

    def zone(self, name: str) -> ZoneSight:
        for zone in self.zones:
            if zone.zone == name:
                return zone
        raise KeyError(name)
