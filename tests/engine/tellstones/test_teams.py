"""Four players in two teams (T55-T63)."""

from __future__ import annotations

import pytest

from engine.table import Seat
from tests.engine.tellstones.tables import GAME, TEAMS, broken, fresh, lying, parsed, play, row, step, verbs


@pytest.mark.clause("T55", "T63")
def test_play_goes_clockwise_and_partners_sit_opposite() -> None:
    state = fresh(TEAMS, first_stone="scales", starter="b")
    order = []
    for kind in ("crown", "shield", "sword", "flag", "knight"):
        order.append(state.active)
        state = play(state, f"{state.active}: place {kind} left")
    assert order == ["b", "c", "d", "a", "b"]
    assert broken(state, "a: hide crown") == ("T55",)
    assert list(GAME.view(state, "a").facts["score"]) == ["a+c", "b+d"]  # type: ignore[arg-type]


@pytest.mark.clause("T56")
@pytest.mark.parametrize(("seat", "hand"), [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")])
@pytest.mark.parametrize("line", ["place sword left", "hide flag", "swap 1 flag"])
def test_orders_are_carried_out_by_the_opponent_on_the_left(seat: Seat, hand: Seat, line: str) -> None:
    state = lying("crown* flag", seats=TEAMS, active=seat)
    words = parsed(f"{seat}: {line}")[1]
    assert GAME.trace(state, seat, GAME.read(state, seat, words)).hands == {hand}
    wrong = [attempt for attempt in GAME.attempts(state) if attempt.kind == "wrong hand"]
    assert {attempt.trace.hands for attempt in wrong} == {frozenset(TEAMS) - {hand}}
    assert {attempt.violations[0].clause for attempt in wrong} == {"T56"}


@pytest.mark.clause("T58")
def test_the_partner_may_be_sent_to_look() -> None:
    state = lying("crown* sword*", seats=TEAMS)
    after, told = step(state, "a: peek c 2")
    assert told == ("C looks at stone 2.",)
    assert after.active == "b"
    assert GAME.trace(state, "a", GAME.read(state, "a", ("peek", "c", "2"))).hands == {"c"}
    assert GAME.trace(state, "a", GAME.read(state, "a", ("peek", "2"))).hands == {"a"}
    assert broken(state, "a: peek b 2") == ("T58",)
    assert broken(state, "a: peek d 2") == ("T58",)
    assert broken(state, "c: peek 2") == ("T55",)
    assert GAME.read(state, "a", ("peek", "a", "2")) == GAME.read(state, "a", ("peek", "2"))


@pytest.mark.clause("T58")
@pytest.mark.parametrize(("seat", "partner"), [("a", "c"), ("b", "d"), ("c", "a"), ("d", "b")])
def test_the_menu_offers_the_partner_as_the_one_who_looks(seat: Seat, partner: Seat) -> None:
    state = lying("crown* sword*", seats=TEAMS, active=seat, scored=(8, 8))
    assert {choice.word for choice in GAME.choices(state, seat, ("peek",))} == {partner, "1", "2"}
    after, told = step(state, f"{seat}: peek {partner} 1")
    assert told == (f"{partner.upper()} looks at stone 1.",)
    assert after.active == seat
    assert broken(after, f"{seat}: peek 1") == ("T32",), "the side has looked at it"
    assert {choice.word for choice in GAME.choices(lying("crown* sword*"), "a", ("peek",))} == {"1", "2"}


@pytest.mark.clause("T58")
def test_a_look_by_the_partner_turns_nothing_and_ends_the_turn() -> None:
    state = lying("crown* sword", seats=TEAMS)
    after = play(state, "a: peek c 1")
    assert (row(after), after.score, after.active) == ("crown* sword", state.score, "b")


@pytest.mark.clause("T59")
@pytest.mark.parametrize(("scored", "peeks"), [(6, 1), (7, 3), (8, 3)])
def test_partners_share_three_peeks_after_the_other_team_scored(scored: int, peeks: int) -> None:
    state = lying("crown* sword* flag* scales*", seats=TEAMS, scored=(0, scored))
    assert GAME.view(state, "a").facts["peeks"] == peeks
    lookers = ("", "c ", "")
    for number in range(peeks):
        assert state.active == "a"
        state = play(state, f"a: peek {lookers[number]}{number + 1}")
    assert state.active == "b"


@pytest.mark.clause("T59")
def test_a_point_of_the_own_team_gives_no_more_peeks() -> None:
    assert GAME.view(lying("crown* sword*", seats=TEAMS, scored=(8, 0)), "a").facts["peeks"] == 1


@pytest.mark.clause("T60")
@pytest.mark.parametrize("line", ["challenge 1", "boast"])
def test_the_opponent_on_the_left_answers(line: str) -> None:
    state = play(lying("crown* sword*", seats=TEAMS, active="c"), f"c: {line}")
    assert GAME.actors(state) == {"d"}
    answer = "names crown" if line == "challenge 1" else "believe"
    for seat in ("a", "b", "c"):
        assert broken(state, f"{seat}: {answer}") == ("T60",)
    assert broken(state, f"d: {answer}") == ()


@pytest.mark.clause("T60", "T45")
def test_after_a_takeover_the_boaster_answers() -> None:
    state = play(lying("crown* sword*", seats=TEAMS), "a: boast", "b: takeover")
    assert GAME.actors(state) == {"a"}
    assert play(state, "a: believe").score == (0, 1)


@pytest.mark.clause("T61")
@pytest.mark.parametrize(("first", "second"), [("a", "c"), ("c", "a")])
def test_partners_prove_alternately_and_either_may_start(first: Seat, second: Seat) -> None:
    state = play(lying("crown* sword* flag*", seats=TEAMS), "a: boast", "b: prove")
    assert GAME.actors(state) == {"a", "c"}
    assert broken(state, "b: names 1 crown") == ("T61",)
    state = play(state, f"{first}: names 1 crown")
    assert GAME.actors(state) == {second}
    assert broken(state, f"{first}: names 2 sword") == ("T61",)
    state = play(state, f"{second}: names 2 sword", f"{first}: names 3 flag")
    outcome = GAME.outcome(state)
    assert outcome is not None
    assert outcome.winners == {"a", "c"}
    assert str(outcome.text) == "A+C wins: every face-down stone was named."


@pytest.mark.clause("T61")
@pytest.mark.parametrize("order", ["acac", "caca"])
def test_partners_prove_four_stones_one_each_to_the_last(order: str) -> None:
    state = play(lying("crown* sword* flag* scales*", seats=TEAMS), "a: boast", "b: prove")
    for place, (seat, kind) in enumerate(zip(order, ("crown", "sword", "flag", "scales"), strict=True), start=1):
        assert seat in GAME.actors(state)
        assert GAME.outcome(state) is None
        state = play(state, f"{seat}: names {place} {kind}")
    outcome = GAME.outcome(state)
    assert outcome is not None
    assert outcome.winners == {"a", "c"}


@pytest.mark.clause("T61", "T44")
def test_a_partner_who_names_a_wrong_stone_loses_the_proof_for_the_team() -> None:
    state = play(lying("crown* sword* flag*", seats=TEAMS), "a: boast", "b: prove", "a: names 1 crown")
    outcome = GAME.outcome(play(state, "c: names 2 flag"))
    assert outcome is not None
    assert outcome.winners == {"b", "d"}


@pytest.mark.clause("T61", "T45a")
def test_a_team_that_took_a_boast_over_proves_it_together() -> None:
    state = play(lying("crown* sword*", seats=TEAMS), "a: boast", "b: takeover", "a: prove")
    assert GAME.actors(state) == {"b", "d"}
    outcome = GAME.outcome(play(state, "d: names 2 sword", "b: names 1 flag"))
    assert outcome is not None
    assert outcome.winners == {"a", "c"}


@pytest.mark.clause("T62")
def test_points_belong_to_the_team() -> None:
    state = play(lying("crown* sword* flag", seats=TEAMS, score=(1, 1)), "a: boast", "b: believe")
    assert state.score == (2, 1)
    state = play(state, "b: hide flag", "c: challenge 1", "d: names flag")
    outcome = GAME.outcome(state)
    assert outcome is not None
    assert outcome.winners == {"a", "c"}


@pytest.mark.clause("T51", "T55")
def test_after_a_point_the_next_seat_plays() -> None:
    state = play(lying("crown* sword*", seats=TEAMS, active="c"), "c: challenge 1", "d: names crown")
    assert (state.active, row(state)) == ("d", "crown sword*")
    assert verbs(state, "d") == {"place", "hide", "swap", "peek", "challenge", "boast"}


@pytest.mark.clause("T16")
def test_the_line_is_turned_round_for_the_seat_opposite_the_first() -> None:
    state = lying("crown sword* flag", seats=TEAMS)
    shown = {seat: GAME.view(state, seat).facts["line"] for seat in TEAMS}
    assert set(shown.values()) == {("crown", "down", "flag")}
    rows = {seat: GAME.view(state, seat).panels[0] for seat in TEAMS}
    assert rows["a"] == rows["b"] == rows["d"] != rows["c"]
