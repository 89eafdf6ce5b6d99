"""Reports the progress of slow work to a callback."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

Heard: TypeAlias = Callable[[int, int], None]


def nobody(done: int, of: int) -> None:
    """Ignore the progress."""
