"""The interface of a game, all that the core calls: frozen state, frozen actions, and pure functions.

games/NAME.toml names the factory, such as `engine.tellstones:create`. `referee conformance` checks it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from typing import Concatenate, ParamSpec, Protocol, TypeAlias, TypeVar

import msgspec

from engine.errors import Violation
from engine.table import Layout, Piece, Seat, Spot, Trace, ZoneLayout
from engine.text import Text
from engine.view import DrawnThing, Event, Outcome, View

OptionValue: TypeAlias = "str | int | bool"
Options: TypeAlias = "Mapping[str, OptionValue]"
"""Every option of the game by name, complete and checked against its catalogue entry."""

Words: TypeAlias = "tuple[str, ...]"
"""An action in notation, split at blanks: ("swap", "crown", "3")."""


class Choice(msgspec.Struct, frozen=True):
    """A word that may come next.

    final: the word completes the action
    costs: no undo, or something is used up, so buttons ask for confirmation
    under: heading that groups it in a long menu, such as a card's rank
    means: drawn things to tap on a page for the word; if an action has none, the page uses its trace"""

    word: str
    text: Text
    final: bool
    costs: bool = False
    under: Text | None = None
    means: tuple[DrawnThing, ...] = ()


class Attempt(msgspec.Struct, frozen=True):
    """An illegal action that a hand could still do.

    kind: for statistics, such as "placed between"
    by: seat that orders or does it
    trace: as a camera would see it
    words: notation, if any
    what: sentence on it, with hidden pieces by place; None if the violations suffice"""

    kind: str
    by: Seat
    trace: Trace
    violations: tuple[Violation, ...]
    words: Words = ()
    what: Text | None = None


class Prefilter(Protocol):
    """A quick test of actions against one observation, by spots before the action. False means impossible."""

    def is_touched(self, spot: Spot) -> bool:
        """Return False if nobody touched the piece at this spot."""
        ...

    def lies(self, zone: str, piece: Piece) -> bool:
        """Return False if a zone holds no such piece now. Callers allow for later actions that hide or take it."""
        ...

    def only(self, *zones: str) -> bool:
        """Return False if a piece outside these zones has changed."""
        ...


class ZonePrefilter(Prefilter, Protocol):
    """A prefilter that also tests whole zones."""

    def passes(self, layout: Layout) -> bool:
        """Return False if the observation contradicts this resulting layout."""
        ...

    def allows(self, *zones: ZoneLayout) -> bool:
        """Return False if the observation contradicts a resulting zone, or another zone has changed."""
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

S = TypeVar("S", bound=msgspec.Struct)
A = TypeVar("A", bound=msgspec.Struct)


class Game(Protocol[S, A]):
    """The rules of a game, bound to its data. Every method is a pure function."""

    name: str

    def setup(self, options: Options, seats: tuple[Seat, ...], seed: int) -> S:
        """Return the initial state. Raises Invalid if options and seats do not fit."""
        ...

    def actors(self, state: S) -> frozenset[Seat]:
        """Return the seats that may act now; several in simultaneous play, none after the end."""
        ...

    def choices(self, state: S, seat: Seat, prefix: Words = ()) -> tuple[Choice, ...]:
        """Return the words that may follow `prefix` in a legal action of `seat`; () if it may not act."""
        ...

    def read(self, state: S, seat: Seat, words: Words) -> A:
        """Read an action, legal or not. Raises Invalid, Ambiguous if words are missing, or Illegal if no state allows
        it."""
        ...

    def clauses(self, state: S, seat: Seat, words: Words) -> tuple[str, ...]:
        """Return the public clauses that judge the action, without turn and time. Raises Invalid."""
        ...

    def words(self, state: S, action: A) -> Words:
        """Return an action's notation; the inverse of `read`."""
        ...

    def judge(self, state: S, seat: Seat, action: A) -> tuple[Violation, ...]:
        """Return the violations by the action, also of turn and time; () if it is legal."""
        ...

    def apply(self, state: S, seat: Seat, action: A) -> tuple[S, tuple[Event, ...]]:
        """Return the state after a legal action, and its events."""
        ...

    def resign(self, state: S, seat: Seat) -> tuple[S, tuple[Event, ...]]:
        """Return the state after a seat resigns or loses on time; the match may go on without it."""
        ...

    def layout(self, state: S) -> Layout:
        """Return the layout due on the table."""
        ...

    def trace(self, state: S, seat: Seat, action: A) -> Trace:
        """Return the action as a camera sees it."""
        ...

    def attempts(self, state: S, look: ZonePrefilter = ANYTHING) -> Iterable[Attempt]:
        """Yield physically possible illegal actions, likely ones first, perhaps without those that `look` rules out."""
        ...

    def misexecutions(self, state: S, seat: Seat, action: A) -> Iterable[Attempt]:
        """Yield wrong ways to carry out an order that `seat` gave in this state."""
        ...

    def corrections(self, state: S, prefix: Words = ()) -> tuple[Choice, ...]:
        """Return the words that may follow `prefix` in a correction of the referee's belief (law 2)."""
        ...

    def correct(self, state: S, words: Words) -> tuple[S, tuple[Event, ...]]:
        """Return the corrected state and its events. Raises Invalid or Ambiguous.

        It reveals nothing hidden; if it draws again in public, an event has `reveals`."""
        ...

    def identify(self, state: S, spot: Spot, kind: str) -> Words | None:
        """Return the correction that gives a face-down piece this kind, unturned; None if impossible."""
        ...

    def view(self, state: S, seat: Seat | None) -> View:
        """Return what `seat` may know, or with None the public view (law 5)."""
        ...

    def outcome(self, state: S) -> Outcome | None:
        """Return the outcome; None while the match goes on."""
        ...

    def reference(self, options: Options) -> tuple[tuple[Text, ...], ...]:
        """Return the reference card: pages of short lines."""
        ...


K = TypeVar("K")
R = TypeVar("R")
P = ParamSpec("P")


def per_state(function: Callable[Concatenate[K, P], R]) -> Callable[Concatenate[K, P], R]:
    """Cache a pure function of a frozen state and hashable arguments, for the last state (by identity)."""
    last: tuple[K | None, dict[object, R]] = (None, {})

    @wraps(function)
    def answer(state: K, /, *args: P.args, **named: P.kwargs) -> R:
        nonlocal last
        if last[0] is not state:
            last = (state, {})
        known, key = last[1], (args, *named.items()) if named else args
        if key not in known:
            known[key] = function(state, *args, **named)
        return known[key]

    return answer
