"""Updates for a page: only what changed, and only what its audience may see.

JSON documents are tagged by `is`. Binary messages begin with one byte: 1, a camera frame (JPEG); 2, a display: length
of its name, the name, width and height (two bytes each, big-endian), then the bits.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

import msgspec

from device.art import drawings
from device.locale import plain, translate
from device.resources import find
from device.sim.panel.faces import printed
from device.sim.panel.hand import Aliases
from device.sim.panel.stage import Knob, Pixels, Stage, Switch
from device.sim.table.setting import piece_set
from device.sim.table.truth import Body, Truth, seen
from device.web.tokens import Audience
from engine.text import Text

FRAME, SCREEN = b"\x01", b"\x02"


class Feed:
    """Remembers what one page was told last."""

    def __init__(self, stage: Stage, audience: Audience, aliases: Aliases, cards: Aliases, language: str) -> None:
        """aliases: of what lies on the table; cards: of what is held; language: of all words."""
        self._language = language
        self._stage, self._audience, self._aliases, self._cards = stage, audience, aliases, cards
        self._hands = b""
        self._mat: object = None
        self._truth: Truth | None = None
        self._frame = -1
        self._screens: dict[str, Pixels] = {}
        self._scene: bytes = b""
        self._trouble = ""

    def _hello(self) -> str:
        """The table, whose page it is, and how the pieces look."""
        stage = self._stage
        truth = stage.truth()
        sets = sorted({body.set for body in (*truth.bodies, *truth.away)})
        return _json(
            {
                "is": "hello",
                "seat": self._audience.seat,
                "seats": stage.seats,
                "displays": sorted(name for name in stage.screens() if self._audience.may_see(name)),
                "mat": stage.mat,
                "conceals": stage.conceals,
                "art": {name: drawings(name) for name in sets if find("art", f"{name}.toml").is_file()},
                "cards": {name: sorted({*kinds, *self._kinds(name)}) for name in sets if (kinds := printed(name))},
                "names": {name: {kind: self._named(kind) for kind in piece_set(name).kinds} for name in sets},
                "captions": {zone.name: zone.label or self._named(zone.name) for zone in stage.mat.zones},
            }
        )

    def _kinds(self, name: str) -> set[str]:
        """Kinds of a set that somebody has here, also those that its owner corrected."""
        truth = self._stage.truth()
        return {body.kind for body in (*truth.bodies, *truth.away) if body.set == name}

    def _named(self, name: str) -> str:
        """A kind of pieces or a zone, as people call it. All of a set are told, whichever lie there."""
        word = translate(Text(name), self._language)
        return name.replace("-", " ") if word == name else word

    def news(self) -> Iterator[str | bytes]:
        """All that changed since the last call; everything at the first, and when another mat is laid."""
        if self._stage.mat is not self._mat:
            self._mat, self._truth, self._hands = self._stage.mat, None, b""
            self._screens.clear()
            yield self._hello()
        truth = self._stage.truth()
        if truth != self._truth:
            self._truth = truth
            self._aliases.forget(body.id for body in truth.away)
            self._cards.forget(body.id for body in truth.bodies)
            yield _json({"is": "table", "pieces": [self._piece(body) for body in truth.bodies]})
        if (hands := _json(self._held())).encode() != self._hands:
            self._hands = hands.encode()
            yield hands
        for name, pixels in self._stage.screens().items():
            if self._audience.may_see(name) and pixels != self._screens.get(name):
                self._screens[name] = pixels
                yield SCREEN + _screen(name, pixels)
        if (trouble := plain(self._stage.trouble or "", self._language)) != self._trouble:
            self._trouble = trouble
            yield _json({"is": "trouble", "text": trouble})
        if self._audience.seat is None:
            yield from self._operator_news()

    def _operator_news(self) -> Iterator[str | bytes]:
        """Frames show what hands lift, and the scene is not the players' to know: both are for the operator."""
        shot = self._stage.shot()
        if shot is not None and shot.serial != self._frame:
            self._frame = shot.serial
            yield FRAME + shot.jpeg
        stage = self._stage
        scene = {
            "is": "scene",
            "knobs": [self._labelled(knob) for knob in stage.knobs()],
            "switches": [self._labelled(switch) for switch in stage.switches()],
            "auto": stage.auto(),
            "note": plain(stage.note or "", self._language),
        }
        if (text := _json(scene)).encode() != self._scene:
            self._scene = text.encode()
            yield text

    def _labelled(self, fitting: Knob | Switch) -> dict[str, Any]:
        """A knob or a switch with its words in the page's language."""
        told = {**msgspec.structs.asdict(fitting), "label": translate(fitting.label, self._language)}
        return {**told, "unit": plain(fitting.unit, self._language)} if isinstance(fitting, Knob) else told

    def _held(self) -> dict[str, Any]:
        """How many cards each seat holds; and which, if they are the page's own."""
        seats = {}
        for seat, bodies in self._stage.hands().items():
            own = self._audience.may_hold(seat)
            cards = [{**_look(body), "id": self._cards.name(body.id), "kind": body.kind} for body in bodies]
            seats[seat] = {"count": len(bodies), "cards": cards if own else None}
        return {"is": "hands", "hands": seats}

    def _piece(self, body: Body) -> dict[str, Any]:
        """A piece as an onlooker sees it; its kind only while its face looks up."""
        return {
            **_look(body),
            "id": self._aliases.name(body.id),
            "kind": seen(body).kind,
            "x": round(body.x, 1),
            "y": round(body.y, 1),
            "angle": round(body.angle, 1),
            "held": body.held,
        }


def _look(body: Body) -> dict[str, Any]:
    """What is the same of both sides of a piece."""
    return {"set": body.set, "shape": body.shape, "width": body.width, "height": body.height}


def _screen(name: str, pixels: Pixels) -> bytes:
    encoded = name.encode()
    return bytes([len(encoded)]) + encoded + struct.pack(">HH", pixels.width, pixels.height) + pixels.bits


def _json(data: object) -> str:
    return msgspec.json.encode(data).decode()
