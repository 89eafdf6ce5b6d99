"""Notation (docs/games/tellstones.md): words to an action, legal or not, and back."""

from __future__ import annotations

from collections.abc import Callable

from engine.errors import Ambiguous, Invalid
from engine.game import Words
from engine.table import Seat
from engine.tellstones.actions import (
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
from engine.tellstones.places import LETTERS, place_word, stone_word
from engine.tellstones.state import Challenged, Proving, State, hidden, stones
from engine.tellstones.stones import KINDS, NAMES
from engine.text import say


def read(state: State, seat: Seat, words: Words) -> Action:
    """The action that `words` mean. Raises Invalid if they mean nothing, Ambiguous if they are not enough."""
    if not words:
        raise Ambiguous(say("Which action? {verbs}", verbs=", ".join(_READERS)))
    verb, rest = words[0].lower(), tuple(word.lower() for word in words[1:])
    if verb not in _READERS:
        raise Invalid(say("There is no action {verb}. Actions: {verbs}", verb=words[0], verbs=", ".join(_READERS)))
    action = _READERS[verb](state, rest)
    return Peek(action.stone) if isinstance(action, Peek) and action.looker == seat else action


def words(state: State, action: Action) -> Words:  # noqa: PLR0911 -- one line a verb
    """The notation of an action."""
    match action:
        case First(kind):
            return ("first", kind)
        case Place(mat, kind, index):
            line = () if len(state.mats) == 1 else (LETTERS[mat],)
            return ("place", *line, kind, _end_word(state, mat, index))
        case Swap(one, two):
            return ("swap", stone_word(state, one), stone_word(state, two))
        case Peek(stone, looker):
            return ("peek", *((looker,) if looker else ()), stone_word(state, stone))
        case Hide(stone) | Challenge(stone):
            return (str(action.__struct_config__.tag), stone_word(state, stone))
        case Names(kind, None):
            return ("names", kind)
        case Names(kind, At() as at):
            return ("names", place_word(state, at), kind)
        case _:
            return (str(action.__struct_config__.tag),)


def _end_word(state: State, mat: int, index: int) -> str:
    return "left" if index == 0 else "right" if index == len(state.mats[mat].line) else str(index + 1)


def _first(_: State, rest: Words) -> Action:
    _at_most(rest, 1)
    if not rest:
        raise Ambiguous(say("Which stone lies first?"))
    return First(_kind(rest[0]))


def _place(state: State, rest: Words) -> Action:
    """`place crown left`, with the Line where there are two: `place A crown left`. The order of the words is free."""
    _at_most(rest, 2 if len(state.mats) == 1 else 3)
    kinds = tuple(word for word in rest if word in KINDS)
    lines = tuple(word for word in rest if len(state.mats) > 1 and word in ("a", "b"))
    others = tuple(word for word in rest if word not in KINDS and word not in lines)
    for other in others:
        if other not in ("left", "right") and not other.isdecimal():
            _kind(other)
    if len(others) > 1 and not kinds:
        raise _no_stone(others[0])  # a place stands where a stone is expected
    if len(kinds) > 1 or len(lines) > 1 or len(others) > 1:
        raise Invalid(say("Place one stone at one end: {words}", words=" ".join(rest)))
    if not kinds:
        raise Ambiguous(say("Which stone is placed?"))
    mat = ("a", "b").index(lines[0]) if lines else _mat_with(state, kinds[0])
    if not others:
        raise Ambiguous(say("At which end: left or right?"))
    return Place(mat, kinds[0], _index(state, mat, others[0]))


def _mat_with(state: State, kind: str) -> int:
    """The only mat whose Pool has the stone."""
    mats = tuple(number for number, mat in enumerate(state.mats) if kind in mat.pool)
    if len(state.mats) > 1 and len(mats) != 1:
        raise Ambiguous(say("On which Line: A or B?"))
    return mats[0] if mats else 0


def _index(state: State, mat: int, word: str) -> int:
    """The place that a new stone gets: an end, or a number for one that was put between others (T16)."""
    size = len(state.mats[mat].line)
    if word in ("left", "right"):
        return 0 if word == "left" else size
    if word.isdecimal() and 1 <= int(word) <= size + 1:
        return int(word) - 1
    raise Invalid(say("A stone is placed left or right, not at {word}.", word=word))


def _hide(state: State, rest: Words) -> Action:
    _at_most(rest, 1)
    return Hide(_stone(state, rest, hidden_by_name=True))


def _challenge(state: State, rest: Words) -> Action:
    _at_most(rest, 1)
    return Challenge(_stone(state, rest))


def _swap(state: State, rest: Words) -> Action:
    _at_most(rest, 2)
    known = tuple(_stone(state, (word,)) for word in rest)
    if len(known) < 2:
        raise Ambiguous(say("Which two stones are swapped?"))
    one, two = known
    if isinstance(one, At) and isinstance(two, At) and two < one:
        one, two = two, one
    return Swap(one, two)


def _peek(state: State, rest: Words) -> Action:
    """`peek 2`; `peek c 2` appoints the partner (T58)."""
    _at_most(rest, 2)
    lookers = tuple(word for word in rest if word in state.seats)
    places = tuple(word for word in rest if word not in lookers)
    if len(lookers) > 1 or len(places) > 1:
        raise Invalid(say("One player looks at one stone at a time: {words}", words=" ".join(rest)))
    return Peek(_stone(state, places), lookers[0] if lookers else None)


def _names(state: State, rest: Words) -> Action:
    """`names hammer` answers a challenge; `names 2 hammer` names a stone in a proof (T48)."""
    _at_most(rest, 2)
    kinds = tuple(word for word in rest if word in KINDS)
    places = tuple(word for word in rest if word not in KINDS)
    if len(places) > 1 or (places and len(kinds) > 1):
        raise Invalid(say("One stone is named at a time: {words}", words=" ".join(rest)))
    at = _at(state, places[0]) if places else None
    if len(kinds) != 1:
        raise Ambiguous(say("Which of the seven names?"))
    if isinstance(state.phase, Challenged):
        return Names(kinds[0], None if at == state.phase.stone else at)
    if isinstance(state.phase, Proving) and at is None:
        left = hidden(state)
        if len(left) != 1:
            raise Ambiguous(say("Which stone is the {stone}? Say its place.", stone=NAMES[kinds[0]]))
        return Names(kinds[0], left[0])
    return Names(kinds[0], at)


def _word(action: Action) -> Callable[[State, Words], Action]:
    def reader(_: State, rest: Words) -> Action:
        _at_most(rest, 0)
        return action

    return reader


def _stone(state: State, rest: Words, hidden_by_name: bool = False) -> Target:
    """A stone by its name if it is face up, or by its place. A name never finds a face-down stone (T54)."""
    if not rest:
        raise Ambiguous(say("Which stone? Say its name or its place."))
    if rest[0] not in KINDS:
        return _at(state, rest[0])
    kind = rest[0]
    found = tuple(at for at, stone in stones(state) if stone.kind == kind and not stone.down)
    if len(found) > 1:
        raise Ambiguous(say("The {stone} lies on both Lines: say its place.", stone=NAMES[kind]))
    if found:
        return found[0]
    if any(kind in mat.pool for mat in state.mats):
        return Absent(kind, pooled=True)
    if hidden_by_name:
        return Absent(kind, pooled=False)
    raise Ambiguous(say("The {stone} lies face down: say a place instead.", stone=NAMES[kind]))


def _at(state: State, word: str) -> At:
    """A place: `3`, or `A3` where there are two Lines."""
    letter, number = (word[:1].upper(), word[1:]) if word[:1].upper() in LETTERS else ("", word)
    if not number.isdecimal() or (letter and len(state.mats) == 1):
        raise Invalid(say("{word} is neither a stone nor a place.", word=word))
    mats = range(len(state.mats)) if not letter else (LETTERS.index(letter),)
    size = max(len(state.mats[mat].line) for mat in mats)
    if not 1 <= int(number) <= size:
        raise Invalid(say("There is no place {word}: the Line has {size} stones.", word=word.upper(), size=size))
    if len(mats) > 1:
        raise Ambiguous(say("Place {word} of which Line: A{word} or B{word}?", word=word))
    mat = mats[0]
    return At(mat, int(number) - 1)


def _kind(word: str) -> str:
    if word not in KINDS:
        raise _no_stone(word)
    return word


def _no_stone(word: str) -> Invalid:
    return Invalid(say("There is no stone {word}. Stones: {stones}", word=word, stones=", ".join(KINDS)))


def _at_most(rest: Words, count: int) -> None:
    if len(rest) > count:
        raise Invalid(say("Too many words: {words}", words=" ".join(rest[count:])))


_READERS: dict[str, Callable[[State, Words], Action]] = {
    "place": _place,
    "hide": _hide,
    "swap": _swap,
    "peek": _peek,
    "stop": _word(Stop()),
    "challenge": _challenge,
    "boast": _word(Boast()),
    "names": _names,
    "believe": _word(Believe()),
    "prove": _word(Prove()),
    "takeover": _word(Takeover()),
    "first": _first,
}
