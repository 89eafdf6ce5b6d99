"""A live table behind a page in headless Chromium."""

from __future__ import annotations

import asyncio
import shutil
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

from device import games
from engine.game import OptionValue
from engine.table import Seat
from referee_simulator.live.gateway import Doors
from referee_simulator.live.run import Live, LivePlan
from referee_simulator.players import menus

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1440,1100",
)


def chromium(*more: str) -> webdriver.Chrome:
    """Return a headless Chromium, or fail with what to install. more: flags."""
    names = ("chromium", "chromium-browser", "google-chrome")
    found = next((path for name in names if (path := shutil.which(name))), None)
    driver = shutil.which("chromedriver")
    if found is None or driver is None:
        pytest.fail("the browser tests need Chromium: apt install chromium chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = found
    for flag in (*FLAGS, *more):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options=options, service=Service(driver))


class Evenings:
    """Runs a live table on a thread of its own, as `referee simulate` does on its main one."""

    def __init__(self, plan: LivePlan, folder: Path) -> None:
        self.page = ""
        """Of the table."""
        self.seats: Mapping[Seat, str] = {}
        """Pages of the seats; each takes its seat."""
        self.failure: BaseException | None = None
        self._game = plan.game
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(plan, folder))

    def __enter__(self) -> Evenings:
        self._thread.start()
        assert self._ready.wait(60), "the simulation does not start"
        if self.failure is not None:
            raise self.failure
        return self

    def __exit__(self, *exc: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(20)
        assert not self._thread.is_alive(), "the simulation does not end"

    def begin(self, options: Mapping[str, OptionValue]) -> None:
        """A match from power-on to its first turn, at the buttons of seat A."""
        live = self.live
        spec = games.spec(self._game)

        async def pressed() -> None:
            for wish in menus.set_up(live.players, "a", spec, len(live.stage.seats), options):
                await live.players.grant(wish)

        asyncio.run_coroutine_threadsafe(pressed(), self._loop).result(120)

    def _run(self, plan: LivePlan, folder: Path) -> None:
        try:
            asyncio.run(self._live(plan, folder))
        except BaseException as error:
            self.failure = error
            raise
        finally:
            self._ready.set()

    async def _live(self, plan: LivePlan, folder: Path) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        self.live = Live(plan, folder)
        await self.live.run(self._opened, self._stop)

    def _opened(self, doors: Doors) -> None:
        self.page, self.seats = doors.table, doors.seats
        self._ready.set()


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """Give a folder whose path is short, as that of a socket has to be."""
    with TemporaryDirectory() as folder:
        yield Path(folder)


@pytest.fixture
def evening() -> Iterator[Callable[..., Evenings]]:
    """Opens a table, on which the referee sees what lies there: no piece is enrolled. It is closed at the end."""
    with ExitStack() as tables:

        def opened(game: str, **given: Any) -> Evenings:
            folder = Path(tables.enter_context(TemporaryDirectory()))  # the path of a socket has to be short
            asked = LivePlan(game=game, scene="easy", seed=5, port=0, ideal=True, **given)
            return tables.enter_context(Evenings(asked, folder))

        yield opened


@pytest.fixture
def table(evening: Callable[..., Evenings]) -> Evenings:
    """Tellstones."""
    return evening("tellstones")


@pytest.fixture(scope="module")
def chrome() -> Iterator[webdriver.Chrome]:
    """A Chromium for all tests of a file: it takes longer to start than most of them to run."""
    with chromium() as running:
        yield running


@pytest.fixture
def browser(chrome: webdriver.Chrome) -> webdriver.Chrome:
    """A new tab alone, with what a page stored, emulated or logged before gone."""
    before = chrome.window_handles
    chrome.switch_to.new_window("tab")
    tab = chrome.current_window_handle
    for handle in before:
        chrome.switch_to.window(handle)
        chrome.close()
    chrome.switch_to.window(tab)
    chrome.execute_cdp_cmd("Storage.clearDataForOrigin", {"origin": "*", "storageTypes": "all"})
    chrome.get_log("browser")
    return chrome
