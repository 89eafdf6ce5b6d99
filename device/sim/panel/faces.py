"""Pictures of cards for the page: those that `referee print` prints, as SVG."""

from __future__ import annotations

from functools import lru_cache

from aiohttp import web

from device.printing import cards, svg
from device.resources import find

BACK = "back"


def printed(name: str) -> tuple[str, ...]:
    """The kinds of a set that have a printed face, and its back; () if its pieces are no cards."""
    return (*cards.load(name).kinds, BACK) if cards.drawn(name) else ()


class Faces:
    """language: of what stands on the cards."""

    def __init__(self, language: str) -> None:
        self._language = language

    def picture(self, name: str, kind: str) -> bytes:
        """One card's picture. Raises KeyError if there is no such card."""
        return _picture(name, kind, self._language)

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """Pictures of cards are no secret; which of them is wanted may be, so a page asks for all of a set."""
        try:
            picture = self.picture(request.match_info["set"], request.match_info["kind"])
        except KeyError:
            raise web.HTTPNotFound(text="No such card.\n") from None
        return web.Response(body=picture, content_type="image/svg+xml", headers={"Cache-Control": "max-age=3600"})


@lru_cache(maxsize=512)
def _picture(name: str, kind: str, language: str) -> bytes:
    if not find("sets", f"{name}.toml").is_file() or not cards.drawn(name):
        raise KeyError(f"{name}/{kind}")
    return svg.render(cards.back(name) if kind == BACK else cards.face(name, kind, language))
