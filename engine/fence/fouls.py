"""Illegal actions that a hand could do all the same, each with every clause that it breaks."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from engine.errors import Breach
from engine.fence import bout, hands, phrase, play, stamina, turn
from engine.fence.bout import Order, Over, State, Turn, with_fencer
from engine.fence.cards import OF_MODE
from engine.fence.clearing import cleared, is_joker, joker_stays_out
from engine.fence.phrase import MUST_ANSWER, Clearing, Phrase
from engine.fence.play import plain_plays, plays
from engine.fence.stamina import price, regains_none, unearned, unpaid
from engine.fence.table import TRACK, difference, layout, marker_left, marker_put, track
from engine.fence.turn import discarding, handling
from engine.game import ANYTHING, Attempt, Look
from engine.table import Trace
from engine.text import say


def fouls(state: State, look: Look = ANYTHING) -> Iterator[Attempt]:
    """What could be done wrongly now."""
    if isinstance(state.phase, Over):
        return
    yield from _unpaid(state, look)
    asked = state.phase.sides(state)
    for side in (*asked, *(other for other in (0, 1) if other not in asked)):
        yield from _illegal(state, side, look)
        yield from _stamina_taken(state, side, look)
    yield from _cleared_wrongly(state)


def _deeds(state: State, side: int) -> Iterator[Order]:
    """What a hand can do with figure, weapon marker and cards, apart from bonuses."""
    yield from handling(state, side)
    yield from plays(state)
    yield from discarding(state)


def _illegal(state: State, side: int, look: Look) -> Iterator[Attempt]:
    seat = state.seats[side]
    for action in _deeds(state, side):
        if not action.is_hinted(state, side, look):
            continue
        table = action.physical(state, side)
        if not look.passes(layout(table)):
            continue
        breaches = action.judge(state, seat)
        if not breaches:
            continue
        seen = difference(state, table, frozenset({seat}))
        if not seen.unseen:
            kind = _kind(state, side, breaches)
            yield Attempt(kind, seat, seen, breaches, action.notation(state), action.deed(state, side))


_IMPOSSIBLE = "impossible card"

_KINDS = {
    **dict.fromkeys((OF_MODE, *hands.UNHELD), _IMPOSSIBLE),
    **bout.FOULS,
    **turn.FOULS,
    **phrase.FOULS,
    **stamina.FOULS,
    **play.FOULS,
}
"""A name for the first clause that is broken, if another name does not come first."""


def _kind(state: State, side: int, breaches: tuple[Breach, ...]) -> str:
    if any(_KINDS.get(breach.clause) == _IMPOSSIBLE for breach in breaches):
        return _IMPOSSIBLE
    match state.phase:
        case Phrase() if breaches[0].clause == MUST_ANSWER:
            return "skipping an answer"
        case Clearing():
            return "table not in order"
        case phase if side not in phase.sides(state):
            return "out of turn"
        case _:
            return _KINDS.get(breaches[0].clause, "wrong card")


def _unpaid(state: State, look: Look) -> Iterator[Attempt]:
    """A legal card whose stamina points were not taken off the track."""
    if not isinstance(state.phase, Turn | Phrase):
        return
    for side in state.phase.sides(state):
        seat = state.seats[side]
        for card in plain_plays(state):
            seen = card.is_hinted(state, side, look) and price(state, card.cards())
            if seen and card.is_legal(state, side):
                table = card.after(state, seat)
                left = with_fencer(table, side, replace(table.fencers[side], stamina=state.fencers[side].stamina))
                yield Attempt("unpaid", seat, _by(state, side, left), (unpaid(),), what=marker_left(side))


def _stamina_taken(state: State, side: int, look: Look) -> Iterator[Attempt]:
    """Points on the track that nothing gave."""
    if not look.only(track(side)):
        return
    fencer = state.fencers[side]
    for points in range(fencer.stamina + 1, min(TRACK, fencer.stamina + 2) + 1):
        seen = _by(state, side, with_fencer(state, side, replace(fencer, stamina=points)))
        yield Attempt("stamina taken", state.seats[side], seen, (unearned(side),), what=marker_put(side, points))


def _cleared_wrongly(state: State) -> Iterator[Attempt]:
    """A Joker kept, or a point regained by who had spent some."""
    phase = state.phase
    if not isinstance(phase, Clearing) or phase.phrase is None:
        return
    seat = state.seats[state.active]
    right = cleared(state, phase)
    kept = tuple(card for card in right.piles.discards if not is_joker(state, card))
    if any(is_joker(state, card) for fencer in state.fencers for card in fencer.lane) and kept != right.piles.discards:
        table = replace(right, piles=replace(right.piles, discards=state.piles.discards))
        what = say("A Joker went back into the hand.")
        yield Attempt("Joker kept", seat, difference(state, table), (joker_stays_out(),), what=what)
    if any(phase.touches) and state.rules.variant.stamina:
        for side in (0, 1):
            fencer = right.fencers[side]
            if phase.phrase.spent[side] and fencer.stamina < TRACK:
                table = with_fencer(right, side, replace(fencer, stamina=fencer.stamina + 1))
                what = marker_put(side, fencer.stamina + 1)
                seen = difference(state, table)
                yield Attempt("stamina taken", state.seats[side], seen, (regains_none(side),), what=what)


def _by(state: State, side: int, table: State) -> Trace:
    return difference(state, table, frozenset({state.seats[side]}))
