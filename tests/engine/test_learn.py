"""What can be worked out before anybody plays is not worked out at a press."""

from __future__ import annotations

import random

import pytest

from device import games
from engine.catalogue import complete
from engine.entry import Start
from engine.match import begin
from engine.rules import Rules, grammar
from referee_simulator.players.random_play import draw


@pytest.mark.parametrize("name", ["tellstones", "planetx", "fence", "runes"])
def test_of_a_game_that_was_learned_no_match_asks_what_its_classes_say(name: str) -> None:
    spec = games.spec(name)
    game = games.game(spec)
    assert isinstance(game, Rules)
    grammar.cache_clear()
    game.learn()
    learned = grammar.cache_info().misses
    assert learned >= len(game.actions)
    state = begin(game, Start(0.0, name, dict(complete(spec.options, {})), ("a", "b"), 1)).state
    dice = random.Random(1)
    for _ in range(6):
        seat = min(game.actors(state))
        action = draw(game, state, seat, dice.randrange)
        assert action is not None
        assert game.choices(state, seat)
        state, _ = game.apply(state, seat, action)
    assert grammar.cache_info().misses == learned
