"""Loads installed games and mats."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec

from device.resources import AGAIN, OWN, find, game_packages, package_data
from engine.catalogue import AnyGame, GameSpec, as_played_now, deck, digest, make
from engine.deck import Deck, correct, corrections
from engine.entry import Start
from engine.errors import RefereeError
from vision.files import BadFile, Fault, NoFile, decoding, quote, read_json, read_toml
from vision.mat import Mat, read_mats

ANEW = "correct it there, or move it away: without it the shipped one counts"
_log = logging.getLogger(__name__)

Wrong = Callable[[Path, BadFile], None]
"""Receives a faulty file left out."""


class UnknownGame(RefereeError, LookupError):
    """No such game is installed."""


def specs(wrong: Wrong | None = None) -> dict[str, GameSpec]:
    """Return installed games by name, sorted by title.

    wrong: receives unreadable ones; None raises BadFile.
    """
    found = []
    for name in _declared_games():
        try:
            found.append(_spec(name))
        except BadFile as error:
            if wrong is None:
                raise
            wrong(_file(name), error)
    return {spec.name: spec for spec in sorted(found, key=lambda spec: spec.title)}


def spec(name: str) -> GameSpec:
    """Return a game. Raises UnknownGame, BadFile."""
    known = _declared_games()
    if name not in known:
        raise UnknownGame(f"there is no game {name!r}; games: {', '.join(known) or 'none'}")
    return _spec(name)


class _Usual(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    game: str


def usual() -> str:
    """Return the default game (config/usual.toml, else the alphabetically first). Raises UnknownGame without any."""
    known = _declared_games()
    try:
        game = read_toml(find("usual.toml"), _Usual, remedy=AGAIN).game
    except BadFile as error:
        _log.error("it does not say which game is the usual one: %s", error)
        game = ""
    if game not in known and not known:
        raise UnknownGame(f"no game is installed: {AGAIN}")
    return game if game in known else min(known)


def game(spec: GameSpec) -> AnyGame:
    """Return a game with shipped data. Raises BadFile."""
    return build(spec)[0]


def of_match(spec: GameSpec, start: Start) -> AnyGame:
    """Return a match's game. Raises BadFile, or Invalid if the data differ."""
    game, _, shipped, data = build(spec)
    cards = as_played_now(spec, start, data).deck
    return correct(shipped, cards).game() if shipped is not None and cards else game


def build(spec: GameSpec, own: Path | None = None) -> tuple[AnyGame, Deck | None, Deck | None, str]:
    """Return the game, its current and shipped cards (None without a deck), and a digest of its data. Raises BadFile.

    own: folder of the owner's data. The digest leaves out corrected cards: a match's first entry has them.
    """
    read = {name: _data(file, None if _is_deck(spec, name) else own) for name, file in spec.data.items()}
    data = {name: data for name, (_, data) in read.items()}
    with importing(spec), decoding(", ".join(str(path) for path, _ in read.values()) or _file(spec.name), AGAIN):
        game, shipped, told = make(spec, data), deck(spec, data), digest(data)
    if shipped is None:
        return game, None, None, told
    path, owned = _data(spec.data["deck"], own)
    owners, owners_game = _load_owned(spec, data, shipped, owned, path)
    return owners_game or game, owners, shipped, told


class NotInstalled(BadFile):
    """Cards of a game that isn't installed."""


def decks() -> dict[str, GameSpec]:
    """Return games with cards, by file ("decks/fence.toml"). Raises BadFile."""
    return {each.data["deck"]: each for each in specs().values() if each.deck is not None}


def check_deck(spec: GameSpec | None, owned: Any, where: str) -> None:
    """Check that an owner's cards are playable. spec: None if not installed. owned: decoded file. where: for errors.
    Raises NotInstalled, BadFile."""
    if spec is None:
        raise NotInstalled(
            where, Fault("", "holds the cards of no game that is installed here", "install that game first")
        )
    data = {name: _data(each, None)[1] for name, each in spec.data.items()}
    with importing(spec):
        shipped = deck(spec, data)
    assert shipped is not None, "a game with a deck file has a deck"
    _load_owned(spec, data, shipped, owned, where, "correct it there")


def _load_owned(
    spec: GameSpec, data: dict[str, Any], shipped: Deck, owned: Any, path: Path | str, remedy: str = ANEW
) -> tuple[Deck, AnyGame | None]:
    with decoding(path, remedy):
        owners = deck(spec, {**data, "deck": owned}) or shipped
        words = corrections(owners, shipped)
        return owners, correct(shipped, words).game() if words else None


@contextmanager
def importing(spec: GameSpec) -> Iterator[None]:
    """Turn a game's import errors into BadFile."""
    try:
        yield
    except (ImportError, SyntaxError) as error:
        wrong = f"{spec.factory} cannot be imported ({quote(error)})"
        raise BadFile(_file(spec.name), Fault("factory", wrong, "install the game again")) from error


def _is_deck(spec: GameSpec, name: str) -> bool:
    return spec.deck is not None and name == "deck"


def _data(file: str, own: Path | None) -> tuple[Path, Any]:
    if own is not None:
        with suppress(NoFile):
            return own / file, _decode(own / file, ANEW)
    return find(file), _decode(find(file), AGAIN)


def _decode(path: Path, remedy: str) -> Any:
    return read_toml(path, dict, remedy=remedy) if path.suffix == ".toml" else read_json(path, object, remedy=remedy)


def mats(names: Iterable[str]) -> dict[str, Mat]:
    """Return mats by name; faulty ones are logged and left out."""
    unusable = "%s: no camera can follow what is played on it"
    paths = [find("mats", f"{name}.toml") for name in names]
    return read_mats(paths, lambda _path, error: _log.warning(unusable, error))


def _declared_games() -> list[str]:
    packages = {name: package_data(package) if package != OWN else None for name, package in game_packages().items()}
    return sorted(name for name, data in packages.items() if data is None or (data / "games").is_dir())


def _file(name: str) -> Path:
    return find("games", f"{name}.toml")


def _spec(name: str) -> GameSpec:
    path = _file(name)
    found = read_toml(path, GameSpec, remedy=AGAIN)
    if found.name != path.stem:
        wrong = f"the name is {found.name!r}, but the file is called {path.stem!r}"
        raise BadFile(path, Fault("name", wrong, "call both alike"))
    return found
