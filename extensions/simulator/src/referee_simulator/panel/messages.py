"""Messages from pages to the simulator, one JSON document each."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

import msgspec

from device.key_gestures import Button
from referee_simulator.panel.stage import Auto

Panel: TypeAlias = Literal["a", "b", "c", "d", "shared"]
Name: TypeAlias = Annotated[str, msgspec.Meta(min_length=1, max_length=40)]
Number: TypeAlias = Annotated[int, msgspec.Meta(ge=0, lt=1 << 31)]
"""A piece's number."""

Millimetres: TypeAlias = Annotated[float, msgspec.Meta(ge=-2000, le=2000)]


class _Message(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="do"):
    pass


class Prove(_Message, frozen=True, tag="prove"):
    """First message of a seat's page. proof: of the seat's key (`referee_phones.daemon.handshake`)."""

    proof: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]


class Press(_Message, frozen=True, tag="press"):
    panel: Panel
    button: Button


class Release(_Message, frozen=True, tag="release"):
    panel: Panel
    button: Button


class Take(_Message, frozen=True, tag="take"):
    """Grasp a piece. pile: with all below it."""

    seat: Panel
    piece: Number
    pile: bool = False


class Bring(_Message, frozen=True, tag="bring"):
    """Bring a hand card over the table."""

    seat: Panel
    card: Number
    up: bool
    x: Millimetres
    y: Millimetres


class Keep(_Message, frozen=True, tag="keep"):
    """Take the held card into the hand."""

    seat: Panel


class Carry(_Message, frozen=True, tag="carry"):
    seat: Panel
    x: Millimetres
    y: Millimetres


class Drop(_Message, frozen=True, tag="drop"):
    seat: Panel
    x: Millimetres
    y: Millimetres


class Flip(_Message, frozen=True, tag="flip"):
    seat: Panel
    piece: Number


class Peek(_Message, frozen=True, tag="peek"):
    seat: Panel
    piece: Number


class Lower(_Message, frozen=True, tag="lower"):
    seat: Panel


class Pick(_Message, frozen=True, tag="pick"):
    """Pick the card to lay face down."""

    card: Number


class Lay(_Message, frozen=True, tag="lay"):
    """Reset the table."""


class Turn(_Message, frozen=True, tag="turn"):
    knob: Name
    value: float


class Throw(_Message, frozen=True, tag="throw"):
    switch: Name
    on: bool


class Play(_Message, frozen=True, tag="play"):
    auto: Auto


class Learn(_Message, frozen=True, tag="learn"):
    wish: Literal["begin", "next", "leave"]


Message: TypeAlias = (
    Press
    | Release
    | Take
    | Bring
    | Keep
    | Carry
    | Drop
    | Flip
    | Peek
    | Lower
    | Pick
    | Lay
    | Turn
    | Throw
    | Play
    | Learn
)

decoder: msgspec.json.Decoder[Message] = msgspec.json.Decoder(Message)
