"""Counts the instructions that a program runs, by valgrind: the same on a busy machine and on an idle one."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Sequence


class NoCounter(RuntimeError):
    """valgrind is not there."""


def count(code: str, arguments: Sequence[str] = ()) -> int:
    """Instructions of this machine that `python -c CODE ARGUMENTS` runs, all threads together. Raises NoCounter."""
    if shutil.which("valgrind") is None:
        raise NoCounter("instructions are counted by valgrind: sudo apt install valgrind")
    counter = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
    ran = subprocess.run([*counter, sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True)
    found = re.search(r"I\s+refs:\s+([\d,]+)", ran.stderr)
    assert found is not None, ran.stderr
    return int(found[1].replace(",", ""))
