"""Catalogue entries of games (games/NAME.toml, decoded), and functions that load the game behind one."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import Any, Literal, TypeAlias, cast

import msgspec

from engine.deck import Deck
from engine.entry import Start
from engine.errors import Invalid
from engine.evening import bouts
from engine.game import Game, Options, OptionValue
from engine.table import Seat
from engine.text import Text, say

Colour: TypeAlias = Literal["blue", "red", "yellow", "green"]
"""A player's colour on pages: four of Okabe and Ito's that colour-blind people tell apart."""


class Option(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A rule that a table may choose.

    labels: names of the values, in order; () uses the values
    clause: rule that leaves it open
    source: rulebook ("seed"), published app ("app"), re-implementation ("fan") or ours ("assumed")
    basic: asked at every start
    earlier: value in matches older than the option; None is the default
    seats: values may be seats' letters; those of empty seats are not offered
    camera: it makes a difference only where a camera watches"""

    name: str
    title: str
    values: tuple[OptionValue, ...]
    default: OptionValue
    clause: str
    source: Literal["seed", "app", "fan", "assumed"]
    labels: tuple[str, ...] = ()
    help: str = ""
    basic: bool = False
    earlier: str | int | bool | None = None
    seats: bool = False
    camera: bool = False

    def __post_init__(self) -> None:
        if not any(_same(self.default, value) for value in self.values):
            raise ValueError(f"option {self.name}: the default {self.default!r} is not among {self.values!r}")
        if self.earlier is not None and not any(_same(self.earlier, value) for value in self.values):
            raise ValueError(f"option {self.name}: {self.earlier!r} of earlier matches is not among {self.values!r}")
        if self.labels and len(self.labels) != len(self.values):
            raise ValueError(f"option {self.name}: {len(self.labels)} labels for {len(self.values)} values")


def offered_values(option: Option, seats: Iterable[Seat], letters: Iterable[Seat]) -> tuple[OptionValue, ...]:
    empty = set(letters) - set(seats) if option.seats else set()
    return tuple(value for value in option.values if value not in empty)


def absent_options(spec: GameSpec, seats: Iterable[Seat], letters: Iterable[Seat]) -> frozenset[str]:
    """Return the options of seats at which nobody plays. Beside a lone player, the first free seat is the automatic
    opponent's."""
    taken = set(seats)
    free = [seat for seat in letters if seat not in taken]
    absent = free[1:] if len(taken) == 1 else free
    return frozenset(group[seat] for group in spec.of_seats for seat in absent if seat in group)


def value_text(option: Option, value: OptionValue) -> Text:
    if option.labels:
        return Text(option.labels[[str(each) for each in option.values].index(str(value))])
    if isinstance(value, bool):
        return say("Yes") if value else say("No")
    return Text(str(value))


def complete(options: tuple[Option, ...], given: Mapping[str, OptionValue]) -> Options:
    """Return every option, given or default. Raises Invalid for an unknown option or value."""
    known = {option.name: option for option in options}
    for name, value in given.items():
        if name not in known:
            raise Invalid(say("There is no option {name}. Options: {names}.", name=name, names=", ".join(known)))
        if not any(_same(value, allowed) for allowed in known[name].values):
            allowed = ", ".join(str(v).lower() for v in known[name].values)
            raise Invalid(
                say("Option {name} cannot be {value}. Allowed: {values}.", name=name, value=str(value), values=allowed)
            )
    return {name: given.get(name, option.default) for name, option in known.items()}


def of_earlier_match(options: tuple[Option, ...], given: Mapping[str, OptionValue]) -> Options:
    """Complete an earlier match's options: missing ones get their `earlier` value, else the default. Raises Invalid."""
    days = {option.name: option.earlier for option in options if option.earlier is not None}
    return complete(options, {**days, **given})


def _same(a: OptionValue, b: OptionValue) -> bool:
    return type(a) is type(b) and a == b


class TableSetup(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The mat and zones of a game for certain options.

    seats: seat counts that may play this way
    when: option values that this setup needs
    mat: name of a mat in mats/, if any
    zones: zones that the game uses; () if it needs no camera"""

    seats: tuple[int, ...]
    when: dict[str, OptionValue] = {}
    mat: str | None = None
    zones: tuple[str, ...] = ()


class Pool(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An evening for more players than a match has (`engine.evening`).

    players: allowed numbers
    pool, elimination: options of a match in that stage"""

    players: tuple[int, ...]
    pool: dict[str, OptionValue] = {}
    elimination: dict[str, OptionValue] = {}

    def __post_init__(self) -> None:
        for players in self.players:
            bouts(players)


class Side(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A game's name for a player by the pieces. name, letter: gettext messages, the letter for small displays.
    colour: of the pieces; "" if players choose"""

    name: str
    letter: str
    colour: Colour | Literal[""] = ""


class GameSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A game's entry in the catalogue.

    short: title for small displays; "" uses `title`
    factory: "package:function", called with the decoded files of `data`; returns the game
    data: files by name
    open_menus: a shared display may show a seat's choices (law 5)
    dealer: "package:class" that holds the real hidden cards for simulated players (`referee_simulator.dealers`)
    deck: "package:function" that makes the `engine.deck.Deck` from `data`; its cards are in `data["deck"]`
    commands: "package:app", a typer application for `referee NAME`
    conformance: "package:ways" for `referee conformance NAME` (docs/developers/write-a-game.md)
    random_play: options with which a random match ends soon
    sides: names of the players by their pieces, in seat order; () uses seat letters
    of_seats: options by seat, such as handicaps, that move with the player"""

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
        """Return the first setup that fits; None if none does. seats: seat count; None fits any."""
        for table in self.tables:
            fits = all(options.get(name) == value for name, value in table.when.items())
            if fits and (seats is None or seats in table.seats):
                return table
        return None


AnyGame = Game[Any, Any]


def make(spec: GameSpec, data: Mapping[str, Any]) -> AnyGame:
    """Make the game of a catalogue entry. Raises ImportError or AttributeError if the factory is missing."""
    return cast(AnyGame, load_named(spec.factory)(data))


def deck(spec: GameSpec, data: Mapping[str, Any]) -> Deck | None:
    """Make the deck that an owner may correct; None without one. Raises as `make`."""
    return None if spec.deck is None else cast(Deck, load_named(spec.deck)(data))


def commands(spec: GameSpec) -> Any:
    """Return the typer application of the game's commands; None without any. Raises as `make`."""
    return None if spec.commands is None else load_named(spec.commands)


def digest(data: Mapping[str, Any]) -> str:
    """Return the digest of a game's data that a match's first entry stores."""
    return hashlib.sha256(msgspec.json.encode(data, order="deterministic")).hexdigest()[:16]


def cards(data: str, deck: Mapping[str, str]) -> str:
    """Return the digest of a match's cards. data: digest of the shipped data. deck: corrections."""
    return digest({"data": data, "deck": deck})


def as_played_now(spec: GameSpec, start: Start, data: str) -> Start:
    """Return a match's first entry with every option (`of_earlier_match`). Raises Invalid for unknown options or
    values, data other than `data` (a digest), or corrections without a deck."""
    if start.deck and spec.deck is None:
        raise Invalid(say("No card of {game} can be corrected.", game=Text(spec.title)))
    if start.data and start.data != data:
        raise Invalid(say("It was played with other data than this version has."))
    return msgspec.structs.replace(start, options=dict(of_earlier_match(spec.options, start.options)))


def load_named(factory: str) -> Any:
    """Return what "package:name" names. Raises ImportError, AttributeError."""
    module, _, function = factory.partition(":")
    return getattr(import_module(module), function)
