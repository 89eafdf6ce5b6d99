"""The pages of a virtual table: the shipped keeper and workers serve them, and the printed links take the seats."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from device.web.serving import PageError
from device.web.serving import listen as listening
from extensions.phones.tests.daemon.phone import Phone
from extensions.phones.tests.whole import opened
from referee_phones import confine
from referee_simulator.live import gateway
from referee_simulator.live.gateway import Doors, first_port
from referee_simulator.live.run import Live, LivePlan

pytestmark = [pytest.mark.timeout(180)]
PLANETX = LivePlan(game="planetx", scene="easy", seed=5, port=0, ideal=True)


def at_table(folder: Path, course: Callable[[Doors], Awaitable[None]], plan: LivePlan = PLANETX) -> Live:
    """Runs a table until the course is over."""
    live = Live(plan, folder)

    async def whole() -> None:
        stop, doors = asyncio.Event(), asyncio.get_running_loop().create_future()
        running = asyncio.create_task(live.run(doors.set_result, stop))
        try:
            await asyncio.wait([running, doors], timeout=120, return_when=asyncio.FIRST_COMPLETED)
            await course(doors.result())
        finally:
            stop.set()
            await running

    asyncio.run(whole())
    return live


async def about(session: aiohttp.ClientSession, page: str) -> dict[str, Any]:
    """What a page is told of itself, once its worker answers."""
    async with asyncio.timeout(100):
        while True:
            try:
                async with session.get(f"{page}app.json") as answer:
                    found: dict[str, Any] = await answer.json()
                    return found
            except aiohttp.ClientError:
                await asyncio.sleep(0.1)


@pytest.mark.thorough
def test_the_link_of_a_seat_takes_it_and_the_tables_page_leads_to_all_of_them(tmp_path: Path) -> None:
    async def course(doors: Doors) -> None:
        async with aiohttp.ClientSession() as session:
            page, _, code = doors.seats["a"].partition("#")
            told, own = await about(session, doors.table), await about(session, page)
            assert set(doors.seats) == set(told["demo"]["seats"]) == {"a", "b"}
            assert page == told["demo"]["seats"]["a"]
            assert doors.bench == f"{doors.table}#{told['beside']['token']}"
            assert "demo" not in own, "who plays is led nowhere by their own page"
            assert own["beside"]["token"] == "", "a seat's page has its own key"
            for address, extra in ((doors.table, told), (page, own)):
                async with session.get(address + extra["beside"]["module"]) as answer:
                    assert answer.status == 200
                async with session.get(address) as answer:
                    port = extra["beside"]["port"]
                    assert f" ws://127.0.0.1:{port};" in answer.headers["Content-Security-Policy"]
            async with session.get(doors.table) as answer:
                frames = " ".join(told["demo"]["seats"].values()).replace("/ ", " ").rstrip("/")
                assert f"frame-src {frames};" in answer.headers["Content-Security-Policy"]
            async with session.get(page) as answer:
                assert f"frame-ancestors {doors.table.rstrip('/')};" in answer.headers["Content-Security-Policy"]
            async with opened(session, page.rstrip("/")) as guest, opened(session, doors.table.rstrip("/")) as table:
                await table.until(lambda at: len(at.sheet.get("codes", ())) == 2)
                await guest.join(code, Phone())
                await guest.until(lambda at: any(each.get("joined") == "a" for each in at.told) and at.sheet)
                await table.until(lambda at: [each["seat"] for each in at.sheet["codes"]] == ["b"])

    at_table(tmp_path, course)


@pytest.mark.thorough
def test_the_owners_link_claims_the_table_once_and_looks_after_it(tmp_path: Path) -> None:
    async def course(doors: Doors) -> None:
        page, _, code = doors.owner.partition("#")
        async with aiohttp.ClientSession() as session:
            assert (await about(session, page))["audience"] == "owner"
            async with opened(session, page.rstrip("/")) as owner, opened(session, page.rstrip("/")) as late:
                await owner.join(code, Phone())
                await owner.until(lambda at: any("step" in each for each in at.told))
                step = next(each["step"] for each in owner.told if "step" in each)
                assert step["of"] == 6
                await owner.say(tap={"serial": step["serial"], "line": 0, "menu": False})
                await owner.until(lambda at: any(each.get("step", {}).get("done") == 1 for each in at.told))
                await late.join(code, Phone())
                await late.until(lambda at: any(each.get("why") == "spent" for each in at.told))

    at_table(tmp_path, course)


@pytest.mark.thorough
def test_who_reaches_the_pages_from_elsewhere_is_not_given_the_bench(tmp_path: Path) -> None:
    async def course(doors: Doors) -> None:
        async with aiohttp.ClientSession() as session:
            port = doors.table.rstrip("/").rpartition(":")[2]
            told = await about(session, f"http://127.0.0.1:{port}/")
        assert told["beside"]["token"] == ""
        assert told["demo"]["scan"]
        assert doors.abroad

    plan = LivePlan(game="planetx", scene="easy", seed=5, port=0, ideal=True, host="0.0.0.0")
    at_table(tmp_path, course, plan)


@pytest.mark.thorough
def test_workers_that_cannot_be_shut_in_go_on_at_a_virtual_table_and_it_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def check() -> None:
        raise confine.Unconfined("no libseccomp")

    monkeypatch.setattr(confine, "check", check)
    keeper = gateway.KEEPER.replace("sys.exit", "confine.check = None\nsys.exit")  # nobody asks for it
    monkeypatch.setattr(gateway, "KEEPER", keeper)

    async def course(doors: Doors) -> None:
        async with aiohttp.ClientSession() as session:
            assert (await about(session, doors.table))["audience"] == "table"

    with caplog.at_level(logging.WARNING):
        at_table(tmp_path, course)
    assert "not shut in here" in caplog.text
    assert "no libseccomp" in caplog.text


def test_a_port_that_is_taken_is_told_before_the_table_is_laid() -> None:
    taken = first_port(0, "127.0.0.1")
    with listening("127.0.0.1", taken + 1, ""), pytest.raises(PageError, match="another --host or --port"):
        asyncio.run(gateway.check_ports(taken - gateway.AFTER_BENCH, "127.0.0.1"))
