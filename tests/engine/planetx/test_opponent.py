"""The automatic opponent: what it knows, what it may do, how well it does it (X70, X71, X82)."""

from __future__ import annotations

import re
import statistics
from itertools import pairwise
from random import Random

import pytest
from msgspec.structs import replace

from engine.catalogue import complete
from engine.errors import Invalid
from engine.grammar import sentences
from engine.planetx.boards import Sample
from engine.planetx.draw import draw_game
from engine.planetx.ending import LastLocate, LastTheory, Locate, NoMore
from engine.planetx.facts import TOPICS, Fact, holds
from engine.planetx.match import player_of, with_player
from engine.planetx.opponent import STRENGTHS, Situation, decide, questions, situation
from engine.planetx.questions import Inquiry, Research, Survey, Target
from engine.planetx.sky import KINDS, MODES, STANDARD
from engine.planetx.theories import PassTheories, Pledge, Submit
from engine.planetx.track import visible
from tests.engine.planetx.automata import solo, success, wins
from tests.engine.planetx.tables import GAME, SPEC, at, say, start, told
from tests.engine.planetx.twins import twin

BOARD = "ACCDGEGAAEXA"


def whole(*, but: tuple[int, ...] = ()) -> tuple[Fact, ...]:
    """Every sector of the board known, but some."""
    return tuple(Fact("in_sector", letter, sector=s) for s, letter in enumerate(BOARD, 1) if s not in but)


def case(task: str, known: tuple[Fact, ...], **more: object) -> Situation:
    given = {"visible": (1, 2, 3, 4, 5, 6), "targets": 2, "may_research": True, "topics": tuple(TOPICS)}
    rest = {"placeable": (), "theories": 1} | given | more
    return Situation(mode="standard", task=task, known=known, **rest)  # type: ignore[arg-type]  # built by name


@pytest.mark.clause("X70")
def test_it_plays_against_one_player() -> None:
    state = start("a", opponent="novice", board=None)
    assert [player.seat for player in state.players] == ["a", "b"]
    assert GAME.actors(state) == {"a"}
    for seats, options in ((("a", "b"), {}), (("a",), {"app_only": True})):
        with pytest.raises(Invalid):
            GAME.setup(complete(SPEC.options, {"opponent": "novice", **options}), seats, 1)


@pytest.mark.quick(1)
@pytest.mark.clause("X71")
@pytest.mark.parametrize("strength", STRENGTHS)
def test_it_acts_on_the_same_track_and_ends_the_match(strength: str) -> None:
    for seed in range(4):
        state, _ = solo(strength, "standard", seed)
        assert GAME.outcome(state) is not None
        clock = 0
        for deed in (deed for deed in state.deeds if deed.seat == "b"):
            assert deed.time >= clock
            clock = deed.time + deed.cost


@pytest.mark.thorough
@pytest.mark.clause("X71")
def test_it_decides_the_same_on_every_board_that_fits_what_it_was_told() -> None:
    rng, differing = Random(5), 0
    for seed in range(6):
        state = start("ab", seed=seed, board=None, level="experienced")
        while GAME.outcome(state) is None and len(state.deeds) < 12:
            seat = min(GAME.actors(state))
            other = twin(rng, state, seat)
            differing += other.game.board != state.game.board
            assert situation(other, seat) == situation(state, seat)
            action = decide(situation(state, seat), "professor")
            assert decide(situation(other, seat), "professor") == action
            state, _ = GAME.apply(state, seat, action)
    assert differing > 20


@pytest.mark.thorough
@pytest.mark.clause("X71")
def test_of_its_theories_only_the_sector_is_announced() -> None:
    heard: list[str] = []
    for seed in range(5):
        state = start("a", seed=seed, opponent="professor", board=None)
        while GAME.outcome(state) is None:
            if "pass" in {choice.word for choice in GAME.choices(state, "a")}:
                state, events = say(state, "a: pass")
            else:
                sky = visible(state)
                state, events = say(state, f"a: survey gas {sky[0]} {sky[-1]}")
            heard += told(events, "a")
            faces = GAME.view(state, "a").facts["theories"]
            assert isinstance(faces, tuple)
            for theory, face in zip(state.theories, faces, strict=True):
                assert isinstance(face, dict)
                assert face["kind"] == (theory.kind if theory.shown else None)
    placed = [line for line in heard if line.startswith("B places a theory")]
    assert placed
    assert all(re.fullmatch(r"B places a theory in sector \d+\.", line) for line in placed)


@pytest.mark.clause("X71")
def test_it_locates_when_it_knows_enough() -> None:
    assert decide(case("act", whole()), "novice") == Locate(11, "E", "A")
    assert decide(case("act", whole(but=(2, 3))), "novice") == Locate(11, "E", "A")
    assert not isinstance(decide(case("act", whole(but=tuple(range(5, 13)))), "novice"), Locate)


@pytest.mark.clause("X71")
def test_it_asks_what_is_cheap_and_tells_most() -> None:
    assert isinstance(decide(case("act", ()), "professor"), Research)
    asked = decide(case("act", (), may_research=False), "professor")
    assert isinstance(asked, Survey | Target)
    assert isinstance(decide(case("act", (), topics=()), "professor"), Survey | Target)
    assert not isinstance(decide(case("act", (), may_research=False), "novice"), Target)


@pytest.mark.clause("X31", "X32", "X33", "X71")
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("time", "targets"), [(0, 2), (5, 1), (11, 0)])
def test_it_weighs_exactly_the_surveys_and_targets_that_the_rules_allow(mode: str, time: int, targets: int) -> None:
    state = at(start("a", mode=mode, board=None), a=time)
    state = with_player(state, replace(player_of(state, "a"), targets=targets))
    board = state.game.board
    sample = Sample(1, {kind: tuple(int(letter == kind) for letter in board) for kind in KINDS})
    weighed = list(questions(situation(state, "a"), MODES[mode], sample))
    allowed = [words for words in sentences(GAME, state, "a") if words[0] in {"survey", "target"}]
    assert sorted(GAME.words(state, action) for action, _ in weighed) == sorted(allowed)
    for action, answers in weighed:
        assert GAME.judge(state, "a", action) == ()
        fact = action.answer(state)
        assert [answer for answer, boards in answers.items() if boards] == [
            fact.n if isinstance(action, Survey) else fact.p
        ]
        after, _ = GAME.apply(state, "a", action)
        assert after.deeds[-1].cost == action.cost(MODES[mode].sectors)


@pytest.mark.clause("X31", "X33", "X34", "X71")
@pytest.mark.parametrize("chosen", [Survey, Target, Research])
def test_it_weighs_a_question_by_the_price_that_its_class_says(
    chosen: type[Inquiry], monkeypatch: pytest.MonkeyPatch
) -> None:
    kinds = frozenset[type[Inquiry]]({Survey, Target, Research})

    def priced(dear: frozenset[type[Inquiry]]) -> Inquiry:
        for kind in kinds:
            price = 10_000 if kind in dear else 1
            monkeypatch.setattr(kind, "cost", lambda _action, _sectors, price=price: price)
        action = decide(case("act", ()), "professor")
        assert isinstance(action, Inquiry)
        return action

    assert isinstance(priced(kinds - {chosen}), chosen)
    assert not isinstance(priced(frozenset({chosen})), chosen)


@pytest.mark.clause("X71")
def test_it_submits_what_it_is_sure_of() -> None:
    sure = case("pledge", whole(), placeable=((1, "A"), (1, "C"), (5, "G")))
    assert decide(sure, "novice") == Pledge(1)
    assert decide(replace(sure, task="place"), "novice") == Submit(5, "G")
    assert decide(case("pledge", (), placeable=((1, "D"),)), "novice") == PassTheories()
    assert decide(case("pledge", whole(), placeable=((1, "C"),)), "novice") == PassTheories()
    assert decide(case("place", whole(), placeable=((1, "C"),)), "novice") == Submit(1, "C")


@pytest.mark.clause("X60", "X71")
def test_its_last_move_is_what_promises_most() -> None:
    placeable = ((1, "A"), (5, "G"))
    assert decide(case("end", whole(), placeable=placeable, behind=1), "novice") == LastTheory(5, "G")
    assert decide(case("end", whole(), placeable=placeable, behind=3), "novice") == LastLocate(11, "E", "A")
    assert decide(case("end", whole(), placeable=placeable, behind=3, begun=True), "novice") == LastTheory(5, "G")
    assert decide(case("end", whole(), behind=3, begun=True), "novice") == NoMore()


@pytest.mark.clause("X82")
def test_a_published_opponent_keeps_to_the_cost_table_and_the_visible_sky() -> None:
    actions: list[tuple[int, Inquiry]] = [
        (0, Survey("C", 2, 5)),
        (3, Target(7)),
        (7, Research("B")),
        (8, Survey("A", 11, 2)),
        (11, Survey("A", 1, 4)),
        (14, Research("D")),
        (15, Survey("E", 6, 6)),
        (19, Locate(4, "C", "A")),
    ]
    for (time, action), (after, _) in pairwise(actions):
        assert time + action.cost(12) == after
    for time, action in actions:
        state = at(start("a"), a=time)
        last = "survey" if isinstance(action, Research) else "research"
        state = replace(state, players=(replace(player_of(state, "a"), last=last),))
        assert GAME.judge(state, "a", action) == (), (time, GAME.words(state, action), visible(state))


def test_what_it_was_told_is_true() -> None:
    state, _ = solo("professor", "standard", 3)
    for player in state.players:
        assert all(holds(answer.fact, STANDARD, state.game.board) for answer in player.answers)
    assert state.game == draw_game(STANDARD, state.game.code)


@pytest.mark.thorough
@pytest.mark.clause("X71")
@pytest.mark.parametrize(
    "strength", [each if each == "professor" else pytest.param(each, marks=pytest.mark.soak) for each in STRENGTHS]
)
def test_it_finds_planet_x_in_good_time(strength: str) -> None:
    found = [success(solo(strength, "standard", seed)[0]).time for seed in range(20)]
    times = sorted(time for time in found if time is not None)
    assert len(times) >= 0.95 * len(found)
    assert statistics.median(times) <= 24
    assert times[int(0.95 * len(times)) - 1] <= 36


@pytest.mark.thorough
@pytest.mark.clause("X70")
def test_a_stronger_one_beats_a_weaker_one() -> None:
    stronger, weaker = wins("professor", "novice", "standard", 16)
    assert stronger > weaker
