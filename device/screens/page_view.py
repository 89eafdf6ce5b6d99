"""Describes one audience's page as data, before language and layout.

`device.screens.screen` does so for displays. `wire` makes plain values, which a page shows unchanged.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import msgspec

from device.locale import translate
from engine.text import Text, say
from engine.view import Cells, Gauge, Glyphs, Line, Panel, Ring, Score

MOST_TOLD = 60
"""Number of newest messages on a page."""

Box: TypeAlias = "tuple[float, float, float, float]"
"""x, y, width, height on the mat in mm, from the top left."""


class Pattern(msgspec.Struct, frozen=True):
    """A kind of action. text: its sentence; {1} is the first word after the verb. costs: touching alone doesn't do it.
    clause: its rule, "" if none."""

    verb: Text
    text: Text
    costs: bool
    clause: str = ""


class CardRow(msgspec.Struct, frozen=True):
    """Cards shown side by side. things: indexes. heading: None if the cards show what they have in common."""

    things: tuple[int, ...]
    heading: Text | None = None


class TouchMoves(msgspec.Struct, frozen=True):
    """All actions of a list: for each, the drawn things to touch, and its words after the verb.

    things: "line/0" is a piece at a zone's 0-based place, ">line/0" a place where one goes, "#3" a ring's sector,
    "=fleche-5" a card by kind.
    moves: indexes for each action: pattern, words, things.
    cards: all cards among the things, in order."""

    things: tuple[str, ...] = ()
    words: tuple[Text, ...] = ()
    patterns: tuple[Pattern, ...] = ()
    moves: tuple[tuple[int, tuple[int, ...], tuple[int, ...]], ...] = ()
    cards: tuple[CardRow, ...] = ()


class AnswerList(msgspec.Struct, frozen=True):
    """A tappable list.

    serial: identifies its state; a tap names it.
    path: earlier choices.
    back: a step back is possible.
    touch: its actions by touch; a tap numbers them after the lines."""

    serial: int = 0
    asks: Text | None = None
    path: tuple[Text, ...] = ()
    lines: tuple[Text, ...] = ()
    back: bool = False
    touch: TouchMoves | None = None


class PlayerView(msgspec.Struct, frozen=True):
    """A player. side: the game's name for them. turn: may act now. phone: has one. colour: unlike all others; "" for
    none."""

    seat: str
    name: Text
    side: Text | None
    turn: bool
    phone: bool
    colour: str


class ClockView(msgspec.Struct, frozen=True):
    """A clock, constant while it runs. left_s: seconds left if stopped. ends: its end on the daemon's clock if running.
    short_s: seconds left at which it warns."""

    seat: str
    of: Text
    short_s: float
    left_s: float | None = None
    ends: float | None = None


class ZoneView(msgspec.Struct, frozen=True):
    """A zone of the mat. order: see `engine.table.Arrangement`. direction: degrees clockwise of a row's counting, 0 for
    left to right."""

    zone: str
    title: Text
    order: str
    box: Box
    cells: tuple[Box, ...] = ()
    direction: float = 0.0


class PieceView(msgspec.Struct, frozen=True):
    """A piece at a zone's 0-based place. kind: "" if face down. marked: touched by the last action."""

    zone: str
    index: int
    kind: str
    marked: bool = False


class BoardView(msgspec.Struct, frozen=True):
    """The mat with its pieces."""

    mat: str
    size_mm: tuple[float, float]
    places: tuple[ZoneView, ...]
    pieces: tuple[PieceView, ...]


class MarkView(msgspec.Struct, frozen=True):
    """A mark on the camera's picture. zone: of the marked piece. x_mm, y_mm, angle_deg: on the mat. back: to be put
    back; else touched by the last action."""

    zone: str
    x_mm: float
    y_mm: float
    angle_deg: float
    back: bool


class Invitation(msgspec.Struct, frozen=True):
    """A seat and the address that joins it."""

    seat: str
    name: Text
    address: str


class EndingView(msgspec.Struct, frozen=True):
    """The end of a match, the same for everybody.

    winners: seats; () for none.
    things: those that decided it, as `TouchMoves` writes them.
    ring: the public view's, if a thing is on it.
    decided: sentences about them.
    scores: the public view's points, else its gauges.
    facts: length and longest thought.
    heads: lines for `referee verify --heads`; () without a signed record.
    begun: start in seconds since 1970 (UTC); None if the clock was not set."""

    winners: tuple[str, ...]
    things: tuple[str, ...]
    ring: Panel | None
    decided: tuple[Text, ...]
    scores: tuple[Panel, ...]
    facts: tuple[Text, ...]
    heads: tuple[str, ...] = ()
    begun: float | None = None


class PageView(msgspec.Struct, frozen=True):
    """One audience's page.

    heading: game or "Set-up".
    game: its name; "" before one is chosen.
    status: the turn, or that the match is over.
    wanted: the request, or the result.
    alert: a refusal or fault, with remedies.
    lacks: needs of an unfinished action or start.
    panels: the view.
    told: messages, newest last.
    undo: places in `told` to which play can be undone.
    regret: time on the daemon's clock until which the seat may undo its last action alone.
    rules: reference card by page.
    codes: of seats that a phone may join.
    nameable: players whom anybody may name here.
    colours: those to ask for.
    last: player named first in the newest message, or else the mover, if the message is of a move.
    picture: of the mat, JPEG in base64; "" for none.
    marks: on it.
    aloud, sounds: defaults."""

    heading: Text
    game: str = ""
    status: Text | None = None
    wanted: Text | None = None
    alert: tuple[Text, ...] = ()
    lacks: tuple[Text, ...] = ()
    answers: AnswerList = AnswerList()
    menu: AnswerList = AnswerList()
    panels: tuple[Panel, ...] = ()
    told: tuple[Text, ...] = ()
    undo: tuple[int, ...] = ()
    regret: float | None = None
    clocks: tuple[ClockView, ...] = ()
    players: tuple[PlayerView, ...] = ()
    board: BoardView | None = None
    rules: tuple[tuple[Text, ...], ...] = ()
    codes: tuple[Invitation, ...] = ()
    nameable: tuple[PlayerView, ...] = ()
    colours: tuple[str, ...] = ()
    last: str | None = None
    ending: EndingView | None = None
    picture: str = ""
    marks: tuple[MarkView, ...] = ()
    aloud: bool = False
    sounds: bool = False


Wire: TypeAlias = "dict[str, Any]"


def wire(sheet: PageView, language: str) -> Wire:
    """Return the page in one language as plain JSON values.

    Panels get a `kind`, pictures `words`, pieces a `name`.
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
    if picture == "down":
        return translate(say("the hidden piece"), language)
    return translate(Text(picture), language) if picture else ""
