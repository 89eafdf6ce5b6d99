"""Serves the owner's pages, to verified keys only (`claimed_pages`)."""

from __future__ import annotations

import base64
import logging
from collections.abc import Callable
from typing import Any

from device.daemon.maintenance import Maintenance
from device.locale import LANGUAGES, translate
from device.owner.claim import Claim
from device.owner.claim_files import OwnerFiles
from device.owner.start_page import LANGUAGE_TITLE
from device.owner.steps import File, TaskStep
from device.web.token_bucket import Allowance
from referee_phones.daemon.claimed_pages import SENTENCES, ClaimedPages, denial
from referee_phones.daemon.links import OWN_S, TAPS, TAPS_S, PageLink, PageWorker, as_json
from referee_phones.daemon.seats import RefusalReason
from referee_phones.frames import Back, Closed, FromWorker, Join, PageOpened, PageTouch, Speak, To

LOOK_S = 2.0
"""Seconds between checks of ownership, for `referee owner forget`."""

PART = 128 * 1024
"""Bytes of a file per message."""

PART_S = 0.2

_log = logging.getLogger(__name__)


class StepLink(PageLink):
    """One page. file, parts: a download and its unsent parts. due: next sending time."""

    def __init__(self, worker: PageWorker, number: int, language: str) -> None:
        super().__init__(worker, number, language)
        self.file: File | None = None
        self.parts: list[dict[str, Any]] = []
        self.due: float | None = None


class OwnerPages(ClaimedPages[StepLink]):
    """The links of the owner's page."""

    def __init__(
        self,
        maintenance: Maintenance,
        claim_files: OwnerFiles,
        now: Callable[[], float],
        woken: Callable[[], None] = lambda: None,
    ) -> None:
        super().__init__(claim_files, now, woken, SENTENCES, lambda: maintenance.language)
        self._care, self._taps = maintenance, Allowance(TAPS_S, TAPS)
        self._looks_at = 0.0

    # Input.

    def on_frame(self, worker: PageWorker, frame: FromWorker) -> None:
        """Handle a worker's frame; drop and count unexpected ones."""
        if isinstance(frame, PageOpened):
            self._on_open(worker, frame)
            return
        link = self._links.get((worker, frame.link))
        match frame:
            case Closed():
                self._on_closed(worker, frame)
            case Speak() if link is not None:
                link.speak(frame.language)
                self._owe(link)
            case Join() | Back() if link is not None and not link.secret:  # once per challenge
                if self._let_in(link, frame):
                    self._care.wake()
            case PageTouch() if link is not None and link.secret:
                self._on_touch(link, frame)
            case _:
                self._refuse(worker, frame)

    def ready(self, worker: PageWorker) -> None:
        for link in self._links.values():
            if link.worker is worker:
                self._owe(link)

    # Output.

    @property
    def watched(self) -> bool:
        """True if a page has proven the key."""
        return any(link.secret for link in self._links.values())

    @property
    def due(self) -> float | None:
        """Time of the next message or check; None if nothing is due."""
        times = [link.due for link in self._links.values() if link.due is not None and link.worker.takes]
        return min([*times, *([self._looks_at] if self.watched else [])], default=None)

    def publish(self) -> None:
        """Send due messages to workers that are ready; each LOOK_S, end pages whose key no longer counts."""
        now = self._now()
        if now >= self._looks_at and self.watched:
            self._looks_at = now + LOOK_S
            self._look(self._deed.claim())
        for link in list(self._links.values()):
            if link.worker.takes and link.due is not None and link.due <= now:
                link.due = None
                self._send(link)

    def _send(self, link: StepLink) -> None:
        for message in link.says:
            link.worker.send(To(link.number, message))
        link.says.clear()
        if link.secret:
            self._show(link)
        if link.parts:
            link.worker.send(To(link.number, as_json(link.parts.pop(0))))
        if link.parts:
            link.due = self._now() + PART_S

    def _show(self, link: StepLink) -> None:
        step = self._care.step
        if step.file is not link.file:
            link.file = step.file
            link.parts = [] if step.file is None else _parts(step.file)
        whole = {**wire(step, self._language(link)), "serial": self._care.serial}
        if news := link.news(whole):
            link.worker.send(To(link.number, as_json({"step": news, "number": link.count})))

    def renew_step(self) -> None:
        """Send the step, if it changed, to pages with a key."""
        for link in self._links.values():
            if link.secret:
                self._owe(link)

    def _owe(self, link: StepLink) -> None:
        link.due = self._next(OWN_S)
        self._woken()

    # Frames.

    def _on_open(self, worker: PageWorker, frame: PageOpened) -> None:
        if (worker, frame.link) in self._links:
            self._refuse(worker, frame)
            return
        self._add(StepLink(worker, frame.link, frame.language))

    def _on_claim(self) -> None:
        _log.info("the table has an owner from now on")
        self._care.on_claim()

    def _on_touch(self, link: StepLink, touch: PageTouch) -> None:
        if not self._taps.take(self._now()):
            self._answer(link, RefusalReason.BUSY)
            return
        shown = self._care.step
        if touch.menu or touch.serial != self._care.serial or link.sent.get("serial") != touch.serial:
            self._answer(link, RefusalReason.STALE)
            return
        if touch.line in range(len(shown.choices)):
            self._care.choose(touch.line)
        if shown.doing == LANGUAGE_TITLE and touch.line in range(len(LANGUAGES)):
            self._say(link, {"speak": self._care.language})
        self.renew_step()

    def _look(self, claim: Claim) -> None:
        for link in [each for each in self._links.values() if each.secret]:
            if (why := denial(claim, link.secret)) is not None:
                self._end(link, why)


def wire(step: TaskStep, language: str) -> dict[str, Any]:
    """Return a step in one language as JSON values."""
    return {
        "doing": translate(step.doing, language),
        "now": translate(step.now, language),
        "seen": None if step.seen is None else translate(step.seen, language),
        "remarks": [translate(each, language) for each in step.remarks],
        "done": step.done,
        "of": step.of,
        "choices": [translate(each, language) for each in step.choices],
        "picture": None if step.picture is None else base64.b64encode(step.picture).decode(),
        "address": step.address,
        "file": None if step.file is None else {"name": step.file.name, "size": len(step.file.data)},
    }


def _parts(file: File) -> list[dict[str, Any]]:
    places = range(0, len(file.data), PART)
    return [
        {"part": base64.b64encode(file.data[at : at + PART]).decode(), "at": number, "of": len(places)}
        for number, at in enumerate(places)
    ]
