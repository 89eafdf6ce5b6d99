"""The club's site: what its pages say, what they save, and what an open one is told."""

from __future__ import annotations

import asyncio
import csv
import io
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
from aiohttp import ClientSession

from device import games
from device.locale import LANGUAGES
from device.web.server import HEADERS
from engine.catalogue import GameSpec
from engine.text import say
from extensions.club.tests.bench.bench_club import filled
from extensions.club.tests.test_archive import identity, spoil
from extensions.record.tests.herald.table import Match
from referee_club import hall, pages, tournament_pages
from referee_club.archive import Archive, Played
from referee_club.cards import display_name, in_order, wants
from referee_club.hall import PAGES, Hall
from referee_club.live_updates import OF_ONE, Live
from referee_club.markup import Markup, Visit
from referee_club.names import own_name
from referee_club.standings import LEAGUE
from referee_club.tournament import Kind, Plan, draw
from referee_club.tournaments import Tournaments
from referee_record.public_entries import Link, Opening
from referee_record.public_frames import Glance, Running, Scores, Seated
from referee_record.signed_record import read

replace = msgspec.structs.replace
PATIENCE_S = 30.0


def glance(match: str = "7" * 32, **changed: Any) -> Glance:
    """Anna and whoever sits at B, in the middle of a match."""
    seats = (Seated("a", "Anna", "", True), Seated("b", "B", "", False))
    points = Scores("Points", (("Anna", 2), ("B", 1)), 3)
    clocks = (Running("a", 83.0, True), Running("b", 300.0, False))
    shown = Glance("Tellstones", match, seats, "Anna chooses.", (points,), clocks, False, "", "ok", "", 1000.0)
    return replace(shown, **changed)


@asynccontextmanager
async def served(folder: Path) -> AsyncIterator[tuple[Archive, ClientSession]]:
    """An archive with its site."""
    archive = Archive(folder / "club.db")
    site = Hall(archive, "127.0.0.1", 0)
    await site.start()
    try:
        async with ClientSession(site.address()) as guest:
            yield archive, guest
    finally:
        await site.close()
        archive.close()


async def text(guest: ClientSession, address: str, status: int = 200) -> str:
    async with guest.get(address) as answer:
        found = await answer.text()
        assert answer.status == status, found
        return found


def in_play(archive: Archive, table: str = "table-1", **changed: Any) -> None:
    archive.say_alive(table, True)
    archive.take_glance(table, glance(**changed))


def test_the_hall_shows_who_plays_and_first_who_needs_a_person(tmp_path: Path) -> None:
    async def seen() -> str:
        async with served(tmp_path) as (archive, guest):
            in_play(archive, "table-1")
            in_play(archive, "table-2", match="8" * 32, needs="The camera is covered.")
            return await text(guest, "/")

    page = asyncio.run(seen())
    assert page.index("table-2") < page.index("table-1")
    for each in ("Anna", "Seat B", "to move", "1:23", "Points: first to 3", "The camera is covered.", "1 needs help"):
        assert each in page


def test_what_a_table_says_is_text_and_never_markup(tmp_path: Path) -> None:
    async def seen() -> list[str]:
        async with served(tmp_path) as (archive, guest):
            evil = '<script>alert("x")</script>'
            seats = (Seated("a", evil, "", True), Seated("b", "B", "", False))
            scores = (Scores(evil, ((evil, 3),), 5),)
            in_play(archive, evil, seats=seats, needs=evil, status=evil, game=evil, scores=scores)
            archive.take_glance(evil, glance(seats=seats, result=evil, winners=("a",)))
            asked = {"name": evil, "table": evil, "player": evil, "id": "7" * 32}
            found = []
            asked["tournament"] = Tournaments(archive).make(Plan(evil, Kind.SWISS, (evil, "Ben"), "", 1))
            for name, page in PAGES.items():
                query = {each: asked[each] for each in page.asks if each in asked}
                if name == "tournament":
                    query = {"id": asked[name]}
                async with guest.get(f"/{name}", params=query) as answer:
                    assert answer.status == 200, name
                    found.append(await answer.text())
            return found

    for page in asyncio.run(seen()):
        assert "<script>" not in page
        assert "alert(&quot;x&quot;)" in page or "alert(" not in page


def test_each_page_is_there_in_each_language(tmp_path: Path) -> None:
    async def seen() -> None:
        async with served(tmp_path) as (archive, guest):
            in_play(archive)
            archive.take_glance("table-1", glance(result="Anna wins.", winners=("a",)))
            asked = {"": "", "table": "name=table-1", "match": f"id={'7' * 32}", "player": "name=Anna"}
            kept = Tournaments(archive)
            id = kept.make(Plan("Spring", Kind.POOLS, ("Anna", "Ben", "Cleo")))
            kept.take(id, draw(kept.get(id)))
            asked["tournament"] = f"id={id}"
            for language in LANGUAGES:
                for name in PAGES:
                    query = asked.get(name, "table=table-1" if name == "overlay" else "")
                    page = await text(guest, f"/{name}?{query}&lang={language}")
                    assert f'lang="{language.replace("_", "-")}"' in page

    asyncio.run(seen())


def test_what_the_club_does_not_know_has_no_page(tmp_path: Path) -> None:
    async def asked() -> None:
        async with served(tmp_path) as (_, guest):
            for page in (
                "table?name=x",
                "match?id=x",
                "player?name=x",
                "table",
                "record?id=x",
                "live?page=x",
                "nothing",
            ):
                await text(guest, f"/{page}", 404)

    asyncio.run(asked())


def test_a_table_that_was_added_and_not_heard_yet_has_a_page(tmp_path: Path) -> None:
    """The hall's page links to it."""

    async def seen() -> str:
        async with served(tmp_path) as (archive, guest):
            archive.trust("table-1", "")
            assert "/table?name=table-1" in await text(guest, "/?lang=en")
            return await text(guest, "/table?name=table-1&lang=en")

    assert "offline" in asyncio.run(seen())


def test_a_match_is_saved_as_a_record_and_as_a_line_of_csv(tmp_path: Path) -> None:
    match = Match()
    body = match.links[0].body
    assert isinstance(body, Opening)

    async def saved() -> tuple[str, bytes, str]:
        async with served(tmp_path) as (archive, guest):
            for n, link in enumerate(match.links):
                archive.take_link("=table", body.match, n, link)
            archive.take_glance("=table", glance(body.match, result="Anna wins.", winners=("a",)))
            page = await text(guest, f"/match?id={body.match}")
            async with guest.get(f"/record?id={body.match}") as answer:
                record = await answer.read()
            return page, record, await text(guest, "/results.csv")

    page, record, table = asyncio.run(saved())
    assert f"referee verify {body.match[:8]}.signed" in page
    assert read(record).links == tuple(match.links)
    (line,) = csv.DictReader(io.StringIO(table.removeprefix("\ufeff")))
    assert (line["match"], line["table"], line["players"], line["winners"]) == (
        body.match,
        "'=table",
        "Anna; B",
        "Anna",
    )
    assert line["whole"] == "yes"


def test_a_match_that_cannot_be_read_any_more_is_told_where_it_was(tmp_path: Path) -> None:
    match = Match()
    id = identity(match)

    async def shown() -> None:
        async with served(tmp_path) as (archive, guest):
            archive.take_link("table-1", id, 0, match.links[0])
            in_play(archive, match=id)
            spoil(archive, match)
            for page, status in (("match", 200), ("record", 500)):
                assert f"copy of match {id}" in await text(guest, f"/{page}?id={id}&lang=en", status)
            assert f"copy of match {id}" in await text(guest, "/table?name=table-1&lang=en")

    asyncio.run(shown())


def test_pages_show_what_was_told_and_no_entry_that_is_written_for_machines(tmp_path: Path) -> None:
    """Such as `table: done {6.273 camera}`, which stands between them in the record."""
    match = Match()
    id = identity(match)
    acts = [signed.body for signed in match.links if isinstance(signed.body, Link)]
    heard = [act.told for act in acts if act.told]
    unheard = [act.line for act in acts if not act.told]
    assert heard
    assert unheard

    async def shown() -> tuple[str, ...]:
        async with served(tmp_path) as (archive, guest):
            for n, link in enumerate(match.links):
                archive.take_link("table-1", id, n, link)
            in_play(archive, match=id)
            pages = ("table?name=table-1", f"match?id={id}")
            return tuple([await text(guest, f"/{page}&lang=en") for page in pages])

    running, whole = asyncio.run(shown())
    for page in (running, whole):
        assert page.count('class="at"') == len(heard)
        assert [sentence for told in heard for sentence in told if sentence not in page] == []
        assert [line for line in ("table: done", *unheard) if line in page] == []


async def next_event(answer: Any) -> dict[str, Any]:
    async with asyncio.timeout(PATIENCE_S):
        while not (line := await answer.content.readline()).startswith(b"data: "):
            assert line, "it ended"
    told: dict[str, Any] = json.loads(line[6:])
    return told


def test_an_open_page_is_told_what_changed_and_no_more(tmp_path: Path) -> None:
    async def told() -> list[dict[str, Any]]:
        async with served(tmp_path) as (archive, guest):
            in_play(archive, "table-1")
            in_play(archive, "table-2", match="8" * 32)
            async with guest.get("/live?page=") as answer:
                first = await next_event(answer)
                archive.take_glance("table-2", glance("8" * 32, status="Anna hides a stone."))
                second = await next_event(answer)
                archive.say_alive("table-1", False)
                return [first, second, await next_event(answer)]

    first, second, third = asyncio.run(told())
    assert first["order"] == ["state", "table table-1", "table table-2"]
    assert [name for name, *_ in second["parts"]] == ["table table-2"]
    assert "Anna hides a stone." in second["parts"][0][2]
    assert {name for name, *_ in third["parts"]} == {"state", "table table-1"}


def test_open_pages_share_the_work_and_the_first_is_what_the_page_had(tmp_path: Path) -> None:
    async def told() -> tuple[str, list[dict[str, Any]]]:
        async with served(tmp_path) as (archive, guest):
            in_play(archive)
            page = await text(guest, "/?lang=en")
            async with guest.get("/live?page=&lang=en") as one, guest.get("/live?page=&lang=en") as other:
                return page, [await next_event(one), await next_event(other)]

    page, (one, other) = asyncio.run(told())
    assert one["parts"] == other["parts"]
    for _, stamp, markup in one["parts"]:
        assert f'data-stamp="{stamp}">{markup}</div>' in page


def test_what_takes_long_is_made_anew_seldom(tmp_path: Path) -> None:
    archive = Archive(tmp_path / "club.db")
    made = list[int]()

    def makes() -> dict[str, Markup]:
        made.append(archive.version)
        return {"part": Markup(str(archive.version))}

    live = Live(archive)
    first = live.parts("page", makes, 3600.0)
    in_play(archive)
    assert live.parts("page", makes, 3600.0) is first
    assert live.parts("page", makes) == {"part": str(archive.version)}
    assert live.parts("page", makes) == {"part": str(archive.version)}
    assert len(made) == 2
    archive.close()


def test_what_changed_while_a_page_counted_as_new_is_told_afterwards(tmp_path: Path) -> None:
    async def told() -> list[str]:
        async with served(tmp_path) as (archive, guest):
            in_play(archive)
            async with guest.get("/live?page=matches&lang=en") as one, guest.get("/live?page=matches&lang=en") as other:
                found = [str(await next_event(one)), str(await next_event(other))]
                archive.take_glance("table-1", glance(result="Anna wins.", winners=("a",)))
                return [*found, str(await next_event(one)), str(await next_event(other))]

    *before, one, other = asyncio.run(told())
    assert not any("Anna wins." in each for each in before)
    assert "Anna wins." in one
    assert "Anna wins." in other


def test_whoever_gave_no_name_is_called_as_the_game_calls_them_everywhere() -> None:
    visit = Visit("en")
    assert display_name(Seated("a", "Green", "Green", True), visit) == "Green"
    assert display_name(Seated("a", "A", "", True), visit) == "Seat A"
    assert display_name(Seated("a", "Anna", "Green", True), visit) == "Anna"


def test_a_name_that_nobody_gave_is_no_name() -> None:
    assert own_name(Seated("a", "Anna", "Green", True)) == "Anna"
    for name, side in (("A", ""), ("Green", "Green"), ("Player 2", "")):
        assert not own_name(Seated("a", name, side, True))


def test_why_a_table_needs_a_person(tmp_path: Path) -> None:
    archive = Archive(tmp_path / "club.db")
    in_play(archive, "well")
    in_play(archive, "away", match="8" * 32)
    archive.say_alive("away", False)
    in_play(archive, "blind", match="9" * 32, camera="silent")
    in_play(archive, "over", match="a" * 32, result="Anna wins.")
    archive.say_alive("odd", True)
    archive.remark("odd", say("The table's clock is not set."))
    why = {table.name: [str(each) for each in wants(table)] for table in archive.tables()}
    assert why["well"] == why["over"] == []
    assert "No contact with the table" in why["away"][0]
    assert "camera" in why["blind"][0]
    assert why["odd"] == ["The table's clock is not set."]
    assert [table.name for table in in_order(archive.tables())] == ["away", "blind", "odd", "well", "over"]
    archive.close()


def test_table_2_stands_before_table_10(tmp_path: Path) -> None:
    archive = Archive(tmp_path / "club.db")
    for name in ("table 10", "table 2", "5 table", "a"):
        archive.say_alive(name, True)
    assert [table.name for table in in_order(archive.tables())] == ["5 table", "a", "table 2", "table 10"]
    archive.close()


def test_a_clock_that_says_what_no_clock_can_mean_spoils_no_page(tmp_path: Path) -> None:
    async def asked() -> None:
        async with served(tmp_path) as (archive, guest):
            for digit, at in enumerate((1e18, -1e18, float("nan"), float("inf"))):
                match = f"{digit}" * 32
                archive.take_glance("table-1", glance(match, at=at, result="Anna wins.", winners=("a",)))
                assert "clock not set" in await text(guest, f"/match?id={match}&lang=en")
            await text(guest, "/matches")
            await text(guest, "/results.csv")

    asyncio.run(asked())


def test_a_match_is_in_play_only_while_its_table_says_so(tmp_path: Path) -> None:
    async def asked() -> None:
        async with served(tmp_path) as (archive, guest):
            in_play(archive, match="6" * 32)
            in_play(archive)
            assert "no result" in await text(guest, f"/match?id={'6' * 32}&lang=en")
            assert "in play" in await text(guest, f"/match?id={'7' * 32}&lang=en")
            page = await text(guest, "/matches?lang=en")
            assert page.count("no result") == page.count("in play") == 1
            archive.say_alive("table-1", False)
            assert (await text(guest, "/matches?table=table-1&lang=en")).count("no result") == 2

    asyncio.run(asked())


def test_a_league_that_nobody_plays_in_is_not_there_and_all_matches_are_gone_through_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone_through = list[int]()
    played = Archive.list_matches

    def counted(archive: Archive, **asked: Any) -> list[Played]:
        if asked.get("limit") == LEAGUE:
            gone_through.append(archive.version)
        return played(archive, **asked)

    monkeypatch.setattr(Archive, "list_matches", counted)

    async def asked() -> None:
        async with served(tmp_path) as (archive, guest):
            archive.take_glance("table-1", glance(result="Anna wins.", winners=("a",)))
            for n in range(5):
                await text(guest, f"/players?game=game-{n}", 404)
                await text(guest, f"/player?name=nobody-{n}", 404)
            await text(guest, "/player?name=Anna")
            await text(guest, "/players")
            assert len(gone_through) == 1
            first = await text(guest, "/results.csv")
            archive.take_glance("table-1", glance("8" * 32))
            assert await text(guest, "/results.csv") == first
            assert len(gone_through) == 2

    monkeypatch.setattr(hall, "LEAGUE_S", 3600.0)
    asyncio.run(asked())


def test_the_title_of_a_game_is_read_once_however_many_matches_are_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is in a file, which took most of the time of a page of 200 matches."""
    archive, read_of, spec = filled(tmp_path / "club.db", 300), list[str](), games.spec

    def reading(name: str) -> GameSpec:
        read_of.append(name)
        return spec(name)

    monkeypatch.setattr(games, "spec", reading)
    visit = Visit("en", asked=True)
    for times, page in (
        (1, lambda: pages.matches(archive, visit)),
        (2, lambda: pages.player(archive, visit, "Player no. 1")),
    ):
        read_of.clear()
        assert str(page()["matches"]).count("<tr>") > 5
        assert max(map(read_of.count, read_of)) == times
    read_of.clear()
    kept = Tournaments(archive)
    for number in range(5):
        kept.make(Plan(f"No. {number}", Kind.ROUND_ROBIN, ("Anna", "Ben"), "fence"))
    tournament_pages.tournament_list(archive, visit)
    assert read_of == ["fence"]
    archive.close()


def test_one_address_leaves_open_pages_to_others(tmp_path: Path) -> None:
    async def asked() -> None:
        async with served(tmp_path) as (archive, guest), AsyncExitStack() as streams:
            in_play(archive)
            for _ in range(OF_ONE):
                answer = await streams.enter_async_context(guest.get("/live?page="))
                assert answer.status == 200
            assert {name: answer.headers[name] for name in HEADERS} == dict(HEADERS)
            await text(guest, "/live?page=", 503)

    asyncio.run(asked())
