"""Sentences as data: an English message and its arguments, put into a language only where it is shown."""

from __future__ import annotations

import msgspec

COUNT = "count"
"""The field by which the form of a sentence with a number is chosen."""

CONTEXT = "\x04"
"""Between a context and its message, as in gettext's own catalogues."""


PLURAL = "\0"
"""Between a message about one and the same about several, as in gettext's own catalogues."""


class Text(msgspec.Struct, frozen=True, order=True):
    """A message in English (the gettext msgid, with `{name}` fields) and the values of its fields.

    A value that is itself a `Text` is translated too; a `str` or `int` is shown as it is. A message that is translated
    otherwise elsewhere has its context before it (`meant`); one that differs with a number has both (`many`).
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


def meant(context: str, message: str) -> Text:
    """The same for a word that other languages have several words for. context: what is meant, for the translator."""
    return Text(f"{context}{CONTEXT}{message}")


def many(one: str, several: str, count: int, **args: Text | str | int) -> Text:
    """A sentence with a number, `{count}`: languages have up to six forms of it, English two."""
    return Text(f"{one}{PLURAL}{several}", tuple(sorted({**args, COUNT: count}.items())))


def bare(message: str) -> str:
    """A message without its context."""
    return message.rpartition(CONTEXT)[2]
