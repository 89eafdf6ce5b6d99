"""What all tests share: folders of their own, wherever nothing names one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True, scope="session")
def _folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """As systemd does for the service: what no table file says is not written where an installed referee keeps it."""
    folder = tmp_path_factory.mktemp("service")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RUNTIME_DIRECTORY", str(folder / "run"))
        patch.setenv("STATE_DIRECTORY", str(folder / "state"))
        yield
