"""Names the audiences of pages; each has a TCP port."""

from __future__ import annotations

OWNER = "owner"
"""The audience of the owner's page."""

SEATS = ("a", "b", "c", "d")
AUDIENCES = ("table", *SEATS, OWNER)
"""The audiences of every table in the order of their ports."""

CAMERA = "camera"
"""The audience of a phone that is the table's camera; its port follows theirs."""


def port_of(audience: str, first: int) -> int:
    """Return an audience's TCP port. first: the table's."""
    return first + (*AUDIENCES, CAMERA).index(audience)
