"""A sheet as data: all that one audience may know and tap, before language and layout. What a phone's page is made of.

`device.screens.screen` is the same for a display with buttons. `wire` puts a sheet into one language, as plain strings
and numbers; a page adds nothing to it and hides nothing of it.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import msgspec

from device.locale import translate
from engine.text import Text, say
from engine.view import Cells, Gauge, Glyphs, Line, Panel, Ring, Score

MOST_TOLD = 60
"""Told lines of a sheet, the newest."""

Box: TypeAlias = "tuple[float, float, float, float]"
"""x, y, width and height in millimetres on the mat; its top-left corner is the origin, y counts downwards."""


class Touches(msgspec.Struct, frozen=True):
    """The pieces and places of the mat that choose a line, each as its zone and 0-based index. Pieces come first, in
    any order; the places are where they go."""

    pieces: tuple[tuple[str, int], ...] = ()
    places: tuple[tuple[str, int], ...] = ()


class AnswerList(msgspec.Struct, frozen=True):
    """A list of which one line may be tapped.

    serial: a counter of this audience, raised whenever what a tap would decide changes; a tap names it. asks: the
    question in words. path: what was chosen on the way here. back: one step back is possible. touches: of each line;
    () while the board cannot choose.
    """

    serial: int = 0
    asks: Text | None = None
    path: tuple[Text, ...] = ()
    lines: tuple[Text, ...] = ()
    back: bool = False
    touches: tuple[Touches, ...] = ()


class PlayerView(msgspec.Struct, frozen=True):
    """Somebody who plays. side: what the game calls them by their pieces. turn: may act now. phone: holds a phone."""

    seat: str
    name: Text
    side: Text | None
    turn: bool
    phone: bool


class ClockView(msgspec.Struct, frozen=True):
    """One clock. Exactly one of them is there: `left_s`, the seconds that are left while it stands; `ends`, the moment
    on the daemon's clock at which it is up if it runs on. So a sheet stays the same while a clock runs. short_s: with
    so many seconds left it is shown to be short."""

    seat: str
    of: Text
    short_s: float
    left_s: float | None = None
    ends: float | None = None


class ZoneView(msgspec.Struct, frozen=True):
    """A zone of the mat. order: how its pieces are numbered (`engine.table.Arrangement`). cells: boxes of its cells, if
    it has any. direction: degrees clockwise in which a row counts up, 0 from left to right."""

    zone: str
    title: Text
    order: str
    box: Box
    cells: tuple[Box, ...] = ()
    direction: float = 0.0


class PieceView(msgspec.Struct, frozen=True):
    """A piece in a zone, at a 0-based place of it. kind: "" face down. marked: the last action touched it."""

    zone: str
    index: int
    kind: str
    marked: bool = False


class BoardView(msgspec.Struct, frozen=True):
    """The mat as an honest table shows it."""

    mat: str
    size_mm: tuple[float, float]
    places: tuple[ZoneView, ...]
    pieces: tuple[PieceView, ...]


class Invitation(msgspec.Struct, frozen=True):
    """A free seat, and the address that joins it, for a QR code."""

    seat: str
    name: Text
    address: str


class PageView(msgspec.Struct, frozen=True):
    """What a page of one audience shows.

    heading: the game, or what is set up. status: whose turn it is. wanted: what to do now. alert: a refusal or a fault,
    and the steps that mend it. lacks: what an unfinished action still needs. answers: what may be tapped now; menu:
    what is there always. panels: the view. told: the newest last; undo: the places in `told` before which actions
    begin that can still be taken back, one after the other. rules: the reference card, page by page. codes: of free
    seats before a match, for the table's audience alone. aloud, sounds: what a page does where nobody chose otherwise.
    """

    heading: Text
    status: Text | None = None
    wanted: Text | None = None
    alert: tuple[Text, ...] = ()
    lacks: tuple[Text, ...] = ()
    answers: AnswerList = AnswerList()
    menu: AnswerList = AnswerList()
    panels: tuple[Panel, ...] = ()
    told: tuple[Text, ...] = ()
    undo: tuple[int, ...] = ()
    clocks: tuple[ClockView, ...] = ()
    players: tuple[PlayerView, ...] = ()
    board: BoardView | None = None
    rules: tuple[tuple[Text, ...], ...] = ()
    codes: tuple[Invitation, ...] = ()
    aloud: bool = False
    sounds: bool = False


Wire: TypeAlias = "dict[str, Any]"


def wire(sheet: PageView, language: str) -> Wire:
    """The sheet in one language: an object of its fields by name, of strings, numbers, lists and objects alone.

    Panels carry their `kind` ("line", "glyphs", "gauge", "score", "ring", "cells"), pictures the `words` for them, and
    pieces a `name`. Equal sheets give equal objects.
    """
    return _object(sheet, language)


def _object(value: msgspec.Struct, language: str) -> Wire:
    return {field: _put(getattr(value, field), language) for field in value.__struct_fields__}


def _put(value: Any, language: str) -> Any:
    if isinstance(value, Text):
        return translate(value, language)
    if isinstance(value, msgspec.Struct):
        return {**_object(value, language), **_a11y_fields(value, language)}
    if isinstance(value, tuple):
        return [_put(each, language) for each in value]
    return sorted(value) if isinstance(value, frozenset) else value


def _a11y_fields(value: msgspec.Struct, language: str) -> Wire:
    """Return what describes an object to screen readers."""
    match value:
        case Glyphs(names=pictures) | Ring(cells=pictures, words=()):
            words = [_word(picture, language) for picture in pictures]
            return {"kind": value.__struct_config__.tag, "words": words}
        case Line() | Gauge() | Score() | Ring() | Cells():
            return {"kind": value.__struct_config__.tag}
        case PieceView():
            return {"name": _word(value.kind or "down", language)}
        case _:
            return {}


def _word(picture: str, language: str) -> str:
    """The word for a picture; catalogues have it by the picture's name."""
    if picture == "down":
        return translate(say("the hidden piece"), language)
    return translate(Text(picture), language) if picture else ""
