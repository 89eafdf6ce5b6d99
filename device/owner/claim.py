"""Whose the table is: claimed once with a code from the card, and from then on opened by one browser's key alone.

Pure, and kept as guests' keys are (`device.daemon.phone_seats`): of a key, and of a code that was used, a digest. A
code that somebody with the card in hand has put there anew replaces the owner, so that a lost key is replaced at the
card and never over the network."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from device.daemon.phone_seats import SENTENCES as GUESTS
from device.daemon.phone_seats import RefusalReason, remember_digest
from device.handshake import KeyProof, digest
from device.token_bucket import Allowance
from engine.text import Text, say

SHORTEST = 8
"""Letters and digits of a code, 40 bits of base32: at the rate of `guesses` it takes centuries to find one."""

TRIES, EACH_S = 5, 20.0
"""Codes that may be tried at once, all pages together, and seconds until one more may be."""

UNREADABLE = "?"
"""In place of the owner's digest if it cannot be read: it is nobody's, so that nobody gets in."""

SENTENCES: dict[RefusalReason, Text] = {
    **GUESTS,
    RefusalReason.SPENT: say("This code has already been used. Get a new one from the table."),
    RefusalReason.UNKNOWN: say("That is not the code of this table."),
    RefusalReason.TAKEN: say("This table has an owner. If the key is lost, put a new code on the card."),
    RefusalReason.REVOKED: say("This browser was the owner's before. It needs a new code."),
    RefusalReason.SUPERSEDED: say("The owner's page is now open elsewhere."),
    RefusalReason.BUSY: say("Too fast. Wait a moment, then try again."),
}
"""Why the owner's page does not open, or does not take what was tapped."""


class Claim(msgspec.Struct, frozen=True):
    """owner: digest of the owner's key, "" for nobody's. gone: of keys before it; spent: of codes; newest last."""

    owner: str = ""
    gone: tuple[str, ...] = ()
    spent: tuple[str, ...] = ()


class Codes(msgspec.Struct, frozen=True):
    """The codes that there are. card: what was put on the card beside the system, "" if nothing was; own: the table's,
    which holds only while nobody owns it."""

    card: str = ""
    own: str = ""


def plain(code: str) -> str:
    """A code as it is compared, however it was typed: capitals, without spaces and dashes; "" if it is too short."""
    found = "".join(code.split()).replace("-", "").upper()
    return found if len(found) >= SHORTEST else ""


def open_codes(claim: Claim, codes: Codes) -> tuple[str, ...]:
    """Return the codes that claim the table now, each good once. The card's comes first, and also replaces an owner."""
    own = () if claim.owner else (codes.own,)
    return tuple(code for code in (plain(codes.card), *map(plain, own)) if code and digest(code) not in claim.spent)


def join(claim: Claim, codes: Codes, key: str, proof: KeyProof) -> Claim | RefusalReason:
    """A browser proves that it knows a code, and claims the table with this key. An owner before is one no more."""
    own = digest(key)
    good = [each for each in map(digest, open_codes(claim, codes)) if proof.shows(own, each)]
    if not good:
        if any(proof.shows(own, each) for each in claim.spent):
            return RefusalReason.SPENT
        return RefusalReason.TAKEN if claim.owner and not open_codes(claim, codes) else RefusalReason.UNKNOWN
    return Claim(own, remember_digest(claim.gone, claim.owner), remember_digest(claim.spent, good[0]))


def back(claim: Claim, proof: KeyProof) -> RefusalReason | None:
    """A browser comes back: why the page does not open for it; None if it does."""
    secrets = (claim.owner, *claim.gone)
    return denial(claim, next((each for each in secrets if proof.shows(each)), ""))


def denial(claim: Claim, secret: str) -> RefusalReason | None:
    """Return why the page is not open to whoever has this secret; None if it is."""
    if secret and secret == claim.owner:
        return None
    return RefusalReason.REVOKED if secret in claim.gone else RefusalReason.UNKNOWN


def forget_owner(claim: Claim) -> Claim:
    """Nobody's table any more: whoever had it needs a code again."""
    return Claim("", remember_digest(claim.gone, claim.owner), claim.spent)


def guesses() -> Allowance:
    """Return how often a code may still be tried, right or wrong, by everybody together."""
    return Allowance(1 / EACH_S, TRIES)


def group_code(sequence: Sequence[str]) -> str:
    """Codes for people to read: in groups of four."""
    return " / ".join("-".join(code[at : at + 4] for at in range(0, len(code), 4)) for code in sequence)
