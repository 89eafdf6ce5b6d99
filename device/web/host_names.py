"""Under which names the pages may be asked for.

A site elsewhere may point a name of its own at the table (DNS rebinding): then a guest's browser takes the table's
pages for that site's, and lets its scripts read them. The Host header still says that name. An address in digits and
localhost cannot be had in that way. Names under .local (RFC 6762) are given by any machine of the network: of these
only the table's own counts.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from ipaddress import IPv6Address, ip_address
from urllib.parse import urlsplit

_FORM = re.compile(r"[0-9A-Za-z._-]+(:\d+)?|\[[0-9A-Fa-f:.]+\](:\d+)?")
"""Of a Host header: a name or an IPv4 address, or an IPv6 address in brackets; and a port."""

_SECOND = re.compile(r"-\d+(?=\.local$)")
"""What multicast DNS adds to the name of a machine if another one has it already."""

_USUAL = {"http": 80, "https": 443}
"""The ports that browsers leave out."""


def allowed(host: str, names: Collection[str]) -> bool:
    """True if a Host header names this machine. names: in lower case, without a dot at the end, its own under .local
    among them."""
    name = _name(host)
    return name == "localhost" or _SECOND.sub("", name) in names or name in names or is_address(name)


def same_origin(origin: str | None, host: str) -> bool:
    """True if a browser's Origin header is of the page that Host served. Without one it was no browser, or no page.

    A browser leaves out the usual port alone. Proxies leave out any in Host, or write the usual one: then the names
    decide.
    """
    if origin is None:
        return True
    try:
        page, served = urlsplit(origin), urlsplit(f"//{host}")
        port, asked = page.port or _USUAL.get(page.scheme), served.port
    except ValueError:  # brackets around what is no address, or a port that is none
        return False
    if page.scheme not in _USUAL or not page.hostname or page.hostname != _name(host):
        return False
    return asked is None or asked in _USUAL.values() or asked == port


def network(address: str) -> str:
    """Return what counts as one guest's: an IPv4 address, or the /64 of an IPv6 address, of which one machine has all;
    anything else as it is."""
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if not isinstance(found, IPv6Address):
        return str(found)
    return str(found.ipv4_mapped or IPv6Address(int(found) >> 64 << 64))


def _name(host: str) -> str:
    """The name in a Host header, without its port; "" if it is none."""
    try:
        return (urlsplit(f"//{host}").hostname or "").removesuffix(".") if _FORM.fullmatch(host) else ""
    except ValueError:
        return ""


def in_address(host: str) -> str:
    """A host as it stands in the address of a page: an IPv6 address in brackets (RFC 3986, 3.2.2)."""
    return f"[{host}]" if ":" in host else host


def is_address(name: str) -> bool:
    """True of an IP address, False of a name."""
    try:
        ip_address(name)
    except ValueError:
        return False
    return True
