"""Reads a game's clauses (docs/rules) into data for the pages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain, groupby, product
from pathlib import Path

import msgspec
import snowballstemmer

from vision.files import read_text

_UNSHOWN = ("# ", "<!--")
"""Begin lines that are left out: the game's name, which pages know in each language, and a translation's source."""
_HEADING = re.compile(r"##+ +(.*)")
_CLAUSE = re.compile(r"\s*- ([A-Z]\d+[a-z]?)\b[ :]*(.*)")
_ITEM = re.compile(r"(?:- |\d+\. )(.*)")
_RULE = re.compile(r"\|[-|: ]+\|")
_LINK = re.compile(r"\[([^\[\]]*)\]\(([^()]*)\)")
_BRACKETS = re.compile(r" ?\[([^\[\]]*)\]")
_SOURCE = re.compile(r"(?:zh|ru|EN|ES|FORUM|app|ext|fan|impl|derived|assumed|ambiguous|contradiction)\b")
_TERM = re.compile(r"\*\*(.*?)\*\*")
_PARTS = re.compile(r"`([^`]*)`|\*\*(.*?)\*\*")
_WORD = re.compile(r"\w+")
_STEMMERS = {"en": "english", "ru": "russian"}
"""Snowball's names of the languages whose words are inflected; in others a term has one form."""


class Block(msgspec.Struct, frozen=True, omit_defaults=True):
    """A clause, paragraph or table. clause: id, or "". rows: a table's, head first."""

    clause: str = ""
    text: str = ""
    rows: tuple[tuple[str, ...], ...] = ()


class Section(msgspec.Struct, frozen=True):
    """A heading and what follows. title: "" before the first heading."""

    title: str
    blocks: tuple[Block, ...]


class Rulebook(msgspec.Struct, frozen=True):
    """A game's rules.

    pieces: kinds with a drawing and a name.
    terms: clause that explains each term, bold there.
    forms: the same by the terms' other forms in the rules.
    """

    language: str
    pieces: tuple[str, ...]
    terms: dict[str, str]
    forms: dict[str, str]
    sections: tuple[Section, ...]

    def clauses(self) -> tuple[str, ...]:
        """Return all clause ids, in order."""
        return tuple(block.clause for section in self.sections for block in section.blocks if block.clause)


def read(path: Path, pieces: tuple[str, ...] = (), language: str = "en") -> Rulebook:
    """Return a file's rules. pieces, language: stored unchanged. Raises BadFile if unreadable."""
    found = [("", list[str]())]
    terms: dict[str, str] = {}
    for line in read_text(path).splitlines():
        if clause := _CLAUSE.fullmatch(line):
            terms |= dict.fromkeys(_TERM.findall(line), clause[1])
        if heading := _HEADING.fullmatch(line):
            found.append((plain(heading[1]), []))
        elif not line.startswith(_UNSHOWN):
            found[-1][1].append(line)
    every = (Section(title, tuple(_blocks(own))) for title, own in found)
    sections = tuple(section for section in every if section.blocks)
    return Rulebook(language, pieces, terms, _forms(terms, _all_texts(sections), language), sections)


def _all_texts(sections: Iterable[Section]) -> Iterator[str]:
    for section in sections:
        for block in section.blocks:
            yield block.text
            yield from chain.from_iterable(block.rows)


def _forms(terms: dict[str, str], texts: Iterable[str], language: str) -> dict[str, str]:
    """Return the terms' clauses by each other form in the texts that has the term's stem and its first letter's case (a
    swap is no Swap). Stems are Snowball's (Porter, 1980)."""
    if language not in _STEMMERS:
        return {}
    stemmer = snowballstemmer.stemmer(_STEMMERS[language])
    known = {tuple(stemmer.stemWords(_WORD.findall(term.lower()))): term for term in terms}
    lengths = {len(stems) for stems in known}
    found: dict[str, str] = {}
    for text in texts:
        words = list(_WORD.finditer(text))
        stems = stemmer.stemWords([word[0].lower() for word in words])
        for first, length in product(range(len(words)), lengths):
            term = known.get(tuple(stems[first : first + length]))
            if term is None:
                continue
            form = text[words[first].start() : words[first : first + length][-1].end()]
            if form not in terms and form[0].isupper() == term[0].isupper():
                found[form] = terms[term]
    return found


def plain(text: str) -> str:
    """Return text without Markdown and source marks."""
    return _BRACKETS.sub(_mark, _PARTS.sub(r"\1\2", _LINK.sub(r"\1", text))).strip()


def _mark(found: re.Match[str]) -> str:
    return "" if _SOURCE.match(found[1]) else found[0]


def _blocks(lines: Iterable[str]) -> Iterator[Block]:
    for is_table, group in groupby(lines, lambda line: line.startswith("|")):
        if is_table:
            yield _table(group)
        else:
            yield from _texts(group)


def _table(lines: Iterable[str]) -> Block:
    rows = (line.strip().strip("|").split("|") for line in lines if not _RULE.fullmatch(line.strip()))
    return Block(rows=tuple(tuple(plain(cell) for cell in row) for row in rows))


def _texts(lines: Iterable[str]) -> Iterator[Block]:
    """Join each clause or paragraph with its continued lines."""
    joined: list[tuple[str, str]] = []
    goes_on = False
    for line in lines:
        clause, item = _CLAUSE.fullmatch(line), _ITEM.fullmatch(line)
        if clause is not None:
            joined.append((clause[1], clause[2]))
        elif item is not None:
            joined.append(("", item[1]))
        elif goes_on and line.strip():
            joined[-1] = joined[-1][0], f"{joined[-1][1]} {line.strip()}"
        elif line.strip():
            joined.append(("", line.strip()))
        goes_on = bool(line.strip())
    return (Block(clause, plain(text)) for clause, text in joined)
