"""Repairs of what the referee believes (design law 2).

life a 7                 a wizard's life
hand a 4                 cards in a hand
card a 2 mountain        the second card of a sequence, counted from the oldest, is another; if spells are being chosen
                         and none was announced, all are chosen anew
face a 2                 that card lies the other side up
effect a haste 2         turns that an effect still holds, from this one on, Confusion from the next; 0 for none
dead mill                a card that lay in the hand of somebody who died, and was discarded with it
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from msgspec.structs import replace

from engine.errors import Invalid
from engine.game import Choice, Words
from engine.grammar import correction
from engine.runes.cards import height
from engine.runes.effects import active as in_force
from engine.runes.hands import of_the_dead, unburied, unseen
from engine.runes.names import CARDS, EFFECTS
from engine.runes.phases import Step, proceed, to_spells
from engine.runes.state import (
    HAND,
    MOST_LIFE,
    Casting,
    Drawing,
    Keeping,
    Last,
    Laying,
    Over,
    Planning,
    Queued,
    Revealing,
    Span,
    State,
    Turning,
    Wizard,
    living,
    people,
    pile,
    with_wizard,
    wizard_at,
)
from engine.table import Spot
from engine.text import say

Choices = tuple[Choice, ...]

LONGEST = 8
"""Turns that an effect can be given."""

SHORT = frozenset({"shield", "countered", "confused"})
"""Effects that hold for one turn (R36, R47, R51)."""

_OF_CARDS = (("card",), ("face",))

_VERBS = (
    Choice("life", say("A life"), False),
    Choice("hand", say("The number of cards in a hand"), False),
    Choice("card", say("A card of a sequence is another"), False),
    Choice("face", say("A card lies the other side up"), False),
    Choice("effect", say("A lasting effect"), False),
)

_OF_THE_DEAD = Choice("dead", say("A card that a dead wizard discarded"), False)


def corrections(state: State, prefix: Words = ()) -> Choices:
    """The words that may follow in a correction: only what leads to one."""
    if isinstance(state.phase, Over):
        return ()
    if not prefix:
        dead = (_OF_THE_DEAD,) if state.buried else ()
        return (*(verb for verb in _VERBS if _seats(state, verb.word)), *dead)
    if prefix == (_OF_THE_DEAD.word,):
        return tuple(Choice(name, CARDS[name], True) for name in of_the_dead(state))
    if prefix[0] not in _NEXT:
        return ()
    seats = _seats(state, prefix[0])
    if len(prefix) == 1:
        return tuple(Choice(w.seat, say("Seat {seat}", seat=w.seat.upper()), False) for w in seats)
    wizard = next((w for w in seats if w.seat == prefix[1]), None)
    return _NEXT[prefix[0]](state, wizard, prefix[2:]) if wizard is not None else ()


def correct(state: State, words: Words) -> Step:
    """The state put right. Raises Invalid if the words are no correction, Ambiguous if some are missing."""
    if words[:1] in _OF_CARDS and not isinstance(state.phase, Over) and not _seats(state, words[0]):
        raise Invalid(say("Cards can be corrected until a spell is announced, and again after the last spell."))
    told = correction(partial(corrections, state), words)
    state, events = proceed(_repaired(state, words))
    return state, (told, *events)


def identify(state: State, spot: Spot, kind: str) -> Words | None:
    """The correction that says what the face-down card at a spot of a sequence is; None if it cannot be that."""
    seat, place = spot.zone.removeprefix("sequence-"), str(spot.index + 1)
    wizard = next((w for w in _seats(state, "card") if w.seat == seat and spot.zone != seat), None)
    if wizard is None or spot.index >= len(wizard.sequence) or not wizard.sequence[spot.index].down:
        return None
    return ("card", seat, place, kind) if kind in unseen(state) else None


def _seats(state: State, verb: str) -> tuple[Wizard, ...]:
    """Whose matter can be corrected so: hands only while no spell is on its way, cards also before the first one."""
    match verb:
        case "life" | "effect":
            return living(state)
        case "hand":
            return tuple(w for w in people(state) if not w.laid) if _calm(state) else ()
        case _:
            return tuple(w for w in living(state) if w.sequence) if _calm(state) or _silent(state) else ()


def _calm(state: State) -> bool:
    return isinstance(state.phase, Laying | Last | Drawing)


def _silent(state: State) -> bool:
    """Whether no spell of this phase rests on the cards as they are believed to be."""
    return isinstance(state.phase, Turning | Keeping | Revealing | Planning | Casting) and not state.announced


def _life(_state: State, wizard: Wizard, rest: Words) -> Choices:
    numbers = (n for n in range(1, MOST_LIFE + 1) if n != wizard.life)
    return () if rest else tuple(Choice(str(n), say("{life} life", life=n), True) for n in numbers)


def _hand(state: State, wizard: Wizard, rest: Words) -> Choices:
    most = min(HAND, wizard.held + pile(state) - 1)
    numbers = (n for n in range(most + 1) if n != wizard.held)
    return () if rest else tuple(Choice(str(n), say("Cards: {count}", count=n), True) for n in numbers)


def _places(wizard: Wizard, final: bool) -> Choices:
    return tuple(
        Choice(str(number), say("{number}: {card}", number=number, card=CARDS[queued.card]), final)
        for number, queued in enumerate(wizard.sequence, 1)
    )


def _card(state: State, wizard: Wizard, rest: Words) -> Choices:
    if not rest:
        return _places(wizard, False)
    if len(rest) > 1 or not _is_place(wizard, rest[0]):
        return ()
    hidden = unseen(state)
    return tuple(Choice(name, CARDS[name], True) for name in state.deck if name in hidden)


def _is_place(wizard: Wizard, word: str) -> bool:
    return word in {choice.word for choice in _places(wizard, False)}


def _face(_state: State, wizard: Wizard, rest: Words) -> Choices:
    return () if rest else _places(wizard, True)


def _effect(_state: State, _wizard: Wizard, rest: Words) -> Choices:
    if not rest:
        return tuple(Choice(name, text, False) for name, text in EFFECTS.items())
    if len(rest) > 1 or rest[0] not in EFFECTS:
        return ()
    most = 1 if rest[0] in SHORT else LONGEST
    return tuple(Choice(str(n), say("Turns: {turns}", turns=n), True) for n in range(most + 1))


_NEXT: dict[str, Callable[[State, Wizard, Words], Choices]] = {
    "life": _life,
    "hand": _hand,
    "card": _card,
    "face": _face,
    "effect": _effect,
}


def _repaired(state: State, words: Words) -> State:
    if words[0] == _OF_THE_DEAD.word:
        return unburied(state, words[1])
    wizard = wizard_at(state, words[1])
    match words:
        case ("life", _, life):
            wizard = replace(wizard, life=int(life))
        case ("hand", _, count):
            known = (*wizard.hand, *(state.shuffles for _ in range(HAND)))
            wizard = replace(wizard, hand=known[: int(count)])
        case ("card", _, place, card):
            wizard = _with_card(state, wizard, int(place) - 1, card)
        case ("face", _, place):
            wizard = _flipped(wizard, int(place) - 1)
        case (_, _, effect, turns):
            wizard = _lasting(state, wizard, effect, int(turns))
    if words[0] in ("card", "hand"):
        state = replace(state, returned={})  # what was concluded of draws is void
    state = with_wizard(state, wizard)
    choosing = isinstance(state.phase, Planning | Casting | Last) and not state.announced
    return to_spells(replace(state, plan={})) if choosing and words[:1] in _OF_CARDS else state


def _with_card(state: State, wizard: Wizard, number: int, card: str) -> Wizard:
    """The card itself, and whatever was noted of it."""
    old = wizard.sequence[number]
    queue = (*wizard.sequence[:number], Queued(card, old.down), *wizard.sequence[number + 1 :])
    used = tuple((card if name == old.card else name, suit) for name, suit in wizard.used)
    active = card if wizard.active == old.card else wizard.active
    wizard = replace(wizard, sequence=queue, used=used, active=active)
    return replace(wizard, highest=_highest(state, wizard))


def _highest(state: State, wizard: Wizard) -> int:
    """R58: of the cards revealed this turn, which are the newest; the hasted may have revealed two (R41)."""
    count = (wizard.active is not None) + (in_force(state, wizard, "haste") and not state.extra)
    newest = wizard.sequence[len(wizard.sequence) - count :] if wizard.highest else ()
    ranks = [height(state.deck[queued.card], state.rules.ace) for queued in newest]
    return max(ranks, default=wizard.highest)


def _flipped(wizard: Wizard, number: int) -> Wizard:
    old = wizard.sequence[number]
    queue = (*wizard.sequence[:number], Queued(old.card, not old.down), *wizard.sequence[number + 1 :])
    return replace(wizard, sequence=queue)


def _lasting(state: State, wizard: Wizard, effect: str, turns: int) -> Wizard:
    kept = {name: span for name, span in wizard.effects.items() if name != effect}
    if turns:
        first = state.turn + (effect == "confused")  # the lot of this turn is not drawn after the fact
        kept[effect] = Span(first, first + turns - 1)
    return replace(wizard, effects=kept)
