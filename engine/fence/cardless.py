"""Defence without a card: Parry and Distance, and answering no more."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from msgspec.structs import replace

from engine.errors import Breach, Invalid
from engine.fence.bout import BONUS, CARD, Order, State, off, read_card, side_of, surplus, went
from engine.fence.cards import KINDS, UNKNOWN, any_card, card_text
from engine.fence.hands import laid, missing
from engine.fence.phrase import (
    PHRASE_ENDS,
    Blade,
    Phrase,
    Role,
    accepted,
    arms,
    barred,
    nothing_comes_in,
    parry_cost,
    phrase_of,
    riposte,
    row_of,
    scores,
    strikes_back,
)
from engine.fence.stamina import paid, price, printed, short
from engine.fence.turn import given_up
from engine.fence.yellow import laid_aside, left_to_draw
from engine.game import Words
from engine.table import Seat
from engine.text import Text, say

BACK = 2
"""Squares of Distance."""

FAST = 5
"""The highest speed that Distance gets away from."""

DISTANCE_COST = 1
"""Stamina points of Distance."""


def _once(phrase: Phrase, side: int) -> Iterator[Breach]:
    if phrase.defended[side]:
        yield Breach("F84", say("One card-less defence a phrase."))


def _used(flags: tuple[bool, bool], side: int) -> tuple[bool, bool]:
    return (flags[0] or side == 0, flags[1] or side == 1)


class Parry(Order, frozen=True, tag="parry"):
    """Card-less Parry, perhaps with Glide as a bonus: bought, not compared."""

    glide: Annotated[str | None, BONUS] = None

    name = say("Parry without a card")
    when = (Phrase,)

    def words(self, state: State) -> Words:
        return () if self.glide is None else (*super().words(state), "parry")

    def notation(self, state: State) -> Words:
        return ("parry" if self.glide is None else "play", *self.words(state))

    @classmethod
    def read(cls, state: State, seat: Seat, rest: Words) -> Parry:
        if rest:
            raise Invalid(say("Too many words: {words}", words=" ".join(rest)))
        return Parry()

    def cards(self) -> tuple[str, ...]:
        return (self.glide,) if self.glide is not None else ()

    def faults(self, state: State, side: int) -> Iterator[Breach]:
        yield from missing(state, side, self.cards())
        if isinstance(state.phase, Phrase):
            yield from barred(state.phase, side)
            yield from self._wrong(state, state.phase, side)
        else:
            yield from surplus(state, side)
        yield from short(state, side, printed(state, self.cards()) + self.cost(state, side), card_less=True)

    def _wrong(self, state: State, phrase: Phrase, side: int) -> Iterator[Breach]:
        if not state.rules.variant.parry:
            yield Breach("F43", say("In the tutorial Distance is the only card-less defence."))
        elif not row_of(state, phrase).parry:
            yield _not_parried(phrase)
        yield from _once(phrase, side)
        if self.glide is not None and not state.rules.glide_after_parry:
            yield Breach(PHRASE_ENDS, say("A card-less Parry ends the phrase: no riposte follows."))

    def cost(self, state: State, side: int) -> int:
        """The points that the Parry itself takes, by the speed of what comes in."""
        phrase = state.phase
        if not isinstance(phrase, Phrase) or phrase.incoming is None or phrase.incoming.speed is None:
            return 0
        return parry_cost(state.rules, phrase.coming, arms(state, side))

    def after(self, state: State, seat: Seat) -> State:
        side = side_of(state, seat)
        state = paid(laid(state, side, self.cards()), side, price(state, self.cards()) + self.cost(state, side))
        phrase = phrase_of(state)
        after = replace(
            phrase,
            barred=_used(phrase.barred, side),
            defended=_used(phrase.defended, side),
            stopped=phrase.coming,
        ).told(side, "parry", self.cards())
        if self.glide is None:
            return nothing_comes_in(state, after)
        speed = riposte(state.rules, "glide-attack", 0, arms(state, side), with_glide=True)
        return strikes_back(state, after, Blade(side, Role.RIPOSTE, "glide-attack", speed))

    def told(self, state: State, who: Text) -> Text:
        if self.glide is None:
            return say("{side} parries without a card.", side=who)
        return say("{side} parries without a card, and glides.", side=who)


def _not_parried(phrase: Phrase) -> Breach:
    """A Toe-Touch never is; else only the first card is, and what the texts of later ones name (F83)."""
    incoming = phrase.incoming
    clause = KINDS["toe-touch"].clause if incoming is not None and incoming.kind == "toe-touch" else "F83"
    return Breach(clause, say("This cannot be parried without a card."))


class Distance(Order, frozen=True, tag="distance"):
    """Card-less Distance: two squares back; `card` is the hand card that is discarded."""

    card: Annotated[str, CARD]

    name = say("Distance")
    when = (Phrase,)
    reveals = True

    def named(self) -> tuple[str, ...]:
        return (self.card,) if self.card != UNKNOWN else ()

    def faults(self, state: State, side: int) -> Iterator[Breach]:
        yield from missing(state, side, self.named())
        if isinstance(state.phase, Phrase):
            yield from barred(state.phase, side)
            yield from self._wrong(state, state.phase, side)
        else:
            yield from surplus(state, side)
        yield from short(state, side, DISTANCE_COST, card_less=True)

    def _wrong(self, state: State, phrase: Phrase, side: int) -> Iterator[Breach]:
        incoming, rules = phrase.incoming, state.rules
        if not row_of(state, phrase).distance:
            yield Breach(_late(incoming), say("Distance answers only the first card of a phrase."))
        elif incoming is not None and incoming.speed is not None and rules.variant.outrun:
            speed = incoming.speed.base if rules.distance_speed == "printed" else incoming.total
            if speed > FAST:
                yield Breach("F89", say("Distance does not get away from a speed above {speed}.", speed=FAST))
        yield from _once(phrase, side)
        if left_to_draw(state, side) < 1:
            clause = rules.clause("F43", "F90")
            yield Breach(clause, say("Distance costs a hand card, and there is none."))
        yield from laid_aside(state, side, self.card)

    def after(self, state: State, seat: Seat) -> State:
        """Off the strip it costs a point (F47)."""
        side = side_of(state, seat)
        state = went(given_up(paid(state, side, DISTANCE_COST), side, self.card, blind=True), side, -BACK)
        phrase = phrase_of(state)
        after = replace(phrase, defended=_used(phrase.defended, side), kept_away=True, stopped=None)
        after = after.told(side, "distance")
        return scores(state, after, 1 - side) if off(state.fencers[side].square) else nothing_comes_in(state, after)

    def told(self, state: State, who: Text) -> Text:
        return say("{side} keeps distance and loses {card}.", side=who, card=card_text(state.pool, self.card))

    @classmethod
    def read(cls, state: State, seat: Seat, rest: Words) -> Distance:
        return Distance(read_card(state, rest))


def _late(incoming: Blade | None) -> str:
    """The clause that says why there is no Distance against it."""
    if incoming is not None and incoming.role in (Role.RIPOSTE, Role.CLOSE_RIPOSTE):
        return "F50"
    return "F171" if incoming is not None and incoming.role is Role.RENEWED else "F44"


PLAIN_DEFENCES: tuple[Order, ...] = (Parry(), Distance(UNKNOWN))
"""The defences without a card, whichever hand card Distance costs."""


def defences(state: State) -> Iterator[Order]:
    """The defences without a card, with every hand card that Distance may cost (F84)."""
    yield Parry()
    yield from (Distance(card) for card in any_card(state.pool))


class Accept(Order, frozen=True, tag="accept"):
    """Answer no more: what comes in scores (F36)."""

    name = say("No answer")
    when = (Phrase,)

    def faults(self, state: State, side: int) -> Iterator[Breach]:
        """Under the option a card-less defence that can be paid must be taken."""
        if not isinstance(state.phase, Phrase):
            yield from surplus(state, side)
        elif state.rules.must_answer and any(each.is_legal(state, side) for each in PLAIN_DEFENCES):
            yield state.phase.must_be_answered()

    def after(self, state: State, seat: Seat) -> State:
        return accepted(state, phrase_of(state))

    def told(self, state: State, who: Text) -> Text:
        return say("{side} does not answer.", side=who)
