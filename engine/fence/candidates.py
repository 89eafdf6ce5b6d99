"""Actions with cards that may be legal, in the order of the menus; `is_legal` says which of them are."""

from __future__ import annotations

from collections.abc import Iterator

from engine.fence.actions import UNKNOWN, Parry, Play
from engine.fence.cards import ATTACKS, PARRIES
from engine.fence.phrase.answers import defended
from engine.fence.phrase.state import Phrase
from engine.fence.phrase.table import row
from engine.fence.state import State


def faces_of(state: State, *kinds: str) -> tuple[str, ...]:
    """The faces of some kinds, in the order of the deck."""
    return tuple(name for name, face in state.pool.items() if face.kind in kinds)


def any_card(state: State) -> tuple[str, ...]:
    """Every face, and a card that was not seen."""
    return (*state.pool, UNKNOWN)


def openings(state: State) -> Iterator[Play]:
    """First cards, each alone and with Angulations."""
    for attack in faces_of(state, *ATTACKS):
        for boost in _boosts(state):
            yield Play(attack, boost)


def answers(state: State, phrase: Phrase) -> Iterator[Play | Parry]:
    """Cards that answer, and those that may follow a defence."""
    if phrase.incoming is not None:
        wanted = row(state.rules, phrase.incoming)
        for card in faces_of(state, *wanted.cards):
            yield from _with_bonus(state, card)
        if wanted.parry:
            for glide in faces_of(state, "glide-attack"):
                yield Parry(glide)
    if defended(phrase):
        yield from (Play(card) for card in faces_of(state, "renewed-attack"))
        yield from _feints(state)


def _with_bonus(state: State, card: str) -> Iterator[Play]:
    kind = state.pool[card].kind
    glides = (None, *faces_of(state, "glide-attack")) if kind in PARRIES else (None,)
    for boost in _boosts(state) if state.pool[card].speed is not None else (None,):
        for glide in glides:
            yield Play(card, boost, glide)


def _feints(state: State) -> Iterator[Play]:
    for feint in faces_of(state, "feint"):
        yield Play(feint)
        for attack in faces_of(state, *ATTACKS):
            for boost in _boosts(state):
                yield Play(feint, boost, attack=attack)


def _boosts(state: State) -> tuple[str | None, ...]:
    return (None, *faces_of(state, "angulations"))
