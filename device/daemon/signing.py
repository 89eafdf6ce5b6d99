"""Signs what the table says in public of the match under way, as its entries are accepted; what others note is told.

Nothing of it waits on the way to the disk: an entry is signed once it is written, before anything of it is shown. The
stream itself is kept nowhere, as the same entries make the same links (`device.evidence.stream`).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from device.journal.about import About
from device.session.table import Known
from engine.entry import Entry, Start
from engine.errors import RefereeError
from engine.text import Text, say

if TYPE_CHECKING:
    from device.evidence.key import TableKey
    from device.evidence.links import Head
    from device.evidence.stream import Signer, Speaker

_log = logging.getLogger(__name__)


class Signing:
    """The stream of the current match. key: gives the table's, when it is first needed. What goes wrong is logged, and
    the match goes on unsigned."""

    def __init__(self, key: Callable[[], TableKey]) -> None:
        self._key = key
        self._under_way: tuple[Speaker, Signer] | None = None

    def begin(self, known: Known, entries: Sequence[Entry], about: About) -> Text | None:
        """Of a match that begins or is gone on with: what everybody may note before its first move; None if it was not
        committed to. known: its game."""
        self._under_way, (start, *rest) = None, entries
        if about.secret is None or not isinstance(start, Start):
            return None
        from device.evidence.stream import Signer, Speaker, opening

        try:
            key = self._key()
            first = opening(start, about.id, about.table, about.secret, key.public)
            speaker, signer = Speaker(known, start, first, bytes.fromhex(about.secret.salt)), Signer(key, first.format)
            signer.sign(first)
        except (RefereeError, OSError, ImportError) as error:
            _log.error("the match is not signed: %s", error)
            return None
        self._under_way, noted = (speaker, signer), _to_note(signer.head)
        self.add(rest)
        return noted

    def add(self, entries: Sequence[Entry]) -> None:
        """Entries that were accepted."""
        if self._under_way is None:
            return
        speaker, signer = self._under_way
        try:
            for entry in entries:
                if (body := speaker.say(entry).body) is not None:
                    signer.sign(body)
        except RefereeError as error:
            _log.error("the match is signed no more: %s", error)
            self._under_way = None

    def last(self) -> Text | None:
        """What everybody may note of the last link."""
        return None if self._under_way is None else _to_note(self._under_way[1].head)


def _to_note(head: Head) -> Text:
    # Translators: a hash (its first digits) that players note, to prove later that the record of the match is the same.
    return say("Head {n}, to note: {hash}", n=head.n, hash=head.short)
