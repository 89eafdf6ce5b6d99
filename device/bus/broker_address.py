"""Checks addresses of MQTT brokers."""

from __future__ import annotations

import re

BROKER, LONGEST_BROKER = r"^[0-9A-Za-z.-]+(:[0-9]{1,5})?$", 260
"""Pattern HOST or HOST:PORT, and its longest length."""


def is_broker(address: str) -> bool:
    """Return True for HOST or HOST:PORT."""
    if len(address) > LONGEST_BROKER or re.fullmatch(BROKER, address) is None:
        return False
    _, colon, port = address.partition(":")
    return not colon or (port[0] != "0" and is_port(int(port)))


def is_port(number: int) -> bool:
    return 1 <= number <= 65_535
