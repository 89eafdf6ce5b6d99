"""Theories: announced, placed, moved inward, reviewed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated, ClassVar

import msgspec
from msgspec.structs import replace

from engine.errors import Invalid, Violation
from engine.game import per_state
from engine.grammar import reading
from engine.planetx.facts import Fact, sentence
from engine.planetx.match import (
    SECTOR,
    ObjectWord,
    Order,
    Phase,
    Phases,
    PlayerState,
    State,
    Step,
    Theory,
    no_token,
    phase_of,
    player_of,
    used_up,
    with_player,
)
from engine.planetx.questions import FreeQuestioning
from engine.planetx.sky import NAMES
from engine.planetx.track import THEORY, Acting, advance_pawn, in_order
from engine.rules import Values, Word
from engine.table import Seat
from engine.text import Text, list_texts, many, say, who
from engine.view import Event

# --- announcing


class Pledging(Phase, frozen=True, tag="pledging"):
    """All choose a number of theories at once (X50). pledges: choices so far."""

    pledges: dict[Seat, int] = msgspec.field(default_factory=dict)

    clause = "X50"
    first = "pass"

    def actors(self, state: State) -> frozenset[Seat]:
        return frozenset(player.seat for player in in_order(state) if player.seat not in self.pledges)

    def wanted_text(self, state: State) -> Text:
        return say("This is a theory phase: announce how many theories you submit.")

    def question(self, state: State) -> Text:
        return say("Theory phase: how many theories?")

    def waiting(self, state: State, who: Text) -> Text:
        return say("Theory phase: waiting for {seats}.", seats=who)

    def follows(self, state: State) -> Step | None:
        return None if self.actors(state) else _open_choices(state, self)

    def pledge(self, state: State, seat: Seat, count: int) -> State:
        return replace(state, phase=Pledging(self.pledges | {seat: count}))


def begin_phase(state: State) -> Step | None:
    if not isinstance(state.phase, Acting) or state.icons[:1] != (THEORY,):
        return None
    began = replace(state, icons=state.icons[1:], phase=Pledging(), theory_phase=state.theory_phase + 1)
    return began, (Event(say("Theory phase."), None),)


def most_theories(state: State, seat: Seat) -> int:
    """Return the most theories that X50, sectors and tokens allow a player."""
    sectors = {sector for sector, _ in placeable(state, seat)}
    return min(state.setting.theories, len(sectors), sum(player_of(state, seat).tokens.values()))


class Count(Word[State, int]):
    def candidates(self, state: State, seat: Seat, before: Values) -> Iterable[int]:
        return range(1, most_theories(state, seat) + 1)

    def text(self, state: State, value: int, before: Values, number: int) -> Text:
        return many("Place {count} theory", "Place {count} theories", value)

    def read(self, state: State, word: str, before: Values) -> int:
        if not word.isdecimal() or not word.isascii() or len(word) > 2:
            raise Invalid(say("{word} is not a number of theories.", word=word))
        return int(word)


COUNT = Count()


class Pledge(Order, frozen=True, tag="theories"):
    """Announce at least one theory (X50), secret until all have chosen."""

    count: Annotated[int, COUNT]

    name = reading(say("Theories"), say("{a}"))
    clauses = ("X50", "X51")
    when = (Pledging,)

    def own_violations(self, state: State, seat: Seat) -> Iterator[Violation]:
        if self.count > state.setting.theories:
            most = many(
                "At most {count} theory in a theory phase.",
                "At most {count} theories in a theory phase.",
                state.setting.theories,
            )
            yield Violation("X50", most)
        elif self.count > most_theories(state, seat):
            yield Violation("X51", say("You can't place that many theories."))

    def after(self, state: State, seat: Seat) -> State:
        return phase_of(state, Pledging).pledge(state, seat, self.count)

    def events(self, before: State, after: State, seat: Seat) -> Iterator[Event]:
        yield Event(
            many("You announce {count} theory.", "You announce {count} theories.", self.count), frozenset({seat})
        )


def _open_choices(state: State, phase: Pledging) -> Step:
    order = tuple((p.seat, phase.pledges[p.seat]) for p in in_order(state) if phase.pledges[p.seat])
    pledges = sorted(phase.pledges.items())
    counts = list_texts(Text("{seat} {count}", (("count", count), ("seat", who(seat)))) for seat, count in pledges)
    told = Event(say("Theories announced: {counts}.", counts=counts), None, reveals=True)
    return replace(state, phase=Placing(order)), (told,)


# --- placing


class Placing(Phase, frozen=True, tag="placing"):
    """Theories are placed, last pawn first (X51). left: (seat, theories still due)."""

    left: tuple[tuple[Seat, int], ...]

    clause = "X51"

    def actors(self, state: State) -> frozenset[Seat]:
        return frozenset({self.left[0][0]})

    def wanted_text(self, state: State) -> Text:
        return say("This is a theory phase: place the theory that you announced.")

    def question(self, state: State) -> Text:
        return many("Place {count} theory.", "Place {count} theories.", self.left[0][1])

    def waiting(self, state: State, who: Text) -> Text:
        return say("{seat} places theories.", seat=who)

    def follows(self, state: State) -> Step | None:
        return None if self.left else review(state)

    def without(self, seat: Seat) -> Phase:
        return Placing(tuple(entry for entry in self.left if entry[0] != seat))

    def count_placers(self, state: State) -> Placing:
        (seat, count), rest = self.left[0], self.left[1:]
        return Placing(((seat, count - 1), *rest) if count > 1 and placeable(state, seat) else rest)


class PassTheories(Order, frozen=True, tag="pass"):
    """Announce no theory; announced ones must be placed (X50)."""

    name = say("No theory")
    clauses: ClassVar[tuple[str, ...]] = ("X50", "X51")
    when: ClassVar[Phases] = (Pledging, Placing)

    @classmethod
    def verb_violations(cls, state: State, seat: Seat) -> Iterator[Violation]:
        if isinstance(state.phase, Placing):
            yield Violation("X51", say("You announced a theory: place it."))

    def after(self, state: State, seat: Seat) -> State:
        return phase_of(state, Pledging).pledge(state, seat, 0)

    def events(self, before: State, after: State, seat: Seat) -> Iterator[Event]:
        yield Event(say("You announce no theory."), frozenset({seat}))


def is_settled(state: State, sector: int) -> bool:
    """Return True if a review proved the sector's object (X54)."""
    return str(sector) in state.settled


def _settled_already(sector: int) -> Violation:
    return Violation("X51", say("Sector {sector} is settled.", sector=sector))


@per_state
def placeable(state: State, seat: Seat) -> tuple[tuple[int, str], ...]:
    """Return (sector, kind) of every possible theory (X52)."""
    player = player_of(state, seat)
    sectors = [each for each in range(1, state.mode.sectors + 1) if _sector_fault(state, seat, each) is None]
    kinds = [kind for kind, left in player.tokens.items() if left]
    return tuple((sector, kind) for sector in sectors for kind in kinds if _try_token(player, sector, kind) is None)


def _sector_fault(state: State, seat: Seat, sector: int) -> Violation | None:
    if is_settled(state, sector):
        return _settled_already(sector)
    for theory in state.theories:
        if theory.sector == sector and theory.owner == seat:
            return Violation("X52", say("You have a theory in sector {sector} already.", sector=sector))
    return None


def _try_token(player: PlayerState, sector: int, kind: str) -> Violation | None:
    if (sector, kind) not in player.tried:
        return None
    return Violation("X52", say("You tried that in sector {sector} before.", sector=sector))


class TokenKind(ObjectWord):
    """A kind with tokens (X51)."""

    def candidates(self, state: State, seat: Seat, before: Values) -> Iterable[str]:
        return iter(state.setting.tokens)


TOKEN_KIND = TokenKind()


class Submit(Order, frozen=True, tag="submit"):
    """Place a token face down; only its owner knows the kind (X57)."""

    sector: Annotated[int, SECTOR]
    kind: Annotated[str, TOKEN_KIND]

    name = say("Place a theory")
    clauses: ClassVar[tuple[str, ...]] = ("X57",)
    when: ClassVar[Phases] = (Placing,)

    def own_violations(self, state: State, seat: Seat) -> Iterator[Violation]:
        player = player_of(state, seat)
        if not player.tokens.get(self.kind):
            yield used_up(self.kind)
        if where := _sector_fault(state, seat, self.sector) or _try_token(player, self.sector, self.kind):
            yield where

    def after(self, state: State, seat: Seat) -> State:
        state = self.place_token(state, seat, state.theory_phase)
        return replace(state, phase=phase_of(state, Placing).count_placers(state))

    def place_token(self, state: State, seat: Seat, phase: int) -> State:
        """Put the token on the board (X51). phase: theory phase it counts for."""
        player = player_of(state, seat)
        tokens = player.tokens | {self.kind: player.tokens[self.kind] - 1}
        spent = replace(player, tokens=tokens, tried=(*player.tried, (self.sector, self.kind)))
        theory = Theory(seat, self.sector, self.kind, phase)
        return replace(with_player(state, spent), theories=(*state.theories, theory))

    def events(self, before: State, after: State, seat: Seat) -> Iterator[Event]:
        told = say("{seat} places a theory in sector {sector}.", seat=who(seat), sector=self.sector)
        yield Event(told, None)


# --- reviews


def review(state: State) -> Step:
    """Move theories inward (X53), review those that arrive, and penalize wrong ones (X55)."""
    aged = tuple(t if t.shown else replace(t, age=t.age + 1) for t in state.theories)
    state = replace(state, theories=aged, phase=Acting())
    due = [t for t in aged if not t.shown and t.age >= state.setting.review_phase]
    events: list[Event] = []
    wrong: list[Theory] = []
    for theory in sorted(due, key=lambda t: t.sector):
        right = state.game.board[theory.sector - 1] == theory.kind
        events.append(_verdict(theory, right))
        state = _made_public(state, theory.sector, theory.kind, right)
        if not right:
            wrong.append(theory)
    for theory in _expose(state):
        right = state.settled[str(theory.sector)] == theory.kind
        events.append(_verdict(theory, right))
        state = _made_public(state, theory.sector, theory.kind, right)
        wrong += [] if right else [theory]
    kept = tuple(_turn_up_theory(state, t) for t in state.theories if t not in wrong)
    return _penalise(replace(state, theories=kept), wrong, events)


def _review_fact(sector: int, kind: str, right: bool) -> Fact:
    return Fact("in_sector" if right else "not_in_sector", kind, sector=sector)


def _made_public(state: State, sector: int, kind: str, right: bool) -> State:
    fact = _review_fact(sector, kind, right)
    reviews = state.reviews if fact in state.reviews else (*state.reviews, fact)
    proved = state.settled | {str(sector): kind} if right else state.settled
    return replace(state, reviews=reviews, settled=proved)


def _expose(state: State) -> list[Theory]:
    """Return theories not due, but revealed as their sector is settled (X54)."""
    return [
        t
        for t in state.theories
        if not t.shown and t.age < state.setting.review_phase and str(t.sector) in state.settled
    ]


def _turn_up_theory(state: State, theory: Theory) -> Theory:
    return replace(theory, shown=theory.shown or str(theory.sector) in state.settled)


def _penalise(state: State, wrong: list[Theory], events: list[Event]) -> Step:
    """Advance owners one sector per wrong theory, rearmost first (X56)."""
    for player in in_order(state):
        steps = sum(theory.owner == player.seat for theory in wrong)
        state = advance_pawn(state, player.seat, steps)
        if steps:
            told = many(
                "{seat} advances by {count} for being wrong.",
                "{seat} advances by {count} for being wrong.",
                steps,
                seat=who(player.seat),
            )
            events.append(Event(told, None))
    return state, tuple(events)


def _verdict(theory: Theory, right: bool) -> Event:
    owner, sector, name = who(theory.owner), theory.sector, NAMES[theory.kind]
    if right:
        told = say("Review: {seat} is right, sector {sector}: {object}.", seat=owner, sector=sector, object=name)
    else:
        told = say("Review: {seat} is wrong, sector {sector}: {object}.", seat=owner, sector=sector, object=name)
    return Event(told, None, reveals=True)


class Review(Order, frozen=True, tag="review"):
    """Ask for a review (X54, X55), where players keep tokens."""

    sector: Annotated[int, SECTOR]
    kind: Annotated[str, TOKEN_KIND]

    name = say("Review a theory")
    clauses = ("X54", "X55")
    when = (FreeQuestioning,)

    def own_violations(self, state: State, seat: Seat) -> Iterator[Violation]:
        if self.kind not in state.setting.tokens:
            yield no_token(self.kind)
        elif is_settled(state, self.sector):
            yield _settled_already(self.sector)

    def right(self, state: State) -> bool:
        return state.game.board[self.sector - 1] == self.kind

    def after(self, state: State, seat: Seat) -> State:
        return _made_public(state, self.sector, self.kind, self.right(state))

    def events(self, before: State, after: State, seat: Seat) -> Iterator[Event]:
        fact = _review_fact(self.sector, self.kind, self.right(before))
        yield Event(say("Review: {fact}", fact=sentence(fact)), None, reveals=True)
