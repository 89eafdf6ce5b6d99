"""A listener in a network without TLS records a whole session, and then wants the seat with all that was heard."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from device.owner.claim import digest
from device.session.aim import READING_S
from extensions.phones.tests.daemon.phone import Phone, is_number
from extensions.phones.tests.whole import Page, Whole, code_of, opened, whole
from referee_phones.daemon.handshake import mark

WAYS = ("English", "Tellstones", "2 players", "Seats A B", "Phones", "Seat A: by phone", "Another phone")
"""What seat A taps until its page shows the code for another phone."""

SECRET = re.compile(r"[0-9a-f]{32,}|(?<=#)[A-Z2-7]{16}|\b[0-9]{6}\b")
PARTS = ((0, 64), (64, None), (-64, None), (None, -64))


async def chooses(page: Page, line: str) -> None:
    await page.until(lambda page: line in page.sheet.get("answers", {"lines": ()})["lines"])
    await asyncio.sleep(READING_S + 0.3)
    await page.tap(page.sheet["answers"]["lines"].index(line))


def heard(wire: Iterable[str]) -> set[str]:
    """All that may be a key, a digest or a code, and parts of it."""
    found = {value for text in wire for value in SECRET.findall(text)}
    return found | {value[start:end] for value in found if len(value) > 64 for start, end in PARTS}


def attempts(wire: list[str], asked: str) -> Iterator[dict[str, Any]]:
    """What somebody who heard all of it may say to a challenge: the same again, and what can be made of it."""
    yield from (said for said in map(json.loads, wire) if "prove" in said)
    values = heard(wire)
    for value in values:
        for secret in (value, digest(value)):
            yield {"prove": mark(secret, asked)}
    for value in values:
        if is_number(value) or len(value) == 16:
            yield Phone().joins(asked, value)
        yield Phone().joins(asked, Phone(value).number)


@pytest.mark.thorough
def test_who_heard_a_whole_session_gets_nobodys_seat(tmp_path: Path) -> None:
    with whole(tmp_path) as made:
        asyncio.run(asyncio.wait_for(evening(made), 110))


async def evening(made: Whole) -> None:
    mine, wire = Phone(), list[str]()
    async with aiohttp.ClientSession() as session:
        async with opened(session, made.page_of("table")) as table, opened(session, made.page_of("a")) as phone:
            await table.until(lambda page: page.sheet.get("codes"))
            await phone.join(code_of(table, "a"), mine)
            for line in WAYS:
                await chooses(phone, line)
            await phone.until(lambda page: page.sheet.get("codes"))
            wire += [*table.wire, *phone.wire]
        async with opened(session, made.page_of("a")) as phone:
            await phone.back(mine)
            await phone.until(lambda page: page.sheet)
            wire += phone.wire
        assert not {mine.key, mine.secret, mine.number} & heard(wire)
        tried = await attack(session, made, wire)
        assert set(tried) == {"unknown", "taken", "spent", "wrong", "tries"}
        async with opened(session, made.page_of("a")) as phone:
            await phone.back(mine)
            await phone.until(lambda page: page.sheet.get("codes"))
            assert phone.told == [{"joined": "a"}], "the seat is still this phone's"


async def attack(session: aiohttp.ClientSession, made: Whole, wire: list[str]) -> list[str]:
    """Why each attempt was refused."""
    tried = list[str]()
    async with opened(session, made.page_of("a")) as page:
        await page.until(lambda page: page.challenge)
        for said in attempts(wire, page.challenge):
            await page.say(**said)
            await page.until(lambda page: len(page.told) > len(tried))
            tried.append(page.told[-1].get("why", "it has the seat"))
        assert not page.sheet
    return tried
