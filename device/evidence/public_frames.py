"""The frames of the table's public socket: what it says of a match in public, and where it stands for who comes late.

They are made by who has the key, and may be read, kept and passed on by everybody. What it says is signed; how it looks
at a glance is not: that is no history, and proves nothing.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import msgspec

from device.evidence.public_entries import Signed

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
    """Return the message that the signature of a `Standing` is over. opening, last: the hashes of those links."""
    return _STANDS + opening + last


class Seated(msgspec.Struct, frozen=True):
    """Somebody who plays. name: theirs if they let it leave the table, else what the game or the seat calls them. side:
    what the game calls them; "" if nothing. turn: may act now."""

    seat: str
    name: str
    side: str
    turn: bool


class Scores(msgspec.Struct, frozen=True):
    """of: what is counted. entries: by player or team; "": one count for all. to: what wins, or the most there is."""

    of: str
    entries: tuple[tuple[str, int], ...]
    to: int | None = None


class Running(msgspec.Struct, frozen=True):
    """A seat's clock. left_s: seconds that were left when the glance was made; runs: it goes on since."""

    seat: str
    left_s: float
    runs: bool


class Glance(_Frame, frozen=True, tag="glance"):
    """How the table looks, in English, as everybody at it may know. Each is whole, and takes the place of the last.

    game: its title, or what is set up. match: the identity of the one under way; "": none. seats: in their order, of a
    match. status: whose turn it is, or what is waited for. paused: nobody's clock runs until somebody goes on. result:
    of a match that is over. camera: "ok", "none" if no camera watches, "silent", or what is wrong
    (`engine.table.Health`). needs: a sentence if the table needs a person, and why; "": it does not. at: when it was
    made, in seconds since 1970; None while nobody has set the table's clock. winners: the seats of those who won a
    match that is over.
    """

    game: str
    match: str
    seats: tuple[Seated, ...]
    status: str
    scores: tuple[Scores, ...]
    clocks: tuple[Running, ...]
    paused: bool
    result: str
    camera: str
    needs: str
    at: float | None = None
    winners: tuple[str, ...] = ()


class Silent(_Frame, frozen=True, tag="silent"):
    """The table signs nothing now: its match was not committed to, or its key cannot be used."""


Frame: TypeAlias = Said | Standing | Silent | Glance
FRAME: Any = Frame
"""The union, for a decoder."""
