"""Sets up all tests: default folders of their own, and objects that are built once."""

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

# An example's time says how busy the machine is.
settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy")

gc.disable()  # collected tests stay: there is no garbage before the first


class Parted:
    """Makes each process of pytest-xdist begin a folder elsewhere, so that it reads what the others have compiled.

    All collect everything at the same time. worker: its number, of `count`.
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
        """Restore the order of their folders, the same in all processes."""
        items.sort(key=lambda item: [self.places.get(each, 0) for each in item.listchain()])


class Cases:
    """Marks a test's cases beyond the first N of quick(N) as thorough, unless soak."""

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
    """Exempt the collected tests from garbage collection, and switch it on."""
    gc.freeze()
    gc.enable()


@pytest.fixture(autouse=True, scope="session")
def _folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Set folders as systemd does for the service, so that defaults are not an installed referee's."""
    folder = tmp_path_factory.mktemp("service")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RUNTIME_DIRECTORY", str(folder / "run"))
        patch.setenv("STATE_DIRECTORY", str(folder / "state"))
        yield


@pytest.fixture(autouse=True, scope="session")
def _texts() -> Iterator[None]:
    """Parse each TOML text once: tests read games and mats some thousand times."""
    loads = reading._loads

    @lru_cache(maxsize=256)
    def dumped(text: str) -> bytes:
        return pickle.dumps(loads(text), pickle.HIGHEST_PROTOCOL)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "_loads", lambda text: pickle.loads(dumped(text)))  # a reader may change it
        yield


@pytest.fixture(autouse=True, scope="session")
def _commands() -> Iterator[None]:
    """Build the tree of commands once, not for each test."""
    with pytest.MonkeyPatch.context() as patch:
        if testing := sys.modules.get("typer.testing"):
            patch.setattr(testing, "_get_command", cache(testing._get_command))
        yield
