"""Derives from actions which pieces and places of the mat choose a line of a page's list: the board is the control.

Derived for every game from the trace of the actions that a line stands for. What no trace shows stays in the list."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Any

from device.screens.page_view import Touches
from device.session.sentences import Sentence, sentences
from device.session.state import Play
from engine.cache import per_state
from engine.catalogue import AnyGame
from engine.game import Words
from engine.table import Seat, Trace

FEW = 4
"""Lines that the same touches may stand for: a short sheet asks which is meant."""

MOST = 24
"""Complete actions that are looked at behind a line that goes on."""

NOTHING = Touches()


def touches(play: Play, seat: Seat, lines: Sequence[Sentence | None]) -> tuple[Touches, ...]:
    """Return the touches of each line, in order; () if the board is no good control now.

    lines: an action or its beginning; None for a line that is no action. The board controls a list if
    at most FEW lines share the same touches, for at least half of its actions, and if it shows what the match believes.
    """
    if not play.mat or play.case.differing(play.match) is not None:
        return ()
    found = tuple(
        NOTHING if line is None else _of_line(play.match.state, play.known.game, seat, line.words, final=line.final)
        for line in lines
    )
    shared = Counter(found)
    kept = tuple(each if shared[each] <= FEW else NOTHING for each in found)
    actions = sum(line is not None for line in lines)
    return kept if 2 * sum(each != NOTHING for each in kept) >= max(actions, 1) else ()


@per_state  # pages are made at every step, and most steps leave the state as it is
def _of_line(state: Any, rules: AnyGame, seat: Seat, words: Words, *, final: bool) -> Touches:
    """Return what all actions that begin with these words touch."""
    whole = () if final else sentences(partial(rules.choices, state, seat), words, MOST)
    if len(whole) > MOST or not all(line.final for line in whole):
        return NOTHING
    actions = (rules.read(state, seat, each) for each in ([words] if final else [line.words for line in whole]))
    first, *others = (_of_trace(rules.trace(state, seat, action)) for action in actions)
    return Touches(
        tuple(piece for piece in first.pieces if all(piece in other.pieces for other in others)),
        tuple(place for place in first.places if all(place in other.places for other in others)),
    )


def _of_trace(trace: Trace) -> Touches:
    """Return the pieces in the order in which a hand takes them, and the places that were not theirs."""
    carried = [move.source for move in trace.moves if move.source is not None]
    pieces = dict.fromkeys((*carried, *sorted(trace.turned), *sorted(trace.lifted)))
    targets = [move.target for move in trace.moves if move.target is not None and move.target not in pieces]
    return Touches(
        tuple((spot.zone, spot.index) for spot in pieces),
        tuple((spot.zone, spot.index) for spot in dict.fromkeys(targets)),
    )
