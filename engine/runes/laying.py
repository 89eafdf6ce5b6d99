"""The play phase: cards are laid, revealed, and join sequences (R12, R18, R21-R24, R42, R47)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Annotated

from msgspec.structs import replace

from engine.draws import draw
from engine.errors import Violation
from engine.game import ANYTHING, Attempt, Prefilter, Words, ZonePrefilter
from engine.rules import Word
from engine.runes.cards import CARDS, height
from engine.runes.casting import order_of_runes
from engine.runes.hands import HandCard, not_in_hand, possible, unseen, without
from engine.runes.mat import (
    DISCARDS,
    LAID,
    cards_alone,
    difference,
    discards_layout,
    sequence_layout,
    sequence_zone,
    single_hand_trace,
    spot_layout,
    spot_zone,
)
from engine.runes.match import SEQUENCE, Phase, Queued, Slot, State, Wizard, clockwise, people, with_wizard, wizard_at
from engine.runes.order import Order, at_wrong_time, discarded_text, illegal_attempt, turned_up_text
from engine.runes.spells import active
from engine.table import Move, Piece, Seat, Spot, Trace, ZoneLayout
from engine.text import Text, say, who


class Laying(Phase, frozen=True, tag="laying"):
    """Cards are laid face down (R21)."""

    def asked_seats(self, state: State) -> frozenset[Seat]:
        return frozenset(layers(state))

    def turn_clause(self, state: State) -> str:
        return "R42" if state.extra else "R21"

    def wanted_text(self, state: State) -> Text:
        return say("Cards are laid face down now.")

    def question(self, state: State, seat: Seat) -> Text:
        lot = lot_text(state, wizard_at(state, seat))
        return lot if lot is not None else say("Lay a card face down.")

    def waiting_text(self, state: State, who: Text) -> Text:
        return say("{seat}: lay a card.", seat=who)


def layers(state: State) -> tuple[Seat, ...]:
    """Return seats that still lay a card; in the extra phase the hasted ones (R42)."""
    return tuple(w.seat for w in people(state) if w.hand and not w.laid and w.active is None and _plays(state, w))


def _plays(state: State, wizard: Wizard) -> bool:
    return not state.extra or active(state, wizard, "haste")


class Revealing(Phase, frozen=True, tag="revealing"):
    """Laid cards are turned up (R24)."""

    def asked_seats(self, state: State) -> frozenset[Seat]:
        return frozenset(wizard.seat for wizard in people(state) if wizard.laid)

    def turn_clause(self, state: State) -> str:
        return "R24"

    def wanted_text(self, state: State) -> Text:
        return say("The cards laid down are turned up now.")

    def question(self, state: State, seat: Seat) -> Text:
        return say("Turn your card up and lay it at the right end of your row.")

    def waiting_text(self, state: State, who: Text) -> Text:
        return say("{seat}: reveal.", seat=who)

    def places(self, state: State) -> tuple[Slot, ...]:
        return order_of_runes(state)


class Lay(Order, frozen=True, tag="lay"):
    """Lay a hand card face down; a fifth card pushes out the oldest (R18)."""

    name = say("Lay a card")
    clauses = ("R18", "R23")
    when = (Laying,)
    declared = False
    clause = "R21"

    def out_of_turn_violation(self, state: State, seat: Seat) -> Iterator[Violation]:
        if isinstance(state.phase, Laying) and not wizard_at(state, seat).hand:
            yield Violation("R23", say("{seat} has no card to lay.", seat=who(seat)))

    @classmethod
    def read(cls, state: State, seat: Seat, rest: Words) -> Lay:
        """Read `lay`, or `lay ?`: the card is unknown."""
        if rest and rest != ("?",):
            raise cls.too_many(rest)
        return Lay()

    def after(self, state: State, seat: Seat) -> State:
        pushed = without_oldest(state, seat)
        return with_wizard(pushed, replace(wizard_at(pushed, seat), laid=True))

    def sentence(self, state: State, seat: Seat) -> Text:
        return say("{seat} has laid a card.", seat=who(seat))

    def trace_of(self, state: State, after: State, seat: Seat) -> Trace:
        return difference(state, after, last=(_lay(seat),), declared=self.declared)

    def may_be_seen(self, state: State, seat: Seat, glance: Prefilter) -> bool:
        return cards_alone(state, glance) and glance.lies(spot_zone(seat), LAID)

    def execution_errors(self, state: State, seat: Seat) -> Iterator[Attempt]:
        return laid_wrongly(state, wizard_at(state, seat))


def without_oldest(state: State, seat: Seat) -> State:
    """Discard the oldest card of a full sequence (R18)."""
    wizard = wizard_at(state, seat)
    if len(wizard.sequence) < SEQUENCE:
        return state
    oldest, *rest = wizard.sequence
    state = with_wizard(state, replace(wizard, sequence=tuple(rest)))
    return replace(state, discards=(*state.discards, oldest.card))


_CARD: Word[State, str] = HandCard("reveal")


class RevealCard(Order, frozen=True, tag="reveal"):
    """Turn up the laid card, which joins the sequence (R24)."""

    card: Annotated[str, _CARD]

    name = say("Reveal")
    clauses = ("R24",)
    when = (Revealing,)
    declared = False
    clause = "R24"
    reveals = True

    def violations(self, state: State, seat: Seat) -> Iterator[Violation]:
        return not_in_hand(state, seat, self.card)

    def after(self, state: State, seat: Seat) -> State:
        wizard = without(state, wizard_at(state, seat), self.card)
        return join_sequence(with_wizard(state, replace(wizard, laid=False)), seat, self.card)

    def sentence(self, state: State, seat: Seat) -> Text:
        return say("{seat} reveals {card}.", seat=who(seat), card=CARDS[self.card])

    def trace_of(self, state: State, after: State, seat: Seat) -> Trace:
        return difference(state, after, came={self.card: Spot(spot_zone(seat), 0)}, declared=self.declared)

    def may_be_seen(self, state: State, seat: Seat, glance: Prefilter) -> bool:
        turned = cards_alone(state, glance) and glance.is_touched(Spot(spot_zone(seat), 0))
        return turned and glance.lies(sequence_zone(seat), Piece(self.card))

    def execution_errors(self, state: State, seat: Seat) -> Iterator[Attempt]:
        if not isinstance(state.phase, Revealing):
            return
        wizard, breach = wizard_at(state, seat), Violation("R24", announced_text(self.card))
        for name in possible(state, wizard):
            if name != self.card:
                trace = _reveal_trace(state, wizard, name)
                yield illegal_attempt("other card revealed", seat, trace, breach, turned_up_text(name))


def join_sequence(state: State, seat: Seat, card: str) -> State:
    """Add a card at the right end (R12) and make it active."""
    wizard = wizard_at(state, seat)
    rank = height(state.deck[card], state.rules.ace)
    wider = replace(wizard, sequence=(*wizard.sequence, Queued(card)), active=card, highest=max(wizard.highest, rank))
    return with_wizard(state, wider)


def announced_text(card: str) -> Text:
    return say("Announced was {card}.", card=CARDS[card])


def with_old_cards(state: State) -> State:
    """Activate the newest card of wizards without one to play (R23), if the option says so."""
    if state.rules.empty_hand != "newest":
        return state
    return replace(state, wizards=tuple(_renew(state, wizard) for wizard in state.wizards))


def _renew(state: State, wizard: Wizard) -> Wizard:
    if wizard.gone or wizard.active or wizard.hand or not wizard.sequence or wizard.sequence[-1].down:
        return wizard
    if wizard.automatic or (state.extra and not active(state, wizard, "haste")):
        return wizard  # in the extra phase only the hasted cast
    return replace(wizard, active=wizard.sequence[-1].card)


# --- Confusion: a random card, by its place in the hand


def is_muddled(state: State, wizard: Wizard) -> bool:
    """Return True if the next card must be picked at random (R47)."""
    if state.extra and state.rules.confusion_haste == "normal":
        return False
    laying = isinstance(state.phase, Laying) and bool(wizard.held) and wizard.active is None and not wizard.laid
    return laying and active(state, wizard, "confused") and (not state.extra or active(state, wizard, "haste"))


def drawn_place(state: State, wizard: Wizard) -> int:
    """Draw a place in the hand, from 1 (R47), by seed, turn and phase."""
    return 1 + draw(f"runes/{state.seed}/lot/{state.turn}/{state.extra}/{wizard.seat}", wizard.held)


def lot_text(state: State, wizard: Wizard) -> Text | None:
    """Return the sentence that picks a confused wizard's card (R47), or None."""
    if not is_muddled(state, wizard):
        return None
    seat = who(wizard.seat)
    if state.rules.confusion_pick == "neighbour" and len(people(state)) > 1:  # the automatic opponent has no hand
        return say("{seat} is confused: {other} draws the card.", seat=seat, other=neighbour(state, wizard))
    return say("{seat} is confused: card {place} from the left.", seat=seat, place=drawn_place(state, wizard))


def neighbour(state: State, wizard: Wizard) -> Text:
    """Return the next player clockwise, who draws the card (R47)."""
    return who(clockwise(state, wizard.seat)[1].seat)


# --- errors


def laid_wrongly(state: State, wizard: Wizard, look: ZonePrefilter = ANYTHING) -> Iterator[Attempt]:
    """Yield attempts to lay at a wrong time, or a fifth card without discarding the oldest."""
    seat = wizard.seat
    if wizard.laid or not wizard.held or not look.lies(spot_zone(seat), LAID):
        return
    what = say("{seat} laid a card.", seat=who(seat))
    if Lay().judge(state, seat):
        yield from at_wrong_time(state, "laid out of turn", seat, lambda: _laid_trace(state, wizard), Lay(), what)
    elif len(wizard.sequence) == SEQUENCE:
        breach = Violation("R22", say("A fifth card came: the oldest of {seat} is discarded.", seat=who(seat)))
        yield illegal_attempt("fifth card kept", seat, _laid_only(state, seat), breach, what)
        for number in range(1, SEQUENCE):
            discarded = discarded_text(seat, wizard.sequence[number].card)
            yield illegal_attempt("other card discarded", seat, _pushed_out(state, wizard, number), breach, discarded)


def revealed_wrongly(state: State, wizard: Wizard, look: ZonePrefilter) -> Iterator[Attempt]:
    seat, row = wizard.seat, sequence_zone(wizard.seat)
    if wizard.laid and look.only(spot_zone(seat), row):
        hidden = unseen(state)
        kind = "revealed early" if isinstance(state.phase, Laying) else "impossible card"
        for name in (name for name in state.deck if name in hidden and look.lies(row, Piece(name))):
            if look.allows(spot_layout(seat, laid=False), _with_newest(wizard, name)):
                trace = partial(_reveal_trace, state, wizard, name)
                yield from at_wrong_time(state, kind, seat, trace, RevealCard(name), turned_up_text(name))
    if wizard.active is None or isinstance(state.phase, Laying) or not look.only(row):
        return
    stays = Violation("R24", say("{card} was revealed: it stays.", card=CARDS[wizard.active]))
    for name in (name for name in possible(state, wizard) if look.lies(row, Piece(name))):
        if wizard.sequence and not wizard.sequence[-1].down and look.allows(_with_other(wizard, name)):
            what = say("{card} came in its place.", card=CARDS[name])
            yield illegal_attempt("card exchanged", seat, _exchange_trace(state, wizard, name), stays, what)
        if look.allows(_with_newest(wizard, name)):
            one = Violation("R12", say("One card a phase: {card} goes back to the hand.", card=CARDS[name]))
            what = say("{seat} laid {card} as well.", seat=who(seat), card=CARDS[name])
            yield illegal_attempt("second card", seat, _added_trace(state, wizard, name), one, what)


def taken_back(state: State, wizard: Wizard, number: int) -> Iterator[Attempt]:
    name = CARDS[wizard.sequence[number].card]
    rest = (*wizard.sequence[:number], *wizard.sequence[number + 1 :])
    moves = (Move(Spot(sequence_zone(wizard.seat), number), None),)
    trace = single_hand_trace(state, wizard.seat, sequence_layout(wizard.seat, rest), moves=moves)
    breach = Violation("R12", say("{card} stays in the sequence.", card=name))
    yield illegal_attempt("card taken back", wizard.seat, trace, breach, say("{card} was taken away.", card=name))


def _lay(seat: Seat) -> Move:
    return Move(None, Spot(spot_zone(seat), 0))


def _laid_trace(state: State, wizard: Wizard) -> Trace:
    if len(wizard.sequence) == SEQUENCE:
        return _pushed_out(state, wizard, 0)
    return _laid_only(state, wizard.seat)


def _laid_only(state: State, seat: Seat) -> Trace:
    return single_hand_trace(state, seat, spot_layout(seat, laid=True), moves=(_lay(seat),))


def _pushed_out(state: State, wizard: Wizard, number: int) -> Trace:
    seat, gone = wizard.seat, wizard.sequence[number]
    rest = (*wizard.sequence[:number], *wizard.sequence[number + 1 :])
    source = Spot(sequence_zone(seat), number)
    return single_hand_trace(
        state,
        seat,
        spot_layout(seat, laid=True),
        sequence_layout(seat, rest),
        discards_layout((gone.card,)),
        moves=(Move(source, Spot(DISCARDS, 0)), _lay(seat)),
        turned=frozenset({source}) if gone.down else frozenset(),
    )


def _reveal_trace(state: State, wizard: Wizard, name: str) -> Trace:
    seat, source = wizard.seat, Spot(spot_zone(wizard.seat), 0)
    changed = spot_layout(seat, laid=False), _with_newest(wizard, name)
    return single_hand_trace(state, seat, *changed, moves=(Move(source, _end(wizard)),), turned=frozenset({source}))


def _exchange_trace(state: State, wizard: Wizard, name: str) -> Trace:
    place = Spot(sequence_zone(wizard.seat), len(wizard.sequence) - 1)
    return single_hand_trace(
        state, wizard.seat, _with_other(wizard, name), moves=(Move(place, None), Move(None, place))
    )


def _added_trace(state: State, wizard: Wizard, name: str) -> Trace:
    return single_hand_trace(state, wizard.seat, _with_newest(wizard, name), moves=(Move(None, _end(wizard)),))


def _with_newest(wizard: Wizard, name: str) -> ZoneLayout:
    return sequence_layout(wizard.seat, (*wizard.sequence, Queued(name)))


def _with_other(wizard: Wizard, name: str) -> ZoneLayout:
    return sequence_layout(wizard.seat, (*wizard.sequence[:-1], Queued(name)))


def _end(wizard: Wizard) -> Spot:
    return Spot(sequence_zone(wizard.seat), len(wizard.sequence))
