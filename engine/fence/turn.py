"""The game turn's exploratory actions (F69 and F125) and their combinations. Cards are in `play`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated

from msgspec.structs import replace

from engine.errors import Ambiguous, Invalid, Violation
from engine.fence.bout import (
    ACTIONS,
    OfCard,
    Order,
    Stage,
    State,
    Turn,
    ahead,
    gap,
    no_stall,
    off,
    read_card,
    side_of,
    surplus,
    third_action,
    turn_for,
    went,
    with_fencer,
)
from engine.fence.cards import UNKNOWN, WEAPONS, Weapon, card_text, side_name
from engine.fence.hands import GIVEN_UP, KeepHand, Offering, check_kept, drawn_blind, give_card, missing, unseen
from engine.fence.phrase import Clearing, rest_fencer, stepped_out
from engine.fence.table import DISCARD, LAST, STRIP, TIMER, shows, stands, weapon
from engine.fence.timer_deck import discard, draw_card, finish, note_empty_hands, throw_top, undrawable
from engine.game import Prefilter, Words
from engine.grammar import reading
from engine.rules import Values, Word
from engine.table import Piece, Seat
from engine.text import Text, say

RETREAT = 2

REST = 2

FOULS = {
    "F19": "moved too far",
    "F21": "weapon changed twice",
    "F23": "fencers passed",
    **dict.fromkeys((GIVEN_UP, "F74", "F127"), "drawing twice"),
}

FARTHEST = 3
"""Squares of the longest readable or mistaken move."""


# --- how actions combine


def over(state: State, turn: Turn) -> State:
    """End the turn; in the tutorial first offer to give up a card, if hand and timer deck have one."""
    if not state.rules.variant.exchange and state.piles.timer > 0 and state.fencers[state.active].hand > 0:
        return replace(state, phase=Offering(full=len(turn.done) >= ACTIONS))
    return finish(state)


def _after_act(state: State, turn: Turn, verb: str) -> State:
    fresh = verb == "retreat" and _may_drop(state, turn)
    return _going_on(state, Turn((*turn.done, verb), turn.exchanged, fresh))


def _may_drop(state: State, turn: Turn) -> bool:
    return state.piles.timer > 0 and state.fencers[state.active].hand > 0 and not turn.exchanged


def _going_on(state: State, turn: Turn) -> State:
    if len(turn.done) >= ACTIONS and not turn.fresh:
        return over(state, turn)
    return replace(state, phase=turn)


def _turn(state: State) -> Turn:
    if not isinstance(state.phase, Turn):
        raise ValueError("no turn: judge the action before applying it")
    return state.phase


class EndTurn(Order, frozen=True, tag="end"):
    """End the turn early (F22)."""

    name = say("End")
    clauses = ("F22",)
    when = (Turn,)

    def faults(self, state: State, side: int) -> Iterator[Violation]:
        turn = turn_for(state, side)
        if turn is not None and state.rules.both_actions and len(turn.done) < ACTIONS:
            yield Violation("F22", say("Both game actions must be used."))

    def after(self, state: State, seat: Seat) -> State:
        return over(state, _turn(state))

    def public_text(self, state: State, who: Text) -> Text:
        return say("{side} ends the turn.", side=who)

    @classmethod
    def read(cls, state: State, seat: Seat, rest: Words) -> Order:
        """Read "end" as keeping the hand while a card may be given up."""
        if rest:
            raise cls.too_many(rest)
        return KeepHand() if isinstance(state.phase, Offering) else EndTurn()


# --- on the strip


def is_free(state: State, side: int, steps: int) -> bool:
    """Return True if a hand can put the figure, now on the strip, that far ahead: past the other perhaps, not on its
    square (F23)."""
    fencer, other = state.fencers[side], state.fencers[1 - side]
    square = fencer.square + steps * ahead(state, side)
    return not fencer.beside and 0 <= square <= LAST + 1 and (bool(other.beside) or square != other.square)


def _step_fencer(state: State, steps: int, verb: str) -> State:
    side, turn = state.active, _turn(state)
    state = went(state, side, steps)
    return stepped_out(state, side) if off(state.fencers[side].square) else _after_act(state, turn, verb)


def _stepped_text(who: Text, steps: int) -> Text:
    if abs(steps) == 1:
        return say("{side} stepped forward.", side=who) if steps > 0 else say("{side} stepped back.", side=who)
    if steps > 0:
        return say("{side} went {count} squares forward.", side=who, count=steps)
    return say("{side} went {count} squares back.", side=who, count=-steps)


class StepsWord(Word[State, int]):
    """Squares forward; negative is back (F19)."""

    def candidates(self, state: State, seat: Seat, before: Values) -> Iterable[int]:
        return (1, -1)

    def write(self, state: State, value: int, before: Values) -> Words:
        far = (str(abs(value)),) if abs(value) > 1 else ()
        return ("forward" if value > 0 else "back", *far)

    def text(self, state: State, value: int, before: Values, number: int) -> Text:
        return say("Move forward") if value > 0 else say("Move back")


STEPS = StepsWord()


class MoveFencer(Order, frozen=True, tag="move"):
    """Move forward, back if negative; only one square is legal (F19)."""

    steps: Annotated[int, STEPS]

    name = reading(say("Move"), say("{a}"))
    clauses = ("F18", "F19", "F23")
    when = (Turn,)
    declared = False
    game_action = True
    law = "F19"

    def costs(self, state: State, seat: Seat) -> bool:
        """Return True if it leads off the strip, which loses a point."""
        side = side_of(state, seat)
        return off(state.fencers[side].square + self.steps * ahead(state, side))

    def faults(self, state: State, side: int) -> Iterator[Violation]:
        turn = turn_for(state, side)
        if turn is None:
            return
        yield from surplus(state, side)
        if abs(self.steps) > 1:
            yield Violation("F19", say("A move is one square."))
        if turn.done == ("move",) and not state.rules.two_moves:  # F20 allows a second one
            yield Violation("F18", say("One move a turn."))
        if self.steps > gap(state):
            yield Violation("F23", say("Fencers neither pass nor share a square."))

    def after(self, state: State, seat: Seat) -> State:
        return _step_fencer(state, self.steps, "move")

    def public_text(self, state: State, who: Text) -> Text:
        return say("{side} steps forward.", side=who) if self.steps > 0 else say("{side} steps back.", side=who)

    def deed(self, state: State, side: int) -> Text:
        return _stepped_text(side_name(side), self.steps)

    def physical(self, state: State, side: int) -> State:
        return went(state, side, self.steps)

    def is_hinted(self, state: State, side: int, glance: Prefilter) -> bool:
        return glance.only(STRIP) and glance.is_touched(stands(state.fencers[side]))

    def instead(self, state: State, side: int) -> Iterator[tuple[str, Order]]:
        return other_squares(state, side)

    @classmethod
    def read(cls, state: State, seat: Seat, rest: Words) -> MoveFencer:
        """Read illegal numbers too: `move back 2`."""
        if len(rest) > 2:
            raise Invalid(say("Too many words: {words}", words=" ".join(rest[2:])))
        if not rest:
            raise Ambiguous(say("Move forward or back?"))
        if rest[0] not in ("forward", "back"):
            raise Invalid(say("A figure moves forward or back, not {word}.", word=rest[0]))
        number = rest[1] if len(rest) > 1 else "1"
        if number not in {str(squares) for squares in range(1, FARTHEST + 1)}:
            raise Invalid(say("{word} is not a number of squares.", word=number))
        return MoveFencer(int(number) * (1 if rest[0] == "forward" else -1))


def moves(state: State, side: int) -> Iterator[MoveFencer]:
    return (MoveFencer(steps) for steps in (1, -1, 2, -2, 3, -3) if is_free(state, side, steps))


def other_squares(state: State, side: int) -> Iterator[tuple[str, Order]]:
    return (("another square", move) for move in moves(state, side))


class Retreat(Order, frozen=True, tag="retreat"):
    """Go back two squares in one action (F128), perhaps with an exchange (F127)."""

    name = say("Retreat")
    clauses = ("F126", "F127", "F128")
    when = (Turn,)
    declared = False
    game_action = True
    law = "F126"

    def costs(self, state: State, seat: Seat) -> bool:
        side = side_of(state, seat)
        return off(state.fencers[side].square - RETREAT * ahead(state, side))

    def faults(self, state: State, side: int) -> Iterator[Violation]:
        if turn_for(state, side) is None:
            return
        yield from surplus(state, side)
        if not state.rules.variant.retreat:
            yield Violation("F126", say("A Retreat is an action of the advanced mode."))

    def after(self, state: State, seat: Seat) -> State:
        """Go back. Off the strip the opponent scores, but the exchange remains possible (F127)."""
        turn = _turn(state)
        after = _step_fencer(state, -RETREAT, "retreat")
        if isinstance(after.phase, Clearing) and _may_drop(after, turn):
            return replace(after, phase=replace(after.phase, reason="retreat"))
        return after

    def public_text(self, state: State, who: Text) -> Text:
        return say("{side} retreats two squares.", side=who)

    def deed(self, state: State, side: int) -> Text:
        return _stepped_text(side_name(side), -RETREAT)

    def physical(self, state: State, side: int) -> State:
        return went(state, side, -RETREAT)

    def is_hinted(self, state: State, side: int, glance: Prefilter) -> bool:
        return glance.only(STRIP) and glance.is_touched(stands(state.fencers[side]))

    def is_seen(self, state: State, side: int) -> bool:
        """Return False from the last square: it looks like a step."""
        return not off(state.fencers[side].square - ahead(state, side))

    def instead(self, state: State, side: int) -> Iterator[tuple[str, Order]]:
        return other_squares(state, side)


# --- the weapon


class WeaponWord(Word[State, Weapon]):
    missing = say("Which weapon position? {names}", names=", ".join(Weapon))

    def candidates(self, state: State, seat: Seat, before: Values) -> Iterable[Weapon]:
        return Weapon

    def text(self, state: State, value: Weapon, before: Values, number: int) -> Text:
        return WEAPONS[value]

    def read(self, state: State, word: str, before: Values) -> Weapon:
        if word not in set(Weapon):
            names = ", ".join(Weapon)
            raise Invalid(say("There is no weapon position {word}. Positions: {names}", word=word, names=names))
        return Weapon(word)


WEAPON = WeaponWord()


class ChangeWeapon(Order, frozen=True, tag="weapon"):
    """Change the weapon position (F21)."""

    position: Annotated[Weapon, WEAPON]

    name = reading(say("Weapon position"), say("Weapon to {a}"))  # Translators: a weapon position
    clauses = ("F21",)
    when = (Turn,)
    declared = False
    game_action = True
    law = "F21"

    def faults(self, state: State, side: int) -> Iterator[Violation]:
        turn = turn_for(state, side)
        if turn is None:
            return
        yield from surplus(state, side)
        if "weapon" in turn.done:
            yield Violation("F21", say("The weapon position is changed once a turn."))
        elif state.fencers[side].weapon is self.position:
            yield Violation("F21", say("The weapon is in {position} already.", position=WEAPONS[self.position]))

    def after(self, state: State, seat: Seat) -> State:
        return _after_act(self.physical(state, state.active), _turn(state), "weapon")

    def public_text(self, state: State, who: Text) -> Text:
        return say("{side}: {position}.", side=who, position=WEAPONS[self.position])

    def deed(self, state: State, side: int) -> Text:
        return say("The weapon of {side} went to {position}.", side=side_name(side), position=WEAPONS[self.position])

    def physical(self, state: State, side: int) -> State:
        return with_fencer(state, side, replace(state.fencers[side], weapon=self.position))

    def is_hinted(self, state: State, side: int, glance: Prefilter) -> bool:
        return glance.only(weapon(side)) and glance.is_touched(shows(side, state.fencers[side]))

    def instead(self, state: State, side: int) -> Iterator[tuple[str, Order]]:
        return (("another position", ChangeWeapon(each)) for each in Weapon)


# --- rest


class Stall(OfCard, frozen=True, tag="stall"):
    """Rest for a whole turn (F75). card: the discarded timer card."""

    name = say("Stall")
    clauses = ("F75", "F76", "F104")
    when = (Turn,)
    game_action = True

    @classmethod
    def verb_violations(cls, state: State, seat: Seat) -> Iterator[Violation]:
        side = side_of(state, seat)
        turn = turn_for(state, side)
        if turn is None:
            return
        yield from surplus(state, side)
        if not state.rules.variant.stamina:
            yield no_stall()
        if turn.done:
            yield Violation("F75", say("A Stall takes the whole turn."))
        if state.fencers[side].stalled:
            yield Violation("F76", say("No Stall in two turns running."))
        if state.stage is Stage.OVERTIME:
            yield Violation("F104", say("No Stall once priority is assigned."))
        yield from undrawable(state)

    def faults(self, state: State, side: int) -> Iterator[Violation]:
        if turn_for(state, side) is None:
            return
        yield from self.verb_violations(state, state.seats[side])
        if self.card != UNKNOWN and unseen(state, self.card) < 1:
            yield Violation("F75", say("This card cannot come from the timer deck: all copies were seen elsewhere."))

    def after(self, state: State, seat: Seat) -> State:
        side = side_of(state, seat)
        state = with_fencer(state, side, rest_fencer(state.fencers[side], REST))
        return finish(throw_top(state, self.card), stalled=True)

    def public_text(self, state: State, who: Text) -> Text:
        if self.card == UNKNOWN:
            return say("{side} rests; time takes a card.", side=who)
        return say("{side} rests; time takes {card}.", side=who, card=card_text(state.pool, self.card))

    @classmethod
    def read(cls, state: State, seat: Seat, rest: Words) -> Stall:
        return Stall(read_card(state, rest))


# --- cards given up


def given_up(state: State, side: int, card: str, blind: bool = False) -> State:
    """Discard a hand card and draw (F73). blind: the opponent chose it."""
    left = drawn_blind(state, side, card) if blind else give_card(state, side, card)
    return draw_card(discard(note_empty_hands(with_fencer(state, side, left)), card), side)


class Exchange(OfCard, frozen=True, tag="exchange"):
    """Drop a card and draw (F73, F127), as an action, in a Retreat, or after a tutorial turn."""

    name = say("Exchange a card")
    clauses = ("F73", "F127")
    when = (Turn, Offering, Clearing)
    declared = False
    law = "F73"

    @classmethod
    def is_asked(cls, state: State) -> bool:
        phase = state.phase
        return phase.reason == "retreat" if isinstance(phase, Clearing) else isinstance(phase, cls.when)

    def faults(self, state: State, side: int) -> Iterator[Violation]:
        yield from missing(state, side, self.named_cards())
        yield from self.verb_violations(state, state.seats[side])
        if self.is_asked(state) and not isinstance(state.phase, Offering):
            yield from check_kept(state, side, self.card)

    @classmethod
    def verb_violations(cls, state: State, seat: Seat) -> Iterator[Violation]:
        if not cls.is_asked(state):
            return
        side = side_of(state, seat)
        turn = turn_for(state, side)
        if turn is not None:
            yield from cls._once(state, turn)
        yield from undrawable(state)
        if state.fencers[side].hand < 1 and not isinstance(state.phase, Offering):
            yield Violation("F73", say("There is no card to give up."))

    @classmethod
    def _once(cls, state: State, turn: Turn) -> Iterator[Violation]:
        if not state.rules.variant.exchange:
            yield Violation(GIVEN_UP, say("In the tutorial a card is given up after the turn."))
        if turn.exchanged:
            clause = "F127" if "retreat" in turn.done else "F74"
            yield Violation(clause, say("One card a turn is exchanged."))
        elif len(turn.done) >= ACTIONS and not turn.fresh:
            yield third_action(state)

    def after(self, state: State, seat: Seat) -> State:
        phase = state.phase
        state = given_up(state, side_of(state, seat), self.card)
        if isinstance(phase, Turn):
            done = phase.done if phase.fresh else (*phase.done, "exchange")
            return _going_on(state, Turn(done, exchanged=True))
        return replace(state, phase=replace(phase, reason="out")) if isinstance(phase, Clearing) else finish(state)

    def public_text(self, state: State, who: Text) -> Text:
        return say("{side} gives up {card} and draws.", side=who, card=card_text(state.pool, self.card))

    def deed(self, state: State, side: int) -> Text:
        return say("{side} discarded {card}.", side=side_name(side), card=card_text(state.pool, self.card))

    def physical(self, state: State, side: int) -> State:
        return discard(state, self.card)

    def is_hinted(self, state: State, side: int, glance: Prefilter) -> bool:
        return glance.only(DISCARD, TIMER) and glance.lies(DISCARD, Piece(self.card))

    def is_seen(self, state: State, side: int) -> bool:
        """Return False if the discards then look the same: this card is on top already, or it or the top is unknown."""
        top = state.piles.discards[-1:]
        return self.card not in (UNKNOWN, *top) and UNKNOWN not in top

    def instead(self, state: State, side: int) -> Iterator[tuple[str, Order]]:
        return (("another card", Exchange(card)) for card in state.pool if card != self.card)

    @classmethod
    def read(cls, state: State, seat: Seat, rest: Words) -> Exchange:
        return Exchange(read_card(state, rest))


# --- handling, legal or not


def handling(state: State, side: int) -> Iterator[Order]:
    yield from (move for move in moves(state, side) if not _two_actions(state, side, move.steps))
    yield from (ChangeWeapon(position) for position in Weapon if position is not state.fencers[side].weapon)


def _two_actions(state: State, side: int, steps: int) -> bool:
    """Return True for two squares by two legal moves (F20) or a Retreat."""
    turn = state.phase
    if abs(steps) != 2 or not isinstance(turn, Turn) or side != state.active:
        return False
    twice = state.rules.two_moves and not turn.done and MoveFencer(steps // 2).is_legal(state, side)
    return twice or (steps < 0 and Retreat().is_legal(state, side))


def discarding(state: State) -> Iterator[Order]:
    """Yield discards of every card, unless the top is unseen."""
    if UNKNOWN not in state.piles.discards[-1:]:
        yield from (Exchange(card) for card in state.pool)
