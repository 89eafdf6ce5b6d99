"""The real cards of Dueling Runes: pile, hands and face-down cards."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec
from msgspec.structs import replace

from engine.draws import shuffle
from engine.game import Attempt, Words
from engine.runes import Runes
from engine.runes.cards import EXCUSE, Deck
from engine.runes.hands import DrawCard, Shuffle
from engine.runes.laying import Lay, RevealCard
from engine.runes.mat import DISCARDS, PILE, layout, life_zone
from engine.runes.match import HAND, State, living, people, pile, wizard_at
from engine.runes.order import Order
from engine.runes.solo import TurnUp
from engine.runes.specials import PRICES, Pay, runes_of
from engine.table import Layout, Seat
from referee_simulator.dealers import HiddenNumber, marked_cell


class CardLocations(msgspec.Struct, frozen=True):
    """Every card's place. pile: top first; discards: oldest first; laid: face-down card by seat."""

    pile: tuple[str, ...]
    discards: tuple[str, ...]
    hands: dict[Seat, tuple[str, ...]]
    laid: dict[Seat, str]
    seed: int
    shuffles: int = 0


def deal(deck: Deck, seats: tuple[Seat, ...], seed: int, excuse: str = "after") -> CardLocations:
    """Deal. excuse: "after" puts that card in the middle of the rest, "before" of the whole deck."""
    cards = shuffle(f"runes/{seed}/deal", tuple(name for name in deck if name != EXCUSE))
    if excuse == "before":
        cards = _with_excuse(cards)
    hands = {seat: cards[HAND * number : HAND * (number + 1)] for number, seat in enumerate(seats)}
    rest = cards[HAND * len(seats) :]
    return CardLocations(rest if excuse == "before" else _with_excuse(rest), (), hands, {}, seed)


def _with_excuse(cards: tuple[str, ...]) -> tuple[str, ...]:
    """Put the Excuse below half of the cards (R3)."""
    middle = len(cards) // 2
    return (*cards[:middle], EXCUSE, *cards[middle:])


def follow(
    table: CardLocations, before: State, seat: Seat, action: Order, after: State, *, laid: str | None = None
) -> CardLocations:
    """Return the cards after an action. laid: the card of a Lay. Raises KeyError unless it is in the hand."""
    match action:
        case Lay():
            if laid is None or laid not in table.hands[seat]:
                raise KeyError(f"which card of {seat}'s hand was laid?")
            table = replace(_spend(table, seat, laid), laid={**table.laid, seat: laid})
        case RevealCard():
            table = replace(table, laid={other: card for other, card in table.laid.items() if other != seat})
        case Pay(card):
            table = _spend(table, seat, card)
        case DrawCard():
            hands = {**table.hands, seat: (*table.hands[seat], table.pile[0])}
            table = replace(table, hands=hands, pile=table.pile[1:])
        case TurnUp():
            table = replace(table, pile=table.pile[1:])
        case Shuffle():
            return _reshuffle(table)
        case _:
            pass
    return _settle_discards(table, before, after)


def _spend(table: CardLocations, seat: Seat, card: str) -> CardLocations:
    hand = tuple(other for other in table.hands[seat] if other != card)
    return replace(table, hands={**table.hands, seat: hand})


def _settle_discards(table: CardLocations, before: State, after: State) -> CardLocations:
    dead = [w.seat for w in people(before) if wizard_at(after, w.seat).gone]
    buried = tuple(card for seat in dead for card in table.hands[seat])
    known = after.discards[len(before.discards) :]
    hands = {seat: () if seat in dead else hand for seat, hand in table.hands.items()}
    return replace(table, hands=hands, discards=(*table.discards, *buried, *known))


def _reshuffle(table: CardLocations) -> CardLocations:
    again = table.shuffles + 1
    cards = tuple(card for card in (*table.pile, *table.discards) if card != EXCUSE)
    pile = _with_excuse(shuffle(f"runes/{table.seed}/shuffle {again}", cards))
    return replace(table, pile=pile, discards=(), shuffles=again)


class RunesDealer:
    def __init__(self, game: Runes) -> None:
        self._game = game

    def deal(self, state: State, seats: tuple[Seat, ...], seed: int) -> CardLocations:
        return deal(self._game.deck, seats, seed, state.rules.excuse)

    def real(self, table: CardLocations, state: State, seat: Seat, words: Words) -> Words | None:
        fits = (words[depth] in self.honest(table, state, seat, words[:depth]) for depth in range(len(words)))
        return words if all(fits) else None

    def holds(self, table: CardLocations, state: State, seat: Seat, words: Words) -> bool:
        return words[0] in ("turn", "draw", "excuse") or self.real(table, state, seat, words) is not None

    def face_down_cards(
        self, table: CardLocations, state: State, seat: Seat, words: Words, chance: float
    ) -> tuple[str, ...]:
        if not isinstance(self._game.read(state, seat, words), Lay):
            return ()
        hand = table.hands[seat]
        return (hand[min(int(chance * len(hand)), len(hand) - 1)],)

    def follow(
        self, table: CardLocations, states: tuple[State, State], seat: Seat, words: Words, brought: tuple[str, ...]
    ) -> CardLocations:
        before, after = states
        action = self._game.read(before, seat, words)
        return follow(table, before, seat, action, after, laid=brought[0] if brought else None)

    def hand(self, table: CardLocations, seat: Seat) -> tuple[str, ...]:
        return table.hands.get(seat, ())

    def stacks(self, table: CardLocations) -> Mapping[str, tuple[str, ...]]:
        return {PILE: table.pile[::-1], DISCARDS: table.discards}

    def away(self, table: CardLocations) -> tuple[str, ...]:
        return tuple(card for hand in table.hands.values() for card in hand)

    def agrees(self, table: CardLocations, state: State) -> bool:
        held = {w.seat: len(w.hand) - bool(w.laid) for w in people(state)}
        counted = all(len(table.hands[seat]) == count for seat, count in held.items())
        return counted and len(table.pile) == pile(state)

    def figures(self, table: CardLocations, state: State, shown: Layout) -> tuple[HiddenNumber, ...]:
        here = living(state) if state.rules.life_counter == "mat" else ()
        return (
            HiddenNumber("pile", len(table.pile), pile(state)),
            HiddenNumber("discards", len(table.discards), len(state.discards) + len(state.buried)),
            *(HiddenNumber("hand", len(table.hands[wizard.seat]), wizard.held) for wizard in people(state)),
            *(HiddenNumber("life", marked_cell(shown, life_zone(wizard.seat)) + 1, wizard.life) for wizard in here),
        )

    def honest(self, table: CardLocations, state: State, seat: Seat, prefix: Words = ()) -> tuple[str, ...]:
        words = (choice.word for choice in self._game.choices(state, seat, prefix))
        return tuple(word for word in words if self._really(table, state, seat, (*prefix, word)))

    def _really(self, table: CardLocations, state: State, seat: Seat, words: Words) -> bool:  # noqa: PLR0911 -- one line a verb
        match words:
            case ("reveal", card):
                return table.laid[seat] == card
            case ("turn", *card):
                return card in ([], [table.pile[0]]) and table.pile[0] != EXCUSE
            case ("pay", *card):
                return self._pays(table, state, seat, card)
            case ("counter" | "mirror" as special, *_):
                return len(runes_of(state, table.hands[seat])) >= PRICES[special]
            case ("draw",):
                return table.pile[0] != EXCUSE
            case ("excuse",):
                return table.pile[0] == EXCUSE
            case _:
                return True

    def _pays(self, table: CardLocations, state: State, seat: Seat, card: list[str]) -> bool:
        useful = [c.word for c in self._game.choices(state, seat, ("pay",)) if c.word in table.hands[seat]]
        return bool(useful) if not card else card[0] in useful

    def cheats(self, table: CardLocations, state: State, seat: Seat) -> Iterator[Attempt]:
        lying = {piece.kind for zone in layout(state).zones for piece in zone.pieces if piece is not None}
        own = {*table.hands.get(seat, ()), *((table.laid[seat],) if seat in table.laid else ())}
        for attempt in self._game.attempts(state):
            shown = {p.kind for zone in attempt.trace.layout.zones for p in zone.pieces if p is not None and p.kind}
            hidden = set(state.discards) | {queued.card for w in state.wizards for queued in w.sequence}
            if attempt.by == seat and shown - lying - hidden <= own:
                yield attempt
