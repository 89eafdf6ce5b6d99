"""The environment that the package holds: wheels for another machine, unpacked and compiled on this one.

Nothing of it is run here. What is fetched are the files whose hashes stand in the release's lock; they are kept, so
that building again needs no network. numpy is left to apt, and what nothing imports is left out.
"""

from __future__ import annotations

import configparser
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tools.package import lock
from tools.package.release import BUILDERS, EXTENSIONS, FROM_APT, LEFT_OUT, ROOT, UNUSED, Machine, Release

HOME = Path("/opt/table-referee")
"""Where the environments of all versions lie on the target, each in a folder of its own."""

ENTRY = """#!{python}
import sys

from {module} import {function}

sys.exit({function}())
"""


class BuildError(Exception):
    """The package cannot be built here; the message says why, and what to do."""


@dataclass(frozen=True)
class Environment:
    """folder: where it was built. name: the folder's name on the target, which no other content has."""

    folder: Path
    name: str

    @property
    def packages(self) -> Path:
        (found,) = self.folder.glob("lib/python3.*/site-packages")
        return found


def build(release: Release, machine: Machine, version: str, folder: Path, wheels: Path) -> Environment:
    """Builds the environment of a version in an empty folder. wheels: where fetched files are kept."""
    packages = folder / "lib" / release.interpreter / "site-packages"
    packages.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as made:
        pins = [pin for pin in lock.read(release.lock) if pin.name not in FROM_APT | UNUSED]
        sources = fetch(pins, release, machine, wheels)
        wheel(sources, Path(made))
        wheel([ROOT, *EXTENSIONS], Path(made))
        ready = [pin for pin in pins if not any(_is_source_of(path, pin) for path in sources)]
        unpack(ready, Path(made), release, machine, wheels, packages)
    name = f"{version}-{digest(packages)}"
    interpreter(folder, release)
    entries(folder, packages, HOME / name)
    compile_all(packages, release, HOME / name / packages.relative_to(folder))
    (folder / "NAME").write_text(f"{name}\n", encoding="utf-8")
    return Environment(folder, name)


def fetch(pins: list[lock.Pin], release: Release, machine: Machine, wheels: Path) -> list[Path]:
    """Brings the files of the pins into `wheels`. Returns those that are no wheels, but sources of such."""
    wheels.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        wanted = lock.write(pins, Path(name) / "lock.txt")
        words = ["download", "--dest", str(wheels), *_lock_arguments(wanted), *_target(release, machine)]
        if _pip(*words, "--no-index", "--find-links", str(wheels), check=False).returncode:  # not all is there yet
            _pip(*words)
    return [path for pin in pins for path in wheels.iterdir() if _is_source_of(path, pin)]


def _is_source_of(path: Path, pin: lock.Pin) -> bool:
    return path.name == f"{pin.name.replace('-', '_')}-{pin.version}.tar.gz"


def wheel(sources: list[Path], into: Path) -> None:
    """Builds wheels of sources in Python alone, with what this interpreter has: nothing is fetched for it."""
    for source in sources:
        _pip("wheel", "--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", str(into), str(source))
    if foreign := [path.name for path in into.glob("*.whl") if not path.name.endswith("-none-any.whl")]:
        raise BuildError(f"{foreign[0]} was compiled for this machine, not for the package's")


def unpack(pins: list[lock.Pin], made: Path, release: Release, machine: Machine, wheels: Path, packages: Path) -> None:
    """Unpacks fetched wheels by their hashes, and those in `made` by their names."""
    target = ["install", "--no-index", "--no-compile", "--target", str(packages), *_target(release, machine)]
    with tempfile.TemporaryDirectory() as name:
        wanted = lock.write(pins, Path(name) / "lock.txt")
        _pip(*target, "--find-links", str(wheels), "--only-binary=:all:", *_lock_arguments(wanted))
    shutil.rmtree(packages / "bin", ignore_errors=True)  # commands of libraries, and for another interpreter
    own = sorted(path.name.split("-")[0] for path in made.glob("*.whl"))
    _pip(*target, "--find-links", str(made), "--only-binary=:all:", "--no-deps", *own)
    shutil.rmtree(packages / "bin", ignore_errors=True)
    for name in BUILDERS:
        shutil.rmtree(packages / name)
    leave_out(packages, release)


def leave_out(packages: Path, release: Release) -> None:
    """Removes what the program never reads. Raises BuildError for a pattern that finds nothing: it has another place by
    now, or none."""
    for pattern in (*LEFT_OUT, *release.left_out):
        found = list(packages.glob(pattern))
        if not found:
            raise BuildError(
                f"tools/package/release.py leaves out {pattern}, and no library for {release.name} has it any more"
            )
        for path in found:
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink()


def digest(packages: Path) -> str:
    """Eight hex digits of all that the folder holds: what differs is never installed under one name."""
    content = hashlib.sha256()
    for path in sorted(packages.rglob("*")):
        if path.is_file():
            content.update(f"{path.relative_to(packages)}\0{path.stat().st_size}\0".encode())
            content.update(path.read_bytes())
    return content.hexdigest()[:8]


def interpreter(folder: Path, release: Release) -> None:
    """What makes a folder an environment: links to the target's interpreter, and pyvenv.cfg beside them (PEP 405)."""
    (folder / "bin").mkdir()
    (folder / "bin" / release.interpreter).symlink_to(f"/usr/bin/{release.interpreter}")
    for name in ("python", "python3"):
        (folder / "bin" / name).symlink_to(release.interpreter)
    version = ".".join(map(str, release.python))
    settings = f"home = /usr/bin\ninclude-system-site-packages = true\nversion = {version}\n"
    (folder / "pyvenv.cfg").write_text(settings, encoding="utf-8")


def entries(folder: Path, packages: Path, home: Path) -> None:
    """The commands of this project, for the interpreter at `home` on the target."""
    (found,) = packages.glob("table_referee-*.dist-info/entry_points.txt")
    points = configparser.ConfigParser(delimiters=("=",))
    points.read(found, encoding="utf-8")
    for name, target in points["console_scripts"].items():
        module, _, function = target.partition(":")
        script = folder / "bin" / name
        script.write_text(
            ENTRY.format(python=home / "bin" / "python", module=module, function=function), encoding="utf-8"
        )
        script.chmod(0o755)


def compile_all(packages: Path, release: Release, home: Path) -> None:
    """Bytecode of all modules: the service may not write any, and a Zero 2 W would take minutes to make it."""
    python = _interpreter_of(release)
    words = ["-m", "compileall", "-q", "-j", "0", "--invalidation-mode", "unchecked-hash"]
    result = subprocess.run(
        [python, *words, "-s", str(packages), "-p", str(home), str(packages)],
        env={**os.environ, "PYTHONHASHSEED": "0"},
        check=False,
    )
    if result.returncode:
        raise BuildError(f"{python} could not compile what stands above")


def _interpreter_of(release: Release) -> str:
    """An interpreter of the release's version: bytecode is that of a version, whatever the machine."""
    version = ".".join(map(str, release.python))
    for each in _interpreters(release):
        told = subprocess.run(
            [each, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"],
            capture_output=True,
            text=True,
            check=False,
        )
        if told.stdout.strip() == version:
            return each
    raise BuildError(
        f"Bytecode for {release.name} needs a Python {version}, of any machine: "
        f"apt install {release.interpreter}-minimal, pyenv install {version} or uv python install {version}"
    )


def _interpreters(release: Release) -> Iterator[str]:
    yield sys.executable
    version = ".".join(map(str, release.python))
    for name in (release.interpreter, "python3"):
        if found := shutil.which(name):
            yield found
    if shutil.which("pyenv"):
        told = subprocess.run(["pyenv", "prefix", version], capture_output=True, text=True, check=False)
        if told.returncode == 0:
            yield f"{told.stdout.strip()}/bin/python"
    if shutil.which("uv"):
        told = subprocess.run(["uv", "python", "find", version], capture_output=True, text=True, check=False)
        if told.returncode == 0:
            yield told.stdout.strip()


def _lock_arguments(wanted: Path) -> list[str]:
    return ["--no-deps", "--no-build-isolation", "--require-hashes", "--requirement", str(wanted)]


def _target(release: Release, machine: Machine) -> list[str]:
    """Options of pip for wheels of another interpreter and machine than those it runs on."""
    tag = f"cp{release.python[0]}{release.python[1]}"
    words = ["--python-version", ".".join(map(str, release.python)), "--implementation", "cp"]
    words += [word for abi in (tag, "abi3", "none") for word in ("--abi", abi)]
    return words + [word for each in machine.tags(release) for word in ("--platform", each)]


def _pip(*words: str, check: bool = True) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", *words]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if check and result.returncode:
        raise BuildError(f"pip {words[0]} failed:\n{result.stderr.strip()}")
    return result
