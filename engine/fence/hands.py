"""Hands, which the referee does not see: dealing, possible contents, and cards that may leave.

`may_go` (exchange) and `may_be_drawn` (Distance) tell if a mandatory yellow card may leave a known hand. Rules ask if
some possible hand allows it (`can`), knowledge if none does (`_stays`). In advanced mode no card is mandatory (F123),
and Distance draws from the whole hand (F129)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import TypeAlias

from msgspec.structs import replace

from engine.draws import draw
from engine.errors import Invalid, Violation
from engine.fence.bout import (
    HAND,
    OFFER,
    Order,
    Phase,
    Rulings,
    State,
    Turn,
    home,
    rulings_of,
    side_of,
    third_action,
    turn_of,
    with_fencer,
)
from engine.fence.cards import UNKNOWN, Deck, card_text, faces
from engine.fence.table import Fencer, Piles
from engine.fence.timer_deck import TIMER, finish, note_empty_hands
from engine.game import Options, per_state
from engine.table import Seat
from engine.text import Text, say

UNHELD = ("F31", "F80")
"""Clauses of an impossible hand card, in the tutorial and other modes."""

# --- what is known


def unseen(state: State, name: str) -> int:
    return state.pool[name].count - _seen_copies(state)[name]


@per_state
def _seen_copies(state: State) -> Counter[str]:
    return Counter(chain(state.piles.discards, *((*fencer.known, *fencer.lane) for fencer in state.fencers)))


def may_hold(state: State, side: int, cards: Iterable[str]) -> bool:
    fencer, wanted, strange = state.fencers[side], tuple(cards), 0
    for name in dict.fromkeys(wanted):
        beyond = wanted.count(name) - fencer.known.count(name)
        if beyond > 0:
            if name not in state.pool or beyond > unseen(state, name):
                return False
            strange += beyond
    return strange <= fencer.hand - len(fencer.known)


def elsewhere(state: State, side: int, cards: Iterable[str]) -> tuple[str, ...]:
    known, wanted = state.fencers[side].known, tuple(cards)
    return tuple(
        name for name in dict.fromkeys(wanted) if wanted.count(name) - known.count(name) > max(0, unseen(state, name))
    )


def missing(state: State, side: int, cards: tuple[str, ...]) -> Iterator[Violation]:
    if not cards or may_hold(state, side, cards):
        return
    gone = elsewhere(state, side, cards)
    names = _names(state, gone or cards)
    if gone:
        text = say("{cards} cannot be in this hand: all copies were seen elsewhere.", cards=names)
    else:
        text = say("{cards} cannot be in this hand: it is known to hold other cards.", cards=names)
    yield Violation(state.rules.clause(*UNHELD), text)


def _names(state: State, cards: tuple[str, ...]) -> Text:
    if len(cards) == 1:
        return card_text(state.pool, cards[0])
    return say("{card} + {more}", card=card_text(state.pool, cards[0]), more=_names(state, cards[1:]))


def without(fencer: Fencer, name: str) -> Fencer:
    """Return the fencer after a card left the hand. An unseen one leaves nothing known."""
    if name == UNKNOWN:
        return replace(fencer, hand=fencer.hand - 1, known=())
    known = list(fencer.known)
    if name in known:
        known.remove(name)
    return replace(fencer, hand=fencer.hand - 1, known=tuple(known))


def lay_cards(state: State, side: int, cards: Iterable[str]) -> State:
    for name in cards:
        fencer = without(state.fencers[side], name)
        state = note_empty_hands(with_fencer(state, side, replace(fencer, lane=(*fencer.lane, name))))
    return state


def learnt(fencer: Fencer, names: Iterable[str]) -> Fencer:
    added = tuple(names)
    return replace(fencer, hand=fencer.hand + len(added), known=tuple(sorted((*fencer.known, *added))))


# --- dealing


def setup(deck: Deck, options: Options, seats: tuple[Seat, ...], seed: int) -> State:
    """Set up a match. Raises Invalid unless two different seats play, one of them the starter."""
    if len(seats) != 2 or seats[0] == seats[1]:
        raise Invalid(say("Two fencers fence a bout, not {count}.", count=len(seats)))
    rules = rulings_of(options)
    state = State(
        rules=rules,
        seats=seats,
        seed=seed,
        pool=faces(deck, rules.mode),
        fencers=(Fencer(home(rules, 0), hand=HAND), Fencer(home(rules, 1), hand=HAND)),
        piles=Piles(0, 0),
        active=_starter(rules, seats, seed),
        phase=Dealing((0, 1)),
        passivity=rules.passivity,
        offered=OFFER,
    )
    return replace(state, piles=_piles(state))


def _starter(rules: Rulings, seats: tuple[Seat, ...], seed: int) -> int:
    """Return the starting side, by coin or option (F16). Raises Invalid for an empty seat."""
    if rules.starter == "coin":
        return draw(f"fence/{seed}/starter", 2)
    if rules.starter not in seats:
        raise Invalid(say("Nobody sits at seat {seat}, so it cannot start.", seat=rules.starter))
    return seats.index(rules.starter)


def _piles(state: State) -> Piles:
    """Split cards outside hands into timer deck and cards aside (F59, F67, F124)."""
    rest = sum(figures.count for figures in state.pool.values()) - 2 * HAND
    timer = min(TIMER, rest) if state.rules.has_short_timer(1) else rest
    return Piles(timer, rest - timer)


class Dealing(Phase, frozen=True, tag="dealing"):
    """The deal. asked: sides that may still take a new hand (F14)."""

    asked: tuple[int, ...]

    def sides(self, state: State) -> tuple[int, ...]:
        return self.asked

    def out_of_turn(self, state: State, action: Order, who: Text) -> Violation:
        return Violation("F14", say("The hand is taken; {seat} has still to decide.", seat=who))

    def not_asked_violation(self, state: State, action: Order) -> Violation:
        return Violation("F14", say("First, both players keep their hands or take new ones."))

    def question(self, state: State) -> Text:
        return say("Keep your hand, or take a new one (once).")

    def waiting(self, state: State, who: Text) -> Text:
        return say("Players are taking their hands.")

    def take_hand(self, state: State, side: int) -> State:
        """Note that a side kept or replaced its hand (F14); both look the same."""
        rest = tuple(other for other in self.asked if other != side)
        return replace(state, phase=Dealing(rest) if rest else Turn())


GIVEN_UP = "F26"


class Offering(Phase, frozen=True, tag="offering"):
    """A card may be given up after a turn without a phrase (F26). full: both actions were used."""

    full: bool = False

    def out_of_turn(self, state: State, action: Order, who: Text) -> Violation:
        return turn_of(who)

    def not_asked_violation(self, state: State, action: Order) -> Violation:
        return Violation(GIVEN_UP, say("The turn is over: give up a card, or keep all."))

    def third(self, state: State, side: int) -> Violation | None:
        return third_action(state) if self.full and side == state.active else None

    def question(self, state: State) -> Text:
        return say("Give up one card and draw, or keep all.")

    def waiting(self, state: State, who: Text) -> Text:
        return say("{side} may give up a card.", side=who)


class _Choosing(Order, frozen=True):
    def out_of_turn_violation(self) -> Violation:
        return Violation("F14", say("The hands are taken already."))


class KeepHand(_Choosing, frozen=True, tag="keep"):
    """Keep the dealt hand (F14), or all cards after a turn (F26)."""

    name = say("Keep the hand")
    clauses = ("F14", "F26")
    when = (Dealing, Offering)

    def after(self, state: State, seat: Seat) -> State:
        phase = state.phase
        return phase.take_hand(state, side_of(state, seat)) if isinstance(phase, Dealing) else finish(state)

    def public_text(self, state: State, who: Text) -> Text:
        return say("{side} keeps the hand.", side=who)


class Mulligan(_Choosing, frozen=True, tag="mulligan"):
    """Demand a new hand, once (F65)."""

    name = say("New hand")
    clauses = ("F65",)
    when = (Dealing,)
    reveals = True

    def after(self, state: State, seat: Seat) -> State:
        if not isinstance(state.phase, Dealing):
            raise ValueError("no hand is dealt: judge the action before applying it")
        return state.phase.take_hand(state, side_of(state, seat))

    def public_text(self, state: State, who: Text) -> Text:
        return say("{side} takes a new hand.", side=who)


# --- yellow cards


Leaving: TypeAlias = Callable[[State, Sequence[str], str], bool]


def is_yellow(state: State, name: str) -> bool:
    """Return True if a face is mandatory in this mode (F66)."""
    return state.rules.variant.yellow and name in state.pool and state.pool[name].mandatory


def yellow_cards(state: State) -> tuple[str, ...]:
    """Return the mode's mandatory cards, a face per copy (F66)."""
    return tuple(name for name, face in state.pool.items() if is_yellow(state, name) for _ in range(face.count))


def one_yellow(state: State, hand: Sequence[str]) -> tuple[str, ...]:
    """Return the yellow card that stays in a mulligan (F68) or is laid aside for Distance (F90), if any."""
    return next(((name,) for name in hand if is_yellow(state, name)), ())


def each_with_one(state: State) -> State:
    """Note that each hand holds a yellow card (F66); change nothing unless there are two equal ones."""
    cards = yellow_cards(state)
    if len(cards) < 2 or len(set(cards)) > 1:
        return state
    green, red = (learnt(replace(fencer, hand=fencer.hand - 1), cards[:1]) for fencer in state.fencers)
    return replace(state, fencers=(green, red))


# --- when one may leave


def may_go(state: State, hand: Sequence[str], card: str) -> bool:
    """Return False for the only yellow card, unless a faster Straight Thrust stays (F74)."""
    if not is_yellow(state, card):
        return True
    return any(is_yellow(state, name) or _is_faster(state, name, card) for name in _rest(hand, card))


def may_be_drawn(state: State, hand: Sequence[str], card: str) -> bool:
    """Return False for the only yellow card, which is laid aside (F90)."""
    return not is_yellow(state, card) or bool(one_yellow(state, _rest(hand, card)))


def _rest(hand: Sequence[str], card: str) -> tuple[str, ...]:
    at = hand.index(card)
    return (*hand[:at], *hand[at + 1 :])


def _is_faster(state: State, name: str, yellow: str) -> bool:
    face = state.pool[name]
    return face.kind == "straight-thrust" and (face.speed or 0) > (state.pool[yellow].speed or 0)


# --- what the rules refuse


def can(state: State, side: int, card: str, leaving: Leaving) -> bool:
    """Return True if some possible hand lets the card go, by `leaving`; one other card suffices (F74)."""
    return leaving(state, (card,), card) or any(_lets_go(state, side, card, leaving))


def _lets_go(state: State, side: int, card: str, leaving: Leaving) -> Iterator[str]:
    for name in state.pool:
        if leaving(state, (card, name), card) and may_hold(state, side, (card, name)):
            yield name


def check_kept(state: State, side: int, card: str) -> Iterator[Violation]:
    """Yield the violation of giving up a yellow card that must stay (F74), even unseen if it is the only hand card."""
    fencer = state.fencers[side]
    if card == UNKNOWN and fencer.hand == len(fencer.known) == 1:
        card = fencer.known[0]
    if not can(state, side, card, may_go):
        yield Violation("F74", say("The yellow Straight Thrust is kept unless a faster one is in the hand."))


def laid_aside(state: State, side: int, card: str) -> Iterator[Violation]:
    """Yield a violation if this card cannot have been drawn from the hand (F90)."""
    if not can(state, side, card, may_be_drawn):
        yield Violation("F90", say("The yellow Straight Thrust is laid aside before a card is drawn."))


def left_to_draw(state: State, side: int) -> int:
    """Return the number of hand cards for Distance: all but a known yellow Straight Thrust (F90)."""
    fencer = state.fencers[side]
    return fencer.hand - len(one_yellow(state, fencer.known))


# --- after a card left


def give_card(state: State, side: int, card: str) -> Fencer:
    """Return the fencer after giving up a card of choice (F74)."""
    return _after(state, side, card, may_go)


def drawn_blind(state: State, side: int, card: str) -> Fencer:
    """Return the fencer after the opponent drew a card (F90); a yellow one proves another."""
    after = _after(state, side, card, may_be_drawn)
    aside = tuple(_lets_go(state, side, card, may_be_drawn)) if is_yellow(state, card) else ()
    if len(aside) != 1 or aside[0] in after.known:
        return after
    return replace(after, known=tuple(sorted((*after.known, *aside))))


def _after(state: State, side: int, card: str, leaving: Leaving) -> Fencer:
    after = without(state.fencers[side], card)
    return replace(after, known=_stays(state, side, leaving)) if card == UNKNOWN else after


def _stays(state: State, side: int, leaving: Leaving) -> tuple[str, ...]:
    """Return the yellow cards still known after an unseen card left, sorted. At most one copy is gone; the only known
    one stays unless another face lets it go."""
    known, names = state.fencers[side].known, []
    for name in sorted({name for name in known if is_yellow(state, name)}):
        goes = any(other != name for other in _lets_go(state, side, name, leaving))
        names += [name] * max(known.count(name) - 1, 0 if goes else 1)
    return tuple(names)
