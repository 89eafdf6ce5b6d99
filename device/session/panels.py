"""Whose a panel is: its own seat's, or, for the shared one, whoever has to press next."""

from __future__ import annotations

import msgspec

from device.keys import Button, Gesture, Key
from device.session import consent
from device.session.matches import known_of
from device.session.state import Play
from device.session.table import SHARED, Table
from engine.table import Seat

replace = msgspec.structs.replace


def sharing(table: Table, play: Play) -> tuple[Seat, ...]:
    """Seats of the match that use the shared panel."""
    return tuple(seat for seat in play.match.start.seats if table.desk_of(seat) == SHARED)


def handed(table: Table, play: Play) -> Play:
    """The play with the shared panel in the right hands. What was private goes dark when it changes hands."""
    holder = _holder(table, play)
    if holder == play.holder:
        return play
    return replace(play, holder=holder, held=False)


def presser(play: Play, key: Key) -> Seat | None:
    """The seat that pressed; None if that panel plays no part in this match."""
    seat = play.holder if key.seat is None else key.seat
    return seat if seat in play.match.start.seats else None


def holding(play: Play, key: Key) -> Play:
    """BACK of the shared panel goes down or up: private text shows meanwhile."""
    if key.seat is not None or key.button is not Button.BACK:
        return play
    if key.gesture is Gesture.DOWN:
        return replace(play, held=True)
    return replace(play, held=False) if key.gesture is Gesture.UP else play


def _holder(table: Table, play: Play) -> Seat | None:
    mine = sharing(table, play)
    if not mine:
        return None
    wanted: tuple[Seat, ...] = ()
    if play.question is not None:
        wanted = (play.question.seat,)
    elif play.proposal is not None:
        wanted = consent.missing(play, play.proposal)
    elif play.match.result is None:
        wanted = tuple(sorted(known_of(table, play).game.actors(play.match.state)))
    able = tuple(seat for seat in wanted if seat in mine)
    if able and play.holder not in able:
        return able[0]
    return play.holder if play.holder in mine else mine[0]
