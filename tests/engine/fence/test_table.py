"""What lies on the table, what a camera sees of an action, and what can be done wrongly."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from msgspec.structs import replace

from device.games import mats
from device.resources import load_shipped
from engine import match as matches
from engine.arbiter import Accept, ActionStep, Agree, Ask, Evidence, Refuse, agreement, gather, judge
from engine.catalogue import complete
from engine.entry import Start
from engine.fence.bout import State
from engine.game import Attempt
from engine.table import Face, Move, Piece, Sight, Sighting, Spot, Touch, Trace
from tests.engine.fence.bouts import SPEC, bout, having, parsed, play, rules, timer
from tests.engine.ideal import IdealTable
from vision.recognition.naming import PieceSet


def trace(state: State, line: str) -> Trace:
    seat, words = parsed(line)
    return rules().trace(state, seat, rules().read(state, seat, words))


def kinds(attempts: Iterable[Attempt]) -> set[str]:
    return {attempt.kind for attempt in attempts}


@pytest.mark.clause("F2", "F7", "F8", "F12", "F151")
def test_an_honest_table() -> None:
    state = bout(2, "invitation line", (4, 6), mode="advanced")
    table = rules().layout(state)
    assert table.zone("strip").pieces[4] == Piece("green")
    assert table.zone("strip").pieces[7] == Piece("red")
    assert table.zone("weapon-green").pieces[1] == Piece("green-weapon")
    assert table.zone("stamina-green").pieces[4] == Piece("green-stamina")
    assert table.zone("timer").pieces[0] is not None
    run = rules().layout(play(state, "a: play fleche 5"))
    assert run.zone("strip").pieces.count(None) == 11
    assert run.zone("beside").pieces[7] == Piece("green")
    assert run.zone("lane-green").pieces == (Piece("fleche-5"),)


def test_zones_and_kinds_are_those_of_the_mat() -> None:
    mat = mats(["fence"])["fence"]
    sets = {name: load_shipped(PieceSet, "sets", f"{name}.toml") for name in {zone.set for zone in mat.zones}}
    state = having(bout(1, mode="advanced"), 0, lane=tuple(bout(1, mode="advanced").pool))
    table = rules().layout(state)
    assert [zone.zone for zone in table.zones] == [zone.name for zone in mat.zones]
    for zone, laid in zip(mat.zones, table.zones, strict=True):
        assert zone.order == laid.order
        assert {piece.kind for piece in laid.pieces if piece and piece.kind} <= set(sets[zone.set].kinds)
        assert len(zone.cells) in (0, len(laid.pieces))
    assert set(sets["fence-cards"].kinds) == set(state.pool)


def test_what_a_camera_sees() -> None:
    state = bout(1, mode="advanced")
    played = trace(state, "a: play angulations straight-thrust 5")
    assert played.hands == {"a"}
    assert set(played.moves) == {
        Move(None, Spot("lane-green", 0)),
        Move(None, Spot("lane-green", 1)),
        Move(Spot("stamina-green", 6), Spot("stamina-green", 4)),
    }
    assert not played.declared
    swapped = trace(state, "a: exchange stop-hit 4")
    assert swapped.moves == (Move(None, Spot("discard", 0)),)
    assert trace(state, "a: stall ?").declared
    assert trace(state, "a: exchange ?").declared
    edge = having(bout(3, mode="advanced"), 0, square=1)
    assert trace(edge, "a: retreat").declared
    joker = play(state, "a: play straight-thrust 4", "b: play joker")
    assert Move(Spot("lane-red", 0), Spot("discard", 0)) in trace(joker, "a: clear").moves


@pytest.mark.clause("F9", "F19", "F21", "F23", "F28", "F60", "F71", "F78", "F80")
def test_what_can_be_done_wrongly() -> None:
    state = bout(3, points=(5, 5), mode="advanced")
    wrong = kinds(rules().attempts(state))
    assert {"out of turn", "moved too far", "wrong distance", "stamina taken"} <= wrong
    near = bout(1, points=(5, 5), mode="advanced")
    assert {"unpaid", "wrong card", "wrong distance"} <= kinds(rules().attempts(near))
    gone = replace(near, piles=replace(near.piles, discards=("straight-thrust-6",)))
    assert "impossible card" in kinds(rules().attempts(gone))
    changed = play(bout(3), "a: weapon invitation")
    assert "weapon changed twice" in kinds(rules().attempts(changed))
    twice = play(bout(3), "a: exchange stop-hit 4")
    assert "drawing twice" in kinds(rules().attempts(twice))
    asked = play(near, "a: play straight-thrust 4")
    assert "skipping an answer" in kinds(rules().attempts(asked))
    parries = ("b: play parry-riposte 4", "a: play parry-riposte 5", "b: play parry-riposte 6")
    assert "third card" in kinds(rules().attempts(play(near, "a: play straight-thrust 3", *parries)))
    after = play(near, "a: play straight-thrust 5", "b: play joker")
    assert {"Joker kept", "stamina taken", "table not in order"} <= kinds(rules().attempts(after))
    third = play(bout(1, mode="advanced"), "a: retreat", "a: retreat")
    assert "third action" in kinds(rules().attempts(third))
    poor = bout(1, points=(0, 0), mode="advanced")
    assert "stamina too low" in kinds(rules().attempts(poor))
    assert list(rules().attempts(rules().resign(state, "a")[0])) == []


def test_an_unnamed_discard_leaves_the_pile_out_of_account() -> None:
    state = play(bout(3), "a: exchange ?", "a: end")
    assert "discard" not in {zone.zone for zone in rules().layout(state).zones}
    named = play(state, "b: exchange stop-hit 4")
    assert rules().layout(named).zone("discard").pieces == (Piece("stop-hit-4"),)
    assert isinstance(verdict(state, trace(state, "b: move back")), Accept)


@pytest.mark.clause("F73")
def test_a_card_on_discards_that_nobody_named_must_be_ordered() -> None:
    """That pile is left out of the table, so no camera is asked about it."""
    state = play(bout(3), "a: exchange ?", "a: end")
    assert trace(state, "b: exchange stop-hit 4").declared
    assert not any(attempt.words[:1] == ("exchange",) for attempt in rules().attempts(state))
    assert not trace(play(state, "b: exchange stop-hit 4", "b: end"), "a: exchange stop-hit 5").declared


def test_orders_carried_out_wrongly() -> None:
    state = bout(1, points=(5, 5), mode="advanced")

    def wrong(state: State, line: str) -> set[str]:
        seat, words = parsed(line)
        return kinds(rules().misexecutions(state, seat, rules().read(state, seat, words)))

    assert wrong(state, "a: move back") == {"another square"}
    assert wrong(state, "a: weapon invitation") == {"another position"}
    assert wrong(state, "a: play straight-thrust 5") == {"another card", "stamina marker left"}
    assert wrong(state, "a: exchange stop-hit 4") == {"another card"}
    assert wrong(state, "a: stall ?") == set()  # nothing to be seen of it
    assert wrong(state, "a: stall stop-hit 4") == {"stamina marker left"}
    assert wrong(state, "a: end") == set()


def watched(state: State) -> tuple[matches.Match, IdealTable, Evidence]:
    options = dict(complete(SPEC.options, {"mode": "advanced", "starter": "a"}))
    match = replace(matches.begin(rules(), Start(0.0, "fence", options, ("a", "b"), 0)), state=state)
    table = IdealTable.of(rules().layout(state))
    return match, table, agreement(rules().layout(state), table.observe())


def verdict(state: State, done: Trace) -> object:
    match, table, since = watched(state)
    table.perform(done)
    seen = table.observe()
    return judge(rules(), match, gather(since, seen), overdue=True)


@pytest.mark.parametrize(
    "line",
    [
        "a: move forward",
        "a: weapon engagement",
        "a: exchange stop-hit 4",
        "a: play straight-thrust 5",
        "a: play angulations flick 4",
    ],
)
def test_the_arbiter_accepts_what_is_seen(line: str) -> None:
    state = bout(1, mode="advanced")
    found = verdict(state, trace(state, line))
    assert isinstance(found, Accept)
    assert [(step.seat, step.words) for step in found.steps] == [parsed(line)]


def test_the_last_timer_card_is_lifted_to_be_drawn() -> None:
    state = timer(bout(1, mode="advanced"), 1)
    match, table, since = watched(state)
    top = since.base.track(Spot("timer", 0))
    assert top is not None
    table.perform(trace(state, "a: exchange stop-hit 4"))
    seen = table.observe()
    seen = replace(seen, touched=(*seen.touched, Touch(top, lifted=True)))
    found = judge(rules(), match, gather(since, seen), overdue=True)
    assert isinstance(found, Accept)
    assert [(step.seat, step.words) for step in found.steps] == [parsed("a: exchange stop-hit 4")]


def test_what_cannot_be_told_and_came_with_an_action_is_asked_about() -> None:
    """It may be no card at all; without an action it is held against nobody, and is no action either."""
    state = bout(1, mode="advanced")
    shade = Sighting(99, None, None, Sight.UNKNOWN, 0.0, 60.0, 350.0, 0.0)
    for line, expected in (
        ("a: play straight-thrust 4", Ask(((ActionStep(*parsed("a: play straight-thrust 4")),),))),
        ("", None),
    ):
        match, table, since = watched(state)
        if line:
            table.perform(trace(state, line))
        seen = table.observe()
        lanes = [replace(z, pieces=(*z.pieces, shade)) if z.zone == "lane-green" else z for z in seen.zones]
        seen = replace(seen, zones=tuple(lanes))
        found = judge(rules(), match, gather(since, seen), overdue=True)
        assert found == expected or (expected is None and not isinstance(found, Accept | Agree))


@pytest.mark.parametrize("line", ["a: exchange stop-hit 4", ""])
def test_a_card_drawn_from_the_timer_deck_is_no_foul(line: str) -> None:
    """With the action or after it: the next card shows another track."""
    state = bout(1, mode="advanced")
    match, table, since = watched(state)
    top = since.base.track(Spot("timer", 0))
    assert top is not None
    if line:
        table.perform(trace(state, line))
    table.zones["timer"] = [(99, Piece(None, Face.DOWN))]
    seen = table.observe()
    seen = replace(seen, touched=(*seen.touched, Touch(top, lifted=True)))
    found = judge(rules(), match, gather(since, seen), overdue=True)
    assert found == (Accept((ActionStep(*parsed(line)),)) if line else Agree())


def test_the_arbiter_sees_a_table_put_in_order() -> None:
    state = play(bout(1, points=(4, 4), mode="advanced"), "a: play straight-thrust 5", "b: accept")
    found = verdict(state, trace(state, "a: clear"))
    assert isinstance(found, Accept)


@pytest.mark.parametrize("kind", ["unpaid", "out of turn", "stamina taken", "wrong card", "wrong distance"])
def test_the_arbiter_refuses_what_is_wrong(kind: str) -> None:
    state = bout(1, points=(5, 5), mode="advanced")
    attempt = next(attempt for attempt in rules().attempts(state) if attempt.kind == kind)
    found = verdict(state, attempt.trace)
    assert isinstance(found, Refuse)
    assert found.violations


@pytest.mark.parametrize(("hand", "found"), [("a", Accept), ("b", Refuse)])
def test_whose_hand_laid_a_card_is_told_where_it_came_to_lie(hand: str, found: type) -> None:
    """The other's hand was over the mat, too, but not there."""
    state = bout(1, mode="advanced")
    match, table, since = watched(state)
    table.perform(trace(state, "a: exchange stop-hit 4"), hand)
    seen = replace(table.observe(), hands=frozenset({"a", "b"}))
    assert isinstance(judge(rules(), match, gather(since, seen), overdue=True), found)


@pytest.mark.parametrize("mode", ["tutorial", "basic", "advanced"])
def test_whatever_is_done_wrongly_is_said(mode: str) -> None:
    attacked = play(bout(1, mode=mode), "a: play straight-thrust 6")
    for state in (bout(2, mode=mode), attacked, play(attacked, "b: accept")):
        assert all(attempt.what is not None for attempt in rules().attempts(state))
    for line in ("move forward", "weapon invitation", "play straight-thrust 6"):
        state = bout(1, mode=mode, points=(5, 5))
        ways = list(rules().misexecutions(state, "a", rules().read(state, "a", tuple(line.split()))))
        assert ways
        assert all(way.what is not None for way in ways)


@pytest.mark.clause("F9", "F19")
def test_a_refusal_says_first_what_was_done() -> None:
    every = {str(each.what): each.kind for each in rules().attempts(bout(2, mode="advanced", points=(6, 4)))}
    assert every["Green went 3 squares back."] == "moved too far"
    assert every["Red stepped forward."] == "out of turn"
    assert every["The weapon of Red went to Invitation."] == "out of turn"
    assert every["Green laid Straight Thrust 4."] == "wrong distance"
    assert every["The stamina marker of Red went to 6."] == "stamina taken"
    assert every["Green's stamina marker was not moved."] == "unpaid"
    assert every["Red discarded Joker."] == "out of turn"
