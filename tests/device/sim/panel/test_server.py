"""The panel over HTTP and WebSocket, as a browser uses it: who sees what, who may do what, what is dropped."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import aiohttp
import pytest
from aiohttp import ClientSession, ClientWebSocketResponse, WSMsgType

from device.keys import Button
from device.printing.mat import load
from device.sim.panel import Panel, Pixels, Shot


class Page:
    """A page's end of the link."""

    def __init__(self, socket: ClientWebSocketResponse) -> None:
        self.socket = socket
        self.texts: list[dict[str, Any]] = []
        self.frames: list[bytes] = []
        self.screens: dict[str, bytes] = {}

    async def until(self, done: Callable[[Page], bool]) -> None:
        async with asyncio.timeout(5):
            while not done(self):
                self._keep(await self.socket.receive())

    def _keep(self, message: aiohttp.WSMessage) -> None:
        assert message.type in (WSMsgType.TEXT, WSMsgType.BINARY), message
        if message.type is WSMsgType.TEXT:
            self.texts.append(json.loads(message.data))
        elif message.data[0] == 1:
            self.frames.append(message.data[1:])
        else:
            size = message.data[1]
            self.screens[message.data[2 : 2 + size].decode()] = message.data[2 + size :]

    def last(self, kind: str) -> dict[str, Any] | None:
        return next((text for text in reversed(self.texts) if text["is"] == kind), None)

    def piece(self, kind: str | None) -> dict[str, Any]:
        table = self.last("table")
        assert table is not None
        return next(piece for piece in table["pieces"] if piece["kind"] == kind)

    async def say(self, **message: object) -> None:
        await self.socket.send_json(message)


class Site:
    """A served panel and a client."""

    def __init__(self, panel: Panel, client: ClientSession) -> None:
        self.panel, self.client = panel, client

    async def open(self, seat: str | None, query: str = "") -> Page:
        page = Page(await self.client.ws_connect(self.panel.addresses()[seat] + "link" + query))
        await page.until(lambda p: p.last("table") is not None)
        return page


@contextlib.asynccontextmanager
async def served(stage: Any) -> AsyncIterator[Site]:
    panel = Panel(stage, port=0)
    await panel.start()
    try:
        async with ClientSession() as client:
            yield Site(panel, client)
    finally:
        await panel.close()


async def soon(done: Callable[[], bool]) -> None:
    async with asyncio.timeout(5):
        while not done():
            await asyncio.sleep(0.01)


def run(stage: Any, play: Callable[[Site], Awaitable[None]]) -> None:
    async def whole() -> None:
        async with served(stage) as site:
            await play(site)

    asyncio.run(whole())


def test_the_pages_open_with_their_token_alone(stage: Any) -> None:
    async def play(site: Site) -> None:
        addresses = site.panel.addresses()
        assert addresses.keys() == {None, "a", "b"}
        assert all(address.startswith("http://127.0.0.1:") for address in addresses.values())
        for seat, address in addresses.items():
            async with site.client.get(address) as answer:
                assert answer.status == 200
                assert answer.headers["Content-Security-Policy"].startswith("default-src 'self'")
                assert answer.headers["Referrer-Policy"] == "no-referrer"
                assert ("operator.js" in await answer.text()) == (seat is None)
        wrong = addresses[None].rsplit("/", 2)[0]
        for path in ("/guess/", "/guess/link", "/", "/static/../server.py", "/static/"):
            async with site.client.get(wrong + path) as answer:
                assert answer.status in (403, 404), path
        async with site.client.get(wrong + "/static/table.js") as answer:
            assert answer.status == 200
            assert "javascript" in answer.content_type

    run(stage, play)


def test_another_site_cannot_open_the_link(stage: Any) -> None:
    async def play(site: Site) -> None:
        address = site.panel.addresses()[None] + "link"
        with pytest.raises(aiohttp.WSServerHandshakeError) as error:
            await site.client.ws_connect(address, headers={"Origin": "http://elsewhere.example"})
        assert error.value.status == 403

    run(stage, play)


def test_the_operator_sees_everything_live(stage: Any) -> None:
    async def play(site: Site) -> None:
        page = await site.open(None)
        await page.until(lambda p: bool(p.frames) and len(p.screens) == 3 and p.last("scene") is not None)
        hello = page.last("hello")
        assert hello is not None
        assert hello["seat"] is None
        assert hello["displays"] == ["a", "b", "table"]
        assert hello["art"]["stones"]["crown"]["shapes"]
        assert page.frames == [b"\xff\xd8 frame"]
        assert page.screens["table"] == b"\x01\x00\x00\x40" + b"\xf0" * 2048
        stage.frame = Shot(2, b"\xff\xd8 next")
        stage.lit = {**stage.lit, "b": Pixels(128, 64, b"\xaa" * 1024)}
        await page.until(lambda p: len(p.frames) == 2 and p.screens["b"].endswith(b"\xaa" * 1024))
        assert page.frames[1] == b"\xff\xd8 next"

    run(stage, play)


def test_a_seat_sees_its_own_display_and_no_frame_and_no_hidden_piece(stage: Any) -> None:
    async def play(site: Site) -> None:
        page = await site.open("b")
        await page.until(lambda p: "b" in p.screens)
        stage.frame = Shot(2, b"\xff\xd8 next")
        stage.lit = {name: Pixels(p.width, p.height, b"\x11" * len(p.bits)) for name, p in stage.lit.items()}
        await page.until(lambda p: p.screens["b"].endswith(b"\x11"))
        hello = page.last("hello")
        assert hello is not None
        assert hello["displays"] == ["b"]
        assert page.screens.keys() == {"b"}
        assert page.frames == []
        assert page.last("scene") is None
        hidden = page.piece(None)
        assert (hidden["x"], hidden["y"]) == (210.0, 160.0)
        assert "sword" not in json.dumps(page.last("table"))

    run(stage, play)


def test_names_of_pieces_tell_nothing(stage: Any) -> None:
    async def play(site: Site) -> None:
        page = await site.open("a")
        table = page.last("table")
        assert table is not None
        names = [piece["id"] for piece in table["pieces"]]
        assert len(set(names)) == 7
        assert all(len(name) == 12 for name in names)
        async with served(stage) as again:
            other = (await again.open("a")).last("table")
            assert other is not None
            assert not {piece["id"] for piece in other["pieces"]} & set(names)

    run(stage, play)


def test_buttons_are_pressed_and_let_go(stage: Any) -> None:
    async def play(site: Site) -> None:
        page = await site.open(None)
        await page.say(do="press", panel="a", button="choose")
        await soon(lambda: stage.pressed == [("a", Button.CHOOSE, True)])
        await page.say(do="release", panel="a", button="choose")
        await page.say(do="release", panel="a", button="choose")
        await page.say(do="press", panel="b", button="back")
        await soon(lambda: len(stage.pressed) == 3)
        assert stage.pressed[1:] == [("a", Button.CHOOSE, False), ("b", Button.BACK, True)]
        await page.socket.close()
        await soon(lambda: len(stage.pressed) == 4)
        assert stage.pressed[3] == ("b", Button.BACK, False)

    run(stage, play)


def test_pieces_are_dragged_turned_and_peeked_at(stage: Any) -> None:
    async def play(site: Site) -> None:
        page = await site.open("a")
        crown = page.piece("crown")["id"]
        await page.say(do="take", seat="a", piece=crown)
        await page.say(do="carry", seat="a", x=150.0, y=150.0)
        await page.say(do="drop", seat="a", x=160.0, y=155.0)
        await page.until(lambda p: p.piece("crown")["x"] == 160.0)
        await page.say(do="flip", seat="a", piece=crown)
        await page.until(lambda p: "crown" not in json.dumps(p.last("table")))
        await page.say(do="peek", seat="a", piece=crown)
        await page.until(lambda p: p.last("peeked") is not None)
        assert page.last("peeked") == {"is": "peeked", "piece": crown, "kind": "crown"}
        assert stage.now.body(0).held
        await page.say(do="lower", seat="a")
        await soon(lambda: not stage.now.body(0).held)

    run(stage, play)


def test_a_peek_is_told_to_the_page_that_peeks_alone(stage: Any) -> None:
    async def play(site: Site) -> None:
        mine, other = await site.open("a"), await site.open("b")
        hidden = mine.piece(None)["id"]
        await mine.say(do="peek", seat="a", piece=hidden)
        await mine.until(lambda p: p.last("peeked") is not None)
        await other.until(lambda p: any(piece["held"] for piece in (p.last("table") or {"pieces": []})["pieces"]))
        await mine.say(do="lower", seat="a")
        await other.until(lambda p: not any(piece["held"] for piece in (p.last("table") or {"pieces": []})["pieces"]))
        assert other.last("peeked") is None
        assert "sword" not in json.dumps([text for text in other.texts if text["is"] != "hello"])

    run(stage, play)


def test_a_hand_is_shown_to_its_own_page_and_counted_for_the_others(stage: Any) -> None:
    async def play(site: Site) -> None:
        stage.deal()
        mine, other, everybody = await site.open("a"), await site.open("b"), await site.open(None)
        for page in (mine, other, everybody):
            await page.until(lambda p: p.last("hands") is not None)
        held = (mine.last("hands") or {})["hands"]
        assert [card["kind"] for card in held["a"]["cards"]] == ["ace-of-moons", "ace-of-suns"]
        assert held["b"] == {"count": 1, "cards": None}
        told = json.dumps([text for text in other.texts if text["is"] != "hello"])
        assert "moons" not in told
        assert "waves" in told
        assert {seat: len(hand["cards"]) for seat, hand in (everybody.last("hands") or {})["hands"].items()} == {
            "a": 2,
            "b": 1,
        }
        assert (mine.last("hello") or {})["conceals"] is True

    run(stage, play)


def test_a_card_is_laid_out_of_the_hand_and_taken_back_under_another_name(stage: Any) -> None:
    async def play(site: Site) -> None:
        stage.deal()
        page, other = await site.open("a"), await site.open("b")
        await page.until(lambda p: p.last("hands") is not None)
        card = (page.last("hands") or {})["hands"]["a"]["cards"][1]["id"]
        await page.say(do="bring", seat="a", card=card, up=False, x=150.0, y=150.0)
        await page.say(do="drop", seat="a", x=160.0, y=150.0)
        await other.until(lambda p: len((p.last("table") or {})["pieces"]) == 8 and p.last("hands") is not None)
        await other.until(lambda p: (p.last("hands") or {})["hands"]["a"]["count"] == 1)
        laid = next(piece for piece in (other.last("table") or {})["pieces"] if piece["set"] == "decktet")
        assert (laid["kind"], laid["x"]) == (None, 160.0)
        assert laid["id"] != card
        await page.until(lambda p: (p.last("hands") or {})["hands"]["a"]["count"] == 1)
        await page.say(do="take", seat="a", piece=laid["id"], pile=True)
        await page.say(do="keep", seat="a")
        await page.until(lambda p: (p.last("hands") or {})["hands"]["a"]["count"] == 2)
        assert stage.piled
        back = {card["id"] for card in (page.last("hands") or {})["hands"]["a"]["cards"]}
        assert not back & {card, laid["id"]}
        assert "suns" not in json.dumps([text for text in other.texts if text["is"] != "hello"])

    run(stage, play)


def test_nobody_lays_or_keeps_what_another_holds(stage: Any) -> None:
    async def play(site: Site) -> None:
        stage.deal()
        page, other = await site.open("a"), await site.open("b")
        await page.until(lambda p: p.last("hands") is not None)
        card = (page.last("hands") or {})["hands"]["a"]["cards"][0]["id"]
        await other.say(do="bring", seat="a", card=card, up=True, x=150.0, y=150.0)
        await other.say(do="bring", seat="b", card=card, up=True, x=150.0, y=150.0)
        await other.say(do="keep", seat="b")
        await soon(lambda: site.panel.dropped == 2)
        assert [len(cards) for cards in stage.held_cards.values()] == [2, 1]

    run(stage, play)


def test_pictures_of_cards_are_those_that_are_printed(stage: Any) -> None:
    async def play(site: Site) -> None:
        base = site.panel.addresses()[None].rsplit("/", 2)[0] + "/static/faces/"
        for name, status in (
            ("decktet/back", 200),
            ("decktet/ace-of-suns", 200),
            ("decktet/joker", 404),
            ("x/back", 404),
        ):
            async with site.client.get(f"{base}{name}.svg") as answer:
                assert answer.status == status, name
                if status == 200:
                    assert answer.content_type == "image/svg+xml"
                    assert (await answer.text()).startswith("<svg")

    run(stage, play)


def test_a_page_that_goes_lays_down_what_it_holds(stage: Any) -> None:
    async def play(site: Site) -> None:
        page = await site.open("a")
        await page.say(do="take", seat="a", piece=page.piece("flag")["id"])
        await page.say(do="carry", seat="a", x=200.0, y=40.0)
        await soon(lambda: stage.now.body(3).held)
        await page.socket.close()
        await soon(lambda: not stage.now.body(3).held)
        assert (stage.now.body(3).x, stage.now.body(3).y) == (200.0, 40.0)

    run(stage, play)


def test_the_operator_changes_the_scene(stage: Any) -> None:
    async def play(site: Site) -> None:
        page = await site.open(None)
        await page.say(do="turn", knob="noise", value=7.5)
        await page.say(do="throw", switch="glare", on=True)
        await page.say(do="play", auto="cheating")
        await page.until(lambda p: (p.last("scene") or {}).get("auto") == "cheating")
        assert stage.noise.value == 7.5
        assert stage.glare.on

    run(stage, play)


def test_the_operator_has_the_pieces_set_out_anew(stage: Any) -> None:
    async def play(site: Site) -> None:
        page, seat = await site.open(None), await site.open("a")
        await seat.say(do="lay")
        await page.say(do="lay")
        await page.until(lambda p: p.piece(None)["y"] == 56.0)
        assert site.panel.dropped == 1

    run(stage, play)


def test_another_mat_is_told_with_all_that_lies_on_it(stage: Any) -> None:
    async def play(site: Site) -> None:
        page = await site.open("a")
        stage.mat = load("tellstones-two")
        await page.until(lambda p: len([text for text in p.texts if text["is"] == "table"]) == 2)
        hello = page.last("hello")
        assert hello is not None
        assert hello["mat"]["name"] == "tellstones-two"

    run(stage, play)


def test_what_is_not_understood_or_not_allowed_is_dropped_and_counted(
    stage: Any, caplog: pytest.LogCaptureFixture
) -> None:
    async def play(site: Site) -> None:
        page = await site.open("b")
        for bad in ("{", "[]", '{"do": "dance"}', '{"do": "press", "panel": "b"}', '{"do":"lower","seat":"b","x":1}'):
            await page.socket.send_str(bad)
        await page.socket.send_bytes(b"\x00\x01")
        await page.say(do="press", panel="a", button="choose")
        await page.say(do="take", seat="a", piece=page.piece("crown")["id"])
        await page.say(do="take", seat="b", piece="0")
        await page.say(do="turn", knob="noise", value=9.0)
        await page.say(do="carry", seat="b", x=1e9, y=0)
        await page.say(do="carry", seat="b", x=10, y=10)
        await page.say(do="drop", seat="b", x=10, y=10)
        await page.say(do="press", panel="b", button="next")
        await soon(lambda: bool(stage.pressed))
        assert stage.pressed == [("b", Button.NEXT, True)]
        assert site.panel.dropped == 11
        assert stage.held == {}
        assert stage.noise.value == 2.0
        assert len([record for record in caplog.records if "cannot be used" in record.message]) == 1

    run(stage, play)


def test_a_page_is_told_in_its_language_why_a_hand_cannot_do_it(stage: Any) -> None:
    async def play(site: Site) -> None:
        page = await site.open("a", "?lang=ru")
        crown = page.piece("crown")["id"]
        stage.at_work = True
        await page.say(do="take", seat="a", piece=crown)
        await page.until(lambda p: p.last("refused") is not None)
        told = {"is": "refused", "piece": crown, "card": "", "text": "Здесь занята рука. Подождите немного."}
        assert page.last("refused") == told
        assert stage.held == {}
        assert site.panel.dropped == 0

    run(stage, play)


def test_an_error_of_the_table_ends_neither_the_panel_nor_a_page(stage: Any) -> None:
    async def play(site: Site) -> None:
        page, other = await site.open("a"), await site.open(None)
        stage.broken = True
        await page.say(do="flip", seat="a", piece=page.piece("crown")["id"])
        await page.until(lambda p: p.last("refused") is not None)
        assert "made an error" in (page.last("refused") or {})["text"]
        for each in (page, other):
            await each.until(lambda p: (p.last("trouble") or {}).get("text") == "mended")
        await page.say(do="flip", seat="a", piece=page.piece("crown")["id"])
        await other.until(lambda p: "crown" not in json.dumps(p.last("table")))

    run(stage, play)


def test_a_message_of_a_megabyte_closes_that_page_alone(stage: Any) -> None:
    async def play(site: Site) -> None:
        page, other = await site.open("a"), await site.open("b")
        await page.socket.send_str("x" * 1_000_000)
        with contextlib.suppress(AssertionError):
            await page.until(lambda p: False)
        assert page.socket.close_code == aiohttp.WSCloseCode.MESSAGE_TOO_BIG
        await other.say(do="press", panel="b", button="next")
        await soon(lambda: bool(stage.pressed))

    run(stage, play)
