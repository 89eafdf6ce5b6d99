"""Notation: words to actions and back (docs/games/runes.md)."""

from __future__ import annotations

from collections.abc import Callable

from engine.errors import Ambiguous, Invalid
from engine.game import Words
from engine.runes.actions import (
    Action,
    Again,
    Cast,
    Counter,
    Decline,
    Draw,
    Enough,
    Forget,
    Keep,
    Lay,
    Mirror,
    Pass,
    Pay,
    Reveal,
    Shuffle,
    Turn,
    Withdraw,
)
from engine.runes.spells import SPELLS
from engine.runes.state import State
from engine.table import Seat
from engine.text import Text, say

JOIN = "+"
"""Between the cards of one word."""

NONE = "none"
"""No card, where some may be chosen."""


def read(state: State, seat: Seat, words: Words) -> Action:
    """The action that the words mean, legal or not; capitals and "with" do not matter. Raises Invalid, Ambiguous."""
    words = tuple(word.lower() for word in words if word.lower() != "with")
    if not words or words[0] not in _READERS:
        known = ", ".join(_READERS)
        raise Invalid(say("{word} is no action. Actions: {known}.", word=words[0] if words else "", known=known))
    return _READERS[words[0]](state, seat, words)


def words_of(action: Action) -> Words:  # noqa: PLR0911 -- one line a case
    """The notation of an action; `read` takes it back."""
    match action:
        case Reveal(card):
            return ("reveal", card)
        case Turn(card):
            return ("turn", card)
        case Pay(card):
            return ("pay", card)
        case Cast():
            return _cast_words(action)
        case Counter(target):
            return ("counter", target)
        case Mirror(caster):
            return ("mirror", caster)
        case Forget(cards):
            return ("forget", joined(cards) if cards else NONE)
        case _:
            return (str(action.__struct_config__.tag),)


def _cast_words(cast: Cast) -> Words:
    """Moons aim at their caster, so no target is written."""
    target = () if SPELLS[cast.spell].rune == "moons" else (cast.target,)
    return ("cast", cast.spell, *target, *((joined(cast.cards),) if cast.cards else ()))


def joined(cards: tuple[str, ...]) -> str:
    """Cards as one word."""
    return JOIN.join(cards)


def _cards(state: State, words: Words) -> tuple[str, ...]:
    """Cards joined in one word or written apart, in the order of the deck's sequence on the table. Raises Invalid."""
    names = [_card(state, name) for word in words for name in word.split(JOIN)]
    if len(set(names)) != len(names):
        raise Invalid(say("A card is written twice: {words}", words=" ".join(words)))
    place = {q.card: n for wizard in state.wizards for n, q in enumerate(wizard.sequence)}
    deck = {name: n for n, name in enumerate(state.deck)}
    return tuple(sorted(names, key=lambda name: (place.get(name, len(place)), deck[name])))


def _card(state: State, name: str) -> str:
    name = name.removeprefix("the-")
    if name not in state.deck:
        raise Invalid(say("{word} is no card of the Decktet. Cards are written so: mountain, light-keeper.", word=name))
    return name


def _seat(state: State, word: str) -> Seat:
    if word not in {wizard.seat for wizard in state.wizards}:
        raise Invalid(say("There is no seat {seat} in this match.", seat=word.upper()))
    return word


_QUESTIONS: dict[str, Text] = {
    "reveal": say("Which card? {verb} {card}", verb="reveal", card="…"),
    "turn": say("Which card? {verb} {card}", verb="turn", card="…"),
    "pay": say("Which card? {verb} {card}", verb="pay", card="…"),
    "forget": say("Which card? {verb} {card}", verb="forget", card="…"),
    "cast": say("Which spell? {verb} {spell}", verb="cast", spell="…"),
    "counter": say("At whom? {verb} {seat}", verb="counter", seat="…"),
    "mirror": say("Whose spell? {verb} {seat}", verb="mirror", seat="…"),
}
"""What is missing after a verb that stands alone."""


def _length(words: Words, least: int, most: int) -> None:
    if len(words) <= least:
        raise Ambiguous(_QUESTIONS[words[0]])
    if len(words) > most + 1:
        raise Invalid(say("Too many words after {verb}: {words}", verb=words[0], words=" ".join(words[1:])))


def _plain(action: Action) -> Callable[[State, Seat, Words], Action]:
    def reader(_state: State, _seat: Seat, words: Words) -> Action:
        _length(words, 0, 0)
        return action

    return reader


def _lay(_state: State, _seat: Seat, words: Words) -> Action:
    """What is laid is unknown: "lay ?" is the same."""
    if len(words) == 2 and words[1] == "?":
        return Lay()
    _length(words, 0, 0)
    return Lay()


def _named(kind: type[Reveal] | type[Turn] | type[Pay]) -> Callable[[State, Seat, Words], Action]:
    def reader(state: State, _seat: Seat, words: Words) -> Action:
        _length(words, 1, 1)
        return kind(_card(state, words[1]))

    return reader


def _aimed(kind: type[Counter] | type[Mirror]) -> Callable[[State, Seat, Words], Action]:
    def reader(state: State, _own: Seat, words: Words) -> Action:
        _length(words, 1, 1)
        return kind(_seat(state, words[1]))

    return reader


def _cast(state: State, seat: Seat, words: Words) -> Action:
    _length(words, 1, 6)
    if words[1] not in SPELLS:
        raise Invalid(say("{word} is no spell. Spells: {known}.", word=words[1], known=", ".join(SPELLS)))
    spell, rest = SPELLS[words[1]], words[2:]
    if spell.rune == "moons":
        rest = rest[1:] if rest[:1] == (seat,) else rest
        if rest and rest[0] in {wizard.seat for wizard in state.wizards}:
            raise Invalid(say("{spell} aims at its caster: no other target can be written.", spell=spell.name))
        return Cast(spell.name, seat, _cards(state, rest))
    if not rest:
        raise Ambiguous(say("At whom? {verb} {seat}", verb=" ".join(words), seat="…"))
    return Cast(spell.name, _seat(state, rest[0]), _cards(state, rest[1:]))


def _forget(state: State, _seat: Seat, words: Words) -> Action:
    _length(words, 1, 4)
    return Forget() if words[1:] == (NONE,) else Forget(_cards(state, words[1:]))


_READERS: dict[str, Callable[[State, Seat, Words], Action]] = {
    "lay": _lay,
    "reveal": _named(Reveal),
    "turn": _named(Turn),
    "keep": _plain(Keep()),
    "again": _plain(Again()),
    "cast": _cast,
    "pass": _plain(Pass()),
    "counter": _aimed(Counter),
    "mirror": _aimed(Mirror),
    "pay": _named(Pay),
    "withdraw": _plain(Withdraw()),
    "enough": _plain(Enough()),
    "forget": _forget,
    "draw": _plain(Draw()),
    "decline": _plain(Decline()),
    "excuse": _plain(Shuffle()),
}
