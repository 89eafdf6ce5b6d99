"""What the machine's tests read from the bytes that displays are sent."""

from __future__ import annotations

from tools.machine.guest.oled import HEAD, SPI, Displays, Key


def record(ns: int, key: Key, message: bytes) -> bytes:
    return HEAD.pack(ns, *key, len(message)) + message


def test_what_is_sent_again_as_it_was_is_no_change() -> None:
    """Each second a display is sent a part of what it shows: no press led to that."""
    displays, key = Displays(), (0, 0x3C)
    line = record(1, key, b"\x00\xb0\x00\x10") + record(2, key, b"\x40" + bytes(range(8)))
    displays.feed(line + record(7, key, b"\x00\xb0\x00\x10") + record(8, key, b"\x40" + bytes(range(8))))
    assert displays.last == {key: 2}
    displays.feed(record(9, key, b"\x40\x01"))
    assert displays.last == {key: 9}


def test_a_transfer_costs_its_bus_a_bit_to_begin_and_one_to_end() -> None:
    """As `xfer` of modules/pi_buses.c has it."""
    displays, key = Displays(), (0, 0x3C)
    displays.feed(record(1, key, b"\x00\xb0\x00\x10"))
    assert displays.bits == {key: 5 * 9 + 2}
    displays.feed(record(2, key, b"\x40" + bytes(8)) + record(3, (SPI, 1), bytes(8)))
    assert displays.bits == {key: 5 * 9 + 2 + 10 * 9 + 2}


def test_a_display_on_spi_is_changed_by_other_pixels_alone() -> None:
    displays, key = Displays(), (SPI, 0)

    def line(ns: int, pixels: bytes) -> bytes:
        window = ((0x15, b"\x1c\x1d"), (0x75, b"\x00\x00"), (0x5C, pixels))
        pieces = ((number, piece) for command, data in window for number, piece in ((0, bytes([command])), (1, data)))
        return b"".join(record(ns, (SPI, is_data), piece) for is_data, piece in pieces)

    displays.feed(line(1, b"\xf0\x0f\xff\x00"))
    displays.feed(line(2, b"\xf0\x0f\xff\x00"))
    assert displays.last == {key: 1}
    displays.feed(line(3, b"\xf0\x0f\xff\x0f"))
    assert displays.last == {key: 3}
