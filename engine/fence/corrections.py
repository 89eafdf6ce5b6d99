"""Corrections of the referee's belief (law 2); hands stay unknown.

square a 5             a fencer's square
weapon a line          weapon position
stamina a 4            stamina points
score a 2              points
hand a 5               cards in a hand
timer 7                cards in the timer deck
seen joker             names an unseen discard
unseen joker           a discard or known hand card may be anywhere
turn b                 the side to play; voids an open phrase"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from msgspec.structs import replace

from engine.fence.bout import HAND, CardWord, Finish, Over, Phase, State, Turn, with_fencer
from engine.fence.cards import UNKNOWN, WEAPONS, Weapon
from engine.fence.hands import Dealing, learnt, unseen
from engine.fence.table import LAST, TRACK, Fencer
from engine.fence.timer_deck import SIDE, SideWord, Tossing, end_time
from engine.rules import Correction, MenuWord, Values
from engine.table import Seat
from engine.text import Text, say

# --- the words


def _number(value: int) -> Text:
    return say("{number}", number=value)


def _fencer(state: State, before: Values) -> Fencer:
    return state.fencers[before[0]]


def _squares(state: State, before: Values) -> Iterable[int]:
    other = state.fencers[1 - before[0]].square
    return range(1, other) if before[0] == 0 else range(other + 1, LAST + 1)


def _hidden_cards(state: State) -> Iterable[str]:
    return (name for name in state.pool if unseen(state, name) > 0 and UNKNOWN in state.piles.discards)


def _believed_cards(state: State) -> Iterable[str]:
    named = {*state.piles.discards, *state.fencers[0].known, *state.fencers[1].known}
    return (name for name in state.pool if name in named)


_SQUARE = MenuWord[State, int](_squares, _number, lambda state, before: _fencer(state, before).square)
_POINTS = MenuWord[State, int](
    lambda *_: range(TRACK + 1), _number, lambda state, before: _fencer(state, before).stamina
)
_SCORE = MenuWord[State, int](
    lambda state, _: range(state.rules.goal), _number, lambda state, before: _fencer(state, before).score
)
_HAND = MenuWord[State, int](lambda *_: range(1, HAND + 1), _number, lambda state, before: _fencer(state, before).hand)
_TIMER = MenuWord[State, int](
    lambda state, _: range(1, state.piles.timer + state.piles.aside + 1), _number, lambda state, _: state.piles.timer
)
_WEAPON = MenuWord[State, Weapon](
    lambda *_: Weapon, WEAPONS.__getitem__, lambda state, before: _fencer(state, before).weapon
)
_UNSEEN, _SEEN = CardWord(_hidden_cards), CardWord(_believed_cards)


# --- the corrections


class Repair(Correction[State], frozen=True):
    def after(self, state: State) -> State:
        """Return the corrected state. A match that was over goes on where it would have gone, had it not ended."""
        repaired = self.repair(state)
        if not isinstance(repaired.phase, Over) or any(each.score >= repaired.rules.goal for each in repaired.fencers):
            return repaired
        match repaired.phase:
            case Over(finish=Finish.TIME | Finish.PRIORITY) if not repaired.piles.timer:
                return end_time(repaired)
            case Over(finish=Finish.TOUCH) if _scores(repaired) == _scores(state):
                return repaired
            case Over(otherwise=Phase() as following):
                return replace(repaired, phase=following)
            case _:
                return _give(repaired, repaired.active)

    def repair(self, state: State) -> State:
        raise NotImplementedError


class OfFencer(Repair, frozen=True):
    side: Annotated[int, SIDE]

    def repair(self, state: State) -> State:
        return with_fencer(state, self.side, self.change(state.fencers[self.side]))

    def change(self, fencer: Fencer) -> Fencer:
        raise NotImplementedError


class Square(OfFencer, frozen=True, tag="square"):
    square: Annotated[int, _SQUARE]

    name = say("A fencer stands elsewhere")

    def change(self, fencer: Fencer) -> Fencer:
        return replace(fencer, square=self.square, beside=0)


class Position(OfFencer, frozen=True, tag="weapon"):
    position: Annotated[Weapon, _WEAPON]

    name = say("A weapon position")

    def change(self, fencer: Fencer) -> Fencer:
        return replace(fencer, weapon=self.position)


class Stamina(OfFencer, frozen=True, tag="stamina"):
    points: Annotated[int, _POINTS]

    name = say("Stamina points")

    def change(self, fencer: Fencer) -> Fencer:
        return replace(fencer, stamina=self.points)


class FencerScore(OfFencer, frozen=True, tag="score"):
    points: Annotated[int, _SCORE]

    name = say("The score")

    def change(self, fencer: Fencer) -> Fencer:
        return replace(fencer, score=self.points)


class FencerHand(OfFencer, frozen=True, tag="hand"):
    cards: Annotated[int, _HAND]

    name = say("Cards in a hand")

    def change(self, fencer: Fencer) -> Fencer:
        return replace(fencer, hand=self.cards, known=fencer.known if self.cards >= len(fencer.known) else ())


class Timer(Repair, frozen=True, tag="timer"):
    cards: Annotated[int, _TIMER]

    name = say("Cards in the timer deck")

    def repair(self, state: State) -> State:
        """Move the difference from or to the cards set aside."""
        piles = state.piles
        aside = max(0, piles.aside + piles.timer - self.cards)
        return replace(state, piles=replace(piles, timer=self.cards, aside=aside))


class Seen(Repair, frozen=True, tag="seen"):
    card: Annotated[str, _UNSEEN]

    name = say("Name an unseen discard")

    def repair(self, state: State) -> State:
        discards = list(state.piles.discards)
        discards[discards.index(UNKNOWN)] = self.card
        return replace(state, piles=replace(state.piles, discards=tuple(discards)))


class Unseen(Repair, frozen=True, tag="unseen"):
    card: Annotated[str, _SEEN]

    name = say("A card was misread")

    def repair(self, state: State) -> State:
        discards = tuple(UNKNOWN if card == self.card else card for card in state.piles.discards)
        state = replace(state, piles=replace(state.piles, discards=discards))
        for side in (0, 1):
            fencer = state.fencers[side]
            kept = tuple(card for card in fencer.known if card != self.card)
            state = with_fencer(state, side, replace(fencer, known=kept))
        return state


class WhoseTurn(SideWord):
    def candidates(self, state: State, seat: Seat, before: Values) -> Iterable[int]:
        return () if isinstance(state.phase, Over) else super().candidates(state, seat, before)


_TURN = WhoseTurn()


class Active(Repair, frozen=True, tag="turn"):
    side: Annotated[int, _TURN]

    name = say("Whose turn it is")

    def repair(self, state: State) -> State:
        return _give(state, self.side)


REPAIRS = (Square, Position, Stamina, FencerScore, FencerHand, Timer, Seen, Unseen, Active)


def _give(state: State, side: int) -> State:
    for each in (0, 1):
        fencer = state.fencers[each]
        cards = fencer.lane
        state = with_fencer(state, each, learnt(replace(fencer, lane=(), beside=0), cards))
    return replace(state, active=side, phase=state.phase if isinstance(state.phase, Dealing | Tossing) else Turn())


def _scores(state: State) -> tuple[int, ...]:
    return tuple(fencer.score for fencer in state.fencers)
