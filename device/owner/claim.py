"""Tracks the table's owner, who claims it with a code and is known by one browser's key.

Pure; keeps digests. Only a new code on the memory card replaces an owner.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence

import msgspec

BITS = 80
"""Bits of a drawn code: unguessable in an evening, with a QR code for small displays."""

REMEMBERED = 32
"""Number of spent codes and former keys remembered."""

SHORTEST = 8
"""Characters of a code, 40 bits of base32: unguessable at the rate at which all pages together may try."""

UNREADABLE = "?"
"""Stands for an unreadable owner digest, so that nobody gets in."""


class Claim(msgspec.Struct, frozen=True):
    """The ownership. owner: digest of the key, or "". gone, spent: digests of former keys and used codes."""

    owner: str = ""
    gone: tuple[str, ...] = ()
    spent: tuple[str, ...] = ()


class Codes(msgspec.Struct, frozen=True):
    """Existing codes. card: from the memory card, or "". own: the table's, valid without an owner."""

    card: str = ""
    own: str = ""


def plain(code: str) -> str:
    """Return a typed code in capitals, without spaces and dashes; "" if too short."""
    found = "".join(code.split()).replace("-", "").upper()
    return found if len(found) >= SHORTEST else ""


def open_codes(claim: Claim, codes: Codes) -> tuple[str, ...]:
    """Return the valid codes, the card's first, which also replaces an owner."""
    own = () if claim.owner else (codes.own,)
    return tuple(code for code in (plain(codes.card), *map(plain, own)) if code and digest(code) not in claim.spent)


def forget_owner(claim: Claim) -> Claim:
    """Return the claim without an owner, whose key becomes a former one."""
    return Claim("", remember_digest(claim.gone, claim.owner), claim.spent)


def group_code(sequence: Sequence[str]) -> str:
    """Return codes in groups of four characters."""
    return " / ".join("-".join(code[at : at + 4] for at in range(0, len(code), 4)) for code in sequence)


def digest(key: str) -> str:
    """Return a key's or code's digest. One round suffices: keys have 128 random bits, codes 80."""
    return hashlib.sha256(key.encode()).hexdigest()


def code_of(drawn: int) -> str:
    """Return BITS random bits in base32 (RFC 4648), for an address."""
    return base64.b32encode(drawn.to_bytes(BITS // 8, "big")).decode()


def remember_digest(before: tuple[str, ...], spent: str) -> tuple[str, ...]:
    """Return the digests with this one, unless "", appended; only the newest REMEMBERED."""
    return (*before, spent)[-REMEMBERED:] if spent else before
