"""The running question at one table: all evidence of it, and what the arbiter made of it until now.

A session hands every look, press and entry to its case, and does what the ruling says. The case alone knows what was
seen since the table last agreed, what is asked, waited for, refused or denied, and what undo leads back to.
"""

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
    without_hidden_tracks,
)
from engine.arbiter.expectation import Expectation, Handling, carry, expectation_of
from engine.arbiter.judge import judge
from engine.arbiter.missing_steps import steps
from engine.arbiter.question import Question, question
from engine.arbiter.repair import repairs, repairs_from_scratch
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
    Refuse,
    Ruling,
    Wait,
)
from engine.catalogue import AnyGame
from engine.entry import Act, Correct, Entry, Settle, Source, Undo
from engine.match import Match, reveals
from engine.table import Arrangement, Face, Health, Layout, Observation
from engine.text import Text, say

AWAY_S = 1.0
"""Nobody exchanges two stones in a shorter time."""

AWAY = say("The camera was off. Check the hidden pieces.")
_PUT_BACK = say("Put back. If hidden pieces were swapped, correct it.")
_LOOKED_AT = say("Put back. Somebody may have looked at it.")
_DOUBT = say("Hidden pieces may have been swapped. If so, put them back or correct it.")


class Waiting(msgspec.Struct, frozen=True):
    """Something was begun at the table, or an order stands: what is said of it, and when somebody is reminded (seconds
    of the session's clock; None: they were, or it is not waited for any longer)."""

    text: Text
    due: float | None


class Away(msgspec.Struct, frozen=True):
    """How long the camera has not seen the table well since the last look: `missed_s`, and since when it does not now.

    moment: a picture tells at once of all that was wrong. Of what else is wrong vision is sure only after a while, so
    that nobody knows for how long it was.
    """

    since: float | None
    missed_s: float = 0.0
    moment: bool = True

    def upto(self, at: float) -> float:
        """Seconds without sight."""
        return self.missed_s if self.since is None else self.missed_s + at - self.since


class Case(msgspec.Struct, frozen=True):
    """evidence: since the table last agreed; None without a camera, and until the table was first seen.

    seen: the newest look, as vision reported it. bases: what the table looked like before each action that undo can
    take back. question, waiting: what the last verdict asks, or waits for. disorder: something must be put back first.
    objected: the evidence that was refused, or denied by whoever was asked; what was refused first, or the newest of
    which something hidden was out of sight. overruled: what the camera sees otherwise although a seat said that
    everything was put right. away: for how long the camera has not seen the table well; None: it has since the last
    look.
    """

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
        """Return the time at which the case becomes due although nobody did anything; None if it does not."""
        return self.waiting.due if self.waiting is not None else None

    # --- the camera

    def observe(
        self, game: AnyGame, match: Match, observation: Observation, at: float, settle_s: float, *, asked: bool = False
    ) -> CaseResult:
        """The table came to rest anew. at: now; settle_s: how long something unfinished is waited for, both seconds.

        asked: the players have something else to agree on, so they are not asked whether the table is put right.
        """
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
        """The table cannot be seen well: what was touched counts all the same, what lies there does not. moment: see
        `Away`."""
        evidence = self.evidence
        if evidence is not None and observation is not None:
            evidence = replace(gather(evidence, observation), seen=evidence.seen)
        return replace(self, evidence=evidence).lose_sight(at, moment=moment)

    def lose_sight(self, at: float, *, moment: bool) -> Case:
        """The camera does not see the table well from now on. moment: see `Away`."""
        away = self.away or Away(at)
        return replace(self, away=Away(at if away.since is None else away.since, away.missed_s, away.moment and moment))

    def regain_sight(self, at: float) -> Case:
        """Return the case of a camera that sees again; what lies there is not known yet."""
        away = self.away
        return self if away is None or not away.moment else replace(self, away=Away(None, away.upto(at)))

    @property
    def sightless(self) -> bool:
        """True while the camera does not see the table well."""
        return self.away is not None and self.away.since is not None

    def blind(self) -> Case:
        """Return the case without what the camera knew of the pieces' past: the table is compared afresh when it is
        seen again."""
        if self.evidence is None:
            return replace(self, seen=None)
        bases = (None,) * len(self.bases)
        fresh = Case(bases=bases, objected=self.objected, away=self.away)
        return fresh.resume(self.question, disorder=self.disorder, unseen=self.refused)

    def resume(self, question: Question | None, *, disorder: bool, unseen: bool) -> Case:
        """The case with what was open before a restart. unseen: as `refused` said then."""
        return replace(self, question=question, disorder=disorder, unseen=unseen)

    @property
    def refused(self) -> bool:
        """True if what must be put back was refused: a picture alone may not show whether it is."""
        return self.disorder and (self.unseen or self.objected is not None)

    # --- the buttons

    def again(self, game: AnyGame, match: Match, at: float, settle_s: float) -> CaseResult:
        """The newest look once more: the match went on at the buttons."""
        return self._looked_at(game, match, at, settle_s, overdue=False)

    def press(self, game: AnyGame, match: Match, at: float, settle_s: float) -> CaseResult:
        """The newest look once more: somebody pressed, or it is due, so nothing is waited for any longer."""
        return self._looked_at(game, match, at, settle_s, overdue=True)

    def remind(self) -> Case:
        """Return the case after its reminder, which is given once."""
        return replace(self, waiting=self.waiting and replace(self.waiting, due=None))

    def answer(self, game: AnyGame, match: Match, steps: tuple[ActionStep, ...] | None) -> CaseResult:
        """The answer to what is asked: what happened, or None if it was something else."""
        asked, evidence = self.question, self.evidence
        case = replace(self, question=None)
        if asked is None:
            return CaseResult(case)
        case = replace(case, objected=evidence)
        if steps is not None:
            return CaseResult(case, Accept(steps, asked.settles))
        if evidence is None:  # asked before a restart: what lies there can be compared, and no more
            wrong = case._visibly_wrong(game, match)
            return CaseResult(replace(case, disorder=bool(wrong)), Disorder(wrong) if wrong else Lost(_DOUBT))
        if wrong := repairs(evidence.base, evidence.seen):
            return CaseResult(replace(case, disorder=True), Disorder(wrong))
        # What was touched is forgotten, so that nobody is asked of it for ever.
        return CaseResult(replace(case, evidence=case._before(game, match, evidence), disorder=False), Lost(_DOUBT))

    def widen(self) -> Case:
        """Return the case with every reading offered, as the player who is asked wants."""
        return replace(self, question=self.question and replace(self.question, whole=True))

    def restore(self, game: AnyGame, match: Match) -> Case:
        """Everything lies as it should, as somebody said who may: from here on it is looked at anew.

        What the camera plainly sees otherwise counts no longer, until it changes; nothing that was refused is done.
        """
        if self.seen is None:
            return self.close()
        layout = _undone_layout(game, match)
        denied = overrule(layout, self.seen)
        evidence = agreement(layout, as_counted(self.seen, denied)[0])
        return Case(evidence, self.seen, self.bases, overruled=denied, away=self.away)

    # --- the match

    def follow(self, game: AnyGame, before: Match, entry: Entry, after: Match) -> Case:
        """An entry counts: what should lie on the table from now on. before, after: the match around the entry."""
        match entry:
            case Act():
                return self._act(game, before, entry, after)
            case Settle() if self.evidence is not None and before.owed is not None:
                return self._rebase(carry(self.evidence.base, before.owed.trace))
            case Undo() if self.bases:
                return self._undo()
            case Correct(again=False):
                return replace(self, evidence=None, bases=(None,) * len(after.past))
            case _:
                return self

    def close(self) -> Case:
        """Play went on: nothing is asked, waited for or objected to any longer."""
        return replace(self, question=None, waiting=None, disorder=False, unseen=False, objected=None)

    def agree(self, layout: Layout) -> Case:
        """The table, as it was seen last, is this; without a look nothing is known of it."""
        if self.seen is None:
            return self
        base = None if self.evidence is None else self.evidence.base
        return replace(self, evidence=agreement(layout, as_counted(self.seen, self.overruled)[0], base))

    def differing(self, match: Match) -> Observation | None:
        """Return what the camera sees while the table does not, or may not, match the state; None while it does or
        nobody sees it."""
        unsettled = self.disorder or self.question is not None or self.waiting is not None or match.owed is not None
        if self.seen is None or self.sightless or not unsettled:
            return None
        return as_counted(self.seen, self.overruled)[0]

    def still_owed(self, match: Match) -> tuple[Text, ...]:
        """The steps of an order that nobody has carried out yet; () if its words say enough, or before the reminder."""
        owed = match.owed
        if owed is None or self.due is not None or len(owed.trace.moves) + len(owed.trace.turned) < 2:
            return ()
        start = expectation_of(owed.before, {}) if self.evidence is None else self.evidence.base
        return steps(owed.trace, start, self.evidence)[0]

    @property
    def way_out(self) -> bool:
        """True if something was done about what is refused, and the camera still does not see it put right."""
        last, seen = self.objected, self.seen
        return self.disorder and last is not None and seen is not None and seen.serial > last.seen.serial

    def object(self, *, disorder: bool) -> Case:
        """Return the case with something to put right before play goes on, or with nothing."""
        return replace(self, disorder=disorder)

    # --- how it comes to a ruling

    def _looked_at(self, game: AnyGame, match: Match, at: float, settle_s: float, *, overdue: bool) -> CaseResult:
        if self.seen is None:
            return CaseResult(self)
        if self.evidence is None:
            return self._first_sight(game, match, as_counted(self.seen, self.overruled)[0])
        return self._decide(game, match, at, settle_s, overdue=overdue)

    def _first_sight(self, game: AnyGame, match: Match, seen: Observation, *, asked: bool = True) -> CaseResult:
        """Compare the table with the match before any action is looked for. Args: asked: see `observe`; a question from
        before a restart is answered first."""
        if seen.health is not Health.OK or self.question is not None:
            return CaseResult(self)
        owed = match.owed
        wrong = repairs_from_scratch(game.layout(match.state), seen)
        undone = repairs_from_scratch(owed.before, seen) if owed is not None else wrong
        if undone and wrong:
            return CaseResult(replace(self, disorder=True), Disorder(undone if reveals(owed) else wrong))
        if self.disorder and self.unseen and not undone and hides(_undone_layout(game, match)):
            return CaseResult(self, None if asked else Confirm(_PUT_BACK))
        if owed is None or undone:
            return CaseResult(self, Accept((), settles=owed is not None))
        case = replace(self, evidence=agreement(owed.before, seen), disorder=False)
        if wrong:
            return CaseResult(case, PutBack())
        # What was ordered leaves the table as it looked before: only the players know whether it was done.
        asks = Ask(((),), settles=True)
        return CaseResult(replace(case, question=Question(owed.seat, asks.readings, asks.settles)), asks)

    def _decide(self, game: AnyGame, match: Match, at: float, settle_s: float, *, overdue: bool = False) -> CaseResult:
        evidence = self.evidence
        assert evidence is not None
        if match.paused or (match.result is not None and match.owed is None):
            return CaseResult(self)
        if self.disorder and (fit := self._put_back(evidence)) is not FitGrade.NO:
            before = self._before(game, match, evidence)
            looked_at = _LOOKED_AT if self.objected is not None and _takes_away(self.objected) else None
            return CaseResult(
                replace(self.close(), evidence=before), PutBack(looked_at if fit is FitGrade.FULL else _PUT_BACK)
            )
        overdue |= self.question is not None and not evidence.seen.hands  # a second look alone takes no question back
        verdict = judge(game, match, evidence, overdue=overdue)
        if isinstance(verdict, Accept) and match.owed is None and not overdue and self._half_put_back(evidence):
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
        """Return the finding after a refusal: nothing else counts until the table is put right. After a peek nothing
        has to be."""
        before, last = self._before(game, match, evidence), self.objected
        if _fit_untouched(evidence) is FitGrade.FULL:
            return CaseResult(replace(self, evidence=before, disorder=False), verdict)
        if last is not None and self._undone(last, evidence):
            return CaseResult(replace(self, evidence=before, objected=None))
        objected = last if last is not None and self.disorder and not _takes_away(evidence) else evidence
        return CaseResult(replace(self, objected=objected, disorder=True), verdict)

    def _fresh(self, game: AnyGame, match: Match, evidence: Evidence) -> Case:
        """The table is as the match says."""
        return replace(self, evidence=agreement(game.layout(match.state), evidence.seen, evidence.base))

    def _before(self, game: AnyGame, match: Match, evidence: Evidence) -> Evidence:
        """Nothing was done; what was ordered is still to be done."""
        return agreement(_undone_layout(game, match), evidence.seen, evidence.base)

    def _visibly_wrong(self, game: AnyGame, match: Match) -> tuple[Text, ...]:
        """Steps that put right what the newest look plainly shows; () if nothing was seen yet."""
        if self.seen is None or self.seen.health is not Health.OK:
            return ()
        return repairs_from_scratch(_undone_layout(game, match), as_counted(self.seen, self.overruled)[0])

    # --- put back

    def _put_back(self, evidence: Evidence) -> FitGrade:
        """Grade how well everything lies as it did. A card drawn from a pile is not back while the next one lies on
        top."""
        last = self.objected
        drawn = () if last is None else (d for d in _draw_changes(last) if surely_taken(d.own, last))
        if any(_tracks(evidence.seen, each.pile) == each.next for each in drawn):
            return FitGrade.NO
        fit = _fit_untouched(evidence)
        if fit is FitGrade.NO and compare(evidence.base, replace(evidence, touches=()), loosely=True) >= FitGrade.WHOLE:
            return FitGrade.WEAK
        return fit

    def _half_put_back(self, evidence: Evidence) -> bool:
        """Return True if only a part of what was refused is put back: the rest may follow."""
        last = self.objected
        if not self.disorder or last is None or evidence.came() - last.came():
            return False
        return displaced_tracks(evidence) < displaced_tracks(last)

    def _without_put_back(self, match: Match, evidence: Evidence) -> Evidence:
        """The evidence of a look, without how those hidden pieces were handled that came back with it.

        When something was refused they lay elsewhere, in sight: who brings one back has not looked at it.
        """
        last, before = self.objected, self.evidence
        if not self.disorder or last is None or before is None:
            return evidence
        done = evidence.base if match.owed is None else carry(evidence.base, match.owed.trace)
        homes = _places(evidence.base), _places(done)
        was, lay, lies = lying(last.seen), lying(before.seen), lying(evidence.seen)

        def at_home(track: int, place: tuple[str, int] | None) -> bool:
            return any(home.get(track, ())[:2] == place for home in homes)

        away = {track for track in was if not at_home(track, was[track]) and not at_home(track, lay.get(track))}
        alone = evidence.hidden_tracks() - {handling.track for handling in done.handled}
        back = {track for track in away & alone if at_home(track, lies.get(track))}
        return replace(evidence, touches=tuple(touch for touch in evidence.touches if touch.track not in back))

    def _undone(self, last: Evidence, evidence: Evidence) -> bool:
        """True if a card is put back on a pile that was drawn from when somebody denied what was made of it."""
        if self.disorder or not _draw_changes(last):
            return False
        return self._put_back(replace(last, seen=evidence.seen)) is not FitGrade.NO

    def _perhaps_restored(self, game: AnyGame, match: Match) -> bool:
        """True if hidden pieces were handled, and everything looks as it did but for which of them is which.

        Only the players know then whether they put it right: the camera may have lost sight of one. But what was
        refused in the middle of it may by now be what was ordered.
        """
        evidence = self.evidence
        assert evidence is not None
        hidden = evidence.hidden_tracks()
        handled = any(touch.track in hidden and touch.certainty >= SUSPECT for touch in evidence.seen.touched)
        looks = replace(evidence, base=without_hidden_tracks(evidence.base))
        if not handled or _fit_untouched(evidence) is not FitGrade.NO or _fit_untouched(looks) is FitGrade.NO:
            return False
        return not isinstance(judge(game, match, evidence), Accept)

    # --- what undo and a camera that was away leave

    def _act(self, game: AnyGame, before: Match, entry: Act, after: Match) -> Case:
        """Return the case after an action by menu. By hand it is done; an order leaves the table as it is until it is
        carried out. Undo never begins at a private act, such as a note (law 5)."""
        base = self.evidence.base if self.evidence is not None else None
        bases = (*self.bases, base) if len(after.past) > len(before.past) else self.bases
        case = replace(self, bases=bases[-len(after.past) :] if after.past else ())
        if base is None or entry.source is not Source.CAMERA:
            return case
        state: Any = before.state
        return case._rebase(carry(base, game.trace(state, entry.seat, game.read(state, entry.seat, entry.words))))

    def _undo(self) -> Case:
        """The table as it was; whatever lies elsewhere now has to be handled to bring it there."""
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
        """Return what is waited for, due now if it became due while nothing was seen."""
        waiting = self.waiting
        return waiting if waiting is None or waiting.due is not None or self.away is None else replace(waiting, due=at)

    def _missed_text(self, at: float) -> Text | None:
        """Return what everybody reads if hidden pieces may have changed places while the camera did not see them."""
        evidence, away = self.evidence, self.away
        if evidence is None or away is None or (away.moment and away.upto(at) < AWAY_S):
            return None
        return None if all(held.piece.face is Face.UP for held in evidence.base.holdings()) else AWAY


class CaseResult(NamedTuple):
    """A case after one look, press or answer. ruling: what it came to; None: nothing new. told: to be told beside."""

    case: Case
    ruling: Ruling | None = None
    told: Text | None = None


def _undone_layout(game: AnyGame, match: Match) -> Layout:
    """The table before what is ordered is carried out."""
    return match.owed.before if match.owed is not None else game.layout(match.state)


def hides(layout: Layout) -> bool:
    """True if a piece lies face down: nobody sees whether two of them were exchanged."""
    return any(piece is not None and piece.face is Face.DOWN for zone in layout.zones for piece in zone.pieces)


def _forget_tracks(evidence: Evidence, seen: Observation) -> Evidence:
    """Evidence of a table whose hidden pieces were not followed: any of them may be any other."""
    down = (p.track for zone in seen.zones for p in zone.pieces if p is not None and p.face is not Face.UP)
    return replace(evidence, base=without_hidden_tracks(evidence.base), lost=evidence.lost | frozenset(down))


def _fit_untouched(evidence: Evidence) -> FitGrade:
    """Grade how well every piece lies where it lay when the table last agreed, whatever was handled since."""
    return compare(evidence.base, replace(evidence, touches=()))


def _takes_away(evidence: Evidence) -> bool:
    """Return True if something hidden was taken up and is nowhere in sight."""
    in_sight = {*lying(evidence.seen), *(stray.track for stray in evidence.seen.strays)}
    away = evidence.hidden_tracks() - in_sight
    return any(touch.track in away and touch.lifted and touch.certainty >= SURE for touch in evidence.touches)


class _Drawn(NamedTuple):
    """A pile, the card that lay on it, and what lies there instead."""

    pile: str
    own: frozenset[int | None]
    next: frozenset[int]


def _draw_changes(last: Evidence) -> tuple[_Drawn, ...]:
    """Piles of which another hidden card lay on top than before."""
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
