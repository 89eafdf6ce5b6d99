"""Translates texts with gettext catalogues of the program and games. English is the message itself, except for ids.

Compiled .mo files are kept for a fast start; `tools/catalogues.py` makes them.
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
    """A row of languages.toml. name: in itself. font: variant in config/fonts. alphabet: capitals to spell
    names."""

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
    """Return languages by code in menu order; English is always there."""
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
    except ResourceMissing as error:  # told by whatever needs data
        _log.error("texts are shown in English: %s", error)
        return []


LANGUAGES = tuple(languages())
"""Language codes."""

NAMES = {code: language.name for code, language in languages().items()}
"""Languages' own names."""


@cache
def catalogue(language: str) -> gettext.NullTranslations:
    """Return a language's `chain`, cached."""
    return chain(language)


def chain(language: str) -> gettext.NullTranslations:
    """Return the program's catalogue, with those of games and extensions as fallback, then English."""
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
    """Return a text in a language, with its arguments."""
    known = catalogue(language)
    try:
        return _translate(text, language, known, msgspec.json.encode(text))
    except (TypeError, ValueError):  # an argument can't be encoded or hashed
        return _translate.__wrapped__(text, language, known, b"")


@lru_cache(maxsize=1024)
def _translate(text: Text, language: str, known: gettext.NullTranslations, _exact: bytes) -> str:
    message = bare(_message(text, known)) if text.message else ""
    if not text.args:
        return message
    values = {name: plain(value, language) for name, value in text.args}
    return _FIELD.sub(lambda field: values.get(field[1], field[0]), message)


def _message(text: Text, known: gettext.NullTranslations) -> str:
    one, _, several = text.message.partition(PLURAL)
    if not several:
        return known.gettext(one)
    count = dict(text.args).get(COUNT)
    return known.ngettext(one, several, count if isinstance(count, int) else 0)


def plain(value: Text | str | int, language: str) -> str:
    """Return an argument as shown."""
    return translate(value, language) if isinstance(value, Text) else str(value)
