"""Orders answers by likelihood: first those that lay down what an unclear piece looks most like."""

from __future__ import annotations

from typing import Any

from engine.arbiter.verdict import Step
from engine.catalogue import AnyGame
from engine.table import Face, Observation, Piece, Sight

Readings = tuple[tuple[Step, ...], ...]


def likeliest_first(game: AnyGame, state: Any, readings: Readings, observation: Observation) -> Readings:
    """The same readings; those that agree with a guess of what nobody can name come first, the others as they are."""
    guesses = {
        (zone.zone, Piece(piece.guess, Face.UP))
        for zone in observation.zones
        for piece in zone.pieces
        if piece is not None and piece.sight is Sight.UNKNOWN and piece.guess is not None
    }
    if not guesses or len(readings) < 2:
        return readings
    return tuple(sorted(readings, key=lambda steps: not _fits(game, state, steps, guesses)))


def _fits(game: AnyGame, state: Any, steps: tuple[Step, ...], guesses: set[tuple[str, Piece]]) -> bool:
    """Whether the first action brings or turns up a piece where one is guessed to lie."""
    if not steps:
        return False
    trace = game.trace(state, steps[0].seat, game.read(state, steps[0].seat, steps[0].words))
    before = game.layout(state)
    return any(
        trace.layout.zone(zone).pieces.count(piece) > before.zone(zone).pieces.count(piece) for zone, piece in guesses
    )
