"""A seat's page gets every message in one size, so that none of its contents can be told by its length."""

from __future__ import annotations

import asyncio
from typing import cast

import msgspec
import pytest

from device.locale import LANGUAGES
from device.screens.page_view import MOST_TOLD
from device.session import tapping
from device.session.matches import begin_match
from device.session.state import Session
from engine.catalogue import complete
from engine.entry import Start
from extensions.phones.tests.test_websocket import REQUEST, Hears, Wire
from referee_phones.frames import SHOWN_BYTES
from referee_phones.websocket import PageSocket, pad_json
from tests.device.session.stages import GAMES as STAGED
from tests.device.session.stages import SEATS, stages, table
from tests.device.session.twins import GAMES, plays, shown

LONG_LINE = 400
"""Bytes of a told line, more than the longest."""


@pytest.mark.parametrize("game", GAMES)
def test_the_longest_page_of_a_seat_takes_less_than_one_message(game: str) -> None:
    """Also with as many told lines as a page shows, each as long as the longest."""
    longest = 0
    for play in plays(game)[::12]:
        seen = Session(play, play.match.at, 1, "en", phones=frozenset(SEATS))
        session = tapping.relist(table(), seen, None)
        for language in LANGUAGES:
            page = shown(session, "a", language)
            line = max((len(told.encode()) for told in page["told"]), default=0)
            rest = len(msgspec.json.encode({**page, "told": []}))
            longest = max(longest, rest + MOST_TOLD * (line + 3))
    assert 2000 < longest < SHOWN_BYTES


def test_the_widest_sky_takes_less_than_one_message_too() -> None:
    """Expert, on a mat: no other page offers as many actions to a finger."""
    known = table().games["planetx"]
    options = dict(complete(known.spec.options, {"mode": "expert", "camera": True, "level": "genius"}))
    play = begin_match(known, Start(0.0, "planetx", options, SEATS, 3, {"kind": "none"}), 0.0)
    (seat,) = known.game.actors(play.match.state)
    for language in LANGUAGES:
        page = shown(Session(play, 0.0, 1, "en", phones=frozenset(SEATS)), seat, language)
        assert len(page["answers"]["touch"]["moves"]) > 500
        assert len(msgspec.json.encode(page)) + MOST_TOLD * LONG_LINE < SHOWN_BYTES


@pytest.mark.parametrize("game", STAGED)
def test_the_page_of_an_ended_match_takes_less_than_one_message_too(game: str) -> None:
    _, session = stages(game)[-1]
    for language in LANGUAGES:
        page = shown(session, "a", language)
        assert page["ending"]
        assert len(msgspec.json.encode(page)) + MOST_TOLD * LONG_LINE < SHOWN_BYTES


@pytest.mark.parametrize("text", ["{}", '{"told":"Комета"}', '{"told":"真空"}', "x" * (SHOWN_BYTES - 1)])
def test_a_message_is_padded_by_its_bytes_and_not_by_its_letters(text: str) -> None:
    assert len(pad_json(text, SHOWN_BYTES).encode()) == SHOWN_BYTES
    assert pad_json(text, SHOWN_BYTES).rstrip() == text
    assert pad_json(text, 1) == text


def test_every_message_to_a_seats_page_is_as_long_as_any_other() -> None:
    async def scenario() -> list[int]:
        wire = Wire()
        socket = PageSocket(1, "10.0.0.1", Hears(), cast(asyncio.Transport, wire), 0.0, SHOWN_BYTES)
        socket.accept(REQUEST, "/link")
        wire.sent.clear()
        for answer in ("comet", "asteroid", "dwarf planet", "газовое облако"):
            socket.hold(msgspec.json.encode({"sheet": {"told": [answer]}}).decode(), 0.0, ends=False)
        return [len(data) for data in wire.sent]

    lengths = asyncio.run(scenario())
    assert len(lengths) == 4
    assert len(set(lengths)) == 1
