"""Links of open pages: what those of the seats, of the table and of the owner have in common.

A page is a WebSocket somewhere; here it is a link of a worker. Of what a page shows only the newest waits, and only the
fields go out that differ from what it has.
"""

from __future__ import annotations

import logging
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Generic, Protocol, TypeVar

import msgspec

from device.bus.page_frames import Close, Closed, FromWorker, Hello, Join, ToWorker, challenge
from device.daemon.phone_seats import RefusalReason
from device.handshake import KeyPair, KeyProof
from device.locale import LANGUAGES, translate
from engine.text import Text

OWN_S = 0.05
"""The grid on which a page is answered: seconds of the daemon's clock."""

TAPS_S, TAPS = 5.0, 5.0
"""Taps a second that a seat, or the owner, may make, and so many at once."""

SAYS = 8
"""Answers that wait for one link; more are not given to whoever asks so fast."""

_log = logging.getLogger(__name__)


class PageWorker(Protocol):
    """The connection of a worker (`device.bus.page_sockets.WorkerConnection`)."""

    audience: str

    @property
    def takes(self) -> bool:
        """Return True if something may be sent."""
        ...

    def send(self, frame: ToWorker) -> None: ...


class PageLink:
    """One page. secret: what is kept of the key by which its browser is let in; "" if it is not. sent: what it shows;
    count: so often that became something else. says: answers to it that wait, as JSON."""

    def __init__(self, worker: PageWorker, number: int, language: str) -> None:
        self.worker, self.number = worker, number
        self.secret = ""
        self.sent: dict[str, Any] = {}
        self.count = 0
        self.says: list[str] = []
        self.speak(language)

    def speak(self, language: str) -> None:
        """Set the language that the page wants, as its browser names it."""
        self.language = language.replace("-", "_")

    def news(self, whole: dict[str, Any]) -> dict[str, Any]:
        """Return what differs from what the page shows; from now on it shows all of it."""
        found = {name: value for name, value in whole.items() if name not in self.sent or self.sent[name] != value}
        if found:
            self.sent, self.count = whole, self.count + 1
        return found


L = TypeVar("L", bound=PageLink)


class PageLinks(ABC, Generic[L]):
    """Links by their worker and number. Not for several threads: the daemon's loop calls it.

    now: the daemon's clock. woken: called when something is due earlier than before. sentences: why a page is refused;
    language: of the table.
    """

    def __init__(
        self,
        now: Callable[[], float],
        woken: Callable[[], None],
        sentences: Mapping[RefusalReason, Text],
        language: Callable[[], str],
    ) -> None:
        self._now, self._woken, self._sentences, self._spoken = now, woken, sentences, language
        self._links: dict[tuple[PageWorker, int], L] = {}
        self._pairs: dict[PageWorker, KeyPair] = {}
        self.refused = 0
        """Frames that came at the wrong time, or on the wrong socket."""

    def meet_worker(self, worker: PageWorker) -> None:
        """A worker connects."""
        pair = self._pairs[worker] = KeyPair()
        worker.send(Hello(pair.public))

    def lose_worker(self, worker: PageWorker) -> None:
        """A worker is gone, and all its pages with it."""
        self._pairs.pop(worker, None)
        for place in [place for place in self._links if place[0] is worker]:
            del self._links[place]

    @abstractmethod
    def _owe(self, link: L) -> None:
        """Queue messages for a page at the next place of the grid."""

    def _proof(self, link: L, mark: str) -> KeyProof:
        """Return what a page answered to its challenge."""
        return KeyProof(challenge(self._pairs[link.worker].public, link.number), mark)

    def _agree_key(self, link: L, frame: Join) -> str | None:
        """Return the key that a page which joins has from now on; None if its public key is none."""
        with suppress(ValueError):
            return self._pairs[link.worker].agree_key(frame.public)
        return None

    def _next(self, grid_s: float) -> float:
        """The next place of a grid."""
        return round((math.floor(self._now() / grid_s) + 1) * grid_s, 3)

    def _language(self, link: L) -> str:
        return link.language if link.language in LANGUAGES else self._spoken()

    def _say(self, link: L, message: dict[str, Any]) -> None:
        if len(link.says) < SAYS:
            link.says.append(as_json(message))
        self._owe(link)

    def _answer(self, link: L, why: RefusalReason) -> None:
        self._say(link, self._sentence(link, why))

    def _sentence(self, link: L, why: RefusalReason) -> dict[str, Any]:
        return {"refused": translate(self._sentences[why], self._language(link)), "why": why}

    def _end(self, link: L, why: RefusalReason) -> None:
        """The page is told why, and closed. It does not come back by itself."""
        self._links.pop((link.worker, link.number), None)
        link.worker.send(Close(link.number, as_json(self._sentence(link, why))))

    def _verb_violations(self, worker: PageWorker, frame: Closed) -> None:
        """A page is gone; also of one that was ended from here this is told."""
        self._links.pop((worker, frame.link), None)

    def _refuse(self, worker: PageWorker, frame: FromWorker) -> None:
        """Says nothing of the contents: they may be somebody's secret (law 5)."""
        self.refused += 1
        if self.refused == 1:
            _log.warning("pages %s: %s came at the wrong time; more are only counted", worker.audience, frame.__class__)


def as_json(message: dict[str, Any]) -> str:
    """Return a message as a page gets it."""
    return msgspec.json.encode(message, order="deterministic").decode()
