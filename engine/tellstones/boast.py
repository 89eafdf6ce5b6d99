"""Boast to know every face-down stone; the rival believes, asks for proof, or takes over (T41-T49)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from msgspec.structs import replace

from engine.errors import Ambiguous, Violation
from engine.game import Attempt, Words
from engine.table import Face, Seat, Trace
from engine.tellstones.challenge import it_is, name_read, other_turned, says_of
from engine.tellstones.line import NAMES, At, layout, place_word, stone_at, turn_stone, turned_up
from engine.tellstones.match import (
    Order,
    Ordering,
    Phase,
    State,
    answerer,
    answers,
    end_proof,
    hidden_for,
    is_team,
    partner_of,
    point,
    side_of,
    team,
)
from engine.tellstones.words import KIND, ByPlace, not_face_down
from engine.text import Text, many, say, who


class Boasted(Phase, frozen=True, tag="boast"):
    """A boast awaits answer I, II or III (T42)."""

    def actors(self, state: State) -> frozenset[Seat]:
        return answerer(state)

    def out_of_turn(self, state: State, who: Text) -> Violation:
        return Violation(answers(state, "T42"), say("{seat} answers the boast.", seat=who))

    def not_asked_violation(self, state: State, action: Order) -> Violation:
        return Violation("T42", say("The boast must be answered first: believe, ask for proof or take over."))

    def question(self, state: State) -> Text:
        return say("A boast: believe, ask for proof, or take over?")

    def waiting(self, state: State, who: Text) -> Text:
        return say("{seat} answers the boast.", seat=who)


class TakenOver(Phase, frozen=True, tag="takeover"):
    """The boaster must answer a takeover: I or II (T45)."""

    def actors(self, state: State) -> frozenset[Seat]:
        return frozenset({state.active})

    def out_of_turn(self, state: State, who: Text) -> Violation:
        return Violation("T45", say("{seat} answers the boast that was taken over.", seat=who))

    def not_asked_violation(self, state: State, action: Order) -> Violation:
        return Violation("T45", say("A boast can be taken over only once. Answer: believe, or ask for proof."))

    def question(self, state: State) -> Text:
        return say("Your boast was taken over: believe, or ask for proof?")

    def waiting(self, state: State, who: Text) -> Text:
        return say("{seat} answers the boast.", seat=who)


class Proving(Phase, frozen=True, tag="proof"):
    """`side` must name and turn up every face-down stone (T44). last: seat that named before; partners alternate
    (T61)."""

    side: int
    last: Seat | None = None

    def actors(self, state: State) -> frozenset[Seat]:
        return frozenset(team(state, self.side) if self.last is None else {partner_of(state, self.last)})

    def out_of_turn(self, state: State, who: Text) -> Violation:
        clause = "T61" if is_team(state) else "T44"
        return Violation(clause, say("{seat} names and turns the next stone.", seat=who))

    def not_asked_violation(self, state: State, action: Order) -> Violation:
        return Violation("T44", say("The proof goes on: name a face-down stone, then turn it up."))

    def question(self, state: State) -> Text:
        return say("Prove it: name a stone, then turn it up.")

    def waiting(self, state: State, who: Text) -> Text:
        return say("{seat} proves the boast.", seat=who)

    def still_down(self, state: State, at: At) -> Violation:
        place = place_word(state.mats, at)
        return Violation("T48", say("Name stone {place} first, then turn it up.", place=place))


class Boast(Order, frozen=True, tag="boast"):
    """Boast (T41)."""

    name = say("Boast")
    clauses = ("T41", "T49")
    when = (Ordering,)
    declared = True

    def costs(self, state: State, seat: Seat) -> bool:
        return True

    def violations(self, state: State, seat: Seat) -> Iterator[Violation]:
        if len(hidden_for(state, seat)) < state.rules.boast_minimum:
            count = state.rules.boast_minimum
            few = many(
                "A boast needs at least {count} face-down stone.",
                "A boast needs at least {count} face-down stones.",
                count,
            )
            yield Violation("T49", few)

    def after(self, state: State, seat: Seat) -> State:
        return replace(state, phase=Boasted())

    def sentence(self, state: State, seat: Seat) -> Text:
        return say("{seat} boasts: I know every face-down stone.", seat=who(seat))

    def trace(self, state: State, seat: Seat) -> Trace:
        return Trace(layout(state.mats), declared=self.declared)


class Reply(Order, frozen=True):
    """An answer to a boast (T42), with confirmation: an error costs a point or the match."""

    declared = True

    def costs(self, state: State, seat: Seat) -> bool:
        return True

    def out_of_turn_violation(self) -> Violation:
        return Violation("T42", say("There is no boast to answer."))

    def trace(self, state: State, seat: Seat) -> Trace:
        return Trace(layout(state.mats), declared=self.declared)


class Believe(Reply, frozen=True, tag="believe"):
    """Answer I (T43)."""

    name = say("Believe")
    clauses = ("T43",)
    when = (Boasted, TakenOver)

    def after(self, state: State, seat: Seat) -> State:
        """Give the other side a point, also after a takeover (T45a)."""
        return point(state, 1 - side_of(state, seat))

    def sentence(self, state: State, seat: Seat) -> Text:
        return say("{seat}: I believe you.", seat=who(seat))


class Prove(Reply, frozen=True, tag="prove"):
    """Answer II (T44)."""

    name = say("Ask for proof")
    clauses = ("T44",)
    when = (Boasted, TakenOver)

    def after(self, state: State, seat: Seat) -> State:
        return replace(state, phase=Proving(1 - side_of(state, seat)))

    def sentence(self, state: State, seat: Seat) -> Text:
        return say("{seat}: prove it.", seat=who(seat))


class Takeover(Reply, frozen=True, tag="takeover"):
    """Answer III (T45)."""

    name = say("Take over")
    clauses = ("T45",)
    when = (Boasted,)

    def after(self, state: State, seat: Seat) -> State:
        return replace(state, phase=TakenOver())

    def sentence(self, state: State, seat: Seat) -> Text:
        return say("{seat}: I know them too.", seat=who(seat))


_STILL_DOWN = ByPlace(lambda state, _: hidden_for(state, state.active))


class NameProof(Order, frozen=True, tag="names"):
    """Name a face-down stone by any of seven names, then turn it up (T44, T48)."""

    kind: Annotated[str, KIND]
    stone: Annotated[At, _STILL_DOWN]

    name = say("Name it")
    clauses = ("T44", "T48")
    order = ("stone", "kind")
    when = (Proving,)
    declared = True
    reveals = True

    def costs(self, state: State, seat: Seat) -> bool:
        return True

    def violations(self, state: State, seat: Seat) -> Iterator[Violation]:
        yield from not_face_down(state, state.active, self.stone, "T44")

    def after(self, state: State, seat: Seat) -> State:
        side, after = side_of(state, seat), replace(state, mats=turn_stone(state.mats, self.stone, Face.UP))
        right = stone_at(state.mats, self.stone).kind == self.kind
        going_on = right and hidden_for(after, state.active)
        return replace(after, phase=Proving(side, seat) if going_on else end_proof(side, right))

    def sentence(self, state: State, seat: Seat) -> Text:
        return says_of(state, seat, self.kind, self.stone)

    def stone_texts(self, before: State) -> tuple[Text, ...]:
        return (it_is(before, self.stone),)

    def trace(self, state: State, seat: Seat) -> Trace:
        return replace(turned_up(state.mats, self.stone, frozenset({seat})), declared=self.declared)

    def execution_errors(self, state: State, seat: Seat) -> Iterator[Attempt]:
        return other_turned(state, seat, self.stone, "T48")

    @classmethod
    def read(cls, state: State, seat: Seat, rest: Words) -> NameProof:
        """Read `names 2 hammer`; the last stone needs no place (T44)."""
        kind, at = name_read(state, rest)
        left = (at,) if at is not None else hidden_for(state, state.active)
        if len(left) != 1:
            raise Ambiguous(say("Which stone is the {stone}? Say its place.", stone=NAMES[kind]))
        return NameProof(kind, left[0])
