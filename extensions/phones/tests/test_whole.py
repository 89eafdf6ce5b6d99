"""Phones at a table that has `referee run` and `referee pages`, and nothing else: from the code to the first tap."""

from __future__ import annotations

import asyncio
from pathlib import Path

import aiohttp
import pytest

from extensions.phones.tests.daemon.phone import Phone
from extensions.phones.tests.whole import Whole, code_of, opened, whole


@pytest.mark.thorough
def test_a_phone_takes_a_seat_with_a_code_that_no_other_can_use_and_comes_back_to_it(tmp_path: Path) -> None:
    with whole(tmp_path) as made:
        asyncio.run(asyncio.wait_for(evening(made), 100))
        assert b"another is started" not in (tmp_path / "log").read_bytes()


async def evening(made: Whole) -> None:
    mine = Phone()
    async with aiohttp.ClientSession() as session:
        async with opened(session, made.page_of("table")) as table, opened(session, made.page_of("a")) as phone:
            await table.until(lambda page: page.sheet.get("codes"))
            assert {each["seat"] for each in table.sheet["codes"]} == {"a", "b", "c", "d"}
            assert phone.sheet == {}, "nothing before it has joined"
            code = code_of(table, "a")
            await phone.join(code, mine)
            await phone.until(lambda page: page.sheet)
            (said,) = phone.told
            assert said == {"joined": "a"}
            await table.until(lambda page: all(each["seat"] != "a" for each in page.sheet["codes"]))
            async with opened(session, made.page_of("a")) as other:
                await other.join(code, Phone())
                await other.until(lambda page: page.told)
                assert other.told[0]["why"] == "spent"
                assert other.told[0]["refused"]
                assert other.sheet == {}
            await asyncio.sleep(1.0)
            before = phone.sheet["answers"]["serial"]
            await phone.tap(0)
            await phone.until(lambda page: page.sheet["answers"]["serial"] != before)
            assert table.sheet["answers"]["lines"] == [], "the table's page is only looked at"
            await table.say(tap={"serial": 0, "line": 0})
        await asyncio.to_thread(made.restart)
        async with opened(session, made.page_of("a")) as phone:
            await phone.back(mine)
            await phone.until(lambda page: page.sheet)
            assert phone.told == [{"joined": "a"}], "the seat is still this phone's"
        async with opened(session, made.page_of("b")) as phone:
            await phone.back(mine)
            await phone.until(lambda page: page.told)
            assert "refused" in phone.told[0], "no key opens another seat"
