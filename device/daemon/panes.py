"""A display as the daemon sees it: screens in, pixels on; its keeper does the rest."""

from __future__ import annotations

from collections.abc import Callable

from PIL import Image

from device.clock import Clock
from device.displays.keeper import Keeper, Patience, Showing
from device.screens.render import pages
from device.screens.screen import Screen


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
    ) -> None:
        """beat: called whenever the display's bus was used, or tried in vain."""
        self.size = size

        def built() -> Showing:
            beat()
            return _Beating(build(), beat)

        self.keeper = Keeper(name, built, clock, told=told, patience=patience, threaded=threaded)

    def show(self, screen: Screen, language: str) -> None:
        self.keeper.show(pages(screen, self.size, language))

    async def run(self) -> None:
        await self.keeper.run()

    async def close(self) -> None:
        await self.keeper.close()


class _Beating:
    """A display that tells of every look that its keeper takes."""

    def __init__(self, display: Showing, beat: Callable[[], None]) -> None:
        self._display, self._beat = display, beat
        self.size = display.size

    @property
    def sent(self) -> int:
        return self._display.sent

    def show(self, image: Image.Image) -> None:
        self._display.show(image)

    def refresh(self) -> None:
        self._beat()
        self._display.refresh()

    def close(self) -> None:
        self._display.close()

    def drop(self) -> None:
        self._display.drop()

    def give_up(self) -> None:
        self._display.give_up()
