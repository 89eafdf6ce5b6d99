"""Messages of pages, decoded strictly into frames for the daemon."""

from __future__ import annotations

from typing import Any

import msgspec

from referee_phones.frames import FROM_WORKER, FromWorker

LONGEST = 2048
"""Characters of a message."""


class Tap(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """See `referee_phones.frames.PageTouch`."""

    serial: int
    line: int
    menu: bool = False


class Said(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One of: prove (`daemon.handshake`), optionally with join (a public key) and number; tap; speak (a language);
    name, optionally with colour and seat; save; go. Older pages say key or back."""

    prove: str | None = None
    join: str | None = None
    number: bool | None = None
    key: str | None = None
    back: str | None = None
    tap: Tap | None = None
    speak: str | None = None
    name: str | None = None
    colour: str | None = None
    seat: str | None = None
    save: bool | None = None
    go: bool | None = None


class Outdated(Exception):
    """The page predates an update and must be reloaded."""


_decoder = msgspec.json.Decoder(Said)


def to_frame(link: int, text: str) -> FromWorker:
    """Return the frame of a page's message. Raises ValueError for malformed messages, or Outdated."""
    said = _decoder.decode(text)
    given = {name for name in Said.__struct_fields__ if getattr(said, name) is not None}
    if given & {"key", "back"}:
        raise Outdated
    frame: FromWorker = msgspec.convert({"link": link, **_interpret(said, given)}, FROM_WORKER)
    return frame


def _interpret(said: Said, given: set[str]) -> dict[str, Any]:
    if given in ({"prove", "join"}, {"prove", "join", "number"}):
        return {"is": "join", "public": said.join, "proof": said.prove, "number": bool(said.number)}
    if given == {"tap"} and said.tap is not None:
        return {"is": "touch", **msgspec.structs.asdict(said.tap)}
    if given in ({"go"}, {"save"}) and (said.go or said.save):
        return {"is": next(iter(given))}
    if given == {"prove"}:
        return {"is": "back", "proof": said.prove}
    if given == {"speak"}:
        return {"is": "speak", "language": said.speak}
    if "name" in given <= {"name", "colour", "seat"}:
        return {"is": "name", "text": said.name, "colour": said.colour, "seat": said.seat}
    raise ValueError("a message says one thing")
