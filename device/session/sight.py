"""Passes what the camera saw to the arbiter, and applies its verdict to the match."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from device.session.alerts import raised, refusal
from device.session.matches import known_of, match_time, record, reveals
from device.session.messages import Append, Effect
from device.session.state import Objected, Play, Proposal, Proposed, Question, Session, Told
from device.session.table import Known, Table
from engine.arbiter import Accept, Agree, Ask, Differs, Lost, Refuse, Step, Verdict, Wait, agreed, gather, judge
from engine.arbiter.compare import SUSPECT, Fit, compare, surely_taken
from engine.arbiter.expectation import Expectation, plain
from engine.arbiter.nearly import nearly
from engine.arbiter.overrule import corrected, overrule
from engine.arbiter.repair import repairs
from engine.arbiter.unseen import unseen
from engine.arbiter.watch import Watch
from engine.entry import Act, Correct, Entry, Settle, Source
from engine.errors import Refusal
from engine.table import Face, Health, Observation, Order
from engine.text import Text, say

replace = msgspec.structs.replace
Result = tuple[Session, tuple[Effect, ...]]
UNSEEN_S = 1.0
"""Nobody exchanges two stones in a shorter time."""

UNSEEN = say("The camera was away: hidden pieces may have been moved unseen.")
_PUT_BACK = say("Put back. Hidden pieces may have changed places: correct it if so.")
_DOUBT = say("Hidden pieces may have changed places. If they did, put them back or correct it.")


def observe(table: Table, session: Session, play: Play, observation: Observation) -> Result:
    """The table came to rest anew."""
    session = replace(session, seen=observation)
    observation, standing = corrected(observation, play.overruled)
    play = replace(play, overruled=standing)
    if play.watch is None:
        return _first_sight(table, session, replace(play, gap=None), observation)
    if play.gap is not None:
        play = after_gap(session, play, observation)
    assert play.watch is not None
    watch = gather(play.watch, observation)
    play = replace(play, watch=watch)
    if play.disorder and play.proposal is None and _perhaps_restored(table, play, watch, observation):
        asked = Proposal(Proposed.RESTORED, None, because=_PUT_BACK)
        return replace(session, stage=replace(play, proposal=asked)), ()
    return _decide(table, session, play, observation, overdue=False)


def look_again(table: Table, session: Session, play: Play, *, overdue: bool = False) -> Result:
    """Judges the last observation once more: the match went on at the buttons, or time passed."""
    if session.seen is None or session.health is not Health.OK or session.silence is not None:
        return replace(session, stage=play), ()
    seen, _ = corrected(session.seen, play.overruled)
    if play.watch is None:
        return _first_sight(table, session, play, seen)
    return _decide(table, session, play, seen, overdue=overdue)


def answer(table: Table, session: Session, play: Play, steps: tuple[Step, ...] | None) -> Result:
    """The answer to the arbiter's question: what happened, or None if it was something else."""
    question = play.question
    if question is None or session.seen is None or play.watch is None:
        return replace(session, stage=replace(play, question=None)), ()
    seen, _ = corrected(session.seen, play.overruled)
    known, base = known_of(table, play), play.watch.base
    play = replace(play, question=None, objected=Objected(play.watch, seen))
    if steps is not None:
        return _accept(known, session, play, Accept(steps, question.settles), seen)
    wrong = repairs(base, seen)
    if not wrong:  # what was touched is forgotten, so that nobody is asked of it for ever
        play = replace(play, watch=_before(known, play, seen))
    return replace(session, stage=raised(session, play, wrong or (_DOUBT,), disorder=bool(wrong))), ()


def _first_sight(table: Table, session: Session, play: Play, observation: Observation) -> Result:
    """Before any action can be told from what lies there, the table must be as the match says."""
    if observation.health is not Health.OK:
        return replace(session, stage=play), ()
    known, owed = known_of(table, play), play.match.owed
    wrong = repairs(plain(known.game.layout(play.match.state), {}), observation)
    undone = repairs(plain(owed.before, {}), observation) if owed is not None else wrong
    if undone and wrong:
        wanted = undone if reveals(owed) else wrong
        return replace(session, stage=raised(session, play, wanted, disorder=True)), ()
    if owed is None or undone:
        return _accept(known, session, play, Accept((), owed is not None), observation)
    play = replace(play, watch=agreed(owed.before, observation), alert=(), disorder=False)
    if not wrong:  # what was ordered leaves the table as it looked before: only the players know whether it was done
        play = replace(play, question=Question(owed.seat, ((),), settles=True))
    return replace(session, stage=play), ()


def _decide(table: Table, session: Session, play: Play, observation: Observation, *, overdue: bool) -> Result:
    assert play.watch is not None
    known = known_of(table, play)
    if play.match.paused or (play.match.result is not None and play.match.owed is None):
        return replace(session, stage=play), ()
    if play.disorder and (fit := _put_back(play, play.watch, observation)) is not Fit.NO:
        # Put back as asked. What was handled to do so is not held against anybody, nor taken for an action.
        doubt = () if fit is Fit.FULL else (_PUT_BACK,)
        before = _before(known, play, observation)
        standing = None if play.proposal is not None and play.proposal.kind is Proposed.RESTORED else play.proposal
        put_back = replace(play, watch=before, question=None, waiting=None, proposal=standing, objected=None)
        return replace(session, stage=raised(session, put_back, doubt, disorder=False)), ()
    overdue |= play.question is not None and not observation.hands  # a second look alone takes no question back
    verdict = judge(known.game, play.match, play.watch, observation, overdue=overdue)
    following, effects = _carried_out(table, session, play, verdict, observation)
    if isinstance(verdict, Wait) and isinstance(following.stage, Play):
        due = play.due if verdict.text == play.waiting else None
        due = None if overdue else due or session.now + table.settle_s
        following = replace(following, stage=replace(following.stage, due=due))
    return following, effects


def _carried_out(table: Table, session: Session, play: Play, verdict: Verdict, seen: Observation) -> Result:
    """What a verdict does."""
    known, before = known_of(table, play), play.question
    play = replace(play, question=None, waiting=None, due=None)
    match verdict:
        case Accept():
            return _accept(known, session, play, verdict, seen)
        case Agree():
            denied = None if play.disorder else play.objected
            play = replace(play, watch=_fresh(known, play, seen), disorder=False, objected=denied)
            play = replace(play, alert=()) if play.expires is None else play
        case Wait(text):
            stands = not seen.hands or (play.match.owed is None and not play.disorder)
            play = replace(play, waiting=text, alert=play.alert if stands else ())
        case Ask():
            question = _question(known, play, verdict, seen)
            whole = before is not None and before.whole and before.seat == question.seat
            play = replace(play, question=replace(question, whole=whole), alert=())
        case Refuse():
            play = _refused(known, session, play, verdict, seen)
        case Differs():
            play = _differing(table, session, play, verdict)
        case Lost(text):
            play = raised(session, replace(play, watch=_fresh(known, play, seen)), (text,), disorder=False)
    return replace(session, stage=play), ()


def _accept(known: Known, session: Session, play: Play, verdict: Accept, seen: Observation) -> Result:
    """Every step, or none of them (law 3). They count from when the table came to rest, not from when that was read."""
    at = match_time(session, play, seen.at)
    entries: list[Entry] = [Settle(at, Source.CAMERA)] if verdict.settles else []
    entries += [Act(at, step.seat, step.words, Source.CAMERA) for step in verdict.steps]
    play = record(known, play, entries)
    if verdict.steps and play.epoch is None:
        play = replace(play, epoch=session.now - at)
    play = replace(play, watch=_fresh(known, play, seen))
    return replace(session, stage=play), ((Append(tuple(entries)),) if entries else ())


def _refused(known: Known, session: Session, play: Play, verdict: Refuse, seen: Observation) -> Play:
    """Until the table is put right nothing else counts; where nothing moved (a peek), there is nothing to put right."""
    assert play.watch is not None
    if _untouched(play.watch, seen) is Fit.FULL:
        return raised(session, replace(play, watch=_before(known, play, seen)), refusal(verdict), disorder=False)
    last = play.objected
    if last is not None and _undone(play, last, seen):
        return replace(play, watch=_before(known, play, seen), objected=None)
    objected = last if last is not None and play.disorder else Objected(play.watch, seen)
    return raised(session, replace(play, objected=objected), refusal(verdict), disorder=True)


def _differing(table: Table, session: Session, play: Play, verdict: Differs) -> Play:
    """The camera proposes to correct the referee; everybody has to agree."""
    if verdict.words is None:
        return raised(session, play, (verdict.text,), disorder=True)
    if play.proposal is not None or play.declined == verdict.words:
        return play
    correct = Correct(match_time(session, play), verdict.words, again=True)
    try:
        record(known_of(table, play), play, (correct,))
    except Refusal as refused:
        return raised(session, play, (verdict.text, refused.text), disorder=True)
    wanted = Proposal(Proposed.CORRECT, None, verdict.words, because=verdict.text, again=True)
    return replace(play, proposal=wanted, alert=(), disorder=False)


def after_gap(session: Session, play: Play, seen: Observation) -> Play:
    """For a while the camera did not see the table well: hidden pieces may have changed places unseen."""
    watch, away = play.watch, session.now - (session.now if play.gap is None else play.gap)
    play = replace(play, gap=None)
    if watch is None or away < UNSEEN_S or all(h.piece.face is Face.UP for h in watch.base.holdings()):
        return play
    told = Told(match_time(session, play), UNSEEN, None)
    down = (p.track for zone in seen.zones for p in zone.pieces if p is not None and p.face is not Face.UP)
    watch = replace(watch, base=_forgotten(watch.base), lost=watch.lost | frozenset(down))
    return replace(play, watch=watch, told=(*play.told, told))


def _forgotten(base: Expectation) -> Expectation:
    """The expectation without the tracks of hidden pieces."""
    zones = tuple(
        (name, order, tuple(replace(h, track=None) if h and h.piece.face is Face.DOWN else h for h in holdings))
        for name, order, holdings in base.zones
    )
    return replace(base, zones=zones)


def _untouched(watch: Watch, seen: Observation) -> Fit:
    """How well every piece lies where it lay when the table last agreed, whatever was handled since."""
    return compare(watch.base, replace(watch, touches=()), seen)


def _put_back(play: Play, watch: Watch, seen: Observation) -> Fit:
    """How well everything lies as it did. A card drawn from a pile is not back as long as the next one lies on top."""
    last = play.objected
    drawn = () if last is None else (d for d in _drawn(last) if surely_taken(d.own, last.watch))
    if any(_tracks(seen, each.pile) == each.next for each in drawn):
        return Fit.NO
    fit = _untouched(watch, seen)
    if fit is Fit.NO and nearly(watch.base, replace(watch, touches=()), seen, whole=True):
        return Fit.WEAK  # something lies wherever something should, and nothing of it is plainly another
    return fit


def _undone(play: Play, last: Objected, seen: Observation) -> bool:
    """True if a card is put back on a pile that was drawn from when somebody denied what the referee made of it."""
    return not play.disorder and bool(_drawn(last)) and _put_back(play, last.watch, seen) is not Fit.NO


class _Drawn(NamedTuple):
    """A pile, the card that lay on it, and what lies there instead."""

    pile: str
    own: frozenset[int | None]
    next: frozenset[int]


def _drawn(last: Objected) -> tuple[_Drawn, ...]:
    """Piles of which another hidden card lay on top than before."""
    piles = (
        (n, frozenset(h.track for h in zone if h and h.hidden))
        for n, o, zone in last.watch.base.zones
        if o is Order.PILE
    )
    every = (_Drawn(name, own, _tracks(last.seen, name)) for name, own in piles if own)
    return tuple(each for each in every if each.next and not each.next & each.own)


def _tracks(seen: Observation, name: str) -> frozenset[int]:
    return frozenset(p.track for z in seen.zones if z.zone == name for p in z.pieces if p is not None)


def _before(known: Known, play: Play, seen: Observation) -> Watch:
    """A fresh watch on a table where nothing was done; what was ordered is still to be done."""
    owed = play.match.owed
    return agreed(owed.before, seen) if owed is not None else _fresh(known, play, seen)


def _perhaps_restored(table: Table, play: Play, watch: Watch, seen: Observation) -> bool:
    """True if hidden pieces were handled, and everything looks as it did but for which of them is which.

    Only the players know then whether they put it right: the camera may have lost sight of one. But what was refused
    in the middle of it may by now be what was ordered.
    """
    hidden = {holding.track for holding in watch.base.holdings() if holding.hidden}
    handled = any(touch.track in hidden and touch.certainty >= SUSPECT for touch in seen.touched)
    looks = replace(watch, base=_forgotten(watch.base))
    if not handled or _untouched(watch, seen) is not Fit.NO or _untouched(looks, seen) is Fit.NO:
        return False
    return not isinstance(judge(known_of(table, play).game, play.match, watch, seen), Accept)


def restored(table: Table, session: Session, play: Play, said: tuple[Text, ...] = ()) -> Play:
    """Everything lies as it should, as somebody said who may: from here on it is looked at anew.

    What the camera plainly sees otherwise counts no longer, until it changes; nothing that was refused is done by it.
    said: what everybody reads of it for a while.
    """
    if session.seen is None:
        return play
    known, owed = known_of(table, play), play.match.owed
    layout = owed.before if owed is not None else known.game.layout(play.match.state)
    denied = overrule(layout, session.seen)
    watch = agreed(layout, corrected(session.seen, denied)[0])
    play = replace(play, watch=watch, overruled=denied, question=None, waiting=None, due=None, objected=None)
    return raised(session, play, said, disorder=False)


def _fresh(known: Known, play: Play, seen: Observation) -> Watch:
    return agreed(known.game.layout(play.match.state), seen)


def _question(known: Known, play: Play, asks: Ask, seen: Observation) -> Question:
    """Asked of whoever would have acted, otherwise of whose turn it is."""
    by = sorted({steps[0].seat for steps in asks.readings if steps}) or sorted(known.game.actors(play.match.state))
    missing = None if play.watch is None else unseen(play.watch, seen)
    return Question(by[0] if by else play.match.start.seats[0], asks.readings, asks.settles, missing)
