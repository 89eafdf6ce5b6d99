"""A table that a herald listens to."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from extensions.record.tests.herald.table import Table


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    made = Table(tmp_path)
    made.start()
    yield made
    made.stop()
    made.end()
