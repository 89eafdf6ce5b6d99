"""Simulated pieces enrolled once for all tests and runs: kept until what they are made from changes."""

from __future__ import annotations

import fcntl
import hashlib
import sys
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import cv2
import numpy as np

from referee_simulator.harness.enrol import enrol
from vision.mat import Mat
from vision.recognition.enrolment import EnrolledSet, load

ROOT = Path(__file__).parents[1]
KEPT = ROOT / ".pytest_cache" / "enrolled"
SOURCES = (
    "extensions/simulator/src/referee_simulator/**/*.py",
    "vision/**/*.py",
    "config/mats/*",
    "config/sets/*",
    "config/art/**/*",
    "extensions/simulator/src/referee_simulator/config/sim/*",
)


@cache
def _sources() -> bytes:
    """A hash of what draws, finds and keeps pieces."""
    found = hashlib.sha256(f"{sys.version} {np.__version__} {cv2.__version__}".encode())
    for path in sorted(path for pattern in SOURCES for path in ROOT.glob(pattern) if path.is_file()):
        found.update(str(path.relative_to(ROOT)).encode() + b"\0" + path.read_bytes())
    return found.digest()


def folder_of(mat: Mat, set_name: str, seed: int, kinds: tuple[str, ...] = ()) -> Path:
    """A folder with the set as `enrol` writes it, to be read alone; of workers that come at once one makes it."""
    given = f"{mat.name} {set_name} {seed} {' '.join(kinds)}".encode()
    folder = KEPT / hashlib.sha256(given + _sources()).hexdigest()[:20]
    KEPT.mkdir(parents=True, exist_ok=True)
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.is_dir():
            new = Path(mkdtemp(dir=KEPT))
            enrol(mat, set_name, seed, new / set_name, kinds=kinds)
            new.rename(folder)
    return folder / set_name


def enrolled(mat: Mat, set_name: str, seed: int, kinds: tuple[str, ...] = ()) -> EnrolledSet:
    """The set, read from its folder."""
    return load(folder_of(mat, set_name, seed, kinds))
