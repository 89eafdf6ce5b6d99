"""Languages: gettext catalogues in config/locale, and those of games that are installed. English is the message itself,
but for the ids of zones and kinds.

The compiled .mo files are kept beside their .po, so that a start costs no parsing; `tools/catalogues.py` makes both.
"""

from __future__ import annotations

import gettext
import io
import logging
import re
from functools import cache
from pathlib import Path

from device.resources import AGAIN, folders
from engine.text import COUNT, PLURAL, Text, bare
from vision.files import BadFile, decoding, read_bytes

LANGUAGES = ("en", "zh_Hant", "zh_Hans", "ru")
"""Codes of the shipped languages, in the order in which they are offered."""

_FIELD = re.compile(r"\{(\w+)\}")
_log = logging.getLogger(__name__)

NAMES = {"en": "English", "zh_Hant": "繁體中文", "zh_Hans": "简体中文", "ru": "Русский"}
"""Each language in itself, for the first menu."""


@cache
def catalogue(language: str) -> gettext.NullTranslations:
    """The catalogue of a language; what is not in it is shown as the message itself: without its file, everything."""
    return chained(language)


def chained(language: str) -> gettext.NullTranslations:
    """Our catalogue of a language, and after it those of games from elsewhere: what ours lacks is looked up there, at
    last in their English."""
    code = language.replace("-", "_")
    ours, *others = folders()
    found = _read(_folder(ours, code) / "referee.mo")
    for spoken in dict.fromkeys((code, "en")):
        for path in (path for folder in others for path in sorted(_folder(folder, spoken).glob("*.mo"))):
            found.add_fallback(_read(path))
    return found


def _folder(data: Path, code: str) -> Path:
    return data / "locale" / code / "LC_MESSAGES"


def _read(path: Path) -> gettext.NullTranslations:
    try:
        data = read_bytes(path, remedy=AGAIN)
        with decoding(path, AGAIN):
            return gettext.GNUTranslations(io.BytesIO(data))
    except BadFile as error:
        _log.error("texts are shown in English: %s", error)
        return gettext.NullTranslations()


def translate(text: Text, language: str) -> str:
    """The sentence in a language, its arguments included. Whatever a catalogue or a message says, it is no program."""
    values = {name: plain(value, language) for name, value in text.args}
    message = bare(_message(text, catalogue(language))) if text.message else ""
    return _FIELD.sub(lambda field: values.get(field[1], field[0]), message)


def _message(text: Text, known: gettext.NullTranslations) -> str:
    """The message in a language, in the form that goes with its number."""
    one, _, several = text.message.partition(PLURAL)
    count = dict(text.args).get(COUNT)
    return known.ngettext(one, several, count if isinstance(count, int) else 0) if several else known.gettext(one)


def plain(value: Text | str | int, language: str) -> str:
    """An argument as it is shown."""
    return translate(value, language) if isinstance(value, Text) else str(value)
