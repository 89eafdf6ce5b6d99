"""Who owns a panel: its own seat, or, for a shared panel, whoever has to press next."""

from __future__ import annotations

from typing import Any

import msgspec

from device.keys import Button, Gesture, Key
from device.session.matches import known_of, over, secret_menus, shown_state
from device.session.state import Mode, Play, Session, SharedPanel
from device.session.table import SHARED, Table
from engine.table import Seat

replace = msgspec.structs.replace


def sharing(table: Table, session: Session, play: Play) -> tuple[Seat, ...]:
    """Seats of the match that use the shared panel: those that have neither a panel of their own nor a phone."""
    return tuple(
        seat for seat in play.match.start.seats if table.desk_of(seat) == SHARED and seat not in session.phones
    )


def handed(table: Table, before: Session, session: Session, play: Play, *, pressed: bool) -> Play:
    """The play with the shared panel in the right hands.

    It stays with whoever has just learned something alone, until that is read, and with whom it was handed to by wish,
    until something happens. Where menus hold secrets it goes dark when it changes hands. before: a step ago. pressed:
    a button of this panel led here.
    """
    mine = sharing(table, session, play)
    if not mine:
        return play if play.shared == SharedPanel() else replace(play, shared=SharedPanel())
    if play.shared.holder is not None and play.shared.holder not in mine:
        play = _with(play, sticky=False, news=())
    if isinstance(before.stage, Play) and before.stage.match.start is play.match.start:
        play = _with_news(before.stage, play, pressed=pressed)
    if over(play):
        play = _with(play, dark=False, news=(), sticky=False)
    if play.shared.sticky or play.shared.news:
        return play
    holder = next_holder(table, session, play)
    return play if holder == play.shared.holder else passed_to(table, play, holder)


def passed_to(table: Table, play: Play, holder: Seat | None) -> Play:
    """The panel goes to another seat, which has to take it before anything of its own shows. So it does when a match
    begins and at power-on: nobody knows in whose hands it is."""
    dark = secret_menus(known_of(table, play), play) and not over(play)
    return _with(play, holder=holder, held=False, acted=False, dark=dark, news=())


def presser(play: Play, key: Key) -> Seat | None:
    """The seat that pressed; None if that panel plays no part in this match."""
    seat = play.shared.holder if key.seat is None else key.seat
    return seat if seat in play.match.start.seats else None


def holding(play: Play, key: Key, *, stood: bool) -> Play:
    """BACK of the shared panel goes down or up: private text shows meanwhile. stood: what the panel shows could be read
    by then; whoever still holds it on while it goes to another hand shall not see what is the other's."""
    if key.seat is not None or key.button is not Button.BACK:
        return play
    if key.gesture is Gesture.DOWN:
        return _with(play, held=stood or not play.shared.dark)
    return _with(play, held=False) if key.gesture is Gesture.UP else play


def taken(table: Table, session: Session, play: Play, key: Key) -> Play | None:
    """What a key of the shared panel does while it changes hands; None if it does not."""
    if key.seat is not None:
        return None
    chosen = key.button is Button.CHOOSE and key.gesture is Gesture.PRESS
    if play.shared.dark:
        takes = chosen or (key.button is Button.BACK and key.gesture is Gesture.LONG and play.shared.held)
        return _with(play, dark=False) if takes else play
    if chosen and waits_for(table, session, play) is not None:
        return _with(play, news=())
    return None


def waits_for(table: Table, session: Session, play: Play) -> Seat | None:
    """Who gets the shared panel once its holder has read what is new; None if it stays."""
    holder = play.shared.holder
    if not play.shared.news or holder is None or play.desk(holder).mode is not Mode.VIEW or play.asks(holder):
        return None
    following = next_holder(table, session, play)
    return None if following == holder else following


def next_holder(table: Table, session: Session, play: Play) -> Seat | None:
    """Who has to press next at the shared panel."""
    mine = sharing(table, session, play)
    if not mine:
        return None
    wanted: tuple[Seat, ...] = ()
    if play.case.question is not None:
        wanted = (play.case.question.seat,)
    elif play.proposal is not None:
        wanted = play.missing
    elif not over(play):
        wanted = tuple(sorted(known_of(table, play).game.actors(shown_state(play.match))))
    able = tuple(seat for seat in wanted if seat in mine)
    if able and play.shared.holder not in able:
        return able[0]
    return play.shared.holder if play.shared.holder in mine else mine[0]


def _with_news(before: Play, play: Play, *, pressed: bool) -> Play:
    """What the holder of the panel alone learned of the step, and whether it acted."""
    fresh = [told for told in play.told[len(before.told) :] if told.reveals]
    news = tuple(told.text for told in fresh if told.audience is not None and play.shared.holder in told.audience)
    happened = play.match is not before.match
    if happened or play.case.question != before.case.question or play.proposal != before.proposal:
        play = _with(play, sticky=False)
    acted = play.shared.acted or (pressed and play.match.state is not before.match.state)
    return _with(play, acted=acted, news=news if news or happened else play.shared.news)


def _with(play: Play, **changes: Any) -> Play:
    """The very same play if nothing changes."""
    shared = replace(play.shared, **changes)
    return play if shared == play.shared else replace(play, shared=shared)
