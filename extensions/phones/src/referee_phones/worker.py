"""The worker of one audience: serves the app's files, and passes messages between pages and the daemon.

The keeper forks it with a listening TCP socket, a connection to the daemon's socket of this audience, and a pipe for
heartbeats. Once confined (`confine`) it opens no other. It never receives what its audience may not know."""

from __future__ import annotations

import asyncio
import codecs
import contextlib
import logging
import os
import signal
import socket
import traceback
from collections import Counter, deque
from collections.abc import Callable

import h11
import msgspec
import wsproto.events
from wsproto import ConnectionType, WSConnection

from device.bus.framing import LONGEST_OUT, Unpacker, pack
from device.web.audiences import CAMERA, SEATS
from device.web.connection_limits import ConnectionLimiter, Limits
from device.web.token_bucket import Allowance
from referee_phones import confine
from referee_phones.frames import (
    LINKS,
    LONGEST_PICTURE,
    SHOWN_BYTES,
    TO_WORKER,
    Admit,
    Close,
    Closed,
    FromWorker,
    Hello,
    PageOpened,
    PagePicture,
    To,
    challenge,
)
from referee_phones.http import Asked, Http
from referee_phones.page_messages import Outdated, to_frame
from referee_phones.plan import Place, Plan
from referee_phones.websocket import RESTART, TRY_LATER, UNFIT, PageSocket

OF_ONE = 48
"""WebSockets of one address; LINKS for all. Most connections stay free for files."""

WORDS_S, WORDS = 400.0, 50.0
"""Messages and arrivals of pages not yet let in, each second and at once."""

SHARE_S, SHARE = 0.1, 2.0
"""The same for one address; those with more left go first. A returning phone needs two."""

KNOWN = 16
"""Most recent addresses that were let in; their messages go first."""

PICTURES_S = 10.0 * LONGEST_PICTURE
"""Bytes a second, and at once, of a phone that is the camera."""

WAITING = 4
"""Messages of one page that may wait; a page that sends more before it is let in is closed."""

TEND_S = 20.0
BEAT_S = 1.0
"""Seconds between heartbeats."""

STAYS = "off"
"""The `why` at which older pages show the sentence for good, and keep key and code."""

UNREAD_BYTES = 1 << 18
"""If the daemon leaves so much unread, pages' messages are dropped."""

_log = logging.getLogger(__name__)


class Daemon(asyncio.Protocol):
    """The connection to the daemon. hears: gets every frame. ended: called at its end."""

    def __init__(self, hears: Callable[[bytes], None], ended: Callable[[], None]) -> None:
        self._hears, self._ended = hears, ended
        self._frames = Unpacker(LONGEST_OUT)
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def connection_lost(self, _: Exception | None) -> None:
        self._ended()

    def data_received(self, data: bytes) -> None:
        for frame in self._frames.feed(data):
            if frame is not None:
                self._hears(frame)

    def send(self, frame: FromWorker) -> None:
        """Send a frame without waiting."""
        assert self._transport is not None
        self._transport.write(pack(frame))

    def reads(self) -> bool:
        """Return False if the daemon is away, or has much left to read."""
        return self._transport is not None and self._transport.get_write_buffer_size() <= UNREAD_BYTES


class Worker:
    """The links of one audience. Without a daemon, pages are told so and come back."""

    def __init__(self, plan: Plan, audience: str) -> None:
        self._plan = plan
        self._size = SHOWN_BYTES if audience in SEATS else 1
        self._longest = LONGEST_PICTURE if audience == CAMERA else 0
        self._daemon: Daemon | None = None
        self._public = ""
        self._links: dict[int, PageSocket] = {}
        self._numbered = 0
        self._words, self._shares = Allowance(WORDS_S, WORDS), dict[str, Allowance]()
        self._later: asyncio.TimerHandle | None = None
        self._known = deque[str](maxlen=KNOWN)
        self._decoder = msgspec.json.Decoder(TO_WORKER)
        self._strange = 0
        self._refused = False

    async def reach(self, link: socket.socket, ended: Callable[[], None]) -> None:
        """Use this connection to the daemon."""
        daemon = Daemon(self.handle_frames, ended)
        await asyncio.get_running_loop().create_unix_connection(lambda: daemon, sock=link)
        self._daemon = daemon

    def link(self, request: Asked, address: str, transport: asyncio.Transport) -> PageSocket:
        """Open a link; without daemon or room, tell the page why and close it. Raises RemoteProtocolError or
        ValueError for an unusable request."""
        self._numbered += 1
        now = asyncio.get_running_loop().time()
        made = PageSocket(self._numbered, address, self, transport, now, self._size, self._longest)
        made.accept(request.headers, request.target)
        if self._daemon is None or not self._public or not self._daemon.reads():
            self._refuse(made, "away", request.language, RESTART)
        elif not self._make_room(address):
            self._refuse(made, "full", request.language, TRY_LATER)
        else:
            made.language, made.rank = request.language, self._rank(address)
            self._links[made.number] = made
            made.say(as_json({"challenge": challenge(self._public, made.number)}))
            self._serve()
        return made

    def note_refusal(self, request: Asked) -> None:
        """Log the first refusal only: behind a proxy that changes Host all are refused, and strangers could fill the
        log."""
        if not self._refused:
            self._refused = True
            told = "a page was refused: its browser calls it %.200r, and it was asked for as %.200r (phones, a proxy)"
            _log.warning(told, request.origin, request.host)

    def handle_message(self, number: int, text: str) -> None:
        link = self._links.get(number)
        if link is None or self._daemon is None:
            return
        try:
            frame = to_frame(number, text)
        except Outdated:
            self._reload(link)
            return
        if not self._daemon.reads():
            link.close(TRY_LATER)
        elif link.admitted:
            self._daemon.send(frame)
        elif len(link.waiting) == WAITING:
            link.close(UNFIT)
        else:
            link.rank = self._rank(link.address)
            self._shares[link.address].spend(1.0, asyncio.get_running_loop().time())
            link.waiting.append(frame)
            self._serve()

    def handle_picture(self, number: int, jpeg: bytes | None) -> None:
        link = self._links.get(number)
        if link is None:
            return
        if not link.admitted:
            link.close(UNFIT)
        elif jpeg is None:
            link.say(as_json({"refused": self._plan.sentence("large", link.language), "why": "picture"}))
        elif self._daemon is not None and self._daemon.reads():  # else it is dropped rather than late
            self._daemon.send(PagePicture(number, jpeg))

    def handle_close(self, number: int) -> None:
        link = self._links.pop(number, None)
        if link is not None and link.opened:
            self._tell(Closed(number))

    def _reload(self, link: PageSocket) -> None:
        """Tell a page of an earlier version to reload, keeping its key; close it if its address says too much."""
        link.rank = self._rank(link.address)
        if self._shares[link.address].take(asyncio.get_running_loop().time()):
            link.say(as_json({"refused": self._plan.sentence("reload", link.language), "why": STAYS}))
        else:
            link.close(UNFIT)

    def _serve(self) -> None:
        """Pass pages not yet let in, and their messages, to the daemon at its rate: those with messages first, by
        rank, newest first."""
        now = asyncio.get_running_loop().time()
        while waiting := [link for link in self._links.values() if link.waiting or not link.opened]:
            if not self._words.take(now):
                self._later = self._later or asyncio.get_running_loop().call_later(1 / WORDS_S, self._serve_on)
                return
            self._pass_on(max(waiting, key=lambda link: (bool(link.waiting), link.rank, link.number)))

    def _serve_on(self) -> None:
        self._later = None
        self._serve()

    def _rank(self, address: str) -> float:
        """Return an address's rank: lower the more it has said lately, highest if let in before."""
        share = self._shares.setdefault(address, Allowance(SHARE_S, SHARE))
        return SHARE + 1 if address in self._known else share.balance(asyncio.get_running_loop().time())

    def _pass_on(self, link: PageSocket) -> None:
        if not link.opened:
            link.opened = True
            self._tell(PageOpened(link.number, link.language, link.address))
        frames, link.waiting = link.waiting, []
        for frame in frames:
            self._tell(frame)

    def handle_frames(self, data: bytes) -> None:
        """Handle a frame of the daemon; skip one for a closed page, or unreadable, of which the first is logged."""
        try:
            frame = self._decoder.decode(data)
        except (msgspec.DecodeError, UnicodeDecodeError):
            self._strange += 1
            if self._strange == 1:
                _log.warning("what the daemon says cannot be read; it is left out")
            return
        if isinstance(frame, Hello):
            self._public = frame.public
            return
        link = self._links.get(frame.link)
        if link is None:
            return
        if isinstance(frame, Admit):
            link.admitted = True
            if link.address not in self._known:
                self._known.append(link.address)
            self._pass_on(link)
            return
        link.hold(frame.text, frame.at if isinstance(frame, To) else 0.0, ends=isinstance(frame, Close))

    def tend(self) -> None:
        """Ping pages; end silent ones."""
        now = asyncio.get_running_loop().time()
        self._shares = {address: share for address, share in self._shares.items() if not share.whole(now)}
        for link in tuple(self._links.values()):
            link.tend(now)

    def close(self) -> None:
        """Tell every page to come back: the daemon has gone."""
        self._daemon = None
        for link in tuple(self._links.values()):
            link.close(RESTART)

    def _tell(self, frame: FromWorker) -> None:
        if self._daemon is not None:
            self._daemon.send(frame)

    def _refuse(self, link: PageSocket, key: str, language: str, code: int) -> None:
        link.say(as_json({"refused": self._plan.sentence(key, language), "why": key}))
        link.close(code)

    def _make_room(self, address: str) -> bool:
        """Make room for another link, closing one not let in if need be: of the address with most, the lowest rank,
        then the oldest. Return False if there is none."""
        strangers = [link for link in self._links.values() if not link.admitted]
        count = Counter(link.address for link in strangers)
        if len(self._links) < LINKS and count[address] < OF_ONE:
            return True
        if not strangers:
            return False
        most = OF_ONE if count[address] >= OF_ONE else max(count.values())
        rivals = [link for link in strangers if count[link.address] >= most]
        ended = min(rivals, key=lambda link: (link.rank, link.number))
        ended.close(TRY_LATER)
        self.handle_close(ended.number)
        return True


def as_json(message: dict[str, str]) -> str:
    return msgspec.json.encode(message).decode()


def preload() -> None:
    """Load what Python loads lazily, such as codecs: nothing can be opened later."""
    speaks = WSConnection(ConnectionType.CLIENT)
    asks = speaks.send(wsproto.events.Request(host="table", target="/link"))
    request = h11.Connection(h11.SERVER)
    request.receive_data(asks)
    event = request.next_event()
    assert isinstance(event, h11.Request)
    hears = WSConnection(ConnectionType.SERVER)
    hears.initiate_upgrade_connection(list(event.headers), "/link")
    tuple(hears.events())
    speaks.receive_data(hears.send(wsproto.events.AcceptConnection()))
    tuple(speaks.events())
    hears.receive_data(speaks.send(wsproto.events.TextMessage("Ж")))
    hears.receive_data(speaks.send(wsproto.events.BytesMessage(b"picture")))
    tuple(hears.events())
    for codec in ("idna", "latin-1", "ascii", "utf-8"):
        codecs.lookup(codec)
    traceback.format_exception(ValueError())


def serve(
    plan: Plan,
    place: Place,
    listener: socket.socket,
    link: socket.socket | None,
    life: int,
    once_shut_in: Callable[[], None] = lambda: None,
) -> None:
    """Serve an audience until the daemon ends, or for ever without one. Raises Unconfined.

    life: descriptor of the heartbeat
    once_shut_in: called when confined; for tests"""
    confine.name_process(f"pages {place.audience}")
    asyncio.run(_serve(plan, place, listener, link, life, once_shut_in))


def entrance(plan: Plan, place: Place, worker: Worker) -> ConnectionLimiter:
    """Return the connection limiter for this audience's guests. Raises OSError for an unusable certificate."""
    files = {**plan.files, **place.own}
    tls = None if place.certificate is None else place.certificate.context()
    limits = Limits(rate_bytes=PICTURES_S, burst_bytes=PICTURES_S) if place.audience == CAMERA else Limits()
    limiter = ConnectionLimiter(lambda: Http(plan, files, worker, limiter.take_request, place), limits, tls)
    return limiter


async def _serve(
    plan: Plan,
    place: Place,
    listener: socket.socket,
    link: socket.socket | None,
    life: int,
    once_shut_in: Callable[[], None],
) -> None:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    ended = asyncio.Event()
    worker = Worker(plan, place.audience)
    if link is not None:
        await worker.reach(link, ended.set)
    limiter = entrance(plan, place, worker)
    if plan.shut_in:
        confine.shut_in(listener.fileno())
    once_shut_in()
    server = await loop.create_server(limiter, sock=listener)
    beating = asyncio.ensure_future(_beat(life))
    try:
        while not ended.is_set():
            try:
                await asyncio.wait_for(ended.wait(), TEND_S)
            except TimeoutError:
                worker.tend()
    finally:
        beating.cancel()
        server.close()
        worker.close()
        await asyncio.sleep(0)  # what pages are told goes out


async def _beat(life: int) -> None:
    """Send heartbeats while this loop runs."""
    while True:
        with contextlib.suppress(BlockingIOError):  # the keeper does not read just now
            os.write(life, b".")
        await asyncio.sleep(BEAT_S)
