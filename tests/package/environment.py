"""Environments to install wheels in, with the libraries of the environment that runs the tests: no network."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from importlib.metadata import distributions
from pathlib import Path

from tools.package.deb import epoch

ROOT = Path(__file__).resolve().parents[2]
OFFLINE = ("--no-index", "--no-deps", "--no-build-isolation", "--ignore-installed", "--disable-pip-version-check")


def _ours() -> set[str]:
    """Return what our own distributions have put among the libraries."""
    own = [each for each in distributions() if each.name.startswith("table-referee")]
    return {file.parts[0] for each in own for file in each.files or ()}


class Environment:
    """A virtual environment in a folder, and what is installed in it. Nothing of the checkout is on its path."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._bin = folder / "venv" / "bin"
        venv.create(folder / "venv")
        paths = sysconfig.get_paths(vars={"base": str(folder / "venv"), "platbase": str(folder / "venv")})
        for library in Path(sysconfig.get_path("purelib")).iterdir():
            if library.name not in _ours():  # into which pip would write
                Path(paths["purelib"], library.name).symlink_to(library)

    def install(self, *sources: Path) -> None:
        """Build each source and install it."""
        python = str(self._bin / "python")
        pip = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", *OFFLINE, *map(str, sources)]
        subprocess.run(pip, cwd=self.folder, check=True, timeout=300)

    def run(self, *command: str, expected: int = 0) -> str:
        """Return what a command of the environment prints, with the environment's own data alone."""
        clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        done = subprocess.run(
            [str(self._bin / command[0]), *command[1:]],
            check=False,
            cwd=self.folder,
            env=clean,
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == expected, done.stdout + done.stderr
        return done.stdout


def copied(folder: Path) -> Path:
    """Copy the checkout, without its history, into a folder; return the copy. What was fetched is shared."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).exists():
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, target, follow_symlinks=False)
            if not target.is_symlink():
                target.chmod((ROOT / name).stat().st_mode & 0o700)
    (ROOT / "var").mkdir(exist_ok=True)
    (folder / "var").symlink_to(ROOT / "var")
    return folder


def run_elsewhere(copy: Path, *words: str) -> str:
    """Run this Python in a copy of the checkout: some years later, in another zone and locale, with another umask."""
    there = {"SOURCE_DATE_EPOCH": str(epoch()), "TZ": "Asia/Kathmandu", "LC_ALL": "C", "LANG": "C"}
    done = subprocess.run(
        ["faketime", "2033-04-05 06:07:08", sys.executable, *words],
        cwd=copy,
        env={**os.environ, **there},
        umask=0o027,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return done.stdout
