"""What a table may switch on or off: the app alone, marks, aids; and corrections (X12, X20, X25, X30, X37, X54)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from engine.errors import Invalid
from engine.planetx.ending import Over
from engine.planetx.facts import Fact
from engine.planetx.knowledge import fitting, knowledge
from engine.planetx.match import State, player_of
from engine.planetx.theories import Pledging
from engine.planetx.track import in_order
from tests.engine.planetx.tables import BOARD, GAME, at, pawn, play, refused, say, start, told
from tests.engine.planetx.test_turn import own

# --- the app alone


@pytest.mark.clause("X20", "X30")
def test_the_app_alone_answers_anybody_and_moves_no_pawn() -> None:
    state = start("ab", app_only=True)
    assert GAME.actors(state) == {"a", "b"}
    state, events = say(state, "b: survey gas 7 12")
    assert told(events, "a") == ("B surveys 7 to 12 for gas clouds (time 3).",)
    assert len(told(events, "b")) == 2
    assert pawn(state, "b") == 0
    state = play(state, "b: target 12", "a: target 1", "b: research R1")
    assert refused(state, "b: research R2") == ("X34",)
    assert refused(state, "a: survey gas 1 7") == ("X31",)
    assert refused(state, "a: survey comet 1 5") == ("X32",)
    assert refused(state, "a: theories 1") == ("X30",)


@pytest.mark.clause("X25")
def test_the_app_alone_holds_a_conference_when_asked_and_once() -> None:
    state, events = say(start("ab", app_only=True), "a: conference X1")
    assert told(events, "b") == ("Conference X1: Planet X is within 2 sectors of an asteroid.",)
    assert refused(state, "b: conference X1") == ("X25",)
    assert refused(start("ab"), "a: conference X1") == ("X20",)


@pytest.mark.clause("X54", "X55")
def test_the_app_alone_reviews_for_all_to_hear() -> None:
    state, events = say(start("ab", app_only=True), "a: review 3 comet")
    assert told(events, "b") == ("Review: Sector 3 is: comet.",)
    assert refused(state, "b: review 3 gas") == ("X51",)
    state, events = say(state, "b: review 4 gas")
    assert told(events, "a") == ("Review: Sector 4 is not a gas cloud.",)
    assert refused(state, "b: review 4 empty") == ("X10",)
    assert refused(state, "b: review 4 comet") == ()


@pytest.mark.clause("X60", "X62")
def test_the_app_alone_reveals_when_planet_x_is_found() -> None:
    state = start("ab", app_only=True)
    assert refused(state, "a: reveal") == ("X62",)
    state = play(state, "a: locate 4 comet asteroid")
    assert refused(state, "a: locate 4 comet asteroid") == ("X35",)
    state, events = say(play(state, "b: locate 4 comet asteroid"), "b: reveal")
    assert told(events, None) == ("Planet X was in sector 4.",)
    assert isinstance(state.phase, Over)
    assert GAME.outcome(state) is not None


# --- marks and aids


@pytest.mark.clause("X37")
def test_marks_are_ones_own_and_can_be_taken_back() -> None:
    state = start("ab", marks=True)
    marked, events = say(state, "a: mark 5 not comet")
    assert told(events, "b") == ()
    assert told(events, "a") == ("Marked: sector 5, not comet.",)
    assert told(say(state, "a: mark 4 is planet")[1], "a") == ("Marked: sector 4, Planet X.",)
    assert GAME.view(marked, "b") == GAME.view(state, "b")
    assert GAME.view(marked, None) == GAME.view(state, None)
    assert refused(marked, "a: mark 5 not comet") == ("X37",)
    assert own(play(marked, "a: mark 4 is planet"), "a")["marks"][1] == {"sector": 4, "kind": "X", "holds": True}
    assert play(marked, "a: unmark").players == state.players
    assert refused(state, "a: unmark") == ("X37",)
    assert refused(start("ab"), "a: mark 5 not comet") == ("X37",)
    assert GAME.actors(marked) == {"a"}


@pytest.mark.clause("X37")
def test_the_check_of_marks_tells_what_contradicts_ones_own_answers_and_nothing_more() -> None:
    state = play(start("a", marks=True, consistency=True), "a: target 5")
    state = play(state, "a: pass")
    assert own(play(state, "a: mark 5 is asteroid"), "a")["consistent"] is True
    assert own(play(state, "a: mark 5 not asteroid"), "a")["consistent"] is False
    assert BOARD[2] == "C"
    assert own(play(state, "a: mark 3 not comet"), "a")["consistent"] is True
    shown = [str(p.text) for p in GAME.view(play(state, "a: mark 5 is gas"), "a").panels if hasattr(p, "text")]
    assert "Your marks contradict what you were told." in shown
    assert "consistent" not in own(start("a"), "a")


@pytest.mark.clause("X37")
def test_the_count_of_skies_is_that_of_ones_own_knowledge() -> None:
    state = start("ab", possible=True)
    assert own(state, "a")["possible"] == own(state, "b")["possible"] == 4446
    after = play(state, "a: target 3")
    assert own(after, "a")["possible"] == len(fitting("standard", (Fact("target", "C", sector=3),)))
    assert own(after, "b")["possible"] == 4446
    assert knowledge(after, "b") == ()
    assert "possible" not in own(start("a"), "a")


# --- corrections


def words(state: State, *prefix: str) -> list[str]:
    return [choice.word for choice in GAME.corrections(state, prefix)]


@pytest.mark.clause("X20")
def test_a_pawn_can_be_put_where_it_stands() -> None:
    state = at(start("ab"), a=2, b=2)
    assert words(state) == ["pawn", "targets"]
    assert words(state, "pawn") == ["a", "b"]
    fixed, events = GAME.correct(state, ("pawn", "a", "7"))
    assert (pawn(fixed, "a"), fixed.arrow) == (6, 2)
    assert told(events, None)
    swapped, _ = GAME.correct(state, ("pawn", "a", "3"))
    assert [player.seat for player in in_order(swapped)] == ["b", "a"]
    alone = at(start("ab"), a=2, b=5)
    assert words(alone, "pawn", "a") == ["3"]


@pytest.mark.clause("X33")
def test_targets_can_be_put_right() -> None:
    state, _ = GAME.correct(play(start("ab"), "a: target 3"), ("targets", "a", "2"))
    assert player_of(state, "a").targets == 2
    assert words(state, "targets", "b") == ["0", "1"]


@pytest.mark.parametrize("line", ["", "pawn a", "pawn e 3", "pawn a 13", "targets a 2", "token a 3", "pawn a 3 4"])
def test_senseless_corrections_are_invalid(line: str) -> None:
    with pytest.raises(Invalid):
        GAME.correct(start("ab"), tuple(line.split()))


def test_in_a_theory_phase_pawns_stand_still() -> None:
    state = replace(start("ab"), phase=Pledging())
    assert words(state) == ["targets"]
    assert words(replace(state, phase=Over())) == []
    with pytest.raises(Invalid):
        GAME.correct(state, ("pawn", "a", "3"))


def test_the_reference_card_follows_the_mode() -> None:
    standard, expert = (GAME.reference({"mode": mode}) for mode in ("standard", "expert"))
    assert "Dwarf planets: 4" in map(str, expert[0])
    assert "Dwarf planets: 1" in map(str, standard[0])
    assert len(expert[1]) == len(standard[1]) + 1
