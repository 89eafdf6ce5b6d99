"""A player's knowledge, the boards that fit it, and the player's marks (X37)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache, reduce
from operator import and_
from typing import Annotated

import msgspec
from msgspec.structs import replace

from engine.errors import Violation
from engine.game import Words
from engine.planetx.boards import Boards, legal_boards
from engine.planetx.ending import EndPhase
from engine.planetx.facts import Fact, truth
from engine.planetx.match import SECTOR, Note, ObjectWord, Order, PlayerState, State, one_of, player_of, with_player
from engine.planetx.opening import starting_facts
from engine.planetx.questions import FreeQuestioning
from engine.planetx.sky import KINDS, MODES, NAMES
from engine.planetx.theories import Placing, Pledging
from engine.planetx.track import Acting, conference
from engine.rules import Values, Word
from engine.table import Seat
from engine.text import Text, say
from engine.view import Event


def knowledge(state: State, seat: Seat) -> tuple[Fact, ...]:
    """Return the facts that a seat knows, private and public (X37)."""
    player = player_of(state, seat)
    told = tuple(answer.fact for answer in player.answers)
    held = tuple(conference(state, name) for name in state.conferences)
    facts = (*starting_facts(state, player), *held, *state.reviews, *told)
    return tuple(dict.fromkeys(msgspec.structs.replace(fact, id="") for fact in facts))


@lru_cache(maxsize=16)  # small, because sets may take 140 KB
def fitting(mode: str, facts: tuple[Fact, ...]) -> Boards:
    """Return the legal boards on which all facts are true."""
    boards = legal_boards(MODES[mode])
    return boards.where(reduce(and_, (truth(fact, boards.mode) for fact in facts), boards.members))


def consistent(state: State, player: PlayerState) -> bool:
    marks = (Fact("in_sector" if n.holds else "not_in_sector", n.kind, sector=n.sector) for n in player.notes)
    return len(fitting(state.rules.mode, (*knowledge(state, player.seat), *marks))) > 0


# --- marks


class MarkedKind(ObjectWord):
    def candidates(self, state: State, seat: Seat, before: Values) -> Iterable[str]:
        return ("X", *(kind for kind in KINDS if kind != "X"))


class Holds(Word[State, bool]):
    def candidates(self, state: State, seat: Seat, before: Values) -> Iterable[bool]:
        return (True, False)

    def write(self, state: State, value: bool, before: Values) -> Words:
        return ("is",) if value else ("not",)

    def text(self, state: State, value: bool, before: Values, number: int) -> Text:
        return say("is") if value else say("is not")

    def read(self, state: State, word: str, before: Values) -> bool:
        return one_of(word.lower(), ("is", "not")) == "is"


MARKED_KIND, HOLDS = MarkedKind(), Holds()
_MARKING = (Acting, Pledging, Placing, EndPhase, FreeQuestioning)


class Mark(Order, frozen=True, tag="mark"):
    sector: Annotated[int, SECTOR]
    kind: Annotated[str, MARKED_KIND]
    holds: Annotated[bool, HOLDS]

    name = say("Mark")
    clauses = ("X37",)
    order = ("sector", "holds", "kind")
    when = _MARKING

    @property
    def note(self) -> Note:
        return Note(self.sector, self.kind, self.holds)

    @classmethod
    def verb_violations(cls, state: State, seat: Seat) -> Iterator[Violation]:
        if not state.rules.marks:
            yield Violation("X37", say("Marks are switched off."))

    def own_violations(self, state: State, seat: Seat) -> Iterator[Violation]:
        if self.note in player_of(state, seat).notes:
            yield Violation("X37", say("That is marked already."))

    def after(self, state: State, seat: Seat) -> State:
        player = player_of(state, seat)
        return with_player(state, replace(player, notes=(*player.notes, self.note)))

    def events(self, before: State, after: State, seat: Seat) -> Iterator[Event]:
        where, what = self.sector, NAMES[self.kind]
        told = say("Marked: sector {sector}, {object}.", sector=where, object=what)
        if not self.holds:
            told = say("Marked: sector {sector}, not {object}.", sector=where, object=what)
        yield Event(told, frozenset({seat}))


class Unmark(Order, frozen=True, tag="unmark"):
    name = say("Take back a mark")
    clauses = ("X37",)
    when = _MARKING

    @classmethod
    def verb_violations(cls, state: State, seat: Seat) -> Iterator[Violation]:
        if not state.rules.marks or not player_of(state, seat).notes:
            yield Violation("X37", say("There is no mark to take back."))

    def after(self, state: State, seat: Seat) -> State:
        player = player_of(state, seat)
        return with_player(state, replace(player, notes=player.notes[:-1]))

    def events(self, before: State, after: State, seat: Seat) -> Iterator[Event]:
        yield Event(say("Mark taken back."), frozenset({seat}))
