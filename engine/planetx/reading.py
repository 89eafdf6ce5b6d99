"""Notation: words to actions and back (docs/games/planetx.md)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

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
from engine.planetx.names import KIND_OF_WORD, LEVELS, TOPIC_OF_WORD, TOPICS, WORDS
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
    grammar, rest = _READERS[words[0]], words[1:]
    if len(rest) > len(grammar.words):
        raise Invalid(say("{verb} takes at most {count} words.", verb=words[0], count=len(grammar.words)))
    meant = [meaning(state, word) for meaning, word in zip(grammar.words, rest, strict=False)]
    if len(rest) < grammar.least:
        raise Ambiguous(say("{verb} needs {count} words after it.", verb=words[0], count=grammar.least))
    return grammar.made(*meant)


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
            return ("research", TOPICS[topic])
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


def _kind(_: State, word: str) -> str:
    kind = "X" if word.lower() == PLANET else KIND_OF_WORD.get(word.lower())
    if kind is None:
        raise Invalid(say("{word} is no object. Objects: {known}.", word=word, known=", ".join(KIND_OF_WORD)))
    return kind


def _one_of(word: str, known: tuple[str, ...]) -> str:
    if word not in known:
        raise Invalid(say("{word} is not known here. Known: {known}.", word=word, known=", ".join(known)))
    return word


def _topic(_: State, word: str) -> str:
    """By its word or, as in old records, by its letter."""
    name = TOPICS.get(word.upper(), word.upper())
    return TOPIC_OF_WORD[_one_of(name, tuple(TOPIC_OF_WORD))]


def _level(_: State, word: str) -> str:
    return _one_of(word.lower(), LEVELS)


def _holds(_: State, word: str) -> bool:
    return _one_of(word.lower(), ("is", "not")) == "is"


def _conference(state: State, word: str) -> str:
    return _one_of(word.upper(), tuple(conference.name for conference in state.setting.conferences))


def _count(_: State, word: str) -> int:
    if not word.isdecimal() or not word.isascii() or len(word) > 2:
        raise Invalid(say("{word} is no number of theories.", word=word))
    return int(word)


def _letters(_: State, word: str) -> str:
    return word


def _code(*words: str) -> Code:
    letters = "".join(words)
    if len(letters) <= LENGTH:
        raise Ambiguous(say("A game code has {count} letters.", count=LENGTH + 1), ("X12",))
    return Code(checked(letters))


class Grammar(NamedTuple):
    """What follows a verb: the reader of each word, how many of them at least, and the action that they make."""

    words: tuple[Callable[[State, str], Any], ...]
    least: int
    made: Callable[..., Action]


def _all(words: tuple[Callable[[State, str], Any], ...], made: Callable[..., Action]) -> Grammar:
    return Grammar(words, len(words), made)


_READERS: dict[str, Grammar] = {
    "survey": _all((_kind, _sector, _sector), Survey),
    "target": _all((_sector,), Target),
    "research": _all((_topic,), Research),
    "locate": _all((_sector, _kind, _kind), Locate),
    "theories": _all((_count,), lambda count: Pledge(count) if count else Pass()),
    "submit": _all((_sector, _kind), Submit),
    "pass": _all((), Pass),
    "level": _all((_level,), Level),
    "code": Grammar((_letters,) * (LENGTH + 1), 1, _code),
    "conference": _all((_conference,), Confer),
    "review": _all((_sector, _kind), Review),
    "reveal": _all((), Reveal),
    "mark": _all((_sector, _holds, _kind), lambda sector, holds, kind: Mark(sector, kind, holds)),
    "unmark": _all((), Unmark),
}
