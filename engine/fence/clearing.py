"""Tidying the table after a phrase, a step off the strip or the end of time, and errors in it."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from engine.errors import Violation
from engine.fence.bout import HAND, Order, Stage, State, Turn, ahead, on_guard, with_fencer
from engine.fence.cards import KINDS, LONG, side_name
from engine.fence.hands import learnt
from engine.fence.phrase import Clearing, Phrase, not_in_order, recover, regains_none
from engine.fence.table import LAST, TRACK, Pair, difference, marker_put
from engine.fence.timer_deck import OVERTIME, begin_period, discard, draw_card, finish
from engine.game import Attempt
from engine.table import Seat
from engine.text import Text, many, say


class Clear(Order, frozen=True, tag="clear"):
    name = say("The table is ready")
    when = (Clearing,)
    declared = False
    reveals = True
    law = not_in_order().clause
    clauses = (law,)

    def out_of_turn_violation(self) -> Violation:
        return not_in_order()

    def after(self, state: State, seat: Seat) -> State:
        if not isinstance(state.phase, Clearing):
            raise ValueError("nothing to put in order: judge the action before applying it")
        return clear_table(state, state.phase)

    def public_text(self, state: State, who: Text) -> Text:
        return say("The table is in order.")

    def hands(self, seat: Seat) -> frozenset[Seat]:
        return frozenset()


# --- what happens


def clear_table(state: State, clearing: Clearing) -> State:
    if clearing.reason in ("period", "overtime"):
        return begin_period(state, clearing.reason)
    phrase = clearing.phrase
    jokers = _jokers(state)
    state = _taken_back(state)
    if any(clearing.touches):  # F155: also after a Fleche
        state = on_guard(recover(state, phrase.spent if phrase is not None else (0, 0)))
    elif phrase is not None and phrase.first.kind == "fleche":
        state = _ran_past(state, phrase)
    if phrase is not None:
        state = _refill(state, clearing, jokers)
    after = finish(replace(state, phase=Turn()))
    return begin_period(after, after.phase.reason) if isinstance(after.phase, Clearing) else after


def is_joker(state: State, card: str) -> bool:
    return card in state.pool and state.pool[card].kind == "joker"


def _jokers(state: State) -> Pair:
    count = [sum(is_joker(state, name) for name in fencer.lane) for fencer in state.fencers]
    return (count[0], count[1])


def goes_for_good(state: State, card: str) -> bool:
    """Return True if a played card is discarded: any where hands are refilled (F40), else a Joker (F168)."""
    return state.rules.variant.refill or is_joker(state, card)


def _taken_back(state: State) -> State:
    for side in (0, 1):
        fencer = state.fencers[side]
        gone = [name for name in fencer.lane if goes_for_good(state, name)]
        kept = [name for name in fencer.lane if name not in gone]
        state = with_fencer(state, side, learnt(replace(fencer, lane=()), kept))
        for name in gone:
            state = discard(state, name)
    return state


def _ran_past(state: State, phrase: Phrase) -> State:
    """Place the fencers after a Fleche that missed (F154): the defender one forward, the attacker at long distance, on
    the strip."""
    runner, other = phrase.opener, 1 - phrase.opener
    onward = ahead(state, runner)
    square = _within(state.fencers[other].square - onward)
    state = with_fencer(state, other, replace(state.fencers[other], square=square))
    side = onward if state.rules.fleche_missed == "behind" else -onward
    stands = _within(square + (LONG + 1) * side)
    return with_fencer(state, runner, replace(state.fencers[runner], square=stands, beside=0))


def _within(square: int) -> int:
    return max(1, min(LAST, square))


def refill_order(state: State, clearing: Clearing) -> tuple[int, ...]:
    """Return the sides in drawing order: scorer first, else by option (F40); () without a phrase."""
    phrase = clearing.phrase
    if phrase is None:
        return ()
    attacker = phrase.opener if state.rules.refill_first == "attacker" else 1 - phrase.opener
    first = clearing.touches.index(1) if sum(clearing.touches) == 1 else attacker
    return (first, 1 - first)


def _refill(state: State, clearing: Clearing, jokers: Pair) -> State:
    for side in refill_order(state, clearing):
        if state.rules.variant.refill:
            wanted = HAND - state.fencers[side].hand
        else:
            wanted = jokers[side] if state.rules.joker_replaced else 0
        for _ in range(wanted):
            state = draw_card(state, side)
    return state


# --- tasks of hands


def to_do(state: State) -> tuple[Text, ...]:
    if not isinstance(state.phase, Clearing):
        return ()
    after = clear_table(state, state.phase)
    cards, anew = _cards(state, after, state.phase), _anew(state, after, state.phase)
    return (*cards, *anew, *_figures(state, after), *_stamina(state, after))


def _cards(state: State, after: State, clearing: Clearing) -> Iterator[Text]:
    jokers = _jokers(state)
    if state.rules.variant.refill and clearing.phrase is not None:
        yield say("What was played is discarded.")
    for side in refill_order(state, clearing):
        fencer = state.fencers[side]
        if jokers[side] and not state.rules.variant.refill:
            yield say("{side} discards the Joker.", side=side_name(side))
        kept = 0 if state.rules.variant.refill else len(fencer.lane) - jokers[side]
        if (count := after.fencers[side].hand - fencer.hand - kept) > 0:
            yield many("{side} draws. Cards: {count}.", "{side} draws. Cards: {count}.", count, side=side_name(side))


def _anew(state: State, after: State, clearing: Clearing) -> Iterator[Text]:
    overtime = after.stage is Stage.OVERTIME and state.stage is not Stage.OVERTIME
    if not overtime and after.period == state.period:
        return
    ends = Clearing("overtime" if overtime else "period")
    if clearing.reason != ends.reason:
        yield ends.question(state)
    if overtime and len(state.piles.discards) + sum(_jokers(state)) < OVERTIME:
        yield say("The cards set aside are shuffled in.")
    yield say("Cards of the timer deck: {count}.", count=after.piles.timer)


def _figures(state: State, after: State) -> Iterator[Text]:
    if any(fencer.beside for fencer in state.fencers):
        green, red = (fencer.square for fencer in after.fencers)
        yield say("Green on square {green}, Red on square {red}.", green=green, red=red)


def _stamina(state: State, after: State) -> Iterator[Text]:
    green, red = (fencer.stamina for fencer in after.fencers)
    if (green, red) != tuple(fencer.stamina for fencer in state.fencers):
        yield say("Set stamina: Green {green}, Red {red}.", green=green, red=red)


# --- how hands err


def cleared_wrongly(state: State) -> Iterator[Attempt]:
    """Yield attempts to keep a Joker, or to regain stamina after spending some."""
    phase = state.phase
    if not isinstance(phase, Clearing) or phase.phrase is None:
        return
    seat = state.seats[state.active]
    right = clear_table(state, phase)
    kept = tuple(card for card in right.piles.discards if not is_joker(state, card))
    if any(is_joker(state, card) for fencer in state.fencers for card in fencer.lane) and kept != right.piles.discards:
        table = replace(right, piles=replace(right.piles, discards=state.piles.discards))
        breach = Violation(KINDS["joker"].clause, say("A Joker is discarded after use."))
        what = say("A Joker went back into the hand.")
        yield Attempt("Joker kept", seat, difference(state, table), (breach,), what=what)
    if any(phase.touches) and state.rules.variant.stamina:
        for side in (0, 1):
            fencer = right.fencers[side]
            if phase.phrase.spent[side] and fencer.stamina < TRACK:
                table = with_fencer(right, side, replace(fencer, stamina=fencer.stamina + 1))
                what = marker_put(side, fencer.stamina + 1)
                seen = difference(state, table)
                yield Attempt("stamina taken", state.seats[side], seen, (regains_none(side),), what=what)
