"""Nothing that the herald sends tells what is hidden at the table (law 5), and what would do so is found."""

from __future__ import annotations

import asyncio
from itertools import islice

import pytest

from extensions.record.tests.herald import twins
from tests.device.session.twins import GAMES

SEED = "herald"


PAIRS = 40


@pytest.mark.thorough
def test_tables_that_differ_in_secrets_send_the_same() -> None:
    found = asyncio.run(twins.anew(list(islice(twins.drawn(SEED, 2), PAIRS)), SEED))
    assert found.notes == ()
    assert found.pairs == PAIRS
    assert found.games == dict.fromkeys(GAMES, PAIRS // len(GAMES))
    assert found.frames >= 2 * PAIRS, "a glance each, and two links at least of every other one"


@pytest.mark.thorough
def test_what_is_drawn_differs_in_secrets() -> None:
    found = list(islice(twins.drawn(SEED, 2), 40))
    assert sum(left != right for left, right in (each.sessions for each in found)) == len(found)
    matches = [each.matches for each in found if each.matches is not None]
    assert sum(left[1] != right[1] for left, right in matches) == len(matches) >= len(found) // 2


@pytest.mark.thorough
def test_planted_leaks_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    some = ("stream: view of a hand", "glance: state of the match", "herald: a length", "herald: a message more")
    monkeypatch.setattr(twins, "LEAKS", {name: twins.LEAKS[name] for name in some})
    assert None not in asyncio.run(twins.planted(SEED, 16)).values()
