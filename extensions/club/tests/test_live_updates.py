"""When an open page is told what has changed in it: in simulated time, over a real connection."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from aiohttp import ClientResponse, ClientSession, web

from device.web.server import Server
from extensions.club.tests.test_hall import next_event
from referee_club.archive import Archive
from referee_club.live_updates import GATHER_S, QUIET_S, Live
from referee_club.markup import Markup
from referee_club.pages import Parts
from referee_simulator.harness.simtime import SimClock


class Page:
    """A page that shows how many tables are heard. takes_s: so long it takes to make."""

    def __init__(self, archive: Archive, clock: SimClock, takes_s: float = 0.0) -> None:
        self._archive, self._clock, self._takes_s = archive, clock, takes_s

    def made(self) -> Parts:
        self._clock.advance(self._clock.now() + self._takes_s)
        return {"heard": Markup(str(len(self._archive.tables())))}


@asynccontextmanager
async def opened(
    folder: Path, every_s: float = 0.0, takes_s: float = 0.0
) -> AsyncIterator[tuple[Archive, SimClock, ClientResponse]]:
    """A page that is open, and was told all that there was to tell. every_s, takes_s: how often it is made again, and
    how long that takes."""
    archive, clock = Archive(folder / "club.db"), SimClock()
    live, page = Live(archive, clock), Page(archive, clock, takes_s)

    async def told(request: web.Request) -> web.StreamResponse:
        return await live.tell(request, "page", page.made, every_s)

    server = Server((web.get("/live", told),), "127.0.0.1", 0)
    await server.start()
    try:
        async with ClientSession() as guest, guest.get(f"http://127.0.0.1:{server.port}/live") as answer:
            assert await heard(answer) == "0"
            await waiting(clock, clock.now() + QUIET_S)
            yield archive, clock, answer
    finally:
        live.close()
        await server.close()
        archive.close()


async def heard(answer: ClientResponse) -> str:
    """What the page is told next of how many are heard."""
    ((_, _, markup),) = (await next_event(answer))["parts"]
    return str(markup)


async def waiting(clock: SimClock, until: float) -> None:
    """Returns once all that can be done by now is done, and the page waits until then."""
    await clock.quiet()
    assert clock.due() == until


def test_the_first_change_after_a_rest_is_told_at_once_and_what_follows_is_gathered(tmp_path: Path) -> None:
    async def shown() -> None:
        async with opened(tmp_path) as (archive, clock, answer):
            clock.advance(10.0)
            archive.say_alive("table-1", True)
            assert await heard(answer) == "1"
            archive.say_alive("table-2", True)
            await waiting(clock, 10.0 + GATHER_S)
            archive.say_alive("table-3", True)
            clock.advance(10.0 + GATHER_S)
            assert await heard(answer) == "3", "what the second changed was told alone"

    asyncio.run(shown())


def test_what_is_made_seldom_is_told_as_soon_as_it_may_be_made_anew(tmp_path: Path) -> None:
    async def shown() -> None:
        async with opened(tmp_path, every_s=5.0, takes_s=0.5) as (archive, clock, answer):
            archive.say_alive("table-1", True)
            await waiting(clock, 5.5)
            clock.advance(5.5)
            assert await heard(answer) == "1"

    asyncio.run(shown())


def test_a_page_in_which_nothing_changes_hears_that_it_is_still_connected(tmp_path: Path) -> None:
    async def shown() -> bytes:
        async with opened(tmp_path) as (_, clock, answer):
            clock.advance(QUIET_S)
            await answer.content.readline()
            async with asyncio.timeout(30.0):
                return await answer.content.readline()

    assert asyncio.run(shown()) == b": still here\n"
