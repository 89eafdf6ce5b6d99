"""Collects the sentences to translate, compiles the catalogues, and reports what is missing.

`python -m tools.catalogues` collects every message, merges it into config/locale/*/LC_MESSAGES/referee.po and compiles
the .mo files that the program reads; extensions have their own, each in its package. `--check` changes nothing, prints
every fault and exits 1 if there is one. `--pot` writes config/locale/referee.pot, a template for whoever translates.
With the folder of a game's package as argument the same is done for that game's own catalogues
(docs/developers/write-a-game.md).
English is the message itself; its catalogue holds the names of what data calls by an id: zones and kinds, and the
wording of messages that records of matches quote. Those keep their message in the code, so that records stay the same.

A comment that begins with "Translators:", above the line of a message or at its end, goes into the catalogues.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
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
from engine.text import CONTEXT, PLURAL, bare

ROOT = Path(__file__).resolve().parents[1]
CALLS = ("say", "Text")
IN_CONTEXT = "in_context"
COUNTED = "many"
_NOTE = re.compile(r"#\s*(Translators:.*)")
_DAY = datetime(2000, 1, 1, tzinfo=UTC)  # a .mo file changes only when a message does
ELSEWHERE = (
    "config/lessons/",
    "device/cli/enrol.py",
    "referee_club/",
    "device/web/",
    "referee_phones/camera_choice.py",
    "referee_phones/content.py",
    "referee_phones/websocket.py",
    "referee_phones/words.py",
    "referee_phones/worker.py",
    "referee_record/page.py",
    "referee_record/words.py",
    "referee_simulator/panel/",
    "referee_simulator/live/",
    "vision/overlay.py",
    "vision/recognition/quality.py",
)
"""Where stands what pages and terminals show, in the system's own fonts: displays need no glyph for it."""

MOST_LINES = 10
"""Lines of 126 pixels that a message may take: two full pages of the smallest display, and half a one more."""


class Domain(NamedTuple):
    """Catalogues of one name. root: what places are told against; sources: folders of Python; data: of config/."""

    name: str
    root: Path
    sources: tuple[Path, ...]
    data: Path

    @classmethod
    def of_package(cls, package: Path) -> Domain:
        """Return the domain of a game or an extension, by the folder of its package, such as pebble/."""
        package = package.resolve()
        return cls(package.name, package.parent, (package,), package / "config")

    def languages(self) -> tuple[str, ...]:
        """Return the languages to write: ours and our extensions' are all, another's those that have a folder. English
        holds names alone."""
        if self == OURS:
            return LANGUAGES
        there = tuple(path.name for path in sorted((self.data / "locale").glob("*")) if path.is_dir())
        if self in EXTENSIONS and collect(self):
            there = tuple(language for language in LANGUAGES if language != "en")
        english = ("en",) if names(self) or self.po("en").exists() else ()
        return tuple(dict.fromkeys((*english, *there)))

    def po(self, language: str) -> Path:
        """A language's catalogue."""
        return self.data / "locale" / language / "LC_MESSAGES" / f"{self.name}.po"


OURS = Domain("referee", ROOT, tuple(ROOT / each for each in ("engine", "vision", "device")), ROOT / "config")
EXTENSIONS = tuple(Domain.of_package(path.parent) for path in sorted(ROOT.glob("extensions/*/src/*/__init__.py")))


class Problem(NamedTuple):
    """One fault of a catalogue."""

    language: str
    message: str
    what: str

    def __str__(self) -> str:
        return f"{self.language}: {self.message!r}: {self.what}"


OWN_MARKS = ":,("
"""Punctuation that each language has of its own, so that a message of nothing else is translated, too."""


class Found(NamedTuple):
    """A message, after its context if it has one, where it stands, and what its translator has to know."""

    message: str
    place: str
    note: str = ""


@cache
def collect(domain: Domain = OURS) -> tuple[Found, ...]:
    """Every message of a domain's source and data, read once; of another's than ours only what our catalogues lack."""
    found: list[Found] = []
    for source in domain.sources:
        for path in sorted(source.rglob("*.py")):
            found += _in_python(path, domain)
    for path in sorted((domain.data / "games").glob("*.toml")):
        found += _in_game(path, domain)
    for path in sorted((domain.data / "lessons").glob("*.toml")):
        lessons = tomllib.loads(path.read_text(encoding="utf-8"))["lessons"]
        steps = [step for lesson in lessons for step in lesson["steps"]]
        found += [Found(step["text"], _place(path, domain), "Translators: a step of a lesson") for step in steps]
    for path in sorted((domain.data / "mats").glob("*.toml")):
        title = tomllib.loads(path.read_text(encoding="utf-8"))["title"]
        found.append(Found(title, _place(path, domain), "Translators: the title of a mat"))
    found += names(domain)
    ours = set() if domain == OURS else {each.message for each in collect()}
    said = (each for each in found if each.message not in ours)
    return tuple(each for each in said if any(char.isalpha() or char in OWN_MARKS for char in _bare(each.message)))


@cache
def names(domain: Domain = OURS) -> tuple[Found, ...]:
    """Ids of zones, of kinds of pieces and of their sets, which no language can show as they are."""
    found: list[Found] = []
    for folder, key, note in (("mats", "zones", "a zone"), ("sets", "kinds", "a kind of piece")):
        for path in sorted((domain.data / folder).glob("*.toml")):
            note_of = f"Translators: the id of {note}, to be given its name ({path.stem})"
            found += _names(path, key, domain, note_of)
    note_of = "Translators: the id of a set of pieces, to be given its name"
    found += [Found(path.stem, _place(path, domain), note_of) for path in sorted((domain.data / "sets").glob("*.toml"))]
    return tuple(found)


def wanted_messages(language: str, domain: Domain = OURS) -> tuple[Found, ...]:
    """What a language's catalogue must hold. English: names, and every message to which it gives a wording already."""
    if language != "en":
        return collect(domain)
    worded = {_whole(each) for each in read("en", domain) if each.id and all(forms(each))}
    return (*names(domain), *(each for each in collect(domain) if each.message in worded - named_ids(domain)))


def named_ids(domain: Domain = OURS) -> set[str]:
    """The ids that have names."""
    return {each.message for each in names(domain)}


def _place(path: Path, domain: Domain) -> str:
    return str(path.relative_to(domain.root))


def on_displays(places: Iterable[str]) -> bool:
    """True if a message of these places may be shown on a display."""
    return any(not place.startswith(ELSEWHERE) for place in places)


def _in_python(path: Path, domain: Domain) -> Iterator[Found]:
    """First arguments of say("...") and Text("..."), both of in_context("...", "...") and many("...", "...", n)."""
    source = path.read_text(encoding="utf-8")
    lines, place = source.splitlines(), _place(path, domain)
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or not node.args:
            continue
        note = _note(lines, node)
        if node.func.id in CALLS:
            first = node.args[0]
            either = (first.body, first.orelse) if isinstance(first, ast.IfExp) else (first,)
            yield from (Found(message, place, note) for message in _constants(either))
        elif node.func.id in (IN_CONTEXT, COUNTED) and len(parts := _constants(node.args[:2])) == 2:
            yield Found((CONTEXT if node.func.id == IN_CONTEXT else PLURAL).join(parts), place, note)


def _note(lines: list[str], call: ast.Call) -> str:
    """What the source says to translators of a call: in the comment at the end of its first line, or above it."""
    if at_end := _NOTE.search(lines[call.lineno - 1]):
        return at_end[1]
    above: list[str] = []
    for line in reversed(lines[: call.lineno - 1]):
        if not line.lstrip().startswith("#"):
            break
        above.insert(0, line.strip(" #"))
    told = " ".join(above)
    return told if told.startswith("Translators:") else ""


def _constants(nodes: Iterable[ast.expr]) -> list[str]:
    return [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]


def _in_game(path: Path, domain: Domain) -> Iterator[Found]:
    """A game's title, and what a person reads of its options."""
    game = tomllib.loads(path.read_text(encoding="utf-8"))
    place = _place(path, domain)
    yield Found(game["title"], place)
    if "short" in game:
        yield Found(game["short"], place)
    for option in game.get("options", ()):
        shown = (option["title"], option.get("help", ""), *(option.get("labels") or map(str, option["values"])))
        yield from (Found(text, place) for text in shown if text)


def _names(path: Path, key: str, domain: Domain, note: str) -> Iterator[Found]:
    """Names of zones, kinds of pieces: shown where a piece or a place is named that no game has a better word for."""
    for entry in tomllib.loads(path.read_text(encoding="utf-8")).get(key, ()):
        yield Found(entry if isinstance(entry, str) else entry["name"], _place(path, domain), note)


def _bare(message: str) -> str:
    return "".join(text for text, *_ in string.Formatter().parse(bare(message)))


def fields(message: str) -> set[str]:
    """The names of the fields that a message has."""
    return {name for _, name, _, _ in string.Formatter().parse(message) if name is not None}


def read(language: str, domain: Domain = OURS) -> Catalog:
    """A language's catalogue as it is now; empty if there is none."""
    path = domain.po(language)
    if not path.exists():
        return Catalog(locale=language, fuzzy=False)
    with path.open("rb") as file:
        return read_po(file, locale=language)


def merge_catalogue(language: str | None, found: Iterable[Found], domain: Domain = OURS) -> Catalog:
    """The catalogue with exactly the messages of the program, translated as far as it was; not at all without one."""
    old = Catalog() if language is None else read(language, domain)
    new = Catalog(locale=language, fuzzy=False)
    for message, place, note in sorted(found):
        context, ident = _split(message)
        known = old.get(ident, context)
        done = known.string if known and isinstance(known.id, str) == isinstance(ident, str) else None
        none = "" if isinstance(ident, str) else ("",) * new.num_plurals
        notes = [note] if note else []
        new.add(ident, done or none, locations=[(place, 0)], context=context, auto_comments=notes)
    return new


def _split(message: str) -> tuple[str | None, str | tuple[str, str]]:
    """Context and message; of one with a plural both."""
    context, _, word = message.rpartition(CONTEXT)
    one, counted, other = word.partition(PLURAL)
    return context or None, (one, other) if counted else word


def forms(entry: Message) -> tuple[str, ...]:
    """The translations of an entry: one, or one for each plural form of the language."""
    return tuple(entry.string) if isinstance(entry.string, tuple | list) else (str(entry.string or ""),)


def _whole(entry: Message) -> str:
    """The message of an entry as sentences have it: after its context, with its plural."""
    ident = PLURAL.join(entry.id) if isinstance(entry.id, tuple | list) else str(entry.id)
    return f"{entry.context}{CONTEXT}{ident}" if entry.context else ident


def po_bytes(catalog: Catalog) -> bytes:
    """The .po file: sorted, without dates and line numbers, so that it changes only when a message does."""
    out = io.BytesIO()
    write_po(out, catalog, width=0, sort_output=True, include_lineno=False, omit_header=True)
    told = [f"Language: {catalog.locale or ''}", "Content-Type: text/plain; charset=utf-8"]
    if catalog.locale:
        told.append(f"Plural-Forms: {catalog.plural_forms}")
    header = "".join(f'"{line}\\n"\n' for line in told)
    return f'msgid ""\nmsgstr ""\n{header}\n'.encode() + out.getvalue()


def mo_bytes(language: str, domain: Domain = OURS) -> bytes:
    """The .mo file that belongs to the .po file as it is."""
    catalog = Catalog(locale=language, creation_date=_DAY, revision_date=_DAY, fuzzy=False)
    for message in read(language, domain):
        if message.id and all(forms(message)):
            catalog.add(message.id, message.string, context=message.context)
    out = io.BytesIO()
    write_mo(out, catalog)
    return out.getvalue()


def update(domain: Domain = OURS) -> None:
    """Merges what a domain says into every catalogue, and compiles them."""
    for language in domain.languages():
        found, path = wanted_messages(language, domain), domain.po(language)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(po_bytes(merge_catalogue(language, found, domain)))
        path.with_suffix(".mo").write_bytes(mo_bytes(language, domain))
        count = sum(1 for message in read(language, domain) if message.id and all(forms(message)))
        print(f"{language}: {count} of {len({each.message for each in found})} translated")


def write_template(domain: Domain = OURS) -> Path:
    """Writes the .pot file: every message without a translation, with the notes for translators."""
    path = domain.data / "locale" / f"{domain.name}.pot"
    path.write_bytes(po_bytes(merge_catalogue(None, collect(domain), domain)))
    return path


def check_catalogues(domain: Domain = OURS) -> list[Problem]:
    """What is wrong with the catalogues: missing, out of date, other fields, no glyph, too long."""
    drawn = _drawn_messages(collect(domain))
    problems = [p for message in sorted(drawn) for form in _in_english(message) for p in _glyphs("en", message, form)]
    for language in domain.languages():
        found, catalog = wanted_messages(language, domain), read(language, domain)
        known = {_whole(message): message for message in catalog if message.id}
        for message in sorted({each.message for each in found}):
            problems += _faults(language, message, known.get(message), drawn=message in drawn)
        problems += [
            Problem(language, str(message), "nothing says this any more: run python -m tools.catalogues")
            for message in sorted(known.keys() - {each.message for each in found})
        ]
        compiled = domain.po(language).with_suffix(".mo")
        if not compiled.exists() or compiled.read_bytes() != mo_bytes(language, domain):
            problems.append(Problem(language, "", f"{compiled.name} is out of date: run python -m tools.catalogues"))
    return problems


def _drawn_messages(found: Iterable[Found]) -> set[str]:
    """The messages that a display may have to draw."""
    places: dict[str, list[str]] = {}
    for message, place, _ in found:
        places.setdefault(message, []).append(place)
    return {message for message, where in places.items() if on_displays(where)}


def _faults(language: str, message: str, entry: Message | None, *, drawn: bool) -> Iterator[Problem]:
    if entry is None or not all(forms(entry)):
        yield Problem(language, message, "not translated")
        return
    must = fields(message) - ({"count"} if PLURAL in message else set())
    for translated in forms(entry):
        if not must <= fields(translated) <= fields(message):
            yield Problem(language, message, f"its fields are {sorted(fields(translated))}")
        if drawn:
            yield from _glyphs(language, message, translated)


def _in_english(message: str) -> list[str]:
    return bare(message).split(PLURAL)


def _glyphs(language: str, message: str, text: str) -> Iterator[Problem]:
    if lacking := fonts.missing(text):
        yield Problem(language, message, f"no glyph for {''.join(sorted(lacking))}: run python -m tools.build_fonts")
    if (lines := len(fonts.wrap(text, 126, language))) > MOST_LINES:
        yield Problem(language, message, f"takes {lines} lines of 126 pixels, {MOST_LINES} at most")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("package", nargs="?", type=Path, help="the folder of a game's package; default: ours")
    parser.add_argument("--check", action="store_true", help="change nothing, print every fault")
    parser.add_argument("--pot", action="store_true", help="write the template for translators")
    given = parser.parse_args()
    domains = (OURS, *EXTENSIONS) if given.package is None else (Domain.of_package(given.package),)
    if given.pot:
        for domain in domains:
            print(write_template(domain))
        return 0
    if not given.check:
        for domain in domains:
            update(domain)
        return 0
    problems = [problem for domain in domains for problem in check_catalogues(domain)]
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
