"""The end of a match: how it ended, and what may come next."""

from __future__ import annotations

import msgspec

from device.keys import Button, Gesture, Key
from device.screens.screen import Menu, Screen
from device.session.matches import known_of
from device.session.messages import Leave
from device.session.opening import again
from device.session.sight import Result
from device.session.state import Desk, Mode, Page, Play, Session, Setup
from device.session.table import Table
from device.session.turning import turn
from engine.table import Seat
from engine.text import Text, say

replace = msgspec.structs.replace


def answers() -> tuple[Text, ...]:
    """What may come next, in order: what does no harm is first."""
    return (say("Look at the table"), say("Rematch"), say("New match"), say("Take back or correct"))


def concerned(play: Play, seat: Seat, key: Key) -> bool:
    """True if this key is for the page of the result, and not for a menu or a question of the seat."""
    to_menu = key.button is Button.CHOOSE and key.gesture is Gesture.LONG
    return play.desk(seat).mode is Mode.VIEW and not play.asks(seat) and not to_menu


def handle_key(table: Table, session: Session, play: Play, seat: Seat | None, key: Key) -> Result:
    """One gesture on any panel; `seat` None: one that plays no part in this match."""
    if turn(key) and not play.looking:
        return replace(session, stage=replace(play, cursor=(play.cursor + turn(key)) % len(answers()))), ()
    if key.gesture is not Gesture.PRESS or (key.button is Button.BACK and not play.looking):
        return session, ()
    if play.looking or play.cursor == 0:
        return replace(session, stage=replace(play, looking=not play.looking)), ()
    if play.cursor == 1:
        session, looks = again(table, session, play)
        return session, (Leave(), *looks)
    if play.cursor == 2:
        return replace(session, stage=Setup(Page.GAME), seen=None), (Leave(),)
    desks = {**play.desks, seat: Desk(Mode.MENU)} if seat is not None else play.desks
    return replace(session, stage=replace(play, desks=desks, cursor=0)), ()


def screen(table: Table, play: Play) -> Screen:
    """The same for everybody: a match that is over hides nothing that its view does not hide."""
    known = known_of(table, play)
    result = play.match.result
    text = result.text if result else None
    view = known.game.view(play.match.state, None)
    menu = None if play.looking else Menu(answers(), play.cursor)
    return Screen(Text(known.spec.heading), panels=view.panels, menu=menu, prompt=text)
