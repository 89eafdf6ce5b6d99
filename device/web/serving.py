"""Opens listening sockets and words their addresses and errors."""

from __future__ import annotations

import asyncio
import os
import re
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from device.web.host_names import in_address

EVERYWHERE = ("0.0.0.0", "::")
"""Hosts meaning all addresses, useless in a browser."""


CARDS = Path("/sys/class/net")
"""The kernel's list of network interfaces; those of hardware have a `device`."""

SIOCGIFADDR, IFNAMSIZ, IFREQ_SIZE = 0x8915, 15, 40
"""Request for an interface's address (netdevice(7))."""

BACKLOG = 128

FIRST_FD = 3
"""First socket that systemd passes (SD_LISTEN_FDS_START)."""


class PageError(OSError):
    """A page can't be served there."""


async def check_free(host: str, port: int) -> None:
    """Raise PageError if the port is taken. Port 0 is always free."""
    with translated_errors(host, port):
        server = await asyncio.get_running_loop().create_server(asyncio.Protocol, host, port)
        server.close()
        await server.wait_closed()


def systemd_sockets() -> tuple[socket.socket, ...]:
    """Return systemd's sockets in the unit's order (sd_listen_fds(3)); () if none were passed to this process."""
    count = os.environ.get("LISTEN_FDS", "")
    if os.environ.get("LISTEN_PID") != str(os.getpid()) or not count.isdecimal():
        return ()
    return tuple(socket.socket(fileno=FIRST_FD + number) for number in range(int(count)))


def listen(host: str, port: int, remedy: str) -> socket.socket:
    """Open and return a listening socket; port 0 takes a free one. Raises PageError."""
    with translated_errors(host, port, remedy):
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family, backlog=BACKLOG)


@contextmanager
def translated_errors(host: str, port: int, remedy: str = "choose another --host or --port") -> Iterator[None]:
    """Turn listening errors into PageError."""
    try:
        yield
    except OSError as error:
        why = (error.strerror or str(error)).rpartition(": ")[2]
        raise PageError(f"no page can be opened at {host}:{port} ({why}): {remedy}") from error


def url(host: str, port: int, path: str = "") -> str:
    """Return a page's URL (see `in_url`)."""
    return f"http://{in_url(host)}:{port}/{path}"


def in_url(host: str) -> str:
    """Return a host as in a URL; for EVERYWHERE this machine's own."""
    found = (own_address(host) or own_name()) if host in EVERYWHERE else host
    return f"[{found}]" if ":" in found else found


def own_name() -> str:
    """Return this machine's multicast DNS name (RFC 6762), without characters that Avahi drops."""
    kept = re.sub("[^0-9A-Za-z-]", "", socket.gethostname().partition(".")[0])
    return f"{kept or 'linux'}.local"


def page_address(hosts: Sequence[str], port: int, *, tls: bool) -> str:
    """Return a page's address at the first of these hosts, or at this machine's name."""
    host = in_address(hosts[0]) if hosts else own_name()
    return f"http{'s' if tls else ''}://{host}:{port}/"


def own_address(host: str) -> str:
    """Return the address by which others reach EVERYWHERE, rather of a network card than of a tunnel; "" without one.
    host: one of EVERYWHERE."""
    family, elsewhere = (socket.AF_INET6, "2001:db8::1") if ":" in host else (socket.AF_INET, "198.51.100.1")
    cards = _card_addresses() if family == socket.AF_INET else []
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((elsewhere, 9))
            found = str(probe.getsockname()[0])
    except OSError:
        found = ""
    return found if found in cards or not cards else cards[0]


def is_own(address: str) -> bool:
    """Return True if this machine has the address now."""
    try:
        with socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.bind((address, 0))
    except OSError:
        return False
    return True


def _card_addresses() -> list[str]:
    """Return the IPv4 addresses of network cards, as Linux lists them; none where a service may open no socket."""
    import fcntl

    found = list[str]()
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        for card in sorted(CARDS.glob("*/device")):
            name = card.parent.name.encode()[:IFNAMSIZ].ljust(IFREQ_SIZE, b"\0")
            with suppress(OSError):  # it has none
                found.append(socket.inet_ntoa(fcntl.ioctl(probe, SIOCGIFADDR, name)[20:24]))
    return found
