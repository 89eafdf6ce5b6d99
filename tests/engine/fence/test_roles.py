"""Each of the 18 kinds in each role that its text gives it."""

from __future__ import annotations

import pytest

from engine.fence.cards import ATTACKS, KINDS, Colour
from tests.engine.fence.phrases import rehearse

OPENS = {
    "straight-thrust 5": (1, "line line"),
    "beat-thrust 5": (1, "line line"),
    "disengage 5": (1, "line engagement"),
    "toe-touch 5": (1, "line line"),
    "glide-attack 5": (1, "line line"),
    "flick 5": (1, "line line"),
    "flanconade 5": (1, "line line"),
    "fleche 6": (2, "line line"),
    "infighting 5": (0, "line line"),
}
ANSWERS = {
    "parry-riposte 6": ("straight-thrust 4",),
    "ceding-parry 4": ("straight-thrust 4", "glide-attack 5"),
    "infighting 5": ("straight-thrust 4",),
    "stop-hit 6": ("straight-thrust 4", "toe-touch 5", "flick 4", "beat-thrust 4"),
    "disengage 5": ("glide-attack 4", "flanconade 4"),
    "joker": ("straight-thrust 6", "toe-touch 5", "flanconade 5"),
}


@pytest.mark.clause("F11", "F25", "F69", "F175")
@pytest.mark.parametrize("card", OPENS)
def test_attacks_open_a_phrase_and_score_unanswered(card: str) -> None:
    gap, weapons = OPENS[card]
    assert rehearse(gap, weapons, f"A play {card}", "D accept").touches == (1, 0)


@pytest.mark.clause("F48", "F52", "F175")
@pytest.mark.parametrize(("card", "attack"), [(card, attack) for card in ANSWERS for attack in ANSWERS[card]])
def test_answers(card: str, attack: str) -> None:
    result = rehearse(1, "line line", f"A play {attack}", f"D play {card}", "A accept")
    assert result.refused is None
    plain = card.startswith("ceding-parry") and attack.startswith("straight-thrust")
    assert result.touches == ((0, 0) if plain else (0, 1))


ROLES = {
    "counter-time against Stop Hit": (
        "line line",
        ("A play straight-thrust 4", "D play stop-hit 5", "A play counter-time", "D accept"),
        (1, 0),
    ),
    "counter-time against a cyan Disengage": (
        "line engagement",
        ("A play beat-thrust 4", "D play disengage 5", "A play counter-time", "D accept"),
        (1, 0),
    ),
    "feint-in-time": (
        "line line",
        ("A play straight-thrust 4", "D play stop-hit 5", "A play counter-time", "D play feint-in-time"),
        (0, 1),
    ),
    "angulations with an attack": (
        "line line",
        ("A play angulations straight-thrust 4", "D play stop-hit 5"),
        (1, 0),
    ),
    "angulations with a counter-attack": (
        "line line",
        ("A play straight-thrust 5", "D play angulations stop-hit 4", "A accept"),
        (0, 1),
    ),
    "angulations with a parry": (
        "line line",
        ("A play straight-thrust 6", "D play angulations parry-riposte 4", "A accept"),
        (0, 1),
    ),
    "renewed-attack": (
        "line line",
        ("A play straight-thrust 4", "D play ceding-parry 4", "A play renewed-attack", "D accept"),
        (1, 0),
    ),
    "feint for another attack": (
        "line line",
        ("A play straight-thrust 3", "D play parry-riposte 4", "A play feint straight-thrust 6"),
        (1, 0),
    ),
    "feint to end it": (
        "line line",
        ("A play straight-thrust 3", "D play parry-riposte 4", "A play feint end"),
        (0, 0),
    ),
    "glide-attack with a Parry card": (
        "line invitation",
        ("A play straight-thrust 3", "D play glide-attack 4 parry-riposte 4", "A play stop-hit 4"),
        (1, 1),
    ),
    "glide-attack with a card-less Parry": (
        "line line",
        ("A play straight-thrust 3", "D play glide-attack 5 parry", "A play stop-hit 5", "D accept"),
        (1, 0),
    ),
    "parry-riposte against a riposte": (
        "line line",
        ("A play straight-thrust 3", "D play parry-riposte 5", "A play parry-riposte 4", "D accept"),
        (1, 0),
    ),
    "joker against a counter-attack": (
        "line line",
        ("A play straight-thrust 3", "D play stop-hit 6", "A play joker"),
        (1, 0),
    ),
}


@pytest.mark.clause("F138", "F139", "F147", "F158", "F165", "F166", "F167", "F169", "F170", "F174")
@pytest.mark.parametrize("role", ROLES)
def test_other_roles(role: str) -> None:
    weapons, lines, touches = ROLES[role]
    result = rehearse(1, weapons, *lines)
    assert result.refused is None, (result.refused, result.clauses)
    assert result.touches == touches


@pytest.mark.clause("F175")
def test_every_kind_has_a_role_here() -> None:
    named = " ".join((*OPENS, *ANSWERS, *ROLES))
    assert all(kind in named for kind in KINDS)
    assert {card.split()[0] for card in OPENS} == ATTACKS
    assert {kind for kind in ATTACKS if Colour.RED not in KINDS[kind].colours} == set()


@pytest.mark.clause("F176")
def test_only_toe_touch_has_a_target_of_its_own() -> None:
    """Other attacks of one speed fare alike against the same counter-attack."""
    touches = {
        rehearse(1, "line line", f"A play {card}", "D play stop-hit 4").touches
        for card in ("straight-thrust 4", "toe-touch 4")
    }
    assert touches == {(1, 1)}
    parried = rehearse(1, "line line", "A play toe-touch 4", "D play parry-riposte 6")
    assert parried.clauses == ("F145",)
