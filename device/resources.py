"""Finds data in config/ of this distribution, games and extensions.

Entry points in `table_referee.games` name packages with a `config` folder (docs/developers/write-a-game.md); extensions
use `table_referee.extensions`. Our files take precedence.
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
"""The package naming this distribution."""

_log = logging.getLogger(__name__)


class ResourceMissing(RefereeError, FileNotFoundError):
    """A shipped data file is missing."""


@cache
def _packages() -> Path:
    return Path(__file__).resolve().parent


def root() -> Path:
    """Return this distribution's data folder, in a checkout or a wheel. Raises ResourceMissing."""
    packages = _packages()
    for candidate in (packages / "_config", packages.parent / "config"):
        if candidate.is_dir():
            return candidate
    raise ResourceMissing(f"no config folder beside {packages}: {AGAIN}")


@cache
def _entries() -> Mapping[str, tuple[EntryPoint, ...]]:
    from importlib.metadata import entry_points

    found = entry_points()
    return {group: tuple(found.select(group=group)) for group in (GROUP, EXTENSIONS)}


@cache
def extension_entries() -> tuple[EntryPoint, ...]:
    """Return extensions' entry points, sorted by name."""
    return tuple(sorted(_entries()[EXTENSIONS], key=lambda each: each.name))


@cache
def game_packages() -> Mapping[str, str]:
    """Return each game's package, ours first."""
    found: dict[str, str] = {}
    entries = _entries()[GROUP]
    for entry in sorted(entries, key=lambda each: (each.module != OWN, each.dist.name if each.dist else "", each.name)):
        if found.setdefault(entry.name, entry.module) != entry.module:
            _log.warning("the game %s of %s is left out: %s has one", entry.name, entry.module, found[entry.name])
    return found


@cache
def package_data(package: str) -> Path | None:
    """Return a game package's `config` folder; None, logged, if missing."""
    folder = _config(package)
    if folder is None:
        _log.error("there is no folder `config` in a package %s: install what brings it again, or remove it", package)
    return folder


@cache
def _config(package: str) -> Path | None:
    try:
        spec = find_spec(package)
    except (ImportError, ValueError):
        spec = None
    places = (Path(place) / "config" for place in ((spec and spec.submodule_search_locations) or ()))
    return next((place for place in places if place.is_dir()), None)


def look_again() -> None:
    """Forget which packages have data, as one was installed."""
    for each in (_entries, extension_entries, game_packages, package_data, _config):
        each.cache_clear()


def folders() -> tuple[Path, ...]:
    """Return all data folders: ours, games', extensions'. Raises ResourceMissing without ours."""
    games = (package_data(package) for package in dict.fromkeys(game_packages().values()) if package != OWN)
    extensions = (_config(entry.module.partition(".")[0]) for entry in extension_entries())
    found = (folder for folder in (*games, *extensions) if folder is not None)
    return (root(), *dict.fromkeys(found))


def find(*parts: str) -> Path:
    """Return a file's path in the first folder with it, else ours."""
    paths = [folder.joinpath(*parts) for folder in folders()]
    return next((path for path in paths if exists(path)), paths[0])


def resource(*parts: str) -> Path:
    """Return a file as `find` does. Raises ResourceMissing."""
    path = find(*parts)
    if not path.exists():
        raise ResourceMissing(f"{path} is missing: {AGAIN}")
    return path


def clauses_of(game: str, language: str = "en") -> Path | None:
    """Return the file of a game's numbered clauses; None if this installation has none.

    A checkout has ours in docs/rules, a wheel in its data folder."""
    file = Path(f"{game}.md") if language == "en" else Path(language, f"{game}.md")
    found = (find("rules", *file.parts), root().parent / "docs" / "rules" / file)
    return next((path for path in found if exists(path)), None)


def every(kind: str) -> tuple[Path, ...]:
    """Return TOML files of a kind ("mats", "sets", ...), sorted by name; of equal names the first folder's."""
    found: dict[str, Path] = {}
    for folder in folders():
        for path in (folder / kind).glob("*.toml"):
            found.setdefault(path.name, path)
    return tuple(found[name] for name in sorted(found))


def load_shipped(kind: type[T], *parts: str) -> T:
    """Return a TOML file as `kind`. Raises ResourceMissing, BadFile."""
    return read_toml(resource(*parts), kind, remedy=AGAIN)
