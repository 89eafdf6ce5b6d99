"""What the referee counts is held against the simulator's own truth after every action."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from msgspec.structs import replace

from device.games import game, spec
from engine.catalogue import complete
from engine.table import Arrangement, Layout, Piece, ZoneLayout
from referee_simulator.dealers import AnyDealer, HiddenNumber, dealer
from referee_simulator.judge.tally import Tally, merge_tallies

SEATS = {"fence": ("a", "b"), "runes": ("a", "b", "c")}


def dealt(name: str, **options: Any) -> tuple[AnyDealer, Any, Any, Layout]:
    """The dealer of a game, the cards of a new match, its state, and the table as it truly lies."""
    found = spec(name)
    rules = game(found)
    state = rules.setup(complete(found.options, options), SEATS[name], 1)
    holder = dealer(found, rules)
    assert holder is not None
    return holder, holder.deal(state, SEATS[name], 1), state, rules.layout(state)


def wrong(figures: tuple[HiddenNumber, ...]) -> list[tuple[str, int, int]]:
    return [(f.name, f.true, f.believed) for f in figures if f.true != f.believed]


def moved(shown: Layout, zone: str, cell: int | None) -> Layout:
    """The table with the marker of a track in another cell, or in none."""
    track = shown.zone(zone)
    marker = next(piece for piece in track.pieces if piece is not None)
    cells: tuple[Piece | None, ...] = tuple(marker if place == cell else None for place in range(len(track.pieces)))
    other = ZoneLayout(zone, Arrangement.CELLS, cells)
    return Layout(tuple(other if each.zone == zone else each for each in shown.zones))


@pytest.mark.parametrize(
    ("name", "names"),
    [
        ("fence", {"timer", "discards", "set aside", "stamina", "hand"}),
        ("runes", {"pile", "discards", "hand", "life"}),
    ],
)
def test_at_the_start_every_number_is_true(name: str, names: set[str]) -> None:
    holder, cards, state, shown = dealt(name)
    figures = holder.figures(cards, state, shown)
    assert {figure.name for figure in figures} == names
    assert wrong(figures) == []


def test_a_stamina_marker_elsewhere_and_a_timer_card_more_are_found() -> None:
    holder, cards, state, shown = dealt("fence", mode="basic")
    assert wrong(holder.figures(cards, state, moved(shown, "stamina-red", 2))) == [("stamina", 2, 6)]
    assert wrong(holder.figures(cards, state, moved(shown, "stamina-green", None))) == [("stamina", -1, 6)]
    fewer = replace(state, piles=replace(state.piles, timer=state.piles.timer - 1))
    assert wrong(holder.figures(cards, fewer, shown)) == [("timer", state.piles.timer, state.piles.timer - 1)]


def test_a_life_counter_elsewhere_is_found_if_it_lies_on_the_mat() -> None:
    holder, cards, state, shown = dealt("runes")
    assert wrong(holder.figures(cards, state, moved(shown, "life-b", 4))) == [("life", 5, 12)]
    holder, cards, state, shown = dealt("runes", life_counter="own")
    assert "life" not in {figure.name for figure in holder.figures(cards, state, shown)}


def test_mismatches_are_counted_and_told() -> None:
    seconds = iter((10.0, 431.52))
    tally, other = (Tally(lambda: next(seconds)) for _ in range(2))
    tally.compare(
        (HiddenNumber("stamina", 3, 3), HiddenNumber("stamina", 2, 3), HiddenNumber("timer", 9, 9)), ("play", "lunge")
    )
    other.compare((HiddenNumber("timer", 8, 9),), ("stall",))
    tally = merge_tallies({0: tally, 12: pickle.loads(pickle.dumps(other))})  # as it comes from another process
    assert (dict(tally.compared), dict(tally.mismatches)) == ({"stamina": 2, "timer": 2}, {"stamina": 1, "timer": 1})
    assert tally.notes == [
        "match 0, 10.0 s: mismatch: stamina is 2, the referee says 3, after play lunge",
        "match 12, 431.5 s: mismatch: timer is 8, the referee says 9, after stall",
    ]
