"""Handles requests that all seats must agree to: undo, correction, draw, leaving, a new phone."""

from __future__ import annotations

import msgspec

from device.session import names, phones
from device.session.alerts import raise_alert
from device.session.matches import LiveMatch, Result, shown_state
from device.session.messages import Append, Invite, Leave, SendToVision
from device.session.observing import look_again, restore_table
from device.session.sentences import correction_text
from device.session.state import Play, Proposal, ProposalKind, Setup, SetupPage
from device.session.table import KnownGame
from engine.arbiter import way_back
from engine.entry import Correct, Draw, Entry, Undo
from engine.errors import Invalid
from engine.evening import Evening
from engine.match import Match
from engine.table import Layout, Seat
from engine.text import Text, say, who
from vision.messages import Rebase

replace = msgspec.structs.replace


def text(play: Play, proposal: Proposal) -> Text:
    """Return the proposal as a sentence."""
    if proposal.by is None or proposal.kind is ProposalKind.RESTORED:
        return proposal.because or Text("")
    by = who(proposal.by)
    match proposal.kind:
        case ProposalKind.UNDO:
            return say("{seat} wants to undo the last action.", seat=by)
        case ProposalKind.DRAW:
            return say("{seat} offers a draw.", seat=by)
        case ProposalKind.LEAVE if isinstance(play.match.start.evening, Evening):
            return say("{seat} wants to end the match and the evening without a result.", seat=by)
        case ProposalKind.LEAVE:
            return say("{seat} wants to end this match without a result.", seat=by)
        case ProposalKind.PHONE | ProposalKind.CORRECT:
            return _of_words(play, proposal, by)


def _of_words(play: Play, proposal: Proposal, by: Text) -> Text:
    if proposal.kind is ProposalKind.PHONE:
        return say("{seat} wants a new phone for {other}.", seat=by, other=who(proposal.words[0]))
    state = shown_state(play.match) if proposal.again else play.match.state
    return say("{seat} corrects the referee: {what}", seat=by, what=correction_text(play.known, state, proposal.words))


def propose(live: LiveMatch, proposal: Proposal) -> Result:
    """Check the proposal and ask the other seats; carry it out if all agree already. Raises Refusal."""
    if live.play.proposal is not None:
        raise Invalid(say("Answer the other proposal first."))
    for entry in _entries(proposal, live.time):
        live.record(entry)
    asked, match = (proposal.by, *_mute(live, proposal)), live.play.match
    agreed = frozenset(seat for seat in asked if seat is not None)
    lost = proposal.kind is ProposalKind.PHONE and proposal.words[0] in live.session.phones  # not given up
    if lost and match.result is None and agreed.issuperset(match.start.seats):
        raise Invalid(
            say(
                "Nobody else can agree. Open {seat}'s page again, or end the match first.",
                seat=who(proposal.words[0]),
            )
        )
    return _proceed(live, replace(proposal, agreed=agreed))


def _mute(live: LiveMatch, proposal: Proposal) -> tuple[Seat, ...]:
    """Return the seats that can't answer: whose phone is lost; to end a match, those with neither display nor phone."""
    if proposal.kind is ProposalKind.PHONE:
        return proposal.words
    if proposal.kind is not ProposalKind.LEAVE:
        return ()
    table, seats = live.table, live.play.match.start.seats
    mute = (each for each in seats if each not in live.session.phones)
    return tuple(each for each in mute if table.display_of(each) not in table.displays)


REGRET_S, ON_THE_WAY_S = 2.0, 1.0
"""Seconds in which a seat may undo its own action alone, and those that a tap may take to arrive."""


def may_regret(live: LiveMatch, seat: Seat) -> bool:
    """Return True if a seat may still undo its last action alone."""
    regretted = live.play.regretted
    if regretted is None or live.play.proposal is not None:
        return False
    by, at = regretted
    return by == seat and live.time <= at + REGRET_S + ON_THE_WAY_S


def regret(live: LiveMatch, seat: Seat) -> Result:
    """Undo the seat's last action. Raises Refusal."""
    return _proceed(live, Proposal(ProposalKind.UNDO, seat, agreed=frozenset(live.play.match.start.seats)))


def withdraw(live: LiveMatch, seat: Seat) -> Result:
    """Withdraw the seat's open proposal, and announce it."""
    return live.replace(proposal=None).announce(say("{seat} withdraws the proposal.", seat=who(seat))).session, ()


def answer(live: LiveMatch, seat: Seat, *, agrees: bool) -> Result:
    """Take a seat's answer: a no drops the proposal, the last yes carries it out.

    Raises Refusal if it is no longer possible.
    """
    proposal = live.play.proposal
    if proposal is None:
        return live.session, ()
    if agrees:
        return _proceed(live, replace(proposal, agreed=proposal.agreed | {seat}))
    declined = proposal.words if proposal.by is None else live.play.declined
    live = live.replace(proposal=None, declined=declined)
    return live.announce(say("{seat} does not agree.", seat=who(seat))).session, ()


def _proceed(live: LiveMatch, proposal: Proposal) -> Result:
    live = live.replace(proposal=proposal)
    if live.play.missing:
        return live.session, ()
    live = live.replace(proposal=None)
    if proposal.kind is ProposalKind.RESTORED:
        return restore_table(live).session, ()
    if proposal.kind is ProposalKind.LEAVE:
        setup = Setup(SetupPage.GAME, people=names.players_of_match(live.play))
        return replace(live.session, stage=setup, seen=None), (Leave(),)
    if proposal.kind is ProposalKind.PHONE and proposal.by is not None:
        (seat,) = proposal.words
        live = live.announce(say("{seat} can join with another phone.", seat=who(seat)))
        return phones.show_agreed_code(live, proposal.by, seat).session, (Invite(seat, absent=True),)
    entries = _entries(proposal, live.time)
    session, effects = look_again(live.record(*entries))
    if proposal.kind is ProposalKind.UNDO:
        session = _turned_back(LiveMatch(live.table, session), live.play.match).session
    anew = proposal.kind is ProposalKind.CORRECT and not proposal.again and live.table.camera
    return session, (Append(entries), *effects, *((SendToVision(Rebase()),) if anew else ()))


def _turned_back(live: LiveMatch, before: Match) -> LiveMatch:
    play, known = live.play, live.play.known
    if play.alert or play.case.disorder or before.pending is not None:
        return live
    lies, wanted = known.game.layout(before.state), _lies(known, play.match)
    if not wanted.zones:
        return live
    steps = way_back(lies, wanted) or (say("Put back what the undone action moved."),)
    return raise_alert(live, steps).replace(expires=None)


def _lies(known: KnownGame, match: Match) -> Layout:
    return match.pending.before if match.pending is not None else known.game.layout(match.state)


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
