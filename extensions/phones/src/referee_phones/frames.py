"""Defines the frames between daemon and gateway workers.

Each audience has a unix stream socket (`device.bus.framing`).
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

import msgspec

LONGEST_IN = 4096
"""Bytes of a frame to the daemon."""

LONGEST_PICTURE = 512 * 1024
"""Bytes of a phone's picture; one of 1280 x 720 has 100 to 250 KiB."""

LONGEST_PICTURE_IN = LONGEST_PICTURE * 4 // 3 + 1024
"""Bytes of its frame, in base64."""

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
"""32 bytes as hexadecimal digits: key or proof (`referee_phones.daemon.handshake`)."""


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


def challenge(public: str, link: int) -> str:
    """Return a link's unique challenge."""
    return f"{public}{link:08x}"


FROM_WORKER: Any = FromWorker
TO_WORKER: Any = ToWorker
"""The unions, for decoders."""
