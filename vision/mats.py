"""Reads mats, those of config/mats: one that is faulty is told of and left out, so that the others can be used."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec

from vision.mat import Mat


def read_mats(paths: Iterable[Path], wrong: Callable[[Path, Exception], None]) -> dict[str, Mat]:
    """Mats by the names of their files. wrong: is told of a file that is missing or no mat, and why."""
    found = {}
    for path in paths:
        try:
            found[path.stem] = msgspec.toml.decode(path.read_bytes(), type=Mat)
        except (OSError, UnicodeDecodeError, msgspec.DecodeError) as error:
            wrong(path, error)
    return found
