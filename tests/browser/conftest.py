"""A live table behind a page in headless Chromium."""

from __future__ import annotations

import asyncio
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

from device.daemon.assembly import session_table
from device.sim.live.pieces import enrol_missing
from device.sim.live.run import Evening, Live, table_settings

EVENING = Evening(scene="easy", seed=5, port=0)
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


class Evenings:
    """Runs a live table on a thread of its own, as `referee simulate` does on its main one."""

    def __init__(self, evening: Evening, folder: Path) -> None:
        self.pages: dict[str | None, str] = {}
        self.failure: BaseException | None = None
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(evening, folder))

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

    def _run(self, evening: Evening, folder: Path) -> None:
        try:
            asyncio.run(self._live(evening, folder))
        except BaseException as error:
            self.failure = error
            raise
        finally:
            self._ready.set()

    async def _live(self, evening: Evening, folder: Path) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        self.live = Live(evening, folder)
        await self.live.run(self._opened, self._stop)

    def _opened(self, panel: object) -> None:
        self.pages = self.live.panel.addresses()
        self._ready.set()


@pytest.fixture(scope="session")
def enrolled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The stones, enrolled once for all tests."""
    folder = tmp_path_factory.mktemp("pieces")
    rules = session_table(table_settings(EVENING, folder))
    enrol_missing(rules.mats[EVENING.game], EVENING.seed, folder / "enrolled")
    return folder / "enrolled"


@pytest.fixture
def table(tmp_path: Path, enrolled: Path) -> Iterator[Evenings]:
    folder = tmp_path / "evening"
    folder.mkdir(mode=0o700)
    (folder / "enrolled").symlink_to(enrolled)
    with Evenings(EVENING, folder) as running:
        yield running


@pytest.fixture
def evening(tmp_path: Path) -> Iterator[Callable[..., Evenings]]:
    """Opens a table for a game whose pieces need not be enrolled; it is closed at the end."""
    with ExitStack() as tables:

        def opened(game: str, **given: Any) -> Evenings:
            folder = tmp_path / game
            folder.mkdir(mode=0o700)
            return tables.enter_context(Evenings(Evening(game=game, scene="easy", seed=5, port=0, **given), folder))

        yield opened


@pytest.fixture
def browser() -> Iterator[webdriver.Chrome]:
    names = ("chromium", "chromium-browser", "google-chrome")
    found = next((path for name in names if (path := shutil.which(name))), None)
    driver = shutil.which("chromedriver")
    if found is None or driver is None:
        pytest.fail("the browser tests need Chromium: apt install chromium chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = found
    for flag in FLAGS:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    with webdriver.Chrome(options=options, service=Service(driver)) as running:
        yield running
