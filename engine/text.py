"""Sentences as data: an English message and its arguments, put into a language only where it is shown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import TypeAlias

import msgspec

COUNT = "count"
"""The field by which the form of a sentence with a number is chosen."""

CONTEXT = "\x04"
"""Between a context and its message, as in gettext's own catalogues."""


PLURAL = "\0"
"""Between a message about one and the same about several, as in gettext's own catalogues."""


_SEAT = f"seat{CONTEXT}"
_SIDE = f"{_SEAT}{{side}}"


class Text(msgspec.Struct, frozen=True, order=True):
    """A message in English (the gettext msgid, with `{name}` fields) and the values of its fields.

    A value that is itself a `Text` is translated too; a `str` or `int` is shown as it is. A message that is translated
    otherwise elsewhere has its context before it (`in_context`); one that differs with a number has both (`many`).
    """

    message: str
    args: tuple[tuple[str, Text | str | int], ...] = ()

    def __str__(self) -> str:
        """The English sentence, for logs, tests and notation."""
        values = dict(self.args)
        one, _, several = bare(self.message).partition(PLURAL)
        message = several if several and values.get(COUNT) != 1 else one
        return message.format(**{name: str(value) for name, value in values.items()})


def say(message: str, **args: Text | str | int) -> Text:
    """A translatable sentence. Babel collects the first argument of every `say(...)` call as a msgid."""
    return Text(message, tuple(sorted(args.items()) if len(args) > 1 else args.items()))


def verbatim(text: str) -> Text:
    """Return a text that is the same in every language, such as a name or a letter."""
    return Text("{text}", (("text", text),))


def in_context(context: str, message: str) -> Text:
    """The same for a word that other languages have several words for. context: what is meant, for the translator."""
    return Text(f"{context}{CONTEXT}{message}")


def many(one: str, several: str, count: int, **args: Text | str | int) -> Text:
    """A sentence with a number, `{count}`: languages have up to six forms of it, English two."""
    return Text(f"{one}{PLURAL}{several}", tuple(sorted({**args, COUNT: count}.items())))


@cache
def who(seat: str) -> Text:
    """The player at a seat, as people call them: by the name if one is known where it is shown (`with_names`), else by
    the seat's letter. seat: its letter."""
    return Text(f"{_SEAT}{seat.upper()}")


def player(number: int) -> Text:
    """Somebody who takes part in an evening. number: from 0."""
    return say("Player {number}", number=number + 1)


def side_of(seat: str, side: Text) -> Text:
    """A game's own word for a player by the pieces, and before it the name, if one is known. seat: its letter."""
    return Text(_SIDE, (("seat", seat.upper()), ("side", side)))


def seat_of(seat: str) -> Text:
    """The same where a letter alone would not tell that a player is meant."""
    return say("Seat {seat}", seat=who(seat))


def in_row(texts: Iterable[Text], by: str) -> Text:
    """Several of the same kind one after another, with `by` between them."""
    args = tuple((f"n{place}", text) for place, text in enumerate(texts))
    return args[0][1] if len(args) == 1 else Text(by.join(f"{{{name}}}" for name, _ in args), args)


_SEAT_OF = say("Seat {seat}").message
_PLAYER = say("Player {number}").message

Names: TypeAlias = "Mapping[str, str | Text]"
"""What players are called, by their seats, and by their numbers from 1 in an evening: a name of their own, or what a
game calls them by their pieces."""


def with_names(text: Text, names: Names) -> Text:
    """The sentence with the players in it as they are called; a seat that is not in `names` keeps its letter, and a
    player of an evening the number."""
    values = dict(text.args)
    if text.message in (_SEAT_OF, _PLAYER, _SIDE):
        name = names.get(str(values.get("number", values.get("seat"))).lower())
        if not isinstance(name, str):
            return text
        own = verbatim(name)
        return own if text.message != _SIDE else say("{name} ({side})", name=own, side=values["side"])
    if is_player(text.message):
        name = names.get(bare(text.message).lower())
        return text if name is None else name if isinstance(name, Text) else verbatim(name)
    if not any(isinstance(value, Text) for _, value in text.args):
        return text
    args = tuple((key, with_names(value, names) if isinstance(value, Text) else value) for key, value in text.args)
    return Text(text.message, args)


def is_player(message: str) -> bool:
    """True if it stands for a player: no catalogue has it."""
    return message.startswith(_SEAT)


def clean(text: str) -> str:
    """One line without what cannot be seen, such as what would do something to a terminal or turn the line around."""
    return " ".join("".join(char for char in text if char.isprintable() or char.isspace()).split())


def bare(message: str) -> str:
    """A message without its context."""
    return message.rpartition(CONTEXT)[2]
