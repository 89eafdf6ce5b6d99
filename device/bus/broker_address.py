"""Addresses of an MQTT broker, as a table file and a club write them."""

from __future__ import annotations

import re

BROKER, LONGEST_BROKER = r"^[0-9A-Za-z.-]+(:[0-9]{1,5})?$", 260
"""The pattern of an address, HOST or HOST:PORT, and its characters at most."""


def is_broker(address: str) -> bool:
    """Return True for an address that a table file may name."""
    if len(address) > LONGEST_BROKER or re.fullmatch(BROKER, address) is None:
        return False
    _, colon, port = address.partition(":")
    return not colon or (port[0] != "0" and is_port(int(port)))


def is_port(number: int) -> bool:
    """Return True for a port of TCP."""
    return 1 <= number <= 65_535
