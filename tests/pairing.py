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


def few(quick: int, values: Iterable[Any]) -> list[Any]:
    """All values, for parametrize, of which the first are quick; the others are thorough."""
    return [pytest.param(each, marks=() if at < quick else pytest.mark.thorough) for at, each in enumerate(values)]


def seeds(quick: int, thorough: int, count: int) -> list[Any]:
    """So many seeds, for parametrize: some quick, then some thorough; the others are soak's."""
    return [
        *few(quick, range(thorough)),
        *(pytest.param(each, marks=pytest.mark.soak) for each in range(thorough, count)),
    ]
