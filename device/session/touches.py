"""Which pieces and places of the mat a finger touches to choose a line of a page's list: the board is the control.

Derived for every game from the trace of the actions that a line stands for. What no trace shows stays in the list.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from device.screens.page_view import Touches
from device.session.sentences import Choices, Sentence, sentences
from device.session.state import Play
from engine.game import Words
from engine.table import Seat, Trace

FEW = 4
"""Lines that the same touches may stand for: a short sheet asks which is meant."""

MOST = 24
"""Complete actions that are looked at behind a line that goes on."""

NOTHING = Touches()


def touches(play: Play, seat: Seat, choices: Choices, lines: Sequence[Sentence | None]) -> tuple[Touches, ...]:
    """Return the touches of each line, in order; () if the board is no good control now.

    lines: an action or its beginning; None for a line that is no action. The board controls a list if
    at most FEW lines share the same touches, for at least half of its actions, and if it shows what the match believes.
    """
    if play.case.differing(play.match) is not None:
        return ()
    found = tuple(NOTHING if line is None else _of_line(play, seat, choices, line) for line in lines)
    shared = Counter(found)
    kept = tuple(each if shared[each] <= FEW else NOTHING for each in found)
    actions = sum(line is not None for line in lines)
    return kept if 2 * sum(each != NOTHING for each in kept) >= max(actions, 1) else ()


def _of_line(play: Play, seat: Seat, choices: Choices, begun: Sentence) -> Touches:
    """Return what all actions that begin so touch."""
    whole = (begun,) if begun.final else sentences(choices, begun.words, MOST)
    if len(whole) > MOST or not all(line.final for line in whole):
        return NOTHING
    first, *others = (_of_trace(_trace(play, seat, line.words)) for line in whole)
    return Touches(
        tuple(piece for piece in first.pieces if all(piece in other.pieces for other in others)),
        tuple(place for place in first.places if all(place in other.places for other in others)),
    )


def _trace(play: Play, seat: Seat, words: Words) -> Trace:
    rules, state = play.known.game, play.match.state
    return rules.trace(state, seat, rules.read(state, seat, words))


def _of_trace(trace: Trace) -> Touches:
    """Return the pieces in the order in which a hand takes them, and the places that were not theirs."""
    carried = [move.source for move in trace.moves if move.source is not None]
    pieces = dict.fromkeys((*carried, *sorted(trace.turned), *sorted(trace.lifted)))
    targets = [move.target for move in trace.moves if move.target is not None and move.target not in pieces]
    return Touches(
        tuple((spot.zone, spot.index) for spot in pieces),
        tuple((spot.zone, spot.index) for spot in dict.fromkeys(targets)),
    )
