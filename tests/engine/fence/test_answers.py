"""Section 5 of the rules as a table: which answer is legal against what, by cards and without."""

from __future__ import annotations

import pytest

from engine.fence.bout import off
from engine.fence.play import legal_kinds
from tests.engine.fence.bouts import bout, broken, having, legal, menu, play, sentence, usual

PLAIN = {"parry-riposte", "ceding-parry", "infighting", "joker"}

TABLE = {
    "straight-thrust 4": (1, "line line", {"stop-hit", *PLAIN}, True, True),
    "beat-thrust 4": (1, "line line", {"stop-hit", "disengage", *PLAIN}, True, True),
    "flick 4": (1, "line line", {"stop-hit", *PLAIN}, True, True),
    "disengage 4": (1, "line engagement", PLAIN, True, True),
    "toe-touch 4": (1, "line line", {"stop-hit", "joker"}, False, True),
    "glide-attack 4": (1, "line line", {"disengage", *PLAIN}, True, True),
    "flanconade 4": (1, "line line", {"disengage", *PLAIN}, True, True),
    "fleche 5": (2, "line line", {"stop-hit", "parry-riposte", "ceding-parry", "joker"}, True, True),
    "infighting 4": (0, "line line", {"infighting", "joker"}, True, True),
}


@pytest.mark.clause(
    "F32", "F84", "F85", "F93", "F143", "F145", "F152", "F156", "F159", "F160", "F161", "F162", "F163", "F167"
)
@pytest.mark.parametrize("attack", TABLE)
def test_answers_to_an_attack(attack: str) -> None:
    gap, weapons, cards, parry, distance = TABLE[attack]
    state = play(bout(gap, weapons, mode="advanced"), f"a: play {attack}")
    # Glide stands before the Parry card or the card-less Parry that it goes with, Angulations before any card.
    bonus = {"angulations"} | ({"glide-attack"} if parry else set())
    assert menu(state, "b", "play") == cards | bonus
    assert set(legal_kinds(state, 1)) == cards | ({"parry"} if parry else set()) | ({"distance"} if distance else set())
    assert menu(state, "b") == {"play", "accept"} | ({"parry"} if parry else set()) | (
        {"distance"} if distance else set()
    )


ROLES = {
    "riposte": ("line line", ["a: play straight-thrust 4", "b: play parry-riposte 5"], "a"),
    "riposte of a Glide bonus": ("line line", ["a: play straight-thrust 4", "b: play glide-attack 4 parry"], "a"),
    "riposte of Infighting": ("line line", ["a: play straight-thrust 4", "b: play infighting 5"], "a"),
    "Stop Hit": ("line line", ["a: play straight-thrust 4", "b: play stop-hit 5"], "a"),
    "cyan Disengage": ("line engagement", ["a: play beat-thrust 4", "b: play disengage 4"], "a"),
    "Counter-Time": (
        "line line",
        ["a: play straight-thrust 4", "b: play stop-hit 5", "a: play counter-time"],
        "b",
    ),
    "plain parry": ("line line", ["a: play straight-thrust 4", "b: play ceding-parry 4"], "a"),
    "card-less Parry": ("line line", ["a: play straight-thrust 4", "b: parry"], "a"),
    "Distance": ("line line", ["a: play straight-thrust 4", "b: distance ?"], "a"),
    "Renewed Attack": ("line line", ["a: play straight-thrust 4", "b: parry", "a: play renewed-attack"], "b"),
    "Renewed Attack after a card": (
        "line line",
        ["a: play straight-thrust 3", "b: play ceding-parry 4", "a: play renewed-attack"],
        "b",
    ),
}
AFTER = {"renewed-attack", "feint"}
LATER = {
    "riposte": ({"stop-hit", "parry-riposte", "ceding-parry", "joker"} | AFTER, {"parry"}),
    "riposte of a Glide bonus": ({"stop-hit", "parry-riposte", "ceding-parry", "joker"} | AFTER, {"parry"}),
    "riposte of Infighting": ({"infighting", "joker"} | AFTER, {"parry"}),
    "Stop Hit": ({"counter-time", "joker"} | AFTER, set()),
    "cyan Disengage": ({"counter-time", "joker"} | AFTER, set()),
    "Counter-Time": ({"feint-in-time"}, set()),
    "plain parry": (AFTER, set()),
    "card-less Parry": (AFTER, set()),
    "Distance": (AFTER, set()),
    "Renewed Attack after a card": ({"stop-hit", "parry-riposte", "ceding-parry", "infighting", "joker"}, {"parry"}),
}


@pytest.mark.clause("F38", "F50", "F83", "F137", "F158", "F162", "F165", "F166", "F170", "F171", "F172")
@pytest.mark.parametrize("role", LATER)
def test_answers_to_what_comes_later(role: str) -> None:
    weapons, lines, seat = ROLES[role]
    state = play(bout(1, weapons, mode="advanced"), *lines)
    cards, defences = LATER[role]
    assert set(legal_kinds(state, "ab".index(seat))) == cards | defences
    assert "distance" not in menu(state, seat)


FORBIDDEN = [
    ("fleche 5", "play infighting 5", "F161"),
    ("infighting 4", "play parry-riposte 5", "F162"),
    ("infighting 4", "play ceding-parry 4", "F162"),
    ("infighting 4", "play stop-hit 5", "F163"),
    ("riposte", "play infighting 5", "F158"),
    ("riposte of a Glide bonus", "play infighting 5", "F158"),
    ("riposte", "distance ?", "F50"),
    ("riposte of Infighting", "play parry-riposte 5", "F162"),
    ("riposte of Infighting", "play ceding-parry 4", "F162"),
    ("riposte of Infighting", "distance ?", "F162"),
    ("Stop Hit", "play parry-riposte 5", "F156"),
    ("Stop Hit", "play ceding-parry 4", "F160"),
    ("Stop Hit", "play infighting 5", "F162"),
    ("cyan Disengage", "play infighting 5", "F162"),
]


@pytest.mark.clause("F50", "F156", "F158", "F160", "F161", "F162", "F163")
@pytest.mark.parametrize(("incoming", "answer", "clause"), FORBIDDEN)
def test_a_refused_answer_names_the_clause_that_forbids_it(incoming: str, answer: str, clause: str) -> None:
    if incoming in ROLES:
        weapons, lines, seat = ROLES[incoming]
        state = play(bout(1, weapons, mode="advanced"), *lines)
    else:
        gap, weapons, *_ = TABLE[incoming]
        state, seat = play(bout(gap, weapons, mode="advanced"), f"a: play {incoming}"), "b"
    assert broken(state, f"{seat}: {answer}")[0] == clause


@pytest.mark.clause("F87")
def test_who_parried_without_a_card_does_nothing_more() -> None:
    weapons, lines, _ = ROLES["card-less Parry"]
    state = play(bout(1, weapons, mode="advanced"), *lines)
    assert "F87" in broken(state, "b: play stop-hit 4")
    after = play(state, "a: play renewed-attack")
    assert after.fencers[0].score == 1  # nobody is left to answer it


@pytest.mark.clause("F38")
def test_colours_answer_colours() -> None:
    """A cyan counter-attack is met by blue alone, a blue Counter-Time by cyan alone; a riposte counts as red."""
    state = play(bout(1, mode="advanced"), "a: play straight-thrust 4", "b: play stop-hit 5")
    assert not legal(state, "a: play stop-hit 6")
    assert not legal(state, "a: play parry-riposte 6")
    assert legal(state, "a: play counter-time")
    riposte = play(bout(1, mode="advanced"), "a: play straight-thrust 4", "b: play parry-riposte 5")
    assert legal(riposte, "a: play parry-riposte 4")


@pytest.mark.clause("F145")
def test_toe_touch_cannot_be_parried() -> None:
    state = play(bout(1, mode="advanced"), "a: play toe-touch 4")
    assert "F145" in broken(state, "b: parry")
    assert "F145" in broken(state, "b: play parry-riposte 5")
    strict = play(bout(1, mode="advanced", joker_toe_touch=False), "a: play toe-touch 4")
    assert not legal(strict, "b: play joker")


@pytest.mark.clause("F161")
def test_infighting_defends_near() -> None:
    state = bout(1, mode="advanced")
    assert legal(play(state, "a: play straight-thrust 4"), "b: play infighting 5")
    short = bout(1, mode="advanced", infighting_defence="short")
    assert "F161" in broken(play(short, "a: play straight-thrust 4"), "b: play infighting 5")


@pytest.mark.clause("F165")
def test_counter_time_answers_counter_attacks() -> None:
    lines = ("a: play straight-thrust 4", "b: play parry-riposte 5")
    assert broken(play(bout(1, mode="advanced"), *lines), "a: play counter-time") == ("F165",)
    wide = bout(1, mode="advanced", counter_time="ripostes-too")
    assert legal(play(wide, *lines), "a: play counter-time")


@pytest.mark.clause("F167")
def test_a_joker_beats_all_but_what_scores_at_once() -> None:
    lines = ("a: play straight-thrust 4", "b: play stop-hit 5", "a: play counter-time")
    assert broken(play(bout(1, mode="advanced"), *lines), "b: play joker") == ("F167",)
    assert legal(play(bout(1, mode="advanced", joker_beats_all=True), *lines), "b: play joker")


@pytest.mark.clause("F83")
def test_late_card_less_defence_is_an_option() -> None:
    lines = ("a: play straight-thrust 4", "b: play parry-riposte 5")
    assert legal(play(bout(1, mode="advanced"), *lines), "a: parry")
    assert "F83" in broken(play(bout(1, mode="advanced", late_defence=False), *lines), "a: parry")


@pytest.mark.clause("F48", "F51", "F52", "F92", "F147", "F169")
def test_what_goes_with_a_card() -> None:
    start = bout(1, mode="advanced")
    assert legal(start, "a: play angulations straight-thrust 4")
    assert broken(start, "a: play angulations") != ()
    assert broken(start, "a: play glide-attack 4 parry-riposte 4") == ("F49", "F25")
    state = play(start, "a: play straight-thrust 4")
    assert legal(state, "b: play angulations stop-hit 4")
    assert legal(state, "b: play angulations parry-riposte 4")
    assert legal(state, "b: play glide-attack 5 parry-riposte 4")
    assert legal(state, "b: play angulations glide-attack 5 ceding-parry 4")
    assert "F169" in broken(state, "b: play angulations joker")
    strict = play(bout(1, mode="advanced", angulations="red-cyan"), "a: play straight-thrust 4")
    assert legal(strict, "b: play angulations stop-hit 4")
    assert "F169" in broken(strict, "b: play angulations parry-riposte 4")


@pytest.mark.clause("F147")
def test_glide_does_not_go_with_a_scoring_ceding_parry() -> None:
    state = play(bout(1, mode="advanced"), "a: play glide-attack 4")
    assert legal(state, "b: play glide-attack 5 parry-riposte 5")
    assert broken(state, "b: play glide-attack 5 ceding-parry 4") == ("F147",)


@pytest.mark.clause("F85")
def test_glide_after_a_card_less_parry_is_an_option() -> None:
    state = play(bout(1, mode="advanced", glide_after_parry=False), "a: play straight-thrust 4")
    assert broken(state, "b: play glide-attack 4 parry") == ("F85",)


@pytest.mark.clause("F137", "F138", "F140", "F170", "F172")
def test_what_follows_a_defence() -> None:
    advanced = bout(1, mode="advanced")
    assert "F137" in broken(advanced, "a: play feint end")
    assert broken(advanced, "a: play renewed-attack") == ("F170", "F25")
    attacked = play(advanced, "a: play straight-thrust 4")
    assert "F170" in broken(attacked, "b: play renewed-attack")
    away = play(attacked, "b: distance ?")
    assert broken(away, "a: play feint straight-thrust 5") == ("F140",)
    assert legal(away, "a: play feint end")
    assert legal(away, "a: play renewed-attack")
    strict = bout(1, mode="advanced", renewed_after_distance=False, feint_after_defence=False)
    away = play(strict, "a: play straight-thrust 4", "b: distance ?")
    assert away.fencers[0].lane  # nothing is left to do: the phrase is over
    parried = play(strict, "a: play straight-thrust 4", "b: parry")
    assert broken(parried, "a: play feint end") == ("F140",)
    feinted = play(attacked, "b: parry")
    assert "F142" in broken(
        play(bout(1, "line invitation", mode="advanced"), "a: play straight-thrust 4", "b: parry"),
        "a: play feint beat-thrust 4",
    )
    assert legal(feinted, "a: play feint angulations beat-thrust 4")
    assert "F161" in broken(feinted, "a: play feint infighting 4")


@pytest.mark.clause("F28", "F77")
def test_two_cards_each() -> None:
    state = play(
        bout(1, mode="advanced"),
        "a: play straight-thrust 3",
        "b: play parry-riposte 4",
        "a: play parry-riposte 5",
        "b: play parry-riposte 6",
    )
    assert "F28" in broken(state, "a: play stop-hit 5")
    assert menu(state, "a") == {"play", "parry", "accept"}
    assert menu(state, "a", "play") == {"glide-attack"}  # a bonus to the card-less Parry is not counted


@pytest.mark.clause("F60")
def test_a_phrase_must_be_answered_unless_the_table_wants_otherwise() -> None:
    assert usual()["must_answer"] is True
    assert legal(play(bout(1, must_answer=False), "a: play straight-thrust 4"), "b: accept")
    state = play(bout(1, must_answer=True), "a: play straight-thrust 4")
    assert broken(state, "b: accept") == ("F60",)
    tired = play(bout(1, points=(6, 0), must_answer=True), "a: play straight-thrust 4")
    assert legal(tired, "b: accept")


@pytest.mark.clause("F153")
def test_after_a_fleche_its_player_does_nothing() -> None:
    state = play(bout(2, mode="advanced"), "a: play fleche 5", "b: play stop-hit 6")
    assert state.fencers[1].score == 1
    pending = play(bout(2, mode="advanced"), "a: play fleche 5")
    assert "F153" in broken(pending, "a: play renewed-attack")
    parried = play(pending, "b: play glide-attack 4 parry")
    assert parried.fencers[1].score == 1  # the riposte hits without question


@pytest.mark.clause("F42")
def test_a_card_less_defence_is_free_even_with_an_answer_in_the_hand() -> None:
    state = having(play(bout(1, mode="tutorial"), "a: play straight-thrust 4"), 1, known=("stop-hit-5",))
    assert legal(state, "b: distance ?")


@pytest.mark.clause("F44")
def test_distance_meets_the_first_card_only() -> None:
    state = play(bout(1, mode="tutorial"), "a: play straight-thrust 4", "b: play parry-riposte 5")
    assert "F50" in broken(state, "a: distance ?")
    counter = play(bout(1, mode="tutorial"), "a: play straight-thrust 4", "b: play stop-hit 5")
    assert "F44" in broken(counter, "a: distance ?")


@pytest.mark.clause("F2", "F53")
def test_the_strip_ends_after_its_last_square() -> None:
    assert [square for square in range(12) if off(square)] == [0, 11]


@pytest.mark.clause("F43", "F90")
@pytest.mark.parametrize(("mode", "hand", "broken_by"), [("tutorial", 0, "F43"), ("advanced", 0, "F90")])
def test_distance_needs_one_hand_card(mode: str, hand: int, broken_by: str) -> None:
    attacked = play(bout(1, mode=mode), "a: play straight-thrust 4")
    assert broken_by in broken(having(attacked, 1, hand=hand), "b: distance ?")
    assert legal(having(attacked, 1, hand=hand + 1), "b: distance ?")


@pytest.mark.clause("F90")
def test_distance_needs_one_hand_card_besides_the_yellow_one() -> None:
    attacked = play(bout(1, mode="basic"), "a: play straight-thrust 4")
    yellow = next(name for name, face in attacked.pool.items() if face.mandatory)
    for hand, clauses in ((1, ("F90",)), (2, ())):
        assert broken(having(attacked, 1, hand=hand, known=(yellow,)), "b: distance ?") == clauses


@pytest.mark.clause("F38", "F163", "F165", "F166")
@pytest.mark.parametrize(
    ("lines", "answer", "clauses"),
    [
        (("b: play stop-hit 5",), "a: play stop-hit 6", ("F163", "F38")),
        (("b: play stop-hit 5",), "a: play straight-thrust 6", ("F32", "F38")),
        (("b: play stop-hit 5",), "a: play parry-riposte 6", ("F156",)),
        (("b: play stop-hit 5", "a: play counter-time"), "b: play parry-riposte 6", ("F156", "F38")),
        (("b: play stop-hit 5", "a: play counter-time"), "b: play stop-hit 6", ("F163",)),
        (("b: play stop-hit 5", "a: play counter-time"), "b: play joker", ("F167",)),
    ],
)
def test_blue_is_met_with_cyan_and_cyan_with_blue(
    lines: tuple[str, ...], answer: str, clauses: tuple[str, ...]
) -> None:
    state = play(bout(1, mode="advanced"), "a: play straight-thrust 4", *lines)
    assert broken(state, answer) == clauses


@pytest.mark.clause("F161")
def test_the_refusal_of_infighting_names_the_distances_of_the_ruling() -> None:
    state = play(bout(1, mode="advanced", infighting_defence="short"), "a: play straight-thrust 4")
    assert sentence(state, "b: play infighting 5") == "Infighting defends at the short distance only."


@pytest.mark.clause("F169")
def test_angulations_alone_are_no_answer() -> None:
    state = play(bout(1, mode="advanced"), "a: play straight-thrust 4")
    assert sentence(state, "b: play angulations") == "Angulations go with another card."


@pytest.mark.clause("F25", "F49", "F167", "F169", "F170", "F175")
@pytest.mark.parametrize(
    ("card", "clauses"),
    [
        ("joker", ("F167", "F25")),
        ("parry-riposte 4", ("F49", "F25")),
        ("stop-hit 4", ("F25",)),
        ("ceding-parry", ("F25",)),
        ("counter-time", ("F25",)),
        ("feint-in-time", ("F25",)),
        ("angulations", ("F169", "F25")),
        ("renewed-attack", ("F170", "F25")),
        ("feint end", ("F137", "F25")),
        ("feint toe-touch 4", ("F137", "F25")),
    ],
)
def test_the_first_card_is_red(card: str, clauses: tuple[str, ...]) -> None:
    assert broken(bout(1, mode="advanced"), f"a: play {card}") == clauses
