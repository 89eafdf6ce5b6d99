"""The whole daemon with its vision worker, in simulated time."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

import pytest

from device.daemon import assembly
from device.journal import Journal
from engine.catalogue import complete
from engine.entry import Start, encode
from engine.errors import Invalid
from extensions.simulator.tests.tables import MAT
from referee_simulator.harness.plan import Plan, settings_of
from referee_simulator.harness.run import simulate
from referee_simulator.harness.sights import PictureSight
from referee_simulator.harness.timed_daemon import Timed
from referee_simulator.judge.tally import Result
from referee_simulator.players.players import Manner, Players
from referee_simulator.table.places import care_in
from referee_simulator.table.scenes import draw, load_scenes
from referee_simulator.table.setting import set_out
from referee_simulator.table.virtual import VirtualTable
from tests.enrolled import folder_of

SEED = 11


def two_actions(folder: Path) -> tuple[Players, Timed]:
    """The first two actions of a match."""
    (folder / "enrolled").symlink_to(folder_of(MAT, "stones", 3).parent)
    settings = settings_of(2, folder)
    rules = assembly.session_table(settings)
    known = rules.games["tellstones"]
    scene = draw(load_scenes()["easy"], SEED)
    state = known.game.setup(complete(known.spec.options, {}), ("a", "b"), SEED)
    truth = set_out(known.game.layout(state), MAT, random.Random(SEED), care_in(scene))

    async def play() -> tuple[Players, Timed]:
        table = VirtualTable(MAT, truth, scene, MAT.sides["2"])
        world = Timed(settings, seed=SEED, rules=rules, sight=PictureSight(table, settings))
        players = Players(world, known, ("a", "b"), SEED, Manner(longest=2))
        await world.run(players.whole_match({}))
        return players, world

    return asyncio.run(play())


@pytest.mark.thorough
@pytest.mark.timeout(240)
@pytest.mark.parametrize("times", [1, pytest.param(2, marks=pytest.mark.soak)])
def test_two_actions_are_seen_in_pictures_and_one_seed_gives_the_same_journal(tmp_path: Path, times: int) -> None:
    journals = []
    for time in range(times):
        folder = tmp_path / str(time)
        folder.mkdir()
        players, world = two_actions(folder)
        assert players.tally.actions == 2
        assert players.tally.worth["wrong"] == 0, players.tally.notes
        assert world.oleds["a"].received > 1000
        with Journal(folder / "journal.db") as journal:
            entries = journal.entries(journal.matches()[-1])
        assert isinstance(entries[0], Start)
        assert entries[0].seed == SEED
        journals.append([encode(entry) for entry in entries])
    assert journals[0] == journals[-1]


def test_a_game_that_is_not_there_cannot_be_simulated() -> None:
    with pytest.raises(Invalid, match="no game"):
        simulate(Plan(game="chess"))


def test_figures_have_the_names_that_they_are_published_under() -> None:
    assert Result.__struct_fields__[:10] == (
        "game",
        "matches",
        "actions",
        "verdicts",
        "cheats",
        "false_accusations",
        "frames",
        "seconds",
        "presses_per_action",
        "counts",
    )
