"""Notation: words to actions and back (docs/games/planetx.md)."""

from __future__ import annotations

from collections.abc import Callable

from engine.errors import Ambiguous, Invalid
from engine.game import Words
from engine.planetx.actions import (
    Action,
    Code,
    Confer,
    Level,
    Locate,
    Mark,
    Pass,
    Pledge,
    Research,
    Reveal,
    Review,
    Submit,
    Survey,
    Target,
    Unmark,
)
from engine.planetx.codes import LENGTH, checked
from engine.planetx.draw import TOPICS
from engine.planetx.names import KIND_OF_WORD, LEVELS, WORDS
from engine.planetx.state import State
from engine.text import say

PLANET = "planet"
"""The word for Planet X: understood everywhere and legal nowhere, so that the refusal can say why (X31, X36)."""


def read(state: State, words: Words) -> Action:
    """The action that the words mean, legal or not; capitals do not matter. Raises Invalid, or Ambiguous."""
    words = (words[0].lower(), *words[1:]) if words else ()
    if not words or words[0] not in _READERS:
        known = ", ".join(_READERS)
        raise Invalid(say("{word} is no action. Actions: {known}.", word=words[0] if words else "", known=known))
    least, most, reader = _READERS[words[0]]
    rest = words[1:]
    if len(rest) < least:
        raise Ambiguous(say("{verb} needs {count} words after it.", verb=words[0], count=least))
    if len(rest) > most:
        raise Invalid(say("{verb} takes at most {count} words.", verb=words[0], count=most))
    return reader(state, rest)


def words_of(action: Action) -> Words:  # noqa: PLR0911, C901 -- one line a case
    """The notation of an action; `read` takes it back."""
    match action:
        case Code(code):
            return ("code", *code)
        case Level(level):
            return ("level", level)
        case Survey(kind, first, last):
            return ("survey", word_of(kind), str(first), str(last))
        case Target(sector):
            return ("target", str(sector))
        case Research(topic):
            return ("research", topic)
        case Locate(sector, before, after):
            return ("locate", str(sector), word_of(before), word_of(after))
        case Submit(sector, kind):
            return ("submit", str(sector), word_of(kind))
        case Confer(name):
            return ("conference", name)
        case Review(sector, kind):
            return ("review", str(sector), word_of(kind))
        case Mark(sector, kind, holds):
            return ("mark", str(sector), "is" if holds else "not", word_of(kind))
        case _:
            return _short(action)


def _short(action: Action) -> Words:
    if isinstance(action, Pledge):
        return ("theories", str(action.count))
    return ("pass",) if isinstance(action, Pass) else ("reveal",) if isinstance(action, Reveal) else ("unmark",)


def word_of(kind: str) -> str:
    """The word of a kind."""
    return WORDS.get(kind, PLANET)


def _sector(state: State, word: str) -> int:
    if not word.isdecimal() or not word.isascii() or not 1 <= int(word) <= state.mode.sectors:
        raise Invalid(say("{word} is no sector: they go from 1 to {n}.", word=word, n=state.mode.sectors))
    return int(word)


def _kind(word: str) -> str:
    kind = "X" if word.lower() == PLANET else KIND_OF_WORD.get(word.lower())
    if kind is None:
        raise Invalid(say("{word} is no object. Objects: {known}.", word=word, known=", ".join(KIND_OF_WORD)))
    return kind


def _one_of(word: str, known: tuple[str, ...]) -> str:
    if word not in known:
        raise Invalid(say("{word} is not known here. Known: {known}.", word=word, known=", ".join(known)))
    return word


def _count(word: str) -> int:
    if not word.isdecimal() or not word.isascii() or len(word) > 2:
        raise Invalid(say("{word} is no number of theories.", word=word))
    return int(word)


def _code(letters: str) -> Code:
    if len(letters) <= LENGTH:
        raise Ambiguous(say("A game code has {count} letters.", count=LENGTH + 1), ("X12",))
    return Code(checked(letters))


def _conference(state: State, word: str) -> str:
    return _one_of(word.upper(), tuple(conference.name for conference in state.setting.conferences))


_READERS: dict[str, tuple[int, int, Callable[[State, Words], Action]]] = {
    "survey": (3, 3, lambda s, w: Survey(_kind(w[0]), _sector(s, w[1]), _sector(s, w[2]))),
    "target": (1, 1, lambda s, w: Target(_sector(s, w[0]))),
    "research": (1, 1, lambda _, w: Research(_one_of(w[0].upper(), tuple(TOPICS)))),
    "locate": (3, 3, lambda s, w: Locate(_sector(s, w[0]), _kind(w[1]), _kind(w[2]))),
    "theories": (1, 1, lambda _, w: Pledge(_count(w[0])) if _count(w[0]) else Pass()),
    "submit": (2, 2, lambda s, w: Submit(_sector(s, w[0]), _kind(w[1]))),
    "pass": (0, 0, lambda _s, _w: Pass()),
    "level": (1, 1, lambda _, w: Level(_one_of(w[0].lower(), LEVELS))),
    "code": (1, LENGTH + 1, lambda _, w: _code("".join(w))),
    "conference": (1, 1, lambda s, w: Confer(_conference(s, w[0]))),
    "review": (2, 2, lambda s, w: Review(_sector(s, w[0]), _kind(w[1]))),
    "reveal": (0, 0, lambda _s, _w: Reveal()),
    "mark": (3, 3, lambda s, w: Mark(_sector(s, w[0]), _kind(w[2]), _one_of(w[1].lower(), ("is", "not")) == "is")),
    "unmark": (0, 0, lambda _s, _w: Unmark()),
}
"""Per verb: the fewest and the most words after it, and what they mean."""
