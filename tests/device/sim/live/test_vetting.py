"""What the cards of a seat cannot do is refused at its own page, and the referee hears nothing of it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path

import aiohttp
import pytest

from device.locale import translate
from device.sim.live.run import Live, LivePlan
from engine.entry import Act
from engine.game import Words
from engine.table import Seat
from engine.text import Text
from tests.device.pages.whole import Page, opened
from tests.device.sim.live.test_live import soon

pytestmark = [pytest.mark.timeout(180), pytest.mark.thorough]


def seated(folder: Path, game: str, course: Callable[[Live, dict[str, Page]], Awaitable[None]]) -> None:
    """Both seats by phone, at a table that is laid for a match; a hand helps them."""
    live = Live(LivePlan(game=game, scene="easy", seed=5, port=0, ideal=True, helped=True, laid=True), folder)

    async def whole() -> None:
        stop, ready = asyncio.Event(), asyncio.get_running_loop().create_future()
        running = asyncio.create_task(live.run(ready.set_result, stop))
        try:
            doors = (await asyncio.wait_for(ready, 100)).seats
            async with aiohttp.ClientSession() as session, AsyncExitStack() as held:
                pages = {}
                for seat, door in doors.items():
                    address, _, code = door.partition("#")
                    pages[seat] = await held.enter_async_context(opened(session, address.rstrip("/")))
                    await pages[seat].say(join=code, key=seat * 32)
                await chosen(pages["a"], "Start")
                await course(live, pages)
        finally:
            stop.set()
            await running

    asyncio.run(whole())


async def chosen(page: Page, line: str) -> None:
    """Taps a line that has stood there long enough."""

    def stands(at: Page) -> bool:
        return line in at.sheet.get("answers", {}).get("lines", ())

    while True:
        await page.until(stands)
        serial = page.sheet["answers"]["serial"]
        await asyncio.sleep(0.7)
        if stands(page) and page.sheet["answers"]["serial"] == serial:
            await page.tap(page.sheet["answers"]["lines"].index(line))
            return


async def told(live: Live, seat: Seat, times: int) -> tuple[Text, ...]:
    """What a page reads beside its cards, once so many things that it chose were refused."""
    await soon(lambda: live.stage.objected(seat) == times)
    return live.stage.told_to(seat)


def acts(live: Live) -> list[Words]:
    return [entry.words for entry in live.players.entries() if isinstance(entry, Act)]


def test_a_card_that_a_seat_does_not_hold_is_not_played(tmp_path: Path) -> None:
    """However often it is chosen; the match goes on with what the cards can do."""

    async def course(live: Live, pages: dict[str, Page]) -> None:
        for page in pages.values():
            await chosen(page, "Keep the hand")
        kept = [("keep",), ("keep",)]
        for times in (1, 2):
            await chosen(pages["b"], "Play a card: Fleche, Speed 5")
            (why,) = await told(live, "b", times)
            assert (
                translate(why, "en")
                == "Your cards cannot do that: Play a card: Fleche, Speed 5. Choose something else."
            )
        assert live.stage.told_to("a") == ()
        assert acts(live) == kept
        await chosen(pages["b"], "Move: Forward")
        await soon(lambda: acts(live) == [*kept, ("move", "forward")])
        assert live.stage.told_to("b") == ()
        await soon(lambda: live.dealing.owed is None)
        await chosen(pages["b"], "Play a card: Toe-Touch, Speed 4")
        await soon(lambda: len(acts(live)) == 4)
        await soon(lambda: live.dealing.owed is None)
        assert live.stage.holding is not None

    seated(tmp_path, "fence", course)


def test_another_card_than_the_one_laid_is_not_revealed_and_the_seat_still_reads_which_it_is(tmp_path: Path) -> None:
    async def course(live: Live, pages: dict[str, Page]) -> None:
        for page in pages.values():
            await chosen(page, "Lay a card")
        await soon(lambda: len(live.stage.told_to("b")) == 1)
        (laid,) = live.stage.told_to("b")
        await chosen(pages["b"], "Ace of Moons")
        why, still = await told(live, "b", 1)
        assert translate(why, "en") == "Your cards cannot do that: Reveal: Ace of Moons. Choose something else."
        assert still == laid
        assert acts(live) == [("lay",), ("lay",)]
        await chosen(pages["b"], translate(laid, "en").removeprefix("Laid face down for you: ").removesuffix("."))
        await soon(lambda: live.stage.told_to("b") == ())
        await soon(lambda: len(acts(live)) == 3 and live.dealing.owed is None)

    seated(tmp_path, "runes", course)
