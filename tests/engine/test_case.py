"""A case: what is seen, pressed, ordered and taken back, and what it comes to. The session only passes it on."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from engine import match as matches
from engine.arbiter import (
    AWAY,
    Accept,
    ActionStep,
    Agree,
    Ask,
    Case,
    CaseResult,
    Confirm,
    Disorder,
    Evidence,
    Lost,
    PutBack,
    Refuse,
    Wait,
)
from engine.arbiter.case import Away
from engine.arbiter.compare import FitGrade, compare
from engine.arbiter.expectation import carry
from engine.entry import Act, Correct, Entry, Source, Start, Undo
from engine.match import Match
from engine.table import Face, Health, Observation, Piece, Sight, Sighting, Touch, Trace
from engine.text import say
from referee_simulator.conformance.playouts import load
from tests.engine.ideal import IdealTable

GAME, OPTIONS = load("tellstones", {"first_stone": "scales", "starter": "a"})
SETTLE_S = 4.0


class Table:
    """A match of Tellstones whose Line is hidden crown, scales, and which a case follows with ideal eyes."""

    def __init__(self) -> None:
        self.match: Match = matches.begin(GAME, Start(0.0, "tellstones", dict(OPTIONS), ("a", "b"), 1))
        for seat, line in (("a", "place crown left"), ("b", "hide crown")):
            self.match, _ = matches.advance(GAME, self.match, Act(0.0, seat, tuple(line.split()), Source.CAMERA))
        self.pieces = IdealTable.of(GAME.layout(self.match.state))
        self.now = 0.0
        self.case = Case()
        self.look()

    def look(self, seen: Observation | None = None, *, asked: bool = False) -> CaseResult:
        self.now += 1.0
        seen = seen or self.pieces.observe(self.now)
        found = self.case.observe(GAME, self.match, seen, self.now, SETTLE_S, asked=asked)
        self.case = found.case
        if isinstance(found.ruling, Accept):
            self.case = found.case.agree(GAME.layout(self.match.state))
        return found

    def press(self) -> CaseResult:
        found = self.case.reassess(GAME, self.match, self.now, SETTLE_S, overdue=True)
        self.case = found.case
        return found

    def trace(self, line: str) -> Trace:
        seat = min(GAME.actors(self.match.state))
        return GAME.trace(self.match.state, seat, GAME.read(self.match.state, seat, tuple(line.split())))

    def enter(self, entry: Entry) -> None:
        after, _ = matches.advance(GAME, self.match, entry)
        self.case = self.case.follow(GAME, self.match, entry, after).close()
        self.match = after

    def lift(self, zone: str, index: int) -> Any:
        """Somebody holds a piece."""
        held = self.pieces.zones[zone].pop(index)
        self.touch(held)
        return held

    def touch(self, held: Any, by: str = "b", certainty: float = 1.0) -> None:
        """A hand picks a piece up, and leaves it where it is now."""
        self.pieces.touched[held[0]] = Touch(held[0], True, certainty, frozenset(by))
        self.pieces.hands |= frozenset(by)

    def play(self, *lines: str) -> list[Any]:
        """More actions, as whoever may do them; what lies on the Line then, with nothing touched."""
        for line in lines:
            act = Act(0.0, min(GAME.actors(self.match.state)), tuple(line.split()), Source.CAMERA)
            self.match, _ = matches.advance(GAME, self.match, act)
        self.pieces = IdealTable.of(GAME.layout(self.match.state))
        self.case = Case()
        self.look()
        return self.pieces.zones["line"]

    def order(self, line: str) -> str:
        """Somebody orders it at the buttons; a seat whose hand may carry it out."""
        self.enter(Act(self.now, min(GAME.actors(self.match.state)), tuple(line.split()), Source.BUTTONS))
        assert self.match.pending is not None
        return min(self.match.pending.trace.hands)

    def swapped_wrongly(self) -> tuple[str, list[Any], list[Any]]:
        """Of hidden crown, scales and sword the latter two are to be swapped; sword and crown are, and that is refused.
        The hand, the Line as it is, and as it was."""
        line = self.play("place sword right")
        by, before = self.order("swap scales sword"), [*line]
        line.reverse()
        self.touch(line[0], by)
        self.touch(line[2], by)
        self.refused("other stones swapped")
        return by, line, before

    def refused(self, kind: str) -> None:
        self.look()
        found = self.press().ruling
        assert isinstance(found, Refuse)
        assert found.kind == kind


@pytest.fixture
def table() -> Table:
    return Table()


def test_what_is_begun_is_waited_for_until_it_is_due_and_then_refused(table: Table) -> None:
    held = table.lift("pool", 0)
    first = table.look()
    assert isinstance(first.ruling, Wait)
    assert table.case.due == table.now + SETTLE_S
    due = table.case.due
    assert isinstance(table.look().ruling, Wait)
    assert table.case.due == due, "looking again does not begin the time again"
    table.case = table.case.remind()
    assert table.case.due is None
    table.look()
    assert table.case.due == table.now + SETTLE_S, "somebody was reminded: the time begins again"
    refused = table.press()
    assert isinstance(refused.ruling, Refuse)
    assert table.case.disorder
    table.pieces.zones["pool"].insert(0, held)
    assert table.look().ruling == PutBack()
    assert not table.case.disorder
    assert table.case.objected is None


def test_a_hidden_stone_that_was_away_may_have_been_looked_at(table: Table) -> None:
    """A peek beyond the table's edge looks as a stone that is gone (T19), and then as one that is put back."""
    held = table.lift("line", 0)
    table.look()
    gone = table.press()
    assert isinstance(gone.ruling, Refuse)
    assert gone.ruling.violations[0].clause == "T19"
    table.pieces.zones["line"].insert(0, held)
    assert table.look().ruling == PutBack(say("Put back. Somebody may have looked at it."))
    assert not table.case.disorder


def test_nobody_looked_at_a_stone_that_lies_open(table: Table) -> None:
    held = table.lift("line", 1)
    table.look()
    assert isinstance(table.press().ruling, Refuse)
    table.pieces.zones["line"].insert(1, held)
    assert table.look().ruling == PutBack()


@pytest.mark.clause("T9")
def test_what_is_put_back_step_by_step_is_no_action_on_the_way(table: Table) -> None:
    """Two actions at once are refused. With one of them undone the table looks as if the other alone had been done."""
    table.pieces.perform(table.trace("place sword left"))
    line = table.pieces.zones["line"]
    number, track = next((index, held[0]) for index, held in enumerate(line) if held and held[1].kind == "scales")
    line[number] = (track, Piece(None, Face.DOWN))
    table.touch(line[number])
    table.refused("two actions")
    line[number] = (track, Piece("scales"))
    assert isinstance(table.look().ruling, Wait)
    assert table.case.disorder
    accepted = table.press()
    assert isinstance(accepted.ruling, Accept), "only one of them was to be taken back"
    assert accepted.ruling.steps[0].words == ("place", "sword", "left")


@pytest.mark.clause("T24")
def test_whoever_puts_a_hidden_stone_back_has_not_looked_at_it(table: Table) -> None:
    """Other stones are swapped than were ordered; then it is mended by doing what was ordered at once."""
    by, line, (hidden, scales, sword) = table.swapped_wrongly()
    line[:] = [hidden, sword, scales]
    table.touch(scales, by)
    assert table.look().ruling == Accept((), settles=True)


@pytest.mark.clause("T24")
def test_hidden_stones_that_were_exchanged_and_put_right_as_ordered_are(table: Table) -> None:
    line = table.play("hide scales", "place sword right", "hide sword", "place flag right", "hide flag")
    by, (one, two, three, four) = table.order("swap 1 2"), line
    line[:] = [one, two, four, three]
    table.touch(three, by)
    table.touch(four, by)
    table.refused("other stones swapped")
    line[:] = [two, one, three, four]
    for held in (one, two, three, four):
        table.touch(held, by)
    assert table.look().ruling == Accept((), settles=True)


@pytest.mark.clause("T9")
def test_who_looks_at_a_hidden_stone_once_it_is_back_is_refused(table: Table) -> None:
    by, line, (hidden, scales, sword) = table.swapped_wrongly()
    line[:] = [hidden, scales]
    table.pieces.touched.clear()
    table.touch(hidden, by)
    table.touch(sword, by)
    assert not isinstance(table.look().ruling, Accept)
    line[:] = [hidden, sword, scales]
    table.touch(hidden, "b" if by == "a" else "a")
    assert isinstance(table.look().ruling, Refuse)


@pytest.mark.clause("T9")
def test_a_peek_beside_an_action_stays_refused(table: Table) -> None:
    line = table.play("place sword right")
    table.pieces.perform(table.trace("swap scales sword"))
    table.touch(line[0])
    for _ in range(2):
        table.look()
        assert isinstance(table.press().ruling, Refuse)


def test_what_was_denied_stays_denied(table: Table) -> None:
    """Beside an action a hidden stone was perhaps lifted; whoever is asked says that something else happened."""
    hidden = table.pieces.zones["line"][0]
    table.pieces.perform(table.trace("place sword right"))
    table.touch(hidden, certainty=0.7)
    table.look()
    assert isinstance(table.press().ruling, Ask)
    table.case = table.case.resolve(GAME, table.match, None).case
    assert table.case.disorder
    assert not isinstance(table.press().ruling, Accept)


@pytest.mark.parametrize(
    ("places", "told"),
    [(("beside",), False), (("away",), True), (("away", "beside"), True), (("beside", "away"), True)],
)
def test_a_hidden_stone_that_lies_in_sight_all_the_time_was_not_looked_at(
    table: Table, places: tuple[str, ...], *, told: bool
) -> None:
    """It is moved along the Line, beside it, or away from the table, and refused each time."""
    line = table.pieces.zones["line"]
    line[:] = line[::-1]
    hidden = line[1]
    assert hidden is not None
    table.touch(hidden, "a")
    table.look()
    assert isinstance(table.press().ruling, Refuse)
    del line[1]
    stray = Sighting(hidden[0], None, Face.DOWN, Sight.SEEN, 1.0, 0.0, 0.0, 0.0)
    for place in places:
        table.look(replace(table.pieces.observe(table.now), strays=(stray,) if place == "beside" else ()))
        assert isinstance(table.press().ruling, Refuse)
    line.insert(0, hidden)
    found = table.look().ruling
    assert isinstance(found, PutBack)
    assert (found.doubt is not None) is told


@pytest.mark.clause("T14")
def test_a_hidden_stone_is_back_also_where_the_order_moves_its_place(table: Table) -> None:
    line = table.play("place sword right")
    by, (hidden, scales, sword) = table.order("place flag left"), line
    line[:] = [scales, sword, hidden]
    table.touch(hidden, by)
    table.look()
    assert isinstance(table.press().ruling, Refuse)
    line[:] = [hidden, scales, sword]
    pending = table.match.pending
    assert pending is not None
    table.pieces.perform(pending.trace, by)
    assert table.look().ruling == Accept((), settles=True)


def test_who_puts_a_stone_back_and_acts_at_once_is_not_waited_for(table: Table) -> None:
    """Nothing of what was refused is left to be put back."""
    held = table.lift("line", 1)
    table.refused("stone gone")
    table.pieces.zones["line"].insert(1, held)
    table.pieces.perform(table.trace("place sword right"))
    assert isinstance(table.look().ruling, Accept)


def test_a_case_that_agrees_forgets_what_was_touched(table: Table) -> None:
    table.pieces.hands = frozenset("a")
    assert isinstance(table.look().ruling, Agree)
    assert table.case.evidence is not None
    assert table.case.evidence.hands == frozenset()


def test_what_nobody_can_tell_is_asked_and_the_answer_is_accepted_or_denied(table: Table) -> None:
    trace = table.trace("place sword left")
    table.pieces.perform(trace)
    assert table.case.evidence is not None
    seen = replace(table.case.evidence, seen=table.pieces.observe(1.0))
    unknown = (
        p and (replace(p, kind=None, face=None, sight=Sight.UNKNOWN) if p.kind == "sword" else p)
        for p in seen.seen.zone("line").pieces
    )
    found = table.look(with_zone(seen, "line", tuple(unknown)).seen)
    if isinstance(found.ruling, Wait):
        found = table.press()
    assert isinstance(found.ruling, Ask)
    asked = table.case.question
    assert asked is not None
    step = ActionStep("a", ("place", "sword", "left"))
    assert (step,) in asked.readings
    assert asked.seat == "a"
    accepted = table.case.resolve(GAME, table.match, (step,))
    assert accepted.ruling == Accept((step,))
    denied = table.case.resolve(GAME, table.match, None)
    assert isinstance(denied.ruling, Disorder)
    assert denied.case.disorder
    assert denied.case.objected == table.case.evidence
    assert denied.case.question is None


def test_an_order_leaves_the_table_as_it_is_and_undo_brings_it_back(table: Table) -> None:
    assert table.case.evidence is not None
    before = table.case.evidence.base
    table.enter(Act(1.0, "a", ("place", "sword", "left")))
    assert table.match.pending is not None
    assert table.case.evidence.base == before
    assert table.case.bases == (before,)
    assert isinstance(table.look().ruling, Wait)
    table.pieces.perform(table.match.pending.trace)
    assert table.look().ruling == Accept((), settles=True)
    table.match = replace(table.match, pending=None)
    table.enter(Undo(3.0, "a"))
    assert table.case.bases == ()
    assert table.case.evidence is not None
    assert [handling.lifted for handling in table.case.evidence.base.handled], "what lies elsewhere has to be handled"


def test_undo_brings_the_table_back_to_before_the_last_act_that_it_takes_back(table: Table) -> None:
    assert table.case.evidence is not None
    before = table.case.evidence.base
    table.enter(Act(1.0, "a", ("place", "sword", "left"), Source.CAMERA))
    assert table.case.evidence.base != before
    noted = table.case.follow(GAME, table.match, Act(2.0, "b", ("note",)), table.match)
    assert noted.bases == (before,), "what nobody notices cannot be taken back (law 5)"
    table.case = noted
    table.enter(Undo(3.0, "a"))
    assert table.case.evidence is not None
    assert table.case.evidence.base.zones == before.zones


def test_what_revealed_something_ends_what_can_be_taken_back(table: Table) -> None:
    table.enter(Act(1.0, "a", ("place", "sword", "left"), Source.CAMERA))
    assert len(table.case.bases) == 1
    shown = replace(table.match, past=())
    assert table.case.follow(GAME, table.match, Act(2.0, "b", ("place", "flag", "left")), shown).bases == ()


def test_a_correction_is_looked_at_as_if_for_the_first_time(table: Table) -> None:
    after = table.case.follow(GAME, table.match, Correct(1.0, ("is", "1", "flag"), again=False), table.match)
    assert after.evidence is None
    assert after.seen is table.case.seen
    found = after.reassess(GAME, table.match, 2.0, SETTLE_S, overdue=False)
    assert found.ruling == Accept(()), "the table is as the match says"
    table.lift("line", 0)
    wrong = replace(after, seen=table.pieces.observe(3.0)).reassess(GAME, table.match, 3.0, SETTLE_S, overdue=False)
    assert isinstance(wrong.ruling, Disorder)
    assert wrong.case.disorder


def test_a_camera_that_was_away_may_have_missed_an_exchange(table: Table) -> None:
    table.case = table.case.lose_sight(table.now, moment=True)
    table.now += 2.0
    found = table.look()
    assert found.told == AWAY
    assert isinstance(found.ruling, Lost)
    table.case = table.case.lose_sight(table.now + 0.5, moment=True)
    assert table.look().told is None, "nobody exchanges two stones in half a second"
    table.case = table.case.lose_sight(table.now + 0.5, moment=False)
    assert table.look().told == AWAY, "nobody knows how long it was away before that was told"


def test_nothing_is_judged_while_the_camera_sees_badly(table: Table) -> None:
    table.pieces.perform(table.trace("place sword left"))
    bad = replace(table.pieces.observe(2.0), health=Health.BUMPED)
    table.case = table.case.observe_badly(bad, 2.0, moment=True)
    assert table.case.evidence is not None
    assert table.case.evidence.seen.health is Health.OK
    assert table.case.evidence.touches, "what was touched counts all the same"
    assert table.case.away == Away(2.0)
    assert table.case.observe_badly(None, 3.0, moment=True).away == Away(2.0)


def test_moments_without_sight_add_up_and_what_is_told_late_counts_until_the_next_look(table: Table) -> None:
    blinks = table.case
    for at in (1.0, 2.0, 3.0):
        blinks = blinks.lose_sight(at, moment=True).lose_sight(at + 0.2, moment=True).regain_sight(at + 0.4)
        assert not blinks.sightless
    assert blinks.away is not None
    assert blinks.away.upto(60.0) == pytest.approx(1.2)
    late = table.case.lose_sight(1.0, moment=False).lose_sight(1.2, moment=True).regain_sight(1.4)
    assert late.away is not None
    assert late.away.upto(4.0) == pytest.approx(3.0)


def test_a_blind_case_knows_nothing_but_what_undo_needs(table: Table) -> None:
    table.enter(Act(1.0, "a", ("place", "sword", "left"), Source.CAMERA))
    blind = table.case.blind()
    assert (blind.seen, blind.evidence, blind.question, blind.waiting) == (None, None, None, None)
    assert blind.bases == (None,)
    assert blind.reassess(GAME, table.match, 2.0, SETTLE_S, overdue=True).ruling is None


def test_what_was_refused_before_the_camera_was_away_is_put_back_only_if_everybody_says_so(table: Table) -> None:
    table.enter(Act(1.0, "a", ("hide", "scales"), Source.CAMERA))
    table.pieces = IdealTable.of(GAME.layout(table.match.state))
    table.case = Case().resume(None, disorder=True, unseen=True)
    assert isinstance(table.look().ruling, Confirm)
    assert table.case.disorder
    assert table.look(asked=True).ruling is None, "they have something else to agree on"
    table.case = Case().resume(None, disorder=True, unseen=False)
    assert isinstance(table.look().ruling, Accept), "what only lay wrong is seen to lie right"


def test_hidden_stones_that_lie_as_they_did_may_be_others(table: Table) -> None:
    """Whoever refused it sees backs in their places: which is which only the players know."""
    table.enter(Act(1.0, "a", ("hide", "scales"), Source.CAMERA))
    table.pieces = IdealTable.of(GAME.layout(table.match.state))
    table.case = Case()
    table.look()
    table.case = table.case.object(disorder=True)
    table.pieces.zones["line"].reverse()
    hidden = [held[0] for held in table.pieces.zones["line"] if held]
    seen = table.pieces.observe(2.0)
    seen = replace(
        seen, touched=tuple(Touch(track, True, 1.0, frozenset("a")) for track in hidden), hands=frozenset("a")
    )
    assert isinstance(table.look(seen).ruling, Confirm)
    table.case = replace(table.case, disorder=True)
    assert not isinstance(table.look(seen, asked=True).ruling, Confirm), "they have something else to agree on"


def test_a_word_that_all_is_put_right_counts_until_it_looks_otherwise(table: Table) -> None:
    table.lift("line", 0)
    table.look()
    assert isinstance(table.press().ruling, Refuse)
    restored = table.case.restore(GAME, table.match)
    assert not restored.disorder
    assert restored.evidence is not None
    assert compare(restored.evidence.base, restored.evidence) is FitGrade.FULL


def test_what_is_left_alone_may_be_covered(table: Table) -> None:
    assert table.case.evidence is not None
    pool = table.case.evidence.seen.zone("pool").pieces
    covered = with_zone(table.case.evidence, "pool", tuple(p and replace(p, sight=Sight.COVERED) for p in pool))
    assert compare(covered.base, covered) is FitGrade.FULL


def test_the_comparison_is_graded(table: Table) -> None:
    """The less of the pool is in sight, the less speaks for it; what is plainly another speaks against it."""
    evidence = table.case.evidence
    assert evidence is not None
    pool = tuple(piece for piece in evidence.seen.zone("pool").pieces if piece is not None)
    short = with_zone(evidence, "pool", pool[1:])
    assert compare(short.base, short) is FitGrade.NO
    assert compare(short.base, short, loosely=True) is FitGrade.NEAR
    dim = tuple(replace(p, track=p.track + 90, kind=None, face=None, sight=Sight.UNKNOWN) for p in pool)
    whole = with_zone(evidence, "pool", dim)
    assert compare(whole.base, whole) is FitGrade.WEAK
    assert compare(whole.base, whole, loosely=True) is FitGrade.WHOLE
    placed = carry(evidence.base, table.trace("place sword left"))
    gone = with_zone(evidence, "pool", tuple(p for p in pool if p.kind != "sword"))
    assert compare(placed, gone, loosely=True) is FitGrade.DIM, "it may lie where nothing is seen"
    wrong = with_zone(evidence, "pool", tuple(replace(p, kind="moon") for p in pool))
    assert compare(wrong.base, wrong, loosely=True) is FitGrade.NO


def with_zone(evidence: Evidence, name: str, pieces: tuple[Sighting | None, ...]) -> Evidence:
    """The evidence with other sightings in a zone."""
    zones = tuple(replace(z, pieces=pieces) if z.zone == name else z for z in evidence.seen.zones)
    return replace(evidence, seen=replace(evidence.seen, zones=zones))
