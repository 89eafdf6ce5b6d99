"""Setting up what the tests need takes minutes: each step says what it is."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PYTHON = """#!/bin/sh
case "$*" in
"-m venv "*) mkdir -p "$3/bin" && cp "$0" "$3/bin/python" ;;
*" -r "*"$FAILS"*) [ -z "$FAILS" ] ;;
esac
"""
"""Makes an environment, and installs nothing; of a file of packages that is called so, not even that."""


def said(folder: Path, lock: str, fails: str = "") -> tuple[int, list[str]]:
    python = folder / "python"
    python.write_text(PYTHON)
    python.chmod(0o755)
    command = [str(ROOT / "tools" / "venv.sh"), str(python), str(folder / "venv"), lock]
    environment = {"PATH": "/usr/bin:/bin", "FAILS": fails}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.stdout == ""
    return done.returncode, done.stderr.splitlines()


def packages(lock: str) -> int:
    return sum(line[:1].isalnum() for line in (ROOT / lock).read_text(encoding="utf-8").splitlines())


@pytest.mark.parametrize(("name", "more"), [("run", ()), ("develop", ("requirements/picamera2.txt",))])
def test_each_step_is_a_line(tmp_path: Path, name: str, more: tuple[str, ...]) -> None:
    first = [f"Making {tmp_path / 'venv'} ..."]
    steps = [
        *(
            f"Installing what {lock} names (packages: {packages(lock)}) ..."
            for lock in ("requirements/build.txt", f"requirements/{name}.txt")
        ),
        "Installing the table referee itself, and its extensions ...",
        *(f"Installing what {lock} names (packages: {packages(lock)}) ..." for lock in more),
    ]
    assert said(tmp_path, f"requirements/{name}.txt") == (0, first + steps)
    assert said(tmp_path, f"requirements/{name}.txt") == (0, steps), "the environment is there"


def test_what_cannot_be_installed_is_told_last(tmp_path: Path) -> None:
    code, lines = said(tmp_path, "requirements/run.txt", fails="run.txt")
    assert code == 1
    assert lines[-1].startswith("Not everything that requirements/run.txt names could be installed")
