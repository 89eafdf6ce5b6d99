"""A virtual table of Tellstones for tests: seven stones, some on the Line, and a session with ideal eyes."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Mapping
from pathlib import Path

from device import games
from device.session.table import KnownGame, Table
from engine.catalogue import complete
from engine.game import OptionValue
from engine.table import Arrangement, Layout, Piece, ZoneLayout
from referee_simulator.harness.ideal_eyes import Ideal
from referee_simulator.harness.plan import settings_of
from referee_simulator.harness.sights import IdealSight
from referee_simulator.harness.timed_daemon import Timed
from referee_simulator.players.players import Manner, Players
from referee_simulator.table.ground_truth import Truth
from referee_simulator.table.places import Maintenance
from referee_simulator.table.scenes import Scene
from referee_simulator.table.setting import set_out
from referee_simulator.table.virtual import VirtualTable
from vision.mat import Mat

SPEC = games.spec("tellstones")
KNOWN = KnownGame(SPEC, games.game(SPEC))
MATS = games.mats(["tellstones", "tellstones-two"])
MAT = MATS["tellstones"]
ZONES = ("line", "pool")
NEAT = Maintenance(1.0, 2.0)


def layout_of(line: tuple[str, ...], pool: tuple[str, ...]) -> Layout:
    return Layout(
        (
            ZoneLayout("line", Arrangement.ROW, tuple(map(Piece, line))),
            ZoneLayout("pool", Arrangement.AREA, tuple(sorted(map(Piece, pool)))),
        )
    )


def laid(line: tuple[str, ...], pool: tuple[str, ...] = (), seed: int = 1) -> Truth:
    return set_out(layout_of(line, pool), MAT, random.Random(seed), NEAT)


def match(
    folder: Path,
    seed: int,
    cheat_rate: float = 0.0,
    options: dict[str, OptionValue] | None = None,
    seats: tuple[str, ...] = ("a", "b"),
    eyes: Callable[[Mapping[str, Mat]], Ideal] = Ideal,
) -> tuple[Players, Timed]:
    """One match with eyes that draw no picture, in simulated time; its journal is kept in the folder."""
    options = options or {}
    full = complete(SPEC.options, options)
    laid_out = SPEC.table(full, len(seats))
    assert laid_out is not None
    mat = MATS[str(laid_out.mat)]
    state = KNOWN.game.setup(full, seats, seed)
    truth = set_out(KNOWN.game.layout(state), mat, random.Random(seed), Maintenance(3.0, 15.0))
    table = VirtualTable(mat, truth, Scene(seed, jitter_mm=3.0), mat.sides[str(len(seats))], size=(320, 180))
    rules = Table(panels=seats, games={"tellstones": KNOWN}, camera=True, mats=MATS)
    settings = settings_of(len(seats), folder / str(seed))

    async def play() -> tuple[Players, Timed]:
        world = Timed(settings, seed=seed, rules=rules, sight=IdealSight(table, MATS, eyes), drawn=False)
        players = Players(world, KNOWN, seats, seed, Manner(cheat_rate=cheat_rate))
        await world.run(players.whole_match(options))
        players.tally.presses = world.pins.presses
        return players, world

    return asyncio.run(play())
