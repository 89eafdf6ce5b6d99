"""Stamina points: paid, needed, given back."""

from __future__ import annotations

import pytest

from tests.engine.fence.bouts import bout, broken, having, legal, play, stamina


@pytest.mark.clause("F8", "F78")
def test_a_card_costs_what_is_printed_with_what_goes_with_it() -> None:
    state = play(bout(1, mode="advanced"), "a: play angulations straight-thrust 6")
    assert stamina(state) == (3, 6)
    assert broken(bout(1, points=(1, 6)), "a: play straight-thrust 6") == ("F78",)
    assert legal(bout(1, points=(2, 6)), "a: play straight-thrust 6")
    assert broken(bout(1, points=(2, 6), mode="advanced"), "a: play angulations straight-thrust 6") == ("F78",)


@pytest.mark.clause("F78")
def test_points_may_be_needed_only_or_not_count() -> None:
    needed = play(bout(1, points=(2, 6), payment="threshold"), "a: play straight-thrust 6")
    assert stamina(needed) == (2, 6)
    assert not legal(bout(1, points=(1, 6), payment="threshold"), "a: play straight-thrust 6")
    both = "a: play angulations straight-thrust 6"  # 1 and 2 points: one sum, though nothing is paid
    assert legal(bout(1, points=(3, 6), mode="advanced", payment="threshold"), both)
    assert broken(bout(1, points=(2, 6), mode="advanced", payment="threshold"), both) == ("F78",)
    free = bout(1, points=(0, 6), stamina="off")
    assert stamina(play(free, "a: play straight-thrust 6")) == (0, 6)


@pytest.mark.clause("F41", "F79")
def test_the_tutorial_counts_no_printed_points() -> None:
    state = play(bout(1, points=(0, 6), mode="tutorial"), "a: play straight-thrust 6")
    assert stamina(state) == (0, 6)


@pytest.mark.clause("F43", "F45", "F90", "F91")
def test_card_less_defences_cost_points() -> None:
    assert stamina(play(bout(1, mode="tutorial"), "a: play straight-thrust 4", "b: distance ?")) == (6, 5)
    assert broken(play(bout(1, points=(6, 0), mode="tutorial"), "a: play straight-thrust 4"), "b: distance ?") == (
        "F45",
    )
    tired = play(bout(1, points=(6, 1)), "a: play straight-thrust 5")
    assert "F91" in broken(tired, "b: parry")
    assert legal(tired, "b: distance ?")
    assert stamina(play(bout(1), "a: play straight-thrust 5", "b: parry")) == (5, 3)
    glided = play(bout(1), "a: play straight-thrust 5", "b: play glide-attack 5 parry")
    assert stamina(glided) == (5, 2)


@pytest.mark.clause("F81", "F82")
def test_after_a_score_who_spent_nothing_regains_a_point() -> None:
    state = bout(1, points=(4, 4))
    both = play(state, "a: play straight-thrust 4", "b: accept", "a: clear")
    assert stamina(both) == (5, 5)
    spent = play(state, "a: play straight-thrust 5", "b: accept", "a: clear")
    assert stamina(spent) == (3, 5)
    full = play(bout(1), "a: play straight-thrust 4", "b: accept", "a: clear")
    assert stamina(full) == (6, 6)
    none = play(state, "a: play straight-thrust 4", "b: parry", "a: clear")
    assert stamina(none) == (4, 2)
    double = play(state, "a: play straight-thrust 4", "b: play stop-hit 4", "a: clear")
    assert stamina(double) == (5, 5)


@pytest.mark.clause("F54", "F81", "F82")
def test_a_point_for_going_out_of_bounds_gives_both_a_point_of_stamina_back() -> None:
    """Nothing was spent: there was no phrase."""
    state = having(bout(3, points=(4, 2)), 0, square=1)
    assert stamina(play(state, "a: move back", "a: clear")) == (5, 3)


@pytest.mark.clause("F39")
def test_the_tutorial_gives_nothing_back() -> None:
    state = bout(1, points=(4, 4), mode="tutorial")
    assert stamina(play(state, "a: play straight-thrust 4", "b: accept", "a: clear")) == (4, 4)


@pytest.mark.clause("F89")
def test_distance_does_not_get_away_from_fast_attacks() -> None:
    fast = play(bout(1, "line invitation"), "a: play straight-thrust 4")
    assert broken(fast, "b: distance ?") == ("F89",)
    printed = play(bout(1, "line invitation", distance_speed="printed"), "a: play straight-thrust 4")
    assert legal(printed, "b: distance ?")
    tutorial = play(bout(1, "line invitation", mode="tutorial"), "a: play straight-thrust 6")
    assert legal(tutorial, "b: distance ?")


@pytest.mark.clause("F75", "F76")
def test_a_stall_may_cost_the_next_turn_as_well() -> None:
    state = play(bout(3, stall="next"), "a: stall ?")
    assert state.active == 1
    twice = play(state, "b: move back", "b: move forward")
    assert twice.active == 1
    back = play(twice, "b: move back", "b: move forward")
    assert back.active == 0
    assert legal(back, "a: stall ?")
    both = play(state, "b: stall ?")
    assert both.active == 0
    assert both.turn == state.turn + 3


@pytest.mark.clause("F75")
def test_a_stall_rests_two_points() -> None:
    assert stamina(play(bout(3, points=(3, 6)), "a: stall ?")) == (5, 6)
    assert stamina(play(bout(3, points=(5, 6)), "a: stall ?")) == (6, 6)
