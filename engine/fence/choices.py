"""The grammar of legal actions: which words may come next. Everybody may see it: no hand is known to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain, islice

from engine.fence.actions import (
    Accept,
    Action,
    Agree,
    Change,
    Clear,
    Decline,
    Distance,
    End,
    Exchange,
    Keep,
    Move,
    Mulligan,
    Parry,
    Passivity,
    Play,
    Retreat,
    Stall,
    Toss,
)
from engine.fence.candidates import answers, any_card, openings
from engine.fence.cards import KINDS, WEAPONS, Weapon
from engine.fence.judge import expected, is_legal
from engine.fence.names import number_text, side_name
from engine.fence.phrase.state import Phrase
from engine.fence.reading import words_of
from engine.fence.state import State, ahead, asked, off, side_of
from engine.fence.turn import RETREAT
from engine.game import Choice, Words
from engine.memo import per_state
from engine.table import Seat
from engine.text import Text, say

_WORDS: dict[str, Text] = {
    "keep": say("Keep the hand"),
    "mulligan": say("New hand"),
    "play": say("Play a card"),
    "move": say("Move"),
    "weapon": say("Weapon position"),
    "exchange": say("Exchange a card"),
    "stall": say("Stall"),
    "retreat": say("Retreat"),
    "parry": say("Parry without a card"),
    "distance": say("Distance"),
    "accept": say("No answer"),
    "clear": say("Table in order"),
    "toss": say("The coin fell for"),
    "end": say("End"),
    "passivity": say("Propose the passivity rule"),
    "agree": say("Agree"),
    "decline": say("Decline"),
    "forward": say("Forward"),
    "back": say("Back"),
    "?": say("Card not seen"),
}
_WORDS |= {weapon.value: name for weapon, name in WEAPONS.items()}
_WORDS |= {name: kind.name for name, kind in KINDS.items()}


def choices(state: State, seat: Seat, prefix: Words) -> tuple[Choice, ...]:
    """The words that may follow `prefix` in a legal action of `seat`."""
    side = side_of(state, seat) if seat in state.seats else -1
    if side not in asked(state):
        return ()
    verbs = tuple(verb for verb, (kind, _) in _VERBS.items() if kind in expected(state))
    if not prefix:
        firsts = (islice(_legal(state, side, verb), 1) for verb in verbs)
        return tuple(_choice(state, side, words, action, 0) for words, action in chain.from_iterable(firsts))
    return _following(state, side, prefix) if prefix[0] in verbs else ()


def _following(state: State, side: int, prefix: Words) -> tuple[Choice, ...]:
    """The words that follow a verb, and perhaps more, in legal actions, each once."""
    depth, found = len(prefix), dict[str, Choice]()
    for words, action in _all_legal(state, side, prefix[0]):
        if len(words) > depth and words[:depth] == prefix and words[depth] not in found:
            found[words[depth]] = _choice(state, side, words, action, depth)
    return tuple(found.values())


@per_state
def _all_legal(state: State, side: int, verb: str) -> tuple[tuple[Words, Action], ...]:
    return tuple(_legal(state, side, verb))


def _legal(state: State, side: int, verb: str) -> Iterator[tuple[Words, Action]]:
    """The legal actions of a verb, in the order of the menus."""
    _, actions = _VERBS[verb]
    return ((words_of(state, action), action) for action in actions(state) if is_legal(state, side, action))


def _choice(state: State, side: int, words: Words, action: Action, depth: int) -> Choice:
    final = len(words) == depth + 1
    return Choice(words[depth], _text(state, words, depth), final, costs=final and _costs(state, side, action))


def may_answer(state: State) -> bool:
    """Whether whoever must answer could do anything but accept, by all that everybody knows."""
    phrase = state.phase
    if not isinstance(phrase, Phrase):
        return False
    others: tuple[Action, ...] = (Parry(), *(Distance(card) for card in any_card(state)))
    return any(is_legal(state, phrase.turn, action) for action in chain[Action](others, answers(state, phrase)))


def _plays(state: State) -> Iterator[Action]:
    return answers(state, state.phase) if isinstance(state.phase, Phrase) else openings(state)


def _with_any(kind: type[Distance] | type[Exchange] | type[Stall]) -> Callable[[State], Iterator[Action]]:
    return lambda state: map(kind, any_card(state))


def _just(*actions: Action) -> Callable[[State], Iterator[Action]]:
    return lambda _: iter(actions)


_VERBS: dict[str, tuple[type[Action], Callable[[State], Iterator[Action]]]] = {
    "play": (Play, _plays),
    "parry": (Parry, _just(Parry())),
    "distance": (Distance, _with_any(Distance)),
    "move": (Move, _just(Move(1), Move(-1))),
    "weapon": (Change, _just(*map(Change, Weapon))),
    "exchange": (Exchange, _with_any(Exchange)),
    "retreat": (Retreat, _just(Retreat())),
    "stall": (Stall, _with_any(Stall)),
    "accept": (Accept, _just(Accept())),
    "keep": (Keep, _just(Keep())),
    "mulligan": (Mulligan, _just(Mulligan())),
    "clear": (Clear, _just(Clear())),
    "toss": (Toss, _just(Toss(0), Toss(1))),
    "agree": (Agree, _just(Agree())),
    "decline": (Decline, _just(Decline())),
    "end": (End, _just(End())),
    "passivity": (Passivity, _just(Passivity())),
}
"""Actions that may be legal, by the verb with which they begin, in the order of the menus."""


def _text(state: State, words: Words, depth: int) -> Text:
    """What a word means where it stands: a number belongs to the kind before it."""
    word = words[depth]
    if words[0] == "toss" and depth:
        return side_name(side_of(state, word))
    if word in _WORDS:
        return _WORDS[word]
    return number_text(state.pool, f"{words[depth - 1]}-{word}")


def _costs(state: State, side: int, action: Action) -> bool:
    """A step off the strip gives a point away, a Joker is gone for good (F54, F167)."""
    fencer = state.fencers[side]
    match action:
        case Move(steps):
            return off(fencer.square + steps * ahead(side))
        case Retreat():
            return off(fencer.square - RETREAT * ahead(side))
        case Play(card):
            return state.pool[card].kind == "joker"
        case _:
            return False
