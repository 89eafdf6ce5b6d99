"""The games that are installed, and their mats: decoded, checked, and made ready to play."""

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
"""Hears of a file that is faulty and left out."""


class UnknownGame(RefereeError, LookupError):
    """No game of that name is installed."""


def specs(wrong: Wrong | None = None) -> dict[str, GameSpec]:
    """Every game that is installed, by name, in order of the titles.

    wrong: hears of those that cannot be read, which are left out. Without it they raise BadFile.
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
    """One game. Raises UnknownGame, naming those that there are."""
    known = _declared_games()
    if name not in known:
        raise UnknownGame(f"there is no game {name!r}; games: {', '.join(known) or 'none'}")
    return _spec(name)


class _Usual(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    game: str


def usual() -> str:
    """The game that is meant where nobody names one: that of config/usual.toml, or else the first.

    Raises UnknownGame if there is none.
    """
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
    """The game itself, with its data as it was shipped. Raises BadFile."""
    return build(spec)[0]


def of_match(spec: GameSpec, start: Start) -> AnyGame:
    """The game as a match is played, wherever it was begun. Raises BadFile, or Invalid if it cannot be played
    with the data that are here."""
    game, _, shipped, data = build(spec)
    cards = as_played_now(spec, start, data).deck
    return correct(shipped, cards).game() if shipped is not None and cards else game


def build(spec: GameSpec, own: Path | None = None) -> tuple[AnyGame, Deck | None, Deck | None, str]:
    """The game; if it has some, the cards that their owner may correct, and the same as they were shipped; the digest
    of all other data. Raises BadFile.

    own: a folder whose data files take the place of shipped ones of the same path. Of cards the numbers count that may
    be corrected: they go into the first entry of a match, which is the same on every machine.
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
    """Cards of a game that is not here."""


def decks() -> dict[str, GameSpec]:
    """Every game that is installed and has cards, by their file below config/ ("decks/fence.toml"). Raises BadFile."""
    return {each.data["deck"]: each for each in specs().values() if each.deck is not None}


def check_deck(spec: GameSpec | None, owned: Any, where: str) -> None:
    """Check that a match can be played with the cards of an owner. Raises BadFile.

    spec: whose cards they are, of `decks`; None: those of no game that is installed here. owned: what their file holds,
    decoded; where: in errors.
    """
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
    """The cards as their owner corrected them, and the game with them; None if they are as shipped. Raises BadFile."""
    with decoding(path, remedy):
        owners = deck(spec, {**data, "deck": owned}) or shipped
        words = corrections(owners, shipped)
        return owners, correct(shipped, words).game() if words else None


@contextmanager
def importing(spec: GameSpec) -> Iterator[None]:
    """A game whose package cannot be imported is left out like one whose data cannot be read."""
    try:
        yield
    except (ImportError, SyntaxError) as error:
        wrong = f"{spec.factory} cannot be imported ({quote(error)})"
        raise BadFile(_file(spec.name), Fault("factory", wrong, "install the game again")) from error


def _is_deck(spec: GameSpec, name: str) -> bool:
    return spec.deck is not None and name == "deck"


def _data(file: str, own: Path | None) -> tuple[Path, Any]:
    """A data file, decoded by its ending: the owner's if there is one, or else the shipped one."""
    if own is not None:
        with suppress(NoFile):
            return own / file, _decode(own / file, ANEW)
    return find(file), _decode(find(file), AGAIN)


def _decode(path: Path, remedy: str) -> Any:
    return read_toml(path, dict, remedy=remedy) if path.suffix == ".toml" else read_json(path, object, remedy=remedy)


def mats(names: Iterable[str]) -> dict[str, Mat]:
    """Mats by name. One that is missing or faulty is logged and left out: its game is played at the
    buttons."""
    unusable = "%s: no camera can follow what is played on it"
    paths = [find("mats", f"{name}.toml") for name in names]
    return read_mats(paths, lambda _path, error: _log.warning(unusable, error))


def _declared_games() -> list[str]:
    """The games that are declared. A package without a folder `games` brings other things, such as a language."""
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
