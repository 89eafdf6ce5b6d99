"""The real cards: pile, hands and what lies face down, as a table has them and the referee does not.

For simulated players and tests. No state of a match holds a `Table`; it is moved along beside the match.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec
from msgspec.structs import replace

from engine.draws import shuffled
from engine.game import Attempt, Words
from engine.runes.actions import Action, Draw, Lay, Pay, Reveal, Shuffle, Turn
from engine.runes.attempts import attempts
from engine.runes.cards import EXCUSE, Deck
from engine.runes.casting import targets
from engine.runes.choices import choices
from engine.runes.hands import runes_of
from engine.runes.judge import judge
from engine.runes.reading import read
from engine.runes.spells import PRICES, of_rune
from engine.runes.state import HAND, Casting, State, people, wizard_at
from engine.runes.tabletop import layout
from engine.table import Seat

EVIDENCE: Mapping[str, str] = {
    "laid out of turn": "a face-down card on a spot while no card is due there",
    "fifth card kept": "a card laid before a sequence that still holds four",
    "other card discarded": "a card other than the oldest, or than the one announced, on the discards",
    "drew too many": "the pile's top card taken by a hand that is not due",
    "life counter moved": "a life counter on another cell than the referee's number",
    "life counter misplaced": "a life counter one cell beside where an order moves it",
    "revealed early": "a card turned up while others still lay theirs",
    "impossible card": "a revealed card that went back into the pile after the hand's last draw",
    "other card revealed": "another face than the one that was announced",
    "card exchanged": "another face at the end of a sequence than the one revealed",
    "second card": "a card more at the end of a sequence than was laid",
    "turned up again": "a face where Forgetfulness turned a card down",
    "card taken back": "a card less in a sequence",
    "discarded unasked": "a new card on the discards while no special spell is paid",
    "useless payment": "a card on the discards that cannot count for the payment",
    "discard taken": "the top card of the discards gone",
    "rune used again": "an order with an energy rune that powered a spell this turn: refused at the buttons",
    "cast without rune": "an order with energy that does not lie open in the sequence: refused at the buttons",
}
"""Every kind of cheat, and what reveals it."""


class Table(msgspec.Struct, frozen=True):
    """Where every card really is. pile: top first. discards: oldest first. laid: face-down cards by their seat."""

    pile: tuple[str, ...]
    discards: tuple[str, ...]
    hands: dict[Seat, tuple[str, ...]]
    laid: dict[Seat, str]
    seed: int
    shuffles: int = 0


def deal(deck: Deck, seats: tuple[Seat, ...], seed: int, excuse: str = "after") -> Table:
    """R2-R4: the Excuse goes to the middle of what is left after dealing, or of the deck before it (`excuse`)."""
    cards = shuffled(f"runes/{seed}/deal", tuple(name for name in deck if name != EXCUSE))
    if excuse == "before":
        cards = _with_excuse(cards)
    hands = {seat: cards[HAND * number : HAND * (number + 1)] for number, seat in enumerate(seats)}
    rest = cards[HAND * len(seats) :]
    return Table(rest if excuse == "before" else _with_excuse(rest), (), hands, {}, seed)


def _with_excuse(cards: tuple[str, ...]) -> tuple[str, ...]:
    """R3: half of the cards lie above it."""
    middle = len(cards) // 2
    return (*cards[:middle], EXCUSE, *cards[middle:])


def followed(
    table: Table, before: State, seat: Seat, action: Action, after: State, *, laid: str | None = None
) -> Table:
    """The table after an action was carried out. laid: the card that a Lay put down; raises KeyError without it."""
    match action:
        case Lay():
            if laid is None or laid not in table.hands[seat]:
                raise KeyError(f"which card of {seat}'s hand was laid?")
            table = replace(_spent(table, seat, laid), laid={**table.laid, seat: laid})
        case Reveal():
            table = replace(table, laid={other: card for other, card in table.laid.items() if other != seat})
        case Pay(card):
            table = _spent(table, seat, card)
        case Draw():
            hands = {**table.hands, seat: (*table.hands[seat], table.pile[0])}
            table = replace(table, hands=hands, pile=table.pile[1:])
        case Turn():
            table = replace(table, pile=table.pile[1:])
        case Shuffle():
            return _reshuffled(table)
        case _:
            pass
    return _settled(table, before, after)


def _spent(table: Table, seat: Seat, card: str) -> Table:
    hand = tuple(other for other in table.hands[seat] if other != card)
    return replace(table, hands={**table.hands, seat: hand})


def _settled(table: Table, before: State, after: State) -> Table:
    """Discards as the referee saw them; hands of the dead below them (R59)."""
    dead = [w.seat for w in people(before) if wizard_at(after, w.seat).gone]
    buried = tuple(card for seat in dead for card in table.hands[seat])
    known = after.discards[len(before.discards) :]
    hands = {seat: () if seat in dead else hand for seat, hand in table.hands.items()}
    return replace(table, hands=hands, discards=(*table.discards, *buried, *known))


def _reshuffled(table: Table) -> Table:
    """R58."""
    again = table.shuffles + 1
    cards = tuple(card for card in (*table.pile, *table.discards) if card != EXCUSE)
    pile = _with_excuse(shuffled(f"runes/{table.seed}/shuffle {again}", cards))
    return replace(table, pile=pile, discards=(), shuffles=again)


def honest(table: Table, state: State, seat: Seat, prefix: Words = ()) -> tuple[str, ...]:
    """The next words that the real cards allow, out of those that the referee would accept."""
    words = (choice.word for choice in choices(state, seat, prefix))
    return tuple(word for word in words if _really(table, state, seat, (*prefix, word)))


def _really(table: Table, state: State, seat: Seat, words: Words) -> bool:  # noqa: PLR0911 -- one line a verb
    match words:
        case ("reveal", card):
            return table.laid[seat] == card
        case ("turn", *card):
            return card in ([], [table.pile[0]]) and table.pile[0] != EXCUSE
        case ("pay", *card):
            return _pays(table, state, seat, card)
        case ("counter" | "mirror" as special, *_):
            return len(runes_of(state, table.hands[seat])) >= PRICES[special]
        case ("draw",):
            return table.pile[0] != EXCUSE
        case ("excuse",):
            return table.pile[0] == EXCUSE
        case _:
            return True


def _pays(table: Table, state: State, seat: Seat, card: list[str]) -> bool:
    """A card of the hand with which the rest of it can still complete the payment."""
    useful = [c.word for c in choices(state, seat, ("pay",)) if c.word in table.hands[seat]]
    return bool(useful) if not card else card[0] in useful


def cheats(table: Table, state: State, seat: Seat) -> Iterator[Attempt]:
    """What this seat could do wrongly with the cards that it really has."""
    lying = {piece.kind for zone in layout(state).zones for piece in zone.pieces if piece is not None}
    own = {*table.hands.get(seat, ()), *((table.laid[seat],) if seat in table.laid else ())}
    for attempt in attempts(state):
        shown = {p.kind for zone in attempt.trace.layout.zones for p in zone.pieces if p is not None and p.kind}
        hidden = set(state.discards) | {queued.card for w in state.wizards for queued in w.sequence}
        if attempt.by == seat and shown - lying - hidden <= own:
            yield attempt


def spoken(state: State, seat: Seat) -> Iterator[tuple[str, Words]]:
    """Orders that the buttons refuse: runes used before, and energy that is not there (R13, R15)."""
    if not isinstance(state.phase, Casting) or seat not in state.phase.slots[0].seats:
        return
    wizard = wizard_at(state, seat)
    lying = {queued.card for queued in wizard.sequence}
    for spell in of_rune(state.phase.slots[0].rune):
        aims = targets(state, seat, spell)
        if spell.suit is None or not aims:
            continue
        at = () if spell.rune == "moons" else aims[:1]
        used = [name for name, suit in wizard.used if suit == spell.suit and name in lying]
        absent = [name for name, card in state.deck.items() if name not in lying and spell.suit in card.suits]
        for kind, cards in (("rune used again", used), ("cast without rune", absent)):
            for card in cards:
                words = ("cast", spell.name, *at, card)
                if judge(state, seat, read(state, seat, words)):
                    yield kind, words
