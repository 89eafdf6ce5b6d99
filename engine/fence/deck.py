"""The deck as data: 54 cards, each value with its source, and what the rules force of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Literal

import msgspec

from engine.fence.cards import KINDS, ONE_DISTANCE, PLAIN, PRICE, Face
from engine.text import Text, say

SourceName = Literal["seed", "owner", "assumed"]
"""Where a value comes from: the rulebook, the owner of a real deck, or our guess."""

TOTALS = {"tutorial": 41, "basic": 35, "advanced": 54}
"""Cards of each mode."""

OF_MODE = "F1"
"""The clause that says which cards a mode uses."""

FORCED: dict[str, tuple[int, ...]] = {
    "straight-thrust": (3, 3, 4, 5, 6),
    "beat-thrust": (4, 5),
    "flick": (4, 5),
    "parry-riposte": (4, 5, 6),
    "ceding-parry": (4, 4),
    "stop-hit": (4, 5, 6),
}
"""Speeds that the texts force to occur among a kind's copies (section 1 of the rules)."""

_MARKS = {mark: mark.replace("_t", "_T").replace("_b", "_B") for mark in ("mark_t", "mark_b")}
_NAMES = _MARKS | {f"{mark}_source": f"{name}_source" for mark, name in _MARKS.items()}


class Card(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, rename=_NAMES):
    """One copy. speed: None if the kind has none. sp: stamina points. mark_t, mark_b: used in tutorial and basic mode.

    In data the marks are written as on the cards: mark_T, mark_B.
    """

    id: str
    kind: str
    speed: int | None = None
    speed_source: SourceName
    sp: int
    sp_source: SourceName
    mark_t: bool
    mark_t_source: SourceName
    mark_b: bool
    mark_b_source: SourceName
    mandatory: bool = False


class Deck(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All cards."""

    cards: tuple[Card, ...]


class Fault(msgspec.Struct, frozen=True):
    """Something in a deck that the rules exclude: which mode, kind or copy, and what is wrong."""

    clause: str
    where: str
    problem: Text


def read_deck(data: Mapping[str, Any]) -> Deck:
    """The deck of config/decks/fence.toml. Raises msgspec.ValidationError."""
    return msgspec.convert({"cards": data["cards"]}, Deck)


def cards_of(deck: Deck, mode: str) -> tuple[Card, ...]:
    """The cards that a mode uses."""
    return tuple(card for card in deck.cards if _used(card, mode))


def _used(card: Card, mode: str) -> bool:
    return {"tutorial": card.mark_t, "basic": card.mark_b}.get(mode, True)


def face_ids(deck: Deck) -> dict[str, str]:
    """For each copy the name of its face: `straight-thrust-4`, with `-sp1` where only the stamina tells faces apart.

    A card with the numbers of the yellow ones, itself not yellow, ends in `-plain` (F66).
    """
    prices: dict[tuple[str, int | None], set[int]] = {}
    yellow = {(card.kind, card.speed, card.sp) for card in deck.cards if card.mandatory}
    for card in deck.cards:
        prices.setdefault((card.kind, card.speed), set()).add(card.sp)
    return {
        card.id: _face_id(
            card,
            priced=len(prices[card.kind, card.speed]) > 1,
            plain=not card.mandatory and (card.kind, card.speed, card.sp) in yellow,
        )
        for card in deck.cards
    }


def names(card: Card) -> frozenset[str]:
    """The name of a card's face, with its stamina and without."""
    return frozenset({_face_id(card, priced=False), _face_id(card, priced=True)})


def _face_id(card: Card, priced: bool, plain: bool = False) -> str:
    speed = () if card.speed is None else (str(card.speed),)
    return "-".join((card.kind, *speed, *((f"sp{card.sp}",) if priced else ()), *((PLAIN,) if plain else ())))


def faces(deck: Deck, mode: str) -> dict[str, Face]:
    """The faces of a mode's deck, by name, in the order of the deck."""
    ids, used = face_ids(deck), cards_of(deck, mode)
    counts = Counter(ids[card.id] for card in used)
    found: dict[str, Face] = {}
    for card in used:
        face = ids[card.id]
        found.setdefault(face, Face(card.kind, card.speed, card.sp, counts[face], card.mandatory))
    return found


def edited(deck: Deck, card_id: str, changes: Mapping[str, int | bool | None]) -> Deck:
    """The deck with some values of one copy as its owner reads them. Raises KeyError for an unknown copy or value."""
    found = next((card for card in deck.cards if card.id == card_id), None)
    if found is None:
        raise KeyError(card_id)
    fields = {"speed", "sp", "mark_T", "mark_B"}
    if unknown := set(changes) - fields:
        raise KeyError(", ".join(sorted(unknown)))
    values = dict(changes) | {f"{name}_source": "owner" for name in changes}
    after = msgspec.convert(msgspec.to_builtins(found) | values, Card)
    return Deck(tuple(after if card.id == card_id else card for card in deck.cards))


def check(deck: Deck) -> tuple[Fault, ...]:
    """Everything that the rules and the card texts exclude; () if the deck can be played."""
    return (*_totals(deck), *_copies(deck), *_speeds(deck), *_mandatory(deck), *_prices(deck), *_marks(deck))


def _totals(deck: Deck) -> Iterator[Fault]:
    """54 cards, 41 marked T, 35 marked B."""
    for mode, total in TOTALS.items():
        count = len(cards_of(deck, mode))
        if count != total:
            clause = "F62" if mode == "basic" else OF_MODE
            yield Fault(clause, mode, say("{count} cards instead of {total}", count=count, total=total))
    for card_id, count in Counter(card.id for card in deck.cards).items():
        if count > 1:
            yield Fault(OF_MODE, card_id, say("the id occurs more than once"))


def _copies(deck: Deck) -> Iterator[Fault]:
    found = Counter(card.kind for card in deck.cards)
    for name, kind in KINDS.items():
        if found[name] != kind.copies:
            problem = say("{count} copies instead of {total}", count=found[name], total=kind.copies)
            yield Fault(kind.clause, name, problem)
    for name in sorted(set(found) - set(KINDS)):
        yield Fault(OF_MODE, name, say("there is no such kind"))


def _speeds(deck: Deck) -> Iterator[Fault]:
    """Speeds 1 to 9 where a kind has one, and those that its text names."""
    for card in deck.cards:
        timed = card.kind in KINDS and KINDS[card.kind].timed
        if timed and not (card.speed is not None and 1 <= card.speed <= 9):
            yield Fault("F34", card.id, say("a speed from 1 to 9 is needed"))
        if not timed and card.speed is not None:
            yield Fault("F34", card.id, say("this kind has no speed"))
    for kind, wanted in FORCED.items():
        missing = Counter(wanted) - Counter(card.speed or 0 for card in deck.cards if card.kind == kind)
        if missing:
            speeds = ", ".join(str(speed) for speed in sorted(missing.elements()))
            yield Fault(KINDS[kind].clause, kind, say("its text names speed {speeds}", speeds=speeds))


def _mandatory(deck: Deck) -> Iterator[Fault]:
    """F66: the two yellow Straight Thrusts of speed 3, marked B."""
    yellow = [card for card in deck.cards if card.mandatory]
    right = [card for card in yellow if card.kind == "straight-thrust" and card.speed == 3 and card.mark_b]
    if len(yellow) != 2 or len(right) != 2:
        yield Fault("F66", "straight-thrust", say("two yellow cards of speed 3 that carry the mark B are needed"))
    elif len({face_ids(deck)[card.id] for card in right}) != 1:
        yield Fault("F66", "straight-thrust", say("the two yellow cards must show the same numbers"))


def _prices(deck: Deck) -> Iterator[Fault]:
    """What no stamina track can pay can never be played."""
    for card in deck.cards:
        if not 0 <= card.sp <= 6:
            yield Fault(PRICE, card.id, say("stamina points from 0 to 6 are needed"))


def _marks(deck: Deck) -> Iterator[Fault]:
    """Feint is for the advanced mode; what needs another distance than one square is no tutorial card."""
    for card in deck.cards:
        if card.kind == "feint" and (card.mark_t or card.mark_b):
            yield Fault(KINDS["feint"].clause, card.id, say("it is used in the advanced mode only"))
        if card.kind in ("infighting", "fleche") and card.mark_t:
            yield Fault(ONE_DISTANCE, card.id, say("it cannot be played at the tutorial's only distance"))
