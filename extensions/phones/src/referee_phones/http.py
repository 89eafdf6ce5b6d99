"""Serves one guest's connection: files by HTTP/1.1, until it asks for a WebSocket.

Other pages use aiohttp (`device.web.server`). Here h11 and wsproto read guests' bytes without a parser in C, and a
worker loads 24 modules and 1.3 MB, with aiohttp 170 and 12.5 MB (CPython 3.11)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from http import HTTPStatus
from typing import Protocol
from urllib.parse import parse_qs

import h11
from wsproto.utilities import RemoteProtocolError as NoWebSocket

from device.web.connection_limits import Doing, Guest
from device.web.host_names import is_allowed, same_origin
from referee_phones.plan import File, Place, Plan
from referee_phones.websocket import PageSocket

LINK = "/link"
"""Path of the WebSocket."""

LONGEST_HEAD = 16 * 1024
"""Bytes of a request's head."""

GUARDS = {
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",
}
POLICY = (
    "default-src 'self'; connect-src 'self' {sockets}; img-src 'self' data: blob:; "
    "frame-src {shown}; frame-ancestors {shown_by}; base-uri 'none'"
)
"""Content-Security-Policy.

sockets: WebSocket addresses, because 'self' does not cover their scheme in Safari before 15.4
shown, shown_by: pages that this one may show in frames, and that may show it"""

TEXT = "text/plain; charset=utf-8"


class Opens(Protocol):
    """Opens WebSockets."""

    def link(self, request: Asked, address: str, transport: asyncio.Transport) -> PageSocket:
        """Open the requested WebSocket. Raises wsproto's RemoteProtocolError if none is requested, or ValueError for
        a header that is not ASCII."""
        ...

    def note_refusal(self, request: Asked) -> None:
        """Note another origin's request for a WebSocket."""
        ...


class Asked:
    """A request."""

    def __init__(self, request: h11.Request) -> None:
        self.method = request.method.decode("ascii")
        self.target = request.target.decode("ascii", "replace")
        self.headers: list[tuple[bytes, bytes]] = list(request.headers)
        self.path, _, self._query = self.target.partition("?")

    def header(self, name: str) -> str | None:
        """Return the first header of this lower-case name; None without one."""
        found = (value for key, value in self.headers if key == name.encode())
        value = next(found, None)
        return None if value is None else value.decode("latin-1")

    @property
    def host(self) -> str:
        return self.header("host") or ""

    @property
    def language(self) -> str:
        """Language named in the address; "" for none."""
        return parse_qs(self._query).get("lang", [""])[0][:16]

    @property
    def origin(self) -> str | None:
        """Origin of the asking page, from its header or, if it asks why it was refused, the address; else None."""
        return self.header("origin") or parse_qs(self._query).get("page", [None])[0]

    @property
    def takes_gzip(self) -> bool:
        """True if the guest reads gzip, as every browser does."""
        named = (each.partition(";") for each in (self.header("accept-encoding") or "").lower().split(","))
        return any(name.strip() == "gzip" and more.replace(" ", "") not in {"q=0", "q=0.0"} for name, _, more in named)

    def has_body(self) -> bool:
        return self.header("transfer-encoding") is not None or self.header("content-length") not in (None, "0")


class Http(asyncio.Protocol):
    """Serves one guest.

    files: by path
    admits: returns False while an address asks too much"""

    def __init__(
        self,
        plan: Plan,
        files: Mapping[str, File],
        opens: Opens,
        admits: Callable[[str], bool],
        place: Place,
    ) -> None:
        self._plan, self._files, self._opens, self._admits, self._place = plan, files, opens, admits, place
        self._speaks = h11.Connection(h11.SERVER, LONGEST_HEAD)
        self._transport: asyncio.Transport | None = None
        self._socket: PageSocket | None = None
        self._asked: Asked | None = None
        self._full = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def connection_lost(self, _: Exception | None) -> None:
        if self._socket is not None:
            self._socket.handle_loss()

    def data_received(self, data: bytes) -> None:
        if self._socket is not None:
            self._socket.feed(data, _now())
        else:
            self._speaks.receive_data(data)
            self._go_on()

    def eof_received(self) -> bool | None:
        return None

    def pause_writing(self) -> None:
        self._full = True

    def resume_writing(self) -> None:
        self._full = False
        if self._socket is None:
            self._go_on()

    def _go_on(self) -> None:
        """Answer pending requests while the guest reads the answers."""
        try:
            while not self._full and self._open() and self._socket is None and self._next():
                pass
        except h11.RemoteProtocolError as error:
            self._refuse(error.error_status_hint, "This is no request for a page.\n")

    def _next(self) -> bool:
        """Handle one event; return True if there may be more."""
        event = self._speaks.next_event()
        if event is h11.NEED_DATA or event is h11.PAUSED:
            return False
        if isinstance(event, h11.Request):
            self._asked = Asked(event)
        elif isinstance(event, h11.EndOfMessage) and self._asked is not None:
            self._answer(self._asked)
        elif isinstance(event, h11.ConnectionClosed):
            self._end()
        if self._asked is not None and self._asked.has_body():
            self._refuse(413, "A page is asked for without a body.\n")
        return True

    def _answer(self, asked: Asked) -> None:
        guest = self._guest()
        if not self._admits(guest.address):
            self._send(429, TEXT, b"Too many requests: wait a moment.\n", {"Retry-After": "2"})
        elif not is_allowed(asked.host, self._plan.names):
            self._send(421, TEXT, self._plan.sentence("no-host").encode() + b"\n")
        elif asked.method not in {"GET", "HEAD"}:
            self._send(405, TEXT, b"Pages are only read.\n", {"Allow": "GET, HEAD"})
        elif asked.path == LINK:
            self._link(asked, guest)
        else:
            self._file(asked)

    def _file(self, asked: Asked) -> None:
        file = self._files.get(asked.path)
        if file is None:
            self._send(404, TEXT, self._plan.sentence("no-page", asked.language).encode() + b"\n")
        elif asked.header("if-none-match") == file.tag:
            self._send(304, file.kind, b"", {"ETag": file.tag})
        elif file.packed and asked.takes_gzip:
            packed = {"Content-Encoding": "gzip", "Vary": "Accept-Encoding"}
            self._send(200, file.kind, file.packed, {"ETag": file.tag, **packed})
        else:
            self._send(200, file.kind, file.body, {"ETag": file.tag, "Vary": "Accept-Encoding"})

    def _link(self, asked: Asked, guest: Guest) -> None:
        if not same_origin(asked.origin, asked.host):
            self._opens.note_refusal(asked)
            self._send(403, TEXT, self._plan.sentence("other-page", asked.language).encode() + b"\n")
            return
        if (asked.header("upgrade") or "").lower() != "websocket":
            self._send(426, TEXT, b"Only a WebSocket is opened here.\n", {"Upgrade": "websocket"})
            return
        assert self._transport is not None
        early, _ = self._speaks.trailing_data
        try:
            self._socket = self._opens.link(asked, guest.address, self._transport)
        except (NoWebSocket, ValueError):
            self._refuse(400, "This is no request for a WebSocket.\n")
            return
        guest.does(Doing.LINKED)
        if early:
            self._socket.feed(early, _now())

    def _send(self, status: int, kind: str, body: bytes, more: Mapping[str, str] | None = None) -> None:
        assert self._asked is not None
        headers = {"Content-Type": kind, "Content-Length": str(len(body)), **GUARDS, **(more or {})}
        if status == 304:
            del headers["Content-Length"]
        if kind.startswith("text/html"):
            headers["Content-Security-Policy"] = _policy(self._asked.host, self._place)
        wanted = self._asked.method != "HEAD"
        self._write(
            h11.Response(status_code=status, headers=list(headers.items()), reason=HTTPStatus(status).phrase.encode()),
            *((h11.Data(data=body),) if wanted and body else ()),
            h11.EndOfMessage(),
        )
        self._asked = None
        if self._speaks.our_state is h11.DONE and self._speaks.their_state is h11.DONE:
            self._speaks.start_next_cycle()
            self._guest().does(Doing.ASKING)
        else:
            self._end()

    def _refuse(self, status: int, sentence: str) -> None:
        """Send a last answer, unless another is begun, and close the connection."""
        if self._open() and self._speaks.our_state in {h11.IDLE, h11.SEND_RESPONSE}:
            data = sentence.encode()
            headers = {"Content-Type": TEXT, "Content-Length": str(len(data)), "Connection": "close"}
            reason = HTTPStatus(status).phrase.encode()
            response = h11.Response(status_code=status, headers=list(headers.items()), reason=reason)
            self._write(response, h11.Data(data=data), h11.EndOfMessage())
        self._end()

    def _write(self, *events: h11.Event) -> None:
        if self._transport is not None:
            self._transport.write(b"".join(self._send_all(events)))

    def _send_all(self, events: Iterable[h11.Event]) -> Iterable[bytes]:
        return (data for event in events if (data := self._speaks.send(event)))

    def _guest(self) -> Guest:
        assert self._transport is not None
        guest = self._transport.get_protocol()
        assert isinstance(guest, Guest)
        return guest

    def _open(self) -> bool:
        return self._transport is not None and not self._transport.is_closing()

    def _end(self) -> None:
        if self._transport is not None:
            self._transport.close()


def _policy(host: str, place: Place) -> str:
    """Return a page's Content-Security-Policy. host: with or without a port."""
    if host.startswith("["):  # a policy can name no IPv6 address
        return POLICY.format(sockets="ws: wss:", shown="'none'", shown_by="'none'")
    name = host.partition(":")[0]
    more = "".join(f" ws://{name}:{port}" for port in place.ports)
    shown, shown_by = (
        " ".join(f"http://{name}:{port}" for port in ports) or "'none'" for ports in (place.shown, place.shown_by)
    )
    return POLICY.format(sockets=f"ws://{host} wss://{host}{more}", shown=shown, shown_by=shown_by)


def _now() -> float:
    return asyncio.get_running_loop().time()
