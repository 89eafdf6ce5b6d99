"""Real cards in hands and piles of the virtual table."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from engine.game import Words
from engine.table import Face, Layout, Seat, Spot, Trace
from referee_simulator.dealers import AnyDealer, HiddenNumber
from referee_simulator.table.ground_truth import Body, Truth, lying
from referee_simulator.table.places import Maintenance, cell_place, jitter_pose, zones
from vision.mat import Mat, MatZone

Names = tuple[str, ...]
PILED = Maintenance(1.0, 1.0, 1.0)
"""Jitter of stacked piles."""


class Holding:
    """A match's real cards; players look at their own hands only."""

    def __init__(self, dealer: AnyDealer, state: object, seats: tuple[Seat, ...], seed: int) -> None:
        self._dealer = dealer
        self._cards: Any = dealer.deal(state, seats, seed)

    def real(self, state: object, seat: Seat, words: Words) -> Words | None:
        """Return the action with the seat's real cards; None if the hand cannot do it."""
        return self._dealer.real(self._cards, state, seat, words)

    def holds(self, state: object, seat: Seat, words: Words) -> bool:
        """Return True if the seat's known cards allow the action."""
        return self._dealer.holds(self._cards, state, seat, words)

    def cards_laid_down(self, state: object, seat: Seat, words: Words, chance: float) -> tuple[str, ...]:
        """Return the cards that the action lays face down. chance: 0 to 1, chooses them."""
        return self._dealer.face_down_cards(self._cards, state, seat, words, chance)

    def hand(self, seat: Seat) -> tuple[str, ...]:
        return self._dealer.hand(self._cards, seat)

    @property
    def stacks(self) -> Mapping[str, tuple[str, ...]]:
        """Piles by zone, lowest card first."""
        return self._dealer.stacks(self._cards)

    @property
    def away(self) -> tuple[str, ...]:
        return self._dealer.away(self._cards)

    def has(self, seat: Seat, trace: Trace) -> bool:
        """Return True if the seat holds every card that the trace brings face up."""
        return not Counter(_face_up_arrivals(trace)) - Counter(self.hand(seat))

    def after(self, states: tuple[object, object], seat: Seat, words: Words, brought: tuple[str, ...]) -> Holding:
        """Return the cards after an action. states: before and after."""
        new = object.__new__(Holding)
        new._dealer = self._dealer
        new._cards = self._dealer.follow(self._cards, states, seat, words, brought)
        return new

    def agrees(self, state: object) -> bool:
        """Return True if the referee's knowledge allows these cards."""
        return self._dealer.agrees(self._cards, state)

    def rename_piles(self, truth: Truth, mat: Mat) -> Truth:
        """Give hidden piles of the right size their real kinds, as after a shuffle."""
        named: dict[int, str] = {}
        for name, cards in self.stacks.items():
            here = lying(truth, zones(mat)[name])
            if len(here) == len(cards) and all(body.face is Face.DOWN for body in here):
                named |= {body.id: kind for body, kind in zip(here, cards, strict=True)}
        bodies = tuple(msgspec.structs.replace(b, kind=named.get(b.id, b.kind)) for b in truth.bodies)
        return Truth(bodies, truth.away)

    def figures(self, state: object, shown: Layout) -> tuple[HiddenNumber, ...]:
        """Return the referee's hidden numbers with the truth."""
        return self._dealer.figures(self._cards, state, shown)

    def restack_piles(
        self, truth: Truth, mat: Mat, trace: Trace, handled: Mapping[Spot, Body], brought: Names
    ) -> Truth:
        """Prepare piles so that the action's hand movements lead to these cards; unwatched draws and shuffles first.

        handled: pieces of the trace. brought: cards laid face down."""
        sources = {move.source for move in trace.moves}
        grows = {name: len(cards) - len(lying(truth, zones(mat)[name])) for name, cards in self.stacks.items()}
        for name, cards in sorted(self.stacks.items(), key=lambda stack: grows[stack[0]]):  # what shrinks gives first
            arriving = sum(move.target is not None and move.target.zone == name for move in trace.moves)
            lies = next((zone.pieces for zone in trace.layout.zones if zone.zone == name and zone.pieces), ())
            face = Face.UP if not lies or lies[0] is None else lies[0].face
            kept = cards[: len(cards) - arriving]
            if arriving and face is Face.UP:
                kept = shown_last(kept, lying(truth, zones(mat)[name]))
            truth = _stack(truth, zones(mat)[name], kept, face, leaving=Spot(name, 0) in sources)
        coming = [*brought, *_face_up_arrivals(trace)]
        going = [handled[move.source].kind for move in trace.moves if move.source and move.target is None]
        away = Counter(self.away) + Counter(coming) - Counter(going)
        return _in_hands(truth, mat, self.stacks, tuple(away.elements()))


def _face_up_arrivals(trace: Trace) -> Names:
    targets = (trace.layout.at(move.target) for move in trace.moves if move.source is None and move.target)
    return tuple(piece.kind for piece in targets if piece is not None and piece.kind is not None)


def shown_last(cards: Names, here: Sequence[Body]) -> Names:
    """Return a pile's cards, the kind now on top moved last; unchanged if they lack it."""
    top = here[-1].kind if here else None
    if top not in cards:
        return cards
    last = len(cards) - 1 - cards[::-1].index(top)
    return (*cards[:last], *cards[last + 1 :], top)


def _stack(truth: Truth, zone: MatZone, cards: Sequence[str], face: Face, *, leaving: bool) -> Truth:
    here = lying(truth, zone)
    top = here[-1:] if leaving else ()
    rest = here[: len(here) - len(top)]
    spare = [b for b in truth.away if b.set == zone.set]
    surplus = rest[: max(0, len(rest) - len(cards))]
    rest = rest[len(surplus) :]
    missing = spare[: len(cards) - len(rest)]
    under = [_lay(b, zone, face) for b in missing]
    pile = [msgspec.structs.replace(b, kind=kind) for b, kind in zip([*under, *rest], cards, strict=True)]
    gone = {b.id for b in (*here, *missing)}
    others = tuple(b for b in truth.bodies if b.id not in gone)
    away = (*(b for b in truth.away if b.id not in gone), *surplus)
    return Truth((*pile, *top, *others), away)


def _lay(body: Body, zone: MatZone, face: Face) -> Body:
    x, y, angle = jitter_pose(random.Random(f"{body.id}/{zone.name}"), cell_place(zone.box, body), PILED)
    return msgspec.structs.replace(body, x=x, y=y, angle=angle, face=face)


def _in_hands(truth: Truth, mat: Mat, stacks: Mapping[str, tuple[str, ...]], away: tuple[str, ...]) -> Truth:
    sets = {zones(mat)[name].set for name in stacks}
    held = [b for b in truth.away if b.set in sets]
    renamed = tuple(msgspec.structs.replace(b, kind=kind) for b, kind in zip(held, away, strict=False))
    return Truth(truth.bodies, (*(b for b in truth.away if b.set not in sets), *renamed, *held[len(renamed) :]))
