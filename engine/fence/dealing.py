"""Implements `engine.dealer.Dealer` for Ready... Fence!."""

from __future__ import annotations

from collections.abc import Mapping

from engine.dealer import Figure, marked
from engine.fence import dealer
from engine.fence.dealer import Cards
from engine.fence.game import Fence
from engine.fence.judge import judge
from engine.fence.reading import words_of
from engine.fence.state import State, side_of
from engine.fence.traces import DISCARD, TIMER, track
from engine.game import Words
from engine.table import Layout, Seat


class FenceDealer:
    """See `engine.dealer.Dealer` for what each method does."""

    def __init__(self, game: Fence) -> None:
        self._game = game

    def deal(self, state: State, seats: tuple[Seat, ...], seed: int) -> Cards:
        del seats
        return dealer.deal(state, seed)

    def real(self, table: Cards, state: State, seat: Seat, words: Words) -> Words | None:
        side = side_of(state, seat)
        action = dealer.named(table, state, side, self._game.read(state, seat, words))
        if not dealer.may(table, state, side, action) or judge(state, seat, action):
            return None
        return words_of(state, action)

    def brought(self, table: Cards, state: State, seat: Seat, words: Words, chance: float) -> tuple[str, ...]:
        """No card is laid face down."""
        del table, state, seat, words, chance
        return ()

    def follow(
        self, table: Cards, states: tuple[State, State], seat: Seat, words: Words, brought: tuple[str, ...]
    ) -> Cards:
        before, after = states
        del brought
        action = self._game.read(before, seat, words)
        return dealer.carry(table, before, side_of(before, seat), action, after)

    def hand(self, table: Cards, seat: Seat) -> tuple[str, ...]:
        return table.hands[0 if seat == "a" else 1]

    def stacks(self, table: Cards) -> Mapping[str, tuple[str, ...]]:
        return {TIMER: table.timer[::-1], DISCARD: table.discards}

    def away(self, table: Cards) -> tuple[str, ...]:
        return (*table.hands[0], *table.hands[1], *table.aside)

    def agrees(self, table: Cards, state: State) -> bool:
        return dealer.agrees(table, state)

    def figures(self, table: Cards, state: State, shown: Layout) -> tuple[Figure, ...]:
        piles = state.piles
        return (
            Figure("timer", len(table.timer), piles.timer),
            Figure("discards", len(table.discards), len(piles.discards)),
            Figure("set aside", len(table.aside), piles.aside),
            *(Figure("stamina", marked(shown, track(side)), state.fencers[side].stamina) for side in (0, 1)),
            *(Figure("hand", len(table.hands[side]), state.fencers[side].hand) for side in (0, 1)),
        )
