"""Carries out a page's messages within its rights, and cleans up when it leaves."""

from __future__ import annotations

from device.key_gestures import Button
from device.web.private_site import Audience
from referee_simulator.panel.messages import (
    Bring,
    Carry,
    Drop,
    Flip,
    Keep,
    Lay,
    Learn,
    Lower,
    Message,
    Peek,
    Pick,
    Play,
    Press,
    Release,
    Take,
    Throw,
    Turn,
)
from referee_simulator.panel.stage import Stage


class Forbidden(PermissionError):
    """A page's request exceeds its rights."""


class Hand:
    """Executes a page's messages. A seat's page may only pick its card and follow a lesson."""

    def __init__(self, stage: Stage, audience: Audience) -> None:
        self._stage, self._audience = stage, audience
        self._pressed: set[tuple[str, Button]] = set()
        self._holding: dict[str, tuple[float, float]] = {}
        self._peeking: set[str] = set()

    def obey(self, message: Message) -> tuple[int, str] | None:
        """Execute a message, ignoring what the page does not hold; return a peek's piece and kind, else None. Raises
        Forbidden, KeyError or Refused."""
        if isinstance(message, Pick | Learn) != (self._audience.seat is not None):
            raise Forbidden(f"the page of {self._audience.seat or 'the bench'} does not do that")
        match message:
            case Pick(card=card):
                assert self._audience.seat is not None
                self._stage.pick(self._audience.seat, card)
            case Learn(wish=wish):
                assert self._audience.seat is not None
                self._stage.learn(self._audience.seat, wish)
            case Press() | Release():
                self._button(message)
            case Turn() | Throw() | Play() | Lay():
                self._scene(message)
            case Peek(seat=seat, piece=piece):
                kind = self._stage.peek(seat, piece)
                self._peeking.add(seat)
                return piece, kind
            case _:
                self._move(message)
        return None

    def leave(self) -> None:
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
        key = (message.panel, message.button)
        if isinstance(message, Press):
            self._stage.press(*key)
            self._pressed.add(key)
        elif key in self._pressed:
            self._stage.release(*key)
            self._pressed.discard(key)

    def _scene(self, message: Turn | Throw | Play | Lay) -> None:
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
        match message:
            case Take(piece=piece, pile=pile):
                body = self._stage.truth().body(piece)
                self._stage.take(seat, piece, pile)
                self._holding[seat] = (body.x, body.y)
            case Bring(card=card, up=up, x=x, y=y):
                self._stage.bring(seat, card, up, x, y)
                self._holding[seat] = (x, y)
            case Keep() if self._holding.pop(seat, None):
                self._stage.keep(seat)
            case Carry(x=x, y=y) if seat in self._holding:
                self._stage.carry(seat, x, y)
                self._holding[seat] = (x, y)
            case Drop(x=x, y=y) if self._holding.pop(seat, None):
                self._stage.drop(seat, x, y)
            case Flip(piece=piece):
                self._stage.flip(seat, piece)
            case Lower() if seat in self._peeking:
                self._peeking.discard(seat)
                self._stage.lower(seat)
