"""Sentences as data: an English message and its arguments, put into a language only where it is shown."""

from __future__ import annotations

import msgspec

CONTEXT = "\x04"
"""Between a context and its message, as in gettext's own catalogues."""


class Text(msgspec.Struct, frozen=True, order=True):
    """A message in English (the gettext msgid, with `{name}` fields) and the values of its fields.

    A value that is itself a `Text` is translated too; a `str` or `int` is shown as it is. A message that is translated
    otherwise elsewhere has its context before it (`meant`).
    """

    message: str
    args: tuple[tuple[str, Text | str | int], ...] = ()

    def __str__(self) -> str:
        """The English sentence, for logs, tests and notation."""
        return bare(self.message).format(**{name: str(value) for name, value in self.args})


def say(message: str, **args: Text | str | int) -> Text:
    """A translatable sentence. Babel collects the first argument of every `say(...)` call as a msgid."""
    return Text(message, tuple(sorted(args.items()) if len(args) > 1 else args.items()))


def meant(context: str, message: str) -> Text:
    """The same for a word that other languages have several words for. context: what is meant, for the translator."""
    return Text(f"{context}{CONTEXT}{message}")


def bare(message: str) -> str:
    """A message without its context."""
    return message.rpartition(CONTEXT)[2]
