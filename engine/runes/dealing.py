"""Implements `engine.dealer.Dealer` for Dueling Runes."""

from __future__ import annotations

from collections.abc import Mapping

from engine.dealer import Figure, marked
from engine.game import Words
from engine.runes import dealer
from engine.runes.actions import Lay
from engine.runes.dealer import Table
from engine.runes.game import Runes
from engine.runes.state import State, living, people, pile
from engine.runes.tabletop import DISCARDS, PILE, life_zone
from engine.table import Layout, Seat


class RunesDealer:
    """See `engine.dealer.Dealer` for what each method does."""

    def __init__(self, game: Runes) -> None:
        self._game = game

    def deal(self, state: State, seats: tuple[Seat, ...], seed: int) -> Table:
        return dealer.deal(self._game.deck, seats, seed, state.rules.excuse)

    def real(self, table: Table, state: State, seat: Seat, words: Words) -> Words | None:
        fits = (words[depth] in dealer.honest(table, state, seat, words[:depth]) for depth in range(len(words)))
        return words if all(fits) else None

    def brought(self, table: Table, state: State, seat: Seat, words: Words, chance: float) -> tuple[str, ...]:
        if not isinstance(self._game.read(state, seat, words), Lay):
            return ()
        hand = table.hands[seat]
        return (hand[min(int(chance * len(hand)), len(hand) - 1)],)

    def follow(
        self, table: Table, states: tuple[State, State], seat: Seat, words: Words, brought: tuple[str, ...]
    ) -> Table:
        before, after = states
        action = self._game.read(before, seat, words)
        return dealer.followed(table, before, seat, action, after, laid=brought[0] if brought else None)

    def hand(self, table: Table, seat: Seat) -> tuple[str, ...]:
        return table.hands.get(seat, ())

    def stacks(self, table: Table) -> Mapping[str, tuple[str, ...]]:
        return {PILE: table.pile[::-1], DISCARDS: table.discards}

    def away(self, table: Table) -> tuple[str, ...]:
        return tuple(card for hand in table.hands.values() for card in hand)

    def agrees(self, table: Table, state: State) -> bool:
        held = {w.seat: len(w.hand) - bool(w.laid) for w in people(state)}
        counted = all(len(table.hands[seat]) == count for seat, count in held.items())
        return counted and len(table.pile) == pile(state)

    def figures(self, table: Table, state: State, shown: Layout) -> tuple[Figure, ...]:
        here = living(state) if state.rules.life_counter == "mat" else ()
        return (
            Figure("pile", len(table.pile), pile(state)),
            Figure("discards", len(table.discards), len(state.discards) + len(state.buried)),
            *(Figure("hand", len(table.hands[wizard.seat]), wizard.held) for wizard in people(state)),
            *(Figure("life", marked(shown, life_zone(wizard.seat)) + 1, wizard.life) for wizard in here),
        )
