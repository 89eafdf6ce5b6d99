"""Draws random legal actions without listing them all.

Games on `Rules` drop dead ends instead of proving whole menus.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any, TypeAlias, TypeVar

import msgspec

from engine.game import Game, Words
from engine.grammar import wander
from engine.rules import Command, Rules, Values, Word, grammar, inherits, verb
from engine.table import Seat

S = TypeVar("S", bound=msgspec.Struct)
A = TypeVar("A", bound=msgspec.Struct)

Pick: TypeAlias = "Callable[[int], int]"
"""Returns a number below its argument, uniformly."""

Drawing: TypeAlias = "Callable[[Any, Seat, Values, Pick], Any]"
"""Draws a legal command beginning with these values, or its words with the verb, or None."""


def draw(game: Game[S, A], state: S, seat: Seat, pick: Pick) -> A | None:
    """Draw a legal action of `seat`, with the odds of `engine.grammar.wander`; None if there is none."""
    if not isinstance(game, Rules):
        words = wander(game, state, seat, pick)
        return game.read(state, seat, words) if words else None
    kinds = list(game.asked_actions(state, seat)) if seat in game.actors(state) else []
    while kinds:
        kind = kinds.pop(pick(len(kinds)) if len(kinds) > 1 else 0)
        if not (grammar(kind).closes and any(kind.verb_violations(state, seat))):
            found: Any = _drawing(kind)(state, seat, (), pick)
            if found is not None:
                drawn: A = game.read(state, seat, found) if isinstance(found, tuple) else found
                return drawn
    return None


def sentence(game: Game[S, A], state: S, seat: Seat, pick: Pick) -> Words:
    action = draw(game, state, seat, pick)
    return () if action is None else game.words(state, action)


@cache
def _drawing(kind: type[Command[Any]]) -> Drawing:
    """Return a drawing by candidates; by menus if the class overrides `candidates`, `first` or `menu`, or if an
    optional word follows a required one."""
    words, whole, menus = grammar(kind).words, grammar(kind).searches[-1], partial(_walk_menu, kind)
    nested = inherits(kind, "candidates") and inherits(kind, "first")
    by_menus = not nested or not inherits(kind, "menu")
    said = [not word.optional for word in words]
    if by_menus or said != sorted(said):
        return menus

    def complete(state: Any, seat: Seat, before: Values, _pick: Pick) -> Any:
        return whole(state, seat, before)

    drawing: Drawing = complete
    for word in reversed(words):
        if word.optional:
            drawing = _forced_menu(word, drawing, menus)
        else:
            drawing = _drawn_in_parts(word, drawing) if word.several else _word_menu(word, drawing)
    return drawing


def _word_menu(word: Word[Any, Any], beyond: Drawing) -> Drawing:
    candidates = word.candidates

    def drawing(state: Any, seat: Seat, before: Values, pick: Pick) -> Any:
        offered = list(candidates(state, seat, before))
        while offered:
            value = offered.pop(pick(len(offered)) if len(offered) > 1 else 0)
            found = beyond(state, seat, (*before, value), pick)
            if found is not None:
                return found
        return None

    return drawing


def _drawn_in_parts(word: Word[Any, Any], beyond: Drawing) -> Drawing:
    candidates, write = word.candidates, word.write

    def drawing(state: Any, seat: Seat, before: Values, pick: Pick) -> Any:
        offered = [(write(state, value, before), value) for value in candidates(state, seat, before)]

        def among(offered: list[tuple[Words, Any]], number: int) -> Any:
            items: dict[Words, list[tuple[Words, Any]]] = {}
            for written, value in offered:
                items.setdefault(written[number : number + 1], []).append((written, value))
            left = list(items.values())
            while left:
                alike = left.pop(pick(len(left)) if len(left) > 1 else 0)
                written, value = alike[0]
                whole = len(alike) == 1 or len(written) <= number + 1
                found = beyond(state, seat, (*before, value), pick) if whole else among(alike, number + 1)
                if found is not None:
                    return found
            return None

        return among(offered, 0)

    return drawing


def _forced_menu(word: Word[Any, Any], beyond: Drawing, otherwise: Drawing) -> Drawing:
    candidates = word.candidates

    def drawing(state: Any, seat: Seat, before: Values, pick: Pick) -> Any:
        offered = tuple(candidates(state, seat, before))
        if len(offered) == 1:
            return beyond(state, seat, (*before, *offered), pick)
        return otherwise(state, seat, before, pick)

    return drawing


def _walk_menu(kind: type[Command[Any]], state: Any, seat: Seat, _before: Values, pick: Pick) -> Any:
    command = grammar(kind).searches[0](state, seat, ())
    if command is None or command.is_complete(state, 0):
        return command
    words: Words = ()
    while True:
        offered = tuple(kind.menu(state, seat, words))
        if not offered:
            return None
        chosen = offered[pick(len(offered))]
        words = (*words, chosen.word)
        if chosen.final:
            return (verb(kind), *words)
