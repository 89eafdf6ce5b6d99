"""The timer deck: draws, ends of turns and time, periods, overtime, last hands, tosses, passivity."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated

from msgspec.structs import replace

from engine.draws import draw
from engine.errors import Invalid, Violation
from engine.fence.bout import OFFER, Finish, Order, Over, Phase, Stage, State, Turn, on_guard, side_of, with_fencer
from engine.fence.cards import UNKNOWN, side_name
from engine.fence.phrase import Clearing, stir
from engine.fence.table import TRACK, Piles
from engine.game import Words
from engine.rules import Values, Word
from engine.table import Seat
from engine.text import Text, say

TIMER = 12

OVERTIME = 4


# --- cards of the deck


def draw_card(state: State, side: int) -> State:
    """Draw into the hand, unless the deck is empty (F98)."""
    if state.piles.timer == 0:
        return state
    fencer = state.fencers[side]
    return with_fencer(_tick(state), side, replace(fencer, hand=fencer.hand + 1))


def throw_top(state: State, card: str) -> State:
    """Discard the timer deck's top, face up (F4)."""
    return discard(_tick(state), card)


def _tick(state: State) -> State:
    return stir(replace(state, piles=replace(state.piles, timer=state.piles.timer - 1)))


def discard(state: State, card: str) -> State:
    return replace(state, piles=replace(state.piles, discards=(*state.piles.discards, card)))


def undrawable(state: State) -> Iterator[Violation]:
    """Yield the violation of drawing from an empty deck (F98)."""
    if state.piles.timer == 0:
        clause = "F58" if state.stage is Stage.LAST_HANDS else "F98"
        yield Violation(clause, say("The timer deck is empty: nothing can be drawn."))


# --- the end of a turn


def finish(state: State, stalled: bool = False) -> State:
    """End a game turn: apply passivity, then time, then, in the last hands, the loss by an empty hand.

    Unless the match is over or a toss begins, the other side follows, perhaps after a `Clearing`."""
    fencer = replace(state.fencers[state.active], stalled=stalled)
    state = replace(with_fencer(state, state.active, fencer), still=state.still + 1)
    state = _passive(state)
    if state.stage is not Stage.LAST_HANDS and state.piles.timer == 0 and not isinstance(state.phase, Over):
        state = end_time(state)
    if state.stage is Stage.LAST_HANDS and not isinstance(state.phase, Over | Tossing):
        state = _hands(state)
    if isinstance(state.phase, Over | Tossing):
        return state
    after = _pass_turn(state)
    return after if isinstance(after.phase, Clearing) else replace(after, phase=Turn())


def _pass_turn(state: State) -> State:
    """Begin the other's turn, skipped once if a Stall costs it."""
    after = replace(state, active=1 - state.active, turn=state.turn + 1)
    fencer = after.fencers[after.active]
    if not fencer.stalled or after.rules.stall == "turn":
        return after
    return _pass_turn(with_fencer(after, after.active, replace(fencer, stalled=False)))


def _passive(state: State) -> State:
    """Discard a timer card after still turns; in the last hands the fuller hand wins (F105)."""
    if not state.passivity or state.still < state.passivity:
        return state
    if state.stage is not Stage.LAST_HANDS:
        return replace(throw_top(state, UNKNOWN), still=0)
    green, red = (fencer.hand for fencer in state.fencers)
    if green == red:
        return _toss(state, "passivity")
    return replace(state, phase=Over(0 if green > red else 1, Finish.PASSIVE))


def _hands(state: State) -> State:
    """End the match by an empty hand (F58); the first one loses."""
    empty = [side for side in state.emptied if state.fencers[side].hand == 0]
    return replace(state, phase=Over(1 - empty[0], Finish.NO_CARDS)) if empty else state


def note_empty_hands(state: State) -> State:
    """Note empty hands and restart the count of still turns, in the last hands only (F58)."""
    if state.stage is not Stage.LAST_HANDS:
        return state
    bare = tuple(side for side in (0, 1) if state.fencers[side].hand == 0 and side not in state.emptied)
    return stir(replace(state, emptied=state.emptied + bare))


def end_time(state: State) -> State:
    """Begin the next period, overtime, last hands or the end (F95, F97, F99, F103)."""
    green, red = (fencer.score for fencer in state.fencers)
    if state.stage is Stage.OVERTIME and state.priority is not None:
        return replace(state, phase=Over(state.priority, Finish.PRIORITY))
    if state.period < state.rules.periods:
        return replace(state, phase=Clearing("period"))
    if green != red:
        return replace(state, phase=Over(0 if green > red else 1, Finish.TIME))
    if not state.rules.variant.overtime:
        bare = tuple(side for side in (0, 1) if state.fencers[side].hand == 0)
        return replace(state, stage=Stage.LAST_HANDS, emptied=bare)
    return replace(state, phase=Clearing("overtime"))


# --- periods and overtime


def begin_period(state: State, reason: str) -> State:
    """Begin the next period (F122) or overtime (F100), on guard."""
    state = on_guard(state)
    if reason == "overtime":
        free = len(state.piles.discards) + state.piles.aside
        piles = Piles(min(OVERTIME, free), free - min(OVERTIME, free))
        return _toss(replace(state, piles=piles, stage=Stage.OVERTIME), "priority")
    period = state.period + 1
    stamina = TRACK - (period - 1 if state.rules.variant.tiring else 0)
    for side in (0, 1):
        state = with_fencer(state, side, replace(state.fencers[side], stamina=stamina))
    return replace(state, period=period, piles=_deal_next_period(state), phase=Turn())


def _deal_next_period(state: State) -> Piles:
    """Return the next period's piles, with all cards outside hands, or twelve, in the timer deck (F96)."""
    free = sum(figures.count for figures in state.pool.values()) - sum(fencer.hand for fencer in state.fencers)
    timer = min(TIMER, free) if state.rules.has_short_timer(state.period + 1) else free
    return Piles(timer, free - timer)


def full_timer(state: State) -> int:
    if state.stage is Stage.OVERTIME:
        return OVERTIME
    if state.rules.has_short_timer(state.period):
        return TIMER
    return sum(face.count for face in state.pool.values()) - sum(f.hand + len(f.lane) for f in state.fencers)


# --- tosses

_TOSSES = {"priority": "F101", "passivity": "F105"}


class Tossing(Phase, frozen=True, tag="tossing"):
    """A coin toss (F101), entered by the active player. reason: "priority", or "passivity" with level hands."""

    reason: str

    def out_of_turn(self, state: State, action: Order, who: Text) -> Violation:
        return Violation(_TOSSES[self.reason], say("{seat} enters the coin toss.", seat=who))

    def not_asked_violation(self, state: State, action: Order) -> Violation:
        return Violation(_TOSSES[self.reason], say("Toss a coin first."))

    def question(self, state: State) -> Text:
        return say("Toss a coin. Who won?")

    def waiting(self, state: State, who: Text) -> Text:
        return say("A coin is tossed.")

    def fell(self, state: State, side: int) -> State:
        """Give the side priority (F101) or the match (F105)."""
        if self.reason == "priority":
            return replace(state, priority=side, phase=Turn())
        return replace(state, phase=Over(side, Finish.PASSIVE))


def _toss(state: State, reason: str) -> State:
    """Draw the toss, or ask the players (F101)."""
    tossing = Tossing(reason)
    if state.rules.tosses == "players":
        return replace(state, phase=tossing)
    return tossing.fell(state, draw(f"fence/{state.seed}/{reason}", 2))


class SideWord(Word[State, int]):
    missing = say("Who won the coin toss?")

    def candidates(self, state: State, seat: Seat, before: Values) -> Iterable[int]:
        return (0, 1)

    def write(self, state: State, value: int, before: Values) -> Words:
        return (state.seats[value],)

    def text(self, state: State, value: int, before: Values, number: int) -> Text:
        return side_name(value)

    def read(self, state: State, word: str, before: Values) -> int:
        if word not in state.seats:
            raise Invalid(say("Nobody fences at seat {seat}.", seat=word))
        return side_of(state, word)


SIDE = SideWord()


class Toss(Order, frozen=True, tag="toss"):
    """Enter the winner of the coin toss (F101)."""

    side: Annotated[int, SIDE]

    name = say("The coin toss went to")
    clauses = ("F101",)
    when = (Tossing,)

    def out_of_turn_violation(self) -> Violation:
        return Violation(_TOSSES["priority"], say("No coin toss is needed."))

    def after(self, state: State, seat: Seat) -> State:
        if not isinstance(state.phase, Tossing):
            raise ValueError("no coin is tossed: judge the action before applying it")
        return state.phase.fell(state, self.side)

    def public_text(self, state: State, who: Text) -> Text:
        return say("The coin fell for {side}.", side=side_name(self.side))


# --- passivity


class Proposed(Phase, frozen=True, tag="proposed"):
    """The opponent answers a proposed passivity rule; then `turn` resumes."""

    turn: Turn

    def sides(self, state: State) -> tuple[int, ...]:
        return (1 - state.active,)

    def out_of_turn(self, state: State, action: Order, who: Text) -> Violation:
        return Violation("F105", say("{seat} answers the proposal.", seat=who))

    def not_asked_violation(self, state: State, action: Order) -> Violation:
        return Violation("F105", say("The proposal must be answered first."))

    def question(self, state: State) -> Text:
        return say("Should idle turns cost a timer card?")

    def waiting(self, state: State, who: Text) -> Text:
        return say("{side} answers the proposal.", side=who)


class Passivity(Order, frozen=True, tag="passivity"):
    """Propose the passivity rule at a standstill (F105)."""

    name = say("Propose the passivity rule")
    clauses = ("F105",)
    when = (Turn,)

    def faults(self, state: State, side: int) -> Iterator[Violation]:
        if not isinstance(state.phase, Turn):
            return
        if state.passivity:
            yield Violation("F105", say("The passivity rule holds already."))
        elif state.offered > OFFER and state.still < state.offered:
            left = state.offered - state.still
            yield Violation("F105", say("Declined. Idle turns until you can propose it again: {count}.", count=left))
        elif state.still < state.offered:
            yield Violation("F105", say("The bout is not at a standstill."))

    def after(self, state: State, seat: Seat) -> State:
        if not isinstance(state.phase, Turn):
            raise ValueError("no turn: judge the action before applying it")
        return replace(state, phase=Proposed(state.phase))

    def public_text(self, state: State, who: Text) -> Text:
        return say("{side} proposes the passivity rule.", side=who)


class _Reply(Order, frozen=True):
    when = (Proposed,)

    def out_of_turn_violation(self) -> Violation:
        return Violation("F105", say("Nobody proposed the passivity rule."))

    def after(self, state: State, seat: Seat) -> State:
        if not isinstance(state.phase, Proposed):
            raise ValueError("nothing is proposed: judge the action before applying it")
        return self.resolve_turn(replace(state, phase=state.phase.turn))

    def resolve_turn(self, state: State) -> State:
        raise NotImplementedError


class AgreePassivity(_Reply, frozen=True, tag="agree"):
    """Accept the rule (F105)."""

    name = say("Agree")
    clauses = ("F105",)

    def resolve_turn(self, state: State) -> State:
        return replace(state, passivity=OFFER)

    def public_text(self, state: State, who: Text) -> Text:
        return say("{side} agrees: still turns cost time.", side=who)


class DeclinePassivity(_Reply, frozen=True, tag="decline"):
    """Decline the rule (F105)."""

    name = say("Decline")
    clauses = ("F105",)

    def resolve_turn(self, state: State) -> State:
        return replace(state, offered=state.still + OFFER)

    def public_text(self, state: State, who: Text) -> Text:
        return say("{side} declines.", side=who)
