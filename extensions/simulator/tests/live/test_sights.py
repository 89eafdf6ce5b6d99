"""Another game is chosen at the buttons: its mat wants other eyes."""

from __future__ import annotations

import asyncio
from typing import Any

from engine.text import Text
from referee_simulator.live.eyes import Sight, Sights
from vision.messages import ToWorker, VisionSetup

SIGHTS = {"stones": Sight(False, ("stones",)), "two": Sight(False, ("stones",)), "cards": Sight(True, ())}


class Port:
    """Eyes that write down what happens to them."""

    def __init__(self, sight: Sight, told: list[object]) -> None:
        self._sight, self._told = sight, told

    def send(self, message: ToWorker) -> None:
        assert isinstance(message, VisionSetup)
        self._told.append((self._sight, message.mat))

    async def run(self, referee: Any) -> None:
        referee.worker_started()
        self._told.append(self._sight)
        await asyncio.Event().wait()


class Table:
    """As much of a referee as eyes know: it tells new ones everything again."""

    def __init__(self) -> None:
        self.mat = "stones"
        self.told: list[object] = []
        self.sights = Sights(
            "stones", asked=self._asked, sight=SIGHTS.__getitem__, port=lambda s: Port(s, self.told), ready=self._ready
        )

    def _asked(self, setup: VisionSetup) -> None:
        self.told.append(f"{setup.mat} is laid")

    async def _ready(self, mat: str) -> None:
        self.told.append(f"{mat} is ready")

    def silent(self, _: Text, *, starting: bool) -> None:
        self.told.append("wait")

    def worker_started(self) -> None:
        self.sights.send(VisionSetup(self.mat, (), {}, {}))


def test_eyes_change_with_a_mat_that_wants_others_and_only_then() -> None:
    table = Table()

    async def evening() -> None:
        running: Any = asyncio.ensure_future(table.sights.run(table))  # type: ignore[arg-type]  # all that eyes use of it
        for mat in ("stones", "two", "cards"):
            table.mat = mat
            table.sights.send(VisionSetup(mat, (), {}, {}))
            for _ in range(10):
                await asyncio.sleep(0)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    asyncio.run(evening())
    start = table.told.index("two is laid")
    assert table.told[start:] == [
        "two is laid",
        (SIGHTS["two"], "two"),
        "cards is laid",
        "wait",
        "cards is ready",
        "cards is laid",
        (SIGHTS["cards"], "cards"),
        SIGHTS["cards"],
    ]
