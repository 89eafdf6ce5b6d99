"""Signs and publishes a match's entries after they are stored and shown.

Only the first and last head, which players note, are signed before they are shown. The stream can be derived again
(`referee_record.stream`).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

from device.bus.framing import pack
from device.journal.formats import decode_about, encode_about
from device.journal.match_info import About, Secret
from device.logs import place
from device.session.match_start import UNFIT
from device.session.table import KnownGame
from device.version import version
from engine.catalogue import complete
from engine.entry import Entry, Start
from engine.errors import RefereeError
from engine.table import SEATS
from engine.text import Text, say
from referee_record.public_entries import FORMAT, SALT, Body, Signed, UnknownFormat, decode_salt, note_text
from referee_record.public_frames import Said, Silent, Standing

if TYPE_CHECKING:
    from referee_record.stream import Signer, Speaker
    from referee_record.table_key import TableKey

_log = logging.getLogger(__name__)

NEWER = say("This match is not signed: a newer referee began it. Update this one.")
UNSIGNED = say("This match is not signed. The service's log says why.")
BROKEN = say("This match is no longer signed. The service's log says why.")

_FAULTS = (RefereeError, OSError, ImportError, *UNFIT)
"""Possible errors of keys and of matches from other versions."""


class PublicPort(Protocol):
    """Publishes frames of `referee_record.public_frames` (`referee_record.daemon.public_socket`)."""

    def on_step(self) -> None:
        """Note that the table's summary may have changed."""
        ...

    def begin(self, said: Sequence[bytes], standing: bytes) -> None:
        """Begin or resume a match, or none. said: its frames so far. standing: first frame for latecomers, or b""."""
        ...

    def put(self, frame: bytes, standing: bytes) -> None:
        """Send a frame. standing: new first frame for latecomers."""
        ...

    def leave(self) -> None:
        """Publish the table's summary before the match is left."""
        ...


class Signing:
    """Signs the current match; errors only end the signing. key: loads the key."""

    def __init__(self, key: Callable[[], TableKey], public: PublicPort | None = None) -> None:
        self._key, self._public = key, public
        self._under_way: _Stream | None = None
        self._waiting: list[Entry] = []
        self._broken: Text | None = None
        self.match = ""
        """Identity of the latest match, signed or not."""

    def begin(self, known: KnownGame, entries: Sequence[Entry], about: About) -> Text | None:
        """Begin or resume signing a match.

        Return a note before the first move, or why it is unsigned; None without a secret.
        """
        self.sign()
        self._under_way = self._broken = None
        self.match = about.id
        start, *rest = entries
        if about.secret is None or not isinstance(start, Start):
            self._be_silent()
            return None
        from referee_record.stream import Signer, Speaker, opening

        try:
            key = self._key()
            first = opening(start, about.id, about.table, about.secret, key.public)
            speaker, signer = Speaker(known, start, first, decode_salt(about.secret.salt)), Signer(key, first.format)
            opened = signer.sign(first)
        except _FAULTS as error:
            _log.error("the match is not signed: %s", _why(error))
            self._be_silent()
            return NEWER if isinstance(error, UnknownFormat) else UNSIGNED
        self._under_way, noted = _Stream(speaker, signer, opened), note_text(signer.head)
        self._waiting += rest  # said before this start, and repeated for readers
        links = tuple(self._links())
        if self._public is not None and self._under_way is not None:
            self._public.begin([pack(Said(link)) for link in (opened, *links)], pack(self._under_way.standing()))
        return noted

    def add(self, entries: Sequence[Entry]) -> None:
        if self._under_way is not None:
            self._waiting += entries

    def sign(self) -> None:
        """Sign and publish queued entries; call once they are shown."""
        for link in self._links():
            if self._public is not None and self._under_way is not None:
                self._public.put(pack(Said(link)), pack(self._under_way.standing()))

    def publish(self) -> None:
        """Sign and publish queued entries and the table's summary."""
        self.sign()
        if self._public is not None:
            self._public.on_step()

    def leave(self) -> None:
        if self._public is not None:
            self._public.leave()

    def last(self) -> Text | None:
        """Return the last head's note, or that signing failed; None if it never began."""
        self.sign()
        return self._broken if self._under_way is None else note_text(self._under_way.signer.head)

    def _links(self) -> Iterator[Signed]:
        waiting, self._waiting = self._waiting, []
        for entry in waiting:
            if self._under_way is None:
                return
            try:
                body = self._under_way.speaker.say(entry).body
            except _FAULTS as error:
                _log.error("the match is signed no more: %s", _why(error))
                self._under_way, self._broken = None, BROKEN
                self._be_silent()
                return
            if body is not None:
                yield self._under_way.sign(body)

    def _be_silent(self) -> None:
        if self._public is not None:
            self._public.begin((pack(Silent()),), b"")


class _Stream:
    def __init__(self, speaker: Speaker, signer: Signer, opened: Signed) -> None:
        self.speaker, self.signer = speaker, signer
        self._opened = self._last = opened

    def sign(self, body: Body) -> Signed:
        """Add the body to the record, and return it signed."""
        self._last = self.signer.sign(body)
        return self._last

    def standing(self) -> Standing:
        return Standing(self._opened, self._last, self.signer.before.hex(), self.signer.standing())


def prepare(key: Callable[[], TableKey], games: Iterable[KnownGame] = ()) -> None:
    """Load the key and rehearse signing, to save time later. Log faults. Thread-safe."""
    try:
        from referee_record import stream  # noqa: F401

        mine = key()
    except _FAULTS as error:
        _log.error("no match can be signed: %s", _why(error))
        return
    for known in games:
        try:
            _rehearse(known, mine)
        except Exception as error:  # noqa: BLE001  whatever an installed game raises, the others are rehearsed
            _log.error("the beginning of a match of %s could not be rehearsed: %s", known.spec.name, _why(error))


def _rehearse(known: KnownGame, key: TableKey) -> None:
    """Sign the start of a default match, for two players if possible."""
    from referee_record.stream import Signer, Speaker, opening

    spec = known.spec
    options = complete(spec.options, {})
    count = 2 if spec.table(options, 2) is not None else spec.tables[0].seats[0]
    seats = SEATS[:count]
    start = Start(0.0, spec.name, dict(options), seats, 0, deck=known.corrections, data=known.data)
    secret = Secret("00" * SALT, version(), format=FORMAT)
    first = opening(start, "", "", secret, key.public)
    Speaker(known, start, first, decode_salt(secret.salt))
    pack(Said(Signer(key, first.format).sign(first)))
    decode_about(encode_about(About(secret=secret)))


def _why(error: Exception) -> str:
    """Return an error for the log, without a match's secrets."""
    expected = isinstance(error, RefereeError | OSError | ImportError)
    return str(error) if expected else f"{type(error).__name__} at {place(error)}"
