"""The state of a match: players, board, phase, and the base of all actions (X10)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar, TypeAlias, TypeVar, final

import msgspec
from msgspec.structs import replace

from engine.errors import Ambiguous, Invalid, Refusal, Violation
from engine.game import Words
from engine.planetx.draw import SEASONS, Drawn
from engine.planetx.facts import Fact
from engine.planetx.sky import KIND_OF_WORD, MODES, NAMES, WORDS, SkyMode
from engine.rules import Action, Values, Word, grammar, verb
from engine.table import SEATS, Seat
from engine.text import Text, many, say, who
from engine.view import Event, Ring, RingSector

# --- fixed for a match


class Conference(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A conference icon. sector: Earth meets it on entering this one."""

    name: str
    sector: int


class BoardSetting(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Contents of board and box for a mode, as config/decks/planetx.toml explains."""

    theory_after: tuple[int, ...]
    conferences: tuple[Conference, ...]
    review_phase: int
    theories: int
    tokens: dict[str, int]


class Rulings(msgspec.Struct, frozen=True):
    """The match's options (config/games/planetx.toml).

    opponent: seat of the automatic opponent
    play: phase of questions, which says if the referee keeps the track
    years: Earth's rounds until all is revealed; 0 is never"""

    mode: str
    level: str
    strength: str
    opponent: Seat | None
    typed: bool
    play: Questioning
    marks: bool
    consistency: bool
    possible: bool
    years: int
    camera: bool


# --- what changes


class FactAnswer(msgspec.Struct, frozen=True):
    time: int
    fact: Fact


class Note(msgspec.Struct, frozen=True, order=True):
    sector: int
    kind: str
    holds: bool


class PlayerState(msgspec.Struct, frozen=True, kw_only=True):
    """A player's pawn, tokens and knowledge.

    time: sectors advanced
    arrival: order of arrival on a sector; the smaller is behind
    targets: number left
    last: verb of the last action
    tried: (sector, kind) of all own theories
    gone: resigned
    level: None until chosen"""

    seat: Seat
    season: str
    arrival: int
    tokens: dict[str, int]
    level: str | None
    time: int = 0
    targets: int
    last: str = ""
    answers: tuple[FactAnswer, ...] = ()
    tried: tuple[tuple[int, str], ...] = ()
    notes: tuple[Note, ...] = ()
    located: bool = False
    gone: bool = False


class Theory(msgspec.Struct, frozen=True):
    """A token on the board. phase: its theory phase; age: spaces moved inward."""

    owner: Seat
    sector: int
    kind: str
    phase: int
    age: int = 0
    shown: bool = False


class ActionRecord(msgspec.Struct, frozen=True):
    seat: Seat
    time: int
    words: tuple[str, ...]
    cost: int
    success: bool | None = None


class Phase(msgspec.Struct, frozen=True):
    """The present question, and the seats it is for."""

    clause: ClassVar[str]
    """Clause on who acts."""

    first: ClassVar[str] = ""

    def actors(self, state: State) -> frozenset[Seat]:
        raise NotImplementedError

    def wanted_text(self, state: State) -> Text:
        return say("No theory phase or last move now: survey, target, research or locate.")

    def out_of_turn(self, state: State, seat: Seat) -> Violation:
        return Violation(self.clause, say("It is not the turn of {seat}.", seat=who(seat)))

    def question(self, state: State) -> Text:
        raise NotImplementedError

    def waiting(self, state: State, who: Text) -> Text:
        return say("{seat}'s action", seat=who)

    def follows(self, state: State) -> Step | None:
        """Return the next automatic step; None if a player is asked."""
        return None

    def without(self, seat: Seat) -> Phase:
        return self


class Questioning(Phase, frozen=True):
    """The phase of questions, which depends on who keeps the time track."""

    scored: ClassVar[bool]

    def sky(self, state: State) -> tuple[int, ...]:
        """Return the sectors to ask about, clockwise."""
        raise NotImplementedError

    def unseen(self, state: State, reason: Text) -> Text:
        raise NotImplementedError

    def pay_time(self, state: State, seat: Seat, price: int) -> State:
        raise NotImplementedError

    def ring(self, state: State, cells: tuple[str, ...], words: tuple[Text, ...]) -> Ring:
        """Return the sky panel. cells: known letters; words: the same."""
        raise NotImplementedError


class State(msgspec.Struct, frozen=True):
    """A match. `game` is hidden except through answers.

    arrow: time at Earth's arrow
    icons: met by the arrow and still due
    theory_phase: number of the last one
    settled: kind by sector
    reviews: facts revealed
    conferences: names of those held
    deeds: past questions
    finder: first to locate Planet X"""

    rules: Rulings
    setting: BoardSetting
    game: Drawn
    players: tuple[PlayerState, ...]
    phase: Phase
    arrow: int = 0
    arrivals: int = 0
    icons: tuple[str, ...] = ()
    theory_phase: int = 0
    theories: tuple[Theory, ...] = ()
    settled: dict[str, str] = {}
    reviews: tuple[Fact, ...] = ()
    conferences: tuple[str, ...] = ()
    deeds: tuple[ActionRecord, ...] = ()
    finder: Seat | None = None

    @property
    def mode(self) -> SkyMode:
        return MODES[self.rules.mode]


Step: TypeAlias = tuple[State, tuple[Event, ...]]


def player_of(state: State, seat: Seat) -> PlayerState:
    for player in state.players:
        if player.seat == seat:
            return player
    raise KeyError(seat)


P = TypeVar("P", bound=Phase)


def phase_of(state: State, kind: type[P]) -> P:
    if not isinstance(state.phase, kind):
        raise TypeError(state.phase)
    return state.phase


def with_player(state: State, player: PlayerState) -> State:
    players = tuple(player if p.seat == player.seat else p for p in state.players)
    return replace(state, players=players)


# --- players and box


def check_seats(seats: tuple[Seat, ...]) -> None:
    """Raise Invalid unless one to four different seats play."""
    if len(set(seats)) != len(seats) or not 1 <= len(seats) <= len(SEASONS) or not set(seats) <= set(SEATS):
        raise Invalid(say("Planet X is played by one to four seats, not by {count}.", count=len(seats)), ("X10",))


def used_up(kind: str) -> Violation:
    return Violation("X10", say("You have no such token left: {object}.", object=NAMES[kind]))


def no_token(kind: str) -> Violation:
    return Violation("X10", say("There are no theories of that kind: {object}.", object=NAMES[kind]))


# --- actions

Phases: TypeAlias = tuple[type[Phase], ...]


class Order(Action[State], frozen=True):
    when: ClassVar[Phases]

    time_first = True

    declared = True

    def untimely(self, state: State, seat: Seat) -> Iterator[Violation]:
        """Yield a violation of turn, else of phase."""
        if seat not in state.phase.actors(state):
            yield state.phase.out_of_turn(state, seat)
        elif not isinstance(state.phase, self.when):
            yield Violation(state.phase.clause, state.phase.wanted_text(state))

    def own_violations(self, state: State, seat: Seat) -> Iterator[Violation]:
        """Yield violations besides `verb_violations`; actions override this."""
        return iter(())

    @final
    def violations(self, state: State, seat: Seat) -> Iterator[Violation]:
        """Yield all violations. Final, so that none omits `verb_violations`."""
        yield from self.own_violations(state, seat)
        yield from self.verb_violations(state, seat)

    @classmethod
    def too_many(cls, rest: Words) -> Refusal:
        return excess(cls, len(grammar(cls).words))

    @classmethod
    def too_few(cls, rest: Words) -> Refusal:
        return missing(cls, len(grammar(cls).words))


def excess(kind: type[Order], count: int) -> Refusal:
    return Invalid(
        many("{verb} takes at most {count} word.", "{verb} takes at most {count} words.", count, verb=verb(kind))
    )


def missing(kind: type[Order], count: int) -> Refusal:
    return Ambiguous(
        many("{verb} needs {count} word after it.", "{verb} needs {count} words after it.", count, verb=verb(kind))
    )


# --- shared words

PLANET = "planet"
"""Word for Planet X, legal only in marks, but read everywhere for better refusals."""


class Sector(Word[State, int]):
    def candidates(self, state: State, seat: Seat, before: Values) -> Iterable[int]:
        return range(1, state.mode.sectors + 1)

    def text(self, state: State, value: int, before: Values, number: int) -> Text:
        return say("sector {sector}", sector=value)

    def means(self, state: State, value: int, number: int) -> tuple[RingSector, ...]:
        return (RingSector(value),)

    def read(self, state: State, word: str, before: Values) -> int:
        if not word.isdecimal() or not word.isascii() or not 1 <= int(word) <= state.mode.sectors:
            raise Invalid(say("{word} is not a sector: they go from 1 to {n}.", word=word, n=state.mode.sectors))
        return int(word)


class ObjectWord(Word[State, str]):
    def candidates(self, state: State, seat: Seat, before: Values) -> Iterable[str]:
        return iter(WORDS)

    def write(self, state: State, value: str, before: Values) -> Words:
        return (WORDS.get(value, PLANET),)

    def text(self, state: State, value: str, before: Values, number: int) -> Text:
        return NAMES[value]

    def read(self, state: State, word: str, before: Values) -> str:
        kind = "X" if word.lower() == PLANET else KIND_OF_WORD.get(word.lower())
        if kind is None:
            raise Invalid(say("{word} is not an object. Objects: {known}.", word=word, known=", ".join(KIND_OF_WORD)))
        return kind


def one_of(word: str, known: Iterable[str]) -> str:
    known = tuple(known)
    if word not in known:
        raise Invalid(say("{word} is not known here. Known: {known}.", word=word, known=", ".join(known)))
    return word


SECTOR = Sector()
