"""The frames between the daemon and a worker of the gateway: what an audience's pages say, and what they are shown.

One unix stream socket an audience: a seat's letter, "table" or "owner". A frame is four bytes of length (big endian)
and as many bytes of JSON. Nothing here knows what the JSON text for a page means: a worker passes it on as it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, TypeAlias

import msgspec

LONGEST_IN = 4096
"""Bytes of a frame towards the daemon."""

LONGEST_OUT = 1 << 20
"""Bytes of a frame towards a worker."""

HEAD = 4
"""Bytes of a frame's length."""

OWNER = "owner"
"""Who looks after the table, and need not sit at it."""

SEATS = ("a", "b", "c", "d")
AUDIENCES = ("table", *SEATS, OWNER)
"""Everybody, the seats, and the owner: in the order of their ports."""

HELD_S = 0.05
"""For so long a worker holds what is for a page: meanwhile it was made, whatever else the daemon had to do, so that
what comes late tells nobody of another seat's taps."""

SHOWN_BYTES = 32 * 1024
"""Size of every message to a seat's page. The longest page of our games takes half of it (`test_sizes.py`), so no
message needs more than one, and its length says nothing about its contents, encrypted or not (law 5)."""

SAID_BYTES = 512
"""Size of every message from a page, but for parts of a file; nothing else that a page says is longer."""

LINKS = 64
"""Pages of one audience that are open at the same time."""

Link: TypeAlias = Annotated[int, msgspec.Meta(ge=0, lt=1 << 31)]
"""A WebSocket, as its worker numbers them; a number is not used twice on one connection."""

Spoken: TypeAlias = Annotated[str, msgspec.Meta(max_length=16)]
"""A code of the catalogue, such as "zh_Hant"; one that is not known is taken for the table's."""

Hex: TypeAlias = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]
"""32 bytes in hexadecimal digits: a public key, or a proof (`device.handshake`)."""


class _Frame(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="is"):
    """What every frame has. link: of which WebSocket it is."""

    link: Link


class PageOpened(_Frame, frozen=True, tag="opened"):
    """A page is there. language: what its browser asks for. network: where it comes from (`device.web.host_names`)."""

    language: Spoken = ""
    network: Annotated[str, msgspec.Meta(max_length=64)] = ""


class Join(_Frame, frozen=True, tag="join"):
    """It wants the seat of its audience, or the table itself. public: its public key; proof: that it knows the code of
    the invitation, or the number of the seat's phone (number)."""

    public: Hex
    proof: Hex
    number: bool = False


class Back(_Frame, frozen=True, tag="back"):
    """It had the seat, and comes back to it. proof: that it knows the seat's key."""

    proof: Hex


class PageTouch(_Frame, frozen=True, tag="touch"):
    """A line was tapped. serial: of the list that it stood in; line: its place, -1 one step back; menu: of the menu."""

    serial: Annotated[int, msgspec.Meta(ge=0, lt=1 << 53)]
    line: Annotated[int, msgspec.Meta(ge=-1, lt=10_000)]
    menu: bool = False


class Speak(_Frame, frozen=True, tag="speak"):
    """The page changes its language."""

    language: Spoken


class Name(_Frame, frozen=True, tag="name"):
    """Whoever holds the phone says how they are called; "": not at all."""

    text: Annotated[str, msgspec.Meta(max_length=64)]


class Go(_Frame, frozen=True, tag="go"):
    """The phone gives its seat up."""


class Closed(_Frame, frozen=True, tag="closed"):
    """The page is gone; it may come back on another link."""


class Hello(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="is", tag="hello"):
    """The first frame to a worker. public: the daemon's public key, for the challenges to its pages."""

    public: Hex


class To(_Frame, frozen=True, tag="to"):
    """JSON text for the page, to be passed on as it is. at: the place of the daemon's grid of time that it is for; it
    goes out HELD_S after that."""

    text: str
    at: float = 0.0


class Close(_Frame, frozen=True, tag="close"):
    """The same, and then the WebSocket is to be closed. text "": nothing more is said."""

    text: str = ""


class Admit(_Frame, frozen=True, tag="admit"):
    """The page has the key of its seat, or of the table: from now on no other page takes its room."""


FromWorker: TypeAlias = PageOpened | Join | Back | PageTouch | Speak | Name | Go | Closed
ToWorker: TypeAlias = Hello | To | Close | Admit


def port_of(audience: str, first: int) -> int:
    """The TCP port of an audience's pages. first: the table's."""
    return first + AUDIENCES.index(audience)


def challenge(public: str, link: int) -> str:
    """Return what a page is asked to prove something with: no other link of any connection has the same."""
    return f"{public}{link:08x}"


def pack(frame: msgspec.Struct) -> bytes:
    """A frame as it goes over the socket."""
    data = msgspec.json.encode(frame, order="deterministic")
    return len(data).to_bytes(HEAD, "big") + data


class Unpacker:
    """Cuts what comes from a socket into frames; one that is too long is skipped and never kept."""

    def __init__(self, longest: int) -> None:
        """longest: bytes from which on a frame is skipped."""
        self._longest, self._data, self._skip = longest, bytearray(), 0

    def feed(self, data: bytes, most: int = 1 << 30) -> Iterator[bytes | None]:
        """The JSON of every frame that is whole now, at most so many: the others come with the next call. None for one
        that is too long, once it begins."""
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
"""The unions, for a decoder."""
