"""What closes a verb speaks against every action of it: a menu that leaves the verb out hides nothing that is legal."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from engine.catalogue import complete
from engine.grammar import wander
from engine.rules import Action, Rules
from tests.engine.specs import game, spec

POSITIONS = 60


@pytest.mark.parametrize("name", ["fence", "planetx"])
def test_nothing_of_a_closed_verb_is_legal(name: str) -> None:
    rules, dice = game(name), Random(3)
    assert isinstance(rules, Rules)
    options = complete(spec(name).options, {})
    state = rules.setup(options, ("a", "b"), 3)
    closed: set[type[Action[Any]]] = set()
    for number in range(POSITIONS):
        actors = sorted(rules.actors(state))
        if not actors:
            state = rules.setup(options, ("a", "b"), number)
            continue
        seat = dice.choice(actors)
        for kind in rules.asked_actions(state, seat):
            if any(kind.verb_violations(state, seat)):
                closed.add(kind)
                assert all(any(command.violations(state, seat)) for command in kind.candidates(state, seat)), kind
        state, _ = rules.apply(state, seat, rules.read(state, seat, wander(rules, state, seat, dice.randrange)))
    assert len(closed) > 1, closed
