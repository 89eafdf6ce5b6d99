"""Files of the web app, read once before a worker is confined."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from device.art import cards, drawings
from device.games import specs
from device.locale import LANGUAGES, NAMES, translate
from device.resources import clauses_of, every, find, load_shipped
from device.web.html_templates import tag
from engine.catalogue import GameSpec
from engine.text import Text
from referee_phones.rulebook import Rulebook, read
from referee_phones.words import WORDS
from vision.files import read_bytes
from vision.mat import Mat
from vision.recognition.naming import PieceSet

_log = logging.getLogger(__name__)
STATIC = Path(__file__).parent / "static"
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
JSON = "application/json"
TABLE = "table"


class Content(NamedTuple):
    """A served file. kind: Content-Type."""

    kind: str
    body: bytes


class Beside(msgspec.Struct, frozen=True):
    """An extra module of a page.

    module: its path; it exports a component `Beside`
    port, token: of its WebSocket on this host
    labels: name by language
    files: by path"""

    module: str
    port: int
    token: str
    labels: dict[str, str]
    files: dict[str, Content]


class Demo(msgspec.Struct, frozen=True):
    """Additions to a virtual table's pages.

    seats: pages' addresses by seat
    scan: phones can reach them
    beside: extra modules by audience
    language: spoken whatever browsers ask for
    lessons: games with a lesson"""

    seats: dict[str, str]
    scan: bool
    beside: dict[str, Beside]
    language: str | None = None
    lessons: tuple[str, ...] = ()


def files() -> dict[str, Content]:
    """Return all audiences' shared files by path. Raises ResourceMissing or BadFile."""
    found = {f"/{path.relative_to(STATIC).as_posix()}": _content(path) for path in _static_files()}
    found["/"] = found.pop("/index.html")
    found["/art.json"] = Content(JSON, _json(art()))
    for each in LANGUAGES:
        found[f"/words/{each}.json"] = Content(JSON, _json(words(each)))
        for game, rules in rulebooks(each).items():
            found[f"/rules/{each}/{game}.json"] = Content(JSON, _json(rules))
    return found


def own(audience: str, language: str, demo: Demo | None = None) -> dict[str, Content]:
    """Return one audience's own files by path. language: for browsers that ask for none of ours."""
    found = {"/app.json": Content(JSON, _json(about(audience, language, demo)))}
    extra = None if demo is None else demo.beside.get(audience)
    return found if extra is None else {**found, **extra.files}


def about(audience: str, language: str, demo: Demo | None = None) -> dict[str, Any]:
    """Return a page's data and the languages (code, BCP 47 tag, own name). demo: at a virtual table."""
    offered = [{"code": each, "tag": tag(each), "name": NAMES[each]} for each in LANGUAGES]
    found: dict[str, Any] = {"audience": audience, "language": language, "languages": offered}
    if demo is None:
        return found
    found["given"] = demo.language
    if (extra := demo.beside.get(audience)) is not None:
        found["beside"] = {"module": extra.module, "port": extra.port, "token": extra.token, "labels": extra.labels}
    shown = {"seats": demo.seats, "scan": demo.scan, "lessons": demo.lessons}
    return found if audience != TABLE else {**found, "demo": shown}


def words(language: str) -> dict[str, Any]:
    """Return the app's words by key, printed cards' titles and pieces' names by kind, and games' titles by name."""
    titles = {kind: translate(Text(card.title), language) for name in _sets() for kind, card in cards_of(name).items()}
    pieces = {kind: translate(Text(kind), language) for name in _sets() for kind in named_pieces(name)}
    return {
        "words": {key: translate(text, language) for key, text in WORDS.items()},
        "titles": titles,
        "pieces": pieces,
        "games": {name: translate(Text(spec.title), language) for name, spec in _games().items()},
    }


def rulebooks(language: str = "en") -> dict[str, Rulebook]:
    """Return installed rules by game, in English if untranslated. Raises BadFile."""
    found: dict[str, Rulebook] = {}
    for name, spec in _games().items():
        spoken = next((each for each in (language, "en") if clauses_of(name, each)), "")
        if (path := clauses_of(name, spoken)) is not None:
            found[name] = read(path, _pieces_of(spec), spoken)
    return found


def named_pieces(name: str) -> list[str]:
    """Return a set's kinds with drawing and name; [] for cards, which have titles."""
    if cards_of(name) or not find("art", f"{name}.toml").is_file():
        return []
    return [kind for kind in drawings(name) if translate(Text(kind), "en") != kind]


def art() -> dict[str, Any]:
    """Return shape, size (mm), drawings and cards by set, and sides and zones' sets by mat title."""
    return {"sets": {name: _set(name) for name in _sets()}, "mats": dict(_mat(path.stem) for path in every("mats"))}


def cards_of(name: str) -> dict[str, Any]:
    """Return a set's drawn cards by kind; {} without drawings."""
    return dict(cards(name)) if find("art", f"{name}.toml").is_file() else {}


def _set(name: str) -> dict[str, Any]:
    pieces = load_shipped(PieceSet, "sets", f"{name}.toml")
    drawn = find("art", f"{name}.toml").is_file()
    return {
        "shape": pieces.shape,
        "size": pieces.size_mm,
        "drawings": dict(drawings(name)) if drawn else {},
        "cards": cards_of(name),
    }


def _mat(name: str) -> tuple[str, dict[str, Any]]:
    mat = load_shipped(Mat, "mats", f"{name}.toml")
    return mat.title, {"sides": mat.sides, "sets": {zone.name: zone.set for zone in mat.zones}}


def _pieces_of(spec: GameSpec) -> tuple[str, ...]:
    mats = (load_shipped(Mat, "mats", f"{table.mat}.toml") for table in spec.tables if table.mat)
    sets = dict.fromkeys(zone.set for mat in mats for zone in mat.zones)
    return tuple(kind for name in sets for kind in named_pieces(name))


def _games() -> dict[str, GameSpec]:
    return specs(lambda path, error: _log.warning("the pages leave out the rules in %s: %s", path, error))


def _sets() -> list[str]:
    return [path.stem for path in every("sets")]


def _static_files() -> Iterable[Path]:
    return sorted(path for path in STATIC.rglob("*") if path.suffix in TYPES)


def _content(path: Path) -> Content:
    return Content(TYPES[path.suffix], read_bytes(path))


def _json(data: object) -> bytes:
    return msgspec.json.encode(data)
