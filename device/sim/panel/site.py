"""The web site under a panel: pages behind tokens, shipped modules, and one WebSocket a page."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from urllib.parse import urlsplit

from aiohttp import web

from device.serving import listen
from device.sim.panel.faces import Faces
from device.sim.panel.pages import STATIC, page
from device.sim.panel.tokens import Audience, Tokens
from device.sim.panel.tongues import chosen
from device.sim.panel.words import words

NEWS_S = 1 / 25
MAX_MESSAGE = 2048

_HEADERS = {
    "Content-Security-Policy": "default-src 'self'; img-src 'self' blob:; frame-ancestors 'none'; base-uri 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
Talk = Callable[[web.WebSocketResponse, Audience, str], Awaitable[None]]


class Site:
    """Serves a page for each audience; `talk` speaks with an opened page, in its language, until it goes."""

    def __init__(
        self,
        audiences: Iterable[Audience],
        talk: Talk,
        page: Callable[[Audience], str],
        host: str,
        port: int,
        *,
        language: str | None = None,
        faces: Faces | None = None,
    ) -> None:
        """page: the file in static/ that an audience opens. host, port: where to listen; port 0 takes a free one.
        language: of pages on which none is chosen; None: as the browser asks.
        faces: pictures of cards, if any are shown.
        """
        self._tokens = Tokens(audiences)
        self._talk, self._file, self._host, self._port = talk, page, host, port
        self._language, self._faces = language, faces
        self._runner: web.AppRunner | None = None
        self._links: set[web.WebSocketResponse] = set()

    async def start(self) -> None:
        """Raises PageError if the port is taken, or the host is not this machine's."""
        app = web.Application(middlewares=[_headers])
        app.router.add_get("/{token}/", self._page)
        app.router.add_get("/{token}/link", self._link)
        if self._faces is not None:
            app.router.add_get("/static/faces/{set}/{kind}.svg", self._face)
        app.router.add_static("/static/", STATIC)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=1.0)
        await self._runner.setup()
        await listen(self._runner, self._host, self._port)
        self._port = self._runner.addresses[0][1]

    async def close(self) -> None:
        for link in set(self._links):
            await link.close()
        if self._runner is not None:
            await self._runner.cleanup()

    def address(self, audience: Audience) -> str:
        """Where an audience's page is."""
        host = f"[{self._host}]" if ":" in self._host else self._host
        return f"http://{host}:{self._port}/{self._tokens.of(audience)}/"

    async def _page(self, request: web.Request) -> web.StreamResponse:
        audience = self._audience(request)
        text = page(self._file(audience), audience, self._spoken(request))
        return web.Response(text=text, content_type="text/html")

    async def _face(self, request: web.Request) -> web.StreamResponse:
        """Pictures of cards are no secret; which of them is wanted may be, so a page asks for all of a set."""
        assert self._faces is not None
        try:
            picture = self._faces.picture(request.match_info["set"], request.match_info["kind"])
        except KeyError:
            raise web.HTTPNotFound(text="No such card.\n") from None
        return web.Response(body=picture, content_type="image/svg+xml", headers={"Cache-Control": "max-age=3600"})

    async def _link(self, request: web.Request) -> web.StreamResponse:
        audience = self._audience(request)
        if not _same_origin(request):
            raise web.HTTPForbidden(text="This address belongs to another page.\n")
        link = web.WebSocketResponse(heartbeat=20, max_msg_size=MAX_MESSAGE, compress=False)
        await link.prepare(request)
        self._links.add(link)
        try:
            await self._talk(link, audience, self._spoken(request))
        finally:
            self._links.discard(link)
        return link

    def _audience(self, request: web.Request) -> Audience:
        audience = self._tokens.audience(request.match_info["token"])
        if audience is None:
            raise web.HTTPNotFound(text=words(self._spoken(request))["no-page"] + "\n")
        return audience

    def _spoken(self, request: web.Request) -> str:
        """The language of a page, and of the link that it opens."""
        return chosen(request.query.get("lang"), self._language, request.headers.get("Accept-Language", ""))


def _same_origin(request: web.Request) -> bool:
    """A browser names the page that opens a socket: it must be one of ours."""
    origin = request.headers.get("Origin")
    return origin is None or urlsplit(origin).netloc == request.host


@web.middleware
async def _headers(request: web.Request, handler: Handler) -> web.StreamResponse:
    try:
        response = await handler(request)
    except web.HTTPException as error:
        error.headers.update(_HEADERS)
        raise
    if not response.prepared:
        response.headers.update({**_HEADERS, **response.headers})
    return response
