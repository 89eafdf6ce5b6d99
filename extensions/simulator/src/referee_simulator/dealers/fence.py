"""The real cards of Ready... Fence!: hands, piles and the timer deck."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from engine.draws import shuffle
from engine.fence import Fence
from engine.fence.bout import Order, Stage, State, side_of
from engine.fence.cards import UNKNOWN
from engine.fence.clearing import Clear, goes_for_good, refill_order
from engine.fence.hands import Mulligan, may_be_drawn, may_go, one_yellow, yellow_cards
from engine.fence.phrase import Clearing
from engine.fence.play import Distance
from engine.fence.table import DISCARD, TIMER, track
from engine.fence.turn import Exchange, Stall
from engine.game import Words
from engine.table import Layout, Seat
from referee_simulator.dealers import HiddenNumber, marked_cell

Names = tuple[str, ...]


class Cards(msgspec.Struct, frozen=True):
    """Every card by its face.

    hands, lanes: of green and red
    timer: top first
    discards: oldest first
    seed, steps: of the deal, and actions since"""

    hands: tuple[Names, Names]
    timer: Names
    aside: Names
    lanes: tuple[Names, Names] = ((), ())
    discards: Names = ()
    seed: int = 0
    steps: int = 0


def deal(state: State, seed: int) -> Cards:
    """Deal; each side gets a yellow card if there are two."""
    deck = [name for name, face in state.pool.items() for _ in range(face.count)]
    cards = Cards(((), ()), (), (), seed=seed)
    yellow = _shuffle(cards, yellow_cards(state), "yellow")
    if len(yellow) > 1:
        cards = replace(cards, hands=(yellow[:1], yellow[1:2]))
    for name in (*cards.hands[0], *cards.hands[1]):
        deck.remove(name)
    return _deal(state, cards, _shuffle(cards, deck, "deal"))


def _deal(state: State, cards: Cards, deck: Names) -> Cards:
    hands = list(cards.hands)
    for side in (0, 1):
        missing = state.fencers[side].hand - len(hands[side])
        hands[side], deck = (*hands[side], *deck[:missing]), deck[missing:]
    timer = state.piles.timer
    return replace(cards, hands=(hands[0], hands[1]), timer=deck[:timer], aside=deck[timer:])


def _shuffle(cards: Cards, pile: Iterable[str], purpose: str) -> Names:
    return shuffle(f"fence/{cards.seed}/{cards.steps}/{purpose}", tuple(pile))


def may(cards: Cards, state: State, side: int, action: Order) -> bool:
    hand = cards.hands[side]
    match action:
        case Exchange(card):
            return card in hand and may_go(state, hand, card)
        case Distance(card):
            return card in hand and may_be_drawn(state, hand, card)
        case Stall(card):
            return cards.timer[:1] == (card,)
        case _:
            return not Counter(action.cards()) - Counter(hand)


def name_card(cards: Cards, state: State, side: int, action: Order) -> Order:
    """Replace "?" by a real card, drawn blind from hand or timer deck; keep it if none may leave."""
    match action:
        case Stall(card) if card == UNKNOWN and cards.timer:
            return Stall(cards.timer[0])
        case Distance(card) if card == UNKNOWN:
            hand = cards.hands[side]
            for name in one_yellow(state, hand):
                hand = _without(hand, name)
            return Distance(_any_of(cards, hand, "blind"))
        case Exchange(card) if card == UNKNOWN:
            fit = tuple(name for name in cards.hands[side] if may_go(state, cards.hands[side], name))
            return Exchange(_any_of(cards, fit, "exchange"))
        case _:
            return action


def _any_of(cards: Cards, pile: Names, purpose: str) -> str:
    return _shuffle(cards, pile, purpose)[0] if pile else UNKNOWN


def carry(cards: Cards, before: State, side: int, action: Order, after: State) -> Cards:
    """Return the cards after an accepted action that names real cards. Raises ValueError if one is not in the hand."""
    cards = replace(cards, steps=cards.steps + 1)
    if isinstance(action, Mulligan):
        return _new_hand(cards, before, side)
    moved = _move_cards(cards, side, action)
    if isinstance(action, Clear) and isinstance(before.phase, Clearing):
        moved = _clear_lanes(moved, before, before.phase, after)
    elif len(moved.timer) > after.piles.timer and after.period == before.period:
        moved = _throw_top(moved)
    return _reshuffle(moved, before, after)


def _new_hand(cards: Cards, state: State, side: int) -> Cards:
    kept = one_yellow(state, cards.hands[side])
    back = list(cards.hands[side])
    for name in kept:
        back.remove(name)
    hands = (kept, cards.hands[1]) if side == 0 else (cards.hands[0], kept)
    deck = _shuffle(cards, (*back, *cards.timer, *cards.aside), "mulligan")
    return _deal(state, replace(cards, hands=hands), deck)


def _move_cards(cards: Cards, side: int, action: Order) -> Cards:
    match action:
        case Exchange(card) | Distance(card):
            hand = _without(cards.hands[side], card)
            drawn = cards.timer[:1]
            return replace(
                _with_hand(cards, side, (*hand, *drawn)),
                timer=cards.timer[1:],
                discards=(*cards.discards, card),
            )
        case Stall():
            return _throw_top(cards)
        case _:
            laid = action.cards()
            hand = cards.hands[side]
            for card in laid:
                hand = _without(hand, card)
            lanes = list(cards.lanes)
            lanes[side] = (*lanes[side], *laid)
            return replace(_with_hand(cards, side, hand), lanes=(lanes[0], lanes[1]))


def _throw_top(cards: Cards) -> Cards:
    return replace(cards, timer=cards.timer[1:], discards=(*cards.discards, *cards.timer[:1]))


def _clear_lanes(cards: Cards, before: State, clearing: Clearing, after: State) -> Cards:
    gone: list[str] = []
    for side in (0, 1):
        lost = [name for name in cards.lanes[side] if goes_for_good(before, name)]
        kept = [name for name in cards.lanes[side] if name not in lost]
        cards = _with_hand(cards, side, (*cards.hands[side], *kept))
        gone += lost
    cards = replace(cards, lanes=((), ()), discards=(*cards.discards, *gone))
    for side in refill_order(before, clearing):
        missing = max(0, after.fencers[side].hand - len(cards.hands[side]))
        cards = replace(
            _with_hand(cards, side, (*cards.hands[side], *cards.timer[:missing])), timer=cards.timer[missing:]
        )
    same = after.period == before.period and after.stage is before.stage
    return _throw_top(cards) if same and len(cards.timer) > after.piles.timer else cards


def _reshuffle(cards: Cards, before: State, after: State) -> Cards:
    """Build the timer deck of a new period from all cards outside hands; of overtime with those set aside last."""
    if after.period != before.period:
        deck = _shuffle(cards, (*cards.timer, *cards.discards, *cards.aside), "period")
        return replace(cards, timer=deck[: after.piles.timer], aside=deck[after.piles.timer :], discards=())
    if after.stage is Stage.OVERTIME and before.stage is not Stage.OVERTIME:
        first = _shuffle(cards, (*cards.timer, *cards.discards), "overtime")
        deck = (*first, *_shuffle(cards, cards.aside, "set aside"))
        return replace(cards, timer=deck[: after.piles.timer], aside=deck[after.piles.timer :], discards=())
    return cards


def _without(cards: Sequence[str], name: str) -> Names:
    rest = list(cards)
    rest.remove(name)
    return tuple(rest)


def _with_hand(cards: Cards, side: int, hand: Names) -> Cards:
    return replace(cards, hands=(hand, cards.hands[1]) if side == 0 else (cards.hands[0], hand))


def agrees(cards: Cards, state: State) -> bool:
    for side, fencer in enumerate(state.fencers):
        if len(cards.hands[side]) != fencer.hand or Counter(fencer.known) - Counter(cards.hands[side]):
            return False
        if Counter(cards.lanes[side]) != Counter(fencer.lane):
            return False
    piles = state.piles
    if (len(cards.timer), len(cards.aside), len(cards.discards)) != (piles.timer, piles.aside, len(piles.discards)):
        return False
    return all(seen in (UNKNOWN, card) for seen, card in zip(piles.discards, cards.discards, strict=True))


class FenceDealer:
    def __init__(self, game: Fence) -> None:
        self._game = game

    def deal(self, state: State, seats: tuple[Seat, ...], seed: int) -> Cards:
        del seats
        return deal(state, seed)

    def real(self, table: Cards, state: State, seat: Seat, words: Words) -> Words | None:
        side = side_of(state, seat)
        action = name_card(table, state, side, self._game.read(state, seat, words))
        if not may(table, state, side, action) or action.judge(state, seat):
            return None
        return action.notation(state)

    def holds(self, table: Cards, state: State, seat: Seat, words: Words) -> bool:
        if words[0] == "stall":
            return words[1] == UNKNOWN  # nobody knows the card before it is thrown
        return self.real(table, state, seat, words) is not None

    def face_down_cards(self, table: Cards, state: State, seat: Seat, words: Words, chance: float) -> tuple[str, ...]:
        del table, state, seat, words, chance
        return ()

    def follow(
        self, table: Cards, states: tuple[State, State], seat: Seat, words: Words, brought: tuple[str, ...]
    ) -> Cards:
        before, after = states
        del brought
        action = self._game.read(before, seat, words)
        return carry(table, before, side_of(before, seat), action, after)

    def hand(self, table: Cards, seat: Seat) -> tuple[str, ...]:
        return table.hands[0 if seat == "a" else 1]

    def stacks(self, table: Cards) -> Mapping[str, tuple[str, ...]]:
        return {TIMER: table.timer[::-1], DISCARD: table.discards}

    def away(self, table: Cards) -> tuple[str, ...]:
        return (*table.hands[0], *table.hands[1], *table.aside)

    def agrees(self, table: Cards, state: State) -> bool:
        return agrees(table, state)

    def figures(self, table: Cards, state: State, shown: Layout) -> tuple[HiddenNumber, ...]:
        piles = state.piles
        return (
            HiddenNumber("timer", len(table.timer), piles.timer),
            HiddenNumber("discards", len(table.discards), len(piles.discards)),
            HiddenNumber("set aside", len(table.aside), piles.aside),
            *(HiddenNumber("stamina", marked_cell(shown, track(side)), state.fencers[side].stamina) for side in (0, 1)),
            *(HiddenNumber("hand", len(table.hands[side]), state.fencers[side].hand) for side in (0, 1)),
        )
