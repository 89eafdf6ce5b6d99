"""What a session is told at power-on and what never changes while it lives."""

from __future__ import annotations

import msgspec

from device import locale
from engine.catalogue import AnyGame, GameSpec
from engine.deck import Deck
from engine.game import OptionValue
from engine.table import Seat
from vision.mat import Mat

SHARED = "shared"
TABLE = "table"
LETTERS: tuple[Seat, ...] = ("a", "b", "c", "d")
LANGUAGES: tuple[tuple[str, str], ...] = tuple((code, locale.NAMES[code]) for code in locale.LANGUAGES)
"""Codes and names of the languages, in the order in which they are offered."""


class Known(msgspec.Struct, frozen=True):
    """A game of the catalogue, ready to be played. deck: its cards, if their owner may correct them at this table."""

    spec: GameSpec
    game: AnyGame
    deck: Deck | None = None


class Table(msgspec.Struct, frozen=True):
    """The table that the session runs.

    panels: seats with a display and buttons of their own. shared: one more panel, for every seat without its own.
    screen: a display without buttons that everybody sees. mats: by name. clock, game: what is offered first.
    settle_s: how long a table may stay in disorder before somebody is reminded.
    """

    panels: tuple[Seat, ...]
    games: dict[str, Known]
    shared: bool = False
    screen: bool = False
    camera: bool = False
    mats: dict[str, Mat] = {}
    clock: dict[str, OptionValue] = {}
    game: str = ""
    language: str = "en"
    settle_s: float = 4.0

    @property
    def displays(self) -> tuple[str, ...]:
        """Every display by its name: a seat's letter, "shared" or "table"."""
        return (*self.panels, *((SHARED,) if self.shared else ()), *((TABLE,) if self.screen else ()))

    @property
    def seats(self) -> tuple[Seat, ...]:
        """Seats at which somebody can press: all of them if there is a shared panel."""
        return LETTERS if self.shared else self.panels

    def desk_of(self, seat: Seat) -> str:
        """The display that a seat reads: its own, or the shared one."""
        return seat if seat in self.panels else SHARED
