"""Ports for servers that are killed and started again."""

from __future__ import annotations

import random
import socket
from contextlib import ExitStack, suppress


def free_ports(count: int) -> tuple[int, ...]:
    """So many different ones that no socket is given by itself: they are still free after a kill."""
    found = list[int]()
    with ExitStack() as held:
        while len(found) < count:
            port = random.randrange(20_000, 30_000)
            with suppress(OSError):
                held.enter_context(socket.create_server(("localhost", port)))
                found.append(port)
    return tuple(found)
