"""The arbiter with ideal eyes: whatever is done by the rules is accepted, whatever is not is refused by its clause."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest
from msgspec.structs import replace

from engine import match as matches
from engine.arbiter import (
    Accept,
    ActionStep,
    Agree,
    Ask,
    Differs,
    Evidence,
    Lost,
    Refuse,
    Verdict,
    Wait,
    agreement,
    gather,
    judge,
)
from engine.arbiter.compare import FitGrade, compare
from engine.arbiter.verdict import Readings
from engine.catalogue import AnyGame, complete
from engine.entry import Act, Correct, Source, Start
from engine.grammar import sentences
from engine.match import Match
from engine.table import Face, Health, Observation, Piece, Sight, Touch, Trace
from engine.text import say
from tests.engine.ideal import IdealTable
from tests.engine.specs import game as load
from tests.engine.specs import spec

GAME = load("tellstones")
TABLES = [(2, {}), (4, {}), (2, {"mode": "two-line"}), (2, {"orders": "declared"})]


def begun(seats: int = 2, seed: int = 1, **options: Any) -> Match:
    given = complete(spec("tellstones").options, {"starter": "a"} | options)
    return matches.begin(GAME, Start(0.0, "tellstones", dict(given), tuple("abcd"[:seats]), seed))


def positions(seats: int, options: dict[str, Any], seed: int, count: int) -> Iterator[Match]:
    """Matches in many states, reached by random play."""
    dice = random.Random(seed)
    match = begun(seats, seed, **options)
    for _ in range(count):
        yield match
        moves = [(s, w) for s in sorted(GAME.actors(match.state)) for w in sentences(GAME, match.state, s)]
        if match.result is not None or not moves:
            match = begun(seats, dice.randrange(10**6), **options)
            continue
        seat, words = dice.choice(moves)
        match, _ = matches.advance(GAME, match, Act(match.at, seat, words, Source.CAMERA))
        match = replace(match, pending=None)


def seen(match: Match, trace: Trace, hand: str | None = None) -> Evidence:
    table = IdealTable.of(GAME.layout(match.state))
    watch = agreement(GAME.layout(match.state), table.observe())
    table.perform(trace, hand)
    observation = table.observe(1.0)
    return gather(watch, observation)


def actions(game: AnyGame, match: Match) -> Iterator[tuple[str, tuple[str, ...], Trace]]:
    for seat in sorted(game.actors(match.state)):
        for words in sentences(game, match.state, seat):
            yield seat, words, game.trace(match.state, seat, game.read(match.state, seat, words))


@pytest.mark.quick(1)
@pytest.mark.parametrize(("seats", "options"), TABLES)
def test_every_legal_action_that_a_camera_can_tell_is_accepted(seats: int, options: dict[str, Any]) -> None:
    told = 0
    for match in positions(seats, options, 7, 30):
        for seat, words, trace in actions(GAME, match):
            if trace.declared or trace.unseen:
                continue
            verdict = judge(GAME, match, seen(match, trace))
            assert verdict == Accept((ActionStep(seat, words),)), (match.state, words)
            told += 1
    assert told > 100 or options.get("orders") == "declared"


@pytest.mark.quick(1)
@pytest.mark.parametrize(("seats", "options"), TABLES)
def test_what_is_visibly_illegal_is_never_accepted_as_it_is(seats: int, options: dict[str, Any]) -> None:
    refused = visible = 0
    dice = random.Random(2)
    for match in positions(seats, options, 11, 8):
        legal = [trace for _, _, trace in actions(GAME, match) if not trace.declared]
        tried = list(GAME.attempts(match.state))
        for attempt in dice.sample(tried, min(6, len(tried))):
            hand = min(attempt.trace.hands, default=None)
            same = [
                t
                for t in legal
                if (t.layout, t.handled) == (attempt.trace.layout, attempt.trace.handled)
                and (not t.hands or hand in t.hands)
            ]
            if same:
                continue
            before = GAME.layout(match.state)
            if attempt.trace.layout == before and all(before.at(s).face is Face.UP for s in attempt.trace.handled):
                continue  # equal stones of two sets, exchanged: nothing to see
            visible += 1
            verdict = judge(GAME, match, seen(match, attempt.trace), overdue=True)
            if isinstance(verdict, Refuse):
                refused += 1
                assert verdict.violations or verdict.kind in {"unfinished", "unexplained"}
            else:
                assert isinstance(verdict, Ask | Accept), (attempt, verdict)
                assert not isinstance(verdict, Accept) or len(verdict.steps) > 1, (attempt.kind, verdict)
    assert refused >= 0.97 * visible > 25


@pytest.mark.thorough
def test_an_order_at_the_buttons_is_settled_by_its_execution_and_by_nothing_else() -> None:
    settled = 0
    for match in positions(2, {}, 3, 40):
        for seat, words, trace in actions(GAME, match):
            if trace.unseen:
                continue
            table = IdealTable.of(GAME.layout(match.state))
            watch = agreement(GAME.layout(match.state), table.observe())
            ordered, _ = matches.advance(GAME, match, Act(match.at, seat, words))
            if ordered.result is not None:
                continue
            idle = table.observe(1.0)
            assert isinstance(judge(GAME, ordered, gather(watch, idle)), Wait)
            table.perform(trace)
            done = table.observe(2.0)
            assert judge(GAME, ordered, gather(watch, done)) == Accept((), settles=True), (words, match.state)
            settled += 1
    assert settled > 100


@pytest.mark.thorough
def test_other_things_than_ordered_are_refused_and_named() -> None:
    wrong = 0
    dice = random.Random(3)
    for match in positions(2, {"orders": "declared"}, 5, 25):
        for seat, words, trace in actions(GAME, match):
            if trace.unseen:
                continue
            ordered, _ = matches.advance(GAME, match, Act(match.at, seat, words))
            if ordered.result is not None:
                continue
            action = GAME.read(match.state, seat, words)
            wrongly = list(GAME.misexecutions(match.state, seat, action))
            for attempt in dice.sample(wrongly, min(2, len(wrongly))):
                verdict = judge(GAME, ordered, seen(match, attempt.trace), overdue=True)
                assert isinstance(verdict, Refuse), (words, attempt)
                assert verdict.violations, (words, attempt, verdict)
                wrong += 1
    assert wrong > 100


def test_two_actions_in_a_row_are_accepted_together() -> None:
    match = begun()
    table = IdealTable.of(GAME.layout(match.state))
    watch = agreement(GAME.layout(match.state), table.observe())
    steps = []
    state = match
    for _ in range(2):
        seat, words, trace = next(iter(actions(GAME, state)))
        table.perform(trace)
        steps.append(ActionStep(seat, words))
        state, _ = matches.advance(GAME, state, Act(0.0, seat, words, Source.CAMERA))
    observation = table.observe(1.0)
    assert judge(GAME, match, gather(watch, observation)) == Accept(tuple(steps))


def test_the_beginning_of_an_exchange_is_waited_for_then_refused_with_how_to_put_it_back() -> None:
    match = begun(seed=4)
    for words in [("place", str(GAME.layout(match.state).zone("pool").pieces[0].kind), "left")]:
        match, _ = matches.advance(GAME, match, Act(0.0, "a", words, Source.CAMERA))
    table = IdealTable.of(GAME.layout(match.state))
    watch = agreement(GAME.layout(match.state), table.observe())
    taken = table.zones["line"].pop(0)
    assert taken is not None
    table.touched[taken[0]] = Touch(taken[0], True, 1.0, frozenset("a"))
    observation = table.observe(1.0)
    watch = gather(watch, observation)
    assert isinstance(judge(GAME, match, watch), Wait)
    late = judge(GAME, match, watch, overdue=True)
    assert isinstance(late, Refuse)
    assert "place 1" in " ".join(map(str, late.put_back))


def test_an_untouched_table_agrees_and_a_blind_camera_judges_nothing() -> None:
    match = begun()
    table = IdealTable.of(GAME.layout(match.state))
    watch = agreement(GAME.layout(match.state), table.observe())
    idle = table.observe(1.0)
    assert judge(GAME, match, gather(watch, idle)) == Agree()
    dark = replace(idle, health=Health.DARK, zones=())
    assert isinstance(judge(GAME, match, gather(watch, dark)), Wait)


def hidden_match() -> Match:
    match = begun(seed=2)
    layout = GAME.layout(match.state)
    kinds = [str(piece.kind) for piece in layout.zone("pool").pieces[:2]]
    first = str(layout.zone("line").pieces[0].kind)
    script = [("a", "place", kinds[0], "left"), ("b", "hide", first), ("a", "hide", kinds[0])]
    for seat, *words in script:
        match, _ = matches.advance(GAME, match, Act(0.0, seat, tuple(map(str, words)), Source.CAMERA))
    return match


def test_hidden_pieces_lost_from_sight_are_said_to_be_lost_not_guessed() -> None:
    match = hidden_match()
    table = IdealTable.of(GAME.layout(match.state))
    watch = agreement(GAME.layout(match.state), table.observe())
    table.zones["line"] = [(held[0] + 100, held[1]) for held in table.zones["line"] if held]
    observation = replace(table.observe(1.0), lost=frozenset(held[0] for held in table.zones["line"] if held))
    assert isinstance(judge(GAME, match, gather(watch, observation)), Lost)


def test_two_hidden_pieces_exchanged_without_an_order_are_refused_by_place() -> None:
    match = hidden_match()
    table = IdealTable.of(GAME.layout(match.state))
    watch = agreement(GAME.layout(match.state), table.observe())
    table.zones["line"].reverse()
    observation = table.observe(1.0)
    verdict = judge(GAME, match, gather(watch, observation), overdue=True)
    assert isinstance(verdict, Refuse)
    assert [str(text) for text in verdict.put_back] == ["Swap places 1 and 2 of line."]


def test_a_hidden_piece_lifted_to_make_room_is_asked_about_and_taken_for_no_second_action() -> None:
    """A hand may lift what stands in its way: whether somebody looked at it, only the players know."""
    match = hidden_match()
    seat, words, trace = next(a for a in actions(GAME, match) if a[1][0] == "place")
    watch = seen(match, trace)
    hidden = next(h.track for h in watch.base.holdings() if h.piece.face is Face.DOWN)
    assert hidden is not None
    lifted = replace(watch, touches=(*watch.touches, Touch(hidden, True, 1.0, watch.hands)))
    assert judge(GAME, match, lifted) == Ask(((ActionStep(seat, words),),))


def test_what_was_done_with_two_stones_of_which_one_is_not_read_is_asked_with_all_that_it_may_be() -> None:
    """Seed 10320574, match 8: of two stones that changed places one was not read, and nobody knew which was which."""
    match = begun(seed=2)
    layout = GAME.layout(match.state)
    kind, first = str(layout.zone("pool").pieces[0].kind), str(layout.zone("line").pieces[0].kind)
    for seat, *words in (("a", "place", kind, "left"), ("b", "hide", first)):
        match, _ = matches.advance(GAME, match, Act(0.0, seat, tuple(words), Source.CAMERA))
    hide, swap = (
        ActionStep("a", ("hide", kind)),
        next(ActionStep(*a[:2]) for a in actions(GAME, match) if a[1][0] == "swap"),
    )
    watch = seen(match, GAME.trace(match.state, "a", GAME.read(match.state, "a", swap.words)))
    zone = watch.seen.zone("line")
    down, up = (piece for piece in zone.pieces if piece is not None)
    unread = replace(up, track=902, kind=None, face=None, sight=Sight.UNKNOWN)
    row = replace(zone, pieces=(replace(down, track=901), unread))
    touches = [Touch(t, True, c, watch.hands) for t, c in ((901, 1.0), (902, 1.0), (down.track, 0.8), (up.track, 0.8))]
    observation = replace(watch.seen, zones=tuple(row if z is zone else z for z in watch.seen.zones))
    lost = replace(watch, seen=observation, touches=tuple(touches), lost=frozenset({901, 902}))
    verdict = judge(GAME, match, lost)
    assert isinstance(verdict, Ask)
    assert set(verdict.readings) == {(hide,), (swap,)}


def test_a_covered_piece_may_stand_only_for_what_is_left_alone() -> None:
    match = begun(seed=9)
    seat, words, trace = next(a for a in actions(GAME, match) if a[1][0] == "hide")
    watch = seen(match, trace)
    observation = watch.seen
    zone = observation.zone("line")
    covered = replace(zone, pieces=tuple(p and replace(p, sight=Sight.COVERED) for p in zone.pieces))
    hazy = replace(observation, zones=(covered, *(z for z in observation.zones if z.zone != "line")))
    assert not isinstance(judge(GAME, match, replace(watch, seen=hazy)), Accept)
    assert judge(GAME, match, watch) == Accept((ActionStep(seat, words),))


@pytest.mark.parametrize(
    ("touches", "overdue", "verdict"),
    [
        ((), True, Agree()),
        (((0.6, "a"),), False, Wait(say("The camera can't see everything clearly."))),
        (((0.6, "a"),), True, Ask(((),))),
        (((0.6, ""),), True, Agree()),
        (((1.0, "a"),), True, Agree()),
    ],
)
def test_who_may_have_taken_what_seems_to_be_covered_is_asked(
    touches: tuple[tuple[float, str], ...], overdue: bool, verdict: Verdict
) -> None:
    """Without a hand there nobody can have taken it; of what was lifted for certain vision knows that it is back."""
    match = begun(seed=9)
    table = IdealTable.of(GAME.layout(match.state))
    watch, plain = agreement(GAME.layout(match.state), table.observe()), table.observe(1.0)
    line = plain.zone("line")
    stone = next(piece for piece in line.pieces if piece is not None)
    row = tuple(replace(piece, sight=Sight.COVERED) if piece is stone else piece for piece in line.pieces)
    taken = tuple(Touch(stone.track, True, certainty, frozenset(hand)) for certainty, hand in touches)
    zones = tuple(replace(zone, pieces=row) if zone is line else zone for zone in plain.zones)
    observation = replace(plain, zones=zones, touched=taken, hands=frozenset("a"))
    assert judge(GAME, match, gather(watch, observation), overdue=overdue) == verdict


@pytest.mark.parametrize(("by", "readings"), [("a", ((),)), ("b", ((), (ActionStep("b", ("peek", "1")),)))])
def test_whether_somebody_looked_at_a_hidden_stone_is_asked_if_vision_is_not_sure(by: str, readings: Readings) -> None:
    """Also if it was not their turn, and no action is what was done."""
    match = hidden_match()
    table = IdealTable.of(GAME.layout(match.state))
    watch = agreement(GAME.layout(match.state), table.observe())
    one, _ = (h.track for h in watch.base.holdings() if h.piece.face is Face.DOWN and h.track is not None)
    seen = replace(table.observe(1.0), touched=(Touch(one, True, 0.8, frozenset(by)),), hands=frozenset(by))
    assert judge(GAME, match, gather(watch, seen), overdue=True) == Ask(readings)


def test_a_stone_that_was_surely_moved_is_asked_about_beside_one_that_was_perhaps_lifted() -> None:
    match = hidden_match()
    table = IdealTable.of(GAME.layout(match.state))
    watch = agreement(GAME.layout(match.state), table.observe())
    one, two = (h.track for h in watch.base.holdings() if h.piece.face is Face.DOWN and h.track is not None)
    touched = (Touch(one, False, 1.0, frozenset("b")), Touch(two, True, 0.8, frozenset("b")))
    verdict = judge(GAME, match, gather(watch, replace(table.observe(1.0), touched=touched, hands=frozenset("b"))))
    assert isinstance(verdict, Ask)
    assert {steps[0].words for steps in verdict.readings if steps} == {("peek", "1"), ("peek", "2")}


@pytest.mark.parametrize(("certainty", "fit"), [(1.0, FitGrade.NO), (0.8, FitGrade.FULL)])
def test_a_piece_that_was_surely_lifted_and_cannot_be_told_is_no_longer_taken_for_itself(
    certainty: float, fit: FitGrade
) -> None:
    """What lies there may be another one. If it may never have been lifted, it is still the piece that lay there."""
    match = begun(seed=9)
    table = IdealTable.of(GAME.layout(match.state))
    watch, plain = agreement(GAME.layout(match.state), table.observe()), table.observe(1.0)
    stone = next(piece for piece in plain.zone("pool").pieces if piece is not None)
    touch = Touch(stone.track, True, certainty, frozenset("a"))
    observation = replace(hazy(plain, [stone.track]), touched=(touch,), hands=frozenset("a"))
    evidence = gather(watch, observation)
    assert compare(evidence.base, evidence) is fit
    for overdue in (False, True):
        verdict = judge(GAME, match, evidence, overdue=overdue)
        assert isinstance(verdict, Agree) is (fit is FitGrade.FULL)
        assert not isinstance(verdict, Accept)


def test_what_was_turned_and_is_covered_since_is_asked_about() -> None:
    """Beside an action that is plainly seen a stone of the pool was taken up, and lay face down when last seen."""
    match = begun(seed=9)
    seat, words, trace = next(a for a in actions(GAME, match) if a[1][0] == "hide")
    table = IdealTable.of(GAME.layout(match.state))
    watch = agreement(GAME.layout(match.state), table.observe())
    table.perform(trace)
    after = table.observe(1.0)
    pool = after.zone("pool")
    stone = next(piece for piece in pool.pieces if piece is not None)
    seen = replace(after, touched=(*after.touched, Touch(stone.track, True, 1.0, frozenset("a"))))
    for face, verdict in (
        (Face.UP, Accept((ActionStep(seat, words),))),
        (Face.DOWN, Ask(((ActionStep(seat, words),),))),
    ):
        covered = replace(stone, sight=Sight.COVERED, face=face, kind=stone.kind if face is Face.UP else None)
        row = tuple(covered if piece is stone else piece for piece in pool.pieces)
        zones = tuple(replace(zone, pieces=row) if zone is pool else zone for zone in seen.zones)
        assert judge(GAME, match, gather(watch, replace(seen, zones=zones)), overdue=True) == verdict


def test_of_two_unknown_stones_the_one_that_is_named_later_tells_the_other() -> None:
    """At first sight nothing tells which is which: that the one is not the one it was dealt is no evidence."""
    match = begun(seed=9)
    seat, words, trace = next(a for a in actions(GAME, match) if a[1][0] == "hide")
    table = IdealTable.of(GAME.layout(match.state))
    first = table.observe()
    two = [s.track for s in first.zone("pool").pieces if s is not None][:2]
    watch = agreement(GAME.layout(match.state), hazy(first, two, backwards=True))
    table.perform(trace)
    after = table.observe(1.0)
    for unknown in ([], two[:1], two[1:], two):
        observation = hazy(after, unknown)
        verdict = judge(GAME, match, gather(watch, observation))
        assert verdict == Accept((ActionStep(seat, words),)), unknown


def hazy(observation: Observation, unknown: list[int], *, backwards: bool = False) -> Observation:
    """Some stones of the pool are not recognised; those come last, as vision lists them."""
    zone = observation.zone("pool")
    dim = [replace(s, kind=None, face=None, sight=Sight.UNKNOWN) for s in zone.pieces if s and s.track in unknown]
    known = [s for s in zone.pieces if s and s.track not in unknown]
    pieces = (*known, *(dim[::-1] if backwards else dim))
    zones = tuple(replace(z, pieces=pieces) if z is zone else z for z in observation.zones)
    return replace(observation, zones=zones)


def test_whether_an_unknown_stone_was_turned_as_ordered_is_asked_once_a_hand_was_there() -> None:
    match = begun(seed=9)
    seat, words, trace = next(a for a in actions(GAME, match) if a[1][0] == "hide")
    table = IdealTable.of(GAME.layout(match.state))
    watch = agreement(GAME.layout(match.state), table.observe())
    ordered, _ = matches.advance(GAME, match, Act(match.at, seat, words))
    dim = hazy_line(table.observe(1.0))
    assert isinstance(judge(GAME, ordered, gather(watch, dim)), Wait)
    table.perform(trace)
    turned = hazy_line(table.observe(2.0))
    assert judge(GAME, ordered, gather(watch, turned)) == Ask(((),), settles=True)


def hazy_line(observation: Observation) -> Observation:
    """No stone of the line is recognised, nor that any was touched."""
    zone = observation.zone("line")
    dim = tuple(replace(s, kind=None, face=None, sight=Sight.UNKNOWN) for s in zone.pieces if s)
    zones = tuple(replace(z, pieces=dim) if z is zone else z for z in observation.zones)
    return replace(observation, zones=zones, touched=())


def test_a_turned_up_stone_that_is_another_than_believed_is_told_with_its_correction() -> None:
    match = hidden_match()
    first, second = (stone.kind for stone in match.state.mats[0].line)
    for seat, *words in [("b", "challenge", "1"), ("a", "names", first)]:
        match, _ = matches.advance(GAME, match, Act(1.0, seat, tuple(words)))
    assert match.pending is not None
    table = IdealTable.of(match.pending.before)
    watch = agreement(match.pending.before, table.observe())
    table.perform(match.pending.trace)
    held = table.zones["line"][0]
    assert held is not None
    table.zones["line"][0] = (held[0], Piece(second))
    observation = table.observe(1.0)
    verdict = judge(GAME, match, gather(watch, observation))
    assert isinstance(verdict, Differs)
    assert (verdict.kind, verdict.words) == (second, ("is", "1", second))
    assert second in str(verdict.text)
    assert first not in str(verdict.text)
    assert verdict.words is not None
    repaired, _ = matches.advance(GAME, match, Correct(2.0, verdict.words, again=True))
    assert judge(GAME, repaired, gather(watch, observation)) == Accept((), settles=True)
