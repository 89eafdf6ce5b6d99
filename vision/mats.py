"""Reads mats, those of config/mats: one that is faulty is told of and left out, so that the others can be used."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from vision.files import BadFile, read_toml
from vision.mat import Mat


def read_mats(paths: Iterable[Path], wrong: Callable[[Path, BadFile], None]) -> dict[str, Mat]:
    """Mats by the names of their files. wrong: is told of a file that is missing or no mat, and why."""
    found = {}
    for path in paths:
        try:
            found[path.stem] = read_toml(path, Mat)
        except BadFile as error:
            wrong(path, error)
    return found
