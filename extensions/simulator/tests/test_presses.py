"""Matches at the buttons alone: the shipped daemon, bouncing pins, displays, journal; no camera (law 6)."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import msgspec
import pytest

from device import games
from device.daemon import assembly
from device.journal import Journal
from device.settings.table import TurnClock
from engine.entry import encode
from engine.errors import Invalid
from engine.game import Words
from referee_simulator.command import parse_options
from referee_simulator.harness.plan import PANELS, Eyes, Plan, PlannedMatch, matches_of, panels_of
from referee_simulator.harness.run import simulate
from referee_simulator.harness.timed_daemon import Timed
from referee_simulator.players import menus
from referee_simulator.players.pressers import Habits, Onward, Pressers
from referee_simulator.players.world import Course
from tests.pairing import paired
from tools.figures import broken_promises

SHORT = Habits(fidget_rate=0.3, longest=8)


def planned(game: str = "tellstones", matches: int = 1, seed: int = 1, **more: Any) -> Plan:
    return Plan(game, matches, seed, eyes=Eyes.NONE, **{"seats": None, **more})


def drawn(plan: Plan) -> list[PlannedMatch]:
    return list(matches_of(plan, Path()))


def sitting(folder: Path, plan: Plan, players: type[Pressers] = Pressers) -> tuple[Pressers, list[bytes]]:
    """One match of a plan, and its journal."""
    (one,) = drawn(plan)
    settings = panels_of(one.seats, one.panels, folder)
    rules = assembly.session_table(settings)

    async def play() -> Pressers:
        world = Timed(settings, seed=one.seed, rules=rules)
        pressers = players(world, rules.games[plan.game], one.seats, one.seed, SHORT)
        await world.run(pressers.whole_match(one.options))
        return pressers

    pressers = asyncio.run(play())
    with Journal(folder / "journal.db") as journal:
        return pressers, [encode(entry) for entry in journal.entries(journal.matches()[-1])]


@pytest.mark.thorough
@pytest.mark.timeout(120)
@pytest.mark.parametrize(("game", "panels"), paired(sorted(games.specs()), PANELS))
def test_every_game_can_be_played_with_buttons_alone(tmp_path: Path, game: str, panels: str) -> None:
    pressers, entries = sitting(tmp_path, planned(game, 1, 3, panels=panels))
    assert pressers.tally.stuck == 0, pressers.tally.notes
    assert pressers.tally.worth["right"] == pressers.tally.actions > 0
    assert len(entries) > pressers.tally.actions


@pytest.mark.soak
def test_one_seed_gives_the_same_journal_twice(tmp_path: Path) -> None:
    plan = planned("tellstones", 1, 5, panels="shared")
    journals = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        journals.append(sitting(tmp_path / name, plan)[1])
    assert journals[0] == journals[1]


def test_after_a_power_cut_players_read_what_opens_once_the_clocks_go_on(tmp_path: Path) -> None:
    settings = msgspec.structs.replace(panels_of(2, "own", tmp_path), clock=TurnClock("chess", 3600, fall="note"))
    rules = assembly.session_table(settings)
    welcomed = []
    for seed in range(1, 6):  # one power-on each

        async def play(seed: int) -> Pressers:
            world = Timed(settings, seed=seed, rules=rules)
            players = Onward(world, rules.games["tellstones"], 2, seed)

            def until_somebody_acts() -> Course:
                before = len(world.entries())
                for wish in players.whole_match({}):
                    yield wish
                    welcomed.append(any(world.screen(each).prompt == menus.WELCOME for each in world.oleds))
                    if len(world.entries()) > max(before, 3):
                        return

            await world.run(until_somebody_acts())
            return players

        assert asyncio.run(play(seed)).tally.notes == []
    assert any(welcomed)


class Fumbling(Pressers):
    """Presses something else than it means."""

    def _press(self, seat: str, words: Words) -> Course:
        others = [
            choice.word for choice in self._game.choices(self._now.state, seat, words[:-1]) if choice.word != words[-1]
        ]
        yield from super()._press(seat, (*words[:-1], *others[:1]) if others else words)


@pytest.mark.thorough
def test_the_judge_notices_what_was_not_meant(tmp_path: Path) -> None:
    pressers, _ = sitting(tmp_path, planned("tellstones", 1, 1, panels="own"), Fumbling)
    assert pressers.tally.worth["wrong"] == 1
    assert pressers.tally.stuck == 1


def test_one_match_of_a_plan_alone_is_the_same_match() -> None:
    plan = planned("tellstones", 6, 3)
    assert drawn(msgspec.structs.replace(plan, only=4))[0] == msgspec.structs.replace(
        drawn(plan)[4], plan=msgspec.structs.replace(plan, only=4)
    )


@pytest.mark.thorough
def test_figures_are_checked_by_the_same_tool_as_those_of_the_camera() -> None:
    result = msgspec.to_builtins(simulate(planned("tellstones", 1, 3, jobs=1)))
    assert broken_promises(result) == []
    assert result["presses_per_action"] > 1
    result["details"]["stuck"] = 1
    assert broken_promises(result)


@pytest.mark.thorough
def test_rules_are_given_by_name_and_drawn_otherwise() -> None:
    given = parse_options("planetx", ["mode=expert", "years=5", "app_only=false"])
    assert given == {"mode": "expert", "years": 5, "app_only": False}
    found = list(drawn(planned("planetx", 8, 1, options=given)))
    assert all(each.options["mode"] == "expert" for each in found)
    assert len({each.seats for each in found}) > 2
    assert len({each.options["level"] for each in found}) > 1
    assert [each.panels for each in found[:2]] == ["own", "shared"]
    assert isinstance(found[0], PlannedMatch)


def test_what_cannot_be_played_is_refused() -> None:
    with pytest.raises(Invalid, match="no game"):
        simulate(planned("chess"))
    with pytest.raises(Invalid, match="no option"):
        parse_options("planetx", ["colour=red"])
    with pytest.raises(Invalid):
        simulate(planned("fence", seats=3))
