"""Repairs of what the referee believes (design law 2). None of them tells anybody what is face down (T54).

exchange 2 4    two face-down stones are each what the other was believed to be
is 2 crown      the face-down stone at place 2 is the Crown
show 3 crown    the stone at place 3 lies face up, and is the Crown
down 3          a stone believed face up lies face down
move 2 5        a stone of the Line stands at another place
pool 3          a face-up stone believed on the Line is in the Pool
line crown 2    a stone believed in the Pool stands on the Line, at that place
score a 2       the points of a seat's side
turn b          whose turn it is
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from engine.game import Choice, Words
from engine.grammar import correction
from engine.table import Face, Spot
from engine.tellstones.actions import At
from engine.tellstones.apply import turn
from engine.tellstones.places import LETTERS, line_spot, place_word, stone_text
from engine.tellstones.repairs import being, exchanged, laid, moved, pooled, scored, settled, showing, to_act
from engine.tellstones.state import GOAL, State, hidden, shown, side_of, stone_at, stones
from engine.tellstones.stones import KINDS, NAMES
from engine.text import say
from engine.view import Event

Choices = tuple[Choice, ...]

_VERBS = (
    Choice("exchange", say("Two face-down stones are mixed up"), False),
    Choice("is", say("A face-down stone is another"), False),
    Choice("show", say("Stone is face up"), False),
    Choice("down", say("Stone is face down"), False),
    Choice("move", say("A stone stands elsewhere"), False),
    Choice("pool", say("A stone is in the Pool"), False),
    Choice("line", say("A stone is on the Line"), False),
    Choice("score", say("The score"), False),
    Choice("turn", say("Whose turn it is"), False),
)


def corrections(state: State, prefix: Words) -> Choices:
    """The words that may follow in a correction: only what leads to one."""
    if not prefix:
        return tuple(verb for verb in _VERBS if _NEXT[verb.word](state, ()))
    return _NEXT[prefix[0]](state, prefix[1:]) if prefix[0] in _NEXT else ()


def correct(state: State, words: Words) -> tuple[State, tuple[Event, ...]]:
    """The repaired state. Raises Invalid if the words are no correction, Ambiguous if some are missing."""
    told = correction(partial(corrections, state), words)
    return settled(_repaired(state, words)), (told,)


def identify(state: State, spot: Spot, kind: str) -> Words | None:
    """The correction that says what the face-down stone at a spot is; None if it can only be a stone that is seen."""
    found = next((at for at in hidden(state) if line_spot(state, at) == spot), None)
    return ("is", place_word(state, found), kind) if found and kind in _hidden_kinds(state, found) else None


def _repaired(state: State, words: Words) -> State:  # noqa: PLR0911 -- one line a verb
    match words:
        case ("exchange", one, two):
            return exchanged(state, _at(one), _at(two))
        case ("is", place, kind):
            return being(state, _at(place), kind)
        case ("show", place, kind):
            return showing(state, _at(place), kind)
        case ("down", place):
            return turn(state, _at(place), Face.DOWN)
        case ("move", place, target):
            return moved(state, _at(place), _at(target).index)
        case ("pool", place):
            return pooled(state, _at(place))
        case ("line", kind, place):
            return laid(state, kind, _at(place))
        case ("score", seat, points):
            return scored(state, side_of(state, seat), int(points))
        case _:
            return to_act(state, words[1])


def _at(word: str) -> At:
    """The place of a word that was checked."""
    letter = word[:1] in LETTERS
    return At(LETTERS.index(word[:1]) if letter else 0, int(word[letter:]) - 1)


def _exchange(state: State, rest: Words) -> Choices:
    """Two face-down stones of one Line; each pair once."""
    down = hidden(state)
    if not rest:
        firsts = tuple(at for at in down if any(at.mat == other.mat and at < other for other in down))
        return _places(state, firsts, False)
    one = _at(rest[0])
    return _places(state, tuple(at for at in down if at.mat == one.mat and one < at)) if len(rest) == 1 else ()


def _is(state: State, rest: Words) -> Choices:
    """One of the kinds that lie face down on the same Line: which they are everybody can work out."""
    if not rest:
        return _places(state, hidden(state), False)
    return _kinds(_hidden_kinds(state, _at(rest[0]))) if len(rest) == 1 else ()


def _show(state: State, rest: Words) -> Choices:
    """What a stone shows: one of the hidden kinds if it was believed face down, any other kind if not."""
    if not rest:
        return _places(state, tuple(at for at, _ in stones(state)), False)
    if len(rest) > 1:
        return ()
    at = _at(rest[0])
    stone = stone_at(state, at)
    return _kinds(_hidden_kinds(state, at) if stone.down else set(KINDS) - {stone.kind})


def _hidden_kinds(state: State, at: At) -> set[str]:
    return {each.kind for each in state.mats[at.mat].line if each.down}


def _kinds(kinds: set[str]) -> Choices:
    return tuple(Choice(kind, NAMES[kind], True) for kind in KINDS if kind in kinds)


def _down(state: State, rest: Words) -> Choices:
    return () if rest else _places(state, shown(state))


def _move(state: State, rest: Words) -> Choices:
    if not rest:
        return _places(state, tuple(at for at, _ in stones(state) if len(state.mats[at.mat].line) > 1), False)
    one = _at(rest[0])
    others = tuple(at for at, _ in stones(state) if at.mat == one.mat and at != one)
    return tuple(_numbered(state, at) for at in others) if len(rest) == 1 else ()


def _pool(state: State, rest: Words) -> Choices:
    return () if rest else _places(state, tuple(at for at in shown(state) if len(state.mats[at.mat].line) > 1))


def _line(state: State, rest: Words) -> Choices:
    """A stone of the Pool, and the place that it has among the stones of its Line."""
    if not all(mat.line for mat in state.mats):
        return ()
    if not rest:
        kinds = {kind for mat in state.mats for kind in mat.pool}
        return tuple(Choice(kind, NAMES[kind], False) for kind in KINDS if kind in kinds)
    if len(rest) > 1:
        return ()
    return tuple(
        _numbered(state, At(number, index))
        for number, mat in enumerate(state.mats)
        if rest[0] in mat.pool
        for index in range(len(mat.line) + 1)
    )


def _score(state: State, rest: Words) -> Choices:
    if not rest:
        return tuple(Choice(seat, say("Seat {seat}", seat=seat.upper()), False) for seat in state.seats)
    if len(rest) > 1:
        return ()
    points = state.score[side_of(state, rest[0])]
    return tuple(
        Choice(str(number), say("Points: {points}", points=number), True)
        for number in range(GOAL + 1)
        if number != points
    )


def _turn(state: State, rest: Words) -> Choices:
    return () if rest else tuple(Choice(seat, say("Seat {seat}", seat=seat.upper()), True) for seat in state.seats)


_NEXT: dict[str, Callable[[State, Words], Choices]] = {
    "exchange": _exchange,
    "is": _is,
    "show": _show,
    "down": _down,
    "move": _move,
    "pool": _pool,
    "line": _line,
    "score": _score,
    "turn": _turn,
}


def _places(state: State, places: tuple[At, ...], final: bool = True) -> Choices:
    return tuple(Choice(place_word(state, at), stone_text(state, at), final) for at in places)


def _numbered(state: State, at: At) -> Choice:
    place = place_word(state, at)
    return Choice(place, say("Place {place}", place=place), True)
