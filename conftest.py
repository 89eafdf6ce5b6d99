"""What all tests share: folders of their own, wherever nothing names one, and what is made once for all."""

from __future__ import annotations

import gc
import os
import pickle
import sys
from collections import Counter
from collections.abc import Generator, Iterator
from functools import cache, lru_cache

import pytest
from hypothesis import HealthCheck, settings

from vision.files import reading

# How long an example takes says how busy the machine is.
settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy")

gc.disable()  # what is collected stays: there is no garbage to look for before the first test


class Parted:
    """A process of pytest-xdist begins each folder elsewhere: what one has compiled by then, the others only read.

    All of them collect everything, at the same time; for a file that was not compiled before, compiling is most of it.
    worker: its number, of `count`.
    """

    def __init__(self, worker: int, count: int) -> None:
        self.worker, self.count = worker, count
        self.places: dict[object, int] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(
        self, collector: pytest.Collector
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        report = yield
        if isinstance(collector, pytest.Directory) and report.result:
            self.places.update((each, place) for place, each in enumerate(report.result))
            first = len(report.result) * self.worker // self.count
            report.result = report.result[first:] + report.result[:first]
        return report

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Puts them into the order of their folders, which is the same in all processes."""
        items.sort(key=lambda item: [self.places.get(each, 0) for each in item.listchain()])


class Cases:
    """Of a test that is marked quick(count), so many of the cases stay quick, and the others are thorough."""

    def __init__(self) -> None:
        self.met: Counter[str] = Counter()

    def pytest_itemcollected(self, item: pytest.Item) -> None:
        mark = item.get_closest_marker("quick")
        if mark is not None and item.get_closest_marker("soak") is None:
            name = item.nodeid.partition("[")[0]
            self.met[name] += 1
            if self.met[name] > mark.args[0]:
                item.add_marker("thorough")


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Cases())
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    if worker is not None:
        parted = Parted(int(worker.removeprefix("gw")), int(os.environ["PYTEST_XDIST_WORKER_COUNT"]))
        config.pluginmanager.register(parted)


def pytest_collection_finish() -> None:
    """Nor need what was collected be looked through later, with every test that wants its own garbage gone."""
    gc.freeze()
    gc.enable()


@pytest.fixture(autouse=True, scope="session")
def _folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """As systemd does for the service: what no table file says is not written where an installed referee keeps it."""
    folder = tmp_path_factory.mktemp("service")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RUNTIME_DIRECTORY", str(folder / "run"))
        patch.setenv("STATE_DIRECTORY", str(folder / "state"))
        yield


@pytest.fixture(autouse=True, scope="session")
def _texts() -> Iterator[None]:
    """A text in TOML is parsed once: tests read the files of games and mats some thousand times."""
    loads = reading._loads

    @lru_cache(maxsize=256)
    def dumped(text: str) -> bytes:
        return pickle.dumps(loads(text), pickle.HIGHEST_PROTOCOL)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "_loads", lambda text: pickle.loads(dumped(text)))  # whoever reads one may change it
        yield


@pytest.fixture(autouse=True, scope="session")
def _commands() -> Iterator[None]:
    """The tree of commands is built from its functions once, and not for each test that gives one."""
    with pytest.MonkeyPatch.context() as patch:
        if testing := sys.modules.get("typer.testing"):
            patch.setattr(testing, "_get_command", cache(testing._get_command))
        yield
