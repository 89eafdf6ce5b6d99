"""What the cards of a seat cannot do is refused at its own page, and the referee hears nothing of it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path

import aiohttp
import pytest

from device.locale import translate
from engine.entry import Act
from engine.game import Words
from engine.text import Text
from extensions.phones.tests.daemon.phone import Phone
from extensions.phones.tests.whole import Page, opened
from extensions.simulator.tests.live.test_live import soon
from referee_simulator.live.run import Live, LivePlan

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
                for seat, limiter in doors.items():
                    address, _, code = limiter.partition("#")
                    pages[seat] = await held.enter_async_context(opened(session, address.rstrip("/")))
                    await pages[seat].join(code, Phone())
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


def acts(live: Live) -> list[Words]:
    return [entry.words for entry in live.players.entries() if isinstance(entry, Act)]


async def listed(page: Page, wanted: Callable[[list[str]], bool]) -> list[str]:
    """The lines of a page's list, once they are as wanted."""
    await page.until(lambda at: wanted(at.sheet.get("answers", {}).get("lines", [])))
    lines: list[str] = page.sheet["answers"]["lines"]
    return lines


def test_a_card_that_a_seat_does_not_hold_is_not_listed_nor_played(tmp_path: Path) -> None:
    """If it is given all the same it is refused, as often as it is given, and that seat alone reads why."""
    unheld = "Play a card: Fleche, Speed 5"

    async def course(live: Live, pages: dict[str, Page]) -> None:
        for page in pages.values():
            await chosen(page, "Keep the hand")
        kept = [("keep",), ("keep",)]
        held = {translate(Text(body.kind), "en") for body in live.stage.hands()["b"]}
        lines = await listed(pages["b"], lambda found: any("Exchange a card" in line for line in found))
        cards = [line.partition(": ")[2].replace(", Speed", "") for line in lines if "card: " in line]
        assert cards
        assert set(cards) <= {*held, "Card not seen"}
        assert [line for line in lines if line.startswith("Stall")] == ["Stall: Card not seen"]
        assert unheld not in lines
        knows = live._pages.listed
        live._pages.listed = lambda *_: None
        why = f"You don't hold the cards for this: {unheld}. Choose something else."
        for _ in range(2):
            await chosen(pages["b"], unheld)
            await pages["b"].until(lambda at: at.sheet["alert"] == [why])
        assert pages["a"].sheet["alert"] == []
        assert acts(live) == kept
        live._pages.listed = knows
        await chosen(pages["b"], "Move forward")
        await soon(lambda: acts(live) == [*kept, ("move", "forward")])
        await pages["b"].until(lambda at: at.sheet["alert"] == [])
        await soon(lambda: live.dealing.pending is None)
        await chosen(pages["b"], "Play a card: Toe-Touch, Speed 4")
        await soon(lambda: len(acts(live)) == 4)
        await soon(lambda: live.dealing.pending is None)
        assert live.stage.holding is not None

    seated(tmp_path, "fence", course)


def test_only_the_card_that_was_laid_is_offered_to_be_revealed(tmp_path: Path) -> None:
    async def course(live: Live, pages: dict[str, Page]) -> None:
        names = {}
        for seat, page in pages.items():
            await chosen(page, "Lay a card")
            await soon(partial(live.stage.must_pick, seat))
            card = live.stage.hands()[seat][0]
            live.stage.pick(seat, card.id)
            names[seat] = translate(Text(card.kind), "en")
        name = names["b"]
        lines = await listed(pages["b"], lambda found: name in " ".join(found))
        assert [line for line in lines if "Ace of" in line and name not in line] == []
        await chosen(pages["b"], next(line for line in lines if name in line))
        await soon(lambda: len(acts(live)) == 3 and live.dealing.pending is None)
        assert not live.stage.must_pick("b")

    seated(tmp_path, "runes", course)
