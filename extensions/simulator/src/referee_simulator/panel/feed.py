"""Updates for the simulator's pages: only changes that each may know.

JSON documents are tagged by `is`. Binary messages begin with a byte: 1 is a camera frame (JPEG); 2 is a display: length
of its name, name, width and height (two bytes each, big-endian), bits."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from functools import partial
from typing import Any

import msgspec

from device.locale import plain, translate
from device.web.private_site import Seat
from engine.text import Text, say
from referee_simulator.panel.stage import Knob, Pixels, Stage, Switch
from referee_simulator.panel.words import HAND, WORDS
from referee_simulator.table.ground_truth import Body, Truth, visible_piece
from referee_simulator.table.setting import piece_set

FRAME, SCREEN = b"\x01", b"\x02"


class Feed:
    """The drawer's updates: everything but hidden sides on the table."""

    def __init__(self, stage: Stage, language: str) -> None:
        self._stage, self._language = stage, language
        self._mat: object = None
        self._truth: Truth | None = None
        self._frame = -1
        self._screens: dict[str, Pixels] = {}
        self._told: dict[str, bytes] = {}

    def news(self) -> Iterator[str | bytes]:
        """Yield changes since the last call; everything at first and after a change of mat."""
        stage = self._stage
        if stage.mat is not self._mat:
            self._mat, self._truth = stage.mat, None
            self._told.clear()
            self._screens.clear()
            yield _json(self._hello())
        if (truth := stage.truth()) != self._truth:
            self._truth = truth
            yield _json({"is": "table", "pieces": [_piece(body) for body in truth.bodies]})
        for told in (
            self._hands(),
            self._scene(),
            self._buzzer(),
            {"is": "trouble", "text": self._plain(stage.trouble)},
        ):
            yield from self._changes(told)
        for name, pixels in stage.screens().items():
            if pixels != self._screens.get(name):
                self._screens[name] = pixels
                yield SCREEN + _screen(name, pixels)
        shot = stage.shot()
        if shot is not None and shot.serial != self._frame:
            self._frame = shot.serial
            yield FRAME + shot.jpeg

    def _changes(self, told: dict[str, Any]) -> Iterator[str]:
        text = _json(told)
        if self._told.get(told["is"]) != text.encode():
            self._told[told["is"]] = text.encode()
            yield text

    def _hello(self) -> dict[str, Any]:
        stage, truth = self._stage, self._stage.truth()
        sets = sorted({body.set for body in (*truth.bodies, *truth.away)})
        return {
            "is": "hello",
            "words": {key: translate(text, self._language) for key, text in WORDS.items()},
            "seats": stage.seats,
            "displays": sorted(stage.screens()),
            "mat": stage.mat,
            "conceals": stage.conceals,
            "names": {name: {kind: _word_for(kind, self._language) for kind in piece_set(name).kinds} for name in sets},
            "captions": {zone.name: zone.label or _word_for(zone.name, self._language) for zone in stage.mat.zones},
        }

    def _hands(self) -> dict[str, Any]:
        hands = self._stage.hands().items()
        return {"is": "hands", "hands": {seat: [_card(body) for body in bodies] for seat, bodies in hands}}

    def _scene(self) -> dict[str, Any]:
        stage = self._stage
        return {
            "is": "scene",
            "knobs": [self._with_label(knob) for knob in stage.knobs()],
            "switches": [self._with_label(switch) for switch in stage.switches()],
            "auto": stage.auto(),
            "note": self._plain(stage.note),
        }

    def _buzzer(self) -> dict[str, Any]:
        tones, told = self._stage.tones(), None
        if tones is not None:
            last = say("Tones: {n}. The last one: {seconds} s.", n=tones.count, seconds=str(tones.last_s))
            told = say("No sound yet.") if tones.last_s is None else last
        count, sounds = (0, False) if tones is None else (tones.count, tones.sounds)
        return {"is": "buzzer", "tones": count, "sounds": sounds, "told": self._plain(told)}

    def _with_label(self, fitting: Knob | Switch) -> dict[str, Any]:
        told = {**msgspec.structs.asdict(fitting), "label": translate(fitting.label, self._language)}
        return {**told, "unit": plain(fitting.unit, self._language)} if isinstance(fitting, Knob) else told

    def _plain(self, text: Text | None) -> str:
        return plain(text or "", self._language)


class Held:
    """A seat's private updates: its cards, pieces that it looked at, notes and lesson."""

    def __init__(self, stage: Stage, seat: Seat, language: str) -> None:
        self._stage, self._seat, self._language = stage, seat, language
        self._told, self._lesson = "", _json({"is": "lesson", "offered": False, "card": None})

    def news(self) -> Iterator[str]:
        stage, held = self._stage, self._stage.hands().get(self._seat, ())
        told = _json(
            {
                "is": "cards",
                "words": {key: translate(text, self._language) for key, text in HAND.items()},
                "cards": [self._with_name(body) for body in held],
                "shown": [self._with_name(body) for body in stage.shown_to(self._seat)],
                "conceals": stage.conceals,
                "picked": stage.picked_piece(self._seat),
                "asked": stage.must_pick(self._seat),
                "told": [translate(text, self._language) for text in stage.told_to(self._seat)],
            }
        )
        if told != self._told:
            self._told = told
            yield told
        offered = stage.teaches(self._seat)
        if (lesson := _json({"is": "lesson", "offered": offered, "card": self._card()})) != self._lesson:
            self._lesson = lesson
            yield lesson

    def _card(self) -> dict[str, Any] | None:
        card = self._stage.lesson(self._seat)
        return None if card is None else card.put_into_words(partial(translate, language=self._language))

    def _with_name(self, body: Body) -> dict[str, Any]:
        return {**_card(body), "name": _word_for(body.kind, self._language)}


def _word_for(name: str, language: str) -> str:
    word = translate(Text(name), language)
    return name.replace("-", " ") if word == name else word


def _card(body: Body) -> dict[str, Any]:
    return {**_look(body), "kind": body.kind}


def _piece(body: Body) -> dict[str, Any]:
    return {
        **_look(body),
        "kind": visible_piece(body).kind,
        "x": round(body.x, 1),
        "y": round(body.y, 1),
        "angle": round(body.angle, 1),
        "held": body.held,
    }


def _look(body: Body) -> dict[str, Any]:
    return {"id": body.id, "set": body.set, "shape": body.shape, "width": body.width, "height": body.height}


def _screen(name: str, pixels: Pixels) -> bytes:
    encoded = name.encode()
    return bytes([len(encoded)]) + encoded + struct.pack(">HH", pixels.width, pixels.height) + pixels.bits


def _json(data: object) -> str:
    return msgspec.json.encode(data).decode()
