"""The running case of a table: evidence, questions, refusals, denials, and expected tables for undo. A session passes
it every observation, press and entry, and follows its ruling."""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from engine.arbiter.compare import FitGrade, compare, surely_taken
from engine.arbiter.evidence import (
    SURE,
    SUSPECT,
    Denial,
    Evidence,
    agreement,
    as_counted,
    gather,
    lying,
    overrule,
    plainly_seen,
    without_hidden_tracks,
)
from engine.arbiter.expectation import Expectation, Handling, carry, expectation_of
from engine.arbiter.judge import judge
from engine.arbiter.repair import repairs, repairs_from_scratch, steps
from engine.arbiter.search import displaced_tracks
from engine.arbiter.verdict import (
    Accept,
    ActionStep,
    Agree,
    Ask,
    Confirm,
    Disorder,
    Lost,
    PutBack,
    Question,
    Refuse,
    Ruling,
    Wait,
    question,
)
from engine.catalogue import AnyGame
from engine.entry import Act, Correct, Entry, Settle, Source, Undo
from engine.match import Match, reveals
from engine.table import Arrangement, Face, Health, Layout, Observation, Sighting, Spot
from engine.text import Text, say

AWAY_S = 1.0
"""Seconds: a shorter gap is too short to exchange two stones."""

AWAY = say("The camera was off. Check the hidden pieces.")
_PUT_BACK = say("Put back. If hidden pieces were swapped, correct it.")
_LOOKED_AT = say("Put back. Somebody may have looked at it.")
_DOUBT = say("Hidden pieces may have been swapped. If so, put them back or correct it.")


class Waiting(msgspec.Struct, frozen=True):
    """An unfinished action or order. due: session time (s) of the reminder; None after it."""

    text: Text
    due: float | None


class Away(msgspec.Struct, frozen=True):
    """Gaps in the camera's sight since the last observation.

    since: start of the present gap; None if the camera sees
    missed_s: seconds of earlier gaps
    moment: gaps are noticed at once; else their length is unknown"""

    since: float | None
    missed_s: float = 0.0
    moment: bool = True

    def upto(self, at: float) -> float:
        return self.missed_s if self.since is None else self.missed_s + at - self.since


class Case(msgspec.Struct, frozen=True):
    """The arbiter's state between rulings.

    evidence: since the last agreement; None until the table is seen
    seen: newest observation, without denials
    bases: expected table before each undoable action, if known
    disorder: something must be put back first
    unseen: `refused` before a restart
    objected: evidence that was refused or denied
    overruled: detections that a seat's word overrules"""

    evidence: Evidence | None = None
    seen: Observation | None = None
    bases: tuple[Expectation | None, ...] = ()
    question: Question | None = None
    waiting: Waiting | None = None
    disorder: bool = False
    unseen: bool = False
    objected: Evidence | None = None
    overruled: tuple[Denial, ...] = ()
    away: Away | None = None

    @property
    def due(self) -> float | None:
        """Session time at which `reassess` must be called at the latest; None if never."""
        return self.waiting.due if self.waiting is not None else None

    # --- the camera

    def observe(
        self, game: AnyGame, match: Match, observation: Observation, at: float, settle_s: float, *, asked: bool = False
    ) -> CaseResult:
        """Process a new observation. settle_s: seconds to wait for unfinished actions. asked: another question is open,
        so ask nothing."""
        seen, standing = as_counted(observation, self.overruled)
        case = replace(self, seen=observation, overruled=standing)
        if case.evidence is None:
            return replace(case, away=None)._first_sight(game, match, seen, asked=asked)
        told = case._missed_text(at)
        evidence = _forget_tracks(case.evidence, seen) if told is not None else case.evidence
        evidence = case._without_put_back(match, gather(evidence, seen))
        case = replace(case, evidence=evidence, waiting=case._still_due(at), away=None)
        if case.disorder and not asked and case._perhaps_restored(game, match):
            return CaseResult(case, Confirm(_PUT_BACK), told)
        return case._decide(game, match, at, settle_s)._replace(told=told)

    def observe_badly(self, observation: Observation | None, at: float, *, moment: bool) -> Case:
        """Process a poor view, a gap in sight: touches count, positions do not. moment: see `Away`."""
        evidence = self.evidence
        if evidence is not None and observation is not None:
            evidence = replace(gather(evidence, observation), seen=evidence.seen)
        return replace(self, evidence=evidence).lose_sight(at, moment=moment)

    def lose_sight(self, at: float, *, moment: bool) -> Case:
        away = self.away or Away(at)
        return replace(self, away=Away(at if away.since is None else away.since, away.missed_s, away.moment and moment))

    def regain_sight(self, at: float) -> Case:
        away = self.away
        return self if away is None or not away.moment else replace(self, away=Away(None, away.upto(at)))

    @property
    def sightless(self) -> bool:
        return self.away is not None and self.away.since is not None

    def blind(self) -> Case:
        """Forget tracks and touches, but no open matters; the next observation is compared afresh."""
        if self.evidence is None:
            return replace(self, seen=None)
        bases = (None,) * len(self.bases)
        fresh = Case(bases=bases, objected=self.objected, away=self.away)
        return fresh.resume(self.question, disorder=self.disorder, unseen=self.refused)

    def resume(self, question: Question | None, *, disorder: bool, unseen: bool) -> Case:
        """Restore open matters after a restart. unseen: `refused` before it."""
        return replace(self, question=question, disorder=disorder, unseen=unseen)

    @property
    def refused(self) -> bool:
        """True if a refusal waits until the table is put back; a picture alone may not show that."""
        return self.disorder and (self.unseen or self.objected is not None)

    # --- the buttons

    def reassess(self, game: AnyGame, match: Match, at: float, settle_s: float, *, overdue: bool) -> CaseResult:
        """Judge the newest observation again, after a press or when due. overdue: wait no longer."""
        if self.seen is None:
            return CaseResult(self)
        if self.evidence is None:
            return self._first_sight(game, match, as_counted(self.seen, self.overruled)[0])
        return self._decide(game, match, at, settle_s, overdue=overdue)

    def remind(self) -> Case:
        return replace(self, waiting=self.waiting and replace(self.waiting, due=None))

    def resolve(self, game: AnyGame, match: Match, steps: tuple[ActionStep, ...] | None) -> CaseResult:
        """Process the answer to the question. steps: actions done, or (); None for something else."""
        asked, evidence = self.question, self.evidence
        case = replace(self, question=None)
        if asked is None:
            return CaseResult(case)
        case = replace(case, objected=evidence)
        if steps is not None:
            return CaseResult(case, Accept(steps, asked.settles))
        if evidence is None:  # asked before a restart: only what lies there can be compared
            wrong = case._visibly_wrong(game, match)
            return CaseResult(replace(case, disorder=bool(wrong)), Disorder(wrong) if wrong else Lost(_DOUBT))
        if wrong := repairs(evidence.base, evidence.seen):
            return CaseResult(replace(case, disorder=True), Disorder(wrong))
        # Touches are forgotten, or they would be asked about for ever.
        return CaseResult(replace(case, evidence=case._before(game, match, evidence), disorder=False), Lost(_DOUBT))

    def extend(self) -> Case:
        """Show all answers, not only the likeliest."""
        return replace(self, question=self.question and replace(self.question, whole=True))

    def restore(self, game: AnyGame, match: Match) -> Case:
        """Accept a seat's word that the table is right, without the pending order. It overrules contrary detections
        until they change."""
        if self.seen is None:
            return self.close()
        layout = _undone_layout(game, match)
        denied = overrule(layout, self.seen)
        evidence = agreement(layout, as_counted(self.seen, denied)[0])
        return Case(evidence, self.seen, self.bases, overruled=denied, away=self.away)

    # --- the match

    def follow(self, game: AnyGame, before: Match, entry: Entry, after: Match) -> Case:
        match entry:
            case Act():
                return self._act(game, before, entry, after)
            case Settle() if self.evidence is not None and before.pending is not None:
                return self._rebase(carry(self.evidence.base, before.pending.trace))
            case Undo() if self.bases:
                return self._undo()
            case Correct(again=False):
                return replace(self, evidence=None, bases=(None,) * len(after.past))
            case _:
                return self

    def close(self) -> Case:
        """Drop all open matters, because play went on."""
        return replace(self, question=None, waiting=None, disorder=False, unseen=False, objected=None)

    def agree(self, layout: Layout) -> Case:
        """Begin the evidence again, taking this layout as what the last observation shows; unchanged without one."""
        if self.seen is None:
            return self
        base = None if self.evidence is None else self.evidence.base
        return replace(self, evidence=agreement(layout, as_counted(self.seen, self.overruled)[0], base))

    def differing(self, match: Match) -> Observation | None:
        """Return the last observation if the camera sees and something is open: disorder, question, wait or order."""
        unsettled = self.disorder or self.question is not None or self.waiting is not None or match.pending is not None
        if self.seen is None or self.sightless or not unsettled:
            return None
        return as_counted(self.seen, self.overruled)[0]

    def plainly_seen(self, layout: Layout) -> dict[Spot, Sighting] | None:
        """Return the detection of each piece of this layout; None unless all are plainly seen and nothing is open."""
        open_matters = (self.disorder, self.question, self.waiting, self.overruled, self.sightless)
        return None if self.seen is None or any(open_matters) else plainly_seen(layout, self.seen)

    def missing_steps(self, match: Match) -> tuple[Text, ...]:
        """Return the pending order's missing steps; () while a reminder is due, and for orders of one step."""
        pending = match.pending
        if pending is None or self.due is not None or len(pending.trace.moves) + len(pending.trace.turned) < 2:
            return ()
        start = expectation_of(pending.before, {}) if self.evidence is None else self.evidence.base
        return steps(pending.trace, start, self.evidence)[0]

    @property
    def still_wrong(self) -> bool:
        """True if the table was observed since the refusal and is still not put right."""
        last, seen = self.objected, self.seen
        return self.disorder and last is not None and seen is not None and seen.serial > last.seen.serial

    def object(self, *, disorder: bool) -> Case:
        return replace(self, disorder=disorder)

    # --- rulings

    def _first_sight(self, game: AnyGame, match: Match, seen: Observation, *, asked: bool = True) -> CaseResult:
        """Compare the table with the match, without earlier evidence. asked: see `observe`."""
        if seen.health is not Health.OK or self.question is not None or match.paused:
            return CaseResult(self)
        pending = match.pending
        wrong = repairs_from_scratch(game.layout(match.state), seen)
        undone = repairs_from_scratch(pending.before, seen) if pending is not None else wrong
        if undone and wrong:
            return CaseResult(replace(self, disorder=True), Disorder(undone if reveals(pending) else wrong))
        if self.disorder and self.unseen and not undone and hides(_undone_layout(game, match)):
            return CaseResult(self, None if asked else Confirm(_PUT_BACK))
        if pending is None or undone:
            return CaseResult(self, Accept((), settles=pending is not None))
        case = replace(self, evidence=agreement(pending.before, seen), disorder=False)
        if wrong:
            return CaseResult(case, PutBack())
        # The order leaves the table as it looked: only the players know if it was done.
        asks = Ask(((),), settles=True)
        return CaseResult(replace(case, question=Question(pending.seat, asks.readings, asks.settles)), asks)

    def _decide(self, game: AnyGame, match: Match, at: float, settle_s: float, *, overdue: bool = False) -> CaseResult:
        evidence = self.evidence
        assert evidence is not None
        if match.paused or (match.result is not None and match.pending is None):
            return CaseResult(self)
        if self.disorder and (fit := self._put_back(evidence)) is not FitGrade.NO:
            before = self._before(game, match, evidence)
            looked_at = _LOOKED_AT if self.objected is not None and _takes_away(self.objected) else None
            return CaseResult(
                replace(self.close(), evidence=before), PutBack(looked_at if fit is FitGrade.FULL else _PUT_BACK)
            )
        overdue |= self.question is not None and not evidence.seen.hands  # a second look alone takes no question back
        verdict = judge(game, match, evidence, overdue=overdue)
        if isinstance(verdict, Accept) and match.pending is None and not overdue and self._half_put_back(evidence):
            verdict = Wait(say("Not finished yet."))
        case = replace(self, question=None, waiting=None)
        match verdict:
            case Agree():
                denied = None if self.disorder else self.objected
                case = replace(case._fresh(game, match, evidence), disorder=False, objected=denied)
            case Wait(text):
                due = self.waiting.due if self.waiting is not None and self.waiting.text == text else None
                case = replace(case, waiting=Waiting(text, None if overdue else due or at + settle_s))
            case Ask():
                case = replace(case, question=question(game, match, verdict, evidence, self.question))
            case Refuse():
                return case._refuse(game, match, evidence, verdict)
            case Lost():
                case = replace(case._fresh(game, match, evidence), disorder=False)
        return CaseResult(case, verdict)

    def _refuse(self, game: AnyGame, match: Match, evidence: Evidence, verdict: Refuse) -> CaseResult:
        before, last = self._before(game, match, evidence), self.objected
        if _fit_untouched(evidence) is FitGrade.FULL:
            return CaseResult(replace(self, evidence=before, disorder=False), verdict)
        if last is not None and self._undone(last, evidence):
            return CaseResult(replace(self, evidence=before, objected=None))
        objected = last if last is not None and self.disorder and not _takes_away(evidence) else evidence
        return CaseResult(replace(self, objected=objected, disorder=True), verdict)

    def _fresh(self, game: AnyGame, match: Match, evidence: Evidence) -> Case:
        return replace(self, evidence=agreement(game.layout(match.state), evidence.seen, evidence.base))

    def _before(self, game: AnyGame, match: Match, evidence: Evidence) -> Evidence:
        return agreement(_undone_layout(game, match), evidence.seen, evidence.base)

    def _visibly_wrong(self, game: AnyGame, match: Match) -> tuple[Text, ...]:
        if self.seen is None or self.seen.health is not Health.OK:
            return ()
        return repairs_from_scratch(_undone_layout(game, match), as_counted(self.seen, self.overruled)[0])

    # --- put back

    def _put_back(self, evidence: Evidence) -> FitGrade:
        """Grade how well the table is put back. A drawn card is not back while the next one is on top."""
        last = self.objected
        drawn = () if last is None else (d for d in _draw_changes(last) if surely_taken(d.own, last))
        if any(_tracks(evidence.seen, each.pile) == each.next for each in drawn):
            return FitGrade.NO
        fit = _fit_untouched(evidence)
        if fit is FitGrade.NO and compare(evidence.base, replace(evidence, touches=()), loosely=True) >= FitGrade.WHOLE:
            return FitGrade.WEAK
        return fit

    def _half_put_back(self, evidence: Evidence) -> bool:
        last = self.objected
        if not self.disorder or last is None or evidence.came() - last.came():
            return False
        return displaced_tracks(evidence) < displaced_tracks(last)

    def _without_put_back(self, match: Match, evidence: Evidence) -> Evidence:
        """Remove touches of hidden pieces put back after a refusal: they were in sight, so it was no peek."""
        last, before = self.objected, self.evidence
        if not self.disorder or last is None or before is None:
            return evidence
        done = evidence.base if match.pending is None else carry(evidence.base, match.pending.trace)
        homes = _places(evidence.base), _places(done)
        was, lay, lies = lying(last.seen), lying(before.seen), lying(evidence.seen)

        def at_home(track: int, place: tuple[str, int] | None) -> bool:
            return any(home.get(track, ())[:2] == place for home in homes)

        away = {track for track in was if not at_home(track, was[track]) and not at_home(track, lay.get(track))}
        alone = evidence.hidden_tracks() - {handling.track for handling in done.handled}
        back = {track for track in away & alone if at_home(track, lies.get(track))}
        return replace(evidence, touches=tuple(touch for touch in evidence.touches if touch.track not in back))

    def _undone(self, last: Evidence, evidence: Evidence) -> bool:
        if self.disorder or not _draw_changes(last):
            return False
        return self._put_back(replace(last, seen=evidence.seen)) is not FitGrade.NO

    def _perhaps_restored(self, game: AnyGame, match: Match) -> bool:
        """Return True if all looks right, but handled hidden pieces may be exchanged."""
        evidence = self.evidence
        assert evidence is not None
        hidden = evidence.hidden_tracks()
        handled = any(touch.track in hidden and touch.certainty >= SUSPECT for touch in evidence.seen.touched)
        looks = replace(evidence, base=without_hidden_tracks(evidence.base))
        if not handled or _fit_untouched(evidence) is not FitGrade.NO or _fit_untouched(looks) is FitGrade.NO:
            return False
        return not isinstance(judge(game, match, evidence), Accept)

    # --- undo, gaps in sight

    def _act(self, game: AnyGame, before: Match, entry: Act, after: Match) -> Case:
        """Follow an action; an order changes the expected table only when carried out. Undo never begins at a private
        act (law 5)."""
        base = self.evidence.base if self.evidence is not None else None
        bases = (*self.bases, base) if len(after.past) > len(before.past) else self.bases
        case = replace(self, bases=bases[-len(after.past) :] if after.past else ())
        if base is None or entry.source is not Source.CAMERA:
            return case
        state: Any = before.state
        return case._rebase(carry(base, game.trace(state, entry.seat, game.read(state, entry.seat, entry.words))))

    def _undo(self) -> Case:
        """Expect the table before the last action; pieces that differ must be handled."""
        *bases, before = self.bases
        case = replace(self, bases=tuple(bases))
        if self.evidence is None or before is None:
            return replace(case, evidence=None)
        now = _places(self.evidence.base)
        moved = sorted(track for track, place in _places(before).items() if now.get(track) != place)
        return case._rebase(replace(before, handled=tuple(Handling(t, False, frozenset()) for t in moved)))

    def _rebase(self, base: Expectation) -> Case:
        return replace(self, evidence=self.evidence and replace(self.evidence, base=base))

    def _still_due(self, at: float) -> Waiting | None:
        waiting = self.waiting
        return waiting if waiting is None or waiting.due is not None or self.away is None else replace(waiting, due=at)

    def _missed_text(self, at: float) -> Text | None:
        evidence, away = self.evidence, self.away
        if evidence is None or away is None or (away.moment and away.upto(at) < AWAY_S):
            return None
        return None if all(held.piece.face is Face.UP for held in evidence.base.holdings()) else AWAY


class CaseResult(NamedTuple):
    """A case with its new ruling; None for nothing new. told: another message to players."""

    case: Case
    ruling: Ruling | None = None
    told: Text | None = None


def _undone_layout(game: AnyGame, match: Match) -> Layout:
    return match.pending.before if match.pending is not None else game.layout(match.state)


def hides(layout: Layout) -> bool:
    """Return True if a piece is face down: an exchange could go unseen."""
    return any(piece is not None and piece.face is Face.DOWN for zone in layout.zones for piece in zone.pieces)


def _forget_tracks(evidence: Evidence, seen: Observation) -> Evidence:
    down = (p.track for zone in seen.zones for p in zone.pieces if p is not None and p.face is not Face.UP)
    return replace(evidence, base=without_hidden_tracks(evidence.base), lost=evidence.lost | frozenset(down))


def _fit_untouched(evidence: Evidence) -> FitGrade:
    return compare(evidence.base, replace(evidence, touches=()))


def _takes_away(evidence: Evidence) -> bool:
    in_sight = {*lying(evidence.seen), *(stray.track for stray in evidence.seen.strays)}
    away = evidence.hidden_tracks() - in_sight
    return any(touch.track in away and touch.lifted and touch.certainty >= SURE for touch in evidence.touches)


class _Drawn(NamedTuple):
    pile: str
    own: frozenset[int | None]
    next: frozenset[int]


def _draw_changes(last: Evidence) -> tuple[_Drawn, ...]:
    piles = (
        (name, frozenset(h.track for h in zone if h and h.hidden))
        for name, order, zone in last.base.zones
        if order is Arrangement.PILE
    )
    every = (_Drawn(name, own, _tracks(last.seen, name)) for name, own in piles if own)
    return tuple(each for each in every if each.next and not each.next & each.own)


def _tracks(seen: Observation, name: str) -> frozenset[int]:
    return frozenset(p.track for z in seen.zones if z.zone == name for p in z.pieces if p is not None)


def _places(expectation: Expectation) -> dict[int, tuple[str, int, str]]:
    return {
        held.track: (zone, index, held.piece.face)
        for zone, _, holdings in expectation.zones
        for index, held in enumerate(holdings)
        if held is not None and held.track is not None
    }
