"""What the open pages of the seats and of the table are sent, and what comes from them (`device.daemon.page_links`).

Nothing of a match goes to a seat's link before its key was recognised on that very link. What others did goes out on a
grid of time, and only if it changes what that audience may know: so nobody counts another's private taps (law 5).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Protocol

from device.bus.page_frames import (
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
    Speak,
    To,
)
from device.daemon.page_links import OWN_S, TAPS, TAPS_S, PageLink, PageLinks, PageWorker, as_json
from device.daemon.phone_seats import SENTENCES, RefusalReason
from device.handshake import KeyProof, seal
from device.locale import translate
from device.screens.page_view import PageView, Wire, wire
from device.session.table import TABLE
from device.token_bucket import Allowance
from engine.table import Seat
from engine.text import Text

OTHERS_S = 0.25
"""The grid on which a page is shown what others did, and what happens by itself: seconds of the daemon's clock."""

NAMES_S, NAMES = 0.5, 3.0
"""The same of names, which go to the disk. A phone that opens its page anew has no more of them."""

NAME = "name"
"""The reason for refusing a name that cannot be one; not in `RefusalReason`, since its sentence says more."""


class PagesContext(Protocol):
    """What pages need of the daemon."""

    def sheet(self, audience: Seat | None) -> PageView:
        """Return what a seat's page shows now, or the table's own."""
        ...

    def language(self) -> str:
        """Return the language of the table."""
        ...

    def barred_reason(self, seat: Seat) -> RefusalReason | None:
        """Return why no phone at all can take a seat."""
        ...

    def join(self, seat: Seat, key: str, proof: KeyProof, network: str, *, by_number: bool) -> RefusalReason | None:
        """A phone takes a seat: why it does not get it. key: that it has from now on; network: where it comes from;
        by_number: it proves that it knows the number of the seat's phone, no code. On disk when this returns (law
        2)."""
        ...

    def back(self, seat: Seat, proof: KeyProof) -> RefusalReason | None:
        """A phone comes back to its seat: why it does not get it."""
        ...

    def secret(self, seat: Seat) -> str:
        """Digest that is kept of the key of the seat's phone; "" without one."""
        ...

    def leave(self, seat: Seat) -> RefusalReason | None:
        """A phone gives its seat up. On disk when this returns."""
        ...

    def tap(self, seat: Seat, touch: PageTouch, seen_at: float) -> bool:
        """A line was tapped that the page has shown since `seen_at`. False if so much waits that it is lost."""
        ...

    def name(self, seat: Seat, text: str) -> Text | None:
        """Name the holder of the seat's phone; return why that cannot be."""
        ...


class SheetLink(PageLink):
    """One page.

    seen: the serial of each list that it shows (`menu` or not), and since when. renews: when what it shows is made
    anew, if it may be something else. answers: when answers to it are sent. taps: one of its taps waits to be taken.
    network: where it comes from.
    """

    def __init__(self, worker: PageWorker, number: int, language: str, network: str) -> None:
        super().__init__(worker, number, language)
        self.network = network
        self.seen: dict[bool, tuple[int, float]] = {}
        self.renews: float | None = None
        self.answers: float | None = None
        self.taps = False

    @property
    def audience(self) -> str:
        return self.worker.audience

    @property
    def public(self) -> bool:
        """Return True for the table's own page, which shows what everybody may know."""
        return self.audience == TABLE

    @property
    def due(self) -> float | None:
        """Return when it is sent something next."""
        return min((at for at in (self.renews, self.answers) if at is not None), default=None)

    @property
    def shown(self) -> bool:
        """Return True if it may be shown a sheet."""
        return self.public or bool(self.secret)


class Pages(PageLinks[SheetLink]):
    """The links of the seats and of the table."""

    def __init__(
        self, context: PagesContext, now: Callable[[], float], woken: Callable[[], None] = lambda: None
    ) -> None:
        super().__init__(now, woken, SENTENCES, context.language)
        self._house = context
        self._taps: dict[Seat, Allowance] = {}
        self._names: dict[Seat, Allowance] = {}

    @property
    def seated(self) -> frozenset[Seat]:
        """Seats whose phone is there now."""
        return frozenset(link.audience for link in self._links.values() if link.secret)

    # What comes in.

    def on_frame(self, worker: PageWorker, frame: FromWorker) -> None:
        """A frame of a worker."""
        if isinstance(frame, PageOpened):
            self._on_open(worker, frame)
            return
        link = self._links.get((worker, frame.link))
        if isinstance(frame, Closed):
            self._verb_violations(worker, frame)
            return
        if link is None:
            self._refuse(worker, frame)
            return
        match frame:
            case Speak():
                link.speak(frame.language)
                self._renew(link, OTHERS_S)  # all of it: not as often as somebody asks
            case Join() | Back() if not link.public and not link.secret:  # a challenge lets a page in once
                self._seat(link, frame)
            case PageTouch() | Name() | Go() if link.secret:
                self._on_seat_frame(link, frame)
            case _:
                self._refuse(worker, frame)

    def ready(self, worker: PageWorker) -> None:
        """A worker that had enough takes something again: what is newest by now."""
        for link in self._links.values():
            if link.worker is worker and link.due is not None:
                link.renews = link.answers = None
                self._renew(link, OTHERS_S)
                self._owe(link)

    # What the daemon tells.

    def on_step(self, own: str | None = None, *, heeded: bool | None = None) -> None:
        """The session may have changed. own: the seat whose input did it; heeded: if that was a tap, did it count."""
        for link in list(self._links.values()):
            if link.secret and link.secret != self._house.secret(link.audience):
                self._end(link, RefusalReason.REVOKED)
            elif link.shown:
                self._renew(link, OWN_S if link.audience == own else OTHERS_S)
                if heeded is not None and link.audience == own:
                    link.taps = False
                    if not heeded:
                        self._answer(link, RefusalReason.STALE)

    # What goes out.

    @property
    def due(self) -> float | None:
        """Return when something is to be sent next; None if nothing is. A worker that takes nothing has nothing due."""
        waits = (link.due for link in self._links.values() if link.worker.takes)
        return min((due for due in waits if due is not None), default=None)

    def publish(self) -> None:
        """Sends what is due by now."""
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
        """Send what differs from what the page has. at: the time of the grid: the time of sending would tell of others'
        work."""
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
        """Renew what this link shows, if anything, at the next place of a grid."""
        due = self._next(grid_s)
        if link.shown and (link.renews is None or due < link.renews):
            link.renews = due
            self._woken()

    def _owe(self, link: SheetLink) -> None:
        """Answers for this link, if there are any, go out at the next place of the finer grid."""
        if link.says and link.answers is None:
            link.answers = self._next(OWN_S)
            self._woken()

    # What frames do.

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
        """A phone with a code, or with the key of before."""
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
        """A phone with a code, or with the number of the one before: why it does not get the seat."""
        if (key := self._agree_key(link, frame)) is None:
            return RefusalReason.UNKNOWN
        return self._house.join(link.audience, key, proof, link.network, by_number=frame.number)

    def _on_seat_frame(self, link: SheetLink, frame: PageTouch | Name | Go) -> None:
        """Handle what only the phone of a seat may ask for."""
        match frame:
            case PageTouch():
                self._on_touch(link, frame)
            case Name():
                self._on_name(link, frame.text)
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

    def _on_name(self, link: SheetLink, text: str) -> None:
        allowed = self._names.setdefault(link.audience, Allowance(NAMES_S, NAMES))
        if not allowed.take(self._now()):
            self._answer(link, RefusalReason.BUSY)
            return
        refused = self._house.name(link.audience, text)
        if refused is not None:
            self._say(link, {"refused": translate(refused, self._language(link)), "why": NAME})

    def _on_gone(self, link: SheetLink) -> None:
        why = self._house.leave(link.audience)
        if why is not None:
            self._answer(link, why)

    def _at(self, seat: Seat) -> Iterable[SheetLink]:
        """Links that sit at a seat: one, or none."""
        return [link for link in self._links.values() if link.secret and link.audience == seat]


def _seal_invitation(secret: str, invitation: dict[str, Any]) -> dict[str, Any]:
    """Return an invitation whose code only this seat's page can read: who listens must not take the seat first."""
    way, mark, code = invitation["address"].partition("#")
    return {**invitation, "address": f"{way}{mark}{seal(secret, code)}"}
