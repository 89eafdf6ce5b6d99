"""What a hidden pile alone decides: told as soon as it does, and nothing else."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from device import games
from device.session.match_start import fitting
from device.session.table import KnownGame
from engine.catalogue import complete
from engine.entry import Start
from engine.runes.cards import EXCUSE
from engine.runes.mat import PILE
from engine.table import SEATS
from referee_simulator.live.hidden_pile import Turning, turned_up
from referee_simulator.live.laying import deal
from referee_simulator.players.decisions import honest
from referee_simulator.table.holding import Holding


def whole_match(name: str, seats: int, seed: int) -> Iterator[tuple[Any, Holding, Turning | None]]:
    """Each state of a match of honest players, who find that what the pile decides is what they can do."""
    spec = games.spec(name)
    known, rng = KnownGame(spec, games.game(spec)), random.Random(seed)
    given = {"drawing": "required"} if name == "runes" else {}  # or whoever is to draw may also decline
    start = Start(0.0, name, dict(complete(spec.options, fitting(known, given, seats))), SEATS[:seats], seed)
    game, holding = known.game, deal(known, start)
    state = game.setup(start.options, start.seats, seed)
    assert holding is not None
    while game.actors(state):
        decided, intent = turned_up(game, holding, state), honest(game, state, rng, 0.0, holding)
        yield state, holding, decided
        assert decided is None or (decided.due.seat, decided.due.words) == (intent.by, intent.words)
        after = game.apply(state, intent.by, game.read(state, intent.by, intent.words))[0]
        holding, state = holding.after((state, after), intent.by, intent.words, intent.brought), after


@pytest.mark.parametrize(("seats", "verbs"), [(1, {"turn", "excuse"}), (2, {"excuse"})])
def test_only_the_top_card_of_the_pile_is_turned_up_unasked(seats: int, verbs: set[str]) -> None:
    """By hand, but the Excuse is for its seat to tell. Draws, and cards of a hand, are nobody else's."""
    found = set()
    for _, holding, decided in whole_match("runes", seats, 1):
        if decided is not None:
            top, (verb, *card) = holding.stacks[PILE][-1], decided.due.words
            assert (decided.card, card) == (top, [] if top == EXCUSE else [top])
            assert decided.due.trace.declared == (top == EXCUSE)
            found.add(verb)
    assert found == verbs


def test_where_piles_hide_nothing_that_is_asked_they_decide_nothing() -> None:
    assert not any(decided for *_, decided in whole_match("fence", 2, 3))
