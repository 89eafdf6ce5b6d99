"""Every clause that an action breaks: whether the seat may do such a thing now, and whether the thing is right."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from engine.errors import Breach
from engine.table import Seat
from engine.tellstones.actions import (
    ORDERS,
    Absent,
    Action,
    At,
    Believe,
    Boast,
    Challenge,
    First,
    Hide,
    Names,
    Peek,
    Place,
    Prove,
    Stop,
    Swap,
    Takeover,
    Target,
)
from engine.tellstones.places import place_word
from engine.tellstones.state import (
    Boasted,
    Challenged,
    End,
    Opening,
    Ordering,
    Over,
    Peeking,
    Phase,
    Proving,
    State,
    TakenOver,
    actors,
    ends,
    hidden,
    is_team,
    partner_of,
    stone_at,
)
from engine.tellstones.stones import NAMES
from engine.text import Text, say

_EXPECTED: dict[type[Phase], tuple[type[Action], ...]] = {
    Opening: (First,),
    Ordering: ORDERS,
    Peeking: (Peek, Stop),
    Challenged: (Names,),
    Boasted: (Believe, Prove, Takeover),
    TakenOver: (Believe, Prove),
    Proving: (Names,),
    Over: (),
}


_ENDED = {End.POINTS: "T40", End.PROOF: "T46", End.MISTAKE: "T47", End.RESIGNED: "T9"}


def judge(state: State, seat: Seat, action: Action) -> tuple[Breach, ...]:
    """Every breach, each clause once; () if the action is legal."""
    found: dict[str, Breach] = {}
    for breach in chain(_timing(state, seat, action), _content(state, seat, action)):
        found.setdefault(breach.clause, breach)
    return tuple(found.values())


def _timing(state: State, seat: Seat, action: Action) -> Iterator[Breach]:
    phase = state.phase
    if isinstance(phase, Over):
        yield Breach(_ENDED[phase.end], say("The match is over."))
        return
    if seat not in actors(state):
        yield _not_your_turn(state)
    if not isinstance(action, _EXPECTED[type(phase)]):
        yield _not_now(state, action)


def _not_your_turn(state: State) -> Breach:
    """The clause that says whose turn it is to do what is asked now."""
    who = " / ".join(sorted(actor.upper() for actor in actors(state)))
    match state.phase:
        case Opening():
            return Breach("T7", say("{seat} chooses the first stone.", seat=who))
        case Ordering() | Peeking():
            return Breach("T55" if is_team(state) else "T9", say("It is the turn of {seat}.", seat=who))
        case Challenged():
            return Breach("T60" if is_team(state) else "T35", say("{seat} must name the stone.", seat=who))
        case Boasted():
            return Breach("T60" if is_team(state) else "T42", say("{seat} answers the boast.", seat=who))
        case TakenOver():
            return Breach("T45", say("{seat} answers the boast that was taken over.", seat=who))
        case _:
            clause = "T61" if is_team(state) else "T44"
            return Breach(clause, say("{seat} names and turns the next stone.", seat=who))


def _not_now(state: State, action: Action) -> Breach:
    """The clause that says what is asked now, or for which occasion the action is meant."""
    match state.phase:
        case Opening():
            return Breach("T7", say("The first stone must be chosen before the first turn."))
        case Challenged():
            return Breach("T35", say("The challenge must be answered first: name the stone."))
        case Boasted():
            return Breach("T42", say("The boast must be answered first: believe, ask for proof or take over."))
        case TakenOver():
            return Breach("T45", say("A boast is taken over once only. Answer: believe, or ask for proof."))
        case Proving():
            return Breach("T44", say("The proof goes on: name a face-down stone, then turn it up."))
        case _:
            return _uncalled(action)


def _uncalled(action: Action) -> Breach:
    """An answer that nobody asked for, or a second action in one turn."""
    match action:
        case First():
            return Breach("T7", say("The first stone lies already."))
        case Names():
            return Breach("T52", say("Nobody asked for a name: a name said now is only talk."))
        case Believe() | Prove() | Takeover():
            return Breach("T42", say("There is no boast to answer."))
        case Stop():
            return Breach("T11", say("There is no passing: order one of the six actions."))
        case _:
            return Breach("T9", say("One action a turn: the turn is for looking at stones now."))


def _content(state: State, seat: Seat, action: Action) -> Iterator[Breach]:
    match action:
        case Place():
            yield from _placing(state, action)
        case Hide(stone) if not (isinstance(stone, At) and not stone_at(state, stone).down):
            yield Breach("T20", say("{stone} does not lie face up on the Line.", stone=_called(state, stone)))
        case Swap(one, two):
            yield from _swapping(state, one, two)
        case Peek():
            yield from _peeking(state, seat, action)
        case Challenge(stone):
            yield from _challenging(state, stone)
        case Boast() if len(hidden(state)) < state.rules.boast_minimum:
            count = state.rules.boast_minimum
            yield Breach("T49", say("A boast needs at least {count} face-down stones.", count=count))
        case Names(_, stone):
            yield from _naming(state, stone)
        case _:
            pass


def _called(state: State, stone: Target) -> Text:
    """A stone as the player called it: a name is never found for a place, nor a place for a hidden name."""
    if isinstance(stone, Absent):
        return NAMES[stone.kind]
    return say("Stone {place}", place=place_word(state, stone))


def _placing(state: State, action: Place) -> Iterator[Breach]:
    mat = state.mats[action.mat]
    if not mat.pool:
        yield Breach("T17", say("The Pool is empty."))
    if action.kind not in mat.pool:
        yield Breach("T14", say("{stone} is not in the Pool.", stone=NAMES[action.kind]))
    if action.index not in (0, len(mat.line)):
        yield Breach("T16", say("A stone goes to an end of the Line, never between two stones."))
    elif action.index not in ends(state, action.mat):
        yield Breach("T18", say("That edge of the mat is reached: place the stone at the other end."))


def _swapping(state: State, one: Target, two: Target) -> Iterator[Breach]:
    for stone in (one, two):
        if isinstance(stone, Absent):
            yield Breach(
                "T28", say("{stone} is in the Pool: only stones on the Line are swapped.", stone=NAMES[stone.kind])
            )
    if one == two:
        yield Breach("T24", say("Two different stones are swapped."))
    if sum(len(mat.line) for mat in state.mats) < 2 or all(len(mat.line) < 2 for mat in state.mats):
        yield Breach("T28", say("A swap needs two stones on the Line."))
    if isinstance(one, At) and isinstance(two, At) and one.mat != two.mat:
        yield Breach("T66", say("The two sets are never mixed."))
        yield Breach("T67", say("A swap stays within one Line."))


def _peeking(state: State, seat: Seat, action: Peek) -> Iterator[Breach]:
    if action.looker is not None and not (is_team(state) and action.looker == partner_of(state, seat)):
        clause = "T58" if is_team(state) else "T29"
        yield Breach(clause, say("{seat} may not look at stones for you.", seat=action.looker.upper()))
    yield from _face_down(state, action.stone, "T29")
    if isinstance(state.phase, Peeking) and action.stone in state.phase.seen:
        yield Breach("T32", say("You looked at this stone already: choose another one, or stop."))


def _challenging(state: State, stone: Target) -> Iterator[Breach]:
    yield from _face_down(state, stone, "T34")
    if not hidden(state):
        yield Breach("T39", say("No stone is face down."))


def _naming(state: State, stone: Target | None) -> Iterator[Breach]:
    match state.phase:
        case Challenged(asked) if stone is not None:
            place = place_word(state, asked)
            yield Breach("T34", say("The challenge is for stone {place}.", place=place))
        case Proving():
            if stone is not None:
                yield from _face_down(state, stone, "T44")
        case _:
            pass


def _face_down(state: State, stone: Target, clause: str) -> Iterator[Breach]:
    if not (isinstance(stone, At) and stone_at(state, stone).down):
        yield Breach(clause, say("{stone} does not lie face down on the Line.", stone=_called(state, stone)))
