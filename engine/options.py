"""Options of a game: their values, defaults and sources (law 8)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

import msgspec

from engine.errors import Invalid
from engine.game import Options, OptionValue
from engine.table import Seat
from engine.text import Text, say


class Option(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A rule that a table may choose.

    labels: names of the values, in order; () uses the values
    clause, source: rule that leaves it open, and authority: rulebook ("seed"), published app ("app"),
    re-implementation ("fan") or ours ("assumed")
    basic: asked at every start
    earlier: value in matches older than the option, if not the default
    seats: values are letters of seats in play"""

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


def value_text(option: Option, value: OptionValue) -> Text:
    if option.labels:
        return Text(option.labels[[str(each) for each in option.values].index(str(value))])
    if isinstance(value, bool):
        return say("Yes") if value else say("No")
    return Text(str(value))


def complete(options: tuple[Option, ...], given: Mapping[str, OptionValue]) -> Options:
    """Return every option with its given or default value. Raises Invalid for an unknown option or value."""
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
    """Complete the options of an earlier match: missing ones get their `earlier` value, else the default."""
    days = {option.name: option.earlier for option in options if option.earlier is not None}
    return complete(options, {**days, **given})


def _same(a: OptionValue, b: OptionValue) -> bool:
    return type(a) is type(b) and a == b
