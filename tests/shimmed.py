"""Python in a process of its own on the simulated disk, which a process must be started with."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TypeVar

import msgspec

from referee_simulator.disk import shim

T = TypeVar("T")


def shimmed(kind: type[T], *words: str) -> T:
    """What `python WORDS` writes as JSON."""
    done = subprocess.run(
        [sys.executable, *words],
        cwd=Path(__file__).parents[1],
        env=shim.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout, done.stderr
    return msgspec.json.decode(done.stdout, type=kind)
