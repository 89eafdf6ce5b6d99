"""The page for a match's file: what the command finds of it, in the language of the page, and a sentence for anything
else."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import aiohttp
import msgspec
import pytest

from device.locale import LANGUAGES
from referee_record.page import LONGEST, PART, STATIC, WORDS, VerifyPage, html
from referee_record.report import fault
from tests.device.web.test_words import assert_asked_for, assert_no_english, assert_translated

SIGNED = Path(__file__).parent / "format-1.signed"
"""By an earlier version; nobody's notes are beside it."""


async def _asked(page: VerifyPage, asked: dict[str, Any], data: bytes, language: str = "en") -> dict[str, Any] | None:
    """What the page says of a file; None if it ends the link."""
    async with aiohttp.ClientSession() as client, client.ws_connect(f"{page.address()}link?lang={language}") as link:
        await link.send_json(asked)
        for at in range(0, len(data), PART):
            await link.send_bytes(data[at : at + PART])
        said = await link.receive(timeout=120)
        return None if said.type is not aiohttp.WSMsgType.TEXT else msgspec.json.decode(said.data)


def served(asked: dict[str, Any], data: bytes, language: str = "en", **options: str) -> dict[str, Any] | None:
    async def whole() -> dict[str, Any] | None:
        page = VerifyPage(port=0, **options)
        await page.start()
        try:
            return await _asked(page, asked, data, language)
        finally:
            await page.close()

    return asyncio.run(whole())


@pytest.mark.thorough
def test_a_files_finding_is_told_in_the_language_of_the_page_with_what_was_noted() -> None:
    data, notes = SIGNED.read_bytes(), b"0 1a2b 3c4d 5e6f 7081 92a3 b4c5\n"
    found = served({"file": len(data), "notes": len(notes)}, data + notes, "ru")
    assert found is not None
    assert (found["is"], found["result"], found["code"]) == ("found", "refused", 1)
    assert found["said"] == "Файл отвергнут: что-то в нём неверно."
    assert found["wrong"]["why"].startswith("У других звено 0 иное")
    assert found["entries"] == []


@pytest.mark.thorough
def test_what_is_no_record_has_its_sentence_and_the_line_without_where_it_lay() -> None:
    data = SIGNED.read_bytes()[:-40]
    last = len(data.splitlines())
    found = served({"file": len(data), "notes": 0}, data)
    assert found is not None
    assert (found["is"], found["said"]) == ("fault", "This is not a match signed by a table, or it is incomplete:")
    assert found["why"].startswith(f"match, line {last}: ")


@pytest.mark.thorough
def test_notes_that_are_none_are_told_from_a_file_that_is_none() -> None:
    data, notes = SIGNED.read_bytes(), b"0 nothing\n"
    found = served({"file": len(data), "notes": len(notes)}, data + notes)
    assert found is not None
    assert (found["is"], found["said"]) == ("fault", "The notes cannot be read:")
    assert fault("there is no game 'chess'", "en")["said"] == "This match cannot be checked here:"


@pytest.mark.thorough
def test_a_file_that_takes_too_much_memory_or_time_is_given_up() -> None:
    data = SIGNED.read_bytes()
    burns = "import resource as r; r.setrlimit(r.RLIMIT_CPU, (1, 1))\nwhile True: pass\n"
    found = served({"file": len(data), "notes": 0}, data, script=burns)
    assert found == {
        "is": "fault",
        "said": "Checking this file here takes too long, or too much memory: check it in a terminal.",
        "why": "",
    }


def test_a_check_that_fails_otherwise_says_where_the_reason_stands(caplog: pytest.LogCaptureFixture) -> None:
    data = SIGNED.read_bytes()
    found = served({"file": len(data), "notes": 0}, data, script="raise ValueError('nobody expected that')")
    assert found is not None
    assert found["said"] == "It could not be checked. The terminal in which this program runs says why."
    assert "nobody expected that" in caplog.text


def test_a_second_file_before_the_first_is_whole_ends_the_link() -> None:
    async def whole() -> None:
        page = VerifyPage(port=0)
        await page.start()
        try:
            async with aiohttp.ClientSession() as client, client.ws_connect(f"{page.address()}link") as link:
                for asked in ({"file": 3, "notes": 0}, {"file": 5, "notes": 0}):
                    await link.send_json(asked)
                await link.send_bytes(b"abcABCDE")
                assert (await link.receive(timeout=60)).type is not aiohttp.WSMsgType.TEXT
        finally:
            await page.close()

    asyncio.run(whole())


@pytest.mark.parametrize("asked", [{"file": LONGEST + 1, "notes": 0}, {"file": 0, "notes": 0}, {"file": "x"}, []])
def test_nothing_else_is_taken(asked: dict[str, Any]) -> None:
    assert served(asked, b"") is None


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_the_page_speaks_every_language(language: str) -> None:
    assert_translated(WORDS, language)
    assert_no_english(html(language), WORDS, language)


def test_the_files_ask_for_words_that_there_are_and_for_all_of_them() -> None:
    assert_asked_for(WORDS, STATIC)


def test_the_page_loads_its_own_files_and_what_all_pages_share() -> None:
    async def whole() -> list[int]:
        page = VerifyPage(port=0)
        await page.start()
        try:
            async with aiohttp.ClientSession() as client:
                names = re.findall(r'(?:href|src)="([^"]+)"', html("en"))
                return [(await client.get(f"{page.address()}{name}")).status for name in names]
        finally:
            await page.close()

    assert asyncio.run(whole()) == [200] * 4
