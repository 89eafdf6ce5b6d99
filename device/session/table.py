"""Describes the table to a session; constant from power-on."""

from __future__ import annotations

from functools import lru_cache

import msgspec

from device import locale
from engine.catalogue import AnyGame, GameSpec, as_played_now
from engine.deck import Deck, correct, corrections
from engine.entry import Start
from engine.game import OptionValue
from engine.table import SEATS, Seat
from vision.mat import Mat

SHARED = "shared"
TABLE = "table"
LANGUAGES: tuple[tuple[str, str], ...] = tuple((code, locale.NAMES[code]) for code in locale.LANGUAGES)
"""Language codes and names, in menu order."""


class KnownGame(msgspec.Struct, frozen=True):
    """A game with this table's cards.

    deck, shipped: correctable cards, now and as delivered.
    data: digest of other data.
    """

    spec: GameSpec
    game: AnyGame
    deck: Deck | None = None
    shipped: Deck | None = None
    data: str = ""

    @property
    def corrections(self) -> dict[str, str]:
        return {} if self.deck is None or self.shipped is None else corrections(self.deck, self.shipped)

    def with_cards(self, deck: Deck) -> KnownGame:
        return msgspec.structs.replace(self, game=deck.game(), deck=deck)

    def playing(self, start: Start) -> KnownGame:
        """Return the game with the cards of a match's first entry. Raises Invalid if they don't exist."""
        if self.shipped is None:
            return self
        return msgspec.structs.replace(self, game=_game(self.shipped, tuple(start.deck.items())))

    def as_played_now(self, start: Start) -> Start:
        return as_played_now(self.spec, start, self.data)


@lru_cache(maxsize=8)  # asked at every step of the check
def _game(shipped: Deck, words: tuple[tuple[str, str], ...]) -> AnyGame:
    return correct(shipped, dict(words)).game()


class Table(msgspec.Struct, frozen=True):
    """The session's table.

    shared: a panel for seats without one.
    pages, places: phones may take these seats, if pages.
    one_device: that has the pages of all seats; no phone can join.
    screen: a public display without buttons. page_alone: it is none but a page.
    clock, game: offered first.
    settle_s: seconds before a reminder.
    maintenance: possible at the buttons.
    aloud, sounds: pages' defaults.
    simulated: virtual table.
    """

    panels: tuple[Seat, ...]
    games: dict[str, KnownGame]
    shared: bool = False
    pages: bool = False
    places: tuple[Seat, ...] = SEATS
    one_device: bool = False
    screen: bool = False
    page_alone: bool = False
    camera: bool = False
    mats: dict[str, Mat] = {}
    clock: dict[str, OptionValue] = {}
    game: str = ""
    language: str = "en"
    settle_s: float = 4.0
    maintenance: bool = False
    aloud: bool = False
    sounds: bool = False
    simulated: bool = False

    @property
    def displays(self) -> tuple[str, ...]:
        """All display names: seat letters, "shared", "table"."""
        return (*self.panels, *((SHARED,) if self.shared else ()), *((TABLE,) if self.screen else ()))

    @property
    def draws(self) -> bool:
        """True if there are displays, which lack some glyphs of a browser."""
        return bool(self.panels) or self.shared or (self.screen and not self.page_alone)

    @property
    def seats(self) -> tuple[Seat, ...]:
        """Seats with buttons, and those that phones may take; all with a shared panel."""
        if self.shared:
            return SEATS
        return tuple(sorted({*self.panels, *self.places})) if self.pages else self.panels

    def by_phone(self, seat: Seat) -> bool:
        return self.pages and not self.one_device and seat in self.places

    def display_of(self, seat: Seat) -> str:
        """Return the seat's display name: the shared one without a panel of its own."""
        return SHARED if self.shared and seat not in self.panels else seat
