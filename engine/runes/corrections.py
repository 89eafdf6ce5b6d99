"""Corrections of the referee's belief (law 2).

life a 7                 life
hand a 4                 cards in a hand
card a 2 mountain        second card of a sequence, from the oldest; unannounced spells are chosen again
face a 2                 that card is the other side up
effect a haste 2         turns an effect holds from this one on, Confusion from the next; 0 for none
dead mill                a card discarded with a dead wizard's hand"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Annotated

from msgspec.structs import replace

from engine.errors import Invalid
from engine.game import Words
from engine.rules import Correction, MenuWord, Values, Word
from engine.runes.cards import CARDS, height, rank_name
from engine.runes.casting import Casting, Planning
from engine.runes.hands import DrawPhase, of_the_dead, unbury, unseen
from engine.runes.laying import Laying, Revealing
from engine.runes.match import (
    HAND,
    MOST_LIFE,
    Over,
    Queued,
    Span,
    State,
    Wizard,
    living,
    people,
    pile,
    with_wizard,
    wizard_at,
)
from engine.runes.order import seat_text
from engine.runes.solo import Keeping, Turning
from engine.runes.specials import LastCounter
from engine.runes.spells import EFFECTS, active
from engine.runes.turn import to_spells
from engine.table import Seat, Spot
from engine.text import Text, say

LONGEST = 8

SHORT = frozenset({"shield", "countered", "confused"})
"""Effects of one turn."""

# --- when


def _calm(state: State) -> bool:
    return isinstance(state.phase, Laying | LastCounter | DrawPhase)


def _silent(state: State) -> bool:
    return isinstance(state.phase, Turning | Keeping | Revealing | Planning | Casting) and not state.announced


def _with_hands(state: State) -> tuple[Wizard, ...]:
    return tuple(w for w in people(state) if not w.laid) if _calm(state) else ()


def _with_cards(state: State) -> tuple[Wizard, ...]:
    return tuple(w for w in living(state) if w.sequence) if _calm(state) or _silent(state) else ()


# --- the words


def _whose(offered: Callable[[State], tuple[Wizard, ...]]) -> MenuWord[State, Seat]:
    return MenuWord(
        lambda state, _: [] if isinstance(state.phase, Over) else [w.seat for w in offered(state)], seat_text
    )


def _lives(state: State, before: Values) -> int:
    return wizard_at(state, before[0]).life


def _held_count(state: State, before: Values) -> int:
    return wizard_at(state, before[0]).held


class SequencePlace(Word[State, int]):
    def candidates(self, state: State, seat: Seat, before: Values) -> Iterable[int]:
        return range(1, len(wizard_at(state, before[0]).sequence) + 1)

    def text(self, state: State, value: int, before: Values, number: int) -> Text:
        queued = wizard_at(state, before[0]).sequence[value - 1]
        return say("{number}: {card}", number=value, card=CARDS[queued.card])


class HiddenCardWord(Word[State, str]):
    def __init__(self, offered: Callable[[State], Iterable[str]]) -> None:
        self._offered = offered

    def candidates(self, state: State, seat: Seat, before: Values) -> Iterable[str]:
        return () if isinstance(state.phase, Over) else self._offered(state)

    def text(self, state: State, value: str, before: Values, number: int) -> Text:
        return CARDS[value]

    def under(self, state: State, value: str, number: int) -> Text | None:
        return rank_name(state.deck[value])


def _unseen_in_order(state: State) -> Iterable[str]:
    hidden = unseen(state)
    return (name for name in state.deck if name in hidden)


_LIVING, _HANDS, _SEQUENCES = _whose(living), _whose(_with_hands), _whose(_with_cards)
_LIFE = MenuWord[State, int](lambda *_: range(1, MOST_LIFE + 1), lambda life: say("{life} life", life=life), _lives)
_HELD = MenuWord[State, int](
    lambda state, before: range(min(HAND, _held_count(state, before) + pile(state) - 1) + 1),
    lambda count: say("Cards: {count}", count=count),
    _held_count,
)
_PLACE = SequencePlace()
_EFFECT = MenuWord[State, str](lambda *_: EFFECTS, EFFECTS.__getitem__)
_TURNS = MenuWord[State, int](
    lambda _, before: range((1 if before[1] in SHORT else LONGEST) + 1),
    lambda turns: say("Turns: {turns}", turns=turns),
)
_UNSEEN, _DEAD = HiddenCardWord(_unseen_in_order), HiddenCardWord(of_the_dead)


# --- the corrections


class Life(Correction[State], frozen=True, tag="life"):
    seat: Annotated[Seat, _LIVING]
    life: Annotated[int, _LIFE]

    name = say("A life")

    def after(self, state: State) -> State:
        return with_wizard(state, replace(wizard_at(state, self.seat), life=self.life))


class WizardHand(Correction[State], frozen=True, tag="hand"):
    seat: Annotated[Seat, _HANDS]
    count: Annotated[int, _HELD]

    name = say("The number of cards in a hand")

    def after(self, state: State) -> State:
        wizard = wizard_at(state, self.seat)
        known = (*wizard.hand, *(state.shuffles for _ in range(HAND)))
        return with_wizard(replace(state, returned={}), replace(wizard, hand=known[: self.count]))


class Another(Correction[State], frozen=True, tag="card"):
    seat: Annotated[Seat, _SEQUENCES]
    place: Annotated[int, _PLACE]
    card: Annotated[str, _UNSEEN]

    name = say("A card of a sequence is another")

    def after(self, state: State) -> State:
        wizard = _with_card(state, wizard_at(state, self.seat), self.place - 1, self.card)
        return _chosen_anew(with_wizard(replace(state, returned={}), wizard))


class Facing(Correction[State], frozen=True, tag="face"):
    seat: Annotated[Seat, _SEQUENCES]
    place: Annotated[int, _PLACE]

    name = say("A card lies the other side up")

    def after(self, state: State) -> State:
        return _chosen_anew(with_wizard(state, _flip(wizard_at(state, self.seat), self.place - 1)))


class Effect(Correction[State], frozen=True, tag="effect"):
    seat: Annotated[Seat, _LIVING]
    effect: Annotated[str, _EFFECT]
    turns: Annotated[int, _TURNS]

    name = say("A lasting effect")

    def after(self, state: State) -> State:
        return with_wizard(state, _lasting(state, wizard_at(state, self.seat), self.effect, self.turns))


class Dead(Correction[State], frozen=True, tag="dead"):
    card: Annotated[str, _DEAD]

    name = say("A card that a dead wizard discarded")

    def after(self, state: State) -> State:
        return unbury(state, self.card)


REPAIRS = (Life, WizardHand, Another, Facing, Effect, Dead)


def out_of_season(state: State, words: Words) -> Invalid | None:
    if words[:1] not in (("card",), ("face",)) or isinstance(state.phase, Over) or _with_cards(state):
        return None
    return Invalid(say("Cards can be corrected until a spell is announced, and again after the last spell."))


def identify(state: State, spot: Spot, kind: str) -> Words | None:
    """Return the correction that gives a face-down sequence card this kind; None if impossible now."""
    seat = spot.zone.removeprefix("sequence-")
    wizard = next((w for w in _with_cards(state) if w.seat == seat and spot.zone != seat), None)
    if wizard is None or spot.index >= len(wizard.sequence) or not wizard.sequence[spot.index].down:
        return None
    return Another(seat, spot.index + 1, kind).notation(state) if kind in unseen(state) else None


# --- what they change


def _chosen_anew(state: State) -> State:
    choosing = isinstance(state.phase, Planning | Casting | LastCounter) and not state.announced
    return to_spells(replace(state, plan={})) if choosing else state


def _with_card(state: State, wizard: Wizard, number: int, card: str) -> Wizard:
    old = wizard.sequence[number]
    queue = (*wizard.sequence[:number], Queued(card, old.down), *wizard.sequence[number + 1 :])
    used = tuple((card if name == old.card else name, suit) for name, suit in wizard.used)
    active = card if wizard.active == old.card else wizard.active
    wizard = replace(wizard, sequence=queue, used=used, active=active)
    return replace(wizard, highest=_highest(state, wizard))


def _highest(state: State, wizard: Wizard) -> int:
    count = (wizard.active is not None) + (active(state, wizard, "haste") and not state.extra)
    newest = wizard.sequence[len(wizard.sequence) - count :] if wizard.highest else ()
    ranks = [height(state.deck[queued.card], state.rules.ace) for queued in newest]
    return max(ranks, default=wizard.highest)


def _flip(wizard: Wizard, number: int) -> Wizard:
    old = wizard.sequence[number]
    queue = (*wizard.sequence[:number], Queued(old.card, not old.down), *wizard.sequence[number + 1 :])
    return replace(wizard, sequence=queue)


def _lasting(state: State, wizard: Wizard, effect: str, turns: int) -> Wizard:
    kept = {name: span for name, span in wizard.effects.items() if name != effect}
    if turns:
        first = state.turn + (effect == "confused")  # the lot of this turn is not drawn after the fact
        kept[effect] = Span(first, first + turns - 1)
    return replace(wizard, effects=kept)
