"""What a simulated hand does on a whim is a cheat only if no rule allows it."""

from __future__ import annotations

from functools import reduce
from types import ModuleType

import pytest

from engine.table import Spot, Trace
from referee_simulator.judge.evidence import is_play
from tests.package.test_guest import files


@pytest.mark.parametrize(
    ("verb", "cups", "allowed"), [("cover", (0, 2), True), ("cover", (0, 1, 2), True), ("lift", (0, 2), False)]
)
def test_pieces_that_may_be_turned_one_after_the_other_may_be_turned_at_once(
    verb: str, cups: tuple[int, ...], allowed: bool
) -> None:
    """Pebble (docs/developers/write-a-game.md): the hider covers one cup after the other; the seeker lifts one."""
    pebble = ModuleType("pebble")
    exec(files()["pebble/__init__.py"], pebble.__dict__)
    game, covered = pebble.Pebble(), (verb == "lift",) * 3
    state = pebble.State("a", "b", pebble.KINDS, covered, 0)
    after = reduce(pebble.changed, (pebble.Action(verb, (cup,)) for cup in cups), state)
    done = Trace(game.layout(after), turned=frozenset(Spot("cups", cup) for cup in cups))
    assert is_play(game, state, done) is allowed
