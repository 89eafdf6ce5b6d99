"""Repairs of what the referee believes (design law 2). No hand is known to it, so none can be told by one.

square a 5             a fencer stands elsewhere
weapon a line          a weapon position
stamina a 4            stamina points
score a 2              points
hand a 5               cards in a hand
timer 7                cards in the timer deck
seen joker             an unseen discard was this card
unseen joker           a discard, or a card believed to be in a hand for certain, may be anywhere
turn b                 whose turn it is; an open phrase is void and its cards go back
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from msgspec.structs import replace

from engine.fence.actions import UNKNOWN
from engine.fence.cards import KINDS, WEAPONS, Weapon
from engine.fence.knowledge import learnt, unseen
from engine.fence.names import card_words, number_text, side_name
from engine.fence.rules import HAND, TRACK
from engine.fence.state import LAST, Fencer, Over, State, Tossing, Turn, side_of, with_fencer
from engine.game import Choice, Words
from engine.grammar import correction
from engine.text import say
from engine.view import Event

Choices = tuple[Choice, ...]

_VERBS = (
    Choice("square", say("A fencer stands elsewhere"), False),
    Choice("weapon", say("A weapon position"), False),
    Choice("stamina", say("Stamina points"), False),
    Choice("score", say("The score"), False),
    Choice("hand", say("Cards in a hand"), False),
    Choice("timer", say("Cards in the timer deck"), False),
    Choice("seen", say("Name an unseen discard"), False),
    Choice("unseen", say("A card was misread"), False),
    Choice("turn", say("Whose turn it is"), False),
)


def corrections(state: State, prefix: Words) -> Choices:
    """The words that may follow in a correction: only what leads to one."""
    if not prefix:
        return tuple(verb for verb in _VERBS if _NEXT[verb.word](state, ()))
    return _NEXT[prefix[0]](state, prefix[1:]) if prefix[0] in _NEXT else ()


def correct(state: State, words: Words) -> tuple[State, tuple[Event, ...]]:
    """The repaired state. Raises Invalid if the words are no correction, Ambiguous if some are missing."""
    told = correction(partial(corrections, state), words)
    return _resumed(_repaired(state, words)), (told,)


def _repaired(state: State, words: Words) -> State:
    match words:
        case ("timer", number):
            return _timed(state, int(number))
        case ("turn", seat):
            return _given(state, side_of(state, seat))
        case ("seen" | "unseen" as verb, *rest):
            name = "-".join(rest)
            return _named(state, name) if verb == "seen" else _misread(state, name)
        case (verb, seat, value):
            side = side_of(state, seat)
            return with_fencer(state, side, _changed(state.fencers[side], verb, value))
        case _:
            return state


def _changed(fencer: Fencer, verb: str, value: str) -> Fencer:
    match verb:
        case "square":
            return replace(fencer, square=int(value), beside=0)
        case "weapon":
            return replace(fencer, weapon=Weapon(value))
        case "stamina":
            return replace(fencer, stamina=int(value))
        case "score":
            return replace(fencer, score=int(value))
        case _:
            hand = int(value)
            return replace(fencer, hand=hand, known=fencer.known if hand >= len(fencer.known) else ())


def _timed(state: State, timer: int) -> State:
    """A card more in the timer deck was believed to be set aside, or the other way round."""
    piles = state.piles
    return replace(state, piles=replace(piles, timer=timer, aside=max(0, piles.aside + piles.timer - timer)))


def _given(state: State, side: int) -> State:
    for each in (0, 1):
        fencer = state.fencers[each]
        cards = fencer.lane
        state = with_fencer(state, each, learnt(replace(fencer, lane=(), beside=0), cards))
    return replace(state, active=side, phase=state.phase if isinstance(state.phase, Tossing) else Turn())


def _named(state: State, name: str) -> State:
    discards = list(state.piles.discards)
    discards[discards.index(UNKNOWN)] = name
    return replace(state, piles=replace(state.piles, discards=tuple(discards)))


def _misread(state: State, name: str) -> State:
    discards = tuple(UNKNOWN if card == name else card for card in state.piles.discards)
    state = replace(state, piles=replace(state.piles, discards=discards))
    for side in (0, 1):
        fencer = state.fencers[side]
        kept = tuple(card for card in fencer.known if card != name)
        state = with_fencer(state, side, replace(fencer, known=kept))
    return state


def _resumed(state: State) -> State:
    """A match that was over for points that were wrong goes on."""
    goal = state.rules.goal
    if isinstance(state.phase, Over) and all(fencer.score < goal for fencer in state.fencers):
        return _given(state, state.active)
    return state


def _seats(state: State) -> Choices:
    return tuple(Choice(seat, side_name(side_of(state, seat)), False) for seat in state.seats)


def _numbers(state: State, rest: Words, first: int, last: int, now: Callable[[Fencer], int]) -> Choices:
    """A seat, then a number other than the one believed."""
    if not rest:
        return _seats(state)
    if len(rest) > 1 or rest[0] not in state.seats:
        return ()
    believed = now(state.fencers[side_of(state, rest[0])])
    return tuple(_number(number) for number in range(first, last + 1) if number != believed)


def _number(number: int) -> Choice:
    return Choice(str(number), say("{number}", number=number), True)


def _square(state: State, rest: Words) -> Choices:
    """Only where neither passes the other (F23)."""
    if not rest:
        return _seats(state)
    if len(rest) > 1 or rest[0] not in state.seats:
        return ()
    side = side_of(state, rest[0])
    other, own = state.fencers[1 - side].square, state.fencers[side].square
    squares = range(1, other) if side == 0 else range(other + 1, LAST + 1)
    return tuple(_number(square) for square in squares if square != own)


def _weapon(state: State, rest: Words) -> Choices:
    if not rest:
        return _seats(state)
    if len(rest) > 1 or rest[0] not in state.seats:
        return ()
    now = state.fencers[side_of(state, rest[0])].weapon
    return tuple(Choice(each.value, WEAPONS[each], True) for each in Weapon if each is not now)


def _timer(state: State, rest: Words) -> Choices:
    total = state.piles.timer + state.piles.aside
    return () if rest else tuple(_number(number) for number in range(1, total + 1) if number != state.piles.timer)


def _seen(state: State, rest: Words) -> Choices:
    free = tuple(name for name in state.pool if unseen(state, name) > 0)
    return _cards(state, free, rest) if UNKNOWN in state.piles.discards else ()


def _unseen(state: State, rest: Words) -> Choices:
    named = {*state.piles.discards, *state.fencers[0].known, *state.fencers[1].known}
    return _cards(state, tuple(name for name in state.pool if name in named), rest)


def _cards(state: State, names: tuple[str, ...], rest: Words) -> Choices:
    """A card, word by word."""
    found: dict[str, Choice] = {}
    for name in names:
        words = card_words(state.pool, name)
        if words[: len(rest)] == rest and len(words) > len(rest):
            word = words[len(rest)]
            text = number_text(state.pool, name) if rest else KINDS[word].name
            found.setdefault(word, Choice(word, text, len(words) == len(rest) + 1))
    return tuple(found.values())


def _turn(state: State, rest: Words) -> Choices:
    if rest or isinstance(state.phase, Over):
        return ()
    return tuple(Choice(seat, side_name(side_of(state, seat)), True) for seat in state.seats)


def _score(state: State, rest: Words) -> Choices:
    return _numbers(state, rest, 0, state.rules.goal - 1, lambda fencer: fencer.score)


def _stamina(state: State, rest: Words) -> Choices:
    return _numbers(state, rest, 0, TRACK, lambda fencer: fencer.stamina)


def _hand(state: State, rest: Words) -> Choices:
    return _numbers(state, rest, 1, HAND, lambda fencer: fencer.hand)


_NEXT: dict[str, Callable[[State, Words], Choices]] = {
    "square": _square,
    "weapon": _weapon,
    "stamina": _stamina,
    "score": _score,
    "hand": _hand,
    "timer": _timer,
    "seen": _seen,
    "unseen": _unseen,
    "turn": _turn,
}
