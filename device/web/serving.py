"""Where a page is served: its address, and in one sentence why it cannot be served there."""

from __future__ import annotations

import asyncio
import os
import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager

EVERYWHERE = ("0.0.0.0", "::")
"""Hosts that stand for all of this machine's addresses: nobody can type them into a browser elsewhere."""


BACKLOG = 128

FIRST_FD = 3
"""Where systemd leaves a socket that it hands over (SD_LISTEN_FDS_START)."""


class PageError(OSError):
    """A page cannot be served where it was asked for."""


async def check_free(host: str, port: int) -> None:
    """Raises PageError if a server could not start there now: for what takes long to prepare. Port 0 is always free."""
    with told(host, port):
        server = await asyncio.get_running_loop().create_server(asyncio.Protocol, host, port)
        server.close()
        await server.wait_closed()


def inherited() -> tuple[socket.socket, ...]:
    """The listening sockets that systemd opened for this process, in their unit's order (sd_listen_fds(3))."""
    count = os.environ.get("LISTEN_FDS", "")
    if os.environ.get("LISTEN_PID") != str(os.getpid()) or not count.isdecimal():
        return ()
    return tuple(socket.socket(fileno=FIRST_FD + number) for number in range(int(count)))


def opened(host: str, port: int, remedy: str) -> socket.socket:
    """A socket that listens there; port 0 takes a free one. Raises PageError with the remedy."""
    with told(host, port, remedy):
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family, backlog=BACKLOG)


@contextmanager
def told(host: str, port: int, remedy: str = "choose another --host or --port") -> Iterator[None]:
    """Raises PageError for an error of listening there, with what to do."""
    try:
        yield
    except OSError as error:
        why = (error.strerror or str(error)).rpartition(": ")[2]
        raise PageError(f"no page can be opened at {host}:{port} ({why}): {remedy}") from error


def url(host: str, port: int, path: str = "") -> str:
    """Return the address of a page that is served there, also from a phone in the same network."""
    return f"http://{named(host)}:{port}/{path}"


def named(host: str) -> str:
    """Return a host as it is written in an address."""
    found = _own_address(host) if host in EVERYWHERE else host
    return f"[{found}]" if ":" in found else found


def own_name() -> str:
    """Return the name by which browsers in the same network find this machine, by multicast DNS (RFC 6762). Avahi
    leaves out what no host name may have."""
    kept = re.sub("[^0-9A-Za-z-]", "", socket.gethostname().partition(".")[0])
    return f"{kept or 'linux'}.local"


def _own_address(host: str) -> str:
    """This machine's address in its network, or without a network its name. Nothing is sent to find it."""
    family, elsewhere = (socket.AF_INET6, "2001:db8::1") if ":" in host else (socket.AF_INET, "198.51.100.1")
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((elsewhere, 9))
            return str(probe.getsockname()[0])
    except OSError:
        return own_name()
