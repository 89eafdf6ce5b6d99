"""Locates data: the folder config/ of this distribution, and those of games and extensions.

A distribution names its game in the entry-point group `table_referee.games`: the game's name, and the Python package
whose folder `config` holds the game's data, arranged as ours (docs/developers/write-a-game.md). An extension is named
in the group `table_referee.extensions`; its package may have such a folder. All folders together are one store in which
ours comes first: no other distribution replaces a file of ours.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from engine.errors import RefereeError
from vision.files import exists, read_toml

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar("T")
AGAIN = "install table-referee again"
GROUP = "table_referee.games"
EXTENSIONS = "table_referee.extensions"
OWN = "device"
"""The package that stands for this distribution in the group."""

_log = logging.getLogger(__name__)


class ResourceMissing(RefereeError, FileNotFoundError):
    """A data file that the program came with is not there."""


@cache
def _packages() -> Path:
    """Return the folder of this package, found once: a new picture on a screen is looked for in a dozen places."""
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
def _entries() -> Mapping[str, tuple[EntryPoint, ...]]:
    """Return the entry points of both groups. To look for them reads the metadata of every distribution: once."""
    from importlib.metadata import entry_points

    found = entry_points()
    return {group: tuple(found.select(group=group)) for group in (GROUP, EXTENSIONS)}


@cache
def extension_entries() -> tuple[EntryPoint, ...]:
    """Return the entry points of the installed extensions, by name."""
    return tuple(sorted(_entries()[EXTENSIONS], key=lambda each: each.name))


@cache
def game_packages() -> Mapping[str, str]:
    """The package that brings each game, by the game's name: ours first, then by distribution and name."""
    found: dict[str, str] = {}
    entries = _entries()[GROUP]
    for entry in sorted(entries, key=lambda each: (each.module != OWN, each.dist.name if each.dist else "", each.name)):
        if found.setdefault(entry.name, entry.module) != entry.module:
            _log.warning("the game %s of %s is left out: %s has one", entry.name, entry.module, found[entry.name])
    return found


@cache
def package_data(package: str) -> Path | None:
    """Return the folder `config` of a game's package; None, with an error in the log, if there is none."""
    folder = _config(package)
    if folder is None:
        _log.error("there is no folder `config` in a package %s: install what brings it again, or remove it", package)
    return folder


@cache
def _config(package: str) -> Path | None:
    """Return the folder `config` of another distribution's package, if it has one. Nothing of the package is run."""
    try:
        spec = find_spec(package)
    except (ImportError, ValueError):
        spec = None
    places = (Path(place) / "config" for place in ((spec and spec.submodule_search_locations) or ()))
    return next((place for place in places if place.is_dir()), None)


def folders() -> tuple[Path, ...]:
    """Return every folder of data: ours, then those of games, then those of extensions."""
    games = (package_data(package) for package in dict.fromkeys(game_packages().values()) if package != OWN)
    extensions = (_config(entry.module.partition(".")[0]) for entry in extension_entries())
    found = (folder for folder in (*games, *extensions) if folder is not None)
    return (root(), *dict.fromkeys(found))


def find(*parts: str) -> Path:
    """The path of a file or folder in the first folder that has it; where ours would be, if none has."""
    paths = [folder.joinpath(*parts) for folder in folders()]
    return next((path for path in paths if exists(path)), paths[0])


def resource(*parts: str) -> Path:
    """Find a file as `find` does, such as resource("mats", "runes.toml"). Raises ResourceMissing if it is nowhere."""
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


def load_shipped(kind: type[T], *parts: str) -> T:
    """A TOML file as `kind`. Raises ResourceMissing, or BadFile, which tells every fault."""
    return read_toml(resource(*parts), kind, remedy=AGAIN)
