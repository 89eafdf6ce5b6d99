"""Requests that need the consent of all seats: undo, correction, draw, leaving the match."""

from __future__ import annotations

import msgspec

from device.session import names, phones
from device.session.alerts import raised
from device.session.matches import known_of, match_time, record, shown_state
from device.session.messages import Append, Invite, Leave, Look
from device.session.pages import correction_text
from device.session.sight import Result, look_again, restored
from device.session.state import Play, Proposal, ProposalKind, Session, Setup, ToldEvent
from device.session.table import Known, Table
from engine.arbiter import way_back
from engine.entry import Correct, Draw, Entry, Undo
from engine.errors import Invalid
from engine.evening import Evening
from engine.match import Match
from engine.table import Layout, Seat
from engine.text import Text, say, who
from vision.link import Rebase

replace = msgspec.structs.replace


def text(known: Known, play: Play, proposal: Proposal) -> Text:
    """The question to the others."""
    if proposal.by is None or proposal.kind is ProposalKind.RESTORED:
        return proposal.because or Text("")
    by = who(proposal.by)
    match proposal.kind:
        case ProposalKind.UNDO:
            return say("{seat} wants to take back the last action.", seat=by)
        case ProposalKind.DRAW:
            return say("{seat} offers a draw.", seat=by)
        case ProposalKind.LEAVE if isinstance(play.match.start.evening, Evening):
            return say("{seat} wants to end this match and the evening, without a result.", seat=by)
        case ProposalKind.LEAVE:
            return say("{seat} wants to end this match without a result.", seat=by)
        case ProposalKind.PHONE | ProposalKind.CORRECT:
            return _of_words(known, play, proposal, by)


def _of_words(known: Known, play: Play, proposal: Proposal, by: Text) -> Text:
    """Of a proposal that has something more to name."""
    if proposal.kind is ProposalKind.PHONE:
        return say("{seat} wants a new phone for {other}.", seat=by, other=who(proposal.words[0]))
    state = shown_state(play.match) if proposal.again else play.match.state
    return say("{seat} corrects the referee: {what}", seat=by, what=correction_text(known, state, proposal.words))


def propose(table: Table, session: Session, play: Play, proposal: Proposal) -> Result:
    """Tries the proposal, so that nobody is asked in vain, and asks the others. Raises Refusal."""
    if play.proposal is not None:
        raise Invalid(say("Something is proposed already: answer that first."))
    known = known_of(table, play)
    for entry in _entries(proposal, match_time(session, play)):
        record(known, play, (entry,))
    mute = proposal.words if proposal.kind is ProposalKind.PHONE else ()  # whose phone is lost
    asked = (proposal.by, *mute)
    agreed = frozenset(seat for seat in asked if seat is not None)
    if proposal.kind is ProposalKind.PHONE and play.match.result is None and agreed.issuperset(play.match.start.seats):
        raise Invalid(
            say(
                "Nobody else can agree to it. Open the page of {seat} again, or end the match first.",
                seat=who(proposal.words[0]),
            )
        )
    return _proceed(table, session, replace(play, proposal=replace(proposal, agreed=agreed)))


def withdraw(session: Session, play: Play, seat: Seat) -> Result:
    """Whoever proposed something thinks better of it."""
    told = ToldEvent(match_time(session, play), say("{seat} no longer proposes it.", seat=who(seat)), None)
    return replace(session, stage=replace(play, proposal=None, told=(*play.told, told))), ()


def answer(table: Table, session: Session, play: Play, seat: Seat, *, agrees: bool) -> Result:
    """One seat's answer. Raises Refusal if what was agreed on is no longer possible."""
    proposal = play.proposal
    if proposal is None:
        return replace(session, stage=play), ()
    if agrees:
        agreed = replace(proposal, agreed=proposal.agreed | {seat})
        return _proceed(table, session, replace(play, proposal=agreed))
    told = ToldEvent(match_time(session, play), say("{seat} does not agree.", seat=who(seat)), None)
    declined = proposal.words if proposal.by is None else play.declined
    return replace(session, stage=replace(play, proposal=None, declined=declined, told=(*play.told, told))), ()


def _proceed(table: Table, session: Session, play: Play) -> Result:
    proposal = play.proposal
    assert proposal is not None
    if play.missing:
        return replace(session, stage=play), ()
    play = replace(play, proposal=None)
    if proposal.kind is ProposalKind.RESTORED:
        return replace(session, stage=restored(table, session, play)), ()
    if proposal.kind is ProposalKind.LEAVE:
        return replace(session, stage=Setup(people=names.seated(play)), seen=None), (Leave(),)
    if proposal.kind is ProposalKind.PHONE and proposal.by is not None:
        (seat,) = proposal.words
        told = ToldEvent(match_time(session, play), say("{seat} may get a new phone.", seat=who(seat)), None)
        play = phones.agreed(replace(play, told=(*play.told, told)), proposal.by, seat)
        return replace(session, stage=play), (Invite(seat, absent=True),)
    entries = _entries(proposal, match_time(session, play))
    known, before = known_of(table, play), play.match
    play = record(known, play, entries)
    session, effects = look_again(table, session, play)
    if proposal.kind is ProposalKind.UNDO:
        session = _turned_back(known, session, before)
    anew = proposal.kind is ProposalKind.CORRECT and not proposal.again and table.camera
    return session, (Append(entries), *effects, *((Look(Rebase()),) if anew else ()))


def _turned_back(known: Known, session: Session, before: Match) -> Session:
    """Says what to put back on the table, until somebody presses; not if the camera sees it and has said so, or what
    was ordered had not been carried out."""
    play = session.stage
    if not isinstance(play, Play) or play.alert or play.case.disorder or before.owed is not None:
        return session
    lies, wanted = known.game.layout(before.state), _lies(known, play.match)
    if not wanted.zones:
        return session
    steps = way_back(lies, wanted) or (say("Put back what was moved for it."),)
    return replace(session, stage=replace(raised(session, play, steps), expires=None))


def _lies(known: Known, match: Match) -> Layout:
    """What lies on the table: what was ordered, only once it is carried out."""
    return match.owed.before if match.owed is not None else known.game.layout(match.state)


def _entries(proposal: Proposal, at: float) -> tuple[Entry, ...]:
    match proposal.kind:
        case ProposalKind.UNDO if proposal.by is not None:
            return (Undo(at, proposal.by),)
        case ProposalKind.CORRECT:
            return (Correct(at, proposal.words, proposal.again),)
        case ProposalKind.DRAW:
            return (Draw(at),)
        case _:
            return ()
