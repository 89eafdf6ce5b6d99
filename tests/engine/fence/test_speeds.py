"""How fast an action is, and why: cards, weapon positions, Angulations."""

from __future__ import annotations

import pytest

from engine.fence.bout import Rulings
from engine.fence.cards import Weapon
from engine.fence.phrase import Arms, Phrase, Speed, answer, attack, parry_cost, riposte, speed_up_attack
from tests.engine.fence.bouts import bout, play

L, I, E = Weapon.LINE, Weapon.INVITATION, Weapon.ENGAGEMENT  # noqa: E741
RULES = Rulings()


@pytest.mark.clause("F141")
@pytest.mark.parametrize(("base", "total"), [(3, 5), (4, 6), (5, 7), (6, 8)])
def test_straight_thrust_from_the_line_against_an_invitation(base: int, total: int) -> None:
    assert attack(RULES, "straight-thrust", base, Arms(L, I)).total == total
    assert attack(RULES, "straight-thrust", base, Arms(I, I)).total == base
    assert attack(RULES, "straight-thrust", base, Arms(L, L)).total == base


@pytest.mark.clause("F142", "F148", "F72b")
@pytest.mark.parametrize("kind", ["beat-thrust", "flick"])
def test_beat_and_flick_against_the_line(kind: str) -> None:
    assert attack(RULES, kind, 4, Arms(E, L)).total == 5
    assert attack(RULES, kind, 5, Arms(L, L)).total == 6
    assert attack(RULES, kind, 5, Arms(L, E)).total == 4


@pytest.mark.clause("F72a", "F144")
def test_engagement_slows_attacks_but_for_disengage() -> None:
    assert attack(RULES, "toe-touch", 4, Arms(L, E)).total == 3
    assert attack(RULES, "disengage", 4, Arms(L, E)).total == 4
    assert riposte(RULES, "parry-riposte", 5, Arms(L, E)).total == 2


@pytest.mark.clause("F72a", "F88")
def test_invitation_quickens_defences() -> None:
    assert answer(RULES, 4, Arms(I, L)).total == 5
    assert answer(RULES, 4, Arms(L, I)).total == 4
    assert answer(RULES, 4, Arms(I, L), boosted=True) == Speed(4, (("invitation", 1), ("angulations", 2)))


@pytest.mark.clause("F72", "F72a")
def test_positions_work_always_or_only_when_they_beat() -> None:
    winning = Rulings(positions="winning")
    assert answer(winning, 4, Arms(I, E)).total == 5
    assert answer(winning, 4, Arms(I, L)).total == 4
    assert attack(winning, "toe-touch", 4, Arms(L, E)).total == 3
    assert attack(winning, "toe-touch", 4, Arms(I, E)).total == 4


@pytest.mark.clause("F157", "F162", "F147")
@pytest.mark.parametrize(("printed", "speed"), [(4, 2), (5, 3), (6, 4)])
def test_ripostes_are_slower_and_count_as_straight_thrusts(printed: int, speed: int) -> None:
    assert riposte(RULES, "parry-riposte", printed, Arms(I, L)).total == speed
    assert riposte(RULES, "parry-riposte", printed, Arms(L, I)).total == speed + 2
    assert riposte(RULES, "infighting", printed, Arms(I, L)).total == speed
    assert riposte(Rulings(infighting_riposte="full"), "infighting", printed, Arms(I, L)).total == printed
    assert riposte(RULES, "parry-riposte", printed, Arms(I, L), with_glide=True).total == 4
    assert riposte(Rulings(riposte_position=False), "parry-riposte", printed, Arms(L, I)).total == speed


@pytest.mark.clause("F169", "F170")
def test_two_more_by_angulations_and_by_renewed_attack() -> None:
    first = attack(RULES, "straight-thrust", 4, Arms(L, I), boosted=True)
    assert first == Speed(4, (("position", 2), ("angulations", 2)))
    assert speed_up_attack(first).total == 10


@pytest.mark.clause("F86", "F88")
@pytest.mark.parametrize(
    ("speed", "own", "up", "down"), [(4, L, 2, 2), (5, L, 3, 2), (5, I, 2, 2), (1, I, 0, 0), (0, I, 0, 0), (8, L, 4, 4)]
)
def test_what_a_card_less_parry_costs(speed: int, own: Weapon, up: int, down: int) -> None:
    assert parry_cost(RULES, speed, Arms(own, E)) == up
    assert parry_cost(Rulings(parry_rounding="down"), speed, Arms(own, E)) == max(0, down)


@pytest.mark.clause("F34", "F164")
def test_speeds_of_a_phrase_say_why() -> None:
    state = play(bout(1, "line invitation", mode="advanced"), "a: play angulations straight-thrust 3")
    assert isinstance(state.phase, Phrase)
    assert state.phase.beats[0].speed == Speed(3, (("position", 2), ("angulations", 2)))
    after = play(state, "b: play angulations stop-hit 6")
    assert isinstance(after.phase, Phrase)
    assert after.phase.beats[1].speed == Speed(6, (("invitation", 1), ("angulations", 2)))
