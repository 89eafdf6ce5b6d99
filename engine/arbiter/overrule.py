"""A seat's word that everything is put right: it overrules what vision goes on seeing otherwise.

Where the table plainly looks otherwise is remembered piece by piece, for as long as each of them looks so: until then
it is taken for what it should be. It stays on display (`doubts`), for a word alone does not make it true.
"""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from engine.arbiter.watch import paired, sight_of
from engine.table import Face, Layout, Observation, Order, Piece, Sight, Sighting, ZoneSight
from engine.text import Text, say


class Overruled(msgspec.Struct, frozen=True):
    """What vision plainly sees and a seat denies: a track, how it looks at which number of which zone, and what counts
    as lying there instead (None: nothing). called: what people call that place.
    """

    zone: str
    order: Order
    place: int
    track: int
    kind: str | None
    face: Face | None
    truly: Piece | None
    called: Text


def overrule(layout: Layout, observation: Observation) -> tuple[Overruled, ...]:
    """All that plainly speaks against a table that is said to be `layout`. What is badly seen does not."""
    found: list[Overruled] = []
    for zone in layout.zones:
        seen = sight_of(observation, zone.zone, zone.order)
        believed = {s.track: p for p, s in zip(zone.pieces, paired(zone.pieces, seen), strict=True) if s is not None}
        for place, sighting in enumerate(seen.pieces):
            if sighting is None or sighting.sight is not Sight.SEEN:
                continue
            truly = believed.get(sighting.track)
            if _looks(sighting) != truly:
                kind, face = sighting.kind, sighting.face
                called = zone.place(place)
                found.append(Overruled(zone.zone, seen.order, place, sighting.track, kind, face, truly, called))
    return tuple(found)


def corrected(observation: Observation, overruled: tuple[Overruled, ...]) -> tuple[Observation, tuple[Overruled, ...]]:
    """What was seen as it counts, and what of the word still stands: what looks otherwise by now speaks for itself."""
    standing: list[Overruled] = []

    def counts(zone: ZoneSight, place: int, sighting: Sighting | None) -> Sighting | None:
        each = next((word for word in overruled if _is(word, zone, place, sighting)), None)
        if sighting is None or each is None:
            return sighting
        standing.append(each)
        return replace(sighting, kind=each.truly.kind, face=each.truly.face) if each.truly is not None else None

    def zone_of(zone: ZoneSight) -> ZoneSight:
        pieces = tuple(counts(zone, place, sighting) for place, sighting in enumerate(zone.pieces))
        kept = pieces if zone.order is Order.CELLS else tuple(piece for piece in pieces if piece is not None)
        return replace(zone, pieces=kept)

    if not overruled:
        return observation, ()
    return replace(observation, zones=tuple(zone_of(zone) for zone in observation.zones)), tuple(standing)


def _is(word: Overruled, zone: ZoneSight, place: int, sighting: Sighting | None) -> bool:
    """Whether this is what was denied. In cells the cell counts; elsewhere numbers change as others come and go."""
    if sighting is None or sighting.sight is not Sight.SEEN or zone.zone != word.zone:
        return False
    same = (sighting.track, sighting.kind, sighting.face) == (word.track, word.kind, word.face)
    return same and (zone.order is not Order.CELLS or place == word.place)


def doubt(each: Overruled) -> Text:
    """What the camera sees all the same, for everybody to read."""
    if each.face is Face.DOWN or each.kind is None:
        return say("The camera sees something face down at {place}.", place=each.called)
    if each.order is Order.AREA:
        return say("The camera sees {piece} in {zone}.", piece=Text(each.kind), zone=each.called)
    return say("The camera sees {piece} at {place}.", piece=Text(each.kind), place=each.called)


def _looks(sighting: Sighting) -> Piece | None:
    if sighting.face is None:
        return None
    return Piece(sighting.kind if sighting.face is Face.UP else None, sighting.face)
