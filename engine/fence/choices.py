"""The grammar of legal actions: which words may come next. Everybody may see it: no hand is known to it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

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
)
from engine.fence.candidates import answers, any_card, openings
from engine.fence.cards import KINDS, WEAPONS, Weapon
from engine.fence.judge import is_legal
from engine.fence.names import number_text
from engine.fence.phrase.state import Phrase
from engine.fence.reading import words_of
from engine.fence.state import State, ahead, asked, off, side_of
from engine.fence.turn import RETREAT
from engine.game import Choice, Words
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
    found: dict[str, Choice] = {}
    for action in _actions(state, prefix):
        words = words_of(state, action)
        depth = len(prefix)
        if len(words) <= depth or words[:depth] != prefix or words[depth] in found:
            continue
        if is_legal(state, side, action):
            final = len(words) == depth + 1
            text = _text(state, words, depth)
            found[words[depth]] = Choice(words[depth], text, final, costs=final and _costs(state, side, action))
    return tuple(found.values())


def may_answer(state: State) -> bool:
    """Whether whoever must answer could do anything but accept, by all that everybody knows."""
    phrase = state.phase
    if not isinstance(phrase, Phrase):
        return False
    others: tuple[Action, ...] = (Parry(), *(Distance(card) for card in any_card(state)))
    return any(is_legal(state, phrase.turn, action) for action in chain[Action](others, answers(state, phrase)))


def _actions(state: State, prefix: Words) -> Iterator[Action]:
    """Actions that may be legal and may begin with `prefix`."""
    verb = prefix[0] if prefix else None
    if verb in (None, "play"):
        yield from answers(state, state.phase) if isinstance(state.phase, Phrase) else openings(state)
    if verb in (None, "parry"):
        yield Parry()
    if verb in (None, "distance") and isinstance(state.phase, Phrase):
        yield from (Distance(card) for card in any_card(state))
    if verb in (None, "move"):
        yield from (Move(1), Move(-1))
    if verb in (None, "weapon"):
        yield from (Change(position) for position in Weapon)
    if verb in (None, "exchange"):
        yield from (Exchange(card) for card in any_card(state))
    if verb in (None, "retreat"):
        yield Retreat()
    if verb in (None, "stall"):
        yield from (Stall(card) for card in any_card(state))
    if verb is None:
        yield from (Accept(), Keep(), Mulligan(), Clear(), Agree(), Decline(), End(), Passivity())


def _text(state: State, words: Words, depth: int) -> Text:
    """What a word means where it stands: a number belongs to the kind before it."""
    word = words[depth]
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
