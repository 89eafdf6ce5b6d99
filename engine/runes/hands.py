"""Unseen hands and pile: possible contents, draws, and the Excuse (R2, R57, R58).

Cards are unique. Draws are numbered by the reshuffles before them, cards by the reshuffle that returned them; a card
can only come from a later draw. Hands are possible if the unseen cards up to each number suffice for the draws up to it
still in hands (Hall's condition)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from itertools import chain

from msgspec.structs import replace

from engine.errors import Violation
from engine.game import Attempt, Prefilter, ZonePrefilter, per_state
from engine.rules import Values
from engine.runes.cards import CARDS, EXCUSE
from engine.runes.mat import DISCARDS, PILE, cards_alone, difference, single_hand_trace
from engine.runes.match import HAND, Phase, State, Wizard, clockwise, people, pile, with_wizard, wizard_at
from engine.runes.order import CardWord, Order, at_wrong_time
from engine.table import Move, Seat, Spot, Trace
from engine.text import Text, say, who

MOST = 2


def unseen(state: State) -> frozenset[str]:
    played = (queued.card for wizard in state.wizards for queued in wizard.sequence)
    return frozenset(state.deck).difference(played, state.discards, (EXCUSE,))


def since(state: State, card: str) -> int:
    """Return the number of the reshuffle that returned a card (R58); 0 if none."""
    return state.returned.get(card, 0)


def possible(state: State, wizard: Wizard) -> tuple[str, ...]:
    """Return the cards that a hand may hold, in deck order (R58)."""
    return _possible(state, wizard.hand) if wizard.hand else ()


@per_state
def _possible(state: State, hand: tuple[int, ...]) -> tuple[str, ...]:
    times = _times(state)
    full = _full(state, times.values())
    fits = {time: _fits(time, hand, full) for time in set(times.values())}
    return tuple(name for name, time in times.items() if fits[time])


def of_the_dead(state: State) -> tuple[str, ...]:
    """Return unnamed discards possible from dead wizards' hands, in deck order."""
    return _possible(state, state.buried) if state.buried else ()


@per_state
def on_pile(state: State) -> tuple[str, ...]:
    """Return the pile's possible top cards, in deck order, without the Excuse (R2)."""
    times = _times(state)
    last = max(_full(state, times.values()), default=-1)
    return tuple(name for name, time in times.items() if time > last)


def _times(state: State) -> dict[str, int]:
    hidden, returned = unseen(state), state.returned
    return {name: returned.get(name, 0) for name in state.deck if name in hidden}


def _full(state: State, times: Collection[int]) -> tuple[int, ...]:
    """Return numbers of reshuffles, before the last, up to which every unseen card must be in a hand."""
    draws = Counter(chain(state.buried, *(wizard.hand for wizard in state.wizards)))
    cards = Counter(times)
    found, free = [], 0
    for time in sorted({*draws, *cards}):
        free += cards[time] - draws[time]
        if free <= 0 and time < state.shuffles:
            found.append(time)
    return tuple(found)


def _fits(time: int, hand: tuple[int, ...], full: tuple[int, ...]) -> bool:
    first = min((drawn for drawn in hand if drawn >= time), default=None)
    return first is not None and not any(time <= t < first for t in full)


def without(state: State, wizard: Wizard, card: str) -> Wizard:
    return replace(wizard, hand=_taken_draws(state, wizard.hand, card))


def _taken_draws(state: State, hand: tuple[int, ...], card: str) -> tuple[int, ...]:
    left = list(hand)
    left.remove(min(drawn for drawn in hand if drawn >= since(state, card)))
    return tuple(left)


def unbury(state: State, card: str) -> State:
    return replace(state, discards=(card, *state.discards), buried=_taken_draws(state, state.buried, card))


def discard(state: State, wizard: Wizard, card: str) -> State:
    return replace(with_wizard(state, without(state, wizard, card)), discards=(*state.discards, card))


# --- impossible cards


def not_in_hand(state: State, seat: Seat, name: str) -> Iterator[Violation]:
    if name == EXCUSE:
        yield _NEVER_PLAYED
    elif name not in possible(state, wizard_at(state, seat)):
        if name in unseen(state):
            text = say("{card} went back into the pile and cannot have been drawn since.", card=CARDS[name])
            yield Violation("R58", text)
        else:
            yield _elsewhere(name)


def not_on_top(state: State, name: str) -> Iterator[Violation]:
    """Yield the violation of an impossible top card; the last is always the Excuse (R58)."""
    if name == EXCUSE:
        yield _NEVER_PLAYED
    elif name not in on_pile(state):
        yield _elsewhere(name)
    else:
        yield from _excuse_alone(state)


def _elsewhere(name: str) -> Violation:
    return Violation("R2", say("There is only one {card}, and it is elsewhere.", card=CARDS[name]))


def _excuse_alone(state: State) -> Iterator[Violation]:
    if pile(state) <= 1:
        yield Violation("R58", say("The last card of the pile is the Excuse."))


_NEVER_PLAYED = Violation("R58", say("The Excuse is never played: it goes back into the pile."))


class HandCard(CardWord):
    def candidates(self, state: State, seat: Seat, before: Values) -> Iterable[str]:
        return possible(state, wizard_at(state, seat))


class TopCard(CardWord):
    def candidates(self, state: State, seat: Seat, before: Values) -> Iterable[str]:
        return () if any(_excuse_alone(state)) else on_pile(state)


# --- the end phase


class TakePhase(Phase, frozen=True):
    """A phase of taking the pile's top card."""


class DrawPhase(TakePhase, frozen=True, tag="drawing"):
    """Cards are drawn one by one (R57)."""

    order: tuple[Seat, ...]

    def asked_seats(self, state: State) -> frozenset[Seat]:
        return frozenset(self.order[:1])

    def turn_clause(self, state: State) -> str:
        return "R58"

    def wanted_text(self, state: State) -> Text:
        return say("Cards are drawn now.")

    def question(self, state: State, seat: Seat) -> Text:
        return with_shuffle(state, say("Draw a card."))

    def waiting_text(self, state: State, who: Text) -> Text:
        return with_shuffle(state, say("{seat} draws.", seat=who))

    def without(self, seat: Seat) -> DrawPhase:
        return DrawPhase(tuple(other for other in self.order if other != seat))


def with_shuffle(state: State, following: Text) -> Text:
    """Return the sentence; while the table still has to shuffle after the Excuse (R58), say so before it."""
    drawn = any(state.shuffles in wizard.hand for wizard in state.wizards)
    if not state.shuffles or state.discards or drawn:
        return following
    # Translators: {following} is a whole sentence.
    return say("Shuffle pile and discards and put the Excuse in the middle. {following}", following=following)


def due(wizard: Wizard) -> int:
    """Return the number of cards to draw: two, or fewer to fill the hand (R57)."""
    return max(0, min(MOST, HAND - wizard.held))


def drawing(state: State) -> DrawPhase:
    """Return the phase of drawing: all a first card, then all a second (R58)."""
    players = people(state)
    if not players:
        return DrawPhase(())
    first = players[0]
    if state.rules.draw_order == "highest":
        first = max(players, key=lambda wizard: wizard.highest)
    seats = [w for w in clockwise(state, first.seat) if w in players]
    return DrawPhase(tuple(wizard.seat for number in range(MOST) for wizard in seats if due(wizard) > number))


class DrawCard(Order, frozen=True, tag="draw"):
    """Draw one card (R57)."""

    name = say("One card drawn")
    clauses = ("R57",)
    when = (DrawPhase,)
    declared = False
    clause = "R57"
    reveals = True

    def violations(self, state: State, seat: Seat) -> Iterator[Violation]:
        return _excuse_alone(state)

    def after(self, state: State, seat: Seat) -> State:
        wizard = wizard_at(state, seat)
        drawn = with_wizard(state, replace(wizard, hand=(*wizard.hand, state.shuffles)))
        return replace(drawn, phase=DrawPhase(_order(state)[1:]))

    def sentence(self, state: State, seat: Seat) -> Text:
        return say("{seat} draws.", seat=who(seat))

    def trace_of(self, state: State, after: State, seat: Seat) -> Trace:
        drawn = Move(Spot(PILE, 0), None)
        return difference(state, after, first=(drawn,), hands=frozenset({seat}), declared=self.declared)

    def may_be_seen(self, state: State, seat: Seat, glance: Prefilter) -> bool:
        return cards_alone(state, glance) and glance.is_touched(Spot(PILE, 0))


class DeclineDraw(Order, frozen=True, tag="decline"):
    """Draw no more, if optional (R57)."""

    name = say("No more")
    clauses = ("R57",)
    when = (DrawPhase,)
    clause = "R57"

    def violations(self, state: State, seat: Seat) -> Iterator[Violation]:
        if state.rules.drawing == "required":
            yield Violation("R57", say("Drawing is not optional."))

    def after(self, state: State, seat: Seat) -> State:
        return replace(state, phase=DrawPhase(_order(state)).without(seat))

    def sentence(self, state: State, seat: Seat) -> Text:
        return say("{seat} draws no more.", seat=who(seat))


def _order(state: State) -> tuple[Seat, ...]:
    if not isinstance(state.phase, DrawPhase):
        raise ValueError("nobody draws: judge the action before applying it")
    return state.phase.order


class Shuffle(Order, frozen=True, tag="excuse"):
    """Shuffle pile and discards after the Excuse came up (R58); it returns to the middle."""

    name = say("It is the Excuse")
    clauses = ("R58",)
    when = (TakePhase,)
    clause = "R58"
    reveals = True

    def costs(self, state: State, seat: Seat) -> bool:
        return True

    def after(self, state: State, seat: Seat) -> State:
        """Put the discards into the pile; only later draws can have them."""
        again = state.shuffles + 1
        returned = {**state.returned, **{name: again for name in state.discards if name != EXCUSE}}
        return replace(state, discards=(), buried=(), shuffles=again, returned=returned)

    def sentence(self, state: State, seat: Seat) -> Text:
        return say("{seat} has the Excuse: pile and discards are shuffled, it goes to the middle.", seat=who(seat))

    def trace_of(self, state: State, after: State, seat: Seat) -> Trace:
        """Return the trace: discards go to the pile; without any, the pile is lifted."""
        if not state.discards:
            trace = difference(state, after, swept=True, declared=self.declared)
            return replace(trace, lifted=frozenset({Spot(PILE, 0)}))
        swept = (Move(Spot(DISCARDS, 0), Spot(PILE, 0)),)
        return difference(state, after, first=swept, swept=True, declared=self.declared)


def taken_from_pile(state: State, wizard: Wizard, look: ZonePrefilter) -> Iterator[Attempt]:
    """Yield attempts to draw when none is due (R57)."""
    if not pile(state) or not look.only():
        return
    seat, taken = wizard.seat, (Move(Spot(PILE, 0), None),)
    what = say("{seat} took a card from the pile.", seat=who(seat))
    yield from at_wrong_time(
        state, "drew too many", seat, lambda: single_hand_trace(state, seat, moves=taken), DrawCard(), what
    )
