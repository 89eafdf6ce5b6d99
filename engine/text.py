"""Sentences as data: an English message with arguments, translated when shown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache, reduce
from string import Formatter
from typing import TypeAlias

import msgspec

COUNT = "count"
"""Field that chooses the plural form."""

CONTEXT = "\x04"
"""Separator of context and message, as in gettext."""


PLURAL = "\0"
"""Separator of singular and plural."""


_SEAT = f"seat{CONTEXT}"
_SIDE = f"{_SEAT}{{side}}"


class Text(msgspec.Struct, frozen=True, order=True):
    """An English message (gettext msgid with `{name}` fields) and its arguments.

    `Text` arguments are translated, `str` and `int` are not. `in_context` and `many` make contexts and plurals."""

    message: str
    args: tuple[tuple[str, Text | str | int], ...] = ()

    def __str__(self) -> str:
        """Return English, for logs, tests and notation."""
        values = dict(self.args)
        one, _, several = bare(self.message).partition(PLURAL)
        message = several if several and values.get(COUNT) != 1 else one
        return message.format(**{name: str(value) for name, value in values.items()})


def say(message: str, **args: Text | str | int) -> Text:
    """Make a translatable sentence; Babel collects the first argument as msgid."""
    return Text(message, tuple(sorted(args.items()) if len(args) > 1 else args.items()))


def verbatim(text: str) -> Text:
    """Make a text that is never translated, such as a name."""
    return Text("{text}", (("text", text),))


def in_context(context: str, message: str) -> Text:
    """Make a text for an ambiguous word. context: its meaning, for translators."""
    return Text(f"{context}{CONTEXT}{message}")


def many(one: str, several: str, count: int, **args: Text | str | int) -> Text:
    """Make a sentence with a number, `{count}`, in plural forms."""
    return Text(f"{one}{PLURAL}{several}", tuple(sorted({**args, COUNT: count}.items())))


@cache
def who(seat: str) -> Text:
    """Return a seat's player, shown by name if `with_names` knows it, else by letter."""
    return Text(f"{_SEAT}{seat.upper()}")


def player(number: int) -> Text:
    """Return a player of an evening. number: from 0."""
    return say("Player {number}", number=number + 1)


def side_of(seat: str, side: Text) -> Text:
    """Return a game's name for a player by the pieces, preceded by the player's name if known."""
    return Text(_SIDE, (("seat", seat.upper()), ("side", side)))


def seat_of(seat: str) -> Text:
    """Return a player as "Seat A", where a bare letter would be unclear."""
    return say("Seat {seat}", seat=who(seat))


def in_row(texts: Iterable[Text], by: str) -> Text:
    args = tuple((f"n{place}", text) for place, text in enumerate(texts))
    return args[0][1] if len(args) == 1 else Text(by.join(f"{{{name}}}" for name, _ in args), args)


def list_texts(texts: Iterable[Text | str]) -> Text:
    """Join texts with the comma that each language has for lists."""
    every = [text if isinstance(text, Text) else verbatim(text) for text in texts]
    return reduce(lambda first, rest: say("{first}, {rest}", first=first, rest=rest), every) if every else Text("")


_SEAT_OF = say("Seat {seat}").message
_PLAYER = say("Player {number}").message

Names: TypeAlias = "Mapping[str, str | Text]"
"""Names of players by seat, or by number from 1 in an evening."""


def with_names(text: Text, names: Names) -> Text:
    """Replace players by their names; unnamed ones keep letter or number."""
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
    return message.startswith(_SEAT)


def first_player(text: Text) -> str | None:
    """Return the seat of the player whom the English sentence names first, or None."""
    values = dict(text.args)
    if text.message == _SIDE:
        return str(values["seat"]).lower()
    if is_player(text.message):
        return bare(text.message).lower()
    fields = (values.get(name) for _, name, _, _ in Formatter().parse(bare(text.message)) if name)
    return next(filter(None, (first_player(value) for value in fields if isinstance(value, Text))), None)


def clean(text: str) -> str:
    """Return one line without unprintable characters, such as terminal or bidirectional controls."""
    return " ".join("".join(char for char in text if char.isprintable() or char.isspace()).split())


def bare(message: str) -> str:
    return message.rpartition(CONTEXT)[2]
