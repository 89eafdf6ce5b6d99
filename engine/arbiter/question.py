"""Questions to the players: addressee, order of answers, and missing detections."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import msgspec

from engine.arbiter.evidence import Evidence, pair_sightings, sight_of
from engine.arbiter.expectation import Expectation, ExpectedPiece
from engine.arbiter.verdict import ActionStep, Ask, Readings
from engine.catalogue import AnyGame
from engine.match import Match
from engine.table import Face, Observation, Piece, Seat, Sight, Sighting, ZoneSight
from engine.text import Text, say

FEW = 5


class Question(msgspec.Struct, frozen=True):
    """The arbiter's question to a seat: which reading happened? missing: a sentence about something unseen. whole: show
    all readings."""

    seat: Seat
    readings: Readings
    settles: bool = False
    missing: Text | None = None
    whole: bool = False

    @property
    def shown(self) -> Readings:
        """Readings on the menu: only the likeliest unless `whole`."""
        return self.readings if self.whole or len(self.readings) <= FEW + 1 else self.readings[:FEW]


def question(game: AnyGame, match: Match, asks: Ask, evidence: Evidence, before: Question | None) -> Question:
    """Make a question for the seat that would have acted, else one to act. before: the previous question."""
    by = sorted({steps[0].seat for steps in asks.readings if steps}) or sorted(game.actors(match.state))
    seat = by[0] if by else match.start.seats[0]
    whole = before is not None and before.whole and before.seat == seat
    return Question(seat, asks.readings, asks.settles, unseen(evidence), whole)


# --- the order of its answers


def likeliest_first(game: AnyGame, state: Any, readings: Readings, observation: Observation) -> Readings:
    guesses = {
        (zone.zone, Piece(piece.guess, Face.UP))
        for zone in observation.zones
        for piece in zone.pieces
        if piece is not None and piece.sight is Sight.UNKNOWN and piece.guess is not None
    }
    if not guesses or len(readings) < 2:
        return readings
    return tuple(sorted(readings, key=lambda steps: not _fits(game, state, steps, guesses)))


def _fits(game: AnyGame, state: Any, steps: tuple[ActionStep, ...], guesses: set[tuple[str, Piece]]) -> bool:
    if not steps:
        return False
    trace = game.trace(state, steps[0].seat, game.read(state, steps[0].seat, steps[0].words))
    before = game.layout(state)
    return any(
        trace.layout.zone(zone).pieces.count(piece) > before.zone(zone).pieces.count(piece) for zone, piece in guesses
    )


# --- what nobody can tell (law 5: no hidden name)


def unseen(evidence: Evidence) -> Text | None:
    """Return a sentence about the first thing that is not plainly seen; None if all is."""
    gone = _missing_kinds(evidence)
    for name, order, _ in evidence.base.zones:
        seen = sight_of(evidence.seen, name, order)
        told = next(_in_zone(evidence.base, name, seen, gone, evidence.odd), None)
        if told is not None:
            return told
    return None


def _missing_kinds(evidence: Evidence) -> Counter[str | int | None]:
    plain = [p for zone in evidence.seen.zones for p in zone.pieces if p is not None and p.sight is Sight.SEEN]
    lay = Counter(_mark(holding) for holding in evidence.base.holdings())
    return lay - Counter(p.kind if p.face is Face.UP else p.track for p in plain)


def _mark(holding: ExpectedPiece) -> str | int | None:
    return holding.piece.kind if holding.piece.face is Face.UP else holding.track


def _in_zone(
    base: Expectation,
    name: str,
    seen: ZoneSight,
    gone: Counter[str | int | None],
    odd: frozenset[int],
) -> Iterator[Text]:
    holdings = next(row for zone, _, row in base.zones if zone == name)
    pieces = tuple(holding.piece if holding else None for holding in holdings)
    tracks = tuple(holding.track if holding else None for holding in holdings)
    found = pair_sightings(pieces, seen, tracks, loosely=True)
    for index, (holding, sighting) in enumerate(zip(holdings, found, strict=True)):
        place = base.place(name, seen.order, index)
        if holding is None or holding.missed or gone[_mark(holding)] == 0:
            continue
        if sighting is None and holding.piece.kind is not None:
            yield say("Not seen: {piece}, {zone}.", piece=Text(holding.piece.kind), zone=Text(name))
        elif sighting is None:
            yield say("Not seen: {place}.", place=place)
        elif _unclear(sighting) and sighting.track != holding.track:
            yield say("Not clear: {place}.", place=place)
    explained = {sighting.track for sighting in found if sighting is not None} | odd
    if any(_unclear(sighting) and sighting.track not in explained for sighting in seen.pieces if sighting):
        yield say("Not clear: {place}.", place=Text(name))


def _unclear(sighting: Sighting) -> bool:
    return sighting.sight is not Sight.SEEN
