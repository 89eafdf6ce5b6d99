"""Parameters of which `make test` takes a few, `make thorough` some, and `make soak` the rest."""

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


def seeds(quick: int, thorough: int, count: int) -> list[Any]:
    """So many seeds, for parametrize: some quick, then some thorough; the others are soak's."""

    def tier(seed: int) -> list[pytest.MarkDecorator]:
        return [] if seed < quick else [pytest.mark.thorough if seed < thorough else pytest.mark.soak]

    return [pytest.param(seed, marks=tier(seed)) for seed in range(count)]
