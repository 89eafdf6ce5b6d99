"""The end of a match: how it ended, how the evening stands, and what may come next."""

from __future__ import annotations

from functools import partial

import msgspec

from device.keys import Button, Gesture, Key
from device.screens.screen import Menu, Screen
from device.session import evening, names
from device.session.matches import known_of
from device.session.messages import Leave
from device.session.opening import again
from device.session.sight import Result
from device.session.state import Desk, EndPage, Mode, Page, Play, Session, Setup
from device.session.system import MenuLine
from device.session.table import TABLE, Table
from engine.evening import Kind, champions
from engine.table import Seat
from engine.text import Text, say

replace = msgspec.structs.replace


def lines(table: Table, session: Session, play: Play, seat: Seat | None, *, page: bool = False) -> tuple[MenuLine, ...]:
    """What may come next, in order: what does no harm is first. seat: whose panel it is; None: of nobody who plays.
    page: without what a page shows beside the list: the table, the evening's results, and the menu."""

    def shows(text: Text, closing: EndPage) -> tuple[MenuLine, ...]:
        line = MenuLine(text, lambda: (replace(session, stage=replace(play, closing=closing)), ()))
        return () if page else (line,)

    def match(text: Text, *, moved: bool = False) -> MenuLine:
        return MenuLine(text, partial(again, table, session, play, moved=moved))

    def away(text: Text) -> MenuLine:
        return MenuLine(
            text, lambda: (replace(session, stage=Setup(Page.GAME, people=names.seated(play)), seen=None), (Leave(),))
        )

    desks = {**play.desks, seat: Desk(Mode.MENU)} if seat is not None else play.desks
    mending = MenuLine(
        say("Take back or correct"), lambda: (replace(session, stage=replace(play, desks=desks, cursor=0)), ())
    )
    mend = () if page else (mending,)
    look, several = shows(say("Look at the table"), EndPage.TABLE), len(play.match.start.seats) > 1
    stands = evening.stands(play)
    if stands is None:
        moved = (match(say("Rematch, seats changed"), moved=True),) if several else ()
        return (*look, match(say("Rematch")), *moved, away(say("New match")), *mend)
    results = shows(say("The evening's table"), EndPage.EVENING)
    if champions(stands):
        return (*look, *results, match(say("The same evening again")), away(say("New match")), *mend)
    moved = (match(say("Next match, seats changed"), moved=True),) if stands.kind is Kind.SERIES else ()
    return (*look, match(say("Next match")), *moved, *results, *mend, away(say("Leave the evening")))


def answers(table: Table, session: Session, play: Play) -> tuple[Text, ...]:
    """The lines as they are read."""
    return tuple(line.text for line in lines(table, session, play, None))


def concerned(play: Play, seat: Seat, key: Key) -> bool:
    """True if this key is for the page of the result, and not for a menu or a question of the seat."""
    to_menu = key.button is Button.CHOOSE and key.gesture is Gesture.LONG
    return play.desk(seat).mode is Mode.VIEW and not play.asks(seat) and not to_menu


def handle_key(table: Table, session: Session, play: Play, seat: Seat | None, key: Key) -> Result:
    """One gesture on any panel; `seat` None: one that plays no part in this match."""
    found, listed = lines(table, session, play, seat), play.closing is EndPage.MENU
    if key.steps and listed:
        return replace(session, stage=replace(play, cursor=(play.cursor + key.steps) % len(found))), ()
    if key.gesture is not Gesture.PRESS or (key.button is Button.BACK and listed):
        return session, ()
    return found[play.cursor].does() if listed else (replace(session, stage=replace(play, closing=EndPage.MENU)), ())


def screen(table: Table, session: Session, play: Play, name: str) -> Screen:
    """The same for everybody: a match that is over hides nothing that its view does not hide. A display that nobody
    presses at shows the evening's table instead of what may be chosen."""
    known, result, stands = known_of(table, play), play.match.result, evening.stands(play)
    text = result.text if result else None
    status = Text(known.spec.heading) if stands is None else evening.verdict(stands)
    if stands is not None and (play.closing is EndPage.EVENING or (name == TABLE and play.closing is EndPage.MENU)):
        return Screen(status, panels=evening.results(stands), prompt=text if name == TABLE else None)
    if play.closing is EndPage.MENU:
        return Screen(status, menu=Menu(answers(table, session, play), play.cursor), prompt=text)
    return Screen(status, panels=known.game.view(play.match.state, None).panels, prompt=text)
