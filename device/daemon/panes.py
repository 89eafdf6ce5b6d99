"""A display as the daemon sees it: it takes screens, and has its keeper draw them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import msgspec

from device.clock import Clock
from device.displays.keeper import Keeper, Patience, Showing
from device.displays.resting import Resting
from device.screens.render import pages
from device.screens.screen import BLANK, Screen


class Pane:
    """One display of the given size in pixels."""

    def __init__(
        self,
        name: str,
        size: tuple[int, int],
        build: Callable[[], Showing],
        clock: Clock,
        *,
        told: Callable[[str, bool], None] = lambda _name, _there: None,
        patience: Patience | None = None,
        threaded: bool = True,
        beat: Callable[[], None] = lambda: None,
        resting: Resting | None = None,
    ) -> None:
        """beat: called whenever the display's keeper goes round."""
        self.size = size
        self.keeper = Keeper(
            name, build, clock, told=told, patience=patience, threaded=threaded, beat=beat, resting=resting
        )
        self._said = BLANK

    def show(self, screen: Screen, language: str) -> None:
        said = msgspec.structs.replace(screen, clocks=())
        if said != self._said:
            self._said = said
            self.keeper.wake()
        self.keeper.stay(screen.alert is not None or bool(screen.clocks))
        self.keeper.show(partial(pages, screen, self.size, language))

    async def run(self) -> None:
        await self.keeper.run()

    async def close(self) -> None:
        await self.keeper.close()
