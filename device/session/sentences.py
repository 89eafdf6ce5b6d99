"""A menu's tree opened as far as a list has room: whole sentences where they fit, else sentences that go on.

Phones and displays list what a seat may do, or what may be corrected, from the same tree: `choices` of a game, word by
word. A list has at most so many lines; what does not fit is behind a line that ends in an ellipsis.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import msgspec

from engine.game import Choice, Words
from engine.grammar import phrased
from engine.text import Text, say

Choices: TypeAlias = "Callable[[Words], tuple[Choice, ...]]"
"""The words that may follow a prefix: `choices` of a game and a seat in a state, or its `corrections`."""


class Sentence(msgspec.Struct, frozen=True):
    """One line of a list. words: all of them, from the first on; path: what menus call each that this line adds.

    final: the words are complete; else more of them are asked for. costs: see `engine.game.Choice`.
    """

    words: Words
    path: tuple[Text, ...]
    final: bool
    costs: bool = False

    @property
    def text(self) -> Text:
        """The line as it is read; one that goes on ends in an ellipsis."""
        words = phrased(self.path)
        return words if self.final else say("{words} …", words=words)


class _Open(msgspec.Struct, frozen=True):
    """A line, and the words that may follow it."""

    line: Sentence
    following: tuple[Choice, ...]


def sentences(choices: Choices, prefix: Words = (), most: int = 1) -> tuple[Sentence, ...]:
    """All that may follow `prefix`, in the order of the menus, in at most `most` lines unless its next words are more.

    The shortest beginnings are opened first, and among those the ones that lead to the fewest lines. Where a word
    leaves no choice the next one stands beside it, whatever `most` is. `choices` is asked once for each line, listed or
    opened.
    """
    lines = _entered(choices, choices(prefix), prefix, ())
    while len(lines) < most:
        room = most - len(lines) + 1
        fits = [each for each in lines if not each.line.final and len(each.following) <= room]
        if not fits:
            break
        opened = min(fits, key=lambda each: (len(each.line.path), len(each.following)))
        place = lines.index(opened)
        lines[place : place + 1] = _entered(choices, opened.following, opened.line.words, opened.line.path)
    return tuple(each.line for each in lines)


def _entered(choices: Choices, following: tuple[Choice, ...], prefix: Words, path: tuple[Text, ...]) -> list[_Open]:
    """Each of these words as a line, and with it all that follows without a choice."""
    return [_passed(choices, _longer(choice, prefix, path)) for choice in following]


def _passed(choices: Choices, line: Sentence) -> _Open:
    while not line.final:
        following = choices(line.words)
        if len(following) != 1:
            return _Open(line, following)
        line = _longer(following[0], line.words, line.path)
    return _Open(line, ())


def _longer(choice: Choice, prefix: Words, path: tuple[Text, ...]) -> Sentence:
    return Sentence((*prefix, choice.word), (*path, choice.text), choice.final, choice.costs)
