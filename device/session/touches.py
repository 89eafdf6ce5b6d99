"""Derives the drawn things that a finger touches for each action: the picture is the control, for every game.

An action is touched at the things that its words mean (`engine.game.Choice.means`); if none is drawn, at its trace's
pieces and places. Other words are asked for only where several actions fit."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import groupby
from typing import Any, TypeAlias

import msgspec

from device.screens.page_view import CardRow, Pattern, TouchMoves
from device.session.matches import view_of
from device.session.sentences import Sentence, sentences
from device.session.state import Play
from engine.catalogue import AnyGame
from engine.errors import Refusal
from engine.game import Choice, Words, per_state
from engine.grammar import phrase_words
from engine.table import Seat, Spot, Trace
from engine.text import Text, say
from engine.view import DrawnThing, NamedCard, Ring, RingSector

MOST_MOVES = 600
"""Actions that a page offers by touch; Planet X has about 400. Those beyond are chosen in the list, word by word."""

Able: TypeAlias = "frozenset[Words] | None"
"""Beginnings of the actions that a seat's cards allow; None if unknown."""


class Moves(msgspec.Struct, frozen=True, eq=False):
    """All actions of a list. Equal only to itself, for fast caching."""

    found: tuple[Sentence, ...] = ()


def able_choices(state: Any, rules: AnyGame, seat: Seat, able: Able, words: Words) -> tuple[Choice, ...]:
    """Return the words that may follow and the seat's cards allow."""
    found = rules.choices(state, seat, words)
    return found if able is None else tuple(each for each in found if (*words, each.word) in able)


@per_state  # pages are made at every step; most leave the state
def moves_after(state: Any, rules: AnyGame, seat: Seat, able: Able, words: Words, path: tuple[Text, ...]) -> Moves:
    """Return the actions that begin with `words`, whose texts are `path`; beyond MOST_MOVES only beginnings."""
    lines = sentences(partial(able_choices, state, rules, seat, able), words, MOST_MOVES)
    return Moves(tuple(msgspec.structs.replace(line, path=(*path, *line.path)) for line in lines))


def touch_moves(play: Play, seat: Seat, moves: Moves) -> TouchMoves:
    """Return `moves` by the things to touch, as far as the seat's page draws them."""
    mat = bool(play.mat) and play.case.differing(play.match) is None
    ring = any(isinstance(panel, Ring) for panel in view_of(play, seat).panels)
    return moves_on_page(play.match.state, play.known.game, seat, moves, mat=mat, ring=ring)


@per_state
def moves_on_page(state: Any, rules: AnyGame, seat: Seat, moves: Moves, *, mat: bool, ring: bool) -> TouchMoves:
    """Return `moves` by the things to touch. mat, ring: the page draws the mat, a ring of sectors."""
    things, words, patterns = dict[str, int](), dict[Text, int](), dict[Pattern, int]()
    found = []
    for move in moves.found:
        pattern = _pattern(move, _clause(state, rules, seat, move))
        touched = tuple(dict.fromkeys(_keys(state, rules, seat, move, mat=mat, ring=ring)))
        found.append(
            (
                patterns.setdefault(pattern, len(patterns)),
                tuple(words.setdefault(word, len(words)) for word in move.path[1:]),
                tuple(things.setdefault(key, len(things)) for key in touched),
            )
        )
    return TouchMoves(tuple(things), tuple(words), tuple(patterns), tuple(found), _card_rows(moves, things))


def _card_rows(moves: Moves, things: dict[str, int]) -> tuple[CardRow, ...]:
    drawn = dict.fromkeys(thing for move in moves.found for thing in move.drawn if isinstance(thing, NamedCard))
    rows = groupby(sorted(drawn, key=lambda card: (card.row, card.column)), key=lambda card: (card.row, card.heading))
    return tuple(CardRow(tuple(things[f"={card.kind}"] for card in row), heading) for (_, heading), row in rows)


def _clause(state: Any, rules: AnyGame, seat: Seat, move: Sentence) -> str:
    """Return an action's first clause; "" while its words leave it open."""
    try:
        return next(iter(rules.clauses(state, seat, move.words)), "")
    except Refusal:
        return ""


def _pattern(move: Sentence, clause: str) -> Pattern:
    slots = [f"{{{number}}}" for number in range(1, len(move.path))]
    said = phrase_words((move.path[0], *slots))
    text = said if move.final else say("{words} …", words=said)
    return Pattern(phrase_words(move.path[:1]), text, move.costs, clause)


def _keys(state: Any, rules: AnyGame, seat: Seat, move: Sentence, *, mat: bool, ring: bool) -> Iterator[str]:
    drawn = [key for thing in move.drawn if (key := thing_key(thing, mat=mat, ring=ring))]
    if drawn or not move.final or not mat:
        yield from drawn
    else:
        yield from _of_trace(rules.trace(state, seat, rules.read(state, seat, move.words)))


def thing_key(thing: DrawnThing, *, mat: bool, ring: bool) -> str:
    """Return a thing's key on a page that draws the mat or a ring; "" if it isn't drawn."""
    match thing:
        case Spot():
            return f"{thing.zone}/{thing.index}" if mat else ""
        case RingSector():
            return f"#{thing.number}" if ring else ""
        case NamedCard():
            return f"={thing.kind}"


def _of_trace(trace: Trace) -> Iterator[str]:
    """Yield the pieces as a hand takes them, then the places newly occupied."""
    carried = [move.source for move in trace.moves if move.source is not None]
    pieces = dict.fromkeys((*carried, *sorted(trace.turned), *sorted(trace.lifted)))
    for spot in pieces:
        yield f"{spot.zone}/{spot.index}"
    for move in trace.moves:
        if move.target is not None and move.target not in pieces:
            yield f">{move.target.zone}/{move.target.index}"
