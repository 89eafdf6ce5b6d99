"""A match: seats and sides, whose turn it is and whose hand does it, points, and how it ends.

T1, T3, T9-T13, T33, T56.
"""

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
    """What the options of the match decide (config/games/tellstones.toml)."""

    peek_three: str = "two-turns"
    boast_minimum: int = 1
    fixed_spots: bool = False
    declared: bool = False
    own_line: bool = False


class Phase(msgspec.Struct, frozen=True):
    """What is asked now, and of whom: each room that asks something has a phase of its own."""

    def actors(self, state: State) -> frozenset[Seat]:
        """Return the seats that may act now."""
        raise NotImplementedError

    def out_of_turn(self, state: State, who: Text) -> Violation:
        """The clause that says whose turn it is to do what is asked now; who: the actors, as people read them."""
        raise NotImplementedError

    def not_asked_violation(self, state: State, action: Order) -> Violation:
        """The clause that says what is asked instead of the action."""
        raise NotImplementedError

    def question(self, state: State) -> Text:
        """Return the question to those who may act."""
        raise NotImplementedError

    def waiting(self, state: State, who: Text) -> Text:
        """Return the line that the others read while they wait."""
        raise NotImplementedError

    def marked_spots(self) -> tuple[At, ...]:
        """The stones that the question is about."""
        return ()

    def still_down(self, state: State, at: At) -> Violation:
        """Return why a face-down stone may not be turned up now."""
        return stays_down(state, at)


class Order(Action["State"], frozen=True):
    """An action or an answer of Tellstones."""

    when: ClassVar[tuple[type[Phase], ...]]
    """The phases that ask for it."""

    reveals: ClassVar[bool] = False
    """Whether somebody learns what a stone is."""

    def untimely(self, state: State, seat: Seat) -> Iterator[Violation]:
        phase = state.phase
        actors = phase.actors(state)
        if seat not in actors:
            yield phase.out_of_turn(state, in_row(map(who, sorted(actors)), " / "))
        if not isinstance(phase, self.when):
            yield phase.not_asked_violation(state, self)

    def out_of_turn_violation(self) -> Violation:
        """The clause that it breaks where the turn is for another action."""
        return one_action(say("One action a turn: the turn is for looking at stones now."))

    def task(self, state: State, seat: Seat, turned_round: bool = False) -> Text:
        """The sentence as one seat reads it; `turned_round` for the player opposite, who sees left and right so."""
        return self.sentence(state, seat)

    def events(self, before: State, after: State, seat: Seat) -> Iterator[Event]:
        """Yield what is to be done, and what came of it: all for everybody, and by place alone."""
        texts = [self.sentence(before, seat), *self.stone_texts(before), *_score_texts(before, after)]
        return iter([Event(text, audience=None, reveals=self.reveals) for text in texts])

    def stone_texts(self, before: State) -> tuple[Text, ...]:
        """Return the kind of a stone that is turned up."""
        return ()


class Done(msgspec.Struct, frozen=True):
    """The last action, and who ordered it: what the table is told to do."""

    seat: Seat
    action: Order


class State(msgspec.Struct, frozen=True):
    """A match. Seats stand clockwise; the sides are the even and the odd ones (T55).

    score: points by side. turn: counted from 1. scored: the turn in which each side scored last, 0 if never.
    """

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
    """0 or 1: in the team game partners sit opposite each other (T55)."""
    return state.seats.index(seat) % 2


def left_of(state: State, seat: Seat) -> Seat:
    """The next seat clockwise: the opponent, in the team game the one on the left (T55)."""
    return state.seats[(state.seats.index(seat) + 1) % len(state.seats)]


def partner_of(state: State, seat: Seat) -> Seat:
    """The seat opposite in the team game (T55); in a duel a player is alone."""
    return state.seats[(state.seats.index(seat) + 2) % len(state.seats)]


def answerer(state: State) -> frozenset[Seat]:
    """Return the seat that answers the active player: the opponent on the left (T60)."""
    return frozenset({left_of(state, state.active)})


ONE_LINE = "T67"
"""What an action may concern where there are two Lines."""


def lines(state: State, seat: Seat) -> tuple[int, ...]:
    """The numbers of the Lines that a seat plays on: its own alone, if the option says so."""
    return (side_of(state, seat),) if state.rules.own_line else tuple(range(len(state.mats)))


def hidden_for(state: State, seat: Seat) -> tuple[At, ...]:
    """The places of the face-down stones on the Lines that a seat plays on."""
    own = lines(state, seat)
    return tuple(at for at in hidden_spots(state.mats) if at.mat in own)


def elsewhere(state: State, seat: Seat, number: int) -> Iterator[Violation]:
    """The clause, if a seat does not play on that Line."""
    if number not in lines(state, seat):
        yield Violation(ONE_LINE, say("Each player plays on one Line: the other one is the rival's."))


OTHER_LINE = say("The rival's Line was played on.")
"""What is said of a hand that did so."""


def answers(state: State, duel: str) -> str:
    """The clause that says who answers: in the team game the opponent on the left of who asked (T60)."""
    return "T60" if is_team(state) else duel


def culprit(state: State) -> Seat:
    """The seat that is blamed for what anybody's hand could do: the one that may act."""
    return min(state.phase.actors(state))


def is_team(state: State) -> bool:
    return len(state.seats) > 2


def team(state: State, side: int) -> tuple[Seat, ...]:
    """The seats of a side (T55)."""
    return state.seats[side::2]


def side_name(state: State, side: int) -> Text:
    """The seats of a side: "A", or "A+C" for a team."""
    return in_row(map(who, team(state, side)), "+")


def opposite(state: State, seat: Seat | None) -> bool:
    """True for the player who sees the Line from the other side: left and right are turned round for them."""
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
    """Play goes clockwise, one action a turn."""
    return Violation("T55" if is_team(state) else "T9", say("It's {seat}'s turn.", seat=who))


def one_action(text: Text) -> Violation:
    """More than the one action of a turn."""
    return Violation("T9", text)


def no_passing() -> Violation:
    return Violation("T11", say("You can't pass: choose one of the six actions."))


def stays_down(state: State, at: At) -> Violation:
    """No action turns a stone up again but the answer to a challenge and the proof of a boast."""
    return Violation("T23", say("Stone {place} must stay face down.", place=place_word(state.mats, at)))


def next_turn(state: State, **changed: Any) -> State:
    """The state in which the next seat orders, with whatever the action changed (T51)."""
    return replace(state, phase=ORDERING, active=left_of(state, state.active), turn=state.turn + 1, **changed)


# --- points and the end


class EndReason(StrEnum):
    """Why a match ended (T9, T40, T46, T47)."""

    POINTS = "points"
    PROOF = "proof"
    MISTAKE = "mistake"
    RESIGNED = "resigned"


class Over(Phase, frozen=True, tag="over"):
    """The match has ended."""

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
    """The end of a side's proof: all right wins (T46); one mistake loses, what is not yet turned stays down (T47)."""
    return Over(side, EndReason.PROOF) if right else Over(1 - side, EndReason.MISTAKE)


def point(state: State, side: int) -> State:
    """One point; three win at once, also in the rival's turn (T40, T62). The turn passes on (T51)."""
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
    """Return who won, and why."""
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


# --- whose hand: the rival's carries out what the active player orders


WRONG_HAND = say("The wrong hand moved a stone.")


def executor(state: State, seat: Seat) -> frozenset[Seat]:
    """The hand that places, turns and exchanges what `seat` orders (T12)."""
    return frozenset({left_of(state, seat)})


def _hand_clause(state: State) -> str:
    return "T56" if is_team(state) else "T12"


def not_that_hand(state: State) -> Violation:
    """Another hand than the one that should carried out what the active player orders, or would have (T12, T56)."""
    hand = who(left_of(state, state.active))
    text = say("{seat} moves the stones for {other}.", seat=hand, other=who(state.active))
    return Violation(_hand_clause(state), text)


def other_hand(state: State, seat: Seat, ordered: Order, clause: str = "") -> Iterator[Attempt]:
    """The right thing, done by a hand that should not (T12, T56); clause: the one that says so, if it is another."""
    due = ordered.trace(state, seat)
    hands = in_row(map(who, sorted(due.hands)), " / ")
    breach = Violation(clause or _hand_clause(state), say("{seat} moves the stones.", seat=hands))
    seen = replace(due, hands=frozenset(state.seats) - due.hands, declared=False)
    yield Attempt("wrong hand", seat, seen, (breach,), what=WRONG_HAND)


def other_stones(
    state: State, seat: Seat, ordered: Order, others: Iterable[Order], kind: str, clause: str, what: Text
) -> Iterator[Attempt]:
    """The same order with other stones or at another end."""
    breach = Violation(clause, say("The move was: {order}", order=ordered.task(state, seat)))
    for action in others:
        if action != ordered:
            seen = replace(action.trace(state, seat), declared=False)
            yield Attempt(kind, seat, seen, (breach,), action.notation(state), what)


def nobody_ordered(told: Text) -> Violation:
    """Something that the active player should have ordered first."""
    return Violation("T12", told)
