"""Serves pages that belong to one browser, which claims them with a code (`device.owner.claim`)."""

from __future__ import annotations

import logging
from abc import abstractmethod
from collections.abc import Callable, Mapping

from device.bus.page_frames import Admit, Back, Join
from device.daemon.page_links import L, PageLinks
from device.daemon.phone_seats import RefusalReason
from device.handshake import KeyProof
from device.owner.claim import Claim, back, guesses, join
from device.owner.claim_files import OwnerFiles
from engine.text import Text

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
