"""HTML as the club's pages are made of it: whatever a table or a person said stands in it as text, never as markup."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape
from typing import TypeAlias
from urllib.parse import urlencode

import msgspec

from device.locale import LANGUAGES, NAMES, translate
from device.web.page_language import tag as of_language
from engine.text import Text


class Markup(str):
    """HTML that is sound; any other text is escaped where it is put in."""

    __slots__ = ()


Inside: TypeAlias = "Markup | str | Iterable[Markup | str | None] | None"
KEYED = frozenset({"tournaments", "tournament"})
"""Pages on which an organiser orders: no link to another carries the key, which somebody may pass on."""

VOID = frozenset({"input", "link", "meta", "br"})
PLAIN = frozenset({"option", "textarea", "title"})
"""Elements that hold text alone."""

_LEFTWARD = "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
_APART = re.compile(rf"{_LEFTWARD}+(?:[^\w&<>]+{_LEFTWARD}+)*")
"""Words that are written from right to left (Unicode's DerivedBidiClass: R and AL), with the blanks between them."""


def tag(name: str, /, *inside: Inside, **attributes: str | bool | float | None) -> Markup:
    """An element. attributes: without those that are None or False; `_` is a hyphen, and a last one none at all (`for_`
    is `for`)."""
    written = "".join(_attribute(key, value) for key, value in attributes.items())
    content = "".join(_parts(inside, apart=name not in PLAIN))
    return Markup(f"<{name}{written}>" + ("" if name in VOID else f"{content}</{name}>"))


def together(*inside: Inside) -> Markup:
    """One after another."""
    return Markup("".join(_parts(inside)))


def _parts(inside: Iterable[Inside], *, apart: bool = True) -> Iterable[str]:
    """Yield the parts as HTML. apart: words from right to left, such as names, are set apart from the text around them,
    or a browser draws a number that follows before them."""
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
    """Whose page it is. language: of the page. asked: the address named it, so that links from the page do, too. token:
    of the organiser; "" for everybody else."""

    language: str
    asked: bool = False
    token: str = ""

    def says(self, text: Text) -> str:
        return translate(text, self.language)

    def speaks(self, said: str) -> str:
        """Return a table's English sentence in the page's language, if it is a whole message of the catalogues."""
        return translate(Text(said), self.language)

    def quotes(self, said: str) -> Markup:
        """Return a table's sentence as `speaks` does, marked where its language is not the page's."""
        spoken = self.speaks(said)
        foreign = spoken == said and self.language != "en"
        return tag("span", spoken, lang="en") if foreign else together(spoken)

    def to(self, page: str, **asked: str) -> str:
        """The address of a page of this site, in the page's language if that was chosen."""
        words = {key: value for key, value in asked.items() if value}
        if self.token and page in KEYED:
            words["key"] = self.token
        if self.asked:
            words["lang"] = self.language
        return f"/{page}?{urlencode(words)}" if words else f"/{page}"

    @property
    def page_language(self) -> str:
        """Return the language as HTML names it."""
        return of_language(self.language)

    def tongues(self, label: Text, **asked: str) -> Markup:
        """The languages to choose from, each called by its own name. asked: what else the address says."""
        options = (
            tag("option", NAMES[each], value=each, lang=of_language(each), selected=each == self.language)
            for each in LANGUAGES
        )
        hidden = {**asked, "key": self.token}
        kept = (tag("input", type="hidden", name=key, value=value) for key, value in hidden.items() if value)
        chosen = tag("select", options, id="language", name="lang", autocomplete="off", aria_label=self.says(label))
        return tag("form", kept, chosen, class_="language", method="get")
