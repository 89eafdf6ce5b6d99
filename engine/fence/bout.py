"""A bout: its rulings, its fencers, whose turn it is, and how it ends."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from engine.errors import Breach
from engine.fence.cards import KINDS, Pool, Weapon, side_name
from engine.game import Options
from engine.table import Seat
from engine.text import Text, say

if TYPE_CHECKING:
    from engine.fence.orders import Order

LAST = 10
"""Squares of the strip, numbered from green's end; 0 and 11 are the zones beyond (F2)."""

TRACK = 6
"""Squares of the stamina track."""

HAND = 6
"""Cards in a full hand (F10)."""

OFFER = 10
"""Still turns after which the passivity rule is offered."""

Pair = tuple[int, int]
"""A number for green and one for red."""


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
    def tutorial(self) -> bool:
        return self.mode == "tutorial"

    @property
    def basic(self) -> bool:
        return self.mode == "basic"

    @property
    def advanced(self) -> bool:
        return self.mode == "advanced"

    @property
    def periods(self) -> int:
        """F63, F121; the tutorial has one timer deck."""
        if self.bout == "pool" or self.tutorial:
            return 1
        return 3 if self.advanced else 2

    @property
    def goal(self) -> int:
        """Points that win, by the format of the bout (F15)."""
        if self.bout == "pool":
            return 5
        return self.tutorial_points if self.tutorial else 15 if self.advanced else 10

    def clause(self, tutorial: str, other: str) -> str:
        """The clause that holds in this mode, where the tutorial has one of its own."""
        return tutorial if self.tutorial else other


def rulings_of(options: Options) -> Rulings:
    """The options of a match, which are complete and checked."""
    return msgspec.convert(dict(options), Rulings)


class Fencer(msgspec.Struct, frozen=True):
    """One side: 0 is green, sits at the first seat and stands at the low squares; 1 is red. How it starts: F12.

    beside: where the figure stands off the strip in a Fleche, 0 otherwise. hand: cards in it. known: faces that are
    certainly among them, sorted. lane: cards laid in this phrase. stalled: the last own game turn was a Stall.
    """

    square: int
    weapon: Weapon = Weapon.LINE
    stamina: int = TRACK
    score: int = 0
    hand: int = 0
    known: tuple[str, ...] = ()
    lane: tuple[str, ...] = ()
    beside: int = 0
    stalled: bool = False


class Piles(msgspec.Struct, frozen=True):
    """Cards outside hands and lanes: how many in the timer deck and set aside, and the discards, oldest first ("?")."""

    timer: int
    aside: int
    discards: tuple[str, ...] = ()


class Stage(StrEnum):
    """What a touch and the end of time mean."""

    BOUT = "bout"
    LAST_HANDS = "last-hands"
    OVERTIME = "overtime"


class Phase(msgspec.Struct, frozen=True):
    """What is asked now, and of whom: each room that asks something has a phase of its own."""

    def sides(self, state: State) -> tuple[int, ...]:
        """The sides that may act now."""
        return (state.active,)

    def out_of_turn(self, state: State, action: Order, who: Text) -> Breach:
        """The clause that says whose turn it is to do what is asked now; who: that side, as people call it."""
        raise NotImplementedError

    def unasked(self, state: State, action: Order) -> Breach:
        """The clause that says what is asked instead of the action."""
        raise NotImplementedError

    def third(self, state: State, side: int) -> Breach | None:
        """The clause that a further game action of this side breaks besides, though another phase is due."""
        return None

    def question(self, state: State) -> Text:
        """What those who may act are asked."""
        raise NotImplementedError

    def waiting(self, state: State, who: Text) -> Text:
        """What the others read meanwhile."""
        raise NotImplementedError

    def untouched(self, before: State) -> Iterator[Text]:
        """What is told of a phrase that ended with this phase and without a point."""
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
    return state.fencers[1].square - state.fencers[0].square - 1


def ahead(side: int) -> int:
    """The direction in which a side goes forward."""
    return 1 if side == 0 else -1


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
    square = max(0, min(LAST + 1, fencer.square + steps * ahead(side)))
    return with_fencer(state, side, replace(fencer, square=square))


def on_guard(state: State) -> State:
    """Both figures on their on-guard squares."""
    for side in (0, 1):
        fencer = replace(state.fencers[side], square=home(state.rules, side), beside=0)
        state = with_fencer(state, side, fencer)
    return state


def only_advanced() -> Breach:
    return Breach(KINDS["feint"].clause, say("Feint is used in the advanced mode only."))


# --- the game turn

ACTIONS = 2
"""Game actions of a turn."""

COMBINATIONS = "F17"
"""What a turn of the tutorial may hold."""


class Turn(Phase, frozen=True, tag="turn"):
    """The active player's game turn: the actions done so far, by verb.

    exchanged: a card was exchanged in this turn. fresh: a Retreat was just made, so an exchange is part of it.
    """

    done: tuple[str, ...] = ()
    exchanged: bool = False
    fresh: bool = False

    def out_of_turn(self, state: State, action: Order, who: Text) -> Breach:
        return turn_of(who)

    def unasked(self, state: State, action: Order) -> Breach:
        return action.uncalled()

    def question(self, state: State) -> Text:
        if state.still >= state.offered and not state.passivity:
            return say("The bout stands still: propose the passivity rule?")
        return say("Your turn. Game actions left: {count}.", count=max(0, ACTIONS - len(self.done)))

    def waiting(self, state: State, who: Text) -> Text:
        return say("{side} has the turn.", side=who)


def turn_of(who: Text) -> Breach:
    """Players take game turns alternately."""
    return Breach("F9", say("It is the turn of {seat}.", seat=who))


def third_action(state: State) -> Breach:
    """Both game actions of the turn are used."""
    return Breach(state.rules.clause(COMBINATIONS, "F70"), say("Two game actions a turn: this would be the third."))


def turn_for(state: State, side: int) -> Turn | None:
    """The game turn as far as it binds this side: what the other has done in it is no bar. None outside of a turn."""
    if not isinstance(state.phase, Turn):
        return None
    return state.phase if side == state.active else Turn()


def no_stall() -> Breach:
    return Breach(COMBINATIONS, say("There is no Stall in the tutorial."))


FOULS = dict.fromkeys((COMBINATIONS, "F70"), "third action")
"""Names of fouls for statistics, by the clause that was broken; so in other rooms."""


# --- the end


class Finish(StrEnum):
    """Why a match ended."""

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

    def unasked(self, state: State, action: Order) -> Breach:
        return Breach("F57", say("The match is over."))

    def waiting(self, state: State, who: Text) -> Text:
        return self.won(state)

    def won(self, state: State) -> Text:
        """Who won, and why."""
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
