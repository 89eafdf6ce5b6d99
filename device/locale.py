"""Languages: gettext catalogues in config/locale, and those of games that are installed. English is the message itself,
but for the ids of zones and kinds.

The compiled .mo files are kept beside their .po, so that a start costs no parsing; `tools/catalogues.py` makes both.
"""

from __future__ import annotations

import gettext
import io
import logging
import re
from functools import cache, lru_cache
from pathlib import Path

import msgspec

from device.resources import AGAIN, ResourceMissing, find, folders
from engine.text import COUNT, PLURAL, Text, bare
from vision.files import BadFile, NoFile, decoding, exists, read_bytes, read_toml

_FIELD = re.compile(r"\{(\w+)\}")
_log = logging.getLogger(__name__)


class Language(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A row of languages.toml. name: in itself. font: a variant of config/fonts. ellipsis: for words cut off.
    alphabet: the capitals of which names are spelled at the buttons."""

    code: str
    name: str
    font: str = "sc"
    ellipsis: str = "..."
    alphabet: str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    language: tuple[Language, ...]


ENGLISH = Language("en", "English")


@cache
def languages() -> dict[str, Language]:
    """Every language by its code, in the order in which they are offered: ours, then those that others bring. English
    is never missing."""
    found: dict[str, Language] = {}
    for path in _lists():
        try:
            for each in read_toml(path, _File, remedy=AGAIN).language:
                found.setdefault(each.code, each)
        except NoFile:
            continue
        except BadFile as error:
            _log.error("its languages are not offered: %s", error)
    return found if "en" in found else {"en": ENGLISH, **found}


def _lists() -> list[Path]:
    try:
        return [folder / "locale" / "languages.toml" for folder in folders()]
    except ResourceMissing as error:  # told by whatever needs more than words
        _log.error("texts are shown in English: %s", error)
        return []


LANGUAGES = tuple(languages())
"""Their codes."""

NAMES = {code: language.name for code, language in languages().items()}
"""Each language in itself, for the first menu."""


@cache
def catalogue(language: str) -> gettext.NullTranslations:
    """The catalogue of a language; what is not in it is shown as the message itself: without its file, everything."""
    return chain(language)


def chain(language: str) -> gettext.NullTranslations:
    """Return our catalogue of a language, followed by those of games and extensions: they hold what ours lacks, at last
    in English."""
    code = language.replace("-", "_")
    main = find("locale", code, "LC_MESSAGES", "referee.mo")
    found = _read(main)
    for spoken in dict.fromkeys((code, "en")):
        places = (data / "locale" / spoken / "LC_MESSAGES" for data in folders()[1:])
        others = [path for place in places if exists(place) for path in place.glob("*.mo")]
        for path in sorted(set(others) - {main}):
            found.add_fallback(_read(path))
    return found


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
    known = catalogue(language)
    try:
        return _translate(text, language, known, msgspec.json.encode(text))
    except (TypeError, ValueError):  # some argument is none that can be looked up
        return _translate.__wrapped__(text, language, known, b"")


@lru_cache(maxsize=1024)
def _translate(text: Text, language: str, known: gettext.NullTranslations, _exact: bytes) -> str:
    """Most sentences of a screen stood on one before, and one screen asks for each of them several times.

    _exact: the text as JSON, which tells apart what is equal but looks different, such as 1 and True.
    """
    message = bare(_message(text, known)) if text.message else ""
    if not text.args:
        return message
    values = {name: plain(value, language) for name, value in text.args}
    return _FIELD.sub(lambda field: values.get(field[1], field[0]), message)


def _message(text: Text, known: gettext.NullTranslations) -> str:
    """The message in a language, in the form that goes with its number."""
    one, _, several = text.message.partition(PLURAL)
    if not several:
        return known.gettext(one)
    count = dict(text.args).get(COUNT)
    return known.ngettext(one, several, count if isinstance(count, int) else 0)


def plain(value: Text | str | int, language: str) -> str:
    """An argument as it is shown."""
    return translate(value, language) if isinstance(value, Text) else str(value)
