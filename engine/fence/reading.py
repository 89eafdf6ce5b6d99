"""Notation (docs/games/fence.md): words to an action, legal or not, and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import msgspec

from engine.errors import Ambiguous, Breach, Illegal, Invalid
from engine.fence.actions import (
    UNKNOWN,
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
from engine.fence.cards import KINDS, Weapon
from engine.fence.deck import Face
from engine.fence.names import card_words, kind_of
from engine.fence.state import Offering, State, side_of
from engine.game import Words
from engine.text import Text, say

FARTHEST = 3
"""Squares of the longest move that can be written; more than one is illegal (F19)."""

_Reader: TypeAlias = "Callable[[Cards, State, Words], Action]"


def read(copies: dict[str, str], state: State, words: Words) -> Action:
    """The action that `words` mean.

    copies: the face of each copy, by its id in the deck. Raises Invalid if the words mean nothing, Ambiguous if they
    are not enough, and Illegal for cards that no action lays together.
    """
    if not words:
        raise Ambiguous(say("Which action? {verbs}", verbs=", ".join(_READERS)))
    verb, rest = words[0].lower(), tuple(copies.get(word.upper(), word.lower()) for word in words[1:])
    if verb not in _READERS:
        raise Invalid(say("There is no action {verb}. Actions: {verbs}", verb=words[0], verbs=", ".join(_READERS)))
    return _READERS[verb](Cards(state.pool, copies), state, rest)


class Cards(msgspec.Struct, frozen=True):
    """The faces of the mode's deck by name, and those of all 54 copies by the copy's id."""

    pool: dict[str, Face]
    copies: dict[str, str]

    def has(self, name: str) -> bool:
        """Whether any copy, in this mode or not, shows this face."""
        return name in self.pool or name in self.copies.values()


def words_of(state: State, action: Action) -> Words:  # noqa: PLR0911 -- one line an action
    """The notation of an action."""
    verb = str(action.__struct_config__.tag)
    match action:
        case Move(steps):
            far = (str(abs(steps)),) if abs(steps) > 1 else ()
            return (verb, "forward" if steps > 0 else "back", *far)
        case Change(position):
            return (verb, position.value)
        case Toss(side):
            return (verb, state.seats[side])
        case Exchange(card) | Stall(card) | Distance(card):
            return (verb, *card_words(state.pool, card))
        case Parry(glide) if glide is not None:
            return ("play", *card_words(state.pool, glide), verb)
        case Play():
            return (verb, *_play_words(state.pool, action))
        case _:
            return (verb,)


def _play_words(pool: dict[str, Face], play: Play) -> Words:
    """What goes with a card stands before it: Angulations, then Glide; a Feint before its attack."""
    before = tuple(word for card in (play.boost, play.glide) if card is not None for word in card_words(pool, card))
    own = card_words(pool, play.card)
    if play.attack is not None:
        return (*own, *before, *card_words(pool, play.attack))
    feint = kind_of(pool, play.card) == "feint"
    return (*own, *before, "end") if feint else (*before, *own)


def _simple(action: Action) -> _Reader:
    def reader(_: Cards, _state: State, rest: Words) -> Action:
        _at_most(rest, 0)
        return action

    return reader


def _end(_: Cards, state: State, rest: Words) -> Action:
    """No more in this turn; after a turn of the tutorial: no exchange (F26)."""
    _at_most(rest, 0)
    return Keep() if isinstance(state.phase, Offering) else End()


def _move(_: Cards, _state: State, rest: Words) -> Action:
    _at_most(rest, 2)
    if not rest:
        raise Ambiguous(say("Move forward or back?"))
    if rest[0] not in ("forward", "back"):
        raise Invalid(say("A figure moves forward or back, not {word}.", word=rest[0]))
    number = rest[1] if len(rest) > 1 else "1"
    if number not in {str(squares) for squares in range(1, FARTHEST + 1)}:
        raise Invalid(say("{word} is no number of squares.", word=number))
    return Move(int(number) * (1 if rest[0] == "forward" else -1))


def _weapon(_: Cards, _state: State, rest: Words) -> Action:
    _at_most(rest, 1)
    names = ", ".join(weapon.value for weapon in Weapon)
    if not rest:
        raise Ambiguous(say("Which weapon position? {names}", names=names))
    if rest[0] not in {weapon.value for weapon in Weapon}:
        raise Invalid(say("There is no weapon position {word}. Positions: {names}", word=rest[0], names=names))
    return Change(Weapon(rest[0]))


def _toss(_: Cards, state: State, rest: Words) -> Action:
    _at_most(rest, 1)
    if not rest:
        raise Ambiguous(say("For whom did the coin fall?"))
    if rest[0] not in state.seats:
        raise Invalid(say("Nobody fences at seat {seat}.", seat=rest[0]))
    return Toss(side_of(state, rest[0]))


def _one_card(make: Callable[[str], Action]) -> _Reader:
    """A verb with one card; without one the card was not seen."""

    def reader(known: Cards, _: State, rest: Words) -> Action:
        if rest in ((), (UNKNOWN,)):
            return make(UNKNOWN)
        cards, marks = _items(known, rest)
        if marks or len(cards) != 1:
            raise Invalid(say("One card is meant: {words}", words=" ".join(rest)))
        return make(cards[0])

    return reader


def _play(known: Cards, _: State, rest: Words) -> Action:
    """Cards in any order: what goes with what follows from their kinds."""
    cards, marks = _items(known, tuple(word for word in rest if word != UNKNOWN))
    if not rest or UNKNOWN in rest:
        raise Ambiguous(say("Which card is played?"))
    kinds = {card: kind_of(known.pool, card) for card in cards}
    boosts = [card for card in cards if kinds[card] == "angulations"]
    feints = [card for card in cards if kinds[card] == "feint"]
    others = [card for card in cards if kinds[card] not in ("angulations", "feint")]
    if len(boosts) > 1:
        raise _illegal("F169", say("One card of Angulations goes with a card."))
    if len(feints) > 1:
        raise _illegal("F28", say("One card at a time."))
    boost = boosts[0] if boosts else None
    if "parry" in marks:
        return _parry_with(others, boosts or feints or marks.count("parry") > 1 or "end" in marks)
    if feints:
        return _feint(feints[0], boost, others, marks)
    if marks:
        raise Invalid(say("Only a Feint ends a phrase."))
    return _card(kinds, boost, others)


def _illegal(clause: str, text: Text) -> Illegal:
    return Illegal((Breach(clause, text),))


def _card(kinds: dict[str, str], boost: str | None, others: list[str]) -> Play:
    """A card with its bonuses; Angulations alone are read as the card itself. Two cards at once are an action, too."""
    if not others and boost is not None:
        return Play(boost)
    if len(others) == 1:
        return Play(others[0], boost)
    if len(others) > 2:
        raise _illegal("F28", say("One card at a time."))
    carriers = [card for card in others if kinds[card] != "glide-attack"]
    glides = [card for card in others if kinds[card] == "glide-attack"]
    if carriers and glides:
        return Play(carriers[0], boost, glides[0])
    return Play(others[0], boost, attack=others[1])


def _feint(feint: str, boost: str | None, others: list[str], marks: tuple[str, ...]) -> Play:
    if "end" in marks:
        if others or boost or len(marks) > 1:
            raise Invalid(say("A Feint ends the phrase, or brings another attack."))
        return Play(feint)
    if not others:
        raise Ambiguous(say("Does the Feint end the phrase, or which attack does it bring?"))
    if len(others) > 1:
        raise _illegal("F138", say("A Feint brings one attack."))
    return Play(feint, boost, attack=others[0])


def _parry_with(cards: list[str], extra: object) -> Parry:
    if extra or len(cards) > 1 or (cards and not cards[0].startswith("glide-attack")):
        raise _illegal("F147", say("Only Glide goes with a card-less Parry."))
    return Parry(cards[0] if cards else None)


def _items(known: Cards, rest: Words) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The faces that the words name, also those of other modes (F1), and the words among them that are no cards.

    Raises Ambiguous only if every word is understood, Invalid otherwise.
    """
    cards: list[str] = []
    marks: list[str] = []
    unclear: Ambiguous | None = None
    words = list(rest)
    while words:
        word = words.pop(0)
        if word in ("parry", "end"):
            marks.append(word)
        elif word in KINDS:
            try:
                cards.append(_face(known, word, words))
            except Ambiguous as several:
                unclear = unclear or several
        elif known.has(word):
            cards.append(word)
        else:
            raise Invalid(say("There is no card {word}.", word=word))
    if unclear is not None:
        raise unclear
    return tuple(cards), tuple(marks)


def _face(known: Cards, kind: str, words: list[str]) -> str:
    """The face of a kind with the number that comes next, which is taken; without one the only face of the kind."""
    name = KINDS[kind].name
    if words and known.has(f"{kind}-{words[0]}"):
        return f"{kind}-{words.pop(0)}"
    if words and words[0].isdigit():
        raise Invalid(say("There is no {card} of speed {number}.", card=name, number=words[0]))
    found = [face for face in known.pool if kind_of(known.pool, face) == kind]
    if len(found) > 1:
        raise Ambiguous(say("Which {card}? Say its speed.", card=name))
    return found[0] if found else kind


def _at_most(rest: Words, count: int) -> None:
    if len(rest) > count:
        raise Invalid(say("Too many words: {words}", words=" ".join(rest[count:])))


_READERS: dict[str, _Reader] = {
    "move": _move,
    "weapon": _weapon,
    "exchange": _one_card(Exchange),
    "stall": _one_card(Stall),
    "retreat": _simple(Retreat()),
    "end": _end,
    "play": _play,
    "parry": _simple(Parry()),
    "distance": _one_card(Distance),
    "accept": _simple(Accept()),
    "clear": _simple(Clear()),
    "keep": _simple(Keep()),
    "mulligan": _simple(Mulligan()),
    "passivity": _simple(Passivity()),
    "agree": _simple(Agree()),
    "decline": _simple(Decline()),
    "toss": _toss,
}
