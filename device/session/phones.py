"""Manages phones, which join a seat with its code.

A free seat always has a code. A taken one gets one by wish or agreement; its phone stays until another joins. Only the
entitled see codes (law 5).
"""

from __future__ import annotations

import msgspec

from device.screens.screen import Screen
from device.session.matches import LiveMatch
from device.session.messages import Dismiss, Effect, Invite
from device.session.state import Item, MenuState, PanelMode, Play, Session, Setup, SetupPage, owner_of, page_of
from device.session.table import SHARED, Table
from engine.table import Seat
from engine.text import Text, list_texts, say, seat_of, who

replace = msgspec.structs.replace
WISHES: tuple[tuple[Text, type[Invite] | type[Dismiss]], ...] = (
    (say("Another phone"), Invite),
    (say("Without a phone"), Dismiss),
)
"""Wishes of a seat with a phone, in order."""


def entrance(table: Table, setup: Setup) -> tuple[Item, ...]:
    """Return the menu line for phones; () if none may take a seat."""
    return (Item(say("Phones"), replace(setup, page=SetupPage.PHONES, cursor=0)),) if _seats(table) else ()


def title(setup: Setup) -> Text:
    return seat_of(setup.phone) if setup.page is SetupPage.PHONE else say("Phones")


def items(table: Table, session: Session, setup: Setup) -> tuple[Item, ...]:
    """Return the seats, or one seat's wishes; () while its code is shown."""
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
    """Carry out a wish by its place in WISHES."""
    return session, (WISHES[place][1](seat),)


def screen(session: Session, seat: Seat, alert: Text | None = None) -> Screen | None:
    """Return a screen with the seat's code; None without one."""
    address = session.invited.get(seat)
    if address is None:
        return None
    return Screen(seat_of(seat), prompt=say("Scan with a phone."), alert=alert, code=address)


def seat_of_code(play: Play, panel: str) -> Seat | None:
    """Return the seat whose joining code a panel shows, or None."""
    menu_state = play.menu_state(panel)
    return menu_state.words[0] if menu_state.mode is PanelMode.PHONE else None


def asked_code(seat: Seat) -> MenuState:
    """Return the menu state that shows a seat's code."""
    return MenuState(PanelMode.PHONE, words=(seat,))


def show_agreed_code(live: LiveMatch, by: Seat, seat: Seat) -> LiveMatch:
    """Show the agreed code at the proposer's panel and page."""
    return live.put(by, asked_code(seat)).put(page_of(by), asked_code(seat))


def invite(session: Session, addresses: dict[Seat, str]) -> Session:
    """Store the current codes; close pages that helped a seat whose code was used."""
    session, play = replace(session, invited=addresses), session.stage
    if not isinstance(play, Play):
        return session
    done = [p for p in play.desks if (seat := seat_of_code(play, p)) and seat not in addresses and seat != owner_of(p)]
    return (
        replace(session, stage=replace(play, desks=play.desks | dict.fromkeys(done, MenuState()))) if done else session
    )


def helpable_seats(live: LiveMatch, seat: Seat) -> tuple[Seat, ...]:
    """Return the other seats for which this one may propose a phone."""
    table, phones = live.table, live.session.phones
    others = (other for other in live.play.match.start.seats if other != seat and table.by_phone(other))
    return tuple(o for o in others if o in phones or (o not in table.panels and table.display_of(o) != SHARED))


def there(session: Session) -> tuple[Text, ...]:
    """Return a line with the seats that play by phone; () without any."""
    seats = sorted(session.phones)
    return (say("By phone: {seats}", seats=list_texts(map(who, seats))),) if seats else ()
