"""What the camera saw, brought to the arbiter, and what its verdict does to the match."""

from __future__ import annotations

import msgspec

from device.session.check import faults
from device.session.matches import known_of, match_time, record
from device.session.messages import Append, Effect
from device.session.state import Play, Question, Session
from device.session.table import Known, Table
from engine.arbiter import Accept, Agree, Ask, Lost, Refuse, Step, Verdict, Wait, agreed, gather, judge
from engine.arbiter.compare import Fit, compare
from engine.arbiter.expectation import plain
from engine.arbiter.repair import repairs
from engine.arbiter.watch import Watch
from engine.entry import Act, Entry, Settle, Source
from engine.table import Health, Observation
from engine.text import say

replace = msgspec.structs.replace
Result = tuple[Session, tuple[Effect, ...]]


def observe(table: Table, session: Session, play: Play, observation: Observation) -> Result:
    """The table came to rest anew."""
    session = replace(session, seen=observation)
    if play.watch is None:
        return _first_sight(table, session, play, observation)
    play = replace(play, watch=gather(play.watch, observation))
    return _decide(table, session, play, observation, overdue=False)


def look_again(table: Table, session: Session, play: Play, *, overdue: bool = False) -> Result:
    """Judges the last observation once more: the match went on at the buttons, or time passed."""
    if session.seen is None or session.health is not Health.OK:
        return replace(session, stage=play), ()
    if play.watch is None:
        return _first_sight(table, session, play, session.seen)
    return _decide(table, session, play, session.seen, overdue=overdue)


def answer(table: Table, session: Session, play: Play, steps: tuple[Step, ...] | None) -> Result:
    """The answer to the arbiter's question: what happened, or None if it was something else."""
    question, seen = play.question, session.seen
    if question is None or seen is None or play.watch is None:
        return replace(session, stage=replace(play, question=None)), ()
    known, base = known_of(table, play), play.watch.base
    play = replace(play, question=None)
    if steps is None:
        wrong = repairs(base, seen) or faults(known.game.layout(play.match.state), seen)
        return replace(session, stage=replace(play, alert=wrong)), ()
    return _accept(known, session, play, Accept(steps, question.settles), seen)


def _first_sight(table: Table, session: Session, play: Play, observation: Observation) -> Result:
    """Before any action can be told from what lies there, the table must be as the match says."""
    known = known_of(table, play)
    owed = play.match.owed
    layout = known.game.layout(play.match.state)
    wrong = repairs(plain(layout, {}), observation)
    if owed is None or not wrong:
        if wrong or observation.health is not Health.OK:
            return replace(session, stage=replace(play, alert=wrong)), ()
        return _accept(known, session, play, Accept((), owed is not None), observation)
    if repairs(plain(owed.before, {}), observation):
        return replace(session, stage=replace(play, alert=wrong)), ()
    return replace(session, stage=replace(play, watch=agreed(owed.before, observation), alert=())), ()


def _decide(table: Table, session: Session, play: Play, observation: Observation, *, overdue: bool) -> Result:
    assert play.watch is not None
    known = known_of(table, play)
    if play.match.paused or play.match.result is not None:
        return replace(session, stage=play), ()
    if play.disorder and (fit := _untouched(play.watch, observation)) is not Fit.NO:
        # Put back as asked. What was handled to do so is not held against anybody, nor taken for an action.
        doubt = () if fit is Fit.FULL else (say("Put back. Hidden pieces may have changed places: correct it if so."),)
        before = _before(known, play, observation)
        put_back = replace(play, watch=before, alert=doubt, disorder=False, question=None, waiting=None)
        return replace(session, stage=put_back), ()
    verdict = judge(known.game, play.match, play.watch, observation, overdue=overdue)
    due = None if overdue else play.due or session.now + table.settle_s
    following, effects = _carried_out(known, session, play, verdict, observation)
    if isinstance(verdict, Wait) and isinstance(following.stage, Play):
        following = replace(following, stage=replace(following.stage, due=due))
    return following, effects


def _carried_out(known: Known, session: Session, play: Play, verdict: Verdict, seen: Observation) -> Result:
    """What a verdict does."""
    play = replace(play, question=None, waiting=None, due=None)
    match verdict:
        case Accept():
            return _accept(known, session, play, verdict, seen)
        case Agree():
            play = replace(play, watch=_fresh(known, play, seen), alert=(), disorder=False)
        case Wait(text):
            play = replace(play, waiting=text, alert=play.alert if play.match.owed is None else ())
        case Ask(readings, settles):
            play = replace(play, question=_question(known, play, readings, settles=settles), alert=())
        case Refuse():
            play = _refused(known, play, verdict, seen)
        case Lost(text):
            play = replace(play, alert=(text,), watch=_fresh(known, play, seen))
    return replace(session, stage=play), ()


def _accept(known: Known, session: Session, play: Play, verdict: Accept, seen: Observation) -> Result:
    """Every step, or none of them (law 3)."""
    at = match_time(session, play)
    entries: list[Entry] = [Settle(at, Source.CAMERA)] if verdict.settles else []
    entries += [Act(at, step.seat, step.words, Source.CAMERA) for step in verdict.steps]
    play = record(known, play, entries)
    if verdict.steps and play.epoch is None:
        play = replace(play, epoch=session.now - at)
    play = replace(play, watch=_fresh(known, play, seen))
    return replace(session, stage=play), ((Append(tuple(entries)),) if entries else ())


def _refused(known: Known, play: Play, verdict: Refuse, seen: Observation) -> Play:
    """Until the table is put right nothing else counts; where nothing moved (a peek), there is nothing to put right."""
    assert play.watch is not None
    alert = tuple(dict.fromkeys((verdict.text, *verdict.put_back)))
    if _untouched(play.watch, seen) is Fit.FULL:
        return replace(play, alert=alert, disorder=False, watch=_before(known, play, seen))
    return replace(play, alert=alert, disorder=True)


def _untouched(watch: Watch, seen: Observation) -> Fit:
    """How well every piece lies where it lay when the table last agreed, whatever was handled since."""
    return compare(watch.base, replace(watch, touches=()), seen)


def _before(known: Known, play: Play, seen: Observation) -> Watch:
    """A fresh watch on a table where nothing was done; what was ordered is still to be done."""
    owed = play.match.owed
    return agreed(owed.before, seen) if owed is not None else _fresh(known, play, seen)


def _fresh(known: Known, play: Play, seen: Observation) -> Watch:
    return agreed(known.game.layout(play.match.state), seen)


def _question(known: Known, play: Play, readings: tuple[tuple[Step, ...], ...], *, settles: bool) -> Question:
    """Asked of whoever would have acted, otherwise of whose turn it is."""
    by = sorted({steps[0].seat for steps in readings if steps}) or sorted(known.game.actors(play.match.state))
    return Question(by[0] if by else play.match.start.seats[0], readings, settles)
