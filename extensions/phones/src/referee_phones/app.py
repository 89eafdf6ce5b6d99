"""All files of the web app as they are served: read and made once, before a worker is shut in."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from device.art import cards, drawings
from device.locale import LANGUAGES, NAMES, translate
from device.resources import every, find, load_shipped
from device.web.page_language import tag
from engine.text import Text
from referee_phones.words import WORDS
from vision.files import read_bytes
from vision.mat import Mat
from vision.recognition.naming import PieceSet

STATIC = Path(__file__).parent / "static"
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
JSON = "application/json"
TABLE = "table"
"""The audience of the table's page."""


class Content(NamedTuple):
    """What is served at one path. kind: its Content-Type."""

    kind: str
    body: bytes


class Beside(msgspec.Struct, frozen=True):
    """What whoever serves the pages puts beside one: a module of their own, with its files by path.

    module: its path; it exports `Beside`, a component. port, token: of the WebSocket that it opens on this host.
    labels: what it is called, by language.
    """

    module: str
    port: int
    token: str
    labels: dict[str, str]
    files: dict[str, Content]


class Demo(msgspec.Struct, frozen=True):
    """What pages of a virtual table have beside.

    seats: where each seat's page is. scan: whether a phone reaches them, too. beside: by the audience of a page.
    language: that all pages speak, whatever their browsers ask for.
    """

    seats: dict[str, str]
    scan: bool
    beside: dict[str, Beside]
    language: str | None = None


def files() -> dict[str, Content]:
    """Every file that is the same for all audiences, by its path: "/" is the page. Raises ResourceMissing or BadFile as
    `load_shipped`."""
    found = {f"/{path.relative_to(STATIC).as_posix()}": _content(path) for path in _served()}
    found["/"] = found.pop("/index.html")
    found["/art.json"] = Content(JSON, _json(art()))
    for each in LANGUAGES:
        found[f"/words/{each}.json"] = Content(JSON, _json(words(each)))
    return found


def own(audience: str, language: str, demo: Demo | None = None) -> dict[str, Content]:
    """Return the files that only one audience gets, which name its page. audience: a seat's letter, or "table".
    language: for a browser that asks for none of ours."""
    found = {"/app.json": Content(JSON, _json(about(audience, language, demo)))}
    extra = None if demo is None else demo.beside.get(audience)
    return found if extra is None else {**found, **extra.files}


def about(audience: str, language: str, demo: Demo | None = None) -> dict[str, Any]:
    """Return an audience's page data with the languages: each with its code, tag (BCP 47) and own name. demo: only of a
    virtual table."""
    offered = [{"code": each, "tag": tag(each), "name": NAMES[each]} for each in LANGUAGES]
    found: dict[str, Any] = {"audience": audience, "language": language, "languages": offered}
    if demo is None:
        return found
    found["given"] = demo.language
    if (extra := demo.beside.get(audience)) is not None:
        found["beside"] = {"module": extra.module, "port": extra.port, "token": extra.token, "labels": extra.labels}
    return found if audience != TABLE else {**found, "demo": {"seats": demo.seats, "scan": demo.scan}}


def words(language: str) -> dict[str, Any]:
    """The app's words by key, and the titles of printed cards by kind."""
    titles = {kind: translate(Text(card.title), language) for name in _sets() for kind, card in cards_of(name).items()}
    return {"words": {key: translate(text, language) for key, text in WORDS.items()}, "titles": titles}


def art() -> dict[str, Any]:
    """Return the drawings of pieces (`device.art`) by set, and the set of each zone of a mat."""
    return {"sets": {name: _set(name) for name in _sets()}, "mats": dict(_mat(path.stem) for path in every("mats"))}


def cards_of(name: str) -> dict[str, Any]:
    """The cards of a set by kind; none if it has no drawings."""
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
    """A mat by its title, as a sheet's board names it."""
    mat = load_shipped(Mat, "mats", f"{name}.toml")
    return mat.title, {"sides": mat.sides, "sets": {zone.name: zone.set for zone in mat.zones}}


def _sets() -> list[str]:
    return [path.stem for path in every("sets")]


def _served() -> Iterable[Path]:
    return sorted(path for path in STATIC.rglob("*") if path.suffix in TYPES)


def _content(path: Path) -> Content:
    return Content(TYPES[path.suffix], read_bytes(path))


def _json(data: object) -> bytes:
    return msgspec.json.encode(data)
