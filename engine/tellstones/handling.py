"""Orders that a hand carries out on the Line, whether it is the time for them or not."""

from __future__ import annotations

from collections.abc import Iterator

from engine.table import Seat
from engine.tellstones.actions import Action, At, Hide, Peek, Place, Swap
from engine.tellstones.state import State, ends, hidden, is_team, partner_of, shown, stone_at


def handling(state: State, seat: Seat) -> Iterator[Place | Hide | Swap | Peek]:
    """Every order of `seat` that moves a stone and would be right if it came in time."""
    for number, mat in enumerate(state.mats):
        for kind in mat.pool:
            for index in ends(state, number):
                yield Place(number, kind, index)
        for one in range(len(mat.line)):
            for two in range(one + 1, len(mat.line)):
                yield Swap(At(number, one), At(number, two))
    for at in shown(state):
        yield Hide(at)
    for at in hidden(state):
        yield Peek(at)
        if is_team(state):
            yield Peek(at, partner_of(state, seat))


def both_hidden(state: State, action: Action) -> bool:
    """True for the exchange of two face-down stones, which nobody but a tracking eye can tell."""
    match action:
        case Swap(At() as one, At() as two):
            return stone_at(state, one).down and stone_at(state, two).down
        case _:
            return False
