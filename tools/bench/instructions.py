"""Counts the instructions that a program runs, by valgrind: the same on a busy machine and on an idle one."""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import cache


class NoCounter(RuntimeError):
    """valgrind is not there."""


@cache
def _bytecode_folder() -> tempfile.TemporaryDirectory[str]:
    """Where bytecode goes: an installed program has its own beside it, whatever this process was told about it."""
    return tempfile.TemporaryDirectory()


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPYCACHEPREFIX": _bytecode_folder().name}


def print_figures(about: str | None, measure: Callable[[], dict[str, int]]) -> None:
    """The command of a bench of that docstring: prints its figures, by name."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="one JSON object")
    given = parser.parse_args()
    found = measure()
    print(json.dumps(found) if given.json else "\n".join(f"{name:14} {each:6}" for name, each in found.items()))


def count(code: str, arguments: Sequence[str] = (), *, imports: str = "") -> int:
    """Instructions of this machine that `python -c CODE ARGUMENTS` runs, all threads together. Raises NoCounter.

    imports: what it imports, so that it is compiled beforehand.
    """
    if shutil.which("valgrind") is None:
        raise NoCounter("instructions are counted by valgrind: sudo apt install valgrind")
    if imports:
        subprocess.run([sys.executable, "-c", imports], env=_environment(), check=True)
    counter = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
    command = [*counter, sys.executable, "-c", code, *arguments]
    ran = subprocess.run(command, env=_environment(), capture_output=True, text=True, check=True)
    found = re.search(r"I\s+refs:\s+([\d,]+)", ran.stderr)
    assert found is not None, ran.stderr
    return int(found[1].replace(",", ""))
