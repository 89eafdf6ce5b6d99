"""A cache for repeated questions about one state."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

S = TypeVar("S")
T = TypeVar("T")
P = ParamSpec("P")


def per_state(function: Callable[Concatenate[S, P], T]) -> Callable[Concatenate[S, P], T]:
    """Cache a pure function of a frozen state and hashable arguments, for the last state only, compared by identity."""
    last: tuple[S | None, dict[object, T]] = (None, {})

    @wraps(function)
    def answer(state: S, /, *args: P.args, **named: P.kwargs) -> T:
        nonlocal last
        if last[0] is not state:
            last = (state, {})
        known, key = last[1], (args, *named.items()) if named else args
        if key not in known:
            known[key] = function(state, *args, **named)
        return known[key]

    return answer
