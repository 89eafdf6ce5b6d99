"""The menu behind a long press: everything is put right, undo, pause, correction, draw, resigning, help, language."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import msgspec

from device.session import consent, evening, panels
from device.session.matches import known_of, match_time, record, shown_state, told_by_order
from device.session.messages import Append
from device.session.sight import Result, look_again, restored
from device.session.state import Desk, Mode, Play, Proposal, Proposed, Session
from device.session.table import LANGUAGES, SHARED, Table
from engine.entry import Entry, Pause, Resign, Restored, Settle, Source
from engine.game import Words
from engine.match import reveals
from engine.table import Seat
from engine.text import Text, say, who

replace = msgspec.structs.replace


class MenuLine(msgspec.Struct, frozen=True):
    """One line of a menu and what it does."""

    text: Text
    does: Callable[[], Result]


def entries(table: Table, session: Session, play: Play, seat: Seat) -> tuple[MenuLine, ...]:
    """The lines of the page that this seat's panel shows."""
    desk = play.desk(seat)
    match desk.mode:
        case Mode.MENU:
            return _menu(table, session, play, seat)
        case Mode.CORRECT:
            return _corrections(table, session, play, seat, desk)
        case Mode.DONE:
            return _done(table, session, play, seat)
        case Mode.LANGUAGE:
            speak = partial(_speak, table, session, play, seat)
            return tuple(MenuLine(Text(name), partial(speak, code)) for code, name in LANGUAGES)
        case Mode.RESIGN:
            stay = MenuLine(say("No"), lambda: _to(session, play, seat, Desk()))
            return (stay, *(_resigning(table, session, play, seat, other) for other in _sharing(table, play, seat)))
        case _:
            return ()


def chosen(table: Table, session: Session, play: Play, seat: Seat, desk: Desk) -> Result:
    """The line under the cursor was chosen. Raises Refusal."""
    found = entries(table, session, play, seat)
    if not found:
        return _to(session, play, seat, Desk())
    return found[min(desk.cursor, len(found) - 1)].does()


def corrected_back(desk: Desk) -> Desk:
    """One word of a correction back."""
    if not desk.words:
        return Desk(Mode.MENU)
    return replace(desk, words=desk.words[:-1], path=desk.path[:-1], cursor=0)


def _menu(table: Table, session: Session, play: Play, seat: Seat) -> tuple[MenuLine, ...]:
    def page(text: Text, mode: Mode) -> MenuLine:
        return MenuLine(text, lambda: _to(session, play, seat, Desk(mode, begun=len(play.told))))

    def proposal(text: Text, kind: Proposed) -> MenuLine:
        return MenuLine(text, lambda: _propose(table, session, play, seat, Proposal(kind, seat)))

    paused, open_end = play.match.paused, play.match.result is None
    going_on = MenuLine(say("Go on") if paused else say("Pause"), lambda: _pause(table, session, play, seat))
    own = play.proposal is not None and play.proposal.by == seat
    withdrawn = MenuLine(say("Withdraw what you proposed"), lambda: _withdrawn(session, play, seat))
    right = MenuLine(say("Everything is put right"), lambda: _put_right(table, session, play, seat))
    lines = (
        (play.case.disorder and not paused, right),
        (own, withdrawn),
        (True, page(say("Help"), Mode.HELP)),
        (True, page(say("What happened"), Mode.HISTORY)),
        (evening.stands(play) is not None, page(say("The evening's table"), Mode.EVENING)),
        (True, proposal(say("Take back"), Proposed.UNDO)),
        (open_end, going_on),
        (True, page(say("Correct the referee"), Mode.CORRECT)),
        (open_end, proposal(say("Offer a draw"), Proposed.DRAW)),
        (open_end, page(say("Resign"), Mode.RESIGN)),
        (True, page(say("Language"), Mode.LANGUAGE)),
        (open_end, proposal(say("End without a result"), Proposed.LEAVE)),
    )
    others = tuple(other for other in _sharing(table, play, seat) if other != seat)
    handing = tuple(_hand_on(table, session, play, seat, other) for other in others)
    return (*(line for shown, line in lines if shown), *handing)


def _put_right(table: Table, session: Session, play: Play, seat: Seat) -> Result:
    """Against what the camera sees: it is in the journal, and told to everybody, who said so."""
    entry = Restored(match_time(session, play), seat)
    standing = play.proposal is not None and play.proposal.kind is Proposed.RESTORED
    play = replace(play, proposal=None if standing else play.proposal, desks={**play.desks, seat: Desk()})
    play = record(known_of(table, play), play, (entry,))
    told = (play.told[-1].text,)
    return replace(session, stage=restored(table, session, replace(play, alert=told), told)), (Append((entry,)),)


def _done(table: Table, session: Session, play: Play, seat: Seat) -> tuple[MenuLine, ...]:
    """What became of the order that is owed."""
    settled = Settle(match_time(session, play), Source.BUTTONS)
    done = MenuLine(say("Done as ordered"), lambda: _entered(table, session, play, seat, settled))
    other = MenuLine(say("It shows something else"), lambda: _to(session, play, seat, Desk(Mode.CORRECT)))
    later = MenuLine(say("Not yet"), lambda: _to(session, play, seat, Desk()))
    return (done, other, later) if reveals(play.match.owed) else (done, later)


def _withdrawn(session: Session, play: Play, seat: Seat) -> Result:
    return consent.withdraw(session, replace(play, desks={**play.desks, seat: Desk()}), seat)


def _corrections(table: Table, session: Session, play: Play, seat: Seat, desk: Desk) -> tuple[MenuLine, ...]:
    """Of what the referee believed when an order was given; whoever named there what it turns up corrects that."""
    known, owed = known_of(table, play), play.match.owed
    own = owed is not None and owed.seat == seat and told_by_order(known.game, play.match)
    again = bool(reveals(owed)) and not own
    state = shown_state(play.match) if again else play.match.state

    def word(words: Words, path: tuple[Text, ...], *, final: bool) -> Result:
        if final:
            return _propose(table, session, play, seat, Proposal(Proposed.CORRECT, seat, words, again=again))
        return _to(session, play, seat, Desk(Mode.CORRECT, words=words, path=path))

    return tuple(
        MenuLine(c.text, partial(word, (*desk.words, c.word), (*desk.path, c.text), final=c.final))
        for c in known.game.corrections(state, desk.words)
    )


def _propose(table: Table, session: Session, play: Play, seat: Seat, proposal: Proposal) -> Result:
    return consent.propose(table, session, replace(play, desks={**play.desks, seat: Desk()}), proposal)


def _pause(table: Table, session: Session, play: Play, seat: Seat) -> Result:
    entry = Pause(match_time(session, play), not play.match.paused)
    return _entered(table, session, play, seat, entry)


def _resigning(table: Table, session: Session, play: Play, seat: Seat, other: Seat) -> MenuLine:
    text = say("{seat} resigns", seat=who(other))
    return MenuLine(text, lambda: _entered(table, session, play, seat, Resign(match_time(session, play), other)))


def _entered(table: Table, session: Session, play: Play, seat: Seat, entry: Entry) -> Result:
    play = record(known_of(table, play), replace(play, desks={**play.desks, seat: Desk()}), (entry,))
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


def _sharing(table: Table, play: Play, seat: Seat) -> tuple[Seat, ...]:
    """The seats whose panel this is."""
    if table.desk_of(seat) != SHARED:
        return (seat,)
    return tuple(other for other in play.match.start.seats if table.desk_of(other) == SHARED)


def _to(session: Session, play: Play, seat: Seat, desk: Desk) -> Result:
    return replace(session, stage=replace(play, desks={**play.desks, seat: desk})), ()
