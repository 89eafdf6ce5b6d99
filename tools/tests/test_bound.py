"""The bound is exact, the game that was judged least is played next, and a run that was broken off goes on."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from typer.testing import CliRunner

from referee_simulator.harness.plan import Eyes, Plan
from referee_simulator.harness.stored_results import OtherRun, StoredResults
from tests.commands import app
from tools import bound as module
from tools.bound import MATCHES, Played, Tally, at_most, next_ones, play_until

GAMES = ("one", "other")


@pytest.mark.parametrize(
    ("errors", "trials", "most"),
    [
        (0, 30_000, 0.0000999),
        (0, 59, 0.0495),
        (1, 165, 0.0284),
        (6, 549, 0.0215),
        (150, 30_000, 0.00574),
        (3, 3, 1.0),
        (0, 0, 1.0),
    ],
)
def test_the_bound_is_that_of_clopper_and_pearson(errors: int, trials: int, most: float) -> None:
    assert at_most(errors, trials) == pytest.approx(most, rel=0.005)


def test_the_game_that_was_judged_least_is_played_next_and_short_matches_more_often() -> None:
    assert next_ones((), 400, 0, GAMES) == ["one", "other", "one", "other"]
    done = [Played("one", "", Tally(matches=1, actions=90)), Played("other", "", Tally(matches=1, actions=10))]
    assert next_ones(done, 195, 30, GAMES) == ["other"] * 8 + ["one"]
    assert next_ones(done, 100, 10, GAMES) == []


def test_short_matches_are_made_up_for_while_it_plays(monkeypatch: pytest.MonkeyPatch) -> None:
    begun = list[str]()

    def play(plan: Plan) -> Played:
        begun.append(plan.game)
        return Played(plan.game, "", Tally(matches=1, actions=150 if plan.game == "one" else 25))

    monkeypatch.setattr(module, "play", play)
    monkeypatch.setattr(module, "_plan", lambda pattern, name, number: msgspec.structs.replace(pattern, game=name))
    play_until(3000, 0, Plan(game="", seed=3), names=GAMES)
    one, other = (begun[: 6 * module.ROUND].count(name) for name in GAMES)
    assert other > 2 * one


def test_a_run_that_was_broken_off_goes_on_and_one_of_another_plan_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = list[Plan]()

    def play(plan: Plan) -> Played:
        begun.append(plan)
        if len(begun) == 4:
            raise KeyboardInterrupt
        wrong = len(begun) == 2
        tally = Tally(matches=1, actions=50, right=50 - wrong, wrong=int(wrong), notes=("it was",) if wrong else ())
        return Played(plan.game, "", tally)

    monkeypatch.setattr(module, "play", play)
    monkeypatch.setattr(module, "_plan", lambda pattern, name, number: msgspec.structs.replace(pattern, game=name))
    with pytest.raises(KeyboardInterrupt):
        play_until(300, 100, Plan(game="", seed=3), folder=tmp_path, names=GAMES)
    found = play_until(300, 100, Plan(game="", seed=3), folder=tmp_path, names=GAMES)
    assert (found.all.matches, found.all.actions, found.all.wrong, len(begun)) == (6, 300, 1, 7)
    assert found.games["one"].actions == found.games["other"].actions == 150
    assert found.at_most["all"] == pytest.approx(at_most(1, 300), abs=1e-6)
    assert found.all.notes == ("it was",)
    with pytest.raises(OtherRun):
        play_until(300, 100, Plan(game="", seed=4), folder=tmp_path, names=GAMES)


def test_what_was_done_before_an_earlier_match_stays_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, pattern = list[str](), Plan(game="", seed=3)
    kept = StoredResults(tmp_path, pattern, Played)
    for number in (0, 1, 3):  # match 2 was broken off
        kept.add(number, Played("one", "", Tally(matches=1, actions=50, wrong=int(number == 3))))

    def play(plan: Plan) -> Played:
        begun.append(plan.game)
        return Played(plan.game, "", Tally(matches=1, actions=50))

    monkeypatch.setattr(module, "play", play)
    monkeypatch.setattr(module, "_plan", lambda pattern, name, number: msgspec.structs.replace(pattern, game=name))
    found = play_until(250, 100, pattern, folder=tmp_path, names=GAMES)
    assert begun == ["other", "other"]
    assert (found.all.actions, found.all.wrong) == (250, 1)


@pytest.mark.thorough
def test_every_game_is_played_and_each_match_can_be_played_again() -> None:
    found = play_until(4, 1, Plan(game="", seed=11, cheat_rate=0.1, eyes=Eyes.IDEAL))
    assert len(found.games) == 4
    assert all(one.actions >= 1 for one in found.games.values())
    assert (found.all.wrong, found.all.accused, found.all.different) == (0, 0, 0)
    (again, *_) = found.again["planetx"]
    command = f"simulate --headless --ideal --json --cheat-rate 0.1 --matches {MATCHES} --game planetx {again}"
    played = CliRunner().invoke(app, command.split())
    assert played.exit_code == 0, played.output
    assert msgspec.json.decode(played.stdout)["actions"] == found.games["planetx"].actions
