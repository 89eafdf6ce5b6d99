"""Signs what the table says in public of the match under way, as its entries are accepted; what others note is told.

Nothing waits for it on the way to the disk or to a display: an entry is signed once it is written and shown, and then
goes out at the table's public socket. Only what players are to note, the first head and the last, is signed before it
is shown. The stream itself is kept nowhere, as the same entries make the same links (`device.evidence.stream`).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

from device.bus.page_frames import pack
from device.evidence.commitment import SALT, salted
from device.evidence.public_entries import FORMAT, Body, Head, Signed, UnknownFormat
from device.evidence.public_frames import Said, Silent, Standing
from device.journal.formats import decoded, encoded
from device.journal.match_info import About, Secret
from device.logs import place
from device.session.opening import UNFIT
from device.session.table import KnownGame
from device.version import version
from engine.entry import Entry, Start
from engine.errors import RefereeError
from engine.options import complete
from engine.table import SEATS
from engine.text import Text, say

if TYPE_CHECKING:
    from device.evidence.stream import Signer, Speaker
    from device.evidence.table_key import TableKey

_log = logging.getLogger(__name__)

NEWER = say("This match is not signed: a newer referee began it. Update this one.")
UNSIGNED = say("This match is not signed. The service's log says why.")
BROKEN = say("This match is no longer signed. The service's log says why.")

_FAULTS = (RefereeError, OSError, ImportError, *UNFIT)
"""What may go wrong with the key, and with a match that another version began."""


class PublicPort(Protocol):
    """Where it is said in public (`device.bus.public_socket`): frames (`device.evidence.public_frames`) as they go over
    a socket."""

    def on_step(self) -> None:
        """Hear that the table may look different."""
        ...

    def begin(self, said: Sequence[bytes], standing: bytes) -> None:
        """Another match, or none. said: all of it so far; standing: what they are sent first who come later."""
        ...

    def put(self, frame: bytes, standing: bytes) -> None:
        """Send a frame."""
        ...

    def leave(self) -> None:
        """The match is about to be left: how it looks now is told, however soon the next begins."""
        ...


class Signing:
    """The stream of the current match. key: gives the table's, when it is first needed. public: hears it; None: nobody
    does. What goes wrong is logged and told, and the match goes on unsigned: nothing of it keeps a table from
    starting."""

    def __init__(self, key: Callable[[], TableKey], public: PublicPort | None = None) -> None:
        self._key, self._public = key, public
        self._under_way: _Stream | None = None
        self._waiting: list[Entry] = []
        self._broken: Text | None = None
        self.match = ""
        """The identity of the match that began last, signed or not."""

    def begin(self, known: KnownGame, entries: Sequence[Entry], about: About) -> Text | None:
        """Begin to sign a match, or go on with it: return what everybody may note before its first move, or why it is
        not signed; None if it was not committed to. What waits of the match before is signed first. known: its game."""
        self.sign()
        self._under_way = self._broken = None
        self.match = about.id
        start, *rest = entries
        if about.secret is None or not isinstance(start, Start):
            self._be_silent()
            return None
        from device.evidence.stream import Signer, Speaker, opening

        try:
            key = self._key()
            first = opening(start, about.id, about.table, about.secret, key.public)
            speaker, signer = Speaker(known, start, first, salted(about.secret.salt)), Signer(key, first.format)
            opened = signer.sign(first)
        except _FAULTS as error:
            _log.error("the match is not signed: %s", _why(error))
            self._be_silent()
            return NEWER if isinstance(error, UnknownFormat) else UNSIGNED
        self._under_way, noted = _Stream(speaker, signer, opened), _to_note(signer.head)
        self._waiting += rest  # said before this program was started, and to be said again to who asks
        links = tuple(self._links())
        if self._public is not None and self._under_way is not None:
            self._public.begin([pack(Said(link)) for link in (opened, *links)], pack(self._under_way.standing()))
        return noted

    def add(self, entries: Sequence[Entry]) -> None:
        """Entries that were accepted; they are signed at the next `sign`."""
        if self._under_way is not None:
            self._waiting += entries

    def sign(self) -> None:
        """Signs what was accepted, and says it in public; to be called once everything that follows is shown."""
        for link in self._links():
            if self._public is not None and self._under_way is not None:
                self._public.put(pack(Said(link)), pack(self._under_way.standing()))

    def publish(self) -> None:
        """Sign what was accepted, and say it and how the table looks now in public."""
        self.sign()
        if self._public is not None:
            self._public.on_step()

    def leave(self) -> None:
        """The match is about to be left: how it looks now is told in public. For this alone who presses waits, as
        nobody can look at it any more afterwards."""
        if self._public is not None:
            self._public.leave()

    def last(self) -> Text | None:
        """Return what everybody may note of the last link, or that the match is no longer signed."""
        self.sign()
        return self._broken if self._under_way is None else _to_note(self._under_way.signer.head)

    def _links(self) -> Iterator[Signed]:
        """The links of what waits."""
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
    """What the table says of a match, as far as it was said."""

    def __init__(self, speaker: Speaker, signer: Signer, opened: Signed) -> None:
        self.speaker, self.signer = speaker, signer
        self._opened = self._last = opened

    def sign(self, body: Body) -> Signed:
        """The next link."""
        self._last = self.signer.sign(body)
        return self._last

    def standing(self) -> Standing:
        """Return where the stream is."""
        return Standing(self._opened, self._last, self.signer.before.hex(), self.signer.standing())


def prepare(key: Callable[[], TableKey], games: Iterable[KnownGame] = ()) -> None:
    """Reads in all that signing needs, and the key, as for `Signing`, and does once for each of these games, and for
    nobody, what is done when a match of it begins: on a small computer the first time takes longer than who begins one
    may wait. On any thread. What goes wrong is logged; a match that begins tells of it, too."""
    try:
        from device.evidence import stream  # noqa: F401

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
    """Signs how a match by the usual rules begins: of two players, if that many may play, else of the fewest of its
    first table."""
    from device.evidence.stream import Signer, Speaker, opening

    spec = known.spec
    options = complete(spec.options, {})
    count = 2 if spec.table(options, 2) is not None else spec.tables[0].seats[0]
    seats = SEATS[:count]
    start = Start(0.0, spec.name, dict(options), seats, 0, deck=known.corrections, data=known.data)
    secret = Secret("00" * SALT, version(), format=FORMAT)
    first = opening(start, "", "", secret, key.public)
    Speaker(known, start, first, salted(secret.salt))
    pack(Said(Signer(key, first.format).sign(first)))
    decoded(encoded(About(secret=secret)))


def _why(error: Exception) -> str:
    """Return the error for the log, which must contain no secret of a match."""
    expected = isinstance(error, RefereeError | OSError | ImportError)
    return str(error) if expected else f"{type(error).__name__} at {place(error)}"


def _to_note(head: Head) -> Text:
    # Translators: a hash (its first digits) that players note, to prove later that the record of the match is the same.
    return say("Head {n}, to note: {hash}", n=head.n, hash=head.short)
