"""What the oracle of Dueling Runes reads and writes: the events of a turn, the wizards, the duel as it goes on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NoReturn

from tests.engine.runes.oracle_deck import pays

EFFECTS = ("Cold Ward", "Heat Ward", "Shield", "Haste", "Invisibility", "Confusion", "Counter")
Effects = Mapping[str, frozenset[int]]


@dataclass(frozen=True)
class Lay:
    """A hand card, laid face down and then revealed (R21, R24)."""

    seat: str
    card: str


@dataclass(frozen=True)
class Cast:
    """A basic spell with the cards that give its energy (R28); `target` becomes the other one under a Mirror."""

    seat: str
    spell: str
    energy: tuple[str, ...]
    target: str


@dataclass(frozen=True)
class Skip:
    """No spell with this activation rune (R19)."""

    seat: str


@dataclass(frozen=True)
class Counter:
    """Counter Spell, paid with these hand cards (R51)."""

    seat: str
    cost: tuple[str, ...]
    target: str


@dataclass(frozen=True)
class Mirror:
    """Magic Mirror on the spell that `caster` announced (R53)."""

    seat: str
    cost: tuple[str, ...]
    caster: str


@dataclass(frozen=True)
class Resolve:
    """Nobody reacts any more: the announced spells take effect."""


@dataclass(frozen=True)
class Forget:
    """The cards that the Forgetfulness announced by `caster` turns face down (R45)."""

    seat: str
    caster: str
    cards: tuple[str, ...]


Event = Lay | Cast | Skip | Counter | Mirror | Resolve | Forget


@dataclass(frozen=True)
class Wizard:
    """A living player. `row` is the spell sequence, oldest first, as (card, face down); effects are sets of turns."""

    seat: str
    life: int
    hand: tuple[str, ...]
    row: tuple[tuple[str, bool], ...] = ()
    effects: Effects = field(default_factory=dict)


@dataclass(frozen=True)
class Report:
    """A fault (event index, clause), or what is asked of whom, or the table after the turn."""

    fault: tuple[int, str] | None = None
    asks: tuple[str, frozenset[str]] | None = None
    order: tuple[tuple[str, tuple[str, ...]], ...] = ()
    wizards: tuple[Wizard, ...] = ()
    deaths: tuple[str, ...] = ()
    winner: str | None = None
    drawn_match: bool = False
    draws: tuple[str, ...] = ()
    discards: tuple[str, ...] = ()


class Refused(Exception):
    """An event that the clauses do not allow."""


class Asked(Exception):
    """The script ran out where somebody is asked."""


class Ended(Exception):
    """At most one player is left."""


@dataclass
class Spell:
    """An announced spell; a Mirror swaps `by` and `on`."""

    announced_by: str
    name: str
    power: int
    by: str
    on: str


@dataclass
class Duel:
    """The turn as it goes on."""

    turn: int
    script: Sequence[Event]
    seats: list[str]
    life: dict[str, int]
    hand: dict[str, list[str]]
    row: dict[str, list[tuple[str, bool]]]
    effects: dict[str, dict[str, frozenset[int]]]
    read: int = 0
    used: set[tuple[str, str]] = field(default_factory=set)
    revealed: dict[str, int] = field(default_factory=dict)
    order: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)
    deaths: list[str] = field(default_factory=list)
    discards: list[str] = field(default_factory=list)

    def has(self, seat: str, effect: str) -> bool:
        return self.turn in self.effects[seat].get(effect, frozenset())

    def give(self, seat: str, effect: str, first: int, turns: int) -> None:
        self.effects[seat][effect] = self.effects[seat].get(effect, frozenset()) | frozenset(
            range(first, first + turns)
        )

    def next(self, what: str, seats: Sequence[str] = ()) -> Event:
        """The next event; a Counter Spell, which may come at any time, is worked off on the way (R51)."""
        while self.read < len(self.script):
            event = self.script[self.read]
            self.read += 1
            if not isinstance(event, Counter):
                return event
            if what == "forget":
                refuse("R51")  # the spell takes effect: its window is over
            self.spend(event.seat, event.cost, 2)
            if event.target not in self.seats:
                refuse("R51")
            self.give(event.target, "Counter", self.turn, 1)
            if what == "lay":
                return event  # it may have taken the last card of somebody's hand
        raise Asked(what, frozenset(seats))

    def spend(self, seat: str, cost: Sequence[str], number: int) -> None:
        if seat not in self.seats or not set(cost) <= set(self.hand[seat]) or not pays(cost, number):
            refuse("R50")
        for card in cost:
            self.hand[seat].remove(card)
            self.discards.append(card)  # R55


def refuse(clause: str) -> NoReturn:
    raise Refused(clause)
