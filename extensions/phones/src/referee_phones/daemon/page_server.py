"""Serves phones: sockets, pages, seats.

Seats are stored before pages are informed (law 2). Only one tap per seat is queued.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from device.child_process import answer
from device.clock import Clock, wait
from device.daemon.hooks import PagesSetup
from device.daemon.maintenance import Maintenance
from device.journal import JournalError
from device.key_gestures import Key
from device.owner.claim import BITS, code_of
from device.owner.claim_files import OwnerFiles, camera_files
from device.screens import fonts
from device.screens.page_view import PageView
from device.session import names, tapping
from device.session.matches import over
from device.session.messages import Dismiss, Input, Invite, Invited, Joined, Left, NameGiven, Tap, Unkept
from device.session.page_views import nameable, sheet
from device.session.state import Play, Session
from device.settings.table import Phone, TableSettings
from device.web.audiences import AUDIENCES, CAMERA, OWNER, port_of
from device.web.host_names import in_address
from device.web.serving import own_name
from device.web.token_bucket import Allowance
from engine.errors import Invalid
from engine.table import Seat
from engine.text import Text, say, who
from referee_phones.daemon import seats
from referee_phones.daemon.camera_pages import CameraPages
from referee_phones.daemon.handshake import KeyProof
from referee_phones.daemon.owner_pages import OwnerPages
from referee_phones.daemon.pages import Pages
from referee_phones.daemon.rest_pictures import RestPictures
from referee_phones.daemon.seats import SENTENCES, RefusalReason, SeatedPhones
from referee_phones.daemon.sockets import Audiences, WorkerConnection
from referee_phones.frames import LONGEST_PICTURE, Name, PageTouch
from vision.cameras.ring import PictureRing, phone_ring
from vision.messages import Picture

if TYPE_CHECKING:
    from device.daemon.referee import Referee

JOINS_S, JOINS = 0.1, 6.0
"""Phones per second and burst that may take a seat; each is stored and announced."""

TRIES_S, TRIES = 1 / 60, 5.0
"""Recovery attempts per second and burst of a network; all together the same beyond FREE."""

FREE, ADDRESSES = 2, 2000
"""Free attempts per network, and networks with any: about one number in 230 in six hours."""

KEPT = "guests"
"""The journal's setting for the guests."""

NOT_HERE = say("You can't enter a name for this player now.")
NOT_DRAWN = say("The displays can't show this name. They show the letter or colour of the seat.")

_log = logging.getLogger(__name__)


class Address(msgspec.Struct, frozen=True):
    """The address for phones. port: of the table's page; the others follow. tls: encrypted."""

    host: str
    port: int
    tls: bool = False

    def __str__(self) -> str:
        return f"http{'s' if self.tls else ''}://{self.host}:{self.port}/"

    def inviting(self, audience: str, code: str) -> str:
        """Return the address for joining or claiming: in capitals for a small QR code, the code as fragment."""
        encrypted = self.tls or audience == CAMERA  # else browsers offer no camera
        return f"HTTP{'S' if encrypted else ''}://{self.host.upper()}:{port_of(audience, self.port)}/#{code}"


class Tries:
    """Limits recovery attempts at one seat, by network."""

    def __init__(self) -> None:
        self._all = Allowance(TRIES_S, TRIES)
        self._of = dict[str, Allowance]()
        self._free = Counter[str]()

    def take(self, network: str, now: float) -> bool:
        """Use one attempt; return False if none is left."""
        if network not in self._of and len(self._of) >= ADDRESSES:
            return self._all.take(now)
        own = self._of.setdefault(network, Allowance(TRIES_S, TRIES))
        if own.balance(now) < 1 or (self._free[network] >= FREE and not self._all.take(now)):
            return False
        self._free[network] += 1
        return own.take(now)


class OwnerParts(msgspec.Struct, frozen=True):
    """The parts of the owner's page. ring: of a phone camera, which gets a page, too."""

    maintenance: Maintenance
    claim_files: OwnerFiles
    ring: PictureRing | None = None


class PageServer:
    """Serves one table's phones.

    folder, group: of the sockets.
    drawn: returns `BITS` random bits.
    owner: None without the owner's page.
    displayed: returns seats with a working display.
    """

    def __init__(
        self,
        folder: Path,
        clock: Clock,
        *,
        drawn: Callable[[], int],
        address: Address,
        group: str = "",
        owner: OwnerParts | None = None,
        displayed: Callable[[], frozenset[Seat]] = frozenset,
    ) -> None:
        self._clock, self._drawn, self._address = clock, drawn, address
        self._pictures = RestPictures()
        self._phones = SeatedPhones()
        self._displays, self._displayed = displayed, frozenset[Seat]()
        self._joins, self._tries = dict[Seat, Allowance](), dict[Seat, Tries]()
        self._woken = asyncio.Event()
        self._known: Session | None = None
        self._referee: Referee | None = None
        self._saving: asyncio.Task[None] | None = None
        self.seat_pages = Pages(self, clock.now, self._woken.set)
        served: dict[str, Pages | OwnerPages | CameraPages] = dict.fromkeys(AUDIENCES[:-1], self.seat_pages)
        self._parts = owner
        self._owner: OwnerPages | None = None
        self._camera: CameraPages | None = None
        if owner is not None:
            served[OWNER] = self._owner = OwnerPages(owner.maintenance, owner.claim_files, clock.now, self._woken.set)
            if owner.ring is not None:
                served[CAMERA] = self._camera = self._camera_pages(owner.ring, owner)
        self._served, self._doors = served, tuple(dict.fromkeys(served.values()))
        self._sockets = Audiences(
            folder,
            tuple(served),
            met=lambda worker: self._door(worker).meet_worker(worker),
            heard=lambda worker, frame: self._door(worker).on_frame(worker, frame),
            gone=lambda worker: self._door(worker).lose_worker(worker),
            ready=lambda worker: self._door(worker).ready(worker),
            group=group,
        )

    @property
    def workers(self) -> dict[str, int]:
        """Number of connected gateway workers by audience."""
        return self._sockets.workers

    async def listen(self) -> None:
        """Open the sockets. Raises EndpointError."""
        await self._sockets.listen()

    def begin(self, referee: Referee) -> None:
        """Connect to this referee: restore the phones' seats, except before a match those which the table's new
        address keeps from coming back by themselves, and make codes for the others."""
        self._referee = referee
        self._phones = seats.decode(referee.core.load_setting(KEPT))
        table, stage, held = referee.core.table, referee.core.session.stage, tuple(sorted(self._phones.phones))
        if not isinstance(stage, Play) or over(stage):
            held = seats.keyholders(self._phones, str(self._address))
        for seat in filter(table.by_phone, held):
            referee.give(Joined(seat, self._clock.now(), again=True))
        self._invite(*(seat for seat in filter(table.by_phone, table.seats) if seat not in held))

    async def run(self, referee: Referee) -> None:
        self.begin(referee)
        await self._sockets.start()
        try:
            while True:
                dues = (limiter.due for limiter in self._doors)
                due = min((due for due in dues if due is not None), default=None)
                await wait(self._clock, self._woken, referee.rests(due))
                self.look()
                for limiter in self._doors:
                    limiter.publish()
                referee.notifier.beat("pages")
        finally:
            if self._saving is not None:
                self._saving.cancel()
                await asyncio.gather(self._saving, return_exceptions=True)
            self._sockets.close()

    def look(self) -> None:
        """Replace the codes of seats whose display just started: others may have seen them."""
        before, self._displayed = self._displayed, self._displays()
        if self._displayed != before:
            self._invite(*sorted((self._displayed - before) & self._phones.codes.keys()))

    # `device.daemon.referee.PagesPort`.

    def heeds(self, given: Input) -> bool | None:
        return tapping.is_meant(self._at.core.session, given) if isinstance(given, Tap) else None

    def on_step(self, given: Input | None, heeded: bool | None = None) -> None:
        session, before = self._at.core.session, self._known
        if before is None or heeded is not None or not _same(before, session):
            self._known = session
            own = given.seat if isinstance(given, Key | Tap) else None
            self.seat_pages.on_step(own, heeded=heeded)

    def on_wish(self, wish: Invite | Dismiss) -> None:
        if isinstance(wish, Invite) and wish.absent and wish.seat in self.seat_pages.seated:
            self._invite(
                told=say(
                    "{seat}'s phone is connected. To pass the seat on, use that phone's menu.", seat=who(wish.seat)
                )
            )
        elif isinstance(wish, Invite):
            self._invite(wish.seat)
        elif (why := self.leave(wish.seat)) is not None:
            self._at.give(Unkept(self._clock.now(), SENTENCES[why]))

    def on_picture(self, picture: Picture) -> None:
        self._pictures.on_picture(picture)

    def close(self) -> None:
        self._sockets.close()
        if self._parts is not None and self._parts.ring is not None:
            self._parts.ring.close()

    # `device.daemon.maintenance.PagesPort`.

    @property
    def address(self) -> str:
        return str(self._address)

    @property
    def watched(self) -> bool:
        return self._owner is not None and self._owner.watched

    def claim_address(self) -> str:
        code = "" if self._parts is None else self._parts.claim_files.code()
        return self._address.inviting(OWNER, code) if code else ""

    def camera_address(self) -> str:
        camera = self._camera
        return "" if camera is None or camera.linked or not camera.code else self._address.inviting(CAMERA, camera.code)

    def renew_step(self) -> None:
        if self._owner is not None:
            self._owner.renew_step()

    # `referee_phones.daemon.pages.PagesContext`.

    def sheet(self, audience: Seat | None) -> PageView:
        core = self._at.core
        found = sheet(core.table, core.session, audience)
        if audience is None:
            found = self._pictures.put_in(found, core.session)
        if found.ending is None:
            return found
        return msgspec.structs.replace(found, ending=msgspec.structs.replace(found.ending, begun=core.begun))

    def language(self) -> str:
        return self._at.core.session.language

    def barred_reason(self, seat: Seat) -> RefusalReason | None:
        return None if self._at.core.table.by_phone(seat) else RefusalReason.OFF

    def join(self, seat: Seat, key: str, proof: KeyProof, network: str, *, by_number: bool) -> RefusalReason | None:
        tries, now = self._tries.setdefault(seat, Tries()), self._clock.now()
        if by_number and not tries.take(network, now):
            return RefusalReason.TRIES
        found = seats.join(self._phones, seat, key, proof, by_number=by_number, at=str(self._address))
        if isinstance(found, RefusalReason):
            return found
        if not self._joins.setdefault(seat, Allowance(JOINS_S, JOINS)).take(now):
            return RefusalReason.CROWDED
        why = self._keep(found)
        if why is None:
            self._at.give(Joined(seat, self._clock.now()))
            self._invite()
        return why

    def back(self, seat: Seat, proof: KeyProof) -> RefusalReason | None:
        return seats.back(self._phones, seat, proof)

    def secret(self, seat: Seat) -> str:
        return self._phones.phones.get(seat, "")

    def leave(self, seat: Seat) -> RefusalReason | None:
        why = self._keep(seats.leave(self._phones, seat))
        if why is None:
            self._at.give(Left(seat, self._clock.now()))
            self._invite(seat)
        return why

    def tap(self, seat: Seat, touch: PageTouch, seen_at: float) -> bool:
        return self._at.give(Tap(seat, touch.serial, touch.line, touch.menu, self._clock.now(), seen_at))

    def name(self, seat: Seat, frame: Name, *, by_anyone: bool) -> Text | None:
        core = self._at.core
        if by_anyone and seat not in nameable(core.table, core.session, None):
            raise Invalid(NOT_HERE)
        name = names.clean_name(frame.text)
        names.name_seat(core.table, core.session, seat, name, colour=frame.colour)
        self._at.give(NameGiven(self._clock.now(), seat, name, colour=frame.colour, by_anyone=by_anyone))
        return NOT_DRAWN if core.table.draws and fonts.illegible(name) else None

    def save(self) -> None:
        if self._saving is None or self._saving.done():
            self._saving = asyncio.ensure_future(self._save(self._at.core.finished))

    async def _save(self, match: int | None) -> None:
        """Give a match's public record, or None, to the pages; export it in another process, as finding a seed may take
        long."""
        record = None
        if match is not None:
            words = ("journal", "export", str(match), "--public", "--journal", str(self._at.core.journal.path))
            try:
                record = await answer(*words)
            except OSError as error:
                _log.error("match %d is not saved for a page: %s", match, error)
        self.seat_pages.on_record(record)

    def _door(self, worker: WorkerConnection) -> Pages | OwnerPages | CameraPages:
        return self._served[worker.audience]

    def _camera_pages(self, ring: PictureRing, owner: OwnerParts) -> CameraPages:
        maintenance = owner.maintenance
        return CameraPages(
            ring,
            camera_files(owner.claim_files.state),
            self._clock.now,
            self._woken.set,
            drawn=self._drawn,
            words=maintenance.camera_words,
            language=lambda: maintenance.language,
        )

    @property
    def _at(self) -> Referee:
        assert self._referee is not None, "the sockets are open before anybody listens"
        return self._referee

    def _keep(self, found: SeatedPhones) -> RefusalReason | None:
        try:
            self._at.core.keep(KEPT, seats.encode(found))
        except JournalError as error:
            _log.error("%s", error)
            return RefusalReason.UNKEPT
        self._phones = found
        return None

    def _invite(self, *invited: Seat, told: Text | None = None) -> None:
        for seat in invited:
            self._phones = seats.invite(self._phones, seat, code_of(self._drawn()))
        codes = self._phones.codes
        addresses = {seat: self._address.inviting(seat, code) for seat, code in sorted(codes.items())}
        self._at.give(Invited(self._clock.now(), addresses, told, self._displayed))


async def open_pages(setup: PagesSetup) -> PageServer:
    """Return a table's server of pages, listening. Raises EndpointError."""
    settings = setup.settings
    pages = settings.pages
    made = PageServer(
        setup.folder / "pages",
        setup.clock,
        drawn=partial(secrets.randbits, BITS),
        address=Address(in_address(pages.hosts[0]) if pages.hosts else own_name(), pages.port, pages.tls),
        group=pages.group,
        owner=OwnerParts(setup.maintenance, _claim_files(settings.state_dir), _ring(settings)),
        displayed=setup.displayed,
    )
    try:
        await made.listen()
    except BaseException:
        made.close()
        raise
    return made


def _claim_files(state: Path) -> OwnerFiles:
    claim_files = OwnerFiles(state)
    try:
        claim_files.furnish(secrets.randbits(BITS))
    except OSError as error:
        _log.error("the table cannot be claimed: no code can be kept (%s)", error)
    return claim_files


def _ring(settings: TableSettings) -> PictureRing | None:
    """Create the file for a phone's pictures, replacing an older one; None if no phone is, or (logged) can be, the
    camera."""
    try:
        phone = isinstance(settings.camera, Phone)
        return PictureRing(phone_ring(settings.state_dir), LONGEST_PICTURE) if phone else None
    except OSError as error:
        _log.error("no phone can be the camera: %s", error)
        return None


def _same(before: Session, session: Session) -> bool:
    names = (name for name in before.__struct_fields__ if name not in ("now", "aims", "lists"))
    return all(getattr(before, name) is getattr(session, name) for name in names)
