"""Phones at the table: before a match a page of the set-up, in it a line of the menu; each shows the code of one seat.

A seat that has no phone has its code at all times. One that has got one gets another code when it asks for it, or when
the others agree that it needs one; its phone keeps the seat until that code is used. A code shows only where those read
it who may give the seat away (law 5).
"""

from __future__ import annotations

import msgspec

from device.screens.screen import Screen
from device.session.matches import LiveMatch
from device.session.messages import Dismiss, Effect, Invite
from device.session.state import Item, MenuState, PanelMode, Play, Session, Setup, SetupPage, owner_of, page_of
from device.session.table import SHARED, Table
from engine.table import Seat
from engine.text import Text, say, seat_of, who

replace = msgspec.structs.replace
WISHES: tuple[tuple[Text, type[Invite] | type[Dismiss]], ...] = (
    (say("Another phone"), Invite),
    (say("Without a phone"), Dismiss),
)
"""What a seat that has a phone may wish for, in order."""


def entrance(table: Table, setup: Setup) -> tuple[Item, ...]:
    """The way to the page of phones, if one may take a seat."""
    return (Item(say("Phones"), replace(setup, page=SetupPage.PHONES, cursor=0)),) if _seats(table) else ()


def title(setup: Setup) -> Text:
    """Return the title of one of these pages."""
    return seat_of(setup.phone) if setup.page is SetupPage.PHONE else say("Phones")


def items(table: Table, session: Session, setup: Setup) -> tuple[Item, ...]:
    """The seats, those with a phone named as such; of one seat what it may wish for, nothing while its code shows."""
    if setup.page is SetupPage.PHONE:
        shows = setup.phone in session.invited
        return () if shows else tuple(Item(text, setup) for text, _ in WISHES)
    return tuple(
        Item(_seat_name(session, seat), replace(setup, page=SetupPage.PHONE, phone=seat, cursor=0))
        for seat in _seats(table)
    )


def _seats(table: Table) -> tuple[Seat, ...]:
    return tuple(seat for seat in table.seats if table.by_phone(seat))


def _seat_name(session: Session, seat: Seat) -> Text:
    return say("{seat}: by phone", seat=seat_of(seat)) if seat in session.phones else seat_of(seat)


def wish(session: Session, seat: Seat, place: int) -> tuple[Session, tuple[Effect, ...]]:
    """Carry out a wish for a seat's phone, by its place among WISHES."""
    return session, (WISHES[place][1](seat),)


def screen(session: Session, seat: Seat, alert: Text | None = None) -> Screen | None:
    """The code of a seat on a display; None if it has none just now."""
    address = session.invited.get(seat)
    if address is None:
        return None
    return Screen(seat_of(seat), prompt=say("Scan with a phone."), alert=alert, code=address)


def show_code(play: Play, panel: str) -> Seat | None:
    """The seat whose code a panel shows during a match, or is asked about."""
    menu_state = play.menu_state(panel)
    return menu_state.words[0] if menu_state.mode is PanelMode.PHONE else None


def asked_code(seat: Seat) -> MenuState:
    """A panel on which the phone of a seat is asked about."""
    return MenuState(PanelMode.PHONE, words=(seat,))


def show_agreed_code(live: LiveMatch, by: Seat, seat: Seat) -> LiveMatch:
    """Show the code of a seat that needs another phone, as all agreed, where that was proposed."""
    return live.put(by, asked_code(seat)).put(page_of(by), asked_code(seat))


def invite(session: Session, addresses: dict[Seat, str]) -> Session:
    """The codes are these now. Who helped another seat to a phone has done so once its code is used."""
    session, play = replace(session, invited=addresses), session.stage
    if not isinstance(play, Play):
        return session
    done = [p for p in play.desks if (seat := show_code(play, p)) and seat not in addresses and seat != owner_of(p)]
    return (
        replace(session, stage=replace(play, desks=play.desks | dict.fromkeys(done, MenuState()))) if done else session
    )


def helpable_seats(live: LiveMatch, seat: Seat) -> tuple[Seat, ...]:
    """Seats for which others may propose another phone: those that have one, and those that cannot play without."""
    table, phones = live.table, live.session.phones
    others = (other for other in live.play.match.start.seats if other != seat and table.by_phone(other))
    return tuple(o for o in others if o in phones or (o not in table.panels and table.menu_state_of(o) != SHARED))


def there(session: Session) -> tuple[Text, ...]:
    """Return who plays by phone, for all to read before a match begins."""
    seats = sorted(session.phones)
    listed = Text(", ".join(f"{{{seat}}}" for seat in seats), tuple((seat, who(seat)) for seat in seats))
    return (say("By phone: {seats}", seats=listed),) if seats else ()
