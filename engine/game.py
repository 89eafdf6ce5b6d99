"""What a game is: a frozen state, a frozen action, and pure functions between them.

The core calls nothing else of a game, and knows none by name: the game's games/NAME.toml names the factory that makes
it (`engine.tellstones:create`, called with the game's data). `referee conformance` checks what every game has to pass.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol, TypeAlias, TypeVar

import msgspec

from engine.errors import Violation
from engine.table import Layout, Piece, Seat, Spot, Trace, ZoneLayout
from engine.text import Text
from engine.view import Event, Outcome, View

OptionValue: TypeAlias = "str | int | bool"
Options: TypeAlias = "Mapping[str, OptionValue]"
"""Every option of the game by name, defaults filled in and checked against its specification in config/games."""

Words: TypeAlias = "tuple[str, ...]"
"""An action in the game's notation, split at blanks: ("swap", "crown", "3")."""


class Choice(msgspec.Struct, frozen=True):
    """One word that may come next. `final`: with it the action is complete.

    costs: the action cannot be taken back, or uses something up, so the buttons ask once more before it counts.
    under: a heading under which a long menu may put it beside its like, such as the rank of a card.
    """

    word: str
    text: Text
    final: bool
    costs: bool = False
    under: Text | None = None


class Attempt(msgspec.Struct, frozen=True):
    """Something illegal that a hand could do all the same.

    kind: a short name for statistics ("placed between"). words: the action in notation, if it can be written as one;
    `by` is the seat that orders or does it. trace: what a camera would see. what: a sentence that says what was done,
    hidden pieces by their place; None if the breaches say it well enough.
    """

    kind: str
    by: Seat
    trace: Trace
    violations: tuple[Violation, ...]
    words: Words = ()
    what: Text | None = None


class Prefilter(Protocol):
    """What a glance at the table leaves possible. It never rules out what was done, however badly that is seen."""

    def is_touched(self, spot: Spot) -> bool:
        """False if nobody touched the piece that lay there."""
        ...

    def lies(self, zone: str, piece: Piece) -> bool:
        """False if no such piece lies in a zone now; it may have been hidden or taken since it was laid."""
        ...

    def only(self, *zones: str) -> bool:
        """False if a piece of another zone is not where and how it was."""
        ...


class ZonePrefilter(Prefilter, Protocol):
    """What one look at the table leaves possible, zone by zone."""

    def passes(self, layout: Layout) -> bool:
        """False if the looks alone show that the table is not so."""
        ...

    def allows(self, *zones: ZoneLayout) -> bool:
        """False if they show that the table is not as it was but for these zones, or that one of them is not so."""
        ...


class _Anything:
    def is_touched(self, spot: Spot) -> bool:
        return True

    def lies(self, zone: str, piece: Piece) -> bool:
        return True

    def only(self, *zones: str) -> bool:
        return True

    def passes(self, layout: Layout) -> bool:
        return True

    def allows(self, *zones: ZoneLayout) -> bool:
        return True


ANYTHING: ZonePrefilter = _Anything()
"""Nobody looked: everything is possible."""

S = TypeVar("S", bound=msgspec.Struct)
A = TypeVar("A", bound=msgspec.Struct)


class Game(Protocol[S, A]):
    """The rules of one game, bound to its data (decks, cards). Every method is a pure function of its arguments."""

    name: str

    def setup(self, options: Options, seats: tuple[Seat, ...], seed: int) -> S:
        """The state before the first action. Raises Invalid if the options do not go together or with the seats."""
        ...

    def actors(self, state: S) -> frozenset[Seat]:
        """Return the seats that may act now: several where play is simultaneous, none once the match has ended."""
        ...

    def choices(self, state: S, seat: Seat, prefix: Words = ()) -> tuple[Choice, ...]:
        """The words that may follow `prefix` in a legal action of `seat`. () if there are none."""
        ...

    def read(self, state: S, seat: Seat, words: Words) -> A:
        """The action that `words` mean, legal or not.

        Raises Invalid, Ambiguous if words are missing, or Illegal if no state of the match could allow it.
        """
        ...

    def clauses(self, state: S, seat: Seat, words: Words) -> tuple[str, ...]:
        """The clauses by which the action is judged that `words` mean, apart from who may do it and when: no more than
        all at the table know of it. Raises Invalid."""
        ...

    def words(self, state: S, action: A) -> Words:
        """The notation of an action; `read` takes it back."""
        ...

    def judge(self, state: S, seat: Seat, action: A) -> tuple[Violation, ...]:
        """Every clause that the action breaks; () if it is legal."""
        ...

    def apply(self, state: S, seat: Seat, action: A) -> tuple[S, tuple[Event, ...]]:
        """The state after a legal action, and what is told to whom."""
        ...

    def resign(self, state: S, seat: Seat) -> tuple[S, tuple[Event, ...]]:
        """The state after a seat gave up or lost on time: the match may end with it or go on without the seat."""
        ...

    def layout(self, state: S) -> Layout:
        """Return the layout of an honest table."""
        ...

    def trace(self, state: S, seat: Seat, action: A) -> Trace:
        """Return what a camera sees when the action is carried out."""
        ...

    def attempts(self, state: S, look: ZonePrefilter = ANYTHING) -> Iterable[Attempt]:
        """Illegal actions that are physically possible, the likely ones first. What `look` rules out may be left out:
        a game with many need not judge them all."""
        ...

    def misexecutions(self, state: S, seat: Seat, action: A) -> Iterable[Attempt]:
        """Yield what a hand may do wrong in carrying out this order of `seat`, given in the state before it."""
        ...

    def corrections(self, state: S, prefix: Words = ()) -> tuple[Choice, ...]:
        """The words that may follow in a correction of what the referee believes (law 2)."""
        ...

    def correct(self, state: S, words: Words) -> tuple[S, tuple[Event, ...]]:
        """The state after a correction. Raises Invalid. A correction tells nobody what is hidden.

        What it has drawn anew, such as a lot, everybody is told by an event that reveals.
        """
        ...

    def identify(self, state: S, spot: Spot, kind: str) -> Words | None:
        """The correction that says what a face-down piece really is, without turning it; None if there is none."""
        ...

    def view(self, state: S, seat: Seat | None) -> View:
        """Return what `seat` may know; None: what everybody at the table may know (law 5)."""
        ...

    def outcome(self, state: S) -> Outcome | None:
        """Return how the match ended, or None while it goes on."""
        ...

    def reference(self, options: Options) -> tuple[tuple[Text, ...], ...]:
        """The reference card: pages of short lines, shown as help screens."""
        ...
