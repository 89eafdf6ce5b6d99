"""The catalogue entry of a game (games/NAME.toml, decoded), and the way from it to the game itself."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from importlib import import_module
from typing import Any, cast

import msgspec

from engine.dealer import AnyDealer
from engine.deck import Deck
from engine.entry import Start
from engine.errors import Invalid
from engine.evening import bouts
from engine.game import Game, Options, OptionValue
from engine.options import Option, of_earlier_match
from engine.table import Seat
from engine.text import Text, say


class TableSetup(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What lies on the table when the options have the values in `when`.

    seats: the numbers of seats that may play so. mat: the name of one in mats/. zones: those of the mat that the game
    uses; none if the game needs no camera.
    """

    seats: tuple[int, ...]
    when: dict[str, OptionValue] = {}
    mat: str | None = None
    zones: tuple[str, ...] = ()


class Pool(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An evening for more players than one match has: everybody meets everybody once, and a tableau of direct
    elimination follows (`engine.evening`).

    players: how many may take part. pool, elimination: the options of a match of either stage.
    """

    players: tuple[int, ...]
    pool: dict[str, OptionValue] = {}
    elimination: dict[str, OptionValue] = {}

    def __post_init__(self) -> None:
        for players in self.players:
            bouts(players)


class Side(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a game calls a player by the pieces: a message, and one of a single letter for where the first has no
    room."""

    name: str
    letter: str


class GameSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A game as the catalogue knows it.

    short: the title where it must fit on a line of a small display; the title itself, if there is none.
    factory: "package:function"; called with `data` (by name, the decoded contents of the files listed there), it
    returns the game. clauses: the file of its rules and the letter of its clause numbers. open_menus: what a seat may
    choose is known to all, so a display that all share may show it without its owner holding a button (law 5).
    dealer: "package:class" of the `engine.dealer.Dealer` for simulated players, if they hold cards.
    deck: "package:function" that makes the `engine.deck.Deck` out of `data`, if an owner may correct its cards; they
    are in the file listed as `data["deck"]`.
    commands: "package:app", a typer application whose commands become those of `referee NAME`.
    conformance: "package:ways", how `referee conformance NAME` plays it (docs/developers/write-a-game.md).
    random_play: options with which a match at random comes to its end, and soon; simulated matches at the buttons alone
    have them unless others are given.
    sides: what the players are called by their pieces, in the order of the seats; without it by their seats' letters.
    of_seats: options that belong to a player, such as a handicap, by seat: they go along when players change seats.
    pool: a game for two may offer such an evening.
    """

    name: str
    title: str
    factory: str
    clause_letter: str
    tables: tuple[TableSetup, ...]
    options: tuple[Option, ...] = ()
    data: dict[str, str] = {}
    open_menus: bool = False
    dealer: str | None = None
    deck: str | None = None
    commands: str | None = None
    conformance: str | None = None
    random_play: dict[str, OptionValue] = {}
    short: str = ""
    sides: tuple[Side, ...] = ()
    of_seats: tuple[dict[Seat, str], ...] = ()
    pool: Pool | None = None

    @property
    def heading(self) -> str:
        """The title for a small display."""
        return self.short or self.title

    def __post_init__(self) -> None:
        if self.deck is not None and "deck" not in self.data:
            raise ValueError(f"game {self.name}: `deck` needs the file of the cards, as `deck` in `data`")
        known = {option.name for option in self.options}
        stages = (self.pool.pool, self.pool.elimination) if self.pool is not None else ()
        for named in (*(group.values() for group in self.of_seats), *stages):
            if not known.issuperset(named):
                raise ValueError(f"game {self.name}: `of_seats` and `pool` name options, not {sorted(named)}")

    def table(self, options: Options, seats: int | None = None) -> TableSetup | None:
        """The first table that fits the options and the number of seats; None if there is none."""
        for table in self.tables:
            fits = all(options.get(name) == value for name, value in table.when.items())
            if fits and (seats is None or seats in table.seats):
                return table
        return None


AnyGame = Game[Any, Any]


def make(spec: GameSpec, data: Mapping[str, Any]) -> AnyGame:
    """The game of a catalogue entry. Raises ImportError or AttributeError if the factory is not there."""
    return cast(AnyGame, _load_named(spec.factory)(data))


def dealer(spec: GameSpec, game: AnyGame) -> AnyDealer | None:
    """Return the dealer who holds the real cards of a simulated match; None if there are none. Raises as `make`."""
    return None if spec.dealer is None else cast(AnyDealer, _load_named(spec.dealer)(game))


def deck(spec: GameSpec, data: Mapping[str, Any]) -> Deck | None:
    """The cards that an owner may correct; None if there are none. Raises as `make`."""
    return None if spec.deck is None else cast(Deck, _load_named(spec.deck)(data))


def commands(spec: GameSpec) -> Any:
    """The typer application with the game's own commands; None if it has none. Raises as `make`."""
    return None if spec.commands is None else _load_named(spec.commands)


def digest(data: Mapping[str, Any]) -> str:
    """Return the digest of the data that a game was made of, for a match's first entry."""
    return hashlib.sha256(msgspec.json.encode(data, order="deterministic")).hexdigest()[:16]


def cards(data: str, deck: Mapping[str, str]) -> str:
    """The digest of the cards of a match. data: the digest of the shipped data; deck: what was corrected in them."""
    return digest({"data": data, "deck": deck})


def as_played_now(spec: GameSpec, start: Start, data: str) -> Start:
    """The first entry of a match as this version plays it: options that are younger than the match have the value that
    it was played with.

    data: the digest of the data at hand. Raises Invalid for options that are not known, for other data, and for
    corrections of cards that nobody can correct.
    """
    if start.deck and spec.deck is None:
        raise Invalid(say("No card of {game} can be corrected.", game=Text(spec.title)))
    if start.data and start.data != data:
        raise Invalid(say("It was played with other data than this version has."))
    return msgspec.structs.replace(start, options=dict(of_earlier_match(spec.options, start.options)))


def _load_named(factory: str) -> Any:
    module, _, function = factory.partition(":")
    return getattr(import_module(module), function)
