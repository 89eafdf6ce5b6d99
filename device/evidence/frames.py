"""The frames of the table's public socket: what it says of a match in public, and where it stands for who comes late.

They are made by who has the key, and may be read, kept and passed on by everybody.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import msgspec

from device.evidence.links import Signed

_STANDS = b"table-referee standing 1"


class _Frame(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="is"):
    """What every frame has."""


class Said(_Frame, frozen=True, tag="said"):
    """The next link, with its signature; the first of a match is its opening."""

    link: Signed


class Standing(_Frame, frozen=True, tag="standing"):
    """How far the match under way has come, or the last one came, for who was not there: its opening, and the last
    link. All links follow, from the opening on. before: what the hash of the last covers of all before it, in
    hexadecimal; "" if it is the opening itself. signature: over `stands`, that both are of one match, as no link but
    the opening says of which it is."""

    opening: Signed
    last: Signed
    before: str
    signature: str


def stands(opening: bytes, last: bytes) -> bytes:
    """What the signature of a `Standing` is over. opening, last: the hashes of those links."""
    return _STANDS + opening + last


class Silent(_Frame, frozen=True, tag="silent"):
    """The table signs nothing now: its match was not committed to, or its key cannot be used."""


Frame: TypeAlias = Said | Standing | Silent
FRAME: Any = Frame
"""The union, for a decoder."""
