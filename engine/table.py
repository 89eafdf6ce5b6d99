"""The table: pieces, zones, what an honest table shows, what a camera sees of an action, and what it saw.

Of the engine, vision imports only this module, `engine.text` and `engine.errors`. Lengths are millimetres on the mat
(origin at its top-left corner, y down), angles are degrees clockwise, times are seconds of the frame's own stamp.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TypeAlias

import msgspec

from engine.text import Text, say

Seat: TypeAlias = str
"""A seat at the table: "a", "b", "c" or "d", clockwise."""

SEATS: tuple[Seat, ...] = ("a", "b", "c", "d")


class Face(StrEnum):
    UP = "up"
    DOWN = "down"


class Arrangement(StrEnum):
    """How the pieces of a zone are numbered, and what it means for two of them to be equal."""

    ROW = "row"  # left to right as seat a sees it, without gaps: only the order counts
    AREA = "area"  # no order: a multiset, listed by kind
    CELLS = "cells"  # fixed cells, each empty or holding one piece: the cell counts
    PILE = "pile"  # one on another: only the top piece is seen, and listed
    SPLAY = "splay"  # oldest first; of all but the newest only a strip shows


class Spot(msgspec.Struct, frozen=True, order=True):
    """A place: a zone's name and a 0-based number in it (see `Arrangement`)."""

    zone: str
    index: int


class Piece(msgspec.Struct, frozen=True, order=True):
    """A piece as the table shows it. `kind` is None when its face is down: a layout never tells what is hidden."""

    kind: str | None
    face: Face = Face.UP


class ZoneLayout(msgspec.Struct, frozen=True, order=True):
    """What lies in one zone. None is an empty cell and occurs only in `Arrangement.CELLS`.

    open: hidden cards come and go there by rule, as those that are drawn with an action: which one shows, and whether
    one was lifted, tells nothing. places: what people call its places, if not by their numbers from 1.
    """

    zone: str
    order: Arrangement
    pieces: tuple[Piece | None, ...]
    open: bool = False
    places: tuple[Text, ...] = ()

    def place(self, index: int) -> Text:
        """Return the name of one of its places; of an area or a pile, the whole."""
        return place_name(self.zone, self.order, index, self.places)


def place_name(zone: str, order: Arrangement, index: int, places: tuple[Text, ...]) -> Text:
    """Return the name of a place in a zone, the zone's own if it has one (see `ZoneLayout.places`)."""
    if order in (Arrangement.AREA, Arrangement.PILE):
        return Text(zone)
    return places[index] if index < len(places) else say("place {place} of {zone}", place=index + 1, zone=Text(zone))


class Layout(msgspec.Struct, frozen=True, order=True):
    """What an honest table shows: every zone that the game uses, in a fixed order."""

    zones: tuple[ZoneLayout, ...]

    def zone(self, name: str) -> ZoneLayout:
        """The zone of that name. Raises KeyError if the layout has none."""
        for zone in self.zones:
            if zone.zone == name:
                return zone
        raise KeyError(name)

    def at(self, spot: Spot) -> Piece | None:
        """The piece at a spot, or None if there is none."""
        pieces = self.zone(spot.zone).pieces
        return pieces[spot.index] if 0 <= spot.index < len(pieces) else None


def public(layout: Layout) -> Layout:
    """The layout as everybody at the table sees it: whatever its maker put there, a face-down piece has no kind."""
    zones = (
        msgspec.structs.replace(
            zone,
            pieces=tuple(Piece(None, Face.DOWN) if p is not None and p.face is Face.DOWN else p for p in zone.pieces),
        )
        for zone in layout.zones
    )
    return Layout(tuple(zones))


class Move(msgspec.Struct, frozen=True, order=True):
    """A piece carried from a spot of the layout before to a spot of the layout after.

    `source` None: it came from outside every zone (a hand, the box); `target` None: it left them.
    """

    source: Spot | None
    target: Spot | None


class Trace(msgspec.Struct, frozen=True):
    """What a camera sees of one action (design law 3).

    layout: the layout that results.
    moves: pieces carried elsewhere. Pieces that only close ranks in a ROW are not listed.
    turned: spots of the layout *before* whose piece is turned over, also while it is carried.
    lifted: spots of the layout *before* whose piece is picked up and put back as it was (a peek).
    hands: seats whose hand may do it; empty means anybody's.
    declared: true if no camera can tell this action from others, so it must be ordered at the buttons.
    """

    layout: Layout
    moves: tuple[Move, ...] = ()
    turned: frozenset[Spot] = frozenset()
    lifted: frozenset[Spot] = frozenset()
    hands: frozenset[Seat] = frozenset()
    declared: bool = False

    @property
    def handled(self) -> frozenset[Spot]:
        """Spots of the layout before whose piece a hand must touch."""
        carried = frozenset(move.source for move in self.moves if move.source is not None)
        return carried | self.turned | self.lifted

    @property
    def touched(self) -> frozenset[Spot]:
        """Spots of the layout that results where a piece lies that a hand touched."""
        goes = {move.source: move.target for move in self.moves if move.source is not None}
        came = frozenset(move.target for move in self.moves if move.target is not None)
        return came | {spot for each in self.turned | self.lifted if (spot := goes.get(each, each)) is not None}

    @property
    def unseen(self) -> bool:
        """True if the action leaves nothing for a camera to see."""
        return not (self.moves or self.turned or self.lifted)


class Sight(StrEnum):
    SEEN = "seen"
    COVERED = "covered"  # something hides it; what is told of it is what was seen last
    UNKNOWN = "unknown"  # something lies there, and the recogniser abstains


class Sighting(msgspec.Struct, frozen=True):
    """One piece as vision reports it.

    track: a number that stays with a physical piece for as long as vision is certain that it followed it; two
        face-down pieces keep theirs through an exchange that was followed. A piece whose past is lost gets a new one.
    kind: None if face down, unknown or covered without ever being seen.
    confidence: calibrated probability that kind and face are right.
    guess: of what is UNKNOWN, the kind that it looks most like now, if any; it decides the order of answers, and
        which of an area's pieces it is first taken for.
    """

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
    """A piece that was handled since the rest before. `certainty` is the probability that it was.

    hands: seats from whose side a hand was over the piece meanwhile; None if it cannot be told.
    """

    track: int
    lifted: bool
    certainty: float = 1.0
    hands: frozenset[Seat] | None = None


class ZoneSight(msgspec.Struct, frozen=True):
    """What is seen in one zone, numbered as its `Arrangement` says; None is an empty cell."""

    zone: str
    order: Arrangement
    pieces: tuple[Sighting | None, ...]


class Health(StrEnum):
    OK = "ok"
    NO_FRAMES = "no_frames"  # camera gone or frozen
    FORBIDDEN = "forbidden"  # camera there, but shut to this process until it is started anew
    NO_MAT = "no_mat"  # markers not found, and no homography to fall back on
    MIRRORED = "mirrored"  # the markers are found in the picture's mirror image alone
    DARK = "dark"  # black or far too dark
    GLARE = "glare"  # saturated
    BUMPED = "bumped"  # the mat or the camera jumped; being re-fitted
    SHAKING = "shaking"  # the picture does not come to rest, though no hand is there


class Observation(msgspec.Struct, frozen=True):
    """The table at rest, after hands have left it. Numbered from 1 by the vision worker.

    touched: pieces handled since the observation before.
    lost: tracks given anew since the observation before, because the pieces' past could not be followed.
    hands: seats from whose side a hand was over the mat since the observation before; None if it cannot be told.
    strays: sightings outside every zone, and objects that are no known piece.
    """

    serial: int
    at: float
    zones: tuple[ZoneSight, ...]
    touched: tuple[Touch, ...] = ()
    lost: frozenset[int] = frozenset()
    hands: frozenset[Seat] | None = frozenset()
    strays: tuple[Sighting, ...] = ()
    health: Health = Health.OK

    def zone(self, name: str) -> ZoneSight:
        """The zone of that name. Raises KeyError if it was not looked at."""
        for zone in self.zones:
            if zone.zone == name:
                return zone
        raise KeyError(name)
