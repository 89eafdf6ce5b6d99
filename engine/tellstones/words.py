"""Names of stones and places in menus and notation; a name never finds a face-down stone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import ClassVar, TypeAlias

import msgspec

from engine.errors import Ambiguous, Invalid, Violation
from engine.game import Words
from engine.rules import Values, Word
from engine.table import Seat, Spot
from engine.tellstones.line import (
    KINDS,
    LETTERS,
    NAMES,
    At,
    Mats,
    line_spot,
    place_word,
    shown_spots,
    stone_at,
    stone_text,
)
from engine.tellstones.match import State, elsewhere, hidden_for, lines
from engine.text import Text, say


class Absent(msgspec.Struct, frozen=True, order=True, tag="absent"):
    """A named stone that is not face up on the Line: pooled or face down."""

    kind: str
    pooled: bool


Target: TypeAlias = At | Absent


class StoneWord(Word[State, str]):
    def candidates(self, state: State, seat: Seat, before: Values) -> Iterable[str]:
        return KINDS

    def text(self, state: State, value: str, before: Values, number: int) -> Text:
        return NAMES[value]

    def read(self, state: State, word: str, before: Values) -> str:
        if word not in KINDS:
            raise no_stone(word)
        return word


def no_stone(word: str) -> Invalid:
    return Invalid(say("There is no stone {word}. Stones: {stones}", word=word, stones=", ".join(KINDS)))


class OnLine(Word[State, Target]):
    """A stone on the Line: by name if face up on the only Line, else by place."""

    missing = say("Which stone? Say its name or its place.")

    hidden_by_name: ClassVar[bool] = False
    """True if a hidden stone's name is read, then refused."""

    def write(self, state: State, value: Target, before: Values) -> Words:
        if not isinstance(value, At):
            return (value.kind,)
        found = stone_at(state.mats, value)
        by_name = not found.down and len(state.mats) == 1
        return (found.kind if by_name else place_word(state.mats, value),)

    def text(self, state: State, value: Target, before: Values, number: int) -> Text:
        if not isinstance(value, At):
            return NAMES[value.kind]
        stone, place = stone_at(state.mats, value), place_word(state.mats, value)
        if stone.down:
            return say("stone {place}", place=place)
        return say("the {stone} (place {place})", stone=NAMES[stone.kind], place=place)

    def means(self, state: State, value: Target, number: int) -> tuple[Spot, ...]:
        return (line_spot(state.mats, value),) if isinstance(value, At) else ()

    def read(self, state: State, word: str, before: Values) -> Target:
        if word not in KINDS:
            return place_read(state.mats, word)
        found = [at for at in shown_spots(state.mats) if stone_at(state.mats, at).kind == word]
        if len(found) > 1:
            raise Ambiguous(say("The {stone} lies on both Lines: say its place.", stone=NAMES[word]))
        if found:
            return found[0]
        if any(word in mat.pool for mat in state.mats):
            return Absent(word, pooled=True)
        if self.hidden_by_name:
            return Absent(word, pooled=False)
        raise Ambiguous(say("The {stone} lies face down: say a place instead.", stone=NAMES[word]))


class ByPlace(Word[State, At]):
    def __init__(self, offered: Callable[[State, Values], Iterable[At]]) -> None:
        self._offered = offered

    def candidates(self, state: State, seat: Seat, before: Values) -> Iterable[At]:
        return self._offered(state, before)

    def write(self, state: State, value: At, before: Values) -> Words:
        return (place_word(state.mats, value),)

    def text(self, state: State, value: At, before: Values, number: int) -> Text:
        return stone_text(state.mats, value)

    def means(self, state: State, value: At, number: int) -> tuple[Spot, ...]:
        return (line_spot(state.mats, value),)


class FaceUp(OnLine):
    hidden_by_name = True

    def candidates(self, state: State, seat: Seat, before: Values) -> Iterable[At]:
        own = lines(state, seat)
        return [at for at in shown_spots(state.mats) if at.mat in own]


class FaceDown(OnLine):
    def candidates(self, state: State, seat: Seat, before: Values) -> Iterable[At]:
        return hidden_for(state, seat)


KIND, FACE_UP, FACE_DOWN = StoneWord(), FaceUp(), FaceDown()


def place_read(mats: Mats, word: str) -> At:
    """Read `3`, or `A3` with two Lines. Raises Invalid or Ambiguous."""
    letter, number = (word[:1].upper(), word[1:]) if word[:1].upper() in LETTERS else ("", word)
    if not number.isdecimal() or (letter and len(mats) == 1):
        raise Invalid(say("{word} is neither a stone nor a place.", word=word))
    meant = range(len(mats)) if not letter else (LETTERS.index(letter),)
    size = max(len(mats[mat].line) for mat in meant)
    if not 1 <= int(number) <= size:
        raise Invalid(say("There is no place {word}: the Line has {size} stones.", word=word.upper(), size=size))
    if len(meant) > 1:
        raise Ambiguous(say("Place {word} of which Line: A{word} or B{word}?", word=word))
    return At(meant[0], int(number) - 1)


def call_name(state: State, stone: Target) -> Text:
    """Return a stone as the player called it, which reveals nothing."""
    if isinstance(stone, Absent):
        return NAMES[stone.kind]
    return say("Stone {place}", place=place_word(state.mats, stone))


def not_face_down(state: State, seat: Seat, stone: Target, clause: str) -> Iterator[Violation]:
    if not isinstance(stone, At) or not stone_at(state.mats, stone).down:
        yield Violation(clause, say("{stone} does not lie face down on the Line.", stone=call_name(state, stone)))
    if isinstance(stone, At):
        yield from elsewhere(state, seat, stone.mat)


def place_name(state: State, stone: Target) -> str:
    return place_word(state.mats, stone) if isinstance(stone, At) else "?"


def on_line(stone: Target) -> At:
    """Return the place of a legal action's stone. Raises ValueError off the Line."""
    if not isinstance(stone, At):
        raise ValueError(f"{stone} does not lie on the Line: judge the action before applying it")
    return stone
