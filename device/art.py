"""The artwork of the pieces (config/art): symbols and cards for printing, the browser and the simulated camera."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

import msgspec

from device.resources import load_shipped

SYMBOL = 0.78
"""The symbol's square against the face's diameter."""

INK = "#000000"


class ArtShape(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A polygon, or a disc (centre x, y and radius), in a square of 100 x 100, painted in ink or in paper."""

    fill: Literal["ink", "paper"]
    points: tuple[tuple[float, float], ...] = ()
    circle: tuple[float, float, float] | None = None


class Drawing(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One symbol: its figures, painted in order. ink: its colour, #rrggbb."""

    kind: str
    shapes: tuple[ArtShape, ...]
    ink: str = INK


class CardArt(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What stands on a card. title: a message in English. symbols: kinds of drawings of the same file.

    corner: a few characters, large. bands: its colours. notes: short words below the corner. copies: in the deck.
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
    """The symbols of a piece set by kind. Raises as `load_shipped`."""
    return {drawing.kind: drawing for drawing in _file(name).stone}


@lru_cache
def cards(name: str) -> dict[str, CardArt]:
    """The cards of a piece set by kind; none if its pieces are no cards. Raises as `drawings`."""
    return {card.kind: card for card in _file(name).card}


def card(name: str, kind: str) -> CardArt:
    """Return a card's drawing. A card that its owner corrected is called by its kind and by what is printed there, such
    as `feint-4-sp2`: it looks like its nearest relation, with a number alone in the corner and one with letters among
    the notes. Raises KeyError for an unknown kind, and as `drawings`."""
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
    """Return how many first words two names have in common."""
    return next((at for at, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), min(len(one), len(two)))
