"""An order that is owed: it must be carried out before anything else counts (law 4: a piece's face is the truth)."""

from __future__ import annotations

from msgspec.structs import replace

from engine.arbiter.compare import Fit, compare, sieve
from engine.arbiter.evidence import SURE, Evidence
from engine.arbiter.expectation import Expectation, carry
from engine.arbiter.look import paired, sight_of
from engine.arbiter.verdict import Differs
from engine.catalogue import AnyGame
from engine.game import Attempt
from engine.match import Owed
from engine.table import Face, Piece, Sight, Spot
from engine.text import Text, say


def misdone(game: AnyGame, owed: Owed, evidence: Evidence) -> Attempt | None:
    """What was done instead of what was ordered, if it can be told."""
    action, passes = game.read(owed.state, owed.seat, owed.words), sieve(evidence)
    every = game.misexecutions(owed.state, owed.seat, action)
    return next((a for a in every if passes(a.trace.layout) and proved(a, evidence)), None)


def proved(attempt: Attempt, evidence: Evidence) -> bool:
    """Whether this is exactly what was seen, and whatever left the table was seen to be taken: vision may miss it."""
    taken = {evidence.base.track(move.source) for move in attempt.trace.moves if move.source and move.target is None}
    if taken - {touch.track for touch in evidence.touches if touch.certainty >= SURE}:
        return False
    return compare(carry(evidence.base, attempt.trace), evidence) is Fit.FULL


def differs(game: AnyGame, owed: Owed, done: Expectation, evidence: Evidence) -> Differs | None:
    """A piece turned up as ordered that is not what the referee believed it to be: its face alone is not as expected,
    everything else is as ordered. None if not so.
    """
    turned = {spot for spot in owed.trace.turned if _is_hidden(owed, spot)}
    for name, order, holdings in done.zones:
        pieces = tuple(holding.piece if holding else None for holding in holdings)
        seen = paired(pieces, sight_of(evidence.seen, name, order))
        for index, (holding, sighting) in enumerate(zip(holdings, seen, strict=True)):
            spot = Spot(name, index)
            if spot not in turned or holding is None or sighting is None or sighting.sight is not Sight.SEEN:
                continue
            if sighting.face is not Face.UP or sighting.kind is None or sighting.kind == holding.piece.kind:
                continue
            if compare(_with(done, spot, sighting.kind), evidence) is Fit.FULL:
                return _differs(game, owed, spot, sighting.kind)
    return None


def _is_hidden(owed: Owed, spot: Spot) -> bool:
    piece = owed.before.at(spot)
    return piece is not None and piece.face is Face.DOWN


def _with(expected: Expectation, spot: Spot, kind: str) -> Expectation:
    """The expectation with another piece at that spot."""
    zones = tuple(
        (
            name,
            order,
            tuple(replace(h, piece=Piece(kind)) if h and Spot(name, i) == spot else h for i, h in enumerate(zone)),
        )
        for name, order, zone in expected.zones
    )
    return replace(expected, zones=zones)


def _differs(game: AnyGame, owed: Owed, spot: Spot, kind: str) -> Differs:
    text = say(
        "What lies at {place} is {piece}. The referee believed otherwise.",
        piece=Text(kind),
        place=owed.before.zone(spot.zone).place(spot.index),
    )
    return Differs(spot, kind, game.identify(owed.state, spot, kind), text)
