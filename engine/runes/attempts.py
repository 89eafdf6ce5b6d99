"""Illegal actions that a hand could do all the same, the likely ones first, each with every clause it breaks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from engine.errors import Breach
from engine.game import Attempt
from engine.runes.actions import Action, Draw, Lay, Pay, Reveal
from engine.runes.fouls import (
    counter_moved,
    discarded_other,
    joined,
    kept,
    laid,
    misplaced,
    put_back,
    replaced,
    revealed,
    taken,
    thrown,
    took,
    turned_up,
)
from engine.runes.hands import possible, unseen
from engine.runes.judge import judge
from engine.runes.names import CARDS
from engine.runes.reading import words_of
from engine.runes.state import SEQUENCE, Laying, Over, Paying, Revealing, State, Wizard, people
from engine.runes.tabletop import trace
from engine.table import Seat, Trace
from engine.text import Text, say


def attempts(state: State) -> Iterator[Attempt]:
    """What could be done wrongly now."""
    if isinstance(state.phase, Over):
        return
    for wizard in people(state):
        yield from _laying(state, wizard)
        yield from _drawing(state, wizard)
        yield from _counting(state, wizard)
        yield from _revealing(state, wizard)
        yield from _sequence(state, wizard)
        yield from _discarding(state, wizard)


def _attempt(kind: str, seat: Seat, seen: Trace, clause: str, text: Text, what: Text) -> Attempt:
    """what: what was done; text: the rule that it breaks."""
    return Attempt(kind, seat, seen, (Breach(clause, text),), what=what)


def _ordered(state: State, kind: str, seat: Seat, seen: Trace, action: Action, what: Text) -> Iterator[Attempt]:
    """An action at the wrong time, if it is one."""
    breaches = judge(state, seat, action)
    if breaches:
        yield Attempt(kind, seat, seen, breaches, words_of(action), what)


def _laying(state: State, wizard: Wizard) -> Iterator[Attempt]:
    """R21, R22, R42: a card laid at the wrong time, or a fifth one without discarding the oldest."""
    seat = wizard.seat
    if wizard.laid or not wizard.held:
        return
    if judge(state, seat, Lay()):
        yield from _ordered(state, "laid out of turn", seat, laid(state, wizard), Lay(), _laid_one(seat))
    elif len(wizard.sequence) == SEQUENCE:
        text = say("A fifth card came: the oldest of {seat} is discarded.", seat=seat.upper())
        yield _attempt("fifth card kept", seat, kept(state, wizard), "R22", text, _laid_one(seat))
        for number in range(1, SEQUENCE):
            seen = discarded_other(state, wizard, number)
            what = _discarded(seat, wizard.sequence[number].card)
            yield _attempt("other card discarded", seat, seen, "R22", text, what)


def _laid_one(seat: Seat) -> Text:
    return say("{seat} laid a card.", seat=seat.upper())


def _discarded(seat: Seat, card: str) -> Text:
    return say("{seat} discarded {card}.", seat=seat.upper(), card=CARDS[card])


def _turned_up(card: str) -> Text:
    return say("{card} was turned up.", card=CARDS[card])


def _drawing(state: State, wizard: Wizard) -> Iterator[Attempt]:
    """R57: a card drawn that is not due."""
    if judge(state, wizard.seat, Draw()):
        what = say("{seat} took a card from the pile.", seat=wizard.seat.upper())
        yield from _ordered(state, "drew too many", wizard.seat, taken(state, wizard.seat), Draw(), what)


def _counting(state: State, wizard: Wizard) -> Iterator[Attempt]:
    """R5: life changes by spells alone."""
    if state.rules.life_counter != "mat":
        return
    for other in (w for w in state.wizards if not w.gone):
        text = say("{seat} has {life} life.", seat=other.seat.upper(), life=other.life)
        for cell in range(12):
            if cell != other.life - 1:
                seen = counter_moved(state, wizard.seat, other, cell)
                what = say("The life counter of {seat} went to {life}.", seat=other.seat.upper(), life=cell + 1)
                yield _attempt("life counter moved", wizard.seat, seen, "R5", text, what)


def _revealing(state: State, wizard: Wizard) -> Iterator[Attempt]:
    """R24: turned up too early, or a card that cannot be in that hand; afterwards exchanged or joined by another."""
    seat = wizard.seat
    if wizard.laid:
        hidden = unseen(state)
        for name in (name for name in state.deck if name in hidden):
            if judge(state, seat, Reveal(name)):
                kind = "revealed early" if isinstance(state.phase, Laying) else "impossible card"
                yield from _ordered(state, kind, seat, revealed(state, wizard, name), Reveal(name), _turned_up(name))
    if wizard.active is None or isinstance(state.phase, Laying):
        return
    for name in possible(state, wizard):
        text = say("{card} was revealed: it stays.", card=CARDS[wizard.active])
        if wizard.sequence and not wizard.sequence[-1].down:
            what = say("{card} came in its place.", card=CARDS[name])
            yield _attempt("card exchanged", seat, replaced(state, wizard, name), "R24", text, what)
        text = say("One card a phase: {card} goes back to the hand.", card=CARDS[name])
        what = say("{seat} laid {card} as well.", seat=seat.upper(), card=CARDS[name])
        yield _attempt("second card", seat, joined(state, wizard, name), "R12", text, what)


def _sequence(state: State, wizard: Wizard) -> Iterator[Attempt]:
    """R12, R45: cards of a sequence stay as they lie."""
    for number, queued in enumerate(wizard.sequence):
        name = CARDS[queued.card]
        if queued.down:
            text = say("{card} stays face down.", card=name)
            what = _turned_up(queued.card)
            yield _attempt("turned up again", wizard.seat, turned_up(state, wizard, number), "R45", text, what)
        text = say("{card} stays in the sequence.", card=name)
        what = say("{card} was taken away.", card=name)
        yield _attempt("card taken back", wizard.seat, put_back(state, wizard, number), "R12", text, what)


def _discarding(state: State, wizard: Wizard) -> Iterator[Attempt]:
    """R49, R50, R55: hand cards are discarded for a special spell alone, and stay discarded."""
    seat, paying = wizard.seat, isinstance(state.phase, Paying)
    throws = wizard.held and not (isinstance(state.phase, Paying) and state.phase.seat != seat)
    for name in possible(state, wizard) if throws else ():
        if judge(state, seat, Pay(name)):
            kind = "useless payment" if paying else "discarded unasked"
            yield from _ordered(state, kind, seat, thrown(state, seat, name), Pay(name), _discarded(seat, name))
    if state.discards:
        top = CARDS[state.discards[-1]]
        text, what = say("{card} stays discarded.", card=top), say("{card} was taken from the discards.", card=top)
        yield _attempt("discard taken", seat, took(state, seat), "R55", text, what)


def misexecutions(state: State, seat: Seat, action: Action) -> Iterable[Attempt]:
    """What a hand could do wrongly when it carries out an order."""
    wizard = next(w for w in state.wizards if w.seat == seat)
    found: list[Iterator[Attempt]] = [_misplaced(state, seat, action)]
    if isinstance(action, Lay):
        found.append(_laying(state, wizard))
    if isinstance(action, Reveal) and isinstance(state.phase, Revealing):
        found.append(_other_revealed(state, wizard, action))
    if isinstance(action, Pay):
        found.append(_other_paid(state, wizard, action))
    return chain.from_iterable(found)


def _other_revealed(state: State, wizard: Wizard, action: Reveal) -> Iterator[Attempt]:
    text = say("Announced was {card}.", card=CARDS[action.card])
    for name in possible(state, wizard):
        if name != action.card:
            seen = revealed(state, wizard, name)
            yield _attempt("other card revealed", wizard.seat, seen, "R24", text, _turned_up(name))


def _other_paid(state: State, wizard: Wizard, action: Pay) -> Iterator[Attempt]:
    text = say("Announced was {card}.", card=CARDS[action.card])
    for name in possible(state, wizard):
        if name != action.card:
            seen, what = thrown(state, wizard.seat, name), _discarded(wizard.seat, name)
            yield _attempt("other card discarded", wizard.seat, seen, "R49", text, what)


def _misplaced(state: State, seat: Seat, action: Action) -> Iterator[Attempt]:
    """R5: a life counter put one too far, or one short, when lives change."""
    due = trace(state, seat, action)
    for owner, seen in misplaced(due):
        text = say("The life counter of {seat} stands on the wrong number.", seat=owner.upper())
        what = say("A life counter was put beside its number.")
        yield _attempt("life counter misplaced", seat, seen, "R5", text, what)
