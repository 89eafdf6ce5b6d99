"""A match as data: its players, what the board shows, the phase, and what all actions have in common (X10)."""

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
from engine.view import Event, Ring

# --- what is fixed for a match


class Conference(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A conference icon: its name, and the sector that it is met on entering."""

    name: str
    sector: int


class BoardSetting(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is printed on the board and lies in the box, for one mode (config/decks/planetx.toml)."""

    theory_after: tuple[int, ...]
    conferences: tuple[Conference, ...]
    review_phase: int
    theories: int
    tokens: dict[str, int]


class Rulings(msgspec.Struct, frozen=True):
    """The options of the match (config/games/planetx.toml). opponent: the automatic one's seat, if there is one.

    play: the phase of its questions, which says what the referee keeps and what the players keep themselves. years:
    all is revealed when Earth has gone round so many times; 0 for never.
    """

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
    """What a player learned by an action, and the time at which it was asked."""

    time: int
    fact: Fact


class Note(msgspec.Struct, frozen=True, order=True):
    """A player's own mark: `kind` is, or is not, in the sector."""

    sector: int
    kind: str
    holds: bool


class PlayerState(msgspec.Struct, frozen=True, kw_only=True):
    """A seat: its pawn, its tokens and what it knows.

    time: sectors advanced since the start. arrival: a number that grows with each arrival on a sector; on one sector
    the smaller stands behind. targets: so many are left. last: the verb of its last action. tried: (sector, kind) of
    every theory that it ever placed. located: it has located Planet X. gone: it has resigned. level: None until chosen.
    """

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
    """A token on the board. phase: the theory phase when it was placed; age: spaces moved inward; shown: face up."""

    owner: Seat
    sector: int
    kind: str
    phase: int
    age: int = 0
    shown: bool = False


class ActionRecord(msgspec.Struct, frozen=True):
    """What everybody may know of an action: who, when, what, its price, and success or failure of a Locate."""

    seat: Seat
    time: int
    words: tuple[str, ...]
    cost: int
    success: bool | None = None


class Phase(msgspec.Struct, frozen=True):
    """What is asked now, and of whom: each room that asks something has a phase of its own."""

    clause: ClassVar[str]
    """The clause that says who does what now."""

    first: ClassVar[str] = ""
    """The verb that the menu begins with, if it is not the first of the game's actions."""

    def actors(self, state: State) -> frozenset[Seat]:
        """Return the seats that may act now. The automatic opponent never waits for a press."""
        raise NotImplementedError

    def wanted_text(self, state: State) -> Text:
        """Return what is to be done now instead of what was tried."""
        return say("There is no theory phase and no last move now: survey, target, research or locate.")

    def out_of_turn(self, state: State, seat: Seat) -> Violation:
        return Violation(self.clause, say("It is not the turn of {seat}.", seat=who(seat)))

    def question(self, state: State) -> Text:
        """Return the question to those who may act."""
        raise NotImplementedError

    def waiting(self, state: State, who: Text) -> Text:
        """Return the line that the others read while they wait; who: the actors, as people read them."""
        return say("{seat}'s action", seat=who)

    def follows(self, state: State) -> Step | None:
        """Return what comes next without any player; None if one is asked."""
        return None

    def without(self, seat: Seat) -> Phase:
        """The phase after a seat has left the match."""
        return self


class Questioning(Phase, frozen=True):
    """The phase in which questions are asked: who keeps the time track, and all that differs with it."""

    scored: ClassVar[bool]
    """The referee ends the match and counts the points; otherwise the players do."""

    def sky(self, state: State) -> tuple[int, ...]:
        """The sectors that may be asked about, clockwise."""
        raise NotImplementedError

    def unseen(self, state: State, reason: Text) -> Text:
        """The reason why sectors cannot be asked about, and which can."""
        raise NotImplementedError

    def pay_time(self, state: State, seat: Seat, price: int) -> State:
        """The state after a question was paid in time."""
        raise NotImplementedError

    def ring(self, state: State, cells: tuple[str, ...], words: tuple[Text, ...]) -> Ring:
        """The sky as displays show it. cells: what is known of each sector, as letters; words: the same, in words."""
        raise NotImplementedError


class State(msgspec.Struct, frozen=True):
    """A match. `game` holds everything hidden; nothing of it is shown but through answers.

    arrow: time of the sector that Earth's arrow points at. icons: what the arrow still meets before it goes on.
    theory_phase: number of the current or last theory phase. reviews: what reviews made public. conferences: names of
    those held. finder: who located Planet X first.
    """

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
"""What follows, and what is told of it."""


def player_of(state: State, seat: Seat) -> PlayerState:
    """The player at a seat. Raises KeyError if nobody sits there."""
    for player in state.players:
        if player.seat == seat:
            return player
    raise KeyError(seat)


P = TypeVar("P", bound=Phase)


def phase_of(state: State, kind: type[P]) -> P:
    """The phase, which is of this kind. Raises TypeError if it is not."""
    if not isinstance(state.phase, kind):
        raise TypeError(state.phase)
    return state.phase


def with_player(state: State, player: PlayerState) -> State:
    """The state with one player replaced."""
    players = tuple(player if p.seat == player.seat else p for p in state.players)
    return replace(state, players=players)


# --- players and what lies in the box


def check_seats(seats: tuple[Seat, ...]) -> None:
    """Raises Invalid unless one to four seats play, each once."""
    if len(set(seats)) != len(seats) or not 1 <= len(seats) <= len(SEASONS) or not set(seats) <= set(SEATS):
        raise Invalid(say("Planet X is played by one to four seats, not by {count}.", count=len(seats)), ("X10",))


def used_up(kind: str) -> Violation:
    """Return why a theory cannot be placed whose token is not there."""
    return Violation("X10", say("You have no such token left: {object}.", object=NAMES[kind]))


def no_token(kind: str) -> Violation:
    """Return why nobody has a theory of a kind for which the box holds no token."""
    return Violation("X10", say("There are no theories of that kind: {object}.", object=NAMES[kind]))


# --- actions

Phases: TypeAlias = tuple[type[Phase], ...]


class Order(Action[State], frozen=True):
    """An action of Planet X: ordered at the buttons, judged by its phase first."""

    when: ClassVar[Phases]
    """The phases that ask for it."""

    time_first = True

    declared = True

    def untimely(self, state: State, seat: Seat) -> Iterator[Violation]:
        """Yield whose turn it is, then what is asked now."""
        if seat not in state.phase.actors(state):
            yield state.phase.out_of_turn(state, seat)
        elif not isinstance(state.phase, self.when):
            yield Violation(state.phase.clause, state.phase.wanted_text(state))

    def own_violations(self, state: State, seat: Seat) -> Iterator[Violation]:
        """The clauses that speak against these words, `verb_violations` apart: what a room overrides."""
        return iter(())

    @final
    def violations(self, state: State, seat: Seat) -> Iterator[Violation]:
        """Yield what speaks against the words, then what speaks against the verb: no action can forget that it is
        closed."""
        yield from self.own_violations(state, seat)
        yield from self.verb_violations(state, seat)

    @classmethod
    def too_many(cls, rest: Words) -> Refusal:
        return excess(cls, len(grammar(cls).words))

    @classmethod
    def too_few(cls, rest: Words) -> Refusal:
        return missing(cls, len(grammar(cls).words))


def excess(kind: type[Order], count: int) -> Refusal:
    """The refusal of more words than may follow the verb."""
    return Invalid(
        many("{verb} takes at most {count} word.", "{verb} takes at most {count} words.", count, verb=verb(kind))
    )


def missing(kind: type[Order], count: int) -> Refusal:
    """The refusal of an action that needs so many words after its verb."""
    return Ambiguous(
        many("{verb} needs {count} word after it.", "{verb} needs {count} words after it.", count, verb=verb(kind))
    )


# --- words that several actions have

PLANET = "planet"
"""The word for Planet X: understood everywhere and legal only in a mark, so that a refusal can say why."""


class Sector(Word[State, int]):
    def candidates(self, state: State, seat: Seat, before: Values) -> Iterable[int]:
        return range(1, state.mode.sectors + 1)

    def text(self, state: State, value: int, before: Values, number: int) -> Text:
        return say("sector {sector}", sector=value)

    def read(self, state: State, word: str, before: Values) -> int:
        if not word.isdecimal() or not word.isascii() or not 1 <= int(word) <= state.mode.sectors:
            raise Invalid(say("{word} is no sector: they go from 1 to {n}.", word=word, n=state.mode.sectors))
        return int(word)


class ObjectWord(Word[State, str]):
    """A kind of object, written in the singular."""

    def candidates(self, state: State, seat: Seat, before: Values) -> Iterable[str]:
        return iter(WORDS)

    def write(self, state: State, value: str, before: Values) -> Words:
        return (WORDS.get(value, PLANET),)

    def text(self, state: State, value: str, before: Values, number: int) -> Text:
        return NAMES[value]

    def read(self, state: State, word: str, before: Values) -> str:
        kind = "X" if word.lower() == PLANET else KIND_OF_WORD.get(word.lower())
        if kind is None:
            raise Invalid(say("{word} is no object. Objects: {known}.", word=word, known=", ".join(KIND_OF_WORD)))
        return kind


def one_of(word: str, known: Iterable[str]) -> str:
    """The word if it is known. Raises Invalid."""
    known = tuple(known)
    if word not in known:
        raise Invalid(say("{word} is not known here. Known: {known}.", word=word, known=", ".join(known)))
    return word


SECTOR = Sector()
