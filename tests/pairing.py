"""Parameters of which a quick run takes some, and `make soak` the rest."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pytest


def paired(firsts: Iterable[Any], seconds: Sequence[Any]) -> list[Any]:
    """All pairs, for parametrize. The diagonal is quick: each value occurs in it. The others are soak's."""
    return [
        pytest.param(first, second, marks=() if place == number % len(seconds) else pytest.mark.soak)
        for number, first in enumerate(firsts)
        for place, second in enumerate(seconds)
    ]


def seeds(quick: int, count: int) -> list[Any]:
    """So many seeds, for parametrize, of which the first are quick; the others are soak's."""
    return [pytest.param(seed, marks=() if seed < quick else pytest.mark.soak) for seed in range(count)]
