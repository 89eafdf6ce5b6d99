"""What a hand may do wrongly: every kind of cheat, and what speaks against it."""

from __future__ import annotations

import pytest

from engine.game import Attempt
from engine.table import Spot
from engine.tellstones.match import Rulings, State
from referee_simulator.conformance.physics import faults
from tests.engine.tellstones.tables import GAME, TEAMS, fresh, lying, parsed, play

LINE = "crown sword* flag scales*"


def by_kind(state: State) -> dict[str, list[Attempt]]:
    found: dict[str, list[Attempt]] = {}
    for attempt in GAME.attempts(state):
        found.setdefault(attempt.kind, []).append(attempt)
    return found


def clauses(attempts: list[Attempt]) -> set[str]:
    return {breach.clause for attempt in attempts for breach in attempt.violations}


def test_a_turn_has_at_least_ten_kinds_of_cheat() -> None:
    found = by_kind(lying(LINE))
    assert not any(attempt.trace.declared for attempt in GAME.attempts(lying(LINE, rules=Rulings(declared=True))))
    assert {kind: clauses(attempts) for kind, attempts in found.items()} == {
        "wrong hand": {"T12", "T9"},
        "out of turn": {"T9", "T12"},
        "placed between": {"T16"},
        "placed face down": {"T15"},
        "unasked flip": {"T23"},
        "unordered swap of two hidden stones": {"T12"},
        "peeking too many": {"T29"},
        "stone returned to the pool": {"T19", "T23"},
        "stone gone": {"T19", "T5"},
        "moved in the line": {"T24"},
        "turned in the exchange": {"T26"},
        "two actions": {"T9"},
    }


@pytest.mark.clause("T12", "T9")
def test_the_hand_tells_a_second_action_from_the_opponents_first() -> None:
    state = play(lying(LINE), "a: hide flag")
    second = [attempt for attempt in GAME.attempts(state) if attempt.by == "a" and attempt.words == ("hide", "crown")]
    assert [attempt.kind for attempt in second] == ["out of turn"]
    legal = GAME.trace(state, "b", GAME.read(state, "b", ("hide", "crown")))
    assert second[0].trace.layout == legal.layout
    assert (second[0].trace.hands, legal.hands) == ({"b"}, {"a"})


@pytest.mark.clause("T12")
def test_what_must_be_declared_is_not_done_before() -> None:
    """Only what would be legal is merely unordered; the exchange of hidden stones has a kind of its own."""
    declared = Rulings(declared=True)
    found = by_kind(lying(LINE, rules=declared))
    assert clauses(found["unordered"]) == {"T12"}
    assert len(found["unordered"]) == 6 + 2 + 5 + 2
    peeking = play(lying("crown* sword* flag*", rules=declared, scored=(0, 8)), "a: peek 1")
    lifted = [sorted(spot.index for spot in a.trace.lifted) for a in by_kind(peeking)["unordered"]]
    assert lifted == [[1], [2]]


@pytest.mark.clause("T9")
def test_two_actions_at_once_are_one_trace() -> None:
    state = lying("crown flag")
    pair = [a for a in GAME.attempts(state) if a.kind == "two actions" and a.trace.turned and not a.trace.moves]
    assert [sorted(spot.index for spot in attempt.trace.turned) for attempt in pair] == [[0, 1]]
    assert {attempt.trace.hands for attempt in pair} == {frozenset({"b"})}


@pytest.mark.clause("T29", "T30", "T59")
@pytest.mark.parametrize(
    ("seats", "scored", "count", "clause", "hands"),
    [
        (("a", "b"), (0, 0), 2, "T29", {"a"}),
        (("a", "b"), (0, 8), 4, "T30", {"a"}),
        (TEAMS, (0, 8), 4, "T59", {"a", "c"}),
    ],
)
def test_peeking_too_many(
    seats: tuple[str, ...], scored: tuple[int, int], count: int, clause: str, hands: set[str]
) -> None:
    state = lying("crown* sword* flag* scales*", seats=seats, scored=scored)
    found = by_kind(state)["peeking too many"]
    assert {len(attempt.trace.lifted) for attempt in found} == {count}
    assert clauses(found) == {clause}
    assert {attempt.trace.hands for attempt in found} == {frozenset(hands)}


@pytest.mark.clause("T32")
def test_peeking_goes_on_too_long() -> None:
    state = play(lying("crown* sword* flag* scales*", scored=(0, 8)), "a: peek 1", "a: peek 2")
    found = by_kind(state)
    again = [attempt for attempt in found["peeking too many"] if attempt.words]
    assert {attempt.words for attempt in again} == {("peek", "1"), ("peek", "2")}
    assert clauses(again) == {"T32"}
    assert clauses([a for a in found["peeking too many"] if not a.words]) == {"T30"}
    assert clauses(found["two actions"]) == {"T9"}


@pytest.mark.clause("T35", "T36")
def test_while_an_answer_is_due_nothing_else_is_done() -> None:
    state = play(lying(LINE), "a: challenge 2")
    found = by_kind(state)
    assert clauses(found["answer pending"]) == {"T35"}
    assert clauses(found["peeking unasked"]) == {"T35"}
    early = [a for a in found["unasked flip"] if a.trace.turned == {Spot("line", 1)}]
    assert clauses(early) == {"T36"}
    assert clauses([a for a in found["unasked flip"] if a not in early]) == {"T23"}


@pytest.mark.clause("T18")
def test_placing_past_the_edge() -> None:
    state = lying("crown shield sword flag", rules=Rulings(fixed_spots=True))
    assert clauses(by_kind(state)["placed past the edge"]) == {"T18"}


@pytest.mark.clause("T58")
def test_a_partner_who_looks_is_never_accused() -> None:
    state = lying("crown* sword*", seats=TEAMS)
    peeks = [a for a in GAME.attempts(state) if len(a.trace.lifted) == 1]
    assert {hand for attempt in peeks for hand in attempt.trace.hands} == {"b", "d"}


@pytest.mark.clause("T7")
def test_the_first_stone_lies_face_up() -> None:
    found = by_kind(fresh(first_stone="chosen"))
    assert set(found) == {"placed face down", "stone gone"}
    assert clauses(found["placed face down"]) == {"T7"}


@pytest.mark.clause("T14", "T20", "T24", "T29", "T36", "T48", "T12")
@pytest.mark.parametrize(
    ("lines", "line", "expected"),
    [
        (
            (),
            "a: place hammer left",
            {
                "other stone placed": ("T14", 5),
                "placed between": ("T16", 3),
                "placed face down": ("T15", 2),
                "wrong hand": ("T12", 1),
            },
        ),
        ((), "a: hide flag", {"wrong stone hidden": ("T20", 1), "wrong hand": ("T12", 1)}),
        (
            (),
            "a: swap 2 4",
            {"other stones swapped": ("T24", 5), "turned in the exchange": ("T26", 2), "wrong hand": ("T12", 1)},
        ),
        ((), "a: peek 4", {"other stone peeked": ("T29", 1), "wrong hand": ("T29", 1)}),
        (("a: challenge 2",), "b: names flag", {"other stone turned": ("T36", 1)}),
        (("a: boast", "b: prove"), "a: names 4 flag", {"other stone turned": ("T48", 1)}),
        ((), "a: boast", {}),
    ],
)
def test_orders_may_be_carried_out_wrongly(
    lines: tuple[str, ...], line: str, expected: dict[str, tuple[str, int]]
) -> None:
    state = play(lying(LINE), *lines)
    seat, words = parsed(line)
    action = GAME.read(state, seat, words)
    due = GAME.trace(state, seat, action)
    found: dict[str, list[Attempt]] = {}
    for attempt in GAME.misexecutions(state, seat, action):
        found.setdefault(attempt.kind, []).append(attempt)
        assert faults(GAME.layout(state), attempt.trace) == ()
        assert not attempt.trace.declared
        assert (attempt.trace.layout, attempt.trace.moves, attempt.trace.hands, attempt.trace.lifted) != (
            due.layout,
            due.moves,
            due.hands,
            due.lifted,
        )
    assert {kind: (min(clauses(each)), len(each)) for kind, each in found.items()} == expected


@pytest.mark.clause("T58")
def test_a_partner_who_was_sent_looks_at_the_stone_that_was_said() -> None:
    state = lying("crown* sword* flag*", seats=TEAMS)
    found = list(GAME.misexecutions(state, "a", GAME.read(state, "a", ("peek", "c", "2"))))
    assert [(a.kind, sorted(a.trace.hands)) for a in found] == [
        ("other stone peeked", ["c"]),
        ("other stone peeked", ["c"]),
        ("wrong hand", ["a", "b", "d"]),
    ]
    assert clauses(found) == {"T29", "T58"}
