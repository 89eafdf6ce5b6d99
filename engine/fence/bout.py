"""A bout: its rulings, its state, whose turn it is, what all actions have in common, and how it ends."""

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
    number_text,
    read_cards,
    side_name,
)
from engine.fence.table import LAST, Fencer, Piles, difference, marker_left
from engine.game import Attempt, Options, Prefilter, Words
from engine.rules import Action, Values, Word
from engine.table import Seat, Trace
from engine.text import Text, many, say
from engine.view import Event, Outcome

HAND = 6
"""Cards in a full hand (F10)."""

OFFER = 10
"""Still turns after which the passivity rule is offered."""


class GameMode(msgspec.Struct, frozen=True, kw_only=True):
    """What differs between the modes of the game; all else holds in each of them, and each rule says its clause.

    goal: points that win an elimination bout (F15); 0: as the option says. periods: of such a bout (F63, F121).
    first_short: the first period has a timer deck of twelve cards. tiring: a period begins with a point of stamina less
    than the one before. stamina: cards cost points, touches give some back, and so does Stall. overtime: it follows a
    level score; otherwise the cards in hand are fenced to the end. exchange: it is an action; otherwise a card is given
    up after the turn. refill: what was played is discarded, and hands are filled up; otherwise this holds for Jokers
    alone. one_distance: every phrase is opened at one. parry: without a card. outrun: some attacks are too fast for
    Distance. retreat, feint: they are there. yellow: the cards of that colour are mandatory. angulations: the deck has
    them.
    """

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
"""The modes of the game, by name."""


class Rulings(msgspec.Struct, frozen=True):
    """One field an option (config/games/fence.toml), under its name; see there for what the values mean."""

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
        """Return the mode of the match, which overrides rules."""
        return MODES[self.mode]

    @property
    def periods(self) -> int:
        """One in a pool bout (F63)."""
        return 1 if self.bout == "pool" else self.variant.periods

    @property
    def goal(self) -> int:
        """Points that win, by the format of the bout (F15)."""
        return 5 if self.bout == "pool" else self.variant.goal or self.tutorial_points

    def has_short_timer(self, period: int) -> bool:
        """Return True if the timer deck of a period holds twelve cards, not all that are left."""
        if not self.variant.first_short:
            return self.tutorial_timer == "twelve"
        return period == 1 or self.period_timer == "twelve"

    def clause(self, tutorial: str, other: str) -> str:
        """The clause that holds in this mode, where the tutorial has one of its own."""
        return tutorial if self.mode == "tutorial" else other


def rulings_of(options: Options) -> Rulings:
    """The options of a match, which are complete and checked."""
    return msgspec.convert(dict(options), Rulings)


class Stage(StrEnum):
    """What a touch and the end of time mean."""

    BOUT = "bout"
    SUDDEN_DEATH = "sudden-death"
    LAST_HANDS = "last-hands"
    OVERTIME = "overtime"


class Phase(msgspec.Struct, frozen=True):
    """What is asked now, and of whom: each room that asks something has a phase of its own."""

    def sides(self, state: State) -> tuple[int, ...]:
        """The sides that may act now."""
        return (state.active,)

    def out_of_turn(self, state: State, action: Order, who: Text) -> Violation:
        """The clause that says whose turn it is to do what is asked now; who: that side, as people call it."""
        raise NotImplementedError

    def not_asked_violation(self, state: State, action: Order) -> Violation:
        """The clause that says what is asked instead of the action."""
        raise NotImplementedError

    def third(self, state: State, side: int) -> Violation | None:
        """The clause that a further game action of this side breaks besides, though another phase is due."""
        return None

    def question(self, state: State) -> Text:
        """Return the question to those who may act."""
        raise NotImplementedError

    def waiting(self, state: State, who: Text) -> Text:
        """Return the line that the others read while they wait."""
        raise NotImplementedError

    def ending_texts(self, before: State) -> Iterator[Text]:
        """Yield the sentences about a phrase that ended with this phase and without a point."""
        return iter(())


class State(msgspec.Struct, frozen=True):
    """A match: all that a referee can know, who sees what lies on the table but no hand.

    pool: the faces of the mode's deck by name. seed: for the coin tosses. active: the side whose game turn it is.
    priority: the side that has it in overtime. still: game turns in a row in which nothing happened. offered: `still`
    at which the passivity rule is next offered. emptied: sides in the order in which their hands ran out. passivity:
    the number of still turns that costs a timer card, 0 for no such rule.
    """

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


# --- sides and squares


def side_of(state: State, seat: Seat) -> int:
    """0 for green, 1 for red. Raises ValueError for a seat that does not play."""
    return state.seats.index(seat)


def gap(state: State) -> int:
    """Empty squares between the fencers."""
    return abs(state.fencers[1].square - state.fencers[0].square) - 1


def ahead(state: State, side: int) -> int:
    """The direction in which a side goes forward: towards the other, also after a Fleche ran past."""
    return 1 if state.fencers[side].square < state.fencers[1 - side].square else -1


def home(rules: Rulings, side: int) -> int:
    """The on-guard square (F13)."""
    inner = rules.start_gap // 2
    return LAST // 2 - inner if side == 0 else LAST // 2 + 1 + inner


def off(square: int) -> bool:
    """Out of bounds (F53)."""
    return not 1 <= square <= LAST


def with_fencer(state: State, side: int, fencer: Fencer) -> State:
    """The state with another fencer on a side."""
    green, red = state.fencers
    return replace(state, fencers=(fencer, red) if side == 0 else (green, fencer))


def went(state: State, side: int, steps: int) -> State:
    """The figure so many squares forward, in a zone beyond the strip at the farthest."""
    fencer = state.fencers[side]
    square = max(0, min(LAST + 1, fencer.square + steps * ahead(state, side)))
    return with_fencer(state, side, replace(fencer, square=square))


def on_guard(state: State) -> State:
    """Both figures on their on-guard squares (F13)."""
    for side in (0, 1):
        fencer = replace(state.fencers[side], square=home(state.rules, side), beside=0)
        state = with_fencer(state, side, fencer)
    return state


def only_advanced() -> Violation:
    return Violation(KINDS["feint"].clause, say("Feint is used in the advanced mode only."))


# --- cards as the words of an action


class CardWord(Word[State, str]):
    """A card by its kind and number; without words it was not seen."""

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

    def under(self, state: State, value: str, number: int) -> Text | None:
        return None if number or value == UNKNOWN else colour_name(kind_of(state.pool, value))


class BonusWord(Word[State, "str | None"]):
    """A card that may go with another: none, as far as a menu of single words is concerned (see `Play.candidates`)."""

    optional = True
    several = True

    def candidates(self, state: State, seat: Seat, before: Values) -> Iterable[None]:
        return (None,)

    def write(self, state: State, value: str | None, before: Values) -> Words:
        return () if value is None else card_words(state.pool, value)


CARD, BONUS = CardWord(lambda state: any_card(state.pool)), BonusWord()


def read_card(state: State, rest: Words) -> str:
    """The one card of a verb; without one the card was not seen."""
    if rest in ((), (UNKNOWN,)):
        return UNKNOWN
    cards, marks = read_cards(state.pool, rest, frozenset({"parry", "end"}))
    if marks or len(cards) != 1:
        raise Invalid(say("Name one card: {words}", words=" ".join(rest)))
    return cards[0]


# --- the game turn

ACTIONS = 2
"""Game actions of a turn."""

COMBINATIONS = "F17"
"""What a turn of the tutorial may hold."""


class Turn(Phase, frozen=True, tag="turn"):
    """The active player's game turn (F10): the actions done so far, by verb.

    exchanged: a card was exchanged in this turn. fresh: a Retreat was just made, so an exchange is part of it.
    """

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
    """Players take game turns alternately."""
    return Violation("F9", say("It's {seat}'s turn.", seat=who))


def third_action(state: State) -> Violation:
    """Both game actions of the turn are used."""
    return Violation(state.rules.clause(COMBINATIONS, "F70"), say("Two game actions a turn: this would be the third."))


def turn_for(state: State, side: int) -> Turn | None:
    """The game turn as far as it binds this side: what the other has done in it is no bar. None outside of a turn."""
    if not isinstance(state.phase, Turn):
        return None
    return state.phase if side == state.active else Turn()


def no_stall() -> Violation:
    return Violation(COMBINATIONS, say("There is no Stall in the tutorial."))


FOULS = dict.fromkeys((COMBINATIONS, "F70"), "third action")
"""Names of fouls for statistics, by the clause that was broken; so in other rooms."""


# --- what all actions have in common


class Order(Action[State], frozen=True):
    """An action or an answer of Ready... Fence!."""

    when: ClassVar[tuple[type[Phase], ...]]
    """The phases that ask for it."""

    reveals: ClassVar[bool] = False
    """Whether somebody learns what a card is."""

    game_action: ClassVar[bool] = False
    """Whether it is one of the two of a turn, so that nobody takes it for an answer."""

    declared = True

    law: ClassVar[str] = COMBINATIONS
    """The clause of an order that was carried out otherwise."""

    @classmethod
    def is_asked(cls, state: State) -> bool:
        """Return True if the phase asks for it."""
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
        """The clause that it breaks where the turn is for other actions: mostly there is nothing to answer."""
        return Violation("F27", say("There is nothing to answer."))

    def cards(self) -> tuple[str, ...]:
        """The cards that come from the hand onto the lane, in the order in which they are laid."""
        return ()

    def named_cards(self) -> tuple[str, ...]:
        """The cards that are said to come from the hand or from the timer deck."""
        return self.cards()

    def violations(self, state: State, seat: Seat) -> Iterator[Violation]:
        """Yield what speaks against it. Of a card of another mode nothing further is judged."""
        strange = next((name for name in self.named_cards() if name not in state.pool), None)
        if strange is None:
            yield from self.faults(state, side_of(state, seat))
            return
        kind = kind_of(state.pool, strange)
        yield Violation(OF_MODE, say("Not used in this mode: {card}.", card=kind_name(kind)))
        if kind == "feint":
            yield only_advanced()

    def faults(self, state: State, side: int) -> Iterator[Violation]:
        """Every clause that it breaks, if its cards are of this mode."""
        return surplus(state, side)

    def is_legal(self, state: State, side: int) -> bool:
        """Return True if the phase asks this side for it, and nothing speaks against it."""
        return not any(self.violations(state, state.seats[side]))

    def sentence(self, state: State, seat: Seat) -> Text:
        return self.public_text(state, side_name(side_of(state, seat)))

    def public_text(self, state: State, who: Text) -> Text:
        """Return the sentence about what was done; who: the side, as people call it."""
        raise NotImplementedError

    def events(self, before: State, after: State, seat: Seat) -> Iterator[Event]:
        """Yield what was done, what it scored and how the time stands: all for everybody, as all see the cards."""
        texts = [self.sentence(before, seat), *_points(before, after), *_times(before, after)]
        if isinstance(after.phase, Over):
            texts.append(after.phase.winner_text(after))
        reveals = self.reveals or bool(self.cards())
        yield from (Event(text, audience=None, reveals=reveals) for text in texts)

    def deed(self, state: State, side: int) -> Text | None:
        """Return what a hand did, right or wrong, as it looks on the table; None if nothing on the table shows it."""
        return None

    def physical(self, state: State, side: int) -> State:
        """The table after a hand did it, legal or not, and nothing else followed from it."""
        return state

    def is_seen(self, state: State, side: int) -> bool:
        """Return True if it changes the table visibly, so that a camera can tell it; the rest is ordered at the
        buttons."""
        return not self.declared

    def hands(self, seat: Seat) -> frozenset[Seat]:
        """Return the seats whose hand may do it; empty if anybody's may."""
        return frozenset({seat})

    def trace(self, state: State, seat: Seat) -> Trace:
        declared = not self.is_seen(state, side_of(state, seat))
        return difference(state, self.after(state, seat), self.hands(seat), declared)

    def may_be_seen(self, state: State, seat: Seat, glance: Prefilter) -> bool:
        side = side_of(state, seat)
        return self.is_seen(state, side) and self.is_hinted(state, side, glance)

    def is_hinted(self, state: State, side: int, glance: Prefilter) -> bool:
        """Return True if a glance leaves it possible that this side did it, legal or not."""
        return True

    def instead(self, state: State, side: int) -> Iterator[tuple[str, Order]]:
        """Yield what a hand may do in place of it, each with a name for statistics."""
        return iter(())

    def execution_errors(self, state: State, seat: Seat) -> Iterator[Attempt]:
        """Yield it done with another card, square or position, or with the stamina marker left where it was."""
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
    """An order about one card, which everybody learns; UNKNOWN if nobody saw it."""

    card: Annotated[str, CARD]

    reveals = True

    def named_cards(self) -> tuple[str, ...]:
        return (self.card,) if self.card != UNKNOWN else ()


def surplus(state: State, side: int) -> Iterator[Violation]:
    """The limit of a turn, if it is used up (F17, F70)."""
    phase = state.phase
    if isinstance(phase, Turn) and side == state.active and len(phase.done) >= ACTIONS:
        yield third_action(state)


# --- what is told of the score and of the time

WARNINGS = (3, 1)
"""Timer cards at which everybody is warned."""


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
    """A warning that the time runs out."""
    if timer == 1:
        return say("Last timer card!")
    return many("{count} timer cards left.", "{count} timer cards left.", timer)


# --- the end


class Finish(StrEnum):
    """Why a match ended (F57)."""

    POINTS = "points"
    TIME = "time"
    TOUCH = "touch"
    PRIORITY = "priority"
    NO_CARDS = "no-cards"
    PASSIVE = "passive"
    RESIGNED = "resigned"


class Over(Phase, frozen=True, tag="over"):
    """The match has ended (F57)."""

    winner: int
    finish: Finish

    def sides(self, state: State) -> tuple[int, ...]:
        return ()

    def not_asked_violation(self, state: State, action: Order) -> Violation:
        return Violation("F57", say("The match is over."))

    def waiting(self, state: State, who: Text) -> Text:
        return self.winner_text(state)

    def winner_text(self, state: State) -> Text:
        """Return who won, and why."""
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


def outcome(state: State) -> Outcome | None:
    """Return who won, and why, with the points of both; None while it goes on."""
    phase = state.phase
    if not isinstance(phase, Over):
        return None
    points = tuple(fencer.score for fencer in state.fencers)
    return Outcome(frozenset({state.seats[phase.winner]}), phase.winner_text(state), points)
