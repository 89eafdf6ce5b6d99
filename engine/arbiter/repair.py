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
    found: list[Text] = []
    odd: list[int] = []
    for index, (holding, sighting) in enumerate(zip(wanted, seen, strict=True)):
        if _is(holding, sighting):
            continue
        if sighting.face is not holding.piece.face and sighting.track == holding.track:
            found.append(_turn(zone, index, holding.piece.face))
        else:
            odd.append(index)
    if len(odd) == 1 and seen[odd[0]].face is not wanted[odd[0]].piece.face:
        found.append(_turn(zone, odd.pop(), wanted[odd[0]].piece.face if odd else wanted[index].piece.face))
    if len(odd) == 2:
        first, second = odd
        found.append(say("Exchange places {a} and {b} of {zone} again.", a=first + 1, b=second + 1, zone=zone))
        odd = []
    for index in odd:
        piece = piece_name(wanted[index].piece)
        found.append(say("{piece} belongs at place {place} of {zone}.", piece=piece, place=index + 1, zone=zone))
    return found


def _places(name: str, order: Order, holdings: tuple[Holding | None, ...], observation: Observation) -> list[Text]:
    zone = Text(name)
    seen = sight_of(observation, name, order)
    pieces = tuple(h.piece if h else None for h in holdings)
    found: list[Text] = []
    for index, (holding, sighting) in enumerate(zip(holdings, paired(pieces, seen), strict=True)):
        if holding is None and sighting is not None:
            found.append(say("Place {place} of {zone} must be empty.", place=index + 1, zone=zone))
        elif holding is not None and (sighting is None or not _looks_like(holding.piece, sighting)):
            if sighting is not None and sighting.face is not holding.piece.face and order is not Order.AREA:
                found.append(_turn(zone, index, holding.piece.face))
            elif order is Order.AREA:
                found.append(say("{piece} belongs in {zone}.", piece=piece_name(holding.piece), zone=zone))
            else:
                piece = piece_name(holding.piece)
                found.append(
                    say("{piece} belongs at place {place} of {zone}.", piece=piece, place=index + 1, zone=zone)
                )
    extra = sum(s is not None for s in seen.pieces) - sum(h is not None for h in holdings)
    if extra > 0 and order is Order.AREA:
        found.append(say("{count} too many in {zone}.", count=extra, zone=zone))
    return found


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
