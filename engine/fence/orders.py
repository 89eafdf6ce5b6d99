"""What every action has in common: when it is asked, whose cards it names, what is told and seen of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from msgspec.structs import replace

from engine.errors import Breach
from engine.fence.bout import (
    ACTIONS,
    COMBINATIONS,
    Over,
    Phase,
    Stage,
    State,
    Turn,
    only_advanced,
    side_of,
    third_action,
    with_fencer,
)
from engine.fence.cards import OF_MODE, kind_name, kind_of, side_name
from engine.fence.table import difference, marker_left
from engine.game import Attempt
from engine.rules import Action
from engine.table import Seat, Trace
from engine.text import Text, say
from engine.view import Event


class Order(Action[State], frozen=True):
    """An action or an answer of Ready... Fence!."""

    when: ClassVar[tuple[type[Phase], ...]]
    """The phases that ask for it."""

    reveals: ClassVar[bool] = False
    """Whether somebody learns what a card is."""

    game_action: ClassVar[bool] = False
    """Whether it is one of the two of a turn, so that nobody takes it for an answer."""

    law: ClassVar[str] = COMBINATIONS
    """The clause of an order that was carried out otherwise."""

    @classmethod
    def is_asked(cls, state: State) -> bool:
        """Whether the phase asks for it."""
        return isinstance(state.phase, cls.when)

    def untimely(self, state: State, seat: Seat) -> Iterator[Breach]:
        phase, side = state.phase, side_of(state, seat)
        sides = phase.sides(state)
        if not sides:
            yield phase.unasked(state, self)
            return
        if side not in sides:
            yield phase.out_of_turn(state, self, side_name(1 - side))
        if not self.is_asked(state):
            yield phase.unasked(state, self)
        third = phase.third(state, side) if self.game_action else None
        if third is not None:
            yield third

    def uncalled(self) -> Breach:
        """The clause that it breaks where the turn is for other actions: mostly there is nothing to answer."""
        return Breach("F27", say("There is nothing to answer."))

    def cards(self) -> tuple[str, ...]:
        """The cards that come from the hand onto the lane, in the order in which they are laid."""
        return ()

    def named(self) -> tuple[str, ...]:
        """The cards that are said to come from the hand or from the timer deck."""
        return self.cards()

    def breaches(self, state: State, seat: Seat) -> Iterator[Breach]:
        """Of a card of another mode nothing further is judged."""
        strange = next((name for name in self.named() if name not in state.pool), None)
        if strange is None:
            yield from self.faults(state, side_of(state, seat))
            return
        kind = kind_of(state.pool, strange)
        yield Breach(OF_MODE, say("Not used in this mode: {card}.", card=kind_name(kind)))
        if kind == "feint":
            yield only_advanced()

    def faults(self, state: State, side: int) -> Iterator[Breach]:
        """Every clause that it breaks, if its cards are of this mode."""
        return self.surplus(state, side)

    def is_legal(self, state: State, side: int) -> bool:
        """Whether nothing speaks against it, if the phase asks this side for it."""
        return not any(self.breaches(state, state.seats[side]))

    def surplus(self, state: State, side: int) -> Iterator[Breach]:
        """The limit of a turn, if it is used up."""
        phase = state.phase
        if isinstance(phase, Turn) and side == state.active and len(phase.done) >= ACTIONS:
            yield third_action(state)

    def sentence(self, state: State, seat: Seat) -> Text:
        return self.told(state, side_name(side_of(state, seat)))

    def told(self, state: State, who: Text) -> Text:
        """What was done; who: the side, as people call it."""
        raise NotImplementedError

    def events(self, before: State, after: State, seat: Seat) -> Iterator[Event]:
        """What was done, what it scored, how the time stands: all of it for everybody, who sees the cards, too."""
        texts = [self.sentence(before, seat), *_points(before, after), *_times(before, after)]
        if isinstance(after.phase, Over):
            texts.append(after.phase.won(after))
        reveals = self.reveals or bool(self.cards())
        yield from (Event(text, audience=None, reveals=reveals) for text in texts)

    def deed(self, state: State, side: int) -> Text | None:
        """What a hand did, right or wrong, as it looks on the table; None if nothing on the table shows it."""
        return None

    def physical(self, state: State, side: int) -> State:
        """The table after a hand did it, legal or not, and nothing else followed from it."""
        return state

    def is_seen(self, state: State, side: int) -> bool:
        """Whether a camera can tell it: what changes the table visibly; the rest is ordered at the buttons."""
        return self.deed(state, side) is not None

    def hands(self, seat: Seat) -> frozenset[Seat]:
        """Whose hand does it; none in particular if anybody's may."""
        return frozenset({seat})

    def trace(self, state: State, seat: Seat) -> Trace:
        declared = not self.is_seen(state, side_of(state, seat))
        return difference(state, self.after(state, seat), self.hands(seat), declared)

    def instead(self, state: State, side: int) -> Iterator[tuple[str, Order]]:
        """What a hand may do in place of it, each with a name for statistics."""
        return iter(())

    def slips(self, state: State, seat: Seat) -> Iterator[Attempt]:
        """With another card, square or position, or with the stamina marker left where it was."""
        side, due = side_of(state, seat), self.trace(state, seat)
        text = say("The order was: {words}", words=" ".join(self.notation(state)))
        for kind, what, table in self._other_ways(state, side):
            seen = difference(state, table, due.hands)
            if not seen.unseen and (seen.layout, seen.moves) != (due.layout, due.moves):
                yield Attempt(kind, seat, seen, (Breach(self.law, text),), what=what)

    def _other_ways(self, state: State, side: int) -> Iterator[tuple[str, Text | None, State]]:
        for kind, other in self.instead(state, side):
            yield kind, other.deed(state, side), other.physical(state, side)
        right, stamina = self.after(state, state.seats[side]), state.fencers[side].stamina
        if right.fencers[side].stamina != stamina:
            left = replace(right.fencers[side], stamina=stamina)
            yield "stamina marker left", marker_left(side), with_fencer(right, side, left)


# --- what is told of the score and of the time

WARNINGS = (3, 1)
"""Timer cards at which everybody is warned."""


def _points(before: State, after: State) -> Iterator[Text]:
    scored = [side for side in (0, 1) if after.fencers[side].score != before.fencers[side].score]
    for side in scored:
        points = after.fencers[side].score
        yield say("Touch for {side}. Points: {points}.", side=side_name(side), points=points)
    if not scored:
        yield from after.phase.untouched(before)


def _times(before: State, after: State) -> Iterator[Text]:
    if after.priority is not None and before.priority is None:
        yield say("Overtime: {side} has priority.", side=side_name(after.priority))
    elif after.period != before.period:
        yield say("Period {period} begins.", period=after.period)
    if after.stage is Stage.LAST_HANDS and before.stage is Stage.BOUT:
        yield say("Time is over and the score level: fence on with the cards in hand.")
    if after.piles.timer < before.piles.timer and after.piles.timer in WARNINGS:
        yield time_text(after.piles.timer)


def time_text(timer: int) -> Text:
    """A warning that the time runs out."""
    return say("Last timer card!") if timer == 1 else say("{count} timer cards left.", count=timer)
