"""Card games with real hands beside the match, and ideal eyes: nothing honest is doubted, cheats are caught."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest

from engine.errors import Invalid
from referee_simulator.harness import run
from referee_simulator.harness.plan import Eyes, Plan, matches_of
from referee_simulator.harness.run import Figures, play, simulate
from referee_simulator.players.players import Manner
from vision.mat import Mat


def result(game: str, cheat_rate: float, matches: int = 1, seats: int = 2) -> Figures:
    plan = Plan(game, matches, seed=3, cheat_rate=cheat_rate, seats=seats, jobs=1, eyes=Eyes.IDEAL, options={})
    return simulate(plan)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("game", "seats", "longest"),
    [
        ("fence", 2, 150),
        ("runes", 2, 40),
        *(pytest.param("runes", seats, 150, marks=pytest.mark.soak) for seats in (2, 3)),
    ],
)
def test_hands_are_real_and_nothing_honest_is_doubted(
    game: str, seats: int, longest: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """longest: actions after which the match is broken off."""
    monkeypatch.setattr(run, "Manner", partial(Manner, longest=longest))
    figures = result(game, 0.15, seats=seats)
    assert figures.actions > 20
    assert (figures.verdicts.wrong, figures.false_accusations, figures.details.stuck) == (0, 0, 0), (
        figures.details.notes
    )
    assert figures.cheats.visible == figures.cheats.caught >= 1
    assert figures.counts.mismatches == {}
    assert figures.counts.compared["stamina" if game == "fence" else "life"] > figures.actions


@pytest.mark.soak
def test_who_may_act_but_lacks_the_cards_lets_others_act() -> None:
    plan = Plan("runes", 1, seed=5, seats=3, jobs=1, eyes=Eyes.IDEAL, options={"counter_times": "always", "life_a": 2})
    figures = simulate(plan)
    assert figures.actions > 20
    assert (figures.verdicts.wrong, figures.details.stuck) == (0, 0), figures.details.notes


def test_a_mode_that_is_not_there_is_refused() -> None:
    with pytest.raises(Invalid):
        simulate(Plan("fence", mode="sabre", eyes=Eyes.IDEAL, jobs=1))


def test_every_number_of_players_comes_match_by_match_and_who_is_alone_gets_an_opponent(tmp_path: Path) -> None:
    matches = tuple(matches_of(Plan("runes", 5, seats=None, eyes=Eyes.IDEAL), tmp_path))
    assert [planned.seats for planned in matches] == [2, 3, 4, 1, 2]
    assert [planned.options.get("opponent") for planned in matches] == [None, None, None, "automatic", None]


def test_a_number_of_players_that_a_game_does_not_allow_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Invalid):
        tuple(matches_of(Plan("fence", seats=3, eyes=Eyes.IDEAL), tmp_path))


def test_every_number_of_players_meets_every_mode_and_every_kind_of_orders(tmp_path: Path) -> None:
    plan = Plan("tellstones", 8, seats=None, mode="all", orders="both", eyes=Eyes.IDEAL)
    met = {(one.seats, one.options["mode"], one.options["orders"]) for one in matches_of(plan, tmp_path)}
    assert {(seats, mode) for seats, mode, _ in met} == {(2, "standard"), (2, "two-line"), (4, "standard")}
    assert {(mode, orders) for seats, mode, orders in met if seats == 2} == {
        (mode, orders) for mode in ("standard", "two-line") for orders in ("seen", "declared")
    }


def test_one_match_of_a_plan_alone_is_the_same_match(tmp_path: Path) -> None:
    plan = Plan("fence", 4, mode="all", eyes=Eyes.IDEAL)
    whole, (alone,) = (
        tuple(matches_of(each, tmp_path)) for each in (plan, msgspec.structs.replace(plan, matches=1, only=3))
    )
    fields = [(each.number, each.seed, each.seats, each.options) for each in (*whole, alone)]
    assert fields[3] == fields[4]
    assert len(whole) == 4


@pytest.mark.parametrize(("number", "only"), [({}, 2), ({"faults": True, "pictures": 4, "seed": 11}, 1)])
def test_one_match_of_a_plan_alone_has_the_same_pictures_enrolled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: dict[str, Any], only: int
) -> None:
    """Pieces are enrolled on the mat of the first match that needs them, which may be another than its own."""
    made = list[tuple[str, str]]()

    def enrol(mat: Mat, name: str, _seed: int, folder: Path) -> None:
        made.append((mat.name, name))
        folder.mkdir(parents=True)

    monkeypatch.setattr("referee_simulator.harness.plan.enrol", enrol)
    whole, alone = (Plan("runes", 4, seats=None, only=one, **number) for one in (None, only))
    players = [planned.seats for planned in matches_of(whole, tmp_path / "whole")]
    among, made[:] = made.copy(), []
    assert [planned.seats for planned in matches_of(alone, tmp_path / "alone")] == [players[only]]
    assert made == among
    assert len(set(players)) > 1, "or every mat is the first one"


@pytest.mark.soak
def test_one_match_of_a_plan_is_played_alone_to_the_same_end(tmp_path: Path) -> None:
    """What a note's number says for --only."""
    plan = Plan("runes", 2, seed=2, cheat_rate=0.3, jobs=1, eyes=Eyes.IDEAL, options={"life_a": 1, "life_b": 1})
    among = play(list(matches_of(plan, tmp_path))[1]).tally
    alone = simulate(msgspec.structs.replace(plan, only=1))
    assert alone.actions == among.actions > 20
    assert alone.details.notes == tuple(f"match 1, {note}" for note in among.notes) != ()
    assert alone.details.asked == dict(among.questions)
