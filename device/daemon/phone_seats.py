"""Who has a seat by phone: codes that invite, each good once, and the phones' own keys, of which a digest is kept.

Pure: what is drawn by chance is handed in. A phone says neither its key nor a code, but proves that it knows them
(`device.handshake`). A seat that is passed on stays with its phone until the next one proves that it knows the
code; then the old key is known as one that was, and is told so.
"""

from __future__ import annotations

import base64
from enum import StrEnum

import msgspec

from device.handshake import KeyProof, digest
from engine.table import Seat
from engine.text import Text, say

BITS = 80
"""Of a code: nobody guesses it in an evening, and its QR code stays coarse enough for a small display."""

DIGITS = 6
"""Of the number by which a seat is taken back. It is typed, so it is short, and tries are rationed."""

REMEMBERED = 32
"""Spent codes, and keys that had a seat: so many are told what became of them, the newest."""


class RefusalReason(StrEnum):
    """Why a page is refused; the page's program knows these words."""

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
    RefusalReason.TAKEN: say("This seat has a phone. At the table: menu, By phone, gives a new code."),
    RefusalReason.WRONG: say(
        "That number is wrong: the six digits are in the phone's menu. For a new code: table menu, By phone."
    ),
    RefusalReason.REVOKED: say("Somebody else has this seat, or it was left. Scan its code to take it back."),
    RefusalReason.SUPERSEDED: say("This seat is now open on another page."),
    RefusalReason.STALE: say("The list changed. Please choose again."),
    RefusalReason.BUSY: say("Too fast: the last tap still counts. Tap again in a moment."),
    RefusalReason.FULL: say("Too many pages are open at this table. Close some, then try again."),
    RefusalReason.TRIES: say("Too many numbers were tried. Wait a minute."),
    RefusalReason.OFF: say(
        "This seat uses its own display, so no phone can take it. The table's page is for everybody."
    ),
    RefusalReason.CROWDED: say("This seat changed hands too often just now. Try again in a moment."),
    RefusalReason.UNKEPT: say("The table can't save to its disk just now. Try again."),
}


class Guests(msgspec.Struct, frozen=True):
    """phones: the digest of its phone's key by the seat. gone: of keys that had a seat; spent: of codes, newest last.

    codes: those that invite now, by the seat. They are not kept over power-off.
    """

    phones: dict[Seat, str] = {}
    gone: tuple[str, ...] = ()
    spent: tuple[str, ...] = ()
    codes: dict[Seat, str] = {}


def code_of(drawn: int) -> str:
    """BITS random bits as what stands in an address: letters and digits of base32 (RFC 4648)."""
    return base64.b32encode(drawn.to_bytes(BITS // 8, "big")).decode()


def encode(guests: Guests) -> str:
    """Return the guests as they are kept on disk: without codes and keys."""
    return msgspec.json.encode(msgspec.structs.replace(guests, codes={}), order="deterministic").decode()


def decode(kept: str | None) -> Guests:
    """The guests of the last evening; none if nothing was kept, or what was kept is not theirs."""
    try:
        return msgspec.json.decode(kept or "{}", type=Guests)
    except msgspec.DecodeError:
        return Guests()


def invite(guests: Guests, seat: Seat, code: str) -> Guests:
    """A code for a seat, in place of the one before. Its phone, if it has one, keeps it until the code is used."""
    return msgspec.structs.replace(guests, codes={**guests.codes, seat: code})


def join(guests: Guests, seat: Seat, key: str, proof: KeyProof, *, by_number: bool = False) -> Guests | RefusalReason:
    """A phone proves that it knows the code of a seat, or its number, and has this key from now on. The code is spent;
    a phone that had the seat has it no longer, and there is another number."""
    own, held = digest(key), guests.phones.get(seat, "")
    code = number(guests, seat) if by_number else guests.codes.get(seat, "")
    if not (code and proof.shows(own, digest(code))):
        if any(proof.shows(own, each) for each in guests.spent):
            return RefusalReason.SPENT
        if not held:
            return RefusalReason.UNKNOWN
        return RefusalReason.WRONG if by_number else RefusalReason.TAKEN
    return Guests(
        phones={**guests.phones, seat: own},
        gone=remember_digest(guests.gone, held),
        spent=guests.spent if by_number else remember_digest(guests.spent, digest(code)),
        codes={each: code for each, code in guests.codes.items() if each != seat},
    )


def number(guests: Guests, seat: Seat) -> str:
    """Return the number with which the holder of a seat takes it with another phone, when the first is lost and nobody
    can agree; "" without one. It follows from the key's digest: the phone can derive it, it outlasts power-off, and
    nothing more is stored."""
    held = guests.phones.get(seat, "")
    return f"{int(digest(f'number {held}'), 16) % 10**DIGITS:0{DIGITS}}" if held else ""


def back(guests: Guests, seat: Seat, proof: KeyProof) -> RefusalReason | None:
    """A phone comes back to its seat: why it does not get it; None if it does."""
    if proof.shows(guests.phones.get(seat, "")):
        return None
    return RefusalReason.REVOKED if any(map(proof.shows, guests.gone)) else RefusalReason.UNKNOWN


def leave(guests: Guests, seat: Seat) -> Guests:
    """The seat has no phone any more."""
    held = guests.phones.get(seat, "")
    phones = {each: kept for each, kept in guests.phones.items() if each != seat}
    return msgspec.structs.replace(guests, phones=phones, gone=remember_digest(guests.gone, held))


def remember_digest(before: tuple[str, ...], spent: str) -> tuple[str, ...]:
    """Digests, the newest last, and one more if it is none that is empty."""
    return (*before, spent)[-REMEMBERED:] if spent else before
