"""A piece turned up as ordered that is not what the referee believed it to be (law 4: its face is the truth)."""

from __future__ import annotations

from msgspec.structs import replace

from engine.arbiter.compare import Fit, compare
from engine.arbiter.expectation import Expectation
from engine.arbiter.verdict import Differs
from engine.arbiter.watch import Watch, paired, sight_of
from engine.catalogue import AnyGame
from engine.match import Owed
from engine.table import Face, Observation, Piece, Sight, Spot
from engine.text import Text, say


def differs(game: AnyGame, owed: Owed, done: Expectation, watch: Watch, observation: Observation) -> Differs | None:
    """The one turned piece whose face alone is not as expected, everything else being as ordered; None if not so."""
    turned = {done_spot for done_spot in owed.trace.turned if _is_hidden(owed, done_spot)}
    for name, order, holdings in done.zones:
        pieces = tuple(holding.piece if holding else None for holding in holdings)
        seen = paired(pieces, sight_of(observation, name, order))
        for index, (holding, sighting) in enumerate(zip(holdings, seen, strict=True)):
            spot = Spot(name, index)
            if spot not in turned or holding is None or sighting is None or sighting.sight is not Sight.SEEN:
                continue
            if sighting.face is not Face.UP or sighting.kind is None or sighting.kind == holding.piece.kind:
                continue
            if compare(_with(done, spot, sighting.kind), watch, observation) is Fit.FULL:
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
