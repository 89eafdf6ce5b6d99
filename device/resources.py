"""Locates data: that of this distribution (config/), and what other distributions bring for their games.

Whoever brings a game declares it in the group `table_referee.games`: the game's name, and the Python package in whose
folder `config` its data lie, laid out as ours are (docs/developers/write-a-game.md). The data of all distributions are
one store in which ours come first: nobody takes the place of a file that we ship.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TypeVar

from engine.errors import RefereeError
from vision.files import exists, read_toml

T = TypeVar("T")
AGAIN = "install table-referee again"
GROUP = "table_referee.games"
OWN = "device"
"""The package that stands for this distribution in the group."""

_log = logging.getLogger(__name__)


class ResourceMissing(RefereeError, FileNotFoundError):
    """A data file that the program came with is not there."""


@cache
def _packages() -> Path:
    """Where this package lies. A picture that is new on a screen is looked for in a dozen places."""
    return Path(__file__).resolve().parent


def root() -> Path:
    """The folder that holds the data of this distribution: beside the packages in a checkout, inside `device` in a
    wheel."""
    packages = _packages()
    for candidate in (packages / "_config", packages.parent / "config"):
        if candidate.is_dir():
            return candidate
    raise ResourceMissing(f"no config folder beside {packages}: {AGAIN}")


@cache
def brought() -> Mapping[str, str]:
    """The package that brings each game, by the game's name: ours first, then by distribution and name."""
    from importlib.metadata import entry_points

    found: dict[str, str] = {}
    entries = entry_points(group=GROUP)
    for entry in sorted(entries, key=lambda each: (each.module != OWN, each.dist.name if each.dist else "", each.name)):
        if found.setdefault(entry.name, entry.module) != entry.module:
            _log.warning("the game %s of %s is left out: %s has one", entry.name, entry.module, found[entry.name])
    return found


@cache
def package_data(package: str) -> Path | None:
    """The data of another distribution; None, and a word in the log, if there are none. Nothing of it is run."""
    try:
        spec = find_spec(package)
    except (ImportError, ValueError):
        spec = None
    for place in (spec.submodule_search_locations or ()) if spec is not None else ():
        if (Path(place) / "config").is_dir():
            return Path(place) / "config"
    _log.error("there is no folder `config` in a package %s: install what brings it again, or remove it", package)
    return None


def folders() -> tuple[Path, ...]:
    """Every folder of data, ours first."""
    others = (package_data(package) for package in dict.fromkeys(brought().values()) if package != OWN)
    return (root(), *(folder for folder in others if folder is not None))


def find(*parts: str) -> Path:
    """The path of a file or folder in the first folder that has it; where ours would be, if none has."""
    paths = [folder.joinpath(*parts) for folder in folders()]
    return next((path for path in paths if exists(path)), paths[0])


def resource(*parts: str) -> Path:
    """As `find`, such as resource("mats", "runes.toml"). Raises ResourceMissing if it is nowhere."""
    path = find(*parts)
    if not path.exists():
        raise ResourceMissing(f"{path} is missing: {AGAIN}")
    return path


def every(kind: str) -> tuple[Path, ...]:
    """The TOML files of a kind ("mats", "sets", ...), by name; of two of one name the one that `find` gives."""
    found: dict[str, Path] = {}
    for folder in folders():
        for path in (folder / kind).glob("*.toml"):
            found.setdefault(path.name, path)
    return tuple(found[name] for name in sorted(found))


def shipped(kind: type[T], *parts: str) -> T:
    """A TOML file as `kind`. Raises ResourceMissing, or BadFile, which tells every fault."""
    return read_toml(resource(*parts), kind, remedy=AGAIN)
