"""Builds HTML; table and player texts are always escaped."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape
from typing import TypeAlias
from urllib.parse import urlencode

import msgspec

from device.locale import LANGUAGES, NAMES, translate
from device.web.html_templates import tag as of_language
from engine.text import Text


class Markup(str):
    """Safe HTML; other text is escaped on insertion."""

    __slots__ = ()


Inside: TypeAlias = "Markup | str | Iterable[Markup | str | None] | None"
KEYED = frozenset({"tournaments", "tournament"})
"""Organiser's pages; links to others omit the key."""

VOID = frozenset({"input", "link", "meta", "br"})
PLAIN = frozenset({"option", "textarea", "title"})
"""Elements with plain text only."""

_LEFTWARD = "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
_APART = re.compile(rf"{_LEFTWARD}+(?:[^\w&<>]+{_LEFTWARD}+)*")
"""Right-to-left words (Unicode's DerivedBidiClass: R, AL) with blanks between."""


def tag(name: str, /, *inside: Inside, **attributes: str | bool | float | None) -> Markup:
    """Return an element. attributes: None and False are omitted; `_` becomes a hyphen, a trailing one is dropped."""
    written = "".join(_attribute(key, value) for key, value in attributes.items())
    content = "".join(_parts(inside, apart=name not in PLAIN))
    return Markup(f"<{name}{written}>" + ("" if name in VOID else f"{content}</{name}>"))


def together(*inside: Inside) -> Markup:
    """Join parts."""
    return Markup("".join(_parts(inside)))


def _parts(inside: Iterable[Inside], *, apart: bool = True) -> Iterable[str]:
    for each in inside:
        if isinstance(each, Markup):
            yield each
        elif isinstance(each, str):
            yield _APART.sub(r"<bdi>\g<0></bdi>", escape(each)) if apart else escape(each)
        elif each is not None:
            yield from _parts(each, apart=apart)


def _attribute(key: str, value: str | bool | float | None) -> str:
    if value is None or value is False:
        return ""
    name = key.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{escape(str(value))}"'


class Visit(msgspec.Struct, frozen=True):
    """A page's viewer. asked: language chosen in the address. token: of the organiser, or ""."""

    language: str
    asked: bool = False
    token: str = ""

    def says(self, text: Text) -> str:
        return translate(text, self.language)

    def speaks(self, said: str) -> str:
        """Translate a table's sentence; an unknown one stays English."""
        return translate(Text(said), self.language)

    def quotes(self, said: str) -> Markup:
        """Translate like `speaks`, marking untranslated text as English."""
        spoken = self.speaks(said)
        foreign = spoken == said and self.language != "en"
        return tag("span", spoken, lang="en") if foreign else together(spoken)

    def to(self, page: str, **asked: str) -> str:
        """Return a page's address, with a chosen language and, if KEYED, the organiser's key."""
        words = {key: value for key, value in asked.items() if value}
        if self.token and page in KEYED:
            words["key"] = self.token
        if self.asked:
            words["lang"] = self.language
        return f"/{page}?{urlencode(words)}" if words else f"/{page}"

    @property
    def page_language(self) -> str:
        """The HTML language tag."""
        return of_language(self.language)

    def tongues(self, label: Text, **asked: str) -> Markup:
        """Return the language menu. asked: other parameters."""
        options = (
            tag("option", NAMES[each], value=each, lang=of_language(each), selected=each == self.language)
            for each in LANGUAGES
        )
        hidden = {**asked, "key": self.token}
        kept = (tag("input", type="hidden", name=key, value=value) for key, value in hidden.items() if value)
        chosen = tag("select", options, id="language", name="lang", autocomplete="off", aria_label=self.says(label))
        return tag("form", kept, chosen, class_="language", method="get")
