"""The organiser's orders, as the pages of tournaments send them."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientSession, WSServerHandshakeError

from extensions.club.tests.test_hall import glance, served, text
from referee_club.archive import Archive
from referee_club.tournament import Kind, Plan, pair_of
from referee_club.tournaments import Tournaments
from referee_record.public_frames import Seated

MAKE = {"name": "Spring", "kind": Kind.ROUND_ROBIN, "rounds": "", "game": "", "entrants": "Anna\n\n  Ben \nCleo"}


class Organiser:
    """A page of tournaments with the organiser's key."""

    def __init__(self, archive: Archive, guest: ClientSession) -> None:
        self.kept, self._guest = Tournaments(archive), guest
        self.key = self.kept.key()

    async def order(self, do: str, **fields: str) -> dict[str, Any]:
        async with self._guest.ws_connect(f"/organise?key={self.key}&lang=en") as link:
            await link.send_json({"do": do, "fields": fields})
            async with asyncio.timeout(30):
                answer: dict[str, Any] = await link.receive_json()
        return answer

    async def made(self, **changed: str) -> str:
        """The identity of a tournament that was made, and drawn."""
        answer = await self.order("make", **{**MAKE, **changed})
        id = str(answer["done"]).partition("id=")[2].partition("&")[0]
        assert await self.order("draw", id=id) == {"done": ""}
        return id

    def game(self, id: str, number: int, board: int) -> dict[str, str]:
        """What its form says of two who meet."""
        pair = pair_of(self.kept.get(id).rounds[number][board].pair)
        return {"id": id, "round": str(number), "board": str(board), "pair": pair}

    async def page(self, id: str, key: bool = True) -> str:
        return await text(self._guest, f"/tournament?id={id}&lang=en" + (f"&key={self.key}" if key else ""))


def test_a_tournament_from_its_making_to_its_end(tmp_path: Path) -> None:
    async def held() -> None:
        async with served(tmp_path) as (archive, guest):
            organiser = Organiser(archive, guest)
            id = await organiser.made()
            page = await organiser.page(id)
            assert page.count("has a bye") == 3
            assert "Ben won" in page
            for number, board in organiser.kept.get(id).open:
                done = await organiser.order("result", **organiser.game(id, number, board), winner="0")
                assert done == {"done": ""}
            assert "is first" in await organiser.page(id)
            assert "is first" in await text(guest, "/tournaments?lang=en")

    asyncio.run(held())


def test_a_result_from_a_table_is_offered_and_can_be_taken_back(tmp_path: Path) -> None:
    async def held() -> None:
        async with served(tmp_path) as (archive, guest):
            organiser = Organiser(archive, guest)
            id = await organiser.made(kind=Kind.ELIMINATION, entrants="Anna\nBen")
            seats = (Seated("a", "Ben", "", False), Seated("b", "Anna", "", False))
            archive.take_glance("table-1", glance(seats=seats, result="Ben wins.", winners=("a",), at=None))
            assert "As played at a table: Ben" in await organiser.page(id)
            where = organiser.game(id, 0, 0)
            assert "Please check again" in (await organiser.order("result", **where, match="6" * 32))["refused"]
            assert await organiser.order("result", **where, match="7" * 32) == {"done": ""}
            assert "finished: Ben is first" in await organiser.page(id, key=False)
            assert await organiser.order("clear", **where) == {"done": ""}
            assert await organiser.order("withdraw", id=id) == {"done": ""}
            assert "not drawn yet" in await organiser.page(id)

    asyncio.run(held())


def test_points_of_a_pool_fit_who_won(tmp_path: Path) -> None:
    async def held() -> None:
        async with served(tmp_path) as (archive, guest):
            organiser = Organiser(archive, guest)
            id = await organiser.made(kind=Kind.POOLS)
            where = organiser.game(id, 0, 0)
            for points, why in ((("5", ""), "hits of both"), (("5", "x"), "hits of both"), (("1", "5"), "more hits")):
                given = {"points0": points[0], "points1": points[1]}
                assert why in (await organiser.order("result", **where, **given, winner="0"))["refused"]
            assert await organiser.order("result", **where, points0="5", points1="3", winner="0") == {"done": ""}
            assert "5 : 3" in await organiser.page(id)

    asyncio.run(held())


async def refused(guest: ClientSession, address: str, **headers: str) -> int:
    """With what a link is."""
    with pytest.raises(WSServerHandshakeError) as caught:
        await guest.ws_connect(address, headers=headers)
    return caught.value.status


def test_whoever_has_no_key_only_reads(tmp_path: Path) -> None:
    async def asked() -> None:
        async with served(tmp_path) as (archive, guest):
            organiser = Organiser(archive, guest)
            id = await organiser.made()
            for key in ("", "x", organiser.key[:-1]):
                page = await text(guest, f"/tournament?id={id}&key={key}")
                assert "<form data-do" not in page
                assert "<form data-do" not in await text(guest, f"/tournaments?key={key}")
                assert await refused(guest, f"/organise?key={key}") == 404
            assert await refused(guest, f"/organise?key={organiser.key}", Origin="http://elsewhere") == 403
            assert organiser.key not in await text(guest, f"/tournament?id={id}")

    asyncio.run(asked())


def test_what_is_no_order_is_refused_in_a_sentence(tmp_path: Path) -> None:
    async def asked() -> None:
        async with served(tmp_path) as (archive, guest):
            organiser = Organiser(archive, guest)
            id = await organiser.made()
            where = organiser.game(id, 0, 1)
            for do, fields in (
                ("dance", where),
                ("draw", {}),
                ("draw", {"id": "x"}),
                ("result", where),
                ("result", {**where, "winner": "2"}),
                ("result", {**where, "board": "x", "winner": "0"}),
                ("make", {**MAKE, "kind": "x"}),
                ("make", {**MAKE, "game": "x"}),
            ):
                assert "out of date" in (await organiser.order(do, **fields))["refused"], (do, fields)
            for do, fields in (
                ("make", {**MAKE, "entrants": "Anna"}),
                ("make", {**MAKE, "kind": Kind.SWISS, "rounds": "9"}),
                ("draw", {"id": id}),
            ):
                assert "out of date" not in (await organiser.order(do, **fields))["refused"], (do, fields)

    asyncio.run(asked())


def test_a_result_stays_until_it_is_taken_back_and_counts_for_the_pair_that_was_seen(tmp_path: Path) -> None:
    async def asked() -> None:
        async with served(tmp_path) as (archive, guest):
            organiser = Organiser(archive, guest)
            id = await organiser.made(entrants="Anna\nBen\nCleo\nDan")
            where = organiser.game(id, 0, 0)
            other = {**where, "pair": organiser.game(id, 0, 1)["pair"]}
            assert "Please check again" in (await organiser.order("result", **other, winner="0"))["refused"]
            assert await organiser.order("result", **where, winner="0") == {"done": ""}
            assert "Undo it first" in (await organiser.order("result", **where, winner="1"))["refused"]
            assert "Please check again" in (await organiser.order("clear", **other))["refused"]
            kept = organiser.kept.get(id).rounds[0][0].ended
            assert kept is not None
            assert kept.winner == 0
            assert f'name="pair" value="{where["pair"]}"' in await organiser.page(id)

    asyncio.run(asked())


def test_an_order_that_a_full_disk_cannot_keep_is_refused_in_a_sentence(tmp_path: Path) -> None:
    async def held() -> None:
        async with served(tmp_path) as (archive, guest):
            organiser = Organiser(archive, guest)
            (pages,) = archive.connection.execute("PRAGMA page_count").fetchone()
            archive.connection.execute(f"PRAGMA max_page_count = {pages}")
            many = "\n".join(f"Player {number} " + "x" * 60 for number in range(64))
            answer = await organiser.order("make", **{**MAKE, "kind": Kind.SWISS, "rounds": "3", "entrants": many})
            assert answer == {"refused": "Nothing was saved: the club's archive can't be written to. Is its disk full?"}
            archive.connection.execute("PRAGMA max_page_count = 100000")
            assert "done" in await organiser.order("make", **MAKE)

    asyncio.run(held())


def test_a_host_without_what_pairs_a_swiss_round_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "networkx", None)

    async def asked() -> None:
        async with served(tmp_path) as (archive, guest):
            organiser = Organiser(archive, guest)
            id = organiser.kept.make(Plan("Spring", Kind.SWISS, ("Anna", "Ben"), "", 1))
            assert "The library networkx is missing" in (await organiser.order("draw", id=id))["refused"]

    asyncio.run(asked())


def test_a_tournament_is_deleted_as_long_as_nothing_is_drawn(tmp_path: Path) -> None:
    async def asked() -> None:
        async with served(tmp_path) as (archive, guest):
            organiser = Organiser(archive, guest)
            id = await organiser.made()
            assert "Undo it first" in (await organiser.order("delete", id=id))["refused"]
            assert "Delete the tournament" not in await organiser.page(id)
            assert await organiser.order("withdraw", id=id) == {"done": ""}
            assert "Delete the tournament" in await organiser.page(id)
            assert "Delete the tournament" not in await organiser.page(id, key=False)
            assert "tournaments" in (await organiser.order("delete", id=id))["done"]
            assert list(organiser.kept.all()) == []
            await text(guest, f"/tournament?id={id}", 404)

    asyncio.run(asked())


def test_enter_in_a_field_of_hits_says_nothing_of_who_won(tmp_path: Path) -> None:
    async def asked() -> str:
        async with served(tmp_path) as (archive, guest):
            organiser = Organiser(archive, guest)
            return await organiser.page(await organiser.made(kind=Kind.POOLS))

    form = asyncio.run(asked()).partition('data-do="result"')[2]
    first = form.partition("<button")[2].partition(">")[0]
    assert "disabled" in first, "the first button of a form is what Enter presses (HTML, 4.10.21.2)"
    assert "hidden" in first
