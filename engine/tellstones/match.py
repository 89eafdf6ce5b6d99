"""The state of a match: seats, sides, turns, executing hands, points and the end.

T1, T3, T9-T13, T33, T56."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Any, ClassVar

import msgspec
from msgspec.structs import replace

from engine.errors import Violation
from engine.game import Attempt
from engine.rules import Action
from engine.table import Seat
from engine.tellstones.line import At, Mats, hidden_spots, place_word
from engine.text import Text, in_row, say, who
from engine.view import Event

GOAL = 3
"""Points that win (T3)."""


class Rulings(msgspec.Struct, frozen=True):
    """The match's options (config/games/tellstones.toml)."""

    peek_three: str = "two-turns"
    boast_minimum: int = 1
    fixed_spots: bool = False
    declared: bool = False
    own_line: bool = False


class Phase(msgspec.Struct, frozen=True):
    """The present question, and the seats it is for."""

    def actors(self, state: State) -> frozenset[Seat]:
        raise NotImplementedError

    def out_of_turn(self, state: State, who: Text) -> Violation:
        """Return the violation by another seat. who: the actors' names."""
        raise NotImplementedError

    def not_asked_violation(self, state: State, action: Order) -> Violation:
        raise NotImplementedError

    def question(self, state: State) -> Text:
        raise NotImplementedError

    def waiting(self, state: State, who: Text) -> Text:
        raise NotImplementedError

    def marked_spots(self) -> tuple[At, ...]:
        return ()

    def still_down(self, state: State, at: At) -> Violation:
        return stays_down(state, at)


class Order(Action["State"], frozen=True):
    when: ClassVar[tuple[type[Phase], ...]]

    reveals: ClassVar[bool] = False
    """True if somebody learns a stone."""

    def untimely(self, state: State, seat: Seat) -> Iterator[Violation]:
        phase = state.phase
        actors = phase.actors(state)
        if seat not in actors:
            yield phase.out_of_turn(state, in_row(map(who, sorted(actors)), " / "))
        if not isinstance(phase, self.when):
            yield phase.not_asked_violation(state, self)

    def out_of_turn_violation(self) -> Violation:
        """Return the violation of this order while another action is due."""
        return one_action(say("One action a turn: the turn is for looking at stones now."))

    def task(self, state: State, seat: Seat, turned_round: bool = False) -> Text:
        """Return the sentence for one seat. turned_round: for the player opposite, who sees left and right swapped."""
        return self.sentence(state, seat)

    def events(self, before: State, after: State, seat: Seat) -> Iterator[Event]:
        """Yield public task and result, by place only."""
        texts = [self.sentence(before, seat), *self.stone_texts(before), *_score_texts(before, after)]
        return iter([Event(text, audience=None, reveals=self.reveals) for text in texts])

    def stone_texts(self, before: State) -> tuple[Text, ...]:
        return ()


class Done(msgspec.Struct, frozen=True):
    seat: Seat
    action: Order


class State(msgspec.Struct, frozen=True):
    """A match. Seats are clockwise; sides are the even and odd ones (T55).

    score: by side
    turn: from 1
    scored: last scoring turn by side; 0 is never"""

    rules: Rulings
    seats: tuple[Seat, ...]
    mats: Mats
    score: tuple[int, int]
    turn: int
    active: Seat
    scored: tuple[int, int]
    phase: Phase
    last: Done | None = None


# --- seats and sides


def side_of(state: State, seat: Seat) -> int:
    """Return 0 or 1; partners sit opposite (T55). Raises ValueError for another seat."""
    return state.seats.index(seat) % 2


def left_of(state: State, seat: Seat) -> Seat:
    """Return the next seat clockwise, an opponent (T55)."""
    return state.seats[(state.seats.index(seat) + 1) % len(state.seats)]


def partner_of(state: State, seat: Seat) -> Seat:
    """Return the seat opposite (T55); in a duel the seat itself."""
    return state.seats[(state.seats.index(seat) + 2) % len(state.seats)]


def answerer(state: State) -> frozenset[Seat]:
    """Return the opponent on the active player's left, who answers (T60)."""
    return frozenset({left_of(state, state.active)})


ONE_LINE = "T67"


def lines(state: State, seat: Seat) -> tuple[int, ...]:
    return (side_of(state, seat),) if state.rules.own_line else tuple(range(len(state.mats)))


def hidden_for(state: State, seat: Seat) -> tuple[At, ...]:
    own = lines(state, seat)
    return tuple(at for at in hidden_spots(state.mats) if at.mat in own)


def elsewhere(state: State, seat: Seat, number: int) -> Iterator[Violation]:
    """Yield the violation of playing on another's Line."""
    if number not in lines(state, seat):
        yield Violation(ONE_LINE, say("Each player plays on one Line: the other one is the rival's."))


OTHER_LINE = say("The rival's Line was played on.")


def answers(state: State, duel: str) -> str:
    """Return the clause on the answering seat: T60 in teams, else `duel`."""
    return "T60" if is_team(state) else duel


def culprit(state: State) -> Seat:
    """Return the seat to blame for unknown hands: the first that may act. Raises ValueError after the end."""
    return min(state.phase.actors(state))


def is_team(state: State) -> bool:
    return len(state.seats) > 2


def team(state: State, side: int) -> tuple[Seat, ...]:
    return state.seats[side::2]


def side_name(state: State, side: int) -> Text:
    return in_row(map(who, team(state, side)), "+")


def opposite(state: State, seat: Seat | None) -> bool:
    return seat is not None and seat == state.seats[len(state.seats) // 2]


# --- turns


class Ordering(Phase, frozen=True, tag="order"):
    """The active player orders an action (T9)."""

    def actors(self, state: State) -> frozenset[Seat]:
        return frozenset({state.active})

    def out_of_turn(self, state: State, who: Text) -> Violation:
        return turn_of(state, who)

    def not_asked_violation(self, state: State, action: Order) -> Violation:
        return action.out_of_turn_violation()

    def question(self, state: State) -> Text:
        return say("Choose a move.")

    def waiting(self, state: State, who: Text) -> Text:
        return say("{seat} is choosing a move.", seat=who)


ORDERING = Ordering()


def turn_of(state: State, who: Text) -> Violation:
    return Violation("T55" if is_team(state) else "T9", say("It's {seat}'s turn.", seat=who))


def one_action(text: Text) -> Violation:
    return Violation("T9", text)


def no_passing() -> Violation:
    return Violation("T11", say("You can't pass: choose one of the six actions."))


def stays_down(state: State, at: At) -> Violation:
    return Violation("T23", say("Stone {place} must stay face down.", place=place_word(state.mats, at)))


def next_turn(state: State, **changed: Any) -> State:
    """Let the next seat order, with these changes (T51)."""
    return replace(state, phase=ORDERING, active=left_of(state, state.active), turn=state.turn + 1, **changed)


# --- points and the end


class EndReason(StrEnum):
    """The reason for the end (T9, T40, T46, T47)."""

    POINTS = "points"
    PROOF = "proof"
    MISTAKE = "mistake"
    RESIGNED = "resigned"


class Over(Phase, frozen=True, tag="over"):
    winner: int
    end: EndReason

    def actors(self, state: State) -> frozenset[Seat]:
        return frozenset()

    def out_of_turn(self, state: State, who: Text) -> Violation:
        return Violation(_ENDED[self.end], say("The match is over."))

    def not_asked_violation(self, state: State, action: Order) -> Violation:
        return Violation(_ENDED[self.end], say("The match is over."))

    def waiting(self, state: State, who: Text) -> Text:
        return winner_text(state, self)


_ENDED = {EndReason.POINTS: "T40", EndReason.PROOF: "T46", EndReason.MISTAKE: "T47", EndReason.RESIGNED: "T9"}


def end_proof(side: int, right: bool) -> Over:
    """End a proof: a right one wins (T46), a mistake loses and leaves the rest down (T47)."""
    return Over(side, EndReason.PROOF) if right else Over(1 - side, EndReason.MISTAKE)


def point(state: State, side: int) -> State:
    """Give a side a point; three win at once (T40, T62), else the turn passes (T51)."""
    score = (state.score[0] + (side == 0), state.score[1] + (side == 1))
    scored = (state.turn, state.scored[1]) if side == 0 else (state.scored[0], state.turn)
    after = replace(state, score=score, scored=scored)
    return replace(after, phase=Over(side, EndReason.POINTS)) if score[side] >= GOAL else next_turn(after)


def _score_texts(before: State, after: State) -> list[Text]:
    told: list[Text] = []
    if after.score != before.score:
        for side, points in enumerate(after.score):
            if points != before.score[side]:
                told.append(say("{side} scores. Points: {points}.", side=side_name(after, side), points=points))
    if isinstance(after.phase, Over):
        told.append(winner_text(after, after.phase))
    return told


def winner_text(state: State, phase: Over) -> Text:
    side, other = side_name(state, phase.winner), side_name(state, 1 - phase.winner)
    match phase.end:
        case EndReason.PROOF:
            return say("{side} wins: every face-down stone was named.", side=side)
        case EndReason.MISTAKE:
            return say("{side} wins: {other} named a stone wrongly.", side=side, other=other)
        case EndReason.RESIGNED:
            return say("{side} wins: {other} gave up.", side=side, other=other)
        case _:
            return say("{side} wins with three points.", side=side)


# --- hands: the rival's carries out the active player's orders


WRONG_HAND = say("The wrong hand moved a stone.")


def executor(state: State, seat: Seat) -> frozenset[Seat]:
    """Return the hand that carries out `seat`'s orders (T12)."""
    return frozenset({left_of(state, seat)})


def _hand_clause(state: State) -> str:
    return "T56" if is_team(state) else "T12"


def not_that_hand(state: State) -> Violation:
    hand = who(left_of(state, state.active))
    text = say("{seat} moves the stones for {other}.", seat=hand, other=who(state.active))
    return Violation(_hand_clause(state), text)


def other_hand(state: State, seat: Seat, ordered: Order, clause: str = "") -> Iterator[Attempt]:
    """Yield the ordered act by a wrong hand, against `clause`, else T12 or T56."""
    due = ordered.trace(state, seat)
    hands = in_row(map(who, sorted(due.hands)), " / ")
    breach = Violation(clause or _hand_clause(state), say("{seat} moves the stones.", seat=hands))
    seen = replace(due, hands=frozenset(state.seats) - due.hands, declared=False)
    yield Attempt("wrong hand", seat, seen, (breach,), what=WRONG_HAND)


def other_stones(
    state: State, seat: Seat, ordered: Order, others: Iterable[Order], kind: str, clause: str, what: Text
) -> Iterator[Attempt]:
    breach = Violation(clause, say("The move was: {order}", order=ordered.task(state, seat)))
    for action in others:
        if action != ordered:
            seen = replace(action.trace(state, seat), declared=False)
            yield Attempt(kind, seat, seen, (breach,), action.notation(state), what)


def nobody_ordered(told: Text) -> Violation:
    return Violation("T12", told)
