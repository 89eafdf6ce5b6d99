"""What one page may do on the stage, and what is released when the page goes away."""

from __future__ import annotations

import secrets
from collections.abc import Iterable

from device.keys import Button
from device.sim.panel.messages import (
    Bring,
    Carry,
    Drop,
    Flip,
    Keep,
    Lay,
    Lower,
    Message,
    Peek,
    Play,
    Press,
    Release,
    Take,
    Throw,
    Turn,
)
from device.sim.panel.stage import Stage
from device.web.tokens import Audience


class Aliases:
    """Names for pieces that tell nothing: a piece's own number could tell what it is while it lies face down.

    Whatever is out of sight comes back under another name: nobody at another page can follow it through a hand.
    """

    def __init__(self) -> None:
        self._names: dict[int, str] = {}
        self._pieces: dict[str, int] = {}

    def name(self, ident: int) -> str:
        if ident not in self._names:
            name = secrets.token_hex(6)
            self._names[ident], self._pieces[name] = name, ident
        return self._names[ident]

    def forget(self, idents: Iterable[int]) -> None:
        """These pieces are out of sight."""
        for ident in idents:
            if (name := self._names.pop(ident, None)) is not None:
                del self._pieces[name]

    def piece(self, name: str) -> int:
        """Raises KeyError for a name that was never given."""
        return self._pieces[name]


class Forbidden(PermissionError):
    """A page wants what is not its own."""


class Hand:
    """Carries out the messages of one page. aliases: of what lies on the table; cards: of what is held."""

    def __init__(self, stage: Stage, audience: Audience, aliases: Aliases, cards: Aliases) -> None:
        self._stage, self._audience, self._aliases, self._cards = stage, audience, aliases, cards
        self._pressed: set[tuple[str, Button]] = set()
        self._holding: dict[str, tuple[float, float]] = {}
        self._peeking: set[str] = set()

    def obey(self, message: Message) -> tuple[str, str] | None:
        """Does it. For a peek: the piece's alias and what its hidden side shows. Raises Forbidden or KeyError."""
        match message:
            case Press() | Release():
                self._button(message)
            case Turn() | Throw() | Play() | Lay():
                self._scene(message)
            case Peek(seat=seat, piece=piece):
                self._check(seat)
                kind = self._stage.peek(seat, self._aliases.piece(piece))
                self._peeking.add(seat)
                return piece, kind
            case _:
                self._move(message)
        return None

    def leave(self) -> None:
        """Lets go of every button and piece: the page has gone."""
        for panel, button in sorted(self._pressed):
            self._stage.release(panel, button)
        for seat in sorted(self._peeking):
            self._stage.lower(seat)
        for seat, (x, y) in sorted(self._holding.items()):
            self._stage.drop(seat, x, y)
        self._pressed.clear()
        self._peeking.clear()
        self._holding.clear()

    def _button(self, message: Press | Release) -> None:
        self._check(message.panel)
        key = (message.panel, message.button)
        if isinstance(message, Press):
            self._stage.press(*key)
            self._pressed.add(key)
        elif key in self._pressed:
            self._stage.release(*key)
            self._pressed.discard(key)

    def _scene(self, message: Turn | Throw | Play | Lay) -> None:
        if self._audience.seat is not None:
            raise Forbidden("only the operator's page changes the scene")
        match message:
            case Turn(knob=knob, value=value):
                self._stage.turn(knob, value)
            case Throw(switch=switch, on=on):
                self._stage.throw(switch, on)
            case Play(auto=auto):
                self._stage.play(auto)
            case Lay():
                self._stage.lay()

    def _move(self, message: Take | Bring | Keep | Carry | Drop | Flip | Lower) -> None:
        seat = message.seat
        self._check(seat)
        match message:
            case Take(piece=piece, pile=pile):
                ident = self._aliases.piece(piece)
                body = self._stage.truth().body(ident)
                self._stage.take(seat, ident, pile)
                self._holding[seat] = (body.x, body.y)
            case Bring(card=card, up=up, x=x, y=y):
                self._stage.bring(seat, self._cards.piece(card), up, x, y)
                self._holding[seat] = (x, y)
            case Keep() if self._holding.pop(seat, None):
                self._stage.keep(seat)
            case Carry(x=x, y=y) if seat in self._holding:
                self._stage.carry(seat, x, y)
                self._holding[seat] = (x, y)
            case Drop(x=x, y=y) if self._holding.pop(seat, None):
                self._stage.drop(seat, x, y)
            case Flip(piece=piece):
                self._stage.flip(seat, self._aliases.piece(piece))
            case Lower() if seat in self._peeking:
                self._peeking.discard(seat)
                self._stage.lower(seat)

    def _check(self, panel: str) -> None:
        if not self._audience.may_act_for(panel):
            raise Forbidden(f"this page acts for seat {self._audience.seat} alone")
