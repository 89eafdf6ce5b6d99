"""Place, Hide and Swap (T14-T28)."""

from __future__ import annotations

import pytest

from engine.grammar import sentences
from engine.view import Line
from tests.engine.tellstones.tables import GAME, broken, fresh, lying, play, refused, row, verbs


@pytest.mark.clause("T14", "T15", "T16")
def test_a_stone_is_placed_face_up_at_either_end() -> None:
    state = lying("scales*")
    assert row(play(state, "a: place crown left")) == "crown scales*"
    assert row(play(state, "a: place crown right")) == "scales* crown"
    assert "crown" not in play(state, "a: place crown left").mats[0].pool


@pytest.mark.clause("T14")
def test_only_stones_of_the_pool_are_placed() -> None:
    assert broken(lying("crown sword"), "a: place crown left") == ("T14",)
    assert broken(lying("crown* sword"), "a: place crown left") == ("T14",)


@pytest.mark.clause("T16")
def test_a_stone_is_never_placed_between_two() -> None:
    state = lying("crown sword")
    assert broken(state, "a: place flag 2") == ("T16",)
    assert broken(state, "a: place crown 2") == ("T14", "T16")
    assert row(play(state, "a: place flag 1")) == "flag crown sword"
    assert row(play(state, "a: place flag 3")) == "crown sword flag"
    assert refused(state, "a: place flag 4") == "invalid"
    assert refused(state, "a: place flag") == "ambiguous"


@pytest.mark.clause("T16")
def test_left_is_left_for_seat_a_and_turned_round_for_the_player_opposite() -> None:
    state = lying("crown sword")
    for seat, labels in (("a", ["left end", "right end"]), ("b", ["right end", "left end"])):
        choices = GAME.choices(lying("crown sword", active=seat), seat, ("place", "flag"))
        assert [choice.word for choice in choices] == ["left", "right"]
        assert [str(choice.text) for choice in choices] == labels
    placed = play(state, "a: place flag left")
    told = {
        seat: next(str(panel.text) for panel in GAME.view(placed, seat).panels if isinstance(panel, Line))
        for seat in ("a", "b", None)
    }
    assert told == {
        "a": "B puts the Flag at the left end.",
        "b": "B puts the Flag at the right end.",
        None: "B puts the Flag at the left end.",
    }


@pytest.mark.clause("T17")
def test_nothing_is_placed_from_an_empty_pool() -> None:
    state = lying("crown shield sword flag knight hammer scales")
    assert "place" not in verbs(state, "a")
    assert broken(state, "a: place crown left") == ("T17", "T14")


@pytest.mark.clause("T18")
def test_all_stones_may_be_placed_on_one_side() -> None:
    state = fresh(first_stone="scales")
    for number, kind in enumerate(("crown", "shield", "sword", "flag", "knight", "hammer")):
        state = play(state, f"{'ab'[number % 2]}: place {kind} left")
    assert row(state) == "hammer knight flag sword shield crown scales"


@pytest.mark.clause("T18")
@pytest.mark.parametrize("end", ["left", "right"])
def test_with_seven_fixed_spots_three_stones_fit_on_a_side(end: str) -> None:
    state = fresh(first_stone="scales", fixed_spots=True)
    for number, kind in enumerate(("crown", "shield", "sword")):
        state = play(state, f"{'ab'[number % 2]}: place {kind} {end}")
    assert broken(state, f"b: place flag {end}") == ("T18",)
    other = "right" if end == "left" else "left"
    assert [choice.word for choice in GAME.choices(state, "b", ("place", "flag"))] == [other]
    state = play(state, f"b: place flag {other}", f"a: place knight {other}", f"b: place hammer {other}")
    assert len(state.mats[0].line) == 7


@pytest.mark.clause("T19")
def test_nothing_brings_a_stone_back_to_the_pool() -> None:
    state = lying("crown* sword flag")
    for words in sentences(GAME, state, "a"):
        after, _ = GAME.apply(state, "a", GAME.read(state, "a", words))
        assert set(after.mats[0].pool) <= set(state.mats[0].pool)
    back = [attempt for attempt in GAME.attempts(state) if attempt.kind == "stone returned to the pool"]
    assert [breach.clause for breach in back[0].violations] == ["T19", "T23"]
    assert [breach.clause for breach in back[1].violations] == ["T19"]


@pytest.mark.clause("T20", "T21")
def test_a_face_up_stone_is_hidden_where_it_lies() -> None:
    state = lying("crown sword flag")
    assert row(play(state, "a: hide sword")) == row(play(state, "a: hide 2")) == "crown sword* flag"


@pytest.mark.clause("T20")
def test_only_a_face_up_stone_on_the_line_is_hidden() -> None:
    state = lying("crown* sword")
    assert broken(state, "a: hide 1") == ("T20",)
    assert broken(state, "a: hide crown") == ("T20",)
    assert broken(state, "a: hide flag") == ("T20",)
    assert "hide" not in verbs(lying("crown*"), "a")


@pytest.mark.clause("T22")
def test_all_seven_may_be_hidden() -> None:
    state = lying("crown* shield* sword* flag* knight* hammer* scales")
    assert row(play(state, "a: hide scales")) == "crown* shield* sword* flag* knight* hammer* scales*"


@pytest.mark.clause("T23")
def test_turning_a_stone_up_is_no_action() -> None:
    state = lying("crown* sword")
    assert refused(state, "a: show 1") == "invalid"
    flips = [attempt for attempt in GAME.attempts(state) if attempt.kind == "unasked flip"]
    assert [breach.clause for flip in flips for breach in flip.violations] == ["T23"]


@pytest.mark.clause("T24", "T25", "T26", "T27")
@pytest.mark.parametrize(
    ("line", "after"),
    [
        ("swap crown flag", "flag sword* crown scales*"),
        ("swap 2 4", "crown scales* flag sword*"),
        ("swap crown 4", "scales* sword* flag crown"),
        ("swap 4 crown", "scales* sword* flag crown"),
    ],
)
def test_any_two_stones_change_places_and_keep_their_faces(line: str, after: str) -> None:
    assert row(play(lying("crown sword* flag scales*"), f"a: {line}")) == after


@pytest.mark.clause("T24")
def test_a_stone_is_not_exchanged_with_itself() -> None:
    assert broken(lying("crown sword"), "a: swap crown 1") == ("T24",)
    assert refused(lying("crown sword"), "a: swap crown") == "ambiguous"


@pytest.mark.clause("T28")
def test_an_exchange_needs_two_stones_on_the_line() -> None:
    assert "swap" not in verbs(lying("crown"), "a")
    assert broken(lying("crown"), "a: swap 1 1") == ("T24", "T28")
    assert broken(lying("crown"), "a: swap crown sword") == ("T28",)
    assert broken(lying("crown flag"), "a: swap crown sword") == ("T28",)
