"""The game turn: moves, weapon positions, exchanges, Stall, Retreat, and how they combine."""

from __future__ import annotations

from itertools import product

import pytest
from msgspec.structs import replace

from engine.fence.bout import Turn
from engine.fence.hands import Offering
from engine.fence.phrase import Clearing
from tests.engine.fence.bouts import (
    bout,
    broken,
    hands,
    having,
    legal,
    menu,
    play,
    rules,
    scores,
    sentence,
    squares,
    timer,
    usual,
)


@pytest.mark.clause("F9")
def test_players_alternate() -> None:
    state = bout(3)
    assert broken(state, "b: move back") == ("F9",)
    assert play(state, "a: end").active == 1


@pytest.mark.clause("F19", "F20")
def test_a_move_is_one_square_and_two_end_the_turn() -> None:
    state = bout(3)
    assert squares(play(state, "a: move forward")) == (5, 8)
    assert squares(play(state, "a: move back")) == (3, 8)
    assert play(state, "a: move forward", "a: move back").active == 1
    assert broken(state, "a: move forward 3") == ("F19",)
    assert broken(state, "a: move back 2") == ("F19",)


@pytest.mark.clause("F18", "F20")
def test_two_moves_may_be_excluded() -> None:
    state = play(bout(3, two_moves=False), "a: move forward")
    assert broken(state, "a: move forward") == ("F18",)
    assert legal(state, "a: weapon invitation")


@pytest.mark.clause("F7", "F21")
def test_the_weapon_changes_once_a_turn() -> None:
    state = bout(3)
    after = play(state, "a: weapon invitation")
    assert after.fencers[0].weapon == "invitation"
    assert broken(after, "a: weapon engagement") == ("F21",)
    assert broken(state, "a: weapon line") == ("F21",)


@pytest.mark.clause("F17", "F18", "F20")
@pytest.mark.parametrize(("first", "second"), list(product(("move back", "weapon invitation", None), repeat=2)))
def test_combinations_in_the_tutorial(first: str | None, second: str | None) -> None:
    """1+2, 1+3, 2+3, 3 alone, and two moves."""
    state = bout(1, mode="tutorial")
    for action in (first, second):
        if action is None:
            continue
        if action == "weapon invitation" and state.fencers[0].weapon == "invitation":
            assert not legal(state, f"a: {action}")
            return
        state = play(state, f"a: {action}")
    two = first is not None and second is not None
    assert isinstance(state.phase, Offering if two else Turn)
    assert not legal(state, "a: stall ?")


@pytest.mark.clause("F17", "F18", "F24", "F70")
@pytest.mark.parametrize("mode", ["tutorial", "basic", "advanced"])
def test_a_card_comes_last(mode: str) -> None:
    state = bout(2, mode=mode)
    one = play(state, "a: move forward")
    assert legal(one, "a: play straight-thrust 4")
    card = play(one, "a: play straight-thrust 4", "b: accept", "a: clear")
    assert card.active == 1
    full = play(bout(3, mode="advanced"), "a: move forward", "a: retreat")
    assert broken(full, "a: play straight-thrust 4") == ("F70", "F71")


@pytest.mark.clause("F22")
def test_both_actions_are_used_unless_the_table_wants_otherwise() -> None:
    assert usual()["both_actions"] is True
    assert legal(bout(3, both_actions=False), "a: end")
    strict = bout(3, both_actions=True)
    assert broken(strict, "a: end") == ("F22",)
    assert broken(play(strict, "a: move back"), "a: end") == ("F22",)
    assert legal(bout(1, both_actions=True), "a: play straight-thrust 4")


@pytest.mark.clause("F23")
def test_fencers_do_not_pass() -> None:
    assert broken(bout(0), "a: move forward") == ("F23",)
    assert broken(bout(1), "a: move forward 3") == ("F19", "F23")


@pytest.mark.clause("F53", "F54")
def test_off_the_strip_gives_a_point_and_ends_the_turn() -> None:
    state = having(bout(3), 0, square=1)
    after = play(state, "a: move back")
    assert scores(after) == (0, 1)
    assert squares(after)[0] == 0
    assert isinstance(after.phase, Clearing)
    cleared = play(after, "a: clear")
    assert squares(cleared) == (4, 7)
    assert cleared.active == 1
    assert isinstance(cleared.phase, Turn)


@pytest.mark.clause("F26", "F39")
def test_after_a_turn_of_the_tutorial_a_card_may_be_given_up() -> None:
    state = play(bout(3, mode="tutorial"), "a: end")
    assert isinstance(state.phase, Offering)
    assert menu(state, "a") == {"exchange", "keep"}
    after = play(state, "a: exchange stop-hit 4")
    assert (after.piles.timer, after.piles.discards) == (28, ("stop-hit-4",))
    assert hands(after) == (6, 6)
    assert after.active == 1
    assert play(state, "a: keep").piles.timer == 29
    assert broken(bout(3, mode="tutorial"), "a: exchange ?") == ("F26",)
    fenced = play(bout(1, mode="tutorial"), "a: play straight-thrust 4", "b: accept", "a: clear")
    assert isinstance(fenced.phase, Turn)


@pytest.mark.clause("F69", "F70", "F73", "F74")
def test_exchange_is_an_action_once_a_turn() -> None:
    state = play(bout(3), "a: exchange stop-hit 4")
    assert (state.piles.timer, state.piles.discards, hands(state)) == (11, ("stop-hit-4",), (6, 6))
    assert broken(state, "a: exchange stop-hit 5") == ("F74",)
    assert play(state, "a: move back").active == 1


@pytest.mark.clause("F74", "F123")
def test_the_yellow_card_stays_unless_a_faster_one_can_be_held() -> None:
    state = bout(3)
    assert legal(state, "a: exchange straight-thrust 3")
    faster = ("straight-thrust-4", "straight-thrust-4", "straight-thrust-5", "straight-thrust-6")
    gone = replace(state, piles=replace(state.piles, discards=faster))
    assert broken(gone, "a: exchange straight-thrust 3") == ("F74",)
    free = bout(3, mode="advanced")
    gone = replace(free, piles=replace(free.piles, discards=faster))
    assert legal(gone, "a: exchange straight-thrust 3")


@pytest.mark.clause("F70", "F75", "F76")
def test_a_stall_takes_the_turn_and_a_timer_card() -> None:
    state = play(bout(3), "a: stall stop-hit 5")
    assert (state.active, state.piles.timer, state.piles.discards) == (1, 11, ("stop-hit-5",))
    again = play(state, "b: end")
    assert broken(again, "a: stall ?") == ("F76",)
    assert legal(play(again, "a: end", "b: end"), "a: stall ?")
    assert broken(play(bout(3), "a: move back"), "a: stall ?") == ("F75",)


@pytest.mark.clause("F98")
def test_nothing_is_drawn_from_an_empty_deck() -> None:
    state = timer(bout(3, mode="advanced"), 0)
    assert broken(state, "a: exchange ?") == ("F98",)
    assert broken(state, "a: stall ?") == ("F98",)
    assert legal(state, "a: retreat")
    assert "exchange" not in menu(play(state, "a: retreat"), "a")


@pytest.mark.clause("F125", "F126", "F127", "F128")
def test_a_retreat_is_two_squares_and_an_exchange_comes_with_it() -> None:
    state = bout(1, mode="advanced")
    once = play(state, "a: retreat")
    assert squares(once) == (3, 7)
    swapped = play(once, "a: exchange stop-hit 4")
    assert isinstance(swapped.phase, Turn)
    assert broken(swapped, "a: exchange stop-hit 5") == ("F127",)
    assert legal(swapped, "a: move forward")
    moved = play(once, "a: move forward")
    assert moved.active == 1
    exchanged = play(state, "a: exchange stop-hit 4", "a: retreat")
    assert exchanged.active == 1
    twice = play(once, "a: retreat")
    assert squares(twice) == (1, 7)
    assert menu(twice, "a") == {"exchange", "end"}
    assert play(twice, "a: end").active == 1
    assert broken(bout(1), "a: retreat") == ("F126",)


@pytest.mark.clause("F54", "F126")
def test_a_retreat_off_the_strip() -> None:
    state = play(having(bout(3, mode="advanced"), 0, square=2), "a: retreat")
    assert scores(state) == (0, 1)
    assert squares(state)[0] == 0
    assert squares(play(state, "a: clear")) == (4, 7)


@pytest.mark.clause("F54", "F127")
def test_a_retreat_off_the_strip_keeps_its_exchange() -> None:
    """The action is carried out in full: with the point for the opponent, the card may still be exchanged, once."""
    state = play(having(bout(3, mode="advanced"), 0, square=2), "a: retreat")
    assert menu(state, "a") == {"exchange", "clear"}
    assert "exchange" in str(rules().view(state, "a").prompt)
    assert broken(state, "b: exchange stop-hit 4") == ("F39",)
    after = play(state, "a: exchange stop-hit 4")
    assert (after.piles.timer, after.piles.discards, hands(after)) == (11, ("stop-hit-4",), (6, 6))
    assert (scores(after), menu(after, "a")) == ((0, 1), {"clear"})
    assert broken(after, "a: exchange stop-hit 5") == ("F39",)
    cleared = play(after, "a: clear")
    assert (squares(cleared), cleared.active) == ((4, 7), 1)


@pytest.mark.clause("F54", "F98", "F127")
def test_a_retreat_off_the_strip_has_no_exchange_if_none_is_left() -> None:
    state = having(bout(3, mode="advanced"), 0, square=2)
    for before in (timer(state, 0), having(state, 0, hand=0), play(state, "a: exchange stop-hit 4")):
        assert menu(play(before, "a: retreat"), "a") == {"clear"}
    stepped = play(having(state, 0, square=1), "a: move back")
    assert menu(stepped, "a") == {"clear"}
    won = play(having(state, 1, score=4), "a: retreat")
    assert rules().outcome(won) is not None
    drawn = having(having(state, 0, known=("joker",) * 2, hand=2), 1, hand=6)
    assert broken(play(drawn, "a: retreat"), "a: exchange stop-hit 4") == ("F80",)


@pytest.mark.clause("F25", "F32", "F49", "F175")
@pytest.mark.parametrize(
    ("card", "clause"),
    [
        ("stop-hit 4", "F25"),
        ("ceding-parry 4", "F25"),
        ("counter-time", "F25"),
        ("renewed-attack", "F25"),
        ("angulations", "F25"),
        ("parry-riposte 4", "F49"),
        ("joker", "F167"),
        ("feint end", "F137"),
    ],
)
def test_the_first_card_is_red(card: str, clause: str) -> None:
    assert clause in broken(bout(1, mode="advanced"), f"a: play {card}")


@pytest.mark.clause("F71", "F150", "F161")
@pytest.mark.parametrize(
    ("gap", "card", "clause"),
    [
        (0, "straight-thrust 4", "F71"),
        (2, "straight-thrust 4", "F71"),
        (3, "fleche 5", "F150"),
        (1, "fleche 5", "F150"),
        (1, "infighting 4", "F161"),
        (2, "infighting 4", "F161"),
    ],
)
def test_distances(gap: int, card: str, clause: str) -> None:
    assert broken(bout(gap), f"a: play {card}") == (clause,)
    right = {"fleche": 2, "infighting": 0}.get(card.split(maxsplit=1)[0], 1)
    assert legal(bout(right), f"a: play {card}")


@pytest.mark.clause("F33")
@pytest.mark.parametrize("gap", [0, 2, 3])
def test_the_tutorial_has_one_distance(gap: int) -> None:
    assert broken(bout(gap, mode="tutorial"), "a: play straight-thrust 4") == ("F33",)


@pytest.mark.clause("F142", "F144", "F146", "F148", "F149")
@pytest.mark.parametrize(
    ("card", "allowed", "clause"),
    [
        ("straight-thrust 4", {"line", "invitation", "engagement"}, "F141"),
        ("toe-touch 4", {"line", "invitation", "engagement"}, "F145"),
        ("beat-thrust 4", {"line", "engagement"}, "F142"),
        ("flick 4", {"line", "engagement"}, "F148"),
        ("disengage 4", {"engagement"}, "F144"),
        ("glide-attack 4", {"line"}, "F146"),
        ("flanconade 4", {"line"}, "F149"),
    ],
)
def test_attacks_against_weapon_positions(card: str, allowed: set[str], clause: str) -> None:
    for position in ("line", "invitation", "engagement"):
        found = broken(bout(1, f"line {position}", mode="advanced"), f"a: play {card}")
        assert found == (() if position in allowed else (clause,))


@pytest.mark.clause("F144")
def test_disengage_may_always_be_red() -> None:
    assert legal(bout(1, mode="advanced", disengage="always"), "a: play disengage 4")


@pytest.mark.clause("F60")
def test_a_phrase_must_be_answered_before_anything_else() -> None:
    state = play(bout(1), "a: play straight-thrust 4")
    assert "F60" in broken(state, "b: move back")
    assert "F60" in broken(state, "a: move back")
    assert broken(bout(1), "a: accept") == ("F27",)
    assert broken(bout(1), "a: clear") == ("F39",)
    assert broken(play(state, "b: accept"), "b: move back") == ("F39",)


@pytest.mark.clause("F17", "F18", "F20", "F26")
@pytest.mark.parametrize("third", ["move back", "weapon line", "play straight-thrust 4", "stall", "retreat"])
def test_a_third_action_in_the_tutorial_breaks_the_limit_as_well(third: str) -> None:
    state = play(bout(2, mode="tutorial"), "a: move forward", "a: weapon invitation")
    assert broken(state, f"a: {third}") == ("F26", "F17")
    early = play(bout(2, mode="tutorial"), "a: move forward", "a: end")
    assert broken(early, f"a: {third}") == ("F26",)


@pytest.mark.clause("F9", "F70")
def test_what_the_other_has_done_in_a_turn_is_no_breach_of_who_is_not_on() -> None:
    state = play(bout(2, mode="advanced"), "a: weapon invitation", "a: retreat")
    assert broken(state, "a: move back") == ("F70",)
    assert broken(state, "b: move back") == ("F9",)


@pytest.mark.clause("F78", "F91")
def test_what_stamina_lacks_is_said_in_numbers() -> None:
    state = bout(1, points=(1, 6))
    assert sentence(state, "a: play straight-thrust 6") == "Stamina needed: 2. Left: 1."
