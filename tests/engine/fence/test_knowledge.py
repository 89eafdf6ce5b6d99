"""What a referee who sees no hand knows of the cards."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from engine.catalogue import complete
from engine.fence import Fence
from engine.fence.bout import State
from engine.fence.cards import edit
from engine.fence.hands import may_hold, unseen
from tests.engine.fence.bouts import SPEC, bout, broken, having, legal, menu, play, rules, sentence


@pytest.mark.clause("F80")
def test_what_was_seen_elsewhere_cannot_be_in_a_hand() -> None:
    state = bout(1, mode="advanced")
    gone = replace(state, piles=replace(state.piles, discards=("straight-thrust-6",)))
    assert broken(gone, "a: play straight-thrust 6") == ("F80",)
    assert "6" not in menu(gone, "a", "play", "straight-thrust")
    other = having(state, 1, known=("straight-thrust-6",))
    assert broken(other, "a: play straight-thrust 6") == ("F80",)
    assert legal(having(state, 0, known=("straight-thrust-6",)), "a: play straight-thrust 6")


@pytest.mark.clause("F31")
def test_in_the_tutorial_a_played_card_is_gone() -> None:
    state = play(bout(1, mode="tutorial"), "a: play straight-thrust 6", "b: accept", "a: clear")
    state = play(state, "b: move forward", "b: end", "b: keep")
    assert broken(state, "a: play straight-thrust 6") == ("F31",)


@pytest.mark.clause("F1")
def test_cards_of_other_modes_are_not_read() -> None:
    assert "flick" not in menu(bout(1, "line line"), "a", "play")
    assert "fleche" not in {face.kind for face in bout(1, mode="tutorial").pool.values()}


@pytest.mark.clause("F66", "F80")
def test_a_full_hand_of_known_cards_holds_nothing_else() -> None:
    known = ("stop-hit-4", "stop-hit-4", "stop-hit-5", "stop-hit-5", "stop-hit-6", "straight-thrust-3")
    state = having(bout(1), 0, known=known)
    assert menu(state, "a", "play", "straight-thrust") == {"3"}
    assert not may_hold(state, 0, ("straight-thrust-4",))
    assert may_hold(state, 0, ("stop-hit-4", "stop-hit-4"))


@pytest.mark.clause("F80")
def test_unknown_cards_fill_the_unknown_places() -> None:
    state = having(bout(1), 0, hand=2, known=("straight-thrust-3",))
    assert may_hold(state, 0, ("straight-thrust-4",))
    assert not may_hold(state, 0, ("straight-thrust-4", "straight-thrust-5"))
    assert may_hold(state, 0, ("straight-thrust-3", "straight-thrust-5"))


@pytest.mark.clause("F90", "F129")
def test_a_card_lost_unseen_leaves_only_the_mandatory_one_certain() -> None:
    state = having(bout(1), 1, known=("stop-hit-4", "straight-thrust-3"))
    after = play(state, "a: play straight-thrust 4", "b: distance ?")
    assert after.fencers[1].known == ("straight-thrust-3",)
    assert after.piles.discards == ("?",)
    named = play(state, "a: play straight-thrust 4", "b: distance stop-hit 4")
    assert named.fencers[1].known == ("straight-thrust-3",)
    advanced = having(bout(1, mode="advanced"), 1, known=("stop-hit-4",))
    assert play(advanced, "a: play straight-thrust 4", "b: distance ?").fencers[1].known == ()


@pytest.mark.clause("F90")
def test_distance_spares_the_mandatory_card() -> None:
    state = play(having(bout(1), 1, hand=1), "a: play straight-thrust 4")
    assert "distance" not in menu(state, "b")
    full = play(bout(1), "a: play straight-thrust 4")
    assert broken(full, "b: distance straight-thrust 3") == ("F90",)


def later(one: bool, two: bool, **given: Any) -> State:
    """Period 2, into which each side may have come without a yellow card: its own was exchanged and shuffled in."""
    state = replace(bout(1, bout="elimination", **given), period=2)
    for side, has in enumerate((one, two)):
        state = having(state, side, known=("straight-thrust-3",) if has else ())
    return state


@pytest.mark.clause("F90", "F96")
@pytest.mark.parametrize(("one", "two", "allowed"), [(1, 1, False), (1, 0, False), (0, 1, True), (0, 0, True)])
def test_a_second_yellow_card_can_be_lost_by_distance(one: bool, two: bool, allowed: bool) -> None:
    """One is laid aside; the other can be drawn only if both can be in that hand."""
    state = play(later(bool(one), bool(two)), "a: play straight-thrust 4")
    assert broken(state, "b: distance straight-thrust 3") == (() if allowed else ("F90",))
    assert ("3" in menu(state, "b", "distance", "straight-thrust")) is allowed
    if allowed:
        assert play(state, "b: distance straight-thrust 3").fencers[1].known == ("straight-thrust-3",)


@pytest.mark.clause("F90")
def test_a_yellow_card_in_the_lane_cannot_be_the_second_one() -> None:
    state = play(later(False, False), "a: play straight-thrust 3")
    assert broken(state, "b: distance straight-thrust 3") == ("F90",)


@pytest.mark.clause("F74", "F96")
def test_the_second_yellow_card_may_be_exchanged() -> None:
    faster = ("straight-thrust-4", "straight-thrust-4", "straight-thrust-5", "straight-thrust-6")
    for other_has, allowed in ((True, False), (False, True)):
        state = later(True, other_has)
        state = replace(state, piles=replace(state.piles, discards=faster))
        assert broken(state, "a: exchange straight-thrust 3") == (() if allowed else ("F74",))


@pytest.mark.clause("F66", "F74", "F90")
def test_a_plain_card_of_speed_3_is_not_yellow() -> None:
    """The sixth Straight Thrust of a real deck may show 3, too."""
    game = Fence(edit(rules().deck, "RF04", {"speed": 3}))
    state = game.setup(complete(SPEC.options, {"starter": "a"}), ("a", "b"), 0)
    assert [fencer.known for fencer in state.fencers] == [("straight-thrust-3",)] * 2
    assert (state.pool["straight-thrust-3"].count, state.pool["straight-thrust-3-plain"].count) == (2, 1)
    faster = ("straight-thrust-4", "straight-thrust-5", "straight-thrust-6")
    turn = replace(bout(1), pool=state.pool)
    gone = replace(turn, piles=replace(turn.piles, discards=faster))

    def clauses(where: State, seat: str, *words: str) -> tuple[str, ...]:
        return tuple(breach.clause for breach in game.judge(where, seat, game.read(where, seat, words)))

    assert clauses(gone, "a", "exchange", "straight-thrust", "3") == ("F74",)
    assert clauses(gone, "a", "exchange", "straight-thrust", "3-plain") == ()
    attacked, _ = game.apply(turn, "a", game.read(turn, "a", ("play", "straight-thrust", "5")))
    assert clauses(attacked, "b", "distance", "RF01") == ("F90",)
    assert clauses(attacked, "b", "distance", "RF04") == ()
    texts = [str(choice.text) for choice in game.choices(turn, "a", ("play", "straight-thrust"))]
    assert texts == ["Speed 3", "Speed 4", "Speed 3 (plain), 0 SP", "Speed 5", "Speed 6"]
    assert game.words(turn, game.read(turn, "a", ("exchange", "RF04"))) == ("exchange", "straight-thrust", "3-plain")
    told = game.apply(turn, "a", game.read(turn, "a", ("exchange", "RF04")))[1]
    assert str(told[0].text) == "Green gives up Straight Thrust 3 (plain) and draws."


@pytest.mark.clause("F4", "F96")
def test_counts_of_all_cards_add_up() -> None:
    state = bout(1, mode="advanced")
    for line in ("a: play straight-thrust 4", "b: play joker", "a: clear", "b: exchange stop-hit 4", "b: end"):
        state = play(state, line)
        piles = state.piles
        cards = sum(fencer.hand + len(fencer.lane) for fencer in state.fencers)
        assert cards + piles.timer + piles.aside + len(piles.discards) == 54
        assert all(unseen(state, name) >= 0 for name in state.pool)


@pytest.mark.clause("F73", "F74", "F123")
def test_an_exchange_needs_a_card_that_may_go() -> None:
    assert broken(having(bout(3, mode="advanced"), 0, hand=0), "a: exchange ?") == ("F73",)
    only = having(bout(3), 0, hand=1)
    assert broken(only, "a: exchange ?") == ("F74",)
    assert sentence(only, "a: exchange ?") == "The yellow Straight Thrust is kept unless a faster one is in the hand."
    assert legal(having(bout(3), 0, hand=2), "a: exchange ?")
    assert legal(having(bout(3, mode="advanced"), 0, hand=1, known=("straight-thrust-3",)), "a: exchange ?")


@pytest.mark.clause("F74")
def test_an_unseen_exchange_may_have_been_the_yellow_card() -> None:
    """A faster Straight Thrust in the hand lets it go; where none can be, it is still there."""
    fast, slow = ("straight-thrust-3", "straight-thrust-5"), ("straight-thrust-3",)
    state = bout(3)
    assert play(having(state, 0, known=fast), "a: exchange ?").fencers[0].known == ()
    assert play(having(state, 0, known=slow), "a: exchange ?").fencers[0].known == ()
    faster = ("straight-thrust-4", "straight-thrust-4", "straight-thrust-5", "straight-thrust-6")
    gone = replace(state, piles=replace(state.piles, discards=faster))
    assert play(gone, "a: exchange ?").fencers[0].known == slow
    full = having(state, 0, hand=2, known=("stop-hit-4", *slow))
    assert play(full, "a: exchange ?").fencers[0].known == slow


@pytest.mark.clause("F74", "F96")
def test_of_two_yellow_cards_one_is_certain_after_an_unseen_exchange() -> None:
    state = having(later(True, False), 0, known=("straight-thrust-3", "straight-thrust-3"))
    assert play(state, "a: exchange ?").fencers[0].known == ("straight-thrust-3",)
    faster = ("straight-thrust-4", "straight-thrust-4", "straight-thrust-5", "straight-thrust-6")
    state = later(True, False)
    gone = replace(state, piles=replace(state.piles, discards=faster))
    assert play(gone, "a: exchange ?").fencers[0].known == ("straight-thrust-3",)


@pytest.mark.clause("F80")
def test_a_refusal_names_the_card_that_is_missing_and_says_why() -> None:
    glide = play(bout(1, "line line", mode="advanced"), "a: play glide-attack 4")
    line = "b: play glide-attack 4 parry-riposte 4"
    assert sentence(glide, line) == "Glide Attack 4 cannot be in this hand: all copies were seen elsewhere."
    full = having(
        bout(1), 0, known=("stop-hit-4", "stop-hit-4", "stop-hit-5", "stop-hit-5", "stop-hit-6", "toe-touch-4")
    )
    told = "Straight Thrust 4 cannot be in this hand: it is known to hold other cards."
    assert sentence(full, "a: play straight-thrust 4") == told
