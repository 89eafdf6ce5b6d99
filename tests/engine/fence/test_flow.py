"""Section 6 of the rules, row by row: what each step of a phrase leads to."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from tests.engine.fence.bouts import bout, broken, having, menu, play, scores, squares, step
from tests.engine.fence.phrases import rehearse

LINE, INVITED, ENGAGED = "line line", "line invitation", "line engagement"
A, D, BOTH, NONE = (1, 0), (0, 1), (1, 1), (0, 0)

ENDS: list[tuple[str, int, str, tuple[str, ...], tuple[int, int]]] = [
    ("accept", 1, LINE, ("A play straight-thrust 4", "D accept"), A),
    ("faster cyan, accepted", 1, LINE, ("A play straight-thrust 4", "D play stop-hit 5", "A accept"), D),
    ("equal cyan", 1, LINE, ("A play straight-thrust 4", "D play stop-hit 4"), BOTH),
    ("slower cyan", 1, LINE, ("A play straight-thrust 5", "D play stop-hit 4"), A),
    ("slower parry", 1, LINE, ("A play straight-thrust 5", "D play parry-riposte 4"), A),
    ("equal parry, riposte accepted", 1, LINE, ("A play straight-thrust 4", "D play parry-riposte 4", "A accept"), D),
    ("equal Infighting", 1, LINE, ("A play straight-thrust 4", "D play infighting 4", "A accept"), D),
    ("Ceding against Glide", 1, LINE, ("A play glide-attack 5", "D play ceding-parry 4"), D),
    ("Ceding against Flanconade", 1, LINE, ("A play flanconade 5", "D play ceding-parry 4"), D),
    ("plain Ceding", 1, LINE, ("A play straight-thrust 4", "D play ceding-parry 4", "A accept"), NONE),
    ("plain Ceding, too slow", 1, LINE, ("A play straight-thrust 5", "D play ceding-parry 4"), A),
    (
        "plain Ceding with Glide",
        1,
        LINE,
        ("A play straight-thrust 4", "D play glide-attack 5 ceding-parry 4", "A accept"),
        D,
    ),
    ("card-less Parry", 1, LINE, ("A play straight-thrust 4", "D parry", "A accept"), NONE),
    ("card-less Parry with Glide", 1, LINE, ("A play straight-thrust 4", "D play glide-attack 4 parry", "A accept"), D),
    ("Distance", 1, LINE, ("A play straight-thrust 4", "D distance ?", "A accept"), NONE),
    (
        "Renewed, accepted",
        1,
        LINE,
        ("A play straight-thrust 4", "D play ceding-parry 4", "A play renewed-attack", "D accept"),
        A,
    ),
    (
        "Renewed sets a cyan answer aside",
        1,
        LINE,
        ("A play straight-thrust 4", "D play stop-hit 6", "A play renewed-attack", "D accept"),
        A,
    ),
    (
        "Renewed sets a riposte aside, and is parried",
        1,
        LINE,
        (
            "A play straight-thrust 3",
            "D play parry-riposte 4",
            "A play renewed-attack",
            "D play parry-riposte 5",
            "A accept",
        ),
        D,
    ),
    (
        "Renewed met by an equal Stop Hit",
        1,
        LINE,
        ("A play straight-thrust 4", "D play parry-riposte 4", "A play renewed-attack", "D play stop-hit 6"),
        BOTH,
    ),
    (
        "Renewed after Distance",
        1,
        LINE,
        ("A play straight-thrust 4", "D distance ?", "A play renewed-attack", "D accept"),
        A,
    ),
    ("Renewed, nobody left", 1, LINE, ("A play straight-thrust 4", "D parry", "A play renewed-attack"), A),
    (
        "Feint higher",
        1,
        LINE,
        ("A play straight-thrust 3", "D play stop-hit 4", "A play feint straight-thrust 5"),
        A,
    ),
    (
        "Feint equal to cyan",
        1,
        LINE,
        ("A play straight-thrust 3", "D play stop-hit 5", "A play feint straight-thrust 5"),
        BOTH,
    ),
    (
        "Feint equal to blue",
        1,
        LINE,
        ("A play straight-thrust 3", "D play parry-riposte 5", "A play feint straight-thrust 5"),
        BOTH,
    ),
    (
        "Feint lower against cyan",
        1,
        LINE,
        ("A play straight-thrust 3", "D play stop-hit 5", "A play feint straight-thrust 4"),
        D,
    ),
    (
        "Feint lower against a plain parry",
        1,
        INVITED,
        ("A play toe-touch 5", "D distance ?", "A play feint end"),
        NONE,
    ),
    (
        "Feint lower, the riposte is parried",
        1,
        LINE,
        ("A play straight-thrust 3", "D play parry-riposte 6", "A play feint straight-thrust 4", "A parry"),
        NONE,
    ),
    (
        "Feint lower, the riposte hits",
        1,
        LINE,
        ("A play straight-thrust 3", "D play parry-riposte 6", "A play feint straight-thrust 4", "A accept"),
        D,
    ),
    (
        "Feint after a card-less Parry: equal to the speed parried",
        1,
        LINE,
        ("A play straight-thrust 4", "D parry", "A play feint beat-thrust 4"),
        A,  # Beat Thrust is 5 against Point-in-Line
    ),
    (
        "Feint after a card-less Parry, equal",
        1,
        LINE,
        ("A play straight-thrust 4", "D parry", "A play feint toe-touch 4"),
        BOTH,
    ),
    (
        "Feint with Angulations",
        1,
        LINE,
        ("A play straight-thrust 3", "D play stop-hit 5", "A play feint angulations straight-thrust 4"),
        A,
    ),
    ("Feint ends it", 1, LINE, ("A play straight-thrust 3", "D play stop-hit 6", "A play feint end"), NONE),
    (
        "Counter-Time, accepted",
        1,
        LINE,
        ("A play straight-thrust 4", "D play stop-hit 5", "A play counter-time", "D accept"),
        A,
    ),
    (
        "Feint in Time",
        1,
        LINE,
        ("A play straight-thrust 4", "D play stop-hit 5", "A play counter-time", "D play feint-in-time"),
        D,
    ),
    ("Joker by D", 1, LINE, ("A play straight-thrust 6", "D play joker"), D),
    ("Joker by A", 1, LINE, ("A play straight-thrust 4", "D play stop-hit 6", "A play joker"), A),
    ("Joker against a riposte", 1, LINE, ("A play straight-thrust 4", "D play parry-riposte 6", "A play joker"), A),
    ("Fleche, accepted", 2, LINE, ("A play fleche 5", "D accept"), A),
    ("Fleche parried by a card", 2, LINE, ("A play fleche 5", "D play parry-riposte 5"), D),
    ("Fleche, faster cyan", 2, LINE, ("A play fleche 5", "D play stop-hit 6"), D),
    ("Fleche, equal cyan", 2, LINE, ("A play fleche 5", "D play stop-hit 5"), BOTH),
    ("Fleche parried plainly", 2, "line invitation", ("A play fleche 5", "D play ceding-parry 4"), NONE),
    ("Fleche, card-less Parry", 2, LINE, ("A play fleche 5", "D parry"), NONE),
    ("Fleche, card-less Parry with Glide", 2, LINE, ("A play fleche 5", "D play glide-attack 4 parry"), D),
    ("Fleche, Distance", 2, LINE, ("A play fleche 5", "D distance ?"), NONE),
    (
        "counter-riposte",
        1,
        LINE,
        ("A play straight-thrust 4", "D play parry-riposte 4", "A play parry-riposte 5", "D accept"),
        A,
    ),
    (
        "Stop Hit against a riposte",
        1,
        LINE,
        ("A play straight-thrust 4", "D play parry-riposte 6", "A play stop-hit 5", "D accept"),
        A,
    ),
    (
        "equal Stop Hit against a riposte",
        1,
        LINE,
        ("A play straight-thrust 4", "D play parry-riposte 6", "A play stop-hit 4"),
        BOTH,
    ),
    (
        "riposte parried without a card",
        1,
        LINE,
        ("A play straight-thrust 4", "D play parry-riposte 6", "A parry"),
        NONE,
    ),
    (
        "Infighting answers Infighting",
        0,
        LINE,
        ("A play infighting 4", "D play infighting 5", "A play infighting 5", "D accept"),
        A,
    ),
    (
        "the longest phrase",
        1,
        LINE,
        (
            "A play straight-thrust 3",
            "D play parry-riposte 4",
            "A play parry-riposte 5",
            "D play parry-riposte 6",
            "A play glide-attack 4 parry",
            "D parry",
        ),
        NONE,
    ),
]


@pytest.mark.clause(
    "F27", "F29", "F35", "F36", "F37", "F46", "F55", "F85", "F86", "F138", "F139", "F140", "F153", "F156", "F157",
    "F158", "F159", "F160", "F162", "F163", "F165", "F166", "F167", "F170", "F171", "F172", "F173", "F174",
)  # fmt: skip
@pytest.mark.parametrize(
    ("gap", "weapons", "lines", "touches"), [row[1:] for row in ENDS], ids=[row[0] for row in ENDS]
)
def test_how_a_phrase_ends(gap: int, weapons: str, lines: tuple[str, ...], touches: tuple[int, int]) -> None:
    result = rehearse(gap, weapons, *lines)
    assert result.refused is None, (lines[result.refused or 0], result.clauses)
    assert result.end == {0: "none", 1: "touch", 2: "double"}[sum(touches)]
    assert result.touches == touches


ASKED: list[tuple[str, tuple[str, ...], str | None]] = [
    ("after the attack", ("a: play straight-thrust 4",), "b"),
    ("after a cyan answer", ("a: play straight-thrust 4", "b: play stop-hit 5"), "a"),
    ("after a parry", ("a: play straight-thrust 4", "b: play parry-riposte 5"), "a"),
    ("after a plain parry", ("a: play straight-thrust 4", "b: play ceding-parry 4"), "a"),
    ("after Distance", ("a: play straight-thrust 4", "b: distance ?"), "a"),
    ("after a card-less Parry", ("a: play straight-thrust 4", "b: parry"), "a"),
    ("after Renewed Attack", ("a: play straight-thrust 4", "b: distance ?", "a: play renewed-attack"), "b"),
    ("after Counter-Time", ("a: play straight-thrust 4", "b: play stop-hit 5", "a: play counter-time"), "b"),
    ("A's Parry against a riposte", ("a: play straight-thrust 4", "b: play parry-riposte 5", "a: parry"), None),
]


@pytest.mark.clause("F35", "F36", "F60", "F87")
@pytest.mark.parametrize(("lines", "seat"), [row[1:] for row in ASKED], ids=[row[0] for row in ASKED])
def test_who_is_asked_next(lines: tuple[str, ...], seat: str | None) -> None:
    state = play(bout(1, mode="advanced"), *lines)
    if seat is None:
        assert state.phase.__struct_config__.tag == "clearing"
    else:
        assert menu(state, seat) > {"accept"}
        assert menu(state, "b" if seat == "a" else "a") == set()


@pytest.mark.clause("F36")
def test_who_can_only_accept_is_not_asked() -> None:
    """In basic mode nothing can follow a plain defence: no such card is in the deck."""
    state = play(bout(1), "a: play straight-thrust 4", "b: parry")
    assert state.phase.__struct_config__.tag == "clearing"


@pytest.mark.clause("F30")
def test_the_turn_passes_to_who_did_not_open() -> None:
    for answer in ("b: accept", "b: play stop-hit 6"):
        state = play(bout(1), "a: play straight-thrust 4", answer)
        if state.phase.__struct_config__.tag == "phrase":
            state = play(state, "a: accept")
        assert play(state, "a: clear").active == 1


@pytest.mark.clause("F151", "F154", "F155")
def test_a_fleche_runs_past() -> None:
    state = play(bout(2, mode="advanced"), "a: play fleche 5")
    assert squares(state) == (4, 7)
    assert state.fencers[0].beside == 7
    missed = play(state, "b: parry", "a: clear")
    assert squares(missed) == (3, 6)
    assert missed.fencers[0].beside == 0
    away = play(state, "b: distance ?", "a: clear")
    assert squares(away) == (5, 8)  # two back, then one forward
    hit = play(state, "b: accept", "a: clear")
    assert squares(hit) == (4, 7)


@pytest.mark.clause("F154")
def test_a_fleche_that_missed_stays_on_the_strip() -> None:
    state = bout(2, mode="advanced")
    edge = having(having(state, 0, square=1), 1, square=4)
    assert squares(play(edge, "a: play fleche 5", "b: parry", "a: clear")) == (1, 3)


@pytest.mark.clause("F154", "F19", "F53")
def test_a_fleche_that_missed_may_end_behind_the_defender() -> None:
    state = bout(2, mode="advanced", fleche_missed="behind")
    missed = play(state, "a: play fleche 5", "b: parry", "a: clear")
    assert squares(missed) == (9, 6)
    near = play(missed, "b: move forward", "b: move forward")
    assert squares(near) == (9, 8)
    assert broken(near, "a: move forward") == ("F23",)
    out = play(near, "a: move back", "a: move back")
    assert scores(out) == (0, 1)
    assert squares(play(out, "a: clear")) == (4, 7)


@pytest.mark.clause("F154")
def test_a_fleche_that_ends_behind_stays_on_the_strip() -> None:
    state = bout(2, mode="advanced", fleche_missed="behind")
    edge = having(having(state, 0, square=6), 1, square=9)
    assert squares(play(edge, "a: play fleche 5", "b: parry", "a: clear")) == (10, 8)
    from_red = having(having(replace(state, active=1), 0, square=3), 1, square=6)
    assert squares(play(from_red, "b: play fleche 5", "a: parry", "b: clear")) == (4, 1)


@pytest.mark.clause("F161")
def test_infighting_steps_forward_as_a_defence() -> None:
    state = play(bout(1, mode="advanced"), "a: play straight-thrust 4", "b: play infighting 5")
    assert squares(state) == (5, 6)
    state = play(bout(0, mode="advanced"), "a: play infighting 4", "b: play infighting 5")
    assert squares(state) == (5, 6)


@pytest.mark.clause("F172")
def test_renewed_attack_follows_up_to_lunge_distance() -> None:
    state = play(bout(1, mode="advanced"), "a: play straight-thrust 4", "b: distance ?")
    assert squares(state) == (5, 9)
    state = play(state, "a: play renewed-attack")
    assert squares(state) == (7, 9)
    assert state.fencers[1].stamina == 5


@pytest.mark.clause("F46", "F85")
def test_without_a_score_fencers_stay() -> None:
    state = play(bout(1), "a: play straight-thrust 4", "b: distance ?", "a: clear")
    assert squares(state) == (5, 9)
    assert scores(state) == (0, 0)


@pytest.mark.clause("F47", "F54")
def test_distance_off_the_strip_costs_the_point() -> None:
    state = having(having(bout(1), 0, square=8), 1, square=10)
    after, told = step(play(state, "a: play straight-thrust 4"), "b: distance ?")
    assert scores(after) == (1, 0)
    assert "Touch for Green. Points: 1." in told
    assert squares(play(after, "a: clear")) == (4, 7)
