"""The menu behind a long press: everything is put right, undo, pause, correction, draw, resigning, help, language."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import msgspec

from device.session import consent, evening, panels, phones
from device.session.matches import known_of, match_time, over, record, shown_state, told_by_order
from device.session.messages import Append
from device.session.sentences import Group, Row, opened, rows
from device.session.sight import Result, look_again, restored
from device.session.state import Desk, Mode, Play, Proposal, ProposalKind, Session
from device.session.table import LANGUAGES, SHARED, Table
from engine.entry import Entry, Pause, Resign, Restored, Settle, Source
from engine.match import reveals
from engine.table import Seat
from engine.text import Text, say, who

replace = msgspec.structs.replace


class MenuLine(msgspec.Struct, frozen=True):
    """One line of a menu and what it does."""

    text: Text
    does: Callable[[], Result]


def entries(table: Table, session: Session, play: Play, seat: Seat, panel: str) -> tuple[MenuLine, ...]:
    """The lines that a panel of this seat shows, by what it is busy with."""
    desk = play.desk(panel)
    match desk.mode:
        case Mode.MENU:
            return menu(table, session, play, seat, panel)
        case Mode.CORRECT:
            return _corrections(table, session, play, seat, desk)
        case Mode.DONE:
            return done(table, session, play, panel)
        case Mode.LANGUAGE:
            speak = partial(_speak, table, session, play, seat)
            return tuple(MenuLine(Text(name), partial(speak, code)) for code, name in LANGUAGES)
        case Mode.RESIGN:
            stay = MenuLine(say("No"), lambda: _to(session, play, panel, Desk()))
            here = _sharing(table, session, play, seat) if panel == seat else (seat,)
            return (stay, *(_resigning(table, session, play, panel, other) for other in here))
        case _:
            own = desk.mode is Mode.PHONE and desk.words == (seat,)
            return _by_phone(session, seat) if own and seat not in session.invited else ()


def _by_phone(session: Session, seat: Seat) -> tuple[MenuLine, ...]:
    """What a seat that has a phone may wish for."""
    return tuple(
        MenuLine(text, partial(phones.wish, session, seat, place)) for place, (text, _) in enumerate(phones.WISHES)
    )


def chosen(table: Table, session: Session, play: Play, seat: Seat, desk: Desk) -> Result:
    """The line under the cursor was chosen. Raises Refusal."""
    found = entries(table, session, play, seat, seat)
    if not found:
        return _to(session, play, seat, Desk())
    return found[min(desk.cursor, len(found) - 1)].does()


def led_to(desk: Desk, place: int, row: Row) -> Desk:
    """The list that a line at this place leads to."""
    if isinstance(row, Group):
        return replace(desk, within=(*desk.within, place), path=(*desk.path, row.said), cursor=0, before=desk)
    path = (*desk.path[: len(desk.path) - len(desk.within)], *row.path)
    return Desk(desk.mode, words=row.words, path=path, before=desk)


def menu(table: Table, session: Session, play: Play, seat: Seat, panel: str) -> tuple[MenuLine, ...]:
    """What a seat may do at any time. A page shows by itself what buttons have to call up."""

    def page(text: Text, mode: Mode) -> MenuLine:
        return MenuLine(text, lambda: _to(session, play, panel, Desk(mode, begun=len(play.told))))

    def proposal(text: Text, kind: ProposalKind) -> MenuLine:
        return MenuLine(text, lambda: propose(table, session, play, panel, Proposal(kind, seat)))

    paused, goes_on, buttons = play.match.paused, not over(play), panel == seat
    # Until a hand has turned up what an order named, what would be refused after the end tells how it ends.
    open_end = play.match.result is None and not reveals(play.match.owed)
    own = play.proposal is not None and play.proposal.by == seat
    withdrawn = MenuLine(say("Withdraw what you proposed"), lambda: _withdrawn(session, play, seat, panel))
    lines = (
        (play.case.disorder and not paused, right(table, session, play, seat, panel)),
        (own, withdrawn),
        (buttons, page(say("Help"), Mode.HELP)),
        (buttons, page(say("Moves"), Mode.HISTORY)),
        (buttons and evening.stands(play) is not None, page(say("The evening's table"), Mode.EVENING)),
        (True, proposal(say("Take back"), ProposalKind.UNDO)),
        (open_end or paused, pausing(table, session, play, panel)),
        (True, page(say("Correct the referee"), Mode.CORRECT)),
        (open_end, proposal(say("Offer a draw"), ProposalKind.DRAW)),
        (open_end, page(say("Resign"), Mode.RESIGN)),
        (buttons, page(say("Language"), Mode.LANGUAGE)),
        (goes_on, proposal(say("End without a result"), ProposalKind.LEAVE)),
        (table.by_phone(seat), MenuLine(say("By phone"), lambda: _to(session, play, panel, phones.asked(seat)))),
    )
    others = tuple(other for other in _sharing(table, session, play, seat) if other != seat) if buttons else ()
    handing = tuple(_hand_on(table, session, play, seat, other) for other in others)
    renewed = tuple(
        MenuLine(
            say("A new phone for {seat}", seat=who(other)),
            partial(propose, table, session, play, panel, Proposal(ProposalKind.PHONE, seat, (other,))),
        )
        for other in phones.helped(table, session, play, seat)
    )
    return (*(line for shown, line in lines if shown), *handing, *renewed)


def pausing(table: Table, session: Session, play: Play, panel: str) -> MenuLine:
    """The match rests, or goes on."""
    text = say("Go on") if play.match.paused else say("Pause")
    entry = Pause(match_time(session, play), not play.match.paused)
    return MenuLine(text, lambda: _entered(table, session, play, panel, entry))


def right(table: Table, session: Session, play: Play, seat: Seat, panel: str) -> MenuLine:
    """Somebody says that all was put right."""
    return MenuLine(say("Everything is put right"), lambda: _put_right(table, session, play, seat, panel))


def _put_right(table: Table, session: Session, play: Play, seat: Seat, panel: str) -> Result:
    """Against what the camera sees: it is in the journal, and told to everybody, who said so."""
    entry = Restored(match_time(session, play), seat)
    standing = play.proposal is not None and play.proposal.kind is ProposalKind.RESTORED
    play = replace(play.put(panel, Desk()), proposal=None if standing else play.proposal)
    play = record(known_of(table, play), play, (entry,))
    told = (play.told[-1].text,)
    return replace(session, stage=restored(table, session, replace(play, alert=told), told)), (Append((entry,)),)


def done(table: Table, session: Session, play: Play, panel: str) -> tuple[MenuLine, ...]:
    """What became of the order that is owed; the last line is that nothing did yet."""
    settled = Settle(match_time(session, play), Source.BUTTONS)
    as_ordered = MenuLine(say("Done as ordered"), lambda: _entered(table, session, play, panel, settled))
    other = MenuLine(say("It shows something else"), lambda: _to(session, play, panel, Desk(Mode.CORRECT)))
    later = MenuLine(say("Not yet"), lambda: _to(session, play, panel, Desk()))
    return (as_ordered, other, later) if reveals(play.match.owed) else (as_ordered, later)


def _withdrawn(session: Session, play: Play, seat: Seat, panel: str) -> Result:
    return consent.withdraw(session, play.put(panel, Desk()), seat)


class Correctable(msgspec.Struct, frozen=True):
    """The state whose corrections a seat may propose, and whether the order that is owed counts again from there."""

    state: Any
    again: bool


def correctable(table: Table, play: Play, seat: Seat) -> Correctable:
    """Of what the referee believed when an order was given; whoever named there what it turns up corrects that."""
    owed = play.match.owed
    own = owed is not None and owed.seat == seat and told_by_order(known_of(table, play).game, play.match)
    again = bool(reveals(owed)) and not own
    return Correctable(shown_state(play.match) if again else play.match.state, again)


def _corrections(table: Table, session: Session, play: Play, seat: Seat, desk: Desk) -> tuple[MenuLine, ...]:
    found, game = correctable(table, play, seat), known_of(table, play).game

    def chosen(place: int, row: Row) -> Result:
        if isinstance(row, Group) or not row.final:
            return _to(session, play, seat, led_to(desk, place, row))
        proposal = Proposal(ProposalKind.CORRECT, seat, row.words, again=found.again)
        return propose(table, session, play, seat, proposal)

    listed = opened(rows(partial(game.corrections, found.state), desk.words), desk.within)
    return tuple(MenuLine(row.said, partial(chosen, place, row)) for place, row in enumerate(listed))


def propose(table: Table, session: Session, play: Play, panel: str, proposal: Proposal) -> Result:
    """The others are asked; the panel is closed. Raises Refusal."""
    return consent.propose(table, session, play.put(panel, Desk()), proposal)


def _resigning(table: Table, session: Session, play: Play, panel: str, other: Seat) -> MenuLine:
    text = say("{seat} resigns", seat=who(other))
    return MenuLine(text, lambda: _entered(table, session, play, panel, Resign(match_time(session, play), other)))


def _entered(table: Table, session: Session, play: Play, panel: str, entry: Entry) -> Result:
    play = record(known_of(table, play), play.put(panel, Desk()), (entry,))
    session, effects = look_again(table, session, play)
    return session, (Append((entry,)), *effects)


def _hand_on(table: Table, session: Session, play: Play, seat: Seat, other: Seat) -> MenuLine:
    """The shared panel goes to another seat."""
    passed = panels.passed_to(table, play, other)
    handed = replace(passed, shared=replace(passed.shared, sticky=True))
    return MenuLine(say("Hand on to {seat}", seat=who(other)), lambda: _to(session, handed, seat, Desk()))


def _speak(table: Table, session: Session, play: Play, seat: Seat, code: str) -> Result:
    session = replace(session, languages={**session.languages, table.desk_of(seat): code})
    return _to(session, play, seat, Desk())


def _sharing(table: Table, session: Session, play: Play, seat: Seat) -> tuple[Seat, ...]:
    """The seats whose panel this is."""
    if table.desk_of(seat) != SHARED:
        return (seat,)
    return panels.sharing(table, session, play)


def _to(session: Session, play: Play, panel: str, desk: Desk) -> Result:
    return replace(session, stage=play.put(panel, desk)), ()
