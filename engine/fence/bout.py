"""The state of a bout: rulings, turn, the base of all actions, and the end."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum
from typing import Annotated, ClassVar

import msgspec
from msgspec.structs import replace

from engine.errors import Invalid, Violation
from engine.fence.cards import (
    KINDS,
    OF_MODE,
    UNKNOWN,
    Pool,
    any_card,
    card_words,
    colour_name,
    kind_name,
    kind_of,
    named_card,
    number_text,
    read_cards,
    side_name,
)
from engine.fence.table import LAST, Fencer, Piles, difference, marker_left
from engine.game import Attempt, Options, Prefilter, Words
from engine.rules import Action, Values, Word
from engine.table import Seat, Trace
from engine.text import Text, many, say
from engine.view import Event, NamedCard

HAND = 6
"""Cards in a full hand (F10)."""

OFFER = 10
"""Still turns before the passivity rule is offered."""


class GameMode(msgspec.Struct, frozen=True, kw_only=True):
    """The differences between modes.

    goal: points that win an elimination bout (F15); 0 uses the option
    periods: of an elimination bout (F63, F121)
    first_short: the first timer deck has twelve cards
    tiring: each period begins with one stamina point less
    stamina: cards cost points; touches and Stall restore some
    overtime: follows a level score; else the last hands are fenced
    exchange: an action; else a card is given up after the turn
    refill: played cards are discarded and hands filled; else this holds for Jokers only
    one_distance: phrases open at distance one only
    parry: exists without a card
    outrun: some attacks are too fast for Distance
    yellow: yellow cards are mandatory"""

    goal: int
    periods: int
    first_short: bool = True
    tiring: bool = False
    stamina: bool = True
    overtime: bool = True
    exchange: bool = True
    refill: bool = False
    one_distance: bool = False
    parry: bool = True
    outrun: bool = True
    retreat: bool = False
    feint: bool = False
    yellow: bool = False
    angulations: bool = True


MODES = {
    "tutorial": GameMode(
        goal=0,
        periods=1,
        first_short=False,
        stamina=False,
        overtime=False,
        exchange=False,
        refill=True,
        one_distance=True,
        parry=False,
        outrun=False,
    ),
    "basic": GameMode(goal=10, periods=2, yellow=True, angulations=False),
    "advanced": GameMode(goal=15, periods=3, tiring=True, retreat=True, feint=True),
}


class Rulings(msgspec.Struct, frozen=True):
    """A match's options, which config/games/fence.toml explains."""

    mode: str = "basic"
    bout: str = "pool"
    tutorial_points: int = 10
    starter: str = "coin"
    stamina: str = "enforced"
    passivity: int = 0
    tosses: str = "referee"
    start_gap: int = 2
    two_moves: bool = True
    both_actions: bool = False
    must_answer: bool = False
    refill_first: str = "attacker"
    double_level: str = "always"
    stall: str = "turn"
    fleche_missed: str = "before"
    tutorial_timer: str = "all"
    period_timer: str = "all"
    positions: str = "always"
    payment: str = "paid"
    late_defence: bool = True
    glide_after_parry: bool = True
    parry_rounding: str = "up"
    distance_speed: str = "effective"
    feint_after_defence: bool = True
    disengage: str = "engaged"
    joker_toe_touch: bool = True
    joker_beats_all: bool = False
    joker_replaced: bool = True
    riposte_position: bool = True
    infighting_defence: str = "short-or-lunge"
    infighting_riposte: str = "slower"
    counter_time: str = "counter-attacks"
    angulations: str = "any"
    renewed_after_distance: bool = True

    @property
    def variant(self) -> GameMode:
        return MODES[self.mode]

    @property
    def periods(self) -> int:
        """Number of periods: 1 in a pool bout (F63)."""
        return 1 if self.bout == "pool" else self.variant.periods

    @property
    def goal(self) -> int:
        """Points that win (F15)."""
        return 5 if self.bout == "pool" else self.variant.goal or self.tutorial_points

    def has_short_timer(self, period: int) -> bool:
        """Return True if the timer deck has twelve cards, not all."""
        if not self.variant.first_short:
            return self.tutorial_timer == "twelve"
        return period == 1 or self.period_timer == "twelve"

    def clause(self, tutorial: str, other: str) -> str:
        return tutorial if self.mode == "tutorial" else other


def rulings_of(options: Options) -> Rulings:
    return msgspec.convert(dict(options), Rulings)


class Stage(StrEnum):
    """The stage of a match, which decides what touches and time mean."""

    BOUT = "bout"
    SUDDEN_DEATH = "sudden-death"
    LAST_HANDS = "last-hands"
    OVERTIME = "overtime"


class Phase(msgspec.Struct, frozen=True):
    """The present question, and the sides it is for."""

    def sides(self, state: State) -> tuple[int, ...]:
        return (state.active,)

    def out_of_turn(self, state: State, action: Order, who: Text) -> Violation:
        """Return the violation by the wrong side. who: the side to play."""
        raise NotImplementedError

    def not_asked_violation(self, state: State, action: Order) -> Violation:
        raise NotImplementedError

    def third(self, state: State, side: int) -> Violation | None:
        return None

    def question(self, state: State) -> Text:
        raise NotImplementedError

    def waiting(self, state: State, who: Text) -> Text:
        raise NotImplementedError

    def ending_texts(self, before: State) -> Iterator[Text]:
        """Yield sentences about a phrase that just ended without a point."""
        return iter(())


class State(msgspec.Struct, frozen=True):
    """The referee's knowledge of a match: the table, and of hands only what is certain.

    pool: faces of the mode's deck
    active: side to play
    priority: side that wins a level overtime; None before the toss
    still: consecutive turns without a point or a timer card
    offered: value of `still` that next offers the passivity rule
    emptied: sides in the order in which their last hands ran out
    passivity: still turns that cost a timer card; 0 without the rule
    lead: what followed the touch that put one side ahead, if any"""

    rules: Rulings
    seats: tuple[Seat, ...]
    seed: int
    pool: Pool
    fencers: tuple[Fencer, Fencer]
    piles: Piles
    active: int
    phase: Phase
    passivity: int
    stage: Stage = Stage.BOUT
    period: int = 1
    priority: int | None = None
    still: int = 0
    offered: int = 0
    emptied: tuple[int, ...] = ()
    turn: int = 1
    lead: Phase | None = None


# --- sides and squares


def side_of(state: State, seat: Seat) -> int:
    """Return 0 (green) or 1 (red). Raises ValueError for another seat."""
    return state.seats.index(seat)


def gap(state: State) -> int:
    return abs(state.fencers[1].square - state.fencers[0].square) - 1


def ahead(state: State, side: int) -> int:
    return 1 if state.fencers[side].square < state.fencers[1 - side].square else -1


def home(rules: Rulings, side: int) -> int:
    """Return a side's on-guard square (F13)."""
    inner = rules.start_gap // 2
    return LAST // 2 - inner if side == 0 else LAST // 2 + 1 + inner


def off(square: int) -> bool:
    """Return True if a square is off the strip (F53)."""
    return not 1 <= square <= LAST


def with_fencer(state: State, side: int, fencer: Fencer) -> State:
    green, red = state.fencers
    return replace(state, fencers=(fencer, red) if side == 0 else (green, fencer))


def went(state: State, side: int, steps: int) -> State:
    fencer = state.fencers[side]
    square = max(0, min(LAST + 1, fencer.square + steps * ahead(state, side)))
    return with_fencer(state, side, replace(fencer, square=square))


def on_guard(state: State) -> State:
    for side in (0, 1):
        fencer = replace(state.fencers[side], square=home(state.rules, side), beside=0)
        state = with_fencer(state, side, fencer)
    return state


def only_advanced() -> Violation:
    return Violation(KINDS["feint"].clause, say("Feint is used in the advanced mode only."))


# --- cards as words


class CardWord(Word[State, str]):
    """A card by kind and number; no words mean an unseen card."""

    several = True

    def __init__(self, offered: Callable[[State], Iterable[str]]) -> None:
        self._offered = offered

    def candidates(self, state: State, seat: Seat, before: Values) -> Iterable[str]:
        return self._offered(state)

    def write(self, state: State, value: str, before: Values) -> Words:
        return card_words(state.pool, value)

    def text(self, state: State, value: str, before: Values, number: int) -> Text:
        if value == UNKNOWN:
            return say("Card not seen")
        return number_text(state.pool, value) if number else kind_name(kind_of(state.pool, value))

    def means(self, state: State, value: str, number: int) -> tuple[NamedCard, ...]:
        last = len(card_words(state.pool, value)) - 1
        return (named_card(state.pool, value),) if number == last and value != UNKNOWN else ()

    def under(self, state: State, value: str, number: int) -> Text | None:
        return None if number or value == UNKNOWN else colour_name(kind_of(state.pool, value))


class BonusWord(Word[State, "str | None"]):
    """An optional card beside another; menus of single words never offer it."""

    optional = True
    several = True

    def candidates(self, state: State, seat: Seat, before: Values) -> Iterable[None]:
        return (None,)

    def write(self, state: State, value: str | None, before: Values) -> Words:
        return () if value is None else card_words(state.pool, value)


CARD, BONUS = CardWord(lambda state: any_card(state.pool)), BonusWord()


def read_card(state: State, rest: Words) -> str:
    if rest in ((), (UNKNOWN,)):
        return UNKNOWN
    cards, marks = read_cards(state.pool, rest, frozenset({"parry", "end"}))
    if marks or len(cards) != 1:
        raise Invalid(say("Name one card: {words}", words=" ".join(rest)))
    return cards[0]


# --- the game turn

ACTIONS = 2

COMBINATIONS = "F17"
"""Clause on combining actions in a tutorial turn."""


class Turn(Phase, frozen=True, tag="turn"):
    """The active player's game turn (F10). done: verbs so far. fresh: the last Retreat may include an exchange."""

    done: tuple[str, ...] = ()
    exchanged: bool = False
    fresh: bool = False

    def out_of_turn(self, state: State, action: Order, who: Text) -> Violation:
        return turn_of(who)

    def not_asked_violation(self, state: State, action: Order) -> Violation:
        return action.out_of_turn_violation()

    def question(self, state: State) -> Text:
        if state.still >= state.offered and not state.passivity:
            return say("Nothing is happening: propose the passivity rule?")
        return many("{count} action left.", "{count} actions left.", self._squares_left())

    def waiting(self, state: State, who: Text) -> Text:
        return many("{side}: {count} action left.", "{side}: {count} actions left.", self._squares_left(), side=who)

    def _squares_left(self) -> int:
        return max(0, ACTIONS - len(self.done))


def turn_of(who: Text) -> Violation:
    return Violation("F9", say("It's {seat}'s turn.", seat=who))


def third_action(state: State) -> Violation:
    return Violation(state.rules.clause(COMBINATIONS, "F70"), say("Two game actions a turn: this would be the third."))


def turn_for(state: State, side: int) -> Turn | None:
    """Return the turn that limits this side, an unused one for the opponent; None outside a turn."""
    if not isinstance(state.phase, Turn):
        return None
    return state.phase if side == state.active else Turn()


def no_stall() -> Violation:
    return Violation(COMBINATIONS, say("There is no Stall in the tutorial."))


FOULS = dict.fromkeys((COMBINATIONS, "F70"), "third action")


# --- the base of all actions


class Order(Action[State], frozen=True):
    when: ClassVar[tuple[type[Phase], ...]]

    reveals: ClassVar[bool] = False

    game_action: ClassVar[bool] = False
    """True if it counts as one of a turn's two actions."""

    declared = True

    law: ClassVar[str] = COMBINATIONS
    """Clause of its execution errors."""

    @classmethod
    def is_asked(cls, state: State) -> bool:
        return isinstance(state.phase, cls.when)

    def untimely(self, state: State, seat: Seat) -> Iterator[Violation]:
        phase, side = state.phase, side_of(state, seat)
        sides = phase.sides(state)
        if not sides:
            yield phase.not_asked_violation(state, self)
            return
        if side not in sides:
            yield phase.out_of_turn(state, self, side_name(1 - side))
        if not self.is_asked(state):
            yield phase.not_asked_violation(state, self)
        third = phase.third(state, side) if self.game_action else None
        if third is not None:
            yield third

    def out_of_turn_violation(self) -> Violation:
        """Return the violation of giving this order in a game turn."""
        return Violation("F27", say("There is nothing to answer."))

    def cards(self) -> tuple[str, ...]:
        """Return the cards laid from the hand into the lane, in order."""
        return ()

    def named_cards(self) -> tuple[str, ...]:
        """Return the cards said to come from the hand or timer deck."""
        return self.cards()

    def violations(self, state: State, seat: Seat) -> Iterator[Violation]:
        strange = next((name for name in self.named_cards() if name not in state.pool), None)
        if strange is None:
            yield from self.faults(state, side_of(state, seat))
            return
        kind = kind_of(state.pool, strange)
        yield Violation(OF_MODE, say("Not used in this mode: {card}.", card=kind_name(kind)))
        if kind == "feint":
            yield only_advanced()

    def faults(self, state: State, side: int) -> Iterator[Violation]:
        """Yield violations, given that all cards are of this mode."""
        return surplus(state, side)

    def is_legal(self, state: State, side: int) -> bool:
        return not any(self.violations(state, state.seats[side]))

    def sentence(self, state: State, seat: Seat) -> Text:
        return self.public_text(state, side_name(side_of(state, seat)))

    def public_text(self, state: State, who: Text) -> Text:
        raise NotImplementedError

    def events(self, before: State, after: State, seat: Seat) -> Iterator[Event]:
        texts = [self.sentence(before, seat), *_points(before, after), *_times(before, after)]
        if isinstance(after.phase, Over):
            texts.append(after.phase.winner_text(after))
        reveals = self.reveals or bool(self.cards())
        yield from (Event(text, audience=None, reveals=reveals) for text in texts)

    def deed(self, state: State, side: int) -> Text | None:
        """Return the visible deed as a sentence, legal or not; None if invisible."""
        return None

    def physical(self, state: State, side: int) -> State:
        """Return a state whose table is as a hand leaves it after this order, legal or not."""
        return state

    def is_seen(self, state: State, side: int) -> bool:
        """Return True if a camera can detect this order; else players enter it at the buttons."""
        return not self.declared

    def hands(self, seat: Seat) -> frozenset[Seat]:
        return frozenset({seat})

    def trace(self, state: State, seat: Seat) -> Trace:
        declared = not self.is_seen(state, side_of(state, seat))
        return difference(state, self.after(state, seat), self.hands(seat), declared)

    def may_be_seen(self, state: State, seat: Seat, glance: Prefilter) -> bool:
        side = side_of(state, seat)
        return self.is_seen(state, side) and self.is_hinted(state, side, glance)

    def is_hinted(self, state: State, side: int, glance: Prefilter) -> bool:
        """Return True if by the prefilter this side may have done this."""
        return True

    def instead(self, state: State, side: int) -> Iterator[tuple[str, Order]]:
        """Yield orders that a hand may do by mistake, with names for statistics."""
        return iter(())

    def execution_errors(self, state: State, seat: Seat) -> Iterator[Attempt]:
        """Yield errors: another card, square or position, or an unmoved stamina marker."""
        side, due = side_of(state, seat), self.trace(state, seat)
        text = say("The move was: {words}", words=" ".join(self.notation(state)))
        for kind, what, table in self._other_ways(state, side):
            seen = difference(state, table, due.hands)
            if not seen.unseen and (seen.layout, seen.moves) != (due.layout, due.moves):
                yield Attempt(kind, seat, seen, (Violation(self.law, text),), what=what)

    def _other_ways(self, state: State, side: int) -> Iterator[tuple[str, Text | None, State]]:
        for kind, other in self.instead(state, side):
            yield kind, other.deed(state, side), other.physical(state, side)
        right, stamina = self.after(state, state.seats[side]), state.fencers[side].stamina
        if right.fencers[side].stamina != stamina:
            left = replace(right.fencers[side], stamina=stamina)
            yield "stamina marker left", marker_left(side), with_fencer(right, side, left)


class OfCard(Order, frozen=True):
    card: Annotated[str, CARD]

    reveals = True

    def named_cards(self) -> tuple[str, ...]:
        return (self.card,) if self.card != UNKNOWN else ()


def surplus(state: State, side: int) -> Iterator[Violation]:
    """Yield a violation if the turn's actions are used up (F17, F70)."""
    phase = state.phase
    if isinstance(phase, Turn) and side == state.active and len(phase.done) >= ACTIONS:
        yield third_action(state)


# --- reports of score and time

WARNINGS = (3, 1)
"""Numbers of timer cards with a warning."""


def _points(before: State, after: State) -> Iterator[Text]:
    scored = [side for side in (0, 1) if after.fencers[side].score != before.fencers[side].score]
    for side in scored:
        points = after.fencers[side].score
        yield say("Touch for {side}. Points: {points}.", side=side_name(side), points=points)
    if not scored:
        yield from after.phase.ending_texts(before)


def _times(before: State, after: State) -> Iterator[Text]:
    if after.priority is not None and before.priority is None:
        yield say("Overtime: {side} has priority.", side=side_name(after.priority))
    elif after.period != before.period:
        yield say("Period {period} begins.", period=after.period)
    if after.stage is Stage.SUDDEN_DEATH and before.stage is not Stage.SUDDEN_DEATH:
        yield say("Sudden death: the next touch wins.")
    if after.stage is Stage.LAST_HANDS and before.stage is not Stage.LAST_HANDS:
        yield say("Time is over and the score level: fence on with the cards in hand.")
    if after.piles.timer < before.piles.timer and after.piles.timer in WARNINGS:
        yield time_text(after.piles.timer)


def time_text(timer: int) -> Text:
    if timer == 1:
        return say("Last timer card!")
    return many("{count} timer cards left.", "{count} timer cards left.", timer)


# --- the end


class Finish(StrEnum):
    """The reason for the end (F57)."""

    POINTS = "points"
    TIME = "time"
    TOUCH = "touch"
    PRIORITY = "priority"
    NO_CARDS = "no-cards"
    PASSIVE = "passive"
    RESIGNED = "resigned"


class Over(Phase, frozen=True, tag="over"):
    """The match is over (F57). otherwise: what follows if a touch did not win it after all."""

    winner: int
    finish: Finish
    otherwise: Phase | None = None

    def sides(self, state: State) -> tuple[int, ...]:
        return ()

    def not_asked_violation(self, state: State, action: Order) -> Violation:
        return Violation("F57", say("The match is over."))

    def waiting(self, state: State, who: Text) -> Text:
        return self.winner_text(state)

    def winner_text(self, state: State) -> Text:
        side, other = side_name(self.winner), side_name(1 - self.winner)
        points, fewer = state.fencers[self.winner].score, state.fencers[1 - self.winner].score
        return {
            Finish.POINTS: say("{side} wins with {points} points.", side=side, points=points),
            Finish.TIME: say("{side} wins on time, {points} to {fewer}.", side=side, points=points, fewer=fewer),
            Finish.TOUCH: say("{side} wins by the deciding touch.", side=side),
            Finish.PRIORITY: say("{side} wins by priority.", side=side),
            Finish.NO_CARDS: say("{side} wins: {other} ran out of cards first.", side=side, other=other),
            Finish.PASSIVE: say("{side} wins: the bout stood still.", side=side),
            Finish.RESIGNED: say("{side} wins: {other} gave up.", side=side, other=other),
        }[self.finish]
