"""Tracks the table's owner, who claims it with a code and is known by one browser's key.

Pure; stores digests. Only a new code on the memory card replaces an owner.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from device.daemon.phone_seats import SENTENCES as GUESTS
from device.daemon.phone_seats import RefusalReason, remember_digest
from device.handshake import KeyProof, digest
from device.token_bucket import Allowance
from engine.text import Text, say

SHORTEST = 8
"""Characters of a code, 40 bits of base32: unguessable at the rate of `guesses`."""

TRIES, EACH_S = 5, 20.0
"""Attempts at once, all pages together, and seconds per further attempt."""

UNREADABLE = "?"
"""Stands for an unreadable owner digest, so that nobody gets in."""

SENTENCES: dict[RefusalReason, Text] = {
    **GUESTS,
    RefusalReason.SPENT: say("This code has already been used. Get a new one from the table."),
    RefusalReason.UNKNOWN: say("That is not the code of this table."),
    RefusalReason.TAKEN: say(
        "This table already has an owner. If the owner's key is lost, put a new code on the SD card."
    ),
    RefusalReason.REVOKED: say("This browser used to be the owner's. Get a new code from the table to use it again."),
    RefusalReason.SUPERSEDED: say("The owner's page is now open elsewhere."),
    RefusalReason.BUSY: say("Too fast. Wait a moment, then try again."),
}
"""Refusals of the owner's page."""


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


def join(claim: Claim, codes: Codes, key: str, proof: KeyProof) -> Claim | RefusalReason:
    """Return the claim of a browser that proves a code, or why it gets none. Code and old key expire."""
    own = digest(key)
    good = [each for each in map(digest, open_codes(claim, codes)) if proof.shows(own, each)]
    if not good:
        if any(proof.shows(own, each) for each in claim.spent):
            return RefusalReason.SPENT
        return RefusalReason.TAKEN if claim.owner and not open_codes(claim, codes) else RefusalReason.UNKNOWN
    return Claim(own, remember_digest(claim.gone, claim.owner), remember_digest(claim.spent, good[0]))


def back(claim: Claim, proof: KeyProof) -> RefusalReason | None:
    """Return why a returning browser gets no page; None if it does."""
    secrets = (claim.owner, *claim.gone)
    return denial(claim, next((each for each in secrets if proof.shows(each)), ""))


def denial(claim: Claim, secret: str) -> RefusalReason | None:
    """Return why this key digest gets no page; None if it does."""
    if secret and secret == claim.owner:
        return None
    return RefusalReason.REVOKED if secret in claim.gone else RefusalReason.UNKNOWN


def forget_owner(claim: Claim) -> Claim:
    """Return the claim without an owner, whose key becomes a former one."""
    return Claim("", remember_digest(claim.gone, claim.owner), claim.spent)


def guesses() -> Allowance:
    """Return a fresh allowance of attempts, right or wrong, for all together."""
    return Allowance(1 / EACH_S, TRIES)


def group_code(sequence: Sequence[str]) -> str:
    """Return codes in groups of four characters."""
    return " / ".join("-".join(code[at : at + 4] for at in range(0, len(code), 4)) for code in sequence)
