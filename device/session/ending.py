"""When a match is over: how it ended, and what may come next."""

from __future__ import annotations

import msgspec

from device.keys import Button, Gesture, Key
from device.screens.screen import Menu, Screen
from device.session.matches import known_of
from device.session.messages import Leave
from device.session.opening import again
from device.session.sight import Result
from device.session.state import Page, Play, Session, Setup
from device.session.table import Table
from device.session.turning import turn
from engine.text import Text, say

replace = msgspec.structs.replace


def answers() -> tuple[Text, ...]:
    """What may come next, in order."""
    return (say("Rematch"), say("New match"))


def handle_key(table: Table, session: Session, play: Play, key: Key) -> Result:
    """One gesture on any panel."""
    if turn(key):
        return replace(session, stage=replace(play, cursor=(play.cursor + turn(key)) % len(answers()))), ()
    if key.button is not Button.CHOOSE or key.gesture is not Gesture.PRESS:
        return session, ()
    if play.cursor == 0:
        session, looks = again(table, session, play)
        return session, (Leave(), *looks)
    return replace(session, stage=Setup(Page.GAME), seen=None), (Leave(),)


def screen(table: Table, play: Play) -> Screen:
    """The same for everybody: a match that is over hides nothing that its view does not hide."""
    known = known_of(table, play)
    result = play.match.result
    text = result.text if result else None
    view = known.game.view(play.match.state, None)
    return Screen(Text(known.spec.title), panels=view.panels, menu=Menu(answers(), play.cursor), prompt=text)
