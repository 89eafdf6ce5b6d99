"""Passes what the camera saw to the arbiter, and applies its rulings to the match."""

from __future__ import annotations

import msgspec

from device.session.alerts import happened, raised, refusal
from device.session.matches import known_of, match_time, record
from device.session.messages import Append, Effect
from device.session.state import Play, Proposal, ProposalKind, Session, ToldEvent
from device.session.table import Known, Table
from engine.arbiter import (
    Accept,
    Agree,
    Ask,
    Confirm,
    Differs,
    Disorder,
    Finding,
    Lost,
    PutBack,
    Refuse,
    Ruling,
    Step,
    Wait,
)
from engine.entry import Act, Correct, Entry, Settle, Source
from engine.errors import Refusal
from engine.table import Health, Observation, Seat
from engine.text import Text

replace = msgspec.structs.replace
Result = tuple[Session, tuple[Effect, ...]]


def observe(table: Table, session: Session, play: Play, observation: Observation) -> Result:
    """The table came to rest anew."""
    rules, asked = known_of(table, play).game, play.proposal is not None
    found = play.case.observe(rules, play.match, observation, session.now, table.settle_s, asked=asked)
    return _heeded(table, session, play, found)


def look_again(table: Table, session: Session, play: Play, *, overdue: bool = False) -> Result:
    """Judges the last observation once more: the match went on at the buttons, or time passed."""
    if session.health is not Health.OK or session.silence is not None:
        return replace(session, stage=play), ()
    look = play.case.press if overdue else play.case.again
    return _heeded(table, session, play, look(known_of(table, play).game, play.match, session.now, table.settle_s))


def answer(table: Table, session: Session, play: Play, steps: tuple[Step, ...] | None) -> Result:
    """The answer to the arbiter's question: what happened, or None if it was something else."""
    return _heeded(table, session, play, play.case.answer(known_of(table, play).game, play.match, steps))


def restored(table: Table, session: Session, play: Play, said: tuple[Text, ...] = ()) -> Play:
    """Everything lies as it should, as somebody said who may. said: what everybody reads of it for a while."""
    case = play.case.restore(known_of(table, play).game, play.match)
    return raised(session, replace(play, case=case), said)


def _heeded(table: Table, session: Session, play: Play, found: Finding) -> Result:
    """The session with what a case came to."""
    told = () if found.told is None else (ToldEvent(match_time(session, play), found.told, None),)
    following = replace(play, case=found.case, told=(*play.told, *told))
    if isinstance(found.ruling, Accept):
        return _accept(known_of(table, play), session, following, found.ruling)
    stood = play.case.disorder
    return replace(session, stage=_ruled(table, session, following, found.ruling, stood=stood)), ()


def _ruled(table: Table, session: Session, play: Play, ruling: Ruling | None, *, stood: bool) -> Play:
    """The play with what everybody reads of a ruling. stood: something had to be put right until now."""
    match ruling:
        case Agree() if play.expires is None:
            play = replace(play, alert=())
        case Wait():
            at_work = play.case.seen is not None and play.case.seen.hands
            play = replace(play, alert=()) if at_work and (stood or play.match.owed is not None) else play
        case Ask():
            play = replace(play, alert=())
        case Refuse():
            play = raised(session, play, refusal(ruling), happened(ruling), _tried(ruling))
        case Disorder(put_back):
            play = raised(session, play, put_back)
        case PutBack(doubt):
            restoring = play.proposal is not None and play.proposal.kind is ProposalKind.RESTORED
            play = replace(play, proposal=None if restoring else play.proposal)
            play = raised(session, play, () if doubt is None else (doubt,))
        case Confirm(text):
            play = replace(play, proposal=Proposal(ProposalKind.RESTORED, None, because=text))
        case Differs():
            play = _differing(table, session, play, ruling)
        case Lost(text):
            play = raised(session, play, (text,))
    return play


def _tried(ruling: Refuse) -> frozenset[Seat]:
    """Who has a refused attempt in the history: whoever made it, and nobody else."""
    return frozenset() if ruling.by is None else frozenset({ruling.by})


def _accept(known: Known, session: Session, play: Play, verdict: Accept) -> Result:
    """Every step, or none of them (law 3). They count from when the table came to rest, not from when that was read."""
    at = match_time(session, play, None if play.case.seen is None else play.case.seen.at)
    entries: list[Entry] = [Settle(at, Source.CAMERA)] if verdict.settles else []
    entries += [Act(at, step.seat, step.words, Source.CAMERA) for step in verdict.steps]
    play = record(known, play, entries)
    if verdict.steps and play.epoch is None:
        play = replace(play, epoch=session.now - at)
    play = replace(play, case=play.case.agree(known.game.layout(play.match.state)))
    return replace(session, stage=play), ((Append(tuple(entries)),) if entries else ())


def _differing(table: Table, session: Session, play: Play, verdict: Differs) -> Play:
    """The camera proposes to correct the referee; everybody has to agree."""
    wrong = replace(play, case=play.case.object(disorder=True))
    if verdict.words is None:
        return raised(session, wrong, (verdict.text,))
    if play.proposal is not None or play.declined == verdict.words:
        return play
    correct = Correct(match_time(session, play), verdict.words, again=True)
    try:
        record(known_of(table, play), play, (correct,))
    except Refusal as refused:
        return raised(session, wrong, (verdict.text, refused.text))
    wanted = Proposal(ProposalKind.CORRECT, None, verdict.words, because=verdict.text, again=True)
    return replace(play, proposal=wanted, case=play.case.object(disorder=False), alert=())
