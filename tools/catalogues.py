"""Collects the sentences to translate, compiles the catalogues, and reports what is missing.

`python -m tools.catalogues` collects every message, merges it into config/locale/*/LC_MESSAGES/referee.po and compiles
the .mo files that the program reads. `--check` changes nothing, prints every fault and exits 1 if there is one.
English is the message itself; its catalogue holds only the names of what data calls by an id: zones and kinds.
"""

from __future__ import annotations

import ast
import io
import string
import sys
import tomllib
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import NamedTuple

from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from device.locale import LANGUAGES
from device.screens import fonts
from engine.text import CONTEXT, bare

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ("engine", "vision", "device")
CALLS = ("say", "Text")
IN_CONTEXT = "meant"
_DAY = datetime(2000, 1, 1, tzinfo=UTC)  # a .mo file changes only when a message does
ELSEWHERE = (
    "device/web/",
    "device/sim/panel/",
    "device/sim/live/",
    "vision/overlay.py",
    "vision/recognition/quality.py",
)
"""Where stands what pages and terminals show, in the system's own fonts: displays need no glyph for it."""

MOST_LINES = 10
"""Lines of 126 pixels that a message may take: two full pages of the smallest display, and half a one more."""


class Problem(NamedTuple):
    """One fault of a catalogue."""

    language: str
    message: str
    what: str

    def __str__(self) -> str:
        return f"{self.language}: {self.message!r}: {self.what}"


OWN_MARKS = ":,"
"""Punctuation that each language has of its own, so that a message of nothing else is translated, too."""


class Found(NamedTuple):
    """A message, after its context if it has one, and where it stands."""

    message: str
    place: str


@cache
def collect() -> tuple[Found, ...]:
    """Every message of the program and of its data, read once."""
    found: list[Found] = []
    for source in SOURCES:
        for path in sorted((ROOT / source).rglob("*.py")):
            found += _in_python(path)
    for path in sorted((ROOT / "config" / "games").glob("*.toml")):
        found += _in_game(path)
    for path in sorted((ROOT / "config" / "mats").glob("*.toml")):
        found.append(Found(tomllib.loads(path.read_text(encoding="utf-8"))["title"], str(path.relative_to(ROOT))))
    found += names()
    return tuple(each for each in found if any(char.isalpha() or char in OWN_MARKS for char in _bare(each.message)))


@cache
def names() -> tuple[Found, ...]:
    """Ids of zones and of kinds of pieces, which no language can show as they are."""
    found: list[Found] = []
    for folder, key in (("mats", "zones"), ("sets", "kinds")):
        for path in sorted((ROOT / "config" / folder).glob("*.toml")):
            found += _names(path, key)
    return tuple(found)


def wanted(language: str) -> tuple[Found, ...]:
    """What a language's catalogue must hold."""
    return names() if language == "en" else collect()


def on_displays(places: Iterable[str]) -> bool:
    """True if a message of these places may be shown on a display."""
    return any(not place.startswith(ELSEWHERE) for place in places)


def _in_python(path: Path) -> Iterator[Found]:
    """First arguments of say("...") and Text("...") calls; both of meant("...", "...")."""
    place = str(path.relative_to(ROOT))
    text = path.read_text(encoding="utf-8")
    if not any(f"{name}(" in text for name in (*CALLS, IN_CONTEXT)):
        return
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or not node.args:
            continue
        if node.func.id in CALLS:
            first = node.args[0]
            either = (first.body, first.orelse) if isinstance(first, ast.IfExp) else (first,)
            yield from (Found(message, place) for message in _constants(either))
        elif node.func.id == IN_CONTEXT and len(parts := _constants(node.args)) == 2:
            yield Found(CONTEXT.join(parts), place)


def _constants(nodes: Iterable[ast.expr]) -> list[str]:
    return [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]


def _in_game(path: Path) -> Iterator[Found]:
    """A game's title, and what a person reads of its options."""
    game = tomllib.loads(path.read_text(encoding="utf-8"))
    place = str(path.relative_to(ROOT))
    yield Found(game["title"], place)
    if "short" in game:
        yield Found(game["short"], place)
    for option in game.get("options", ()):
        shown = (option["title"], option.get("help", ""), *(option.get("labels") or map(str, option["values"])))
        yield from (Found(text, place) for text in shown if text)


def _names(path: Path, key: str) -> Iterator[Found]:
    """Names of zones, kinds of pieces: shown where a piece or a place is named that no game has a better word for."""
    for entry in tomllib.loads(path.read_text(encoding="utf-8")).get(key, ()):
        yield Found(entry if isinstance(entry, str) else entry["name"], str(path.relative_to(ROOT)))


def _bare(message: str) -> str:
    return "".join(text for text, *_ in string.Formatter().parse(bare(message)))


def fields(message: str) -> set[str]:
    """The names of the fields that a message has."""
    return {name for _, name, _, _ in string.Formatter().parse(message) if name is not None}


def po(language: str) -> Path:
    """A language's catalogue."""
    return ROOT / "config" / "locale" / language / "LC_MESSAGES" / "referee.po"


def read(language: str) -> Catalog:
    """A language's catalogue as it is now; empty if there is none."""
    if not po(language).exists():
        return Catalog(locale=language, fuzzy=False)
    with po(language).open("rb") as file:
        return read_po(file, locale=language)


def merged(language: str, found: Iterable[Found]) -> Catalog:
    """The catalogue with exactly the messages of the program, translated as far as it was."""
    old = read(language)
    new = Catalog(locale=language, project="table-referee", header_comment="# Messages of the table referee.")
    new.fuzzy = False
    for message, place in sorted(found):
        context, word = _split(message)
        known = old.get(word, context)
        new.add(word, known.string if known else "", locations=[(place, 0)], context=context)
    return new


def _split(message: str) -> tuple[str | None, str]:
    """Context and message."""
    context, _, word = message.rpartition(CONTEXT)
    return context or None, word


def _whole(entry: Message) -> str:
    """The message of an entry, after its context if it has one."""
    return f"{entry.context}{CONTEXT}{entry.id}" if entry.context else str(entry.id)


def po_bytes(catalog: Catalog) -> bytes:
    """The .po file: sorted, without dates and line numbers, so that it changes only when a message does."""
    out = io.BytesIO()
    write_po(out, catalog, width=0, sort_output=True, include_lineno=False, omit_header=True)
    header = f'msgid ""\nmsgstr ""\n"Language: {catalog.locale}\\n"\n"Content-Type: text/plain; charset=utf-8\\n"\n\n'
    return header.encode() + out.getvalue()


def mo_bytes(language: str) -> bytes:
    """The .mo file that belongs to the .po file as it is."""
    catalog = Catalog(locale=language, creation_date=_DAY, revision_date=_DAY, fuzzy=False)
    for message in read(language):
        if message.id and message.string:
            catalog.add(message.id, message.string, context=message.context)
    out = io.BytesIO()
    write_mo(out, catalog)
    return out.getvalue()


def update() -> None:
    """Merges what the program says into every catalogue, and compiles them."""
    for language in LANGUAGES:
        found = wanted(language)
        po(language).parent.mkdir(parents=True, exist_ok=True)
        po(language).write_bytes(po_bytes(merged(language, found)))
        po(language).with_suffix(".mo").write_bytes(mo_bytes(language))
        count = sum(1 for message in read(language) if message.id and message.string)
        print(f"{language}: {count} of {len({each.message for each in found})} translated")


def check_catalogues() -> list[Problem]:
    """What is wrong with the catalogues: missing, out of date, other fields, no glyph, too long."""
    drawn = _drawn(collect())
    problems = [p for message in sorted(drawn) for p in _glyphs("en", message, bare(message))]
    for language in LANGUAGES:
        found, catalog = wanted(language), read(language)
        known = {_whole(message): message for message in catalog if message.id}
        for message in sorted({each.message for each in found}):
            problems += _faults(language, message, known.get(message), drawn=message in drawn)
        problems += [
            Problem(language, str(message), "nothing says this any more: run python -m tools.catalogues")
            for message in sorted(known.keys() - {each.message for each in found})
        ]
        compiled = po(language).with_suffix(".mo")
        if not compiled.exists() or compiled.read_bytes() != mo_bytes(language):
            problems.append(Problem(language, "", f"{compiled.name} is out of date: run python -m tools.catalogues"))
    return problems


def _drawn(found: Iterable[Found]) -> set[str]:
    """The messages that a display may have to draw."""
    places: dict[str, list[str]] = {}
    for message, place in found:
        places.setdefault(message, []).append(place)
    return {message for message, where in places.items() if on_displays(where)}


def _faults(language: str, message: str, entry: Message | None, *, drawn: bool) -> Iterator[Problem]:
    if entry is None or not entry.string:
        yield Problem(language, message, "not translated")
        return
    translated = str(entry.string)
    if fields(translated) != fields(message):
        yield Problem(language, message, f"its fields are {sorted(fields(translated))}")
    if drawn:
        yield from _glyphs(language, message, translated)


def _glyphs(language: str, message: str, text: str) -> Iterator[Problem]:
    if lacking := fonts.missing(text):
        yield Problem(language, message, f"no glyph for {''.join(sorted(lacking))}: run python -m tools.build_fonts")
    if (lines := len(fonts.wrap(text, 126, language))) > MOST_LINES:
        yield Problem(language, message, f"takes {lines} lines of 126 pixels, {MOST_LINES} at most")


def main() -> int:
    if "--check" not in sys.argv[1:]:
        update()
        return 0
    problems = check_catalogues()
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
