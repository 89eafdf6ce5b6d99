"""The grammar of legal actions: which words may come next. Names of face-down stones never occur in it (T54)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from engine.game import Choice, Words
from engine.table import Seat
from engine.tellstones.actions import At
from engine.tellstones.places import LETTERS, stone_text, stone_word
from engine.tellstones.state import (
    Boasted,
    Challenged,
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
    shown,
    stones,
)
from engine.tellstones.stones import KINDS, NAMES
from engine.text import say

Choices = tuple[Choice, ...]

_KINDS = {final: {kind: Choice(kind, NAMES[kind], final) for kind in KINDS} for final in (False, True)}
_FIRSTS = tuple(_KINDS[True].values())
_NAMES = tuple(Choice(kind, NAMES[kind], True, costs=True) for kind in KINDS)
_LEFT, _RIGHT = say("Left end"), say("Right end")
_LINES = tuple(Choice(letter, say("Line {letter}", letter=letter), False) for letter in LETTERS)

_VERBS = {
    "first": Choice("first", say("First stone"), False),
    "place": Choice("place", say("Place"), False),
    "hide": Choice("hide", say("Hide"), False),
    "swap": Choice("swap", say("Swap"), False),
    "peek": Choice("peek", say("Peek"), False),
    "stop": Choice("stop", say("Stop peeking"), True),
    "challenge": Choice("challenge", say("Challenge"), False),
    "boast": Choice("boast", say("Boast"), True, costs=True),
    "names": Choice("names", say("Name it"), False),
    "believe": Choice("believe", say("Believe"), True),
    "prove": Choice("prove", say("Ask for proof"), True, costs=True),
    "takeover": Choice("takeover", say("Take over"), True),
}


def choices(state: State, seat: Seat, prefix: Words) -> Choices:
    """The words that may follow `prefix` in a legal action of `seat`."""
    if seat not in actors(state):
        return ()
    verbs = _verbs(state)
    if not prefix:
        return tuple(_VERBS[verb] for verb in verbs)
    if prefix[0] not in verbs or prefix[0] not in _NEXT:
        return ()
    return _NEXT[prefix[0]](state, prefix[1:])


def opposite(state: State, seat: Seat | None) -> bool:
    """True for the player who sees the Line from the other side: left and right are turned round for them (T16)."""
    return seat is not None and seat == state.seats[len(state.seats) // 2]


_ASKED: dict[type[Phase], tuple[str, ...]] = {
    Opening: ("first",),
    Peeking: ("peek", "stop"),
    Challenged: ("names",),
    Boasted: ("believe", "prove", "takeover"),
    TakenOver: ("believe", "prove"),
    Proving: ("names",),
    Over: (),
}


def _verbs(state: State) -> tuple[str, ...]:
    return tuple(_orders(state)) if isinstance(state.phase, Ordering) else _ASKED[type(state.phase)]


def _orders(state: State) -> Iterator[str]:
    """Those of the six actions that are legal with at least one stone (T10, T11)."""
    down = len(hidden(state))
    if any(mat.pool for mat in state.mats):  # T17
        yield "place"
    if any(shown(state)):  # T20
        yield "hide"
    if any(len(mat.line) > 1 for mat in state.mats):  # T28
        yield "swap"
    if down:  # T29, T39
        yield "peek"
        yield "challenge"
    if down >= state.rules.boast_minimum:  # T49
        yield "boast"


def _first(_: State, rest: Words) -> Choices:
    return () if rest else _FIRSTS


def _place(state: State, rest: Words) -> Choices:
    if len(state.mats) > 1:
        if not rest:
            return tuple(choice for choice, mat in zip(_LINES, state.mats, strict=True) if mat.pool)
        if rest[0] not in LETTERS:
            return ()
        return _place_on(state, LETTERS.index(rest[0]), rest[1:])
    return _place_on(state, 0, rest)


def _place_on(state: State, number: int, rest: Words) -> Choices:
    """A stone of the Pool, then an end as the player sees it (T14, T16)."""
    mat = state.mats[number]
    if not rest:
        return tuple(choice for kind, choice in _KINDS[False].items() if kind in mat.pool)
    if len(rest) > 1 or rest[0] not in mat.pool:
        return ()
    free = ends(state, number)
    left, right = (_RIGHT, _LEFT) if opposite(state, state.active) else (_LEFT, _RIGHT)
    both = (Choice("left", left, True), Choice("right", right, True))
    return tuple(choice for choice, index in zip(both, (0, len(mat.line)), strict=True) if index in free)


def _hide(state: State, rest: Words) -> Choices:
    return () if rest else _stones(state, shown(state))


def _swap(state: State, rest: Words) -> Choices:
    """Each pair once: the second stone stands right of the first, on the same Line (T24, T67)."""
    if not rest:
        return _stones(
            state, tuple(at for at, _ in stones(state) if at.index + 1 < len(state.mats[at.mat].line)), False
        )
    first = _found(state, rest[0])
    if first is None or len(rest) > 1:
        return ()
    line = state.mats[first.mat].line
    return _stones(state, tuple(At(first.mat, index) for index in range(first.index + 1, len(line))))


def _peek(state: State, rest: Words) -> Choices:
    """A face-down stone not yet looked at (T29, T32); in the team game the partner may be sent (T58)."""
    seen = state.phase.seen if isinstance(state.phase, Peeking) else ()
    places = _stones(state, tuple(at for at in hidden(state) if at not in seen))
    if not is_team(state):
        return () if rest else places
    partner = partner_of(state, state.active)
    if not rest:
        return (*places, Choice(partner, say("{seat} looks", seat=partner.upper()), False))
    return places if rest == (partner,) else ()


def _challenge(state: State, rest: Words) -> Choices:
    return () if rest else _stones(state, hidden(state), costs=True)


def _names(state: State, rest: Words) -> Choices:
    """Any of the seven names (T35, T48); in a proof the place comes first."""
    if isinstance(state.phase, Challenged):
        return () if rest else _NAMES
    if not rest:
        return _stones(state, hidden(state), False)
    return _NAMES if len(rest) == 1 and _found(state, rest[0]) in hidden(state) else ()


_NEXT: dict[str, Callable[[State, Words], Choices]] = {
    "first": _first,
    "place": _place,
    "hide": _hide,
    "swap": _swap,
    "peek": _peek,
    "challenge": _challenge,
    "names": _names,
}


def _stones(state: State, places: tuple[At, ...], final: bool = True, costs: bool = False) -> Choices:
    return tuple(Choice(stone_word(state, at), stone_text(state, at), final, costs) for at in places)


def _found(state: State, word: str) -> At | None:
    """The place of the stone that is written so."""
    return next((at for at, _ in stones(state) if stone_word(state, at) == word), None)
