"""What all tests share: folders of their own, wherever nothing names one."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

gc.disable()  # what is collected stays: there is no garbage to look for before the first test


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
