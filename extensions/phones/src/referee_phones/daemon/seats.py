"""Tracks phones' seats: single-use codes, and digests of keys.

Pure. Phones prove keys and codes without sending them (`handshake`). The old phone keeps a seat until the new code is
used.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

from device.owner.claim import digest, remember_digest
from device.session import tapping
from engine.table import Seat
from engine.text import Text, say
from referee_phones.daemon.handshake import KeyProof

DIGITS = 6
"""Digits of a seat's recovery number, which is typed; attempts are limited."""


class RefusalReason(StrEnum):
    """Reasons for refusing a page, also known to the page's program."""

    SPENT = "spent"
    UNKNOWN = "unknown"
    TAKEN = "taken"
    WRONG = "wrong"
    REVOKED = "revoked"
    SUPERSEDED = "superseded"
    STALE = "stale"
    BUSY = "busy"
    FULL = "full"
    UNKEPT = "unkept"
    CROWDED = "crowded"
    TRIES = "tries"
    OFF = "off"


SENTENCES: dict[RefusalReason, Text] = {
    RefusalReason.SPENT: say("This code has already been used. Scan a new one at the table."),
    RefusalReason.UNKNOWN: say("The table does not know this phone. Scan the seat's code at the table."),
    RefusalReason.TAKEN: say("This seat already has a phone. For a new code, choose By phone in the table menu."),
    RefusalReason.WRONG: say(
        "That number is wrong: the six digits are in the phone's menu. For a new code, choose By phone in the "
        "table menu."
    ),
    RefusalReason.REVOKED: say("Somebody else has this seat, or it was given up. Scan its code to take it back."),
    RefusalReason.SUPERSEDED: say("This seat is now in use on another page."),
    RefusalReason.STALE: tapping.CHANGED,
    RefusalReason.BUSY: say("Too fast: your last tap is still being handled. Tap again in a moment."),
    RefusalReason.FULL: say("Too many pages are open at this table. Close some, then try again."),
    RefusalReason.TRIES: say("Too many numbers were tried. Wait a minute."),
    RefusalReason.OFF: say(
        "This seat uses its own display, so no phone can take it. The table's page is for everybody."
    ),
    RefusalReason.CROWDED: say("This seat changed hands too often just now. Try again in a moment."),
    RefusalReason.UNKEPT: say("The table can't save to its disk just now. Try again."),
}


class SeatedPhones(msgspec.Struct, frozen=True):
    """The phones at a table.

    phones: key digests.
    gone, spent: digests of former keys and used codes.
    codes: valid ones, lost at power-off.
    at: the table's address when each joined. A browser keeps the key for that address alone.
    """

    phones: dict[Seat, str] = {}
    gone: tuple[str, ...] = ()
    spent: tuple[str, ...] = ()
    codes: dict[Seat, str] = {}
    at: dict[Seat, str] = {}


def encode(guests: SeatedPhones) -> str:
    """Return the guests for storage, without codes."""
    return msgspec.json.encode(msgspec.structs.replace(guests, codes={}), order="deterministic").decode()


def decode(kept: str | None) -> SeatedPhones:
    """Return the stored guests; none if unreadable."""
    try:
        return msgspec.json.decode(kept or "{}", type=SeatedPhones)
    except msgspec.DecodeError:
        return SeatedPhones()


def invite(guests: SeatedPhones, seat: Seat, code: str) -> SeatedPhones:
    """Return the guests with a new code for a seat, whose phone stays until it is used."""
    return msgspec.structs.replace(guests, codes={**guests.codes, seat: code})


def join(
    guests: SeatedPhones, seat: Seat, key: str, proof: KeyProof, *, by_number: bool = False, at: str = ""
) -> SeatedPhones | RefusalReason:
    """Return the guests with a seat given to a phone that proves its code or number, or why not. Code and old key
    expire. at: the table's address."""
    own, held = digest(key), guests.phones.get(seat, "")
    code = number(guests, seat) if by_number else guests.codes.get(seat, "")
    if not (code and proof.shows(own, digest(code))):
        if any(proof.shows(own, each) for each in guests.spent):
            return RefusalReason.SPENT
        if not held:
            return RefusalReason.UNKNOWN
        return RefusalReason.WRONG if by_number else RefusalReason.TAKEN
    return SeatedPhones(
        phones={**guests.phones, seat: own},
        gone=remember_digest(guests.gone, held),
        spent=guests.spent if by_number else remember_digest(guests.spent, digest(code)),
        codes={each: code for each, code in guests.codes.items() if each != seat},
        at={**guests.at, seat: at} if at else guests.at,
    )


def keyholders(guests: SeatedPhones, at: str) -> tuple[Seat, ...]:
    """Return the seats whose phones can come back by themselves. at: the table's address now."""
    return tuple(seat for seat in sorted(guests.phones) if guests.at.get(seat, at) == at)


def number(guests: SeatedPhones, seat: Seat) -> str:
    """Return a seat's recovery number, from the key's digest; "" without a phone."""
    held = guests.phones.get(seat, "")
    return f"{int(digest(f'number {held}'), 16) % 10**DIGITS:0{DIGITS}}" if held else ""


def back(guests: SeatedPhones, seat: Seat, proof: KeyProof) -> RefusalReason | None:
    """Return why a returning phone can't have its seat, or None."""
    if proof.shows(guests.phones.get(seat, "")):
        return None
    return RefusalReason.REVOKED if any(map(proof.shows, guests.gone)) else RefusalReason.UNKNOWN


def leave(guests: SeatedPhones, seat: Seat) -> SeatedPhones:
    """Return the guests without a seat's phone, whose key becomes a former one."""
    held = guests.phones.get(seat, "")
    phones = {each: kept for each, kept in guests.phones.items() if each != seat}
    return msgspec.structs.replace(guests, phones=phones, gone=remember_digest(guests.gone, held))
