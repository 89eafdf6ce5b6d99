"""The description of a table that a session receives at power-on, and that never changes while it lives."""

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
"""Codes and names of the languages, in the order in which they are offered."""


class KnownGame(msgspec.Struct, frozen=True):
    """A game of the catalogue, ready to be played with the cards that lie at this table.

    deck: those cards, if their owner may correct them; shipped: as they were before. data: digest of all other data.
    """

    spec: GameSpec
    game: AnyGame
    deck: Deck | None = None
    shipped: Deck | None = None
    data: str = ""

    @property
    def corrections(self) -> dict[str, str]:
        """Return what the owner of this table corrected."""
        return {} if self.deck is None or self.shipped is None else corrections(self.deck, self.shipped)

    def with_cards(self, deck: Deck) -> KnownGame:
        """The game with these cards from now on."""
        return msgspec.structs.replace(self, game=deck.game(), deck=deck)

    def playing(self, start: Start) -> KnownGame:
        """The game as a match is played: with the cards of its first entry, whatever lies at the table by now. Raises
        Invalid if there are no such cards."""
        if self.shipped is None:
            return self
        return msgspec.structs.replace(self, game=_game(self.shipped, tuple(start.deck.items())))

    def as_played_now(self, start: Start) -> Start:
        """See `engine.catalogue.as_played_now`."""
        return as_played_now(self.spec, start, self.data)


@lru_cache(maxsize=8)  # asked at every step of the check before a match
def _game(shipped: Deck, words: tuple[tuple[str, str], ...]) -> AnyGame:
    return correct(shipped, dict(words)).game()


class Table(msgspec.Struct, frozen=True):
    """The table that the session runs.

    panels: seats with a display and buttons of their own. shared: one more panel, for every seat without its own.
    pages: a phone may take a seat, also one without a panel; places: the seats that phones may take. screen: a
    display without buttons that everybody sees. mats: by name. clock, game: what is offered first. settle_s: how long a
    table may stay in disorder before somebody is reminded. care: its owner may look after it at the buttons. aloud,
    sounds: pages read aloud and sound where nobody chose otherwise. simulated: cards are dealt by themselves at the
    start, a match waits for the camera, and its page starts one and gives free seats away at any time.
    """

    panels: tuple[Seat, ...]
    games: dict[str, KnownGame]
    shared: bool = False
    pages: bool = False
    places: tuple[Seat, ...] = SEATS
    screen: bool = False
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
        """Every display by its name: a seat's letter, "shared" or "table"."""
        return (*self.panels, *((SHARED,) if self.shared else ()), *((TABLE,) if self.screen else ()))

    @property
    def seats(self) -> tuple[Seat, ...]:
        """Seats at which somebody can press or tap: all of them if there is a shared panel; those for phones, too, if
        there are pages."""
        if self.shared:
            return SEATS
        return tuple(sorted({*self.panels, *self.places})) if self.pages else self.panels

    def by_phone(self, seat: Seat) -> bool:
        """Return True if a phone may take this seat."""
        return self.pages and seat in self.places

    def menu_state_of(self, seat: Seat) -> str:
        """The display that a seat reads: its own, the shared one if there is one, or else none but its phone's."""
        return SHARED if self.shared and seat not in self.panels else seat
