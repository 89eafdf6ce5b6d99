"""Leaks that are planted into how a seat's page is sent its own secret: the network sees them, encrypted or not.

Each makes of the newest secret one bit, and lets the length, the number or the time of frames depend on it. The last,
`python -m extensions.phones.tests.own_leaks`, is a gateway that pads nothing.
"""

from __future__ import annotations

import sys
import zlib
from typing import Any

import msgspec

from extensions.phones.tests.worlds import OwnLeak
from referee_phones import websocket
from referee_phones.daemon.links import OWN_S
from referee_phones.daemon.pages import SheetLink
from referee_phones.frames import SHOWN_BYTES, To
from referee_phones.keeper import main

UNPADDED = "extensions.phones.tests.own_leaks"


def _bit(link: SheetLink, whole: dict[str, Any]) -> bool:
    """Of what the page shows beyond the public parts."""
    fields = ("panels", "told", "answers", "status", "wanted")
    return bool(zlib.crc32(msgspec.json.encode([whole.get(field) for field in fields])) & 1)


def longer_than_a_frame(show: Any, link: SheetLink, at: float, sheets: Any, wires: Any) -> None:
    show(link, at, sheets, wires)
    if _bit(link, link.sent):
        link.worker.send(To(link.number, msgspec.json.encode({"x": "x" * SHOWN_BYTES, "at": at}).decode(), at))


def said_twice(show: Any, link: SheetLink, at: float, sheets: Any, wires: Any) -> None:
    show(link, at, sheets, wires)
    if _bit(link, link.sent):
        link.worker.send(To(link.number, msgspec.json.encode({"at": at}).decode(), at))


def told_later(show: Any, link: SheetLink, at: float, sheets: Any, wires: Any) -> None:
    before, count = link.sent, link.count
    honest, held = link.worker, _Held()
    link.worker = held
    show(link, at, sheets, wires)
    link.worker = honest
    late = OWN_S if count != link.count and before and _bit(link, link.sent) else 0.0
    for frame in held.frames:
        text = msgspec.json.encode({**msgspec.json.decode(frame.text), "at": at + late}).decode()
        honest.send(To(frame.link, text, at + late))


class _Held:
    """Keeps what a worker would be sent."""

    audience, takes = "", True

    def __init__(self) -> None:
        self.frames: list[Any] = []

    def send(self, frame: Any) -> None:
        self.frames.append(frame)


LEAKS: dict[str, OwnLeak] = {leak.__name__: leak for leak in (longer_than_a_frame, said_twice, told_later)}

if __name__ == "__main__":
    websocket.pad_json = lambda text, size: text
    sys.exit(main(sys.argv[1:]))
