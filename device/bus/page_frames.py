"""Defines the frames between daemon and gateway workers.

Each audience has a unix stream socket. A frame is a length (4 bytes, big endian) and JSON.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal, TypeAlias

import msgspec

LONGEST_IN = 4096
"""Bytes of a frame to the daemon."""

LONGEST_PICTURE = 512 * 1024
"""Bytes of a phone's picture; one of 1280 x 720 has 100 to 250 KiB."""

LONGEST_PICTURE_IN = LONGEST_PICTURE * 4 // 3 + 1024
"""Bytes of its frame, in base64."""

LONGEST_OUT = 1 << 20
"""Bytes of a frame to a worker."""

HEAD = 4
"""Bytes of the length."""

OWNER = "owner"
"""The audience of the owner's page."""

SEATS = ("a", "b", "c", "d")
AUDIENCES = ("table", *SEATS, OWNER)
"""The audiences of every table in the order of their ports."""

CAMERA = "camera"
"""The audience of a phone that is the table's camera; its port follows theirs."""

HELD_S = 0.05
"""Seconds that a worker holds messages, to hide the daemon's delays."""

SHOWN_BYTES = 64 * 1024
"""Fixed message size to a page, nearly twice the longest page (`test_sizes.py`); sizes reveal nothing (law 5)."""

SAID_BYTES = 512
"""Fixed message size from a page."""

LINKS = 64
"""Open pages per audience."""

Link: TypeAlias = Annotated[int, msgspec.Meta(ge=0, lt=1 << 31)]
"""A WebSocket's number, unique per connection."""

Spoken: TypeAlias = Annotated[str, msgspec.Meta(max_length=16)]
"""A language code; unknown ones mean the table's."""

Hex: TypeAlias = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]
"""32 bytes as hexadecimal digits: key or proof (`device.handshake`)."""


class _Frame(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="is"):
    """Frame about a page. link: its WebSocket."""

    link: Link


class PageOpened(_Frame, frozen=True, tag="opened"):
    """A page opened. language: its browser's. network: its origin (`device.web.host_names`)."""

    language: Spoken = ""
    network: Annotated[str, msgspec.Meta(max_length=64)] = ""


class Join(_Frame, frozen=True, tag="join"):
    """A page claims its place. public: its key. proof: of the code, or of the recovery number if `number`."""

    public: Hex
    proof: Hex
    number: bool = False


class Back(_Frame, frozen=True, tag="back"):
    """A page returns. proof: of its key."""

    proof: Hex


class PageTouch(_Frame, frozen=True, tag="touch"):
    """A tapped line. serial: of its list. line: -1 steps back, -2 undoes the last action. menu: it is the menu's."""

    serial: Annotated[int, msgspec.Meta(ge=0, lt=1 << 53)]
    line: Annotated[int, msgspec.Meta(ge=-2, lt=10_000)]
    menu: bool = False


class Speak(_Frame, frozen=True, tag="speak"):
    """The page changes its language."""

    language: Spoken


class Name(_Frame, frozen=True, tag="name"):
    """A player's name; "" for none. colour: requested. seat: the player's, on the table's own page."""

    text: Annotated[str, msgspec.Meta(max_length=64)]
    colour: Literal["blue", "red", "yellow", "green"] | None = None
    seat: Literal["a", "b", "c", "d"] | None = None


class Save(_Frame, frozen=True, tag="save"):
    """The page requests the finished match's public record."""


class Go(_Frame, frozen=True, tag="go"):
    """The phone releases its seat."""


class PagePicture(_Frame, frozen=True, tag="picture"):
    """A picture of the phone's camera."""

    jpeg: bytes


class Closed(_Frame, frozen=True, tag="closed"):
    """The page closed."""


class Hello(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="is", tag="hello"):
    """First frame to a worker. public: the daemon's key for challenges."""

    public: Hex


class To(_Frame, frozen=True, tag="to"):
    """JSON text for a page. at: grid time, or 0 to send at once."""

    text: str
    at: float = 0.0


class Close(_Frame, frozen=True, tag="close"):
    """Send a last text, unless "", and close the WebSocket."""

    text: str = ""


class Admit(_Frame, frozen=True, tag="admit"):
    """The page proved its key, so others no longer displace it."""


FromWorker: TypeAlias = PageOpened | Join | Back | PageTouch | Speak | Name | Save | Go | PagePicture | Closed
ToWorker: TypeAlias = Hello | To | Close | Admit


def port_of(audience: str, first: int) -> int:
    """Return an audience's TCP port. first: the table's."""
    return first + (*AUDIENCES, CAMERA).index(audience)


def challenge(public: str, link: int) -> str:
    """Return a link's unique challenge."""
    return f"{public}{link:08x}"


def pack(frame: msgspec.Struct) -> bytes:
    data = msgspec.json.encode(frame, order="deterministic")
    return len(data).to_bytes(HEAD, "big") + data


class Unpacker:
    """Splits a stream into frames, skipping those over `longest` bytes."""

    def __init__(self, longest: int) -> None:
        self._longest, self._data, self._skip = longest, bytearray(), 0

    def feed(self, data: bytes, most: int = 1 << 30) -> Iterator[bytes | None]:
        """Yield at most `most` complete frames as JSON; None for a skipped one."""
        self._data += data
        for _ in range(most):
            if self._skip:
                gone = min(self._skip, len(self._data))
                del self._data[:gone]
                self._skip -= gone
            if self._skip or len(self._data) < HEAD:
                return
            length = int.from_bytes(self._data[:HEAD], "big")
            if length > self._longest:
                del self._data[:HEAD]
                self._skip = length
                yield None
                continue
            if len(self._data) < HEAD + length:
                return
            frame = bytes(self._data[HEAD : HEAD + length])
            del self._data[: HEAD + length]
            yield frame


FROM_WORKER: Any = FromWorker
TO_WORKER: Any = ToWorker
"""The unions, for decoders."""
