"""Manages links (WebSockets) of all pages.

Only the newest state waits, and only changes are sent.
"""

from __future__ import annotations

import logging
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Generic, Protocol, TypeVar

import msgspec

from device.locale import LANGUAGES, translate
from engine.text import Text
from referee_phones.daemon.handshake import KeyPair, KeyProof
from referee_phones.daemon.seats import RefusalReason
from referee_phones.frames import Close, Closed, FromWorker, Hello, Join, ToWorker, challenge

OWN_S = 0.05
"""Grid for replies in seconds of the daemon's clock."""

TAPS_S, TAPS = 5.0, 5.0
"""Taps per second and burst for a seat or the owner."""

SAYS = 8
"""Replies queued per link; more are dropped."""

_log = logging.getLogger(__name__)


class PageWorker(Protocol):
    """A worker's connection (`referee_phones.daemon.sockets.WorkerConnection`)."""

    audience: str

    @property
    def takes(self) -> bool:
        """True if it accepts messages."""
        ...

    def send(self, frame: ToWorker) -> None: ...


class PageLink:
    """One page. secret: its key's digest once admitted. count: changes sent. says: waiting JSON replies."""

    def __init__(self, worker: PageWorker, number: int, language: str) -> None:
        self.worker, self.number = worker, number
        self.secret = ""
        self.sent: dict[str, Any] = {}
        self.count = 0
        self.says: list[str] = []
        self.speak(language)

    def speak(self, language: str) -> None:
        """Set the language from the browser's tag."""
        self.language = language.replace("-", "_")

    def news(self, whole: dict[str, Any]) -> dict[str, Any]:
        """Return the fields that differ from the page, and note them as sent."""
        found = {name: value for name, value in whole.items() if name not in self.sent or self.sent[name] != value}
        if found:
            self.sent, self.count = whole, self.count + 1
        return found


L = TypeVar("L", bound=PageLink)


class PageLinks(ABC, Generic[L]):
    """Links by worker and number. Not thread-safe. woken: called when something is due earlier. sentences: of
    refusals."""

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
        """Frames that were unexpected or on the wrong socket."""

    def meet_worker(self, worker: PageWorker) -> None:
        """Make a key pair for a new worker, and send the public key."""
        pair = self._pairs[worker] = KeyPair()
        worker.send(Hello(pair.public))

    def lose_worker(self, worker: PageWorker) -> None:
        """Forget a worker and its pages."""
        self._pairs.pop(worker, None)
        for place in [place for place in self._links if place[0] is worker]:
            del self._links[place]

    @abstractmethod
    def _owe(self, link: L) -> None:
        """Make waiting messages due at the next grid time."""

    def _proof(self, link: L, mark: str) -> KeyProof:
        return KeyProof(challenge(self._pairs[link.worker].public, link.number), mark)

    def _agree_key(self, link: L, frame: Join) -> str | None:
        with suppress(ValueError):
            return self._pairs[link.worker].agree_key(frame.public)
        return None

    def _next(self, grid_s: float) -> float:
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
        """Refuse and close a page, which won't reconnect by itself."""
        self._links.pop((link.worker, link.number), None)
        link.worker.send(Close(link.number, as_json(self._sentence(link, why))))

    def _on_closed(self, worker: PageWorker, frame: Closed) -> None:
        self._links.pop((worker, frame.link), None)

    def _refuse(self, worker: PageWorker, frame: FromWorker) -> None:
        """Count a bad frame; log the first without its contents, which may be secret (law 5)."""
        self.refused += 1
        if self.refused == 1:
            _log.warning("pages %s: %s came at the wrong time; more are only counted", worker.audience, frame.__class__)


def as_json(message: dict[str, Any]) -> str:
    """Return a message as the page receives it."""
    return msgspec.json.encode(message, order="deterministic").decode()
