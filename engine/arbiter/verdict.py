"""Verdicts of the arbiter as data, and questions to the players: addressee, order of answers, missing detections."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, TypeAlias

import msgspec

from engine.arbiter.evidence import Evidence, pair_sightings, sight_of
from engine.arbiter.expectation import Expectation, ExpectedPiece
from engine.catalogue import AnyGame
from engine.errors import Violation
from engine.game import Words
from engine.match import Match
from engine.table import Face, Observation, Piece, Seat, Sight, Sighting, Spot, ZoneSight
from engine.text import Text, say


class ActionStep(msgspec.Struct, frozen=True):
    seat: Seat
    words: Words


Readings: TypeAlias = "tuple[tuple[ActionStep, ...], ...]"


class Agree(msgspec.Struct, frozen=True, tag="agree"):
    """The table is right; nothing was done."""


class Accept(msgspec.Struct, frozen=True, tag="accept"):
    """Exactly these actions were seen; journal all or none. settles: the pending order was carried out first."""

    steps: tuple[ActionStep, ...]
    settles: bool = False


class Wait(msgspec.Struct, frozen=True, tag="wait"):
    """No verdict yet: something is unfinished, unclear or out of sight (see `Case.observe`)."""

    text: Text


class Ask(msgspec.Struct, frozen=True, tag="ask"):
    """Several readings fit, or one uncertainly; likeliest first. An empty one means that nothing was done or, with
    `settles`, only the pending order."""

    readings: Readings
    settles: bool = False


class Refuse(msgspec.Struct, frozen=True, tag="refuse"):
    """An illegal, unfinished or unexplained change.

    kind: name of the attempt, "unfinished", "not as ordered" or "unexplained"
    put_back: steps that undo it
    by: responsible seat, if known
    go_on: steps that complete a begun action"""

    kind: str
    text: Text
    violations: tuple[Violation, ...] = ()
    put_back: tuple[Text, ...] = ()
    by: Seat | None = None
    go_on: tuple[Text, ...] = ()


class Differs(msgspec.Struct, frozen=True, tag="differs"):
    """A piece turned up as ordered has an unexpected kind. words: the correction to journal with `again` once all
    consent; None if there is none."""

    spot: Spot
    kind: str
    words: Words | None
    text: Text


class Lost(msgspec.Struct, frozen=True, tag="lost"):
    """Hidden pieces may have been swapped unseen; an honest reveal or a correction repairs it."""

    text: Text


class Disorder(msgspec.Struct, frozen=True, tag="disorder"):
    """The table does not match, so nothing can be judged. put_back: steps that repair it."""

    put_back: tuple[Text, ...]


class PutBack(msgspec.Struct, frozen=True, tag="put_back"):
    """The table was put back; doing so was no action. doubt: a remaining uncertainty."""

    doubt: Text | None = None


class Confirm(msgspec.Struct, frozen=True, tag="confirm"):
    """The table looks put back, but only the players can identify hidden pieces: ask all."""

    text: Text


Verdict: TypeAlias = "Agree | Accept | Wait | Ask | Refuse | Differs | Lost"

Ruling: TypeAlias = "Verdict | Disorder | PutBack | Confirm"
"""The result of a case: a verdict, or a consequence of earlier ones."""


FEW = 5


class Question(msgspec.Struct, frozen=True):
    """The question to a seat: which reading happened? missing: sentence about something unseen. whole: show all."""

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
    """Make a question for the seat that would have acted, else one to act. before: the last one, for its `whole`."""
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
    """Return a sentence about the first thing not plainly seen; None if all is."""
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
