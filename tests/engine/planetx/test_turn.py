"""Set-up, turn order, Earth's way, and the four actions (X10-X13, X20-X25, X30-X37)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from engine.catalogue import complete
from engine.errors import Ambiguous, Invalid, Violation
from engine.planetx import PlanetX
from engine.planetx.match import Order, State, player_of, with_player
from engine.planetx.opening import FACTS_AT, Choosing
from engine.planetx.sky import MODES
from engine.planetx.theories import Pledging
from engine.planetx.track import THEORY, Acting, icons_before, in_order, visible
from engine.table import Seat
from engine.text import Text
from engine.view import Line
from tests.engine.planetx.tables import GAME, SPEC, at, pawn, play, refused, say, start, told

# --- set-up


@pytest.mark.clause("X10")
def test_one_to_four_seats_each_with_a_season_and_tokens() -> None:
    state = start("abcd")
    assert [player.season for player in state.players] == ["spring", "summer", "autumn", "winter"]
    assert all(player.targets == 2 for player in state.players)
    assert state.players[0].tokens == {"A": 4, "C": 2, "D": 1, "G": 2}
    assert sum(start("a", mode="expert").players[0].tokens.values()) == 12
    for seats in ((), ("a", "a"), ("a", "b", "c", "d", "e")):
        with pytest.raises(Invalid) as refusal:
            GAME.setup(complete(SPEC.options, {}), seats, 1)
        assert refusal.value.clauses == ("X10",)


@pytest.mark.clause("X11")
def test_pawns_start_in_random_order_in_sector_one() -> None:
    options = complete(SPEC.options, {"level": "genius"})
    states = [GAME.setup(options, ("a", "b", "c"), seed) for seed in range(60)]
    orders = {tuple(player.seat for player in in_order(state)) for state in states}
    assert len(orders) == 6
    assert all(player.time == 0 for state in states for player in state.players)
    assert visible(states[0]) == (1, 2, 3, 4, 5, 6)


@pytest.mark.clause("X12")
def test_a_typed_code_gives_its_game_at_every_table() -> None:
    states = [start("ab", seed=seed, board=None, code="typed") for seed in (1, 2)]
    assert GAME.view(states[0], None).facts["code"] is None
    assert GAME.view(states[0], None).facts["topics"] == ()
    first, second = (play(state, "a: code A K T W E") for state in states)
    assert first.game == second.game
    assert first.game.code == "AKTWE"
    with pytest.raises(Ambiguous):
        say(states[0], "a: code A K T")
    assert refused(states[0], "b: code A K T W E") == ("X12",)
    assert refused(states[0], "a: target 3") == ("X12",)


@pytest.mark.clause("X13")
def test_each_player_chooses_a_level_in_private_and_reads_its_facts_for_ever() -> None:
    state = start("ab", level="each")
    assert isinstance(state.phase, Choosing)
    assert GAME.actors(state) == {"a", "b"}
    assert refused(state, "a: target 3") == ("X13",)
    state, events = say(state, "b: level beginner")
    assert told(events, "a") == ()
    assert told(events, "b")
    assert len(own(state, "b")["starting_facts"]) == 8
    assert refused(state, "b: level youth") == ("X13",)
    state = play(state, "a: level genius", "a: survey gas 1 4")
    assert own(state, "a")["starting_facts"] == ()
    assert len(own(state, "b")["starting_facts"]) == 8
    assert isinstance(state.phase, Acting)


@pytest.mark.clause("X13")
def test_levels_are_cumulative_and_seasons_differ() -> None:
    lists = {level: own(start("ab", level=level), "a")["starting_facts"] for level in FACTS_AT}
    assert [len(lists[level]) for level in FACTS_AT] == [12, 8, 4, 0]
    assert lists["youth"][:8] == lists["beginner"]
    assert lists["beginner"][:4] == lists["experienced"]
    assert lists["youth"] != own(start("ab", level="youth"), "b")["starting_facts"]


# --- the track


@pytest.mark.clause("X20")
def test_the_last_pawn_acts_and_who_arrived_earlier_stands_behind() -> None:
    state = at(start("abc"), c=2, a=2, b=1)
    assert GAME.actors(state) == {"b"}
    assert [player.seat for player in in_order(state)] == ["b", "c", "a"]
    assert refused(state, "a: target 5") == ("X20",)
    state = play(state, "b: research R1")
    assert [player.seat for player in in_order(state)] == ["c", "a", "b"]
    assert GAME.actors(state) == {"c"}


@pytest.mark.clause("X21")
def test_a_turn_is_one_action_its_cost_and_earths_turn() -> None:
    state = play(start("ab"), "a: target 2")
    assert (pawn(state, "a"), state.arrow) == (4, 0)
    state = play(state, "b: research R1")
    assert (pawn(state, "b"), state.arrow) == (1, 1)
    assert visible(state) == (2, 3, 4, 5, 6, 7)
    assert GAME.actors(state) == {"b"}


@pytest.mark.clause("X22")
def test_half_the_circle_is_visible() -> None:
    assert visible(at(start("a"), a=8)) == (9, 10, 11, 12, 1, 2)
    assert visible(at(start("a", mode="expert"), a=13)) == (14, 15, 16, 17, 18, 1, 2, 3, 4)


@pytest.mark.clause("X23")
@pytest.mark.parametrize(
    ("a", "b", "line", "arrow"), [(0, 1, "research R1", 1), (1, 2, "target 4", 2), (4, 5, "target 6", 5)]
)
def test_the_arrow_goes_to_the_last_pawn_and_no_further(a: int, b: int, line: str, arrow: int) -> None:
    state = at(start("ab"), a=a, b=b)
    state, events = say(state, f"a: {line}")
    assert state.arrow == arrow == min(pawn(state, "a"), pawn(state, "b"))
    assert isinstance(state.phase, Acting)
    assert "Theory phase." not in told(events, None)


@pytest.mark.clause("X23")
def test_the_arrow_goes_on_where_a_phase_was_held() -> None:
    """The phase after sector 3 is held once, as the arrow leaves that sector."""
    state = at(start("ab"), a=1, b=4)
    state, _ = say(state, "a: target 3")
    assert isinstance(state.phase, Pledging)
    assert (state.arrow, state.theory_phase) == (3, 1)
    state = play(state, "a: pass", "b: pass")
    assert isinstance(state.phase, Acting)
    assert (state.arrow, state.theory_phase) == (4, 1)
    assert GAME.actors(state) == {"b"}


@pytest.mark.clause("X23")
def test_the_arrow_stops_for_every_icon_on_its_way_in_order() -> None:
    state = at(start("ab"), a=8, b=12)
    state, events = say(state, "a: target 10")
    assert (pawn(state, "a"), state.arrow) == (12, 9)
    assert isinstance(state.phase, Pledging)
    assert told(events, None)[-1] == "Theory phase."
    assert state.conferences == ()
    assert refused(state, "a: target 10") == ("X50",)
    state, _ = say(state, "a: pass")
    state, events = say(state, "b: pass")
    assert told(events, None)[1].startswith("Conference X1")
    assert told(events, None)[2] == "Theory phase."
    assert state.arrow == 12
    assert state.theory_phase == 2


@pytest.mark.clause("X24")
def test_icons_stand_where_the_setting_says() -> None:
    standard, expert = start("a"), start("a", mode="expert")
    met = [icons_before(standard, time) for time in range(1, 13)]
    assert [k for k, icons in enumerate(met, 1) if THEORY in icons] == [3, 6, 9, 12]
    assert met[8] == (THEORY, "X1")
    met = [icons_before(expert, time) for time in range(1, 19)]
    assert [k for k, icons in enumerate(met, 1) if THEORY in icons] == [3, 6, 9, 12, 15, 18]
    assert (met[5], met[14]) == ((THEORY, "X1"), (THEORY, "X2"))
    moved = replace(standard.setting, theory_after=(1,))
    assert icons_before(replace(standard, setting=moved), 1) == (THEORY,)


@pytest.mark.clause("X25", "X44")
def test_a_conference_is_held_once_and_for_all_to_hear() -> None:
    state = start("a")
    heard: list[str] = []
    for _ in range(2):
        for time in range(state.arrow, state.arrow + 12, 4):
            state, events = say(at(state, a=time), f"a: target {visible(at(state, a=time))[0]}")
            state = with_player(state, replace(player_of(state, "a"), targets=2))
            heard += told(events, None)
            while isinstance(state.phase, Pledging):
                state, events = say(state, "a: pass")
                heard += told(events, None)
    assert [line for line in heard if "Conference" in line] == [
        "Conference X1: Planet X is within 2 sectors of an asteroid."
    ]
    assert state.conferences == ("X1",)
    assert GAME.view(state, None).facts["conferences"]


# --- the actions


@pytest.mark.clause("X30", "X37")
def test_what_was_asked_is_public_and_the_answer_is_not() -> None:
    state, events = say(start("ab"), "a: survey asteroid 2 6")
    assert told(events, "b") == told(events, None) == ("A surveys 2 to 6 for asteroids (time 3).",)
    assert told(events, "a")[1] == "Sectors 2 to 6, asteroids: 2."
    assert [event.reveals for event in events] == [False, True]
    state = play(state, "b: survey gas 1 6")
    assert own(state, "a")["answers"][0]["text"] == "Sectors 2 to 6, asteroids: 2."
    assert own(state, "b")["answers"][0]["n"] == 1


@pytest.mark.clause("X30", "X35")
def test_of_locate_only_success_or_failure_is_public() -> None:
    state, events = say(start("ab"), "a: locate 4 comet gas")
    assert told(events, "b") == ("A tries to locate Planet X and fails.",)
    assert told(events, "a")[1] == "Not right: comet, Planet X in 4, gas cloud."
    assert (pawn(state, "a"), state.finder) == (5, None)
    assert state.deeds[-1].words == ("locate",)
    assert not any(word in str(GAME.view(state, "b")) for word in ("'gas'", "Not right"))


@pytest.mark.clause("X30")
def test_everybody_reads_later_what_was_announced() -> None:
    state, heard = start("abcd"), list[str]()
    for line in ("a: survey asteroid 2 6", "b: target 1", "c: research R3", "d: locate 4 comet gas"):
        state, events = say(state, line)
        heard.append(told(events, None)[0])
    assert GAME.view(state, "a").facts["actions"] == tuple(heard)


@pytest.mark.clause("X31", "X33", "X34", "X35")
@pytest.mark.parametrize("mode", MODES)
def test_the_reference_card_tells_what_each_action_costs(mode: str) -> None:
    pages = GAME.reference(complete(SPEC.options, {"mode": mode}))
    lines = next([str(line) for line in page[1:]] for page in pages if str(page[0]) == "Actions and their time")
    wide = ["Survey 7 to 9 sectors: 2"] if mode == "expert" else []
    assert lines == [
        "Survey 1 to 3 sectors: 4",
        "Survey 4 to 6 sectors: 3",
        *wide,
        "Target, 2 times a game: 4",
        "Research, never twice running: 1",
        "Locate Planet X: 5",
    ]


@pytest.mark.clause("X31")
@pytest.mark.parametrize(
    ("line", "mode", "cost"),
    [
        ("survey gas 1 1", "standard", 4),
        ("survey gas 1 3", "standard", 4),
        ("survey gas 1 4", "standard", 3),
        ("survey gas 1 6", "standard", 3),
        ("survey gas 1 7", "expert", 2),
        ("survey gas 1 9", "expert", 2),
    ],
)
def test_a_wider_survey_costs_less(line: str, mode: str, cost: int) -> None:
    state = start("a", mode=mode, board=None)
    last = GAME.choices(state, "a", ("survey", "gas", "1"))
    assert str(cost) in str(next(c.text for c in last if c.word == line.rsplit(maxsplit=1)[-1]))
    paid, events = say(state, f"a: {line}")
    assert pawn(paid, "a") == cost
    assert told(events, None)[0].endswith(f"(time {cost}).")


@pytest.mark.clause("X31")
@pytest.mark.parametrize("line", ["survey gas 5 8", "survey gas 6 1", "survey gas 12 2", "survey planet 1 3"])
def test_surveys_keep_to_the_visible_sky_and_to_what_can_be_seen(line: str) -> None:
    assert refused(start("a"), f"a: {line}") == ("X31",)
    assert refused(at(start("a"), a=10), "a: survey gas 11 4") == ()


@pytest.mark.clause("X32")
@pytest.mark.parametrize(("line", "clauses"), [("2 5", ()), ("3 3", ()), ("1 5", ("X32",)), ("2 6", ("X32",))])
def test_a_comet_survey_begins_and_ends_where_comets_may_stand(line: str, clauses: tuple[str, ...]) -> None:
    state = start("a")
    assert refused(state, f"a: survey comet {line}") == clauses
    assert [choice.word for choice in GAME.choices(state, "a", ("survey", "comet"))] == ["2", "3", "5"]


@pytest.mark.clause("X33")
def test_target_shows_one_visible_sector_twice_a_game() -> None:
    state = start("a", years=0)
    assert refused(state, "a: target 9") == ("X33",)
    assert "Target (time 4; 2 targets left)" in {str(choice.text) for choice in GAME.choices(state, "a")}
    state, events = say(state, "a: target 4")
    assert told(events, "a")[1] == "Sector 4 shows: empty."
    assert pawn(state, "a") == 4
    state = play(state, "a: pass", "a: target 8", "a: pass")
    assert refused(state, "a: target 10") == ("X33",)
    assert "target" not in {choice.word for choice in GAME.choices(state, "a")}


@pytest.mark.clause("X34")
def test_research_costs_one_and_never_follows_research() -> None:
    state, events = say(start("ab"), "a: research R3")
    assert told(events, None) == ("A researches R3, asteroids and comets (time 1).",)
    assert told(events, "a")[1] == "R3: Every asteroid is within 3 sectors of a comet."
    state = play(state, "b: target 1")
    assert refused(state, "a: research R4") == ("X34",)
    state = play(state, "a: survey gas 2 5", "a: pass", "b: pass")
    assert refused(at(state, b=12), "a: research R4") == ()
    other = play(at(start("ab"), b=1, a=1), "b: research R1")
    assert refused(other, "a: research R1") == ()


@pytest.mark.clause("X40")
def test_topics_do_not_look_like_seats() -> None:
    state = start("abcd")
    menu = GAME.choices(state, "a", ("research",))
    assert [choice.word for choice in menu] == [f"R{number}" for number in range(1, 7)]
    assert [str(choice.text) for choice in menu][:2] == ["R1: asteroids and gas clouds", "R2: comets"]
    lines = {str(panel.text) for panel in GAME.view(state, None).panels if isinstance(panel, Line)}
    assert {f"Research {choice.text}" for choice in menu} <= lines


@pytest.mark.clause("X40")
@pytest.mark.parametrize(("old", "new"), [("A", "R1"), ("b", "R2"), ("F", "R6")])
def test_the_letters_of_old_records_are_still_read(old: str, new: str) -> None:
    state = start("ab")
    action = GAME.read(state, "a", ("research", old))
    assert action == GAME.read(state, "a", ("research", new))
    assert GAME.words(state, action) == ("research", new)


@pytest.mark.clause("X35")
@pytest.mark.parametrize(
    ("line", "right"),
    [
        ("locate 4 comet asteroid", True),
        ("locate 4 asteroid comet", False),
        ("locate 4 comet gas", False),
        ("locate 5 comet asteroid", False),
    ],
)
def test_locate_needs_the_sector_and_both_neighbours(line: str, right: bool) -> None:
    state, _ = say(start("ab"), f"a: {line}")
    assert (state.finder == "a") is right
    assert pawn(state, "a") == 5


@pytest.mark.clause("X36")
def test_planet_x_is_no_neighbour_and_empty_means_truly_empty() -> None:
    state = start("ab")
    assert refused(state, "a: locate 4 planet asteroid") == ("X36",)
    assert refused(state, "a: locate 4 comet planet") == ("X36",)
    board = "XECACDAAEGGA"
    _, events = say(replace(state, game=replace(state.game, board="EGCXAAEGAACD")), "a: locate 3 gas empty")
    assert "Not right" in told(events, "a")[1]
    _, events = say(replace(state, game=replace(state.game, board=board)), "a: locate 1 asteroid empty")
    assert told(events, "a")[1] == "Right: asteroid, Planet X in 1, empty."


@pytest.mark.clause("X37")
def test_answers_stay_with_their_player_alone() -> None:
    state = play(start("abc"), "a: survey asteroid 2 6", "b: target 4", "c: locate 1 gas gas")
    assert [a["form"] for seat in "abc" for a in own(state, seat)["answers"]] == ["survey", "target", "not_located"]
    assert "own" not in GAME.view(state, None).facts
    assert "own" not in GAME.view(state, "d").facts


class Barred(Order, frozen=True, tag="barred"):
    """Wrong in its words, by a verb that is closed."""

    when = (Acting,)

    @classmethod
    def verb_violations(cls, state: State, seat: Seat) -> Iterator[Violation]:
        yield Violation("X33", Text("closed"))

    def own_violations(self, state: State, seat: Seat) -> Iterator[Violation]:
        yield Violation("X31", Text("wrong"))


def test_no_action_can_forget_that_its_verb_is_closed() -> None:
    assert [breach.clause for breach in Barred().judge(start("a"), "a")] == ["X31", "X33"]
    assert {kind.violations for kind in PlanetX.actions} == {Order.violations}


@pytest.mark.parametrize(
    "line",
    [
        "fly 3",
        "survey star 1 3",
        "survey gas 0 3",
        "survey gas 1 13",
        "target x",
        "research G",
        "locate 3 rock gas",
        "target ٣",
        "survey star",
        "locate 3 rock",
        "submit 13",
        "mark 3 perhaps",
        "pass now",
    ],
)
def test_what_is_not_understood_is_invalid(line: str) -> None:
    with pytest.raises(Invalid):
        refused(start("a"), f"a: {line}")


@pytest.mark.parametrize("line", ["survey gas 1", "target", "locate 3 gas", "submit 3", "level"])
def test_what_is_cut_short_is_ambiguous(line: str) -> None:
    with pytest.raises(Ambiguous):
        refused(start("a"), f"a: {line}")


def own(state: State, seat: str) -> dict[str, list[dict[str, object]]]:
    """The private part of a seat's view."""
    data = GAME.view(state, seat).facts["own"]
    assert isinstance(data, dict)
    return data  # type: ignore[return-value]  # Json is wider than what these tests read


def test_capitals_do_not_matter() -> None:
    state = start("a")
    for one, other in (
        ("SURVEY Comet 2 5", "survey comet 2 5"),
        ("research r2", "research R2"),
        ("locate 3 GAS Empty", "locate 3 gas empty"),
    ):
        assert GAME.read(state, "a", tuple(one.split())) == GAME.read(state, "a", tuple(other.split()))
