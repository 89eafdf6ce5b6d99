"""Languages: gettext catalogues in config/locale. English is the message itself, but for the ids of zones and kinds.

The compiled .mo files are kept beside their .po, so that a start costs no parsing; `tools/catalogues.py` makes both.
"""

from __future__ import annotations

import gettext
from functools import cache

from device.resources import root
from engine.text import Text, bare

LANGUAGES = ("en", "zh_Hant", "zh_Hans", "ru")
"""Codes of the shipped languages, in the order in which they are offered."""

NAMES = {"en": "English", "zh_Hant": "繁體中文", "zh_Hans": "简体中文", "ru": "Русский"}
"""Each language in itself, for the first menu."""


@cache
def catalogue(language: str) -> gettext.NullTranslations:
    """The catalogue of a language; what is not in it is shown as the message itself."""
    return gettext.translation("referee", str(root() / "locale"), [language.replace("-", "_")])


def translate(text: Text, language: str) -> str:
    """The sentence in a language, its arguments included."""
    message = bare(catalogue(language).gettext(text.message)) if text.message else ""
    return message.format(**{name: plain(value, language) for name, value in text.args})


def plain(value: Text | str | int, language: str) -> str:
    """An argument as it is shown."""
    return translate(value, language) if isinstance(value, Text) else str(value)
