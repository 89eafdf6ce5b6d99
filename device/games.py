"""The games and mats of config/: decoded, checked, and made ready to play."""

from __future__ import annotations

import logging
import tomllib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from device.resources import root
from engine.catalogue import AnyGame, GameSpec, deck, digest, fitting, make
from engine.deck import Deck, corrected, corrections
from engine.entry import Start
from engine.errors import Invalid, RefereeError
from vision.mat import Mat
from vision.mats import read_mats

T = TypeVar("T")
_log = logging.getLogger(__name__)


class CatalogueError(RefereeError, ValueError):
    """A file of config/ is not as it should be: the message names the file and the key."""


class UnknownGame(RefereeError, LookupError):
    """No game of that name is in config/games."""


def specs() -> dict[str, GameSpec]:
    """Every game of config/games, by name, in order of the titles."""
    found = [_spec(path) for path in sorted((root() / "games").glob("*.toml"))]
    return {spec.name: spec for spec in sorted(found, key=lambda spec: spec.title)}


def spec(name: str) -> GameSpec:
    """One game. Raises UnknownGame, naming those that there are."""
    path = root() / "games" / f"{name}.toml"
    if not path.is_file():
        names = ", ".join(sorted(path.stem for path in path.parent.glob("*.toml"))) or "none"
        raise UnknownGame(f"there is no game {name!r}; games: {names}")
    return _spec(path)


def game(spec: GameSpec) -> AnyGame:
    """The game itself, with its data as it was shipped. Raises CatalogueError."""
    return built(spec)[0]


def of_match(spec: GameSpec, start: Start) -> AnyGame:
    """The game as a match is played, wherever it was begun. Raises CatalogueError, or Invalid if it cannot be played
    with the data that are here."""
    game, _, shipped, data = built(spec)
    cards = fitting(spec, start, data).deck
    return corrected(shipped, cards).game() if shipped is not None and cards else game


def built(spec: GameSpec, own: Path | None = None) -> tuple[AnyGame, Deck | None, Deck | None, str]:
    """The game; if it has some, the cards that their owner may correct, and the same as they were shipped; the digest
    of all other data. Raises CatalogueError.

    own: a folder whose data files take the place of shipped ones of the same path. Of cards the numbers count that may
    be corrected: they go into the first entry of a match, which is the same on every machine.
    """
    files = {name: root() / file if _is_deck(spec, name) else _owned(file, own) for name, file in spec.data.items()}
    data = {name: _data(path) for name, path in files.items()}
    with _naming(*files.values()):
        game, shipped = make(spec, data), deck(spec, data)
    if shipped is None:
        return game, None, None, digest(data)
    path = _owned(spec.data["deck"], own)
    with _naming(path):
        owners = deck(spec, {**data, "deck": _data(path)}) or shipped
        words = corrections(owners, shipped)
        return corrected(shipped, words).game() if words else game, owners, shipped, digest(data)


def _is_deck(spec: GameSpec, name: str) -> bool:
    return spec.deck is not None and name == "deck"


@contextmanager
def _naming(*files: Path) -> Iterator[None]:
    """What is wrong with data inside is told with the files' names."""
    try:
        yield
    except (KeyError, Invalid, msgspec.ValidationError) as error:
        raise CatalogueError(f"{', '.join(map(str, files))}: {error}") from error


def _owned(file: str, own: Path | None) -> Path:
    return own / file if own is not None and (own / file).is_file() else root() / file


def mats(names: Iterable[str]) -> dict[str, Mat]:
    """Mats of config/mats, by name. One that is missing or faulty is logged and left out: its game is played at the
    buttons."""
    unusable = "%s is missing or faulty (%s): no camera can follow what is played on it"
    paths = [root() / "mats" / f"{name}.toml" for name in names]
    return read_mats(paths, lambda path, error: _log.warning(unusable, path, error))


def decode(path: Path, kind: type[T]) -> T:
    """A TOML file as `kind`. Raises CatalogueError."""
    try:
        return msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), kind, strict=True)
    except (OSError, tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise CatalogueError(f"{path}: {error}") from error


def _spec(path: Path) -> GameSpec:
    found = decode(path, GameSpec)
    if found.name != path.stem:
        raise CatalogueError(f"{path}: the name is {found.name!r}, but the file is called {path.stem!r}")
    return found


def _data(path: Path) -> Any:
    """A data file, decoded by its ending."""
    try:
        text = path.read_text(encoding="utf-8")
        return tomllib.loads(text) if path.suffix == ".toml" else msgspec.json.decode(text)
    except (OSError, tomllib.TOMLDecodeError, msgspec.DecodeError) as error:
        raise CatalogueError(f"{path}: {error}") from error
