"""Checks page hosts against DNS rebinding.

A foreign name shows in the Host header; addresses and localhost are safe. Anybody may claim .local names (RFC 6762), so
only the table's own counts.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from ipaddress import IPv6Address, ip_address
from urllib.parse import urlsplit

_FORM = re.compile(r"[0-9A-Za-z._-]+(:\d+)?|\[[0-9A-Fa-f:.]+\](:\d+)?")
"""Form of a Host header: name or address, with optional port."""

_SECOND = re.compile(r"-\d+(?=\.local$)")
"""Suffix that multicast DNS adds to a duplicate name."""

_USUAL = {"http": 80, "https": 443}
"""Default ports, which browsers omit."""


def is_allowed(host: str, names: Collection[str]) -> bool:
    """Return True if a Host header names this machine. names: lower case."""
    name = _name(host)
    return name == "localhost" or _SECOND.sub("", name) in names or name in names or is_address(name)


def same_origin(origin: str | None, host: str) -> bool:
    """Return True if Origin matches Host or is missing. Proxies may change default ports."""
    if origin is None:
        return True
    try:
        page, served = urlsplit(origin), urlsplit(f"//{host}")
        port, asked = page.port or _USUAL.get(page.scheme), served.port
    except ValueError:  # no address in brackets, or no port
        return False
    if page.scheme not in _USUAL or not page.hostname or page.hostname != _name(host):
        return False
    return asked is None or asked in _USUAL.values() or asked == port


def network(address: str) -> str:
    """Return an IPv4 address or IPv6 /64 prefix; other text unchanged."""
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if not isinstance(found, IPv6Address):
        return str(found)
    return str(found.ipv4_mapped or IPv6Address(int(found) >> 64 << 64))


def _name(host: str) -> str:
    try:
        return (urlsplit(f"//{host}").hostname or "").removesuffix(".") if _FORM.fullmatch(host) else ""
    except ValueError:
        return ""


def in_address(host: str) -> str:
    """Return a host for a URL, IPv6 in brackets (RFC 3986, 3.2.2)."""
    return f"[{host}]" if ":" in host else host


def is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True
