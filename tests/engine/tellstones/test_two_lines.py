"""Two sets, two Lines (T64-T68)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from engine.errors import Invalid
from engine.tellstones.match import Rulings
from tests.engine.tellstones.tables import GAME, TEAMS, broken, fresh, lying, play, refused, row, verbs


@pytest.mark.clause("T64", "T65")
def test_two_players_bring_a_set_each() -> None:
    state = fresh(mode="two-line", first_stone="scales")
    assert [zone.zone for zone in GAME.layout(state).zones] == ["line-a", "pool-a", "line-b", "pool-b"]
    assert [len(mat.pool) for mat in state.mats] == [6, 6]
    with pytest.raises(Invalid, match="for two players"):
        fresh(TEAMS, mode="two-line")


@pytest.mark.clause("T65")
def test_a_stone_goes_from_its_pool_to_its_line() -> None:
    state = play(fresh(mode="two-line", first_stone="scales"), "a: place B crown left")
    assert (row(state, 0), row(state, 1)) == ("scales", "crown scales")
    assert "crown" in state.mats[0].pool
    assert broken(state, "b: place B crown right") == ("T14",)
    assert row(play(state, "b: place left A crown"), 0) == "crown scales"


@pytest.mark.clause("T65", "T14")
@pytest.mark.parametrize("empty", [0, 1])
def test_a_line_grows_as_long_as_its_own_pool_has_stones(empty: int) -> None:
    lines = ["crown sword", "crown sword"]
    lines[empty] = "crown sword flag shield knight hammer scales"
    state = lying(*lines)
    assert [choice.word for choice in GAME.choices(state, "a", ("place",))] == ["AB"[1 - empty]]
    assert not broken(state, f"a: place {'AB'[1 - empty]} flag left")


@pytest.mark.clause("T66")
def test_sets_are_never_mixed() -> None:
    state = lying("crown sword", "crown flag*")
    mixed = [attempt for attempt in GAME.attempts(state) if attempt.kind == "sets mixed"]
    assert {attempt.violations[0].clause for attempt in mixed} == {"T66"}
    assert broken(state, "a: swap A1 B2") == ("T66", "T67")
    crossing = [attempt for attempt in mixed if attempt.words]
    assert len(crossing) == 4
    assert {breach.clause for attempt in crossing for breach in attempt.violations} == {"T66", "T67"}


@pytest.mark.clause("T67")
def test_a_name_on_both_lines_is_ambiguous_and_a_place_names_the_line() -> None:
    state = lying("crown sword", "crown flag*")
    assert refused(state, "a: hide crown") == "ambiguous"
    assert refused(state, "a: hide 1") == "ambiguous"
    assert refused(state, "a: place knight left") == "ambiguous"
    assert refused(state, "a: hide C1") == "invalid"
    assert refused(state, "a: hide A3") == "invalid"
    assert refused(state, "a: hide 3") == "invalid"
    assert refused(state, "a: place A 1 left") == "invalid"
    assert row(play(state, "a: hide B1"), 1) == "crown* flag*"
    assert row(play(state, "a: hide sword"), 0) == "crown sword*"
    assert row(play(state, "a: place sword left"), 1) == "sword crown flag*"


@pytest.mark.clause("T67")
def test_orders_concern_one_line() -> None:
    state = lying("crown sword* flag", "crown* shield knight")
    assert row(play(state, "a: swap A1 A2"), 0) == "sword* crown flag"
    assert play(state, "a: swap A1 A2").mats[1] == state.mats[1]
    seconds = [choice.word for choice in GAME.choices(state, "a", ("swap", "A1"))]
    assert seconds == ["A2", "A3"]
    challenged = play(state, "a: challenge B1", "b: names crown")
    assert (row(challenged, 1), challenged.score) == ("crown shield knight", (0, 1))


@pytest.mark.clause("T67")
def test_a_peek_takes_its_stones_from_both_lines() -> None:
    state = lying("crown sword* flag", "crown* shield* knight", scored=(0, 8))
    state = play(state, "a: peek A2", "a: peek B1")
    assert [choice.word for choice in GAME.choices(state, "a", ("peek",))] == ["B2"]
    assert GAME.actors(play(state, "a: peek B2")) == {"b"}


@pytest.mark.clause("T67")
def test_a_boast_covers_both_lines() -> None:
    state = lying("crown sword*", "crown* shield", rules=Rulings(boast_minimum=2))
    state = play(state, "a: boast", "b: prove", "a: names B1 crown")
    assert GAME.outcome(state) is None
    outcome = GAME.outcome(play(state, "a: names A2 sword"))
    assert outcome is not None
    assert outcome.winners == {"a"}
    assert "boast" not in verbs(lying("crown sword*", "crown shield", rules=Rulings(boast_minimum=2)), "a")


@pytest.mark.clause("T67")
@pytest.mark.parametrize("number", [0, 1])
@pytest.mark.parametrize(
    "line", ["place {mat} flag left", "hide {mat}1", "swap {mat}1 {mat}3", "challenge {mat}2", "peek {mat}2"]
)
def test_an_order_changes_one_line_and_leaves_the_other(line: str, number: int) -> None:
    state = lying("crown sword* hammer", "crown sword* hammer")
    after = play(state, f"a: {line.format(mat='AB'[number])}")
    assert after.mats[1 - number] == state.mats[1 - number]
    zones = {zone.zone: zone for zone in GAME.layout(after).zones}
    before = {zone.zone: zone for zone in GAME.layout(state).zones}
    changed = {name for name in zones if zones[name] != before[name]}
    assert all(name.endswith("ab"[number]) for name in changed)


@pytest.mark.clause("T67")
def test_one_answer_to_a_challenge_names_a_stone_of_the_line_that_was_challenged() -> None:
    state = play(lying("crown* sword", "shield* flag"), "a: challenge B1")
    after = play(state, "b: names shield")
    assert (after.score, row(after, 0), row(after, 1)) == ((0, 1), "crown* sword", "shield flag")
    assert play(state, "b: names crown").score == (1, 0)


@pytest.mark.clause("T67", "T3")
def test_there_is_one_score() -> None:
    state = play(lying("crown* sword", "crown* shield", score=(2, 0)), "a: challenge A1", "b: names sword")
    outcome = GAME.outcome(state)
    assert outcome is not None
    assert outcome.winners == {"a"}


@pytest.mark.clause("T67", "T7")
def test_each_line_has_its_own_first_stone() -> None:
    drawn = {(row(state, 0), row(state, 1)) for state in (fresh(seed=seed, mode="two-line") for seed in range(40))}
    assert any(one != two for one, two in drawn)
    state = fresh(mode="two-line", first_stone="chosen")
    state = play(state, "b: first crown")
    assert GAME.actors(state) == {"b"}
    state = play(state, "b: first crown")
    assert GAME.actors(state) == {"a"}
    assert (row(state, 0), row(state, 1)) == ("crown", "crown")


@pytest.mark.clause("T68")
def test_whose_set_it_is_does_not_matter() -> None:
    """Both players may order on both Lines; the table tells the sets apart by their zones."""
    state = lying("crown sword", "flag shield")
    for seat in ("a", "b"):
        places = [
            choice.word for choice in GAME.choices(lying("crown sword", "flag shield", active=seat), seat, ("hide",))
        ]
        assert places == ["A1", "A2", "B1", "B2"]
    assert [choice.word for choice in GAME.choices(state, "a", ("place",))] == ["A", "B"]


OWN = Rulings(own_line=True)


@pytest.mark.clause("T67")
def test_the_option_leaves_each_player_the_own_line() -> None:
    assert fresh(mode="two-line", lines="own").rules.own_line
    assert not fresh(lines="own").rules.own_line
    state = lying("crown* sword shield", "crown* flag knight", rules=OWN)
    for order in ("place B hammer left", "hide B2", "swap B1 B2", "peek B1", "challenge B1"):
        assert broken(state, f"a: {order}") == ("T67",)
        assert not broken(state, f"a: {order.replace('B', 'A')}")
        assert not broken(replace(state, active="b"), f"b: {order}")
    assert [choice.word for choice in GAME.choices(state, "a", ("hide",))] == ["A2", "A3"]
    assert [choice.word for choice in GAME.choices(state, "a", ("swap",))] == ["A1", "A2"]
    assert [choice.word for choice in GAME.choices(state, "a", ("place",))] == ["A"]


@pytest.mark.clause("T67", "T49", "T44", "T45")
def test_on_the_own_line_a_boast_is_about_that_line() -> None:
    state = lying("crown* sword", "crown* flag* knight", rules=OWN)
    won = play(state, "a: boast", "b: prove", "a: names A1 crown")
    outcome = GAME.outcome(won)
    assert outcome is not None
    assert outcome.winners == {"a"}
    taken = play(state, "a: boast", "b: takeover", "a: prove")
    assert broken(taken, "b: names B1 crown") == ("T67",)
    outcome = GAME.outcome(play(taken, "b: names A1 crown"))
    assert outcome is not None
    assert outcome.winners == {"b"}
    assert {"boast", "peek", "challenge"}.isdisjoint(verbs(lying("crown sword", "crown*", rules=OWN), "a"))


@pytest.mark.clause("T67", "T30")
def test_on_the_own_line_a_peek_at_three_ends_with_its_last_stone() -> None:
    state = lying("crown* sword*", "crown* flag*", rules=OWN, scored=(0, 8))
    assert play(state, "a: peek A1", "a: peek A2").active == "b"


@pytest.mark.clause("T67")
def test_a_hand_on_the_rivals_line_is_told_so() -> None:
    state = lying("crown* sword", "crown flag", rules=OWN)
    kinds = [attempt for attempt in GAME.attempts(state) if attempt.kind == "other line"]
    assert all("T67" in {breach.clause for breach in attempt.violations} for attempt in kinds)
    assert {attempt.words[0] for attempt in kinds if attempt.words} == {"place", "hide", "swap"}


@pytest.mark.clause("T17", "T67")
@pytest.mark.parametrize(("lines", "mat"), [((0, 1), "B"), ((1, 0), "A")])
def test_a_stone_is_placed_as_long_as_either_pool_has_one(lines: tuple[int, int], mat: str) -> None:
    rows = ("crown shield sword flag knight hammer scales", "crown")
    state = lying(rows[lines[0]], rows[lines[1]])
    assert "place" in verbs(state, "a")
    assert row(play(state, f"a: place {mat} sword left"), "AB".index(mat)) == "sword crown"
    assert broken(state, f"a: place {'BA'['AB'.index(mat)]} sword left") == ("T17", "T14")
    assert "place" not in verbs(lying(rows[0], rows[0]), "a")
