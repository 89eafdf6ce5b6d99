"""Serves pages that belong to one browser, which claims them with a code (`device.owner.claim`)."""

from __future__ import annotations

import logging
from abc import abstractmethod
from collections.abc import Callable, Mapping

from device.owner.claim import Claim, Codes, digest, open_codes, remember_digest
from device.owner.claim_files import OwnerFiles
from device.web.token_bucket import Allowance
from engine.text import Text, say
from referee_phones.daemon import seats
from referee_phones.daemon.handshake import KeyProof
from referee_phones.daemon.links import L, PageLinks
from referee_phones.daemon.seats import RefusalReason
from referee_phones.frames import Admit, Back, Join

TRIES, EACH_S = 5, 20.0
"""Attempts at once, all pages together, and seconds per further attempt."""

SENTENCES: dict[RefusalReason, Text] = {
    **seats.SENTENCES,
    RefusalReason.SPENT: say("This code has already been used. Get a new one from the table."),
    RefusalReason.UNKNOWN: say("That is not the code of this table."),
    RefusalReason.TAKEN: say(
        "This table already has an owner. If the owner's key is lost, put a new code on the SD card, or run `referee "
        "owner forget` on the table's computer."
    ),
    RefusalReason.REVOKED: say("This browser used to be the owner's. Get a new code from the table to use it again."),
    RefusalReason.SUPERSEDED: say("The owner's page is now open elsewhere."),
    RefusalReason.BUSY: say("Too fast. Wait a moment, then try again."),
}
"""Refusals of the owner's page."""

LINKS = 16
"""Pages open at once, mostly without a key."""

_log = logging.getLogger(__name__)


class ClaimedPages(PageLinks[L]):
    """Links of which at most one has proven the key."""

    def __init__(
        self,
        claim_files: OwnerFiles,
        now: Callable[[], float],
        woken: Callable[[], None],
        sentences: Mapping[RefusalReason, Text],
        language: Callable[[], str],
    ) -> None:
        super().__init__(now, woken, sentences, language)
        self._deed, self._guesses = claim_files, guesses()

    @abstractmethod
    def _on_claim(self) -> None:
        """Handle a browser's claim."""

    def _add(self, link: L) -> None:
        """Add a page, if need be in place of one without a key, or refuse it."""
        if len(self._links) >= LINKS:
            idle = next((each for each in self._links.values() if not each.secret), link)
            self._end(idle, RefusalReason.FULL)
            if idle is link:
                return
        self._links[link.worker, link.number] = link

    def _let_in(self, link: L, frame: Join | Back) -> bool:
        """Admit a page that proves a code or the key, and end those admitted before; else answer why not, and return
        False."""
        claim = self._deed.claim()
        proof = self._proof(link, frame.proof)
        why = self._claim_error(claim, link, frame, proof) if isinstance(frame, Join) else back(claim, proof)
        if why is not None:
            self._answer(link, why)
            return False
        secret = self._deed.claim().owner
        for other in [each for each in self._links.values() if each.secret]:
            self._end(other, RefusalReason.SUPERSEDED if other.secret == secret else RefusalReason.REVOKED)
        link.secret = secret
        link.worker.send(Admit(link.number))
        self._say(link, {"joined": link.worker.audience})
        return True

    def _claim_error(self, claim: Claim, link: L, frame: Join, proof: KeyProof) -> RefusalReason | None:
        if not self._guesses.take(self._now()):
            return RefusalReason.BUSY
        key = self._agree_key(link, frame)
        found = RefusalReason.UNKNOWN if key is None else join(claim, self._deed.codes(), key, proof)
        if isinstance(found, RefusalReason):
            return found
        try:
            self._deed.keep(found)
        except OSError as error:
            _log.error("the key of the page %s cannot be kept: %s", link.worker.audience, error)
            return RefusalReason.UNKEPT
        self._on_claim()
        return None


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


def guesses() -> Allowance:
    """Return a fresh allowance of attempts, right or wrong, for all together."""
    return Allowance(1 / EACH_S, TRIES)
