"""How to put the table right: sentences that name zones and places, and a hidden piece only by its place (law 5)."""

from __future__ import annotations

from engine.arbiter.expectation import Expectation, Holding
from engine.arbiter.watch import paired, sight_of
from engine.table import Face, Observation, Order, Piece, Sight, Sighting
from engine.text import Text, say


def repairs(expected: Expectation, observation: Observation) -> tuple[Text, ...]:
    """What a hand must do to make the table as expected; () if it is."""
    found: list[Text] = []
    for name, order, holdings in expected.zones:
        if order is Order.ROW:
            found += _row(name, holdings, observation)
        else:
            found += _places(name, order, holdings, observation)
    found += [_stray(stray) for stray in observation.strays]
    return tuple(found)


def piece_name(piece: Piece) -> Text:
    """What a piece may be called aloud: a face-down one has no name."""
    return say("the hidden piece") if piece.kind is None else Text(piece.kind)


def _row(name: str, holdings: tuple[Holding | None, ...], observation: Observation) -> list[Text]:
    zone = Text(name)
    seen = [s for s in sight_of(observation, name, Order.ROW).pieces if s is not None]
    wanted = [h for h in holdings if h is not None]
    if len(seen) == len(wanted):
        return _same_length(zone, wanted, seen)
    if len(seen) > len(wanted):
        extra = next((i for i, s in enumerate(seen) if i >= len(wanted) or not _is(wanted[i], s)), len(wanted))
        return [say("Take place {place} off {zone} again.", place=extra + 1, zone=zone)]
    gap = next((i for i, h in enumerate(wanted) if i >= len(seen) or not _is(h, seen[i])), len(seen))
    return [
        say(
            "Put {piece} back at place {place} of {zone}.",
            piece=piece_name(wanted[gap].piece),
            place=gap + 1,
            zone=zone,
        )
    ]


def _same_length(zone: Text, wanted: list[Holding], seen: list[Sighting]) -> list[Text]:
    odd = [index for index, pair in enumerate(zip(wanted, seen, strict=True)) if not _is(*pair)]
    turned = [i for i in odd if seen[i].track == wanted[i].track or len(odd) == 1]
    turned = [i for i in turned if seen[i].face is not wanted[i].piece.face]
    found = [_turn(zone, index, wanted[index].piece.face) for index in turned]
    moved = [index for index in odd if index not in turned]
    if len(moved) == 2:
        return [*found, say("Exchange places {a} and {b} of {zone}.", a=moved[0] + 1, b=moved[1] + 1, zone=zone)]
    return found + [_belongs(zone, index, wanted[index].piece) for index in moved]


def _places(name: str, order: Order, holdings: tuple[Holding | None, ...], observation: Observation) -> list[Text]:
    zone = Text(name)
    seen = sight_of(observation, name, order)
    pieces = tuple(h.piece if h else None for h in holdings)
    pairs = enumerate(zip(holdings, paired(pieces, seen), strict=True))
    found = [text for index, (h, s) in pairs if (text := _place(zone, index, order, h, s)) is not None]
    extra = sum(s is not None for s in seen.pieces) - sum(h is not None for h in holdings)
    if extra > 0 and order is Order.AREA:
        found.append(say("{count} too many in {zone}.", count=extra, zone=zone))
    return found


def _place(zone: Text, index: int, order: Order, holding: Holding | None, sighting: Sighting | None) -> Text | None:
    if holding is None:
        return say("Place {place} of {zone} must be empty.", place=index + 1, zone=zone) if sighting else None
    if sighting is not None and _looks_like(holding.piece, sighting):
        return None
    if order is Order.AREA:
        return say("{piece} belongs in {zone}.", piece=piece_name(holding.piece), zone=zone)
    if sighting is not None and sighting.face is not holding.piece.face:
        return _turn(zone, index, holding.piece.face)
    return _belongs(zone, index, holding.piece)


def _belongs(zone: Text, index: int, piece: Piece) -> Text:
    return say("{piece} belongs at place {place} of {zone}.", piece=piece_name(piece), place=index + 1, zone=zone)


def _turn(zone: Text, index: int, face: Face) -> Text:
    if face is Face.UP:
        return say("Turn place {place} of {zone} face up.", place=index + 1, zone=zone)
    return say("Turn place {place} of {zone} face down.", place=index + 1, zone=zone)


def _stray(stray: Sighting) -> Text:
    if stray.kind is None:
        return say("Take away what does not belong on the table.")
    return say("{piece} lies outside every zone.", piece=Text(stray.kind))


def _is(holding: Holding, sighting: Sighting) -> bool:
    """The same piece, as far as can be told: looks, and for a hidden one its track."""
    if not _looks_like(holding.piece, sighting):
        return False
    return holding.piece.face is Face.UP or holding.track is None or sighting.track == holding.track


def _looks_like(piece: Piece, sighting: Sighting) -> bool:
    if sighting.sight is not Sight.SEEN:
        return True
    kind = sighting.kind if sighting.face is Face.UP else None
    return (kind, sighting.face) == (piece.kind, piece.face)
