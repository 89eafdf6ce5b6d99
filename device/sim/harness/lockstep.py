"""The whole daemon and its vision worker in simulated time, which waits until the worker has answered each frame.

Pins, displays and the camera are simulated. One seed gives the same journal to the byte.
"""

from __future__ import annotations

from collections.abc import Callable

from device.session.table import Table
from device.settings.table import TableSettings
from device.sim.harness.sights import PictureSight
from device.sim.harness.timed import Timed
from device.sim.table.virtual import VirtualTable
from vision.link import Report


class Lockstep(Timed):
    """A `players.world.World`: a table with pieces, seen by the shipped worker. `run` may raise WorkerDeaf."""

    def __init__(
        self,
        table: VirtualTable,
        settings: TableSettings,
        *,
        seed: int,
        rules: Table | None = None,
        heard: Callable[[Report], None] = lambda _: None,
    ) -> None:
        """settings: of a table with a shared camera; its folders are used. heard: is told of every report.

        rules: `assembly.session_table(settings)`, if it is known already.
        """
        sight = PictureSight(table, settings, heard)
        self.rhythm = sight.rhythm
        super().__init__(settings, seed=seed, rules=rules, sight=sight)
