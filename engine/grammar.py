"""Walks through `choices()`: the shared grammar of legal actions, menus and notation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

import msgspec

from engine.errors import Ambiguous, Invalid
from engine.game import Choice, Game, Words
from engine.table import Seat
from engine.text import Text, say
from engine.view import Event

WHOLE = "whole"
"""Argument of a verb that holds the sentence for a complete action."""

SLOTS = "abcd"
"""Fields of such a sentence: the words after the verb, in order."""

S = TypeVar("S", bound=msgspec.Struct)
A = TypeVar("A", bound=msgspec.Struct)


def sentences(game: Game[S, A], state: S, seat: Seat, prefix: Words = ()) -> Iterator[Words]:
    """Yield the complete actions of `seat` that begin with `prefix`, in menu order."""
    for choice in game.choices(state, seat, prefix):
        words = (*prefix, choice.word)
        if choice.final:
            yield words
        else:
            yield from sentences(game, state, seat, words)


def legal(game: Game[S, A], state: S, seat: Seat) -> Iterator[A]:
    return (game.read(state, seat, words) for words in sentences(game, state, seat))


def menu(commands: Iterable[Words], prefix: Words, text: Callable[[str], Text]) -> tuple[Choice, ...]:
    """Return the words that may follow `prefix`, given all commands of a small game."""
    found = {}
    for words in commands:
        if words[: len(prefix)] == prefix and len(words) > len(prefix):
            word = words[len(prefix)]
            found[word] = Choice(word, text(word), len(words) == len(prefix) + 1)
    return tuple(found.values())


def reading(name: Text, whole: Text) -> Text:
    """Return a verb's name with the sentence for complete actions, such as "{a} to the {b}"; its last slot is the last
    word."""
    return Text(name.message, tuple(sorted((*name.args, (WHOLE, whole.message)))))


def in_words(choices: Callable[[Words], tuple[Choice, ...]], words: Words) -> Text:
    """Return an action or correction as its menus read. choices: the words after a prefix."""
    return phrase_words([_word(choices(words[:place]), word) for place, word in enumerate(words)])


def phrase_words(path: Sequence[Text | str]) -> Text:
    """Return an action's words, complete or not, as a sentence: its `reading`, else with a colon."""
    action, *rest = path
    whole = dict(action.args).get(WHOLE) if isinstance(action, Text) else None
    if (
        isinstance(action, Text)
        and isinstance(whole, str)
        and len(rest) == max(SLOTS.find(slot) + 1 for slot in SLOTS if f"{{{slot}}}" in whole)
    ):
        kept = [(name, value) for name, value in action.args if name != WHOLE]
        return Text(whole, tuple(sorted((*kept, *zip(SLOTS, rest, strict=False)))))
    if not rest or ":" in str(action):
        return _list_words([action, *rest])
    # Translators: an action and what it is done with, such as "Exchange: Crown, Left end".
    return say("{action}: {rest}", action=action, rest=_list_words(rest))


def correction(choices: Callable[[Words], tuple[Choice, ...]], words: Words) -> Event:
    """Return a correction's public event. Raises Invalid if menus do not offer it, Ambiguous if words are missing."""
    final = False
    for number, word in enumerate(words):
        found = next((choice for choice in choices(words[:number]) if choice.word == word), None)
        if found is None or final:
            raise Invalid(say("This can't be corrected like that: {words}", words=" ".join(words)))
        final = found.final
    if not final:
        raise Ambiguous(say("What is to be corrected? {words} …", words=" ".join(words)))
    return Event(say("Corrected: {words}.", words=in_words(choices, words)), audience=None)


def _list_words(texts: list[Text | str]) -> Text:
    first, *more = texts
    listed = say("{word}", word=first)  # Translators: a word alone, as it stands in a list
    for second in more:
        # Translators: the comma between the words of a list.
        listed = say("{first}, {second}", first=listed, second=second)
    return listed


def _word(choices: tuple[Choice, ...], word: str) -> Text | str:
    return next((choice.text for choice in choices if choice.word == word), word)


def wander(game: Game[S, A], state: S, seat: Seat, pick: Callable[[int], int]) -> Words:
    """Draw a complete action by a random walk through the menus, which favours short ones; () if there is none.
    pick(n): a number below n."""
    words: Words = ()
    while choices := game.choices(state, seat, words):
        choice = choices[pick(len(choices))]
        words = (*words, choice.word)
        if choice.final:
            return words
    return ()
