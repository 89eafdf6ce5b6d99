"""The bench over its WebSocket, as a browser uses it: who sees what, who may do what, what is dropped."""

from __future__ import annotations

import asyncio
import contextlib
import json
import posixpath
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import aiohttp
import pytest
from aiohttp import ClientSession, ClientWebSocketResponse, WSMsgType

from device.key_gestures import Button
from device.printing.mat import load
from engine.text import say
from extensions.phones.tests.daemon.phone import Phone
from referee_phones.app import files
from referee_simulator.hardware.buzzer import Tones
from referee_simulator.panel import Bench, Pixels, Shot
from referee_simulator.panel import files as beside
from referee_simulator.panel.feed import Feed
from referee_simulator.panel.words import HAND, WORDS
from referee_simulator.table.ground_truth import turn

KEY = re.compile(r'"([a-z-]+)"')


class Page:
    """A page's end of the link."""

    def __init__(self, socket: ClientWebSocketResponse) -> None:
        self.socket = socket
        self.texts: list[dict[str, Any]] = []
        self.frames: list[bytes] = []
        self.screens: dict[str, bytes] = {}

    async def until(self, done: Callable[[Page], bool]) -> None:
        async with asyncio.timeout(60):
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


PHONES = {"a": Phone("1"), "b": Phone("2")}


class Site:
    """A served bench and a client."""

    def __init__(self, bench: Bench, client: ClientSession) -> None:
        self.bench, self.client = bench, client

    def address(self, token: str | None = None) -> str:
        return f"http://127.0.0.1:{self.bench.port}/{token or self.bench.token}/link"

    async def open(self, query: str = "") -> Page:
        """The drawer."""
        page = Page(await self.client.ws_connect(self.address() + query))
        await page.until(lambda p: p.last("table") is not None)
        return page

    async def sit(self, seat: str) -> Page:
        """A seat's page, with what it holds."""
        page = await self.prove(seat, PHONES[seat])
        await page.until(lambda p: p.last("cards") is not None)
        return page

    async def prove(self, seat: str, phone: Phone) -> Page:
        """The page of a seat, on which a phone says that it has the seat's key."""
        page = Page(await self.client.ws_connect(self.address(seat)))
        await page.until(lambda p: p.last("challenge") is not None)
        asked = page.last("challenge") or {}
        await page.say(do="prove", proof=phone.returns(asked["text"])["prove"])
        page.texts.clear()
        return page


@contextlib.asynccontextmanager
async def served(stage: Any, worked: Callable[[], None] = lambda: None) -> AsyncIterator[Site]:
    bench = Bench(stage, port=0, sits=lambda seat, proof: proof.shows(PHONES[seat].secret), worked=worked)
    await bench.start()
    try:
        async with ClientSession() as client:
            yield Site(bench, client)
    finally:
        await bench.close()


async def soon(done: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not done():
            await asyncio.sleep(0.01)


def run(stage: Any, play: Callable[[Site], Awaitable[None]]) -> None:
    async def whole() -> None:
        async with served(stage) as site:
            await play(site)

    asyncio.run(whole())


def test_a_link_opens_with_its_token_or_a_seats_own_key_alone(stage: Any) -> None:
    async def play(site: Site) -> None:
        for token in ("guess", "c", "a.", PHONES["a"].key):
            async with site.client.get(site.address(token)) as answer:
                assert answer.status == 404, token
        async with site.client.get(site.address().removesuffix("link")) as answer:
            assert answer.status == 404, "there is no page"
        for seat, phone in (("a", PHONES["b"]), ("b", PHONES["a"]), ("a", Phone())):
            page = await site.prove(seat, phone)
            assert (await page.socket.receive()).type is WSMsgType.CLOSE, "before it is told anything"

    run(stage, play)


def test_what_was_heard_when_a_seat_proved_its_key_proves_nothing_on_another_link(stage: Any) -> None:
    async def play(site: Site) -> None:
        page = Page(await site.client.ws_connect(site.address("a")))
        await page.until(lambda p: p.last("challenge") is not None)
        heard = PHONES["a"].returns((page.last("challenge") or {})["text"])["prove"]
        again = Page(await site.client.ws_connect(site.address("a")))
        await again.until(lambda p: p.last("challenge") is not None)
        for said in ({"do": "prove", "proof": heard}, {"do": "pick", "card": 1}):
            await again.say(**said)
        assert (await again.socket.receive()).type is WSMsgType.CLOSE

    run(stage, play)


@pytest.mark.parametrize(
    ("origin", "status"),
    [("http://127.0.0.1:8139", 101), ("http://elsewhere.example:8139", 403), ("http://[::1", 403), ("null", 403)],
)
def test_only_pages_of_the_same_host_open_a_link(stage: Any, origin: str, status: int) -> None:
    async def play(site: Site) -> None:
        headers = {"Origin": origin}
        if status == 101:
            await site.client.ws_connect(site.address(), headers=headers)
            return
        with pytest.raises(aiohttp.WSServerHandshakeError) as error:
            await site.client.ws_connect(site.address(), headers=headers)
        assert error.value.status == status

    run(stage, play)


def test_the_drawer_sees_everything_live(stage: Any) -> None:
    async def play(site: Site) -> None:
        page = await site.open()
        await page.until(lambda p: bool(p.frames) and len(p.screens) == 3 and p.last("scene") is not None)
        hello = page.last("hello")
        assert hello is not None
        assert (hello["seats"], hello["displays"]) == (["a", "b"], ["a", "b", "table"])
        assert page.frames == [b"\xff\xd8 frame"]
        assert page.screens["table"] == b"\x01\x00\x00\x40" + b"\xf0" * 2048
        stage.frame = Shot(2, b"\xff\xd8 next")
        stage.lit = {**stage.lit, "b": Pixels(128, 64, b"\xaa" * 1024)}
        await page.until(lambda p: len(p.frames) == 2 and p.screens["b"].endswith(b"\xaa" * 1024))
        assert page.frames[1] == b"\xff\xd8 next"
        hidden = page.piece(None)
        assert (hidden["x"], hidden["y"]) == (210.0, 160.0)
        assert "sword" not in json.dumps(page.last("table"))

    run(stage, play)


def test_what_the_buzzer_sounds_is_told_in_words(stage: Any) -> None:
    def told() -> dict[str, Any]:
        found = [json.loads(each) for each in feed.news() if isinstance(each, str)]
        return next((each for each in found if each["is"] == "buzzer"), {})

    feed = Feed(stage, "en")
    assert told() == {"is": "buzzer", "tones": 0, "sounds": False, "told": "No sound yet."}
    assert told() == {}
    stage.heard = Tones(1, True)
    assert (told()["tones"], told() or "nothing new") == (1, "nothing new")
    stage.heard = Tones(1, False, 0.25)
    assert told()["told"] == "Tones: 1. The last one: 0.25 s."
    stage.heard = None
    assert told()["told"] == ""


def test_buttons_are_pressed_and_let_go(stage: Any) -> None:
    async def play(site: Site) -> None:
        page = await site.open()
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
        page = await site.open()
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


def test_a_seats_page_hears_of_its_own_cards_and_of_nothing_else(stage: Any) -> None:
    async def play(site: Site) -> None:
        stage.deal()
        mine, other = await site.sit("a"), await site.sit("b")
        assert [card["kind"] for card in (mine.last("cards") or {})["cards"]] == ["ace-of-moons", "ace-of-suns"]
        assert [card["kind"] for card in (other.last("cards") or {})["cards"]] == ["ace-of-waves"]
        stage.frame = Shot(2, b"\xff\xd8 next")
        stage.held_cards["a"] = stage.held_cards["a"][:1]
        await mine.until(lambda p: len((p.last("cards") or {})["cards"]) == 1)
        for page in (mine, other):
            assert {text["is"] for text in page.texts} == {"cards"}
            assert not page.frames
            assert not page.screens
        assert "moons" not in json.dumps(other.texts)
        assert len(other.texts) == 1, "what changes for one seat is no news for the other"

    run(stage, play)


def test_a_seats_page_alone_hears_what_it_had_a_hand_look_at(stage: Any) -> None:
    async def play(site: Site) -> None:
        mine, other, drawer = await site.sit("a"), await site.sit("b"), await site.open()
        stage.looked = {"a": (stage.now.body(2),)}
        await mine.until(lambda p: bool((p.last("cards") or {})["shown"]))
        (seen,) = (mine.last("cards") or {})["shown"]
        assert (seen["set"], seen["kind"], seen["name"]) == ("stones", "sword", "Sword")
        stage.now = turn(stage.now, 5)
        await drawer.until(lambda p: sum(piece["kind"] is None for piece in (p.last("table") or {})["pieces"]) == 2)
        assert [text["shown"] for text in other.texts] == [[]]
        assert not any("shown" in text for text in drawer.texts)
        assert drawer.piece(None)["id"] == 2

    run(stage, play)


def test_a_seats_page_reads_alone_what_it_is_told_beside_its_cards(stage: Any) -> None:

    async def play(site: Site) -> None:
        stage.deal()
        page, other = await site.sit("a"), await site.sit("b")
        assert (page.last("cards") or {})["told"] == []
        stage.says["a"] = (say("Decline"), say("Agree"))
        await page.until(lambda p: (p.last("cards") or {})["told"] == ["Decline", "Agree"])
        assert len(other.texts) == 1

    run(stage, play)


def test_a_seats_page_picks_a_card_of_its_own_and_does_nothing_else(stage: Any) -> None:
    async def play(site: Site) -> None:
        stage.deal()
        page = await site.sit("a")
        card, theirs = stage.held_cards["a"][1].id, stage.held_cards["b"][0].id
        await page.say(do="pick", card=card)
        await page.until(lambda p: (p.last("cards") or {})["picked"] == card)
        await page.say(do="pick", card=theirs)
        await page.say(do="press", panel="a", button="choose")
        await page.say(do="take", seat="a", piece=0)
        await page.say(do="lay")
        await soon(lambda: site.bench.dropped == 4)
        assert (stage.chosen, stage.pressed, stage.held) == ({"a": card}, [], {})

    run(stage, play)


def test_a_seats_page_asks_for_its_lesson_and_no_other_page_hears_of_it(stage: Any) -> None:
    async def play(site: Site) -> None:
        page, other, drawer = await site.sit("a"), await site.sit("b"), await site.open()
        await page.say(do="learn", wish="begin")
        await page.until(lambda p: p.last("lesson") is not None)
        card = (page.last("lesson") or {})["card"]
        assert (card["told"], card["moves"]) == ([["Crown", "T20"]], [["Hide", "Crown"]])
        await page.say(do="learn", wish="leave")
        await page.until(lambda p: (p.last("lesson") or {})["card"] is None)
        assert (page.last("lesson") or {})["offered"] is True
        await drawer.say(do="learn", wish="begin")
        await soon(lambda: site.bench.dropped == 1)
        assert stage.wishes == (("a", "begin"), ("a", "leave"))
        assert other.last("lesson") is None

    run(stage, play)


def test_a_card_is_laid_out_of_the_hand_and_taken_back(stage: Any) -> None:
    async def play(site: Site) -> None:
        stage.deal()
        page = await site.open()
        await page.until(lambda p: p.last("hands") is not None)
        card = (page.last("hands") or {})["hands"]["a"][1]["id"]
        await page.say(do="bring", seat="a", card=card, up=False, x=150.0, y=150.0)
        await page.say(do="drop", seat="a", x=160.0, y=150.0)
        await page.until(lambda p: len((p.last("table") or {})["pieces"]) == 8)
        await page.until(lambda p: len((p.last("hands") or {})["hands"]["a"]) == 1)
        laid = next(piece for piece in (page.last("table") or {})["pieces"] if piece["set"] == "decktet")
        assert (laid["kind"], laid["x"]) == (None, 160.0)
        await page.say(do="take", seat="a", piece=laid["id"], pile=True)
        await page.say(do="keep", seat="a")
        await page.until(lambda p: len((p.last("hands") or {})["hands"]["a"]) == 2)
        assert stage.piled

    run(stage, play)


@pytest.mark.thorough
def test_the_drawers_modules_are_files_beside_the_app_and_the_app_has_none_of_them() -> None:
    """What a module imports is the app's, or the bench's own; the words that it asks for come over the link."""
    served = beside.files()
    assert not served.keys() & files().keys()
    scripts = {path: file.body.decode() for path, file in served.items() if path.endswith(".js")}
    for path, text in scripts.items():
        for asked in re.findall(r'from "([^"]+)"', text):
            assert posixpath.normpath(f"/bench/{asked}") in {*served, *files()}, f"{path} imports {asked}"
    calls = [call for text in scripts.values() for call in re.findall(r"\bsay\(([^()]*)", text)]
    said = {key for call in calls for key in KEY.findall(call)}
    named = {key for text in scripts.values() for key in KEY.findall(text)}
    assert said <= {*WORDS, *HAND}
    assert {*WORDS, *HAND} - {"back", "next", "choose"} <= named
    shipped = b"".join(file.body for path, file in files().items() if not path.startswith("/rules/"))
    assert b"bench" not in shipped
    assert b"simulat" not in shipped.lower()


def test_a_page_that_goes_lays_down_what_it_holds(stage: Any) -> None:
    async def play(site: Site) -> None:
        page = await site.open()
        await page.say(do="take", seat="a", piece=page.piece("flag")["id"])
        await page.say(do="carry", seat="a", x=200.0, y=40.0)
        await soon(lambda: stage.now.body(3).held)
        await page.socket.close()
        await soon(lambda: not stage.now.body(3).held)
        assert (stage.now.body(3).x, stage.now.body(3).y) == (200.0, 40.0)

    run(stage, play)


def test_the_scene_is_changed_and_the_pieces_are_set_out_anew(stage: Any) -> None:
    async def play(site: Site) -> None:
        page = await site.open()
        await page.say(do="turn", knob="noise", value=7.5)
        await page.say(do="throw", switch="glare", on=True)
        await page.say(do="play", auto="cheating")
        await page.until(lambda p: (p.last("scene") or {}).get("auto") == "cheating")
        assert stage.noise.value == 7.5
        assert stage.glare.on
        await page.say(do="lay")
        await page.until(lambda p: p.piece(None)["y"] == 56.0)

    run(stage, play)


def test_another_mat_is_told_with_all_that_lies_on_it(stage: Any) -> None:
    async def play(site: Site) -> None:
        page = await site.open()
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
        page = await site.open()
        for bad in ("{", "[]", '{"do": "dance"}', '{"do": "press", "panel": "b"}', '{"do":"lower","seat":"b","x":1}'):
            await page.socket.send_str(bad)
        await page.socket.send_bytes(b"\x00\x01")
        await page.say(do="press", panel="d", button="choose")
        await page.say(do="take", seat="b", piece="0")
        await page.say(do="turn", knob="colour", value=9.0)
        await page.say(do="pick", card=0)
        await page.say(do="carry", seat="b", x=1e9, y=0)
        await page.say(do="carry", seat="b", x=10, y=10)
        await page.say(do="drop", seat="b", x=10, y=10)
        await page.say(do="press", panel="b", button="next")
        await soon(lambda: bool(stage.pressed))
        assert stage.pressed == [("b", Button.NEXT, True)]
        assert site.bench.dropped == 11
        assert stage.held == {}
        assert stage.noise.value == 2.0
        assert len([record for record in caplog.records if "cannot be used" in record.message]) == 1

    run(stage, play)


def test_a_page_is_told_in_its_language_why_a_hand_cannot_do_it(stage: Any) -> None:
    async def play(site: Site) -> None:
        page = await site.open("?lang=ru")
        crown = page.piece("crown")["id"]
        stage.at_work = True
        await page.say(do="take", seat="a", piece=crown)
        await page.until(lambda p: p.last("refused") is not None)
        told = {"is": "refused", "piece": crown, "card": None, "text": "Там сейчас другая рука. Подождите немного."}
        assert page.last("refused") == told
        assert stage.held == {}
        assert site.bench.dropped == 0

    run(stage, play)


def test_an_error_of_the_table_ends_neither_the_bench_nor_a_page(stage: Any) -> None:
    async def play(site: Site) -> None:
        page, other = await site.open(), await site.open()
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
        page, other = await site.open(), await site.open()
        await page.socket.send_str("x" * 1_000_000)
        with contextlib.suppress(AssertionError):
            await page.until(lambda p: False)
        assert page.socket.close_code == aiohttp.WSCloseCode.MESSAGE_TOO_BIG
        await other.say(do="press", panel="b", button="next")
        await soon(lambda: bool(stage.pressed))

    run(stage, play)


def test_whoever_works_at_the_bench_is_noticed(stage: Any) -> None:
    """So that displays beside it stay lit."""
    worked: list[bool] = []

    async def whole() -> None:
        async with served(stage, lambda: worked.append(True)) as site:
            page = await site.open()
            await page.say(do="lay")
            await soon(lambda: worked == [True])

    asyncio.run(whole())
