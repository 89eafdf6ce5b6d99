"""Loads artwork of pieces (config/art) for printing, browser and simulator."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

import msgspec

from device.resources import load_shipped

SYMBOL = 0.78
"""Symbol's square relative to the face's diameter."""

INK = "#000000"


class ArtShape(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A polygon or disc (x, y, radius) in a 100 x 100 square."""

    fill: Literal["ink", "paper"]
    points: tuple[tuple[float, float], ...] = ()
    circle: tuple[float, float, float] | None = None


class Drawing(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A symbol's shapes in painting order. ink: #rrggbb."""

    kind: str
    shapes: tuple[ArtShape, ...]
    ink: str = INK


class CardArt(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A card's content. title: in English. symbols: kinds of drawings.

    corner: few large characters.
    bands: colours.
    notes: below the corner.
    copies: in the deck.
    """

    kind: str
    title: str
    corner: str = ""
    symbols: tuple[str, ...] = ()
    bands: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    copies: int = 1


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    stone: tuple[Drawing, ...] = ()
    card: tuple[CardArt, ...] = ()


@lru_cache
def _file(name: str) -> _File:
    return load_shipped(_File, "art", f"{name}.toml")


@lru_cache
def drawings(name: str = "stones") -> dict[str, Drawing]:
    """Return a set's symbols by kind. Raises as `load_shipped`."""
    return {drawing.kind: drawing for drawing in _file(name).stone}


@lru_cache
def cards(name: str) -> dict[str, CardArt]:
    """Return a set's cards by kind. Raises as `drawings`."""
    return {card.kind: card for card in _file(name).card}


def card(name: str, kind: str) -> CardArt:
    """Return a card's content; for a corrected one, such as `feint-4-sp2`, its closest relative's with the changed
    numbers. Raises KeyError if it has none, and as `drawings`."""
    known, called = cards(name), kind.split("-")
    if kind in known:
        return known[kind]
    relation = max(known.values(), key=lambda each: _alike(each.kind.split("-"), called), default=None)
    if relation is None or not _alike(relation.kind.split("-"), called):
        raise KeyError(kind)
    corner, notes = relation.corner, relation.notes
    for word in called:
        letters, digits = word.rstrip("0123456789").upper(), word.lstrip("abcdefghijklmnopqrstuvwxyz")
        if word.isdecimal():
            corner = word
        elif letters and digits.isdecimal():
            notes = (f"{letters} {digits}", *(note for note in notes if note.split()[0] != letters))
    return msgspec.structs.replace(relation, kind=kind, corner=corner, notes=notes)


def _alike(one: list[str], two: list[str]) -> int:
    return next((at for at, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), min(len(one), len(two)))
