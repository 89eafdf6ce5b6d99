"""A page's WebSocket counts what a page says by its frames, not by the pieces in which the network brings them."""

from __future__ import annotations

import asyncio
from typing import cast

from referee_phones.page_messages import LONGEST
from referee_phones.websocket import BURST, TOO_MUCH, UNFIT, PageSocket

SAID = "x" * LONGEST
REQUEST = [
    (b"host", b"table"), (b"upgrade", b"websocket"), (b"connection", b"Upgrade"), (b"sec-websocket-version", b"13"),
    (b"sec-websocket-key", b"AAAAAAAAAAAAAAAAAAAAAA=="),
]  # fmt: skip


class Wire:
    """What goes out to the page."""

    def __init__(self) -> None:
        self.sent, self.closed = list[bytes](), False

    def write(self, data: bytes) -> None:
        self.sent.append(data)

    def close(self) -> None:
        self.closed = True

    def is_closing(self) -> bool:
        return self.closed

    def get_write_buffer_size(self) -> int:
        return 0


class Hears:
    def __init__(self) -> None:
        self.heard: list[str] = []
        self.pictures: list[int | None] = []

    def handle_message(self, number: int, text: str) -> None:
        self.heard.append(text)

    def handle_picture(self, number: int, jpeg: bytes | None) -> None:
        self.pictures.append(None if jpeg is None else len(jpeg))

    def handle_close(self, number: int) -> None:
        raise AssertionError("the connection has not ended")


def fed(pieces: list[bytes]) -> tuple[list[str], int | None]:
    """What is heard of a page whose bytes come all at once, in these pieces; the code with which it is closed."""
    hears, code = sent(pieces)
    return hears.heard, code


def pictured(pieces: list[bytes], longest: int) -> tuple[list[int | None], int | None]:
    """The same of a page that may send pictures of so many bytes: their sizes."""
    hears, code = sent(pieces, longest)
    return hears.pictures, code


def sent(pieces: list[bytes], longest: int = 0) -> tuple[Hears, int | None]:
    async def scenario() -> tuple[Hears, int | None]:
        hears, wire = Hears(), Wire()
        socket = PageSocket(1, "10.0.0.1", hears, cast(asyncio.Transport, wire), 0.0, longest=longest)
        socket.accept(REQUEST, "/link")
        for piece in pieces:
            if not wire.closed:
                socket.feed(piece, 0.0)
        return hears, int.from_bytes(wire.sent[-1][2:4], "big") if wire.closed else None

    return asyncio.run(scenario())


def picture(size: int, opcode: int = 2, *, ends: bool = True) -> bytes:
    return frame("x" * size, opcode, ends=ends)


def frame(text: str, opcode: int = 1, *, ends: bool = True) -> bytes:
    """A frame as a browser sends it (RFC 6455, 5.2), under a mask of zeros."""
    data = text.encode()
    size = bytes([0x80 | len(data)]) if len(data) < 126 else bytes([0x80 | 126]) + len(data).to_bytes(2, "big")
    return bytes([(0x80 if ends else 0) | opcode]) + size + bytes(4) + data


def cut(data: bytes, size: int) -> list[bytes]:
    return [data[at : at + size] for at in range(0, len(data), size)]


def test_a_message_that_comes_in_many_pieces_is_one_frame() -> None:
    pieces = cut(frame(SAID), 5)
    assert len(pieces) > 5 * BURST
    assert fed(pieces) == ([SAID], None)


def test_a_message_of_many_empty_frames_is_cut_off() -> None:
    begun = frame("", ends=False) + frame("", 0, ends=False) * int(BURST)
    assert fed([begun]) == ([], UNFIT)


def test_what_is_longer_than_a_page_may_say_is_cut_off_in_one_message_only() -> None:
    half = "x" * (LONGEST // 2 + 1)
    assert fed([frame(half), frame(half)]) == ([half, half], None)
    assert fed([frame(half, ends=False), frame(half, 0)]) == ([], TOO_MUCH)


def test_a_picture_arrives_whole_from_any_pieces_and_of_one_that_is_too_large_only_that_it_was() -> None:
    good, large = picture(1000), picture(1001)
    assert pictured([good, *cut(good, 7), large, good], 1000) == ([1000, 1000, None, 1000], None)
    halves = [picture(600, ends=False), picture(400, 0), picture(600, ends=False), picture(401, 0), good]
    assert pictured(halves, 1000) == ([1000, None, 1000], None)


def test_pictures_that_a_browser_splits_are_no_flood() -> None:
    pieces = [picture(1, ends=False), *(picture(1, 0, ends=False) for _ in range(4)), picture(1, 0)]
    assert pictured(pieces * int(BURST), 1000) == ([6] * int(BURST), None)


def test_a_page_that_sends_no_pictures_is_cut_off_when_it_does() -> None:
    assert pictured([picture(10)], 0) == ([], UNFIT)
