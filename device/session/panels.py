"""Decides who holds a shared panel: usually the player who must press next."""

from __future__ import annotations

from typing import Any

import msgspec

from device.key_gestures import Button, Gesture, Key
from device.session.matches import LiveMatch, over, secret_menus, shown_state
from device.session.state import PanelMode, Play, Session, SharedPanel
from device.session.table import SHARED
from engine.table import Seat

replace = msgspec.structs.replace


def sharing(live: LiveMatch) -> tuple[Seat, ...]:
    """Return the match's seats with neither a panel nor a phone."""
    seats, phones = live.play.match.start.seats, live.session.phones
    return tuple(seat for seat in seats if live.table.display_of(seat) == SHARED and seat not in phones)


def hand_over(live: LiveMatch, before: Session, *, pressed: bool) -> LiveMatch:
    """Give the shared panel to the next presser, unless its holder has unread news or got it by wish.

    before: previous session. pressed: its button caused the step.
    """
    mine = sharing(live)
    if not mine:
        return live if live.play.shared == SharedPanel() else live.replace(shared=SharedPanel())
    if live.play.shared.holder is not None and live.play.shared.holder not in mine:
        live = _with(live, sticky=False, news=())
    if isinstance(before.stage, Play) and before.stage.match.start is live.play.match.start:
        live = _with_news(live, before.stage, pressed=pressed)
    if over(live.play):
        live = _with(live, dark=False, news=(), sticky=False)
    if live.play.shared.sticky or live.play.shared.news:
        return live
    holder = next_holder(live)
    return live if holder == live.play.shared.holder else passed_to(live, holder)


def passed_to(live: LiveMatch, holder: Seat | None) -> LiveMatch:
    """Give the panel to another seat; with secret menus dark until taken."""
    dark = secret_menus(live.play) and not over(live.play)
    return _with(live, holder=holder, held=False, acted=False, dark=dark, news=())


def presser(play: Play, key: Key) -> Seat | None:
    """Return the seat that pressed; None if the panel plays no part."""
    seat = play.shared.holder if key.seat is None else key.seat
    return seat if seat in play.match.start.seats else None


def holding(live: LiveMatch, key: Key, *, stood: bool) -> LiveMatch:
    """Show private text while BACK is held. stood: the offer was readable, so nobody holds through a handover."""
    if key.seat is not None or key.button is not Button.BACK:
        return live
    if key.gesture is Gesture.DOWN:
        return _with(live, held=stood or not live.play.shared.dark)
    return _with(live, held=False) if key.gesture is Gesture.UP else live


def take_over(live: LiveMatch, key: Key) -> LiveMatch | None:
    """Return the match if this key takes or passes the shared panel, or does nothing while it is dark; else None."""
    if key.seat is not None:
        return None
    shared, chosen = live.play.shared, key.button is Button.CHOOSE and key.gesture is Gesture.PRESS
    if shared.dark:
        takes = chosen or (key.button is Button.BACK and key.gesture is Gesture.LONG and shared.held)
        return _with(live, dark=False) if takes else live
    return _with(live, news=()) if chosen and waits_for(live) is not None else None


def waits_for(live: LiveMatch) -> Seat | None:
    """Return the seat that gets the panel once its holder has read the news; None without news or another seat."""
    play, holder = live.play, live.play.shared.holder
    if (
        not play.shared.news
        or holder is None
        or play.menu_state(holder).mode is not PanelMode.VIEW
        or play.asks(holder)
    ):
        return None
    following = next_holder(live)
    return None if following == holder else following


def next_holder(live: LiveMatch) -> Seat | None:
    """Return the seat that must press next at the shared panel, else its holder; None if none shares it."""
    play, mine = live.play, sharing(live)
    if not mine:
        return None
    wanted: tuple[Seat, ...] = ()
    if play.case.question is not None:
        wanted = (play.case.question.seat,)
    elif play.proposal is not None:
        wanted = play.missing
    elif not over(play):
        wanted = tuple(sorted(play.known.game.actors(shown_state(play.match))))
    able = tuple(seat for seat in wanted if seat in mine)
    if able and play.shared.holder not in able:
        return able[0]
    return play.shared.holder if play.shared.holder in mine else mine[0]


def _with_news(live: LiveMatch, before: Play, *, pressed: bool) -> LiveMatch:
    play = live.play
    fresh = [told for told in play.told[len(before.told) :] if told.reveals]
    news = tuple(told.text for told in fresh if told.audience is not None and play.shared.holder in told.audience)
    happened = play.match is not before.match
    if happened or play.case.question != before.case.question or play.proposal != before.proposal:
        live = _with(live, sticky=False)
    acted = play.shared.acted or (pressed and play.match.state is not before.match.state)
    return _with(live, acted=acted, news=news if news or happened else play.shared.news)


def _with(live: LiveMatch, **changes: Any) -> LiveMatch:
    shared = replace(live.play.shared, **changes)
    return live if shared == live.play.shared else live.replace(shared=shared)
