"""Serves the page of the phone that is the table's camera, and puts its pictures into the vision worker's ring.

No picture is stored, logged or sent on. The page sends the next one once the last was acknowledged, and only the mat's
part once it is found.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

from device.locale import translate
from device.owner.claim import code_of, open_codes
from device.owner.claim_files import OwnerFiles
from engine.text import Text, say
from referee_phones.daemon.claimed_pages import SENTENCES as OWNERS
from referee_phones.daemon.claimed_pages import ClaimedPages
from referee_phones.daemon.links import OWN_S, PageLink, PageWorker, as_json
from referee_phones.daemon.seats import RefusalReason
from referee_phones.frames import Back, Closed, FromWorker, Join, PageOpened, PagePicture, Speak, To
from vision.cameras.ring import PictureRing

SENTENCES: dict[RefusalReason, Text] = {
    **OWNERS,
    RefusalReason.UNKNOWN: say("The table does not know this phone. Scan the camera's code in the table settings."),
    RefusalReason.REVOKED: say("Another phone is the camera now. Scan the code again to use this one."),
    RefusalReason.SUPERSEDED: say("The camera's page is now open elsewhere."),
}
"""Refusals of the camera's page."""

NO_JPEG = say("The table cannot read this phone's pictures. Reload this page.")

BEGINS, ENDS = b"\xff\xd8\xff", b"\xff\xd9"
"""First and last bytes of a JPEG file (ITU-T T.81, B.1.1.3)."""

_log = logging.getLogger(__name__)


class CameraLink(PageLink):
    """One page. due: when its replies are sent."""

    due: float | None = None


class CameraPages(ClaimedPages[CameraLink]):
    """The links of the camera's page.

    ring: receives the pictures.
    drawn: returns `BITS` random bits.
    words: returns sentences about the picture.
    """

    def __init__(
        self,
        ring: PictureRing,
        claim_files: OwnerFiles,
        now: Callable[[], float],
        woken: Callable[[], None],
        *,
        drawn: Callable[[], int],
        words: Callable[[], tuple[Text, ...]],
        language: Callable[[], str],
    ) -> None:
        super().__init__(claim_files, now, woken, SENTENCES, language)
        self._ring, self._drawn, self._words = ring, drawn, words
        self._serial = 0
        self._renew_code()

    @property
    def linked(self) -> bool:
        """True if a phone is the camera now."""
        return any(link.secret for link in self._links.values())

    @property
    def code(self) -> str:
        """The code for a phone to become the camera; "" if none could be stored."""
        return next(iter(open_codes(self._deed.claim(), self._deed.codes())), "")

    # Input.

    def on_frame(self, worker: PageWorker, frame: FromWorker) -> None:
        """Handle a worker's frame; drop and count unexpected ones."""
        link = self._links.get((worker, frame.link))
        match frame:
            case PageOpened() if link is None:
                self._add(CameraLink(worker, frame.link, frame.language))
            case Closed():
                self._on_closed(worker, frame)
            case Speak() if link is not None:
                link.speak(frame.language)
            case Join() | Back() if link is not None and not link.secret:  # once per challenge
                self._let_in(link, frame)
            case PagePicture() if link is not None and link.secret:
                self._on_picture(link, frame.jpeg)
            case _:
                self._refuse(worker, frame)

    def ready(self, worker: PageWorker) -> None:
        for link in self._links.values():
            if link.worker is worker and link.says:
                self._owe(link)

    # Output.

    @property
    def due(self) -> float | None:
        """Time of the next message; None if nothing is due."""
        times = (link.due for link in self._links.values() if link.worker.takes)
        return min((due for due in times if due is not None), default=None)

    def publish(self) -> None:
        """Send due messages to workers that are ready."""
        now = self._now()
        for link in self._links.values():
            if link.worker.takes and link.due is not None and link.due <= now:
                link.due = None
                for message in link.says:
                    link.worker.send(To(link.number, message))
                link.says.clear()

    def _owe(self, link: CameraLink) -> None:
        link.due = self._next(OWN_S)
        self._woken()

    # Frames.

    def _on_claim(self) -> None:
        _log.info("another phone is the camera from now on")
        self._renew_code()

    def _renew_code(self) -> None:
        """Make a code for another phone unless one is open; a code admits one phone."""
        if self.code:
            return
        try:
            self._deed.set_code(code_of(self._drawn()))
        except OSError as error:
            _log.error("no phone can become the camera: no code can be kept (%s)", error)

    def _on_picture(self, link: CameraLink, jpeg: bytes) -> None:
        """Pass a JPEG on, or refuse other data; acknowledge at once, so that the next is not late."""
        if jpeg.startswith(BEGINS) and jpeg.endswith(ENDS):
            self._serial += 1
            self._ring.put(self._serial, self._now(), jpeg)
        else:
            self._say(link, {"refused": translate(NO_JPEG, self._language(link)), "why": "picture"})
        if link.worker.takes:
            said = [translate(each, self._language(link)) for each in self._words()]
            ring = self._ring
            took = {"pace": ring.pace, "relocks": ring.relocks, "region": ring.region, "said": said}
            link.worker.send(To(link.number, as_json({"took": took})))
