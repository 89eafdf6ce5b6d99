"""Builds the site: the table in a browser's tab, without a server.

    make site                            # into var/tab/site
    python -m tools.tab FOLDER [--json] # prints the weight of what a first visit fetches

Python for browsers comes from tools/browser_python.py.
"""

from __future__ import annotations

import argparse
import ast
import gzip
import hashlib
import re
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import msgspec

from device.games import mats, specs
from device.locale import LANGUAGES, translate
from device.resources import EXTENSIONS, GROUP
from device.version import version
from device.web import private_site
from device.web.html_templates import page as filled
from device.web.words import SHARED
from referee_phones.app import about, art, files
from referee_record import words as of_records
from referee_tab.table import seat_counts
from referee_tab.words import VERIFY, WORDS
from tools import browser_python
from tools.browser_python import Unfetched
from tools.lab.commands import print_figures
from tools.tab_icons import manifest_files

ROOT = Path(__file__).parent.parent
STATIC = ROOT / "extensions/tab/src/referee_tab/static"

RECORD = ROOT / "extensions/record/src/referee_record"

FOLDERS = {
    **{each: ROOT / each for each in ("engine", "device", "vision")},
    "referee_tab": STATIC.parent,
    "referee_record": RECORD,
}
"""Folders of our packages that a table in a tab may import."""

RECORDS = ("records.bin", "records.js", "ed25519.js", "checking.js", "verify/")
"""Beginnings of files that sign and verify matches: a match is played without them."""

DATA = (".toml", ".mo", ".json", ".bin")
LEFT_OUT = ("config/fonts", "config/art", "config/tables")
"""Folders whose files no page needs, and no table in a tab."""

SEATS = "abcd"
UNSHARED = tuple(f"/rules/{language}/runes.json" for language in LANGUAGES)
"""The clauses of Dueling Runes stay in the checkout, because of their licence (NOTICE)."""

IMPORT = re.compile(rb"""^(?:import|export)\b[^"]*?"\./([^"]+)";""", re.MULTILINE)
"""An import of a module of the site."""

HEAD = b"""
    <link rel="stylesheet" href="site.css" />
    <link rel="manifest" href="manifest.webmanifest" />"""
"""Links that only the first page has."""

SHOWN = 5
"""Most drawings of a game on the first page."""


class Weight(msgspec.Struct, frozen=True):
    """Bytes of a first visit. gzip: as sent; plain: unpacked; files: how many."""

    gzip: int
    plain: int
    files: int


def site() -> dict[str, bytes]:
    """Return all files of the site by path. Raises Unfetched, CalledProcessError, ValueError."""
    shared = {path.lstrip("/"): each.body for path, each in files().items() if path not in UNSHARED}
    page = shared.pop("")
    found = {**shared, **{path.name: path.read_bytes() for path in STATIC.iterdir() if path.is_file()}}
    found |= {name: _with_words(found[name], name) for name in found if name.startswith("words/")}
    seat_page = _preloading(page, "app.js", found).replace(b"<head>", b'<head>\n    <base href="../" />', 1)
    for seat in SEATS:
        found[f"{seat}/index.html"] = seat_page
        found[f"{seat}/app.json"] = msgspec.json.encode({**about(seat, "en"), "signs": True})
    front = _preloading(page.replace(b"app.js", b"site.js"), "site.js", found)
    found["index.html"] = front.replace(b"</title>", b"</title>" + HEAD, 1)
    found |= manifest_files(found["icon.svg"])
    found["site.json"] = msgspec.json.encode(_front())
    python = _python()
    found |= python
    size = sum(len(body) for name, body in python.items() if not name.endswith(".mjs"))
    code = msgspec.json.encode({"version": _digest(python), "size": size})
    found["python.js"] = found["python.js"].replace(b'"CODE"', code)
    found["offline.js"] = found["offline.js"].replace(b'"PYTHON"', f'"python-{_digest(python)}"'.encode())
    found |= {f"verify/{name}": body for name, body in _verify_pages()}
    found["records.bin"] = _records()
    return {**found, "offline.js": _offline(found)}


def _verify_pages() -> Iterator[tuple[str, bytes]]:
    """Yield the page of `referee verify --page` in each language. Here the browser checks the file."""
    yield from ((name, (STATIC / "verify" / name).read_bytes()) for name in ("index.html", "shared/link.js"))
    words = {**SHARED, **of_records.VERIFY, **VERIFY}
    for language in LANGUAGES:
        html = filled(RECORD / "static/verify.html", language, words)
        back = f'<header>\n      <a class="plain" href="../../">{translate(WORDS["site-leave"], language)}</a>'
        yield f"{language}/index.html", html.replace("<header>", back, 1).encode()
    for name in ("style.css", "icon.svg"):
        yield f"shared/{name}", (private_site.STATIC / name).read_bytes()
    script = (private_site.STATIC / "words.js").read_bytes()
    yield "shared/words.js", script.replace(b"target.form.submit()", b"location.assign(`../${target.value}/`)")
    for name in ("verify.css", "verify.js"):
        yield f"record/{name}", (RECORD / "static" / name).read_bytes()


def _with_words(body: bytes, name: str) -> bytes:
    words: dict[str, Any] = msgspec.json.decode(body)
    language = Path(name).stem
    words["words"] |= {key: translate(text, language) for key, text in WORDS.items()}
    return msgspec.json.encode(words)


def _preloading(page: bytes, script: str, found: Mapping[str, bytes]) -> bytes:
    """Return the page with links to the modules that its script imports, so that all load at once."""
    modules, after = [script], 0
    while after < len(modules):
        folder = Path(modules[after]).parent
        imports = (found_.decode() for found_ in IMPORT.findall(found[modules[after]]))
        modules += [name for each in imports if (name := (folder / each).as_posix()) not in modules]
        after += 1
    links = "".join(f'    <link rel="modulepreload" href="{name}" />\n' for name in modules[1:])
    return page.replace(b"  </head>", f"{links}  </head>".encode(), 1)


def _front() -> dict[str, Any]:
    """Return what the first page shows: games with their numbers of players and a few drawings, and languages."""
    drawn = art()["sets"]
    shown: list[dict[str, Any]] = []
    for name, spec in sorted(specs(lambda _path, _error: None).items()):
        mat = next((table.mat for table in spec.tables if table.mat), None)
        sets = dict.fromkeys(zone.set for zone in mats([mat])[mat].zones) if mat else {}
        pictures = [each for one in sets for each in drawn[one]["drawings"]][:SHOWN]
        cards = spec.dealer is not None
        seats = seat_counts(spec)
        alone = 0 if cards else min(each for each in seats if each > 1)  # at a match against the table
        shown.append({"name": name, "players": seats, "pictures": pictures, "cards": cards, "alone": alone})
    shown.sort(key=lambda each: each["cards"])
    return {**about("table", "en"), "games": shown}


def _offline(found: Mapping[str, bytes]) -> bytes:
    addresses = [name.removesuffix("index.html") or "./" for name in sorted(found) if name != "offline.js"]
    text = found["offline.js"].decode().replace('"VERSION"', f'"{_digest(found)}"')
    return text.replace("FILES = []", f"FILES = {msgspec.json.encode(addresses).decode()}").encode()


def _digest(found: Mapping[str, bytes]) -> str:
    return hashlib.sha256(b"".join(name.encode() + body for name, body in sorted(found.items()))).hexdigest()[:16]


def _python() -> dict[str, bytes]:
    """Return Python for browsers with its library, and the table's code, compiled."""
    fetched, msgspec_wheel = browser_python.runtime(), browser_python.msgspec_files()
    shared = next(name for name in msgspec_wheel if name.endswith(".so"))
    modules = browser_python.compile_sources("table", {**_info(), **dict(_sources()), **msgspec_wheel, shared: b""})
    library = browser_python.compile_sources("library", browser_python.library(), docs=True)
    lock = msgspec.json.decode(fetched["pyodide-lock.json"])
    return {
        **{f"pyodide/{name}": fetched[name] for name in ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm")},
        "pyodide/pyodide-lock.json": msgspec.json.encode({**lock, "packages": {}}),
        "msgspec.so": msgspec_wheel[shared],  # the page loads it; Python looks only for a file of its name
        "library.bin": gzip.compress(browser_python.zip_files(library), 9, mtime=0),
        "table.bin": gzip.compress(_pack_files(modules), 9, mtime=0),
    }


def _records() -> bytes:
    """Return the code and words that sign and verify matches, without those of the table."""
    known = _find_imports(_roots())
    more = {name: path for name, path in _find_imports(["referee_tab.records"]).items() if name not in known}
    info = "table_referee_record-0.dist-info"
    words = {f"referee_record/{path.relative_to(RECORD)}": path.read_bytes() for path in RECORD.rglob("*.mo")}
    modules = {
        **dict(_files(more)),
        **dict(sorted(words.items())),
        f"{info}/METADATA": b"Metadata-Version: 2.1\nName: table-referee-record\nVersion: 0\n",
        f"{info}/entry_points.txt": f"[{EXTENSIONS}]\nrecord = referee_record.extension:extension\n".encode(),
    }
    return gzip.compress(_pack_files(browser_python.compile_sources("records", modules)), 9, mtime=0)


def _pack_files(files: Mapping[str, bytes]) -> bytes:
    """Return files as python.js reads them: the length of a list, the list of paths and sizes, and the bodies."""
    head = msgspec.json.encode([[path, len(body)] for path, body in files.items()])
    return b"".join((len(head).to_bytes(4, "little"), head, *files.values()))


def _info() -> dict[str, bytes]:
    """Return the distribution's metadata, which name the games."""
    games = "".join(f"{each.name} = {each.value}\n" for each in sorted(entry_points(group=GROUP)) if _ours(each.value))
    info = "table_referee-0.dist-info"
    return {
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: table-referee\nVersion: {version()}\n".encode(),
        f"{info}/entry_points.txt": f"[{GROUP}]\n{games}".encode(),
    }


def _ours(package: str) -> bool:
    return package == "device"


def _sources() -> Iterator[tuple[str, bytes]]:
    """Yield the modules that a table in a tab imports, and the data of ours that pages show."""
    yield from _files(_find_imports(_roots()))
    for path in sorted((ROOT / "config").rglob("*")):
        name = path.relative_to(ROOT).as_posix()
        if path.suffix in DATA and not name.startswith(LEFT_OUT):
            yield name, path.read_bytes()


def _files(modules: Mapping[str, Path]) -> Iterator[tuple[str, bytes]]:
    for module, path in sorted(modules.items()):
        name = module.replace(".", "/")
        yield f"{name}/__init__.py" if path.name == "__init__.py" else f"{name}.py", path.read_bytes()


def _roots() -> list[str]:
    return ["referee_tab.table", *_game_modules()]


def _game_modules() -> Iterator[str]:
    for spec in specs(lambda _path, _error: None).values():
        yield from (each.partition(":")[0] for each in (spec.factory, spec.deck) if each)


def _find_imports(roots: Iterable[str]) -> dict[str, Path]:
    """Return these modules of ours and all that they import, wherever in a module that is, with their files."""
    found: dict[str, Path] = {}
    open_ = list(roots)
    while open_:
        module = open_.pop()
        if module in found or (path := _file_of(module)) is None:
            continue
        found[module] = path
        open_.extend(module.rpartition(".")[:1])
        for node in _walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.Import):
                open_.extend(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module:
                open_.extend([node.module, *(f"{node.module}.{alias.name}" for alias in node.names)])
    return found


def _walk(module: ast.Module) -> Iterator[ast.AST]:
    """Yield the nodes of a module that runs: nothing that only types are checked by."""
    open_: list[ast.AST] = [module]
    while open_:
        node = open_.pop()
        yield node
        if not (isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"):
            open_.extend(ast.iter_child_nodes(node))


def _file_of(module: str) -> Path | None:
    top, _, rest = module.partition(".")
    if top not in FOLDERS:
        return None
    path = FOLDERS[top].joinpath(*rest.split(".")) if rest else FOLDERS[top]
    return next((each for each in (path / "__init__.py", path.with_suffix(".py")) if each.is_file()), None)


def weight(found: Mapping[str, bytes]) -> Weight:
    """Return what a first visit fetches before a match."""
    others = {each for each in found if each.startswith(("rules/", "offline.js", *RECORDS))}
    first = [body for name, body in found.items() if name not in others]
    return Weight(sum(len(gzip.compress(body, 9)) for body in first), sum(map(len, first)), len(first))


def lines(figures: Weight) -> Iterator[str]:
    """Format the figures for people."""
    yield f"{figures.files} files, {figures.gzip / 1e6:.2f} MB with gzip, {figures.plain / 1e6:.2f} MB unpacked"


def build(folder: Path) -> dict[str, bytes]:
    """Write the site into an empty or new folder; return its files."""
    shutil.rmtree(folder, ignore_errors=True)
    found = site()
    for name, body in found.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)
    return found


def main() -> int:
    """Build the site and print its weight."""
    parser = argparse.ArgumentParser("tools.tab", description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, help="is emptied first")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    try:
        found = build(given.folder)
    except Unfetched as error:
        parser.exit(1, f"{error}\n")
    print_figures(weight(found), lines, as_json=given.json)
    return 0


if __name__ == "__main__":
    sys.exit(main())
