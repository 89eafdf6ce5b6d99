"""How far slow work has come: who waits for it hears after each step how many are done, and of how many."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

Heard: TypeAlias = Callable[[int, int], None]


def nobody(done: int, of: int) -> None:
    """Hears nothing of it."""
