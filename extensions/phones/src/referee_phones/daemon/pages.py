"""Serves pages of seats (verified keys only) and table.

Others' actions are sent on a time grid and only if visible, so that private taps can't be counted (law 5).
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable
from typing import Any, Protocol

from device.locale import translate
from device.screens.page_view import PageView, Wire, wire
from device.session.table import TABLE
from device.web.token_bucket import Allowance
from engine.errors import Refusal
from engine.table import Seat
from engine.text import Text, say
from referee_phones.daemon.handshake import KeyProof, seal
from referee_phones.daemon.links import OWN_S, TAPS, TAPS_S, PageLink, PageLinks, PageWorker, as_json
from referee_phones.daemon.seats import SENTENCES, RefusalReason
from referee_phones.frames import (
    LINKS,
    Admit,
    Back,
    Closed,
    FromWorker,
    Go,
    Join,
    Name,
    PageOpened,
    PageTouch,
    Save,
    Speak,
    To,
)

OTHERS_S = 0.25
"""Grid in seconds for others' actions and automatic changes."""

NAMES_S, NAMES = 0.5, 3.0
"""Names per second and burst for a seat, as they go to disk."""

SAVES_S, SAVES = 0.1, 3.0
"""Records per second and burst for an audience."""

PART = 32 * 1024
"""Bytes of a record per message."""

NOT_SAVED = say("The match could not be saved.")

NAME = "name"
"""Refusal reason for an unusable name, with its own sentence."""


class PagesContext(Protocol):
    """The daemon's services for pages."""

    def sheet(self, audience: Seat | None) -> PageView:
        """Return a seat's page, or the table's own (None)."""
        ...

    def language(self) -> str: ...

    def barred_reason(self, seat: Seat) -> RefusalReason | None:
        """Return why phones can't take this seat, or None."""
        ...

    def join(self, seat: Seat, key: str, proof: KeyProof, network: str, *, by_number: bool) -> RefusalReason | None:
        """Give a seat to a phone, stored on return (law 2); return why not, or None. by_number: proves the recovery
        number."""
        ...

    def back(self, seat: Seat, proof: KeyProof) -> RefusalReason | None:
        """Return why a returning phone can't have its seat, or None."""
        ...

    def secret(self, seat: Seat) -> str:
        """Return the digest of the phone's key, or ""."""
        ...

    def leave(self, seat: Seat) -> RefusalReason | None:
        """Release a phone's seat, stored on return; return why not, or None."""
        ...

    def tap(self, seat: Seat, touch: PageTouch, seen_at: float) -> bool:
        """Queue a tap on a list shown since `seen_at`; return False if the queue is full."""
        ...

    def name(self, seat: Seat, frame: Name, *, by_anyone: bool) -> Text | None:
        """Name a seat's player; return a remark, or None. by_anyone: on the table's own page. Raises Refusal."""
        ...

    def save(self) -> None:
        """Begin to write the finished match's record, for `Pages.on_record`."""
        ...


class SheetLink(PageLink):
    """One page.

    seen: each list's serial and first showing (s); True is the menu.
    renews, answers: when view and replies are due.
    taps: one is being processed.
    saves: it waits for a record.
    """

    def __init__(self, worker: PageWorker, number: int, language: str, network: str) -> None:
        super().__init__(worker, number, language)
        self.network = network
        self.seen: dict[bool, tuple[int, float]] = {}
        self.renews: float | None = None
        self.answers: float | None = None
        self.taps = self.saves = False

    @property
    def audience(self) -> str:
        return self.worker.audience

    @property
    def public(self) -> bool:
        return self.audience == TABLE

    @property
    def due(self) -> float | None:
        """Time of the next message; None if nothing is due."""
        return min((at for at in (self.renews, self.answers) if at is not None), default=None)

    @property
    def shown(self) -> bool:
        """True if it may show a page view."""
        return self.public or bool(self.secret)


class Pages(PageLinks[SheetLink]):
    """The links of the seats and the table."""

    def __init__(
        self, context: PagesContext, now: Callable[[], float], woken: Callable[[], None] = lambda: None
    ) -> None:
        super().__init__(now, woken, SENTENCES, context.language)
        self._house = context
        self._taps: dict[Seat, Allowance] = {}
        self._names: dict[Seat, Allowance] = {}
        self._saves: dict[str, Allowance] = {}

    @property
    def seated(self) -> frozenset[Seat]:
        """Seats whose phone is connected."""
        return frozenset(link.audience for link in self._links.values() if link.secret)

    # Input.

    def on_frame(self, worker: PageWorker, frame: FromWorker) -> None:
        """Handle a worker's frame; drop and count unexpected ones."""
        if isinstance(frame, PageOpened):
            self._on_open(worker, frame)
            return
        link = self._links.get((worker, frame.link))
        if isinstance(frame, Closed):
            self._on_closed(worker, frame)
            return
        if link is None:
            self._refuse(worker, frame)
            return
        match frame:
            case Speak():
                link.speak(frame.language)
                self._renew(link, OTHERS_S)  # all of it, so not at each request
            case Join() | Back() if not link.public and not link.secret:  # once per challenge
                self._seat(link, frame)
            case Name(seat=str(seat)) if link.public:
                self._on_name(link, seat, frame)
            case Save() if link.shown:
                self._on_save(link)
            case PageTouch() | Name(seat=None) | Go() if link.secret:
                self._on_seat_frame(link, frame)
            case _:
                self._refuse(worker, frame)

    def ready(self, worker: PageWorker) -> None:
        """Resume sending to a worker that is ready again."""
        for link in self._links.values():
            if link.worker is worker and link.due is not None:
                link.renews = link.answers = None
                self._renew(link, OTHERS_S)
                self._owe(link)

    # From the daemon.

    def on_step(self, own: str | None = None, *, heeded: bool | None = None) -> None:
        """Renew the pages after a session change, and end links whose secret changed.

        own: the seat that caused it. heeded: True if its tap counted; False answers it as stale; None for other inputs.
        """
        for link in list(self._links.values()):
            if link.secret and link.secret != self._house.secret(link.audience):
                self._end(link, RefusalReason.REVOKED)
            elif link.shown:
                self._renew(link, OWN_S if link.audience == own else OTHERS_S)
                if heeded is not None and link.audience == own:
                    link.taps = False
                    if not heeded:
                        self._answer(link, RefusalReason.STALE)

    def on_record(self, record: bytes | None) -> None:
        """Send a record to all pages that wait for it, or tell them that it failed (None)."""
        for link in [link for link in self._links.values() if link.saves]:
            link.saves = False
            if record is None:
                self._say(link, {"note": translate(NOT_SAVED, self._language(link))})
                continue
            places = range(0, len(record), PART)
            for number, at in enumerate(places):
                part = base64.b64encode(record[at : at + PART]).decode()
                link.says.append(as_json({"part": part, "at": number, "of": len(places)}))
            self._owe(link)

    # Output.

    @property
    def due(self) -> float | None:
        """Time of the next message; None if nothing is due."""
        waits = (link.due for link in self._links.values() if link.worker.takes)
        return min((due for due in waits if due is not None), default=None)

    def publish(self) -> None:
        """Send due messages to workers that are ready."""
        now = self._now()
        sheets: dict[str, PageView] = {}
        wires: dict[tuple[str, str], Wire] = {}
        for link in list(self._links.values()):
            if not link.worker.takes:
                continue
            if link.answers is not None and link.answers <= now:
                for text in link.says:
                    link.worker.send(To(link.number, text, link.answers))
                link.says.clear()
                link.answers = None
            if link.renews is not None and link.renews <= now:
                at, link.renews = link.renews, None
                self._show(link, at, sheets, wires)

    def _show(
        self, link: SheetLink, at: float, sheets: dict[str, PageView], wires: dict[tuple[str, str], Wire]
    ) -> None:
        """Send changed fields. at: grid time, as the sending time would reveal others' work."""
        audience, language = link.audience, self._language(link)
        if audience not in sheets:
            sheets[audience] = self._house.sheet(None if link.public else audience)
        if (audience, language) not in wires:
            wires[audience, language] = wire(sheets[audience], language)
        whole = wires[audience, language]
        if not link.public:
            whole = {**whole, "codes": [_seal_invitation(link.secret, each) for each in whole["codes"]]}
        if not (news := link.news(whole)):
            return
        for menu, answers in ((False, sheets[audience].answers), (True, sheets[audience].menu)):
            if menu not in link.seen or link.seen[menu][0] != answers.serial:
                link.seen[menu] = (answers.serial, self._now())
        link.worker.send(To(link.number, as_json({"sheet": news, "number": link.count, "at": at}), at))

    def _renew(self, link: SheetLink, grid_s: float) -> None:
        due = self._next(grid_s)
        if link.shown and (link.renews is None or due < link.renews):
            link.renews = due
            self._woken()

    def _owe(self, link: SheetLink) -> None:
        if link.says and link.answers is None:
            link.answers = self._next(OWN_S)
            self._woken()

    # Frames.

    def _on_open(self, worker: PageWorker, frame: PageOpened) -> None:
        link = SheetLink(worker, frame.link, frame.language, frame.network)
        if (worker, frame.link) in self._links:
            self._refuse(worker, frame)
            return
        mine = [each for each in self._links.values() if each.audience == worker.audience]
        if len(mine) >= LINKS:
            idle = next((each for each in mine if not each.shown), None)
            self._end(idle or link, RefusalReason.FULL)
            if idle is None:
                return
        self._links[worker, frame.link] = link
        if not link.public and (why := self._house.barred_reason(link.audience)) is not None:
            self._answer(link, why)
        self._renew(link, OWN_S)

    def _seat(self, link: SheetLink, frame: Join | Back) -> None:
        seat, proof = link.audience, self._proof(link, frame.proof)
        if (why := self._house.barred_reason(seat)) is None:
            why = self._join_phone(link, frame, proof) if isinstance(frame, Join) else self._house.back(seat, proof)
        if why is not None:
            self._answer(link, why)
            return
        secret = self._house.secret(seat)
        for other in self._at(seat):
            self._end(other, RefusalReason.SUPERSEDED if other.secret == secret else RefusalReason.REVOKED)
        link.secret = secret
        link.worker.send(Admit(link.number))
        self._say(link, {"joined": seat})
        self._renew(link, OWN_S)

    def _join_phone(self, link: SheetLink, frame: Join, proof: KeyProof) -> RefusalReason | None:
        if (key := self._agree_key(link, frame)) is None:
            return RefusalReason.UNKNOWN
        return self._house.join(link.audience, key, proof, link.network, by_number=frame.number)

    def _on_seat_frame(self, link: SheetLink, frame: PageTouch | Name | Go) -> None:
        match frame:
            case PageTouch():
                self._on_touch(link, frame)
            case Name():
                self._on_name(link, link.audience, frame)
            case Go():
                self._on_gone(link)

    def _on_touch(self, link: SheetLink, touch: PageTouch) -> None:
        now = self._now()
        allowed = self._taps.setdefault(link.audience, Allowance(TAPS_S, TAPS))
        if link.taps or not allowed.take(now):
            self._answer(link, RefusalReason.BUSY)
            return
        serial, since = link.seen.get(touch.menu, (-1, now))
        if touch.serial != serial:
            self._answer(link, RefusalReason.STALE)
            return
        link.taps = self._house.tap(link.audience, touch, since)
        if not link.taps:
            self._answer(link, RefusalReason.BUSY)

    def _on_name(self, link: SheetLink, seat: Seat, frame: Name) -> None:
        allowed = self._names.setdefault(seat, Allowance(NAMES_S, NAMES))
        if not allowed.take(self._now()):
            self._answer(link, RefusalReason.BUSY)
            return
        try:
            note = self._house.name(seat, frame, by_anyone=link.public)
        except Refusal as refusal:
            self._say(link, {"refused": translate(refusal.text, self._language(link)), "why": NAME})
            return
        if note is not None:
            self._say(link, {"note": translate(note, self._language(link))})

    def _on_save(self, link: SheetLink) -> None:
        allowed = self._saves.setdefault(link.audience, Allowance(SAVES_S, SAVES))
        if link.saves or not allowed.take(self._now()):
            self._answer(link, RefusalReason.BUSY)
            return
        link.saves = True
        self._house.save()

    def _on_gone(self, link: SheetLink) -> None:
        why = self._house.leave(link.audience)
        if why is not None:
            self._answer(link, why)

    def _at(self, seat: Seat) -> Iterable[SheetLink]:
        return [link for link in self._links.values() if link.secret and link.audience == seat]


def _seal_invitation(secret: str, invitation: dict[str, Any]) -> dict[str, Any]:
    way, mark, code = invitation["address"].partition("#")
    return {**invitation, "address": f"{way}{mark}{seal(secret, code)}"}
