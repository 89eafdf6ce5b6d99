"""Passes observations to the arbiter and applies its rulings to the match."""

from __future__ import annotations

from device.session.alerts import lasting_texts, raise_alert, refusal
from device.session.matches import LiveMatch, Result
from device.session.messages import Append
from device.session.state import Proposal, ProposalKind
from engine.arbiter import (
    Accept,
    ActionStep,
    Agree,
    Ask,
    CaseResult,
    Confirm,
    Differs,
    Disorder,
    Lost,
    PutBack,
    Refuse,
    Ruling,
    Wait,
)
from engine.entry import Act, Correct, Entry, Settle, Source
from engine.errors import Refusal
from engine.table import Observation, Seat
from engine.text import Text


def observe(live: LiveMatch, observation: Observation) -> Result:
    """Judge an observation of the table at rest."""
    play, asked = live.play, live.play.proposal is not None
    now, settle_s = live.session.now, live.table.settle_s
    return _apply_finding(live, play.case.observe(play.known.game, play.match, observation, now, settle_s, asked=asked))


def look_again(live: LiveMatch, *, overdue: bool = False) -> Result:
    """Judge the last observation again, if the camera works. overdue: wait no longer."""
    play, session = live.play, live.session
    if not session.camera_ok:
        return session, ()
    found = play.case.reassess(play.known.game, play.match, session.now, live.table.settle_s, overdue=overdue)
    return _apply_finding(live, found)


def answer(live: LiveMatch, steps: tuple[ActionStep, ...] | None) -> Result:
    """Answer the arbiter's question. steps: the chosen reading; None for something else."""
    return _apply_finding(live, live.play.case.resolve(live.play.known.game, live.play.match, steps))


def restore_table(live: LiveMatch, said: tuple[Text, ...] = ()) -> LiveMatch:
    """Accept the table as right on a player's word. said: shown for a while."""
    return raise_alert(live.replace(case=live.play.case.restore(live.play.known.game, live.play.match)), said)


def _apply_finding(live: LiveMatch, found: CaseResult) -> Result:
    stood = live.play.case.disorder
    live = live.replace(case=found.case).announce(*(() if found.told is None else (found.told,)))
    if isinstance(found.ruling, Accept):
        return _accept(live, found.ruling)
    return _apply_ruling(live, found.ruling, stood=stood).session, ()


def _apply_ruling(live: LiveMatch, ruling: Ruling | None, *, stood: bool) -> LiveMatch:
    play = live.play
    match ruling:
        case Agree() if play.expires is None:
            live = live.replace(alert=())
        case Wait():
            at_work = play.case.seen is not None and play.case.seen.hands
            live = live.replace(alert=()) if at_work and (stood or play.match.pending is not None) else live
        case Ask():
            live = live.replace(alert=())
        case Refuse():
            live = raise_alert(live, refusal(ruling), lasting_texts(ruling), _tried_seats(ruling))
        case Disorder(put_back):
            live = raise_alert(live, put_back)
        case PutBack(doubt):
            restoring = play.proposal is not None and play.proposal.kind is ProposalKind.RESTORED
            live = raise_alert(live.replace(proposal=None) if restoring else live, () if doubt is None else (doubt,))
        case Confirm(text):
            live = live.replace(proposal=Proposal(ProposalKind.RESTORED, None, because=text))
        case Differs():
            live = _differing(live, ruling)
        case Lost(text):
            live = raise_alert(live, (text,))
    return live


def _tried_seats(ruling: Refuse) -> frozenset[Seat]:
    return frozenset() if ruling.by is None else frozenset({ruling.by})


def _accept(live: LiveMatch, verdict: Accept) -> Result:
    """Record every step or none (law 3), at the time the table came to rest."""
    case = live.play.case
    at = live.time if case.seen is None else live.play.time(case.seen.at)
    entries: list[Entry] = [Settle(at, Source.CAMERA)] if verdict.settles else []
    entries += [Act(at, step.seat, step.words, Source.CAMERA) for step in verdict.steps]
    live = live.record(*entries)
    if verdict.steps and live.play.epoch is None:
        live = live.replace(epoch=live.session.now - at)
    play = live.play
    live = live.replace(case=play.case.agree(play.known.game.layout(play.match.state)))
    return live.session, ((Append(tuple(entries)),) if entries else ())


def _differing(live: LiveMatch, verdict: Differs) -> LiveMatch:
    case = live.play.case
    wrong = live.replace(case=case.object(disorder=True))
    if verdict.words is None:
        return raise_alert(wrong, (verdict.text,))
    if live.play.proposal is not None or live.play.declined == verdict.words:
        return live
    try:
        live.record(Correct(live.time, verdict.words, again=True))
    except Refusal as refused:
        return raise_alert(wrong, (verdict.text, refused.text))
    wanted = Proposal(ProposalKind.CORRECT, None, verdict.words, because=verdict.text, again=True)
    return live.replace(proposal=wanted, case=case.object(disorder=False), alert=())
