"""Phones at a running table, on real sockets: who has a seat is on disk, and no page costs anybody a press."""

from __future__ import annotations

import asyncio
import base64
import json
import logging
import signal
import sqlite3
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from random import Random

import msgspec
import pytest

from device.bus.framing import pack
from device.clock import WallClock
from device.daemon import input_queue, safe_mode
from device.daemon.core import Core, Store
from device.daemon.jobs import CameraLender
from device.daemon.maintenance import Inventory, Maintenance
from device.daemon.match_identity import simulated_chance
from device.daemon.referee import Ports, Referee
from device.journal import About, Ending, Journal, JournalError
from device.key_gestures import Button, Gesture, Key
from device.owner.claim import BITS
from device.owner.claim_files import OwnerFiles
from device.records.public_record import write_record
from device.screens.screen import Screen
from device.session.state import Setup, SetupPage
from device.session.table import Table
from device.settings.table import NoCamera, Recording, TableSettings
from device.web.audiences import AUDIENCES, port_of
from engine.table import SEATS
from extensions.phones.tests.daemon.phone import Phone
from extensions.phones.tests.daemon.phones import KEY, OTHER, THIRD, Gateway, Page, until
from referee_phones.daemon.links import TAPS
from referee_phones.daemon.page_server import FREE, JOINS, TRIES, Address, OwnerParts, PageServer, Tries
from referee_phones.daemon.seats import RefusalReason
from referee_phones.daemon.sockets import AT_ONCE
from referee_phones.frames import LONGEST_IN, Back, Closed, FromWorker, Go, Join, Name, PageTouch, Save, Speak
from tests.device.daemon.managing import Manager
from tests.device.records.test_public_record import played
from tests.device.session.conftest import tellstones

CODE = "ABCDEFGH22345677"
ADDRESS = Address("table.local", 8139)
VALUE = "ab" * 32
"""Has the form of a public key, and of a proof."""


class House:
    """A referee in this process, whose table has no display at all unless it is given panels."""

    def __init__(
        self,
        folder: Path,
        panels: tuple[str, ...] = (),
        camera: CameraLender | None = None,
        optics: Recording | None = None,
        places: tuple[str, ...] = SEATS,
        address: Address = ADDRESS,
    ) -> None:
        self.folder = folder / "run" / "pages"
        self.journal = Journal(folder / "journal.db")
        self.shown: list[tuple[str, Screen]] = []
        dice = Random(4)
        settings = TableSettings(optics or NoCamera(), state_dir=folder, runtime_dir=folder / "run")
        self.claim_files = OwnerFiles(folder, folder / "card.txt")
        self.claim_files.set_code(CODE)
        inventory = Inventory(
            settings,
            folder,
            camera=camera,
        )
        self.maintenance = Maintenance(inventory, WallClock())
        self.server = PageServer(
            self.folder,
            WallClock(),
            drawn=lambda: dice.getrandbits(BITS),
            address=address,
            owner=OwnerParts(self.maintenance, self.claim_files),
        )
        self.maintenance.pages = self.server
        table = Table(panels, {"tellstones": tellstones()}, pages=True, places=places, screen=True, maintenance=True)
        ports = Ports(outlets=(self._show,), pages=self.server, maintenance=self.maintenance)
        core = Core(table, Store(self.journal), simulated_chance(3), ports, now=WallClock().now)
        self.referee = Referee(core, ports, WallClock())

    def _show(self, display: str, screen: Screen, _language: str) -> None:
        self.shown.append((display, screen))

    async def gateway(self, audience: str) -> Gateway:
        return await Gateway.connect(self.folder, audience)


def living(
    folder: Path,
    scenario: Callable[[House], Awaitable[None]],
    panels: tuple[str, ...] = (),
    camera: CameraLender | None = None,
    optics: Recording | None = None,
    places: tuple[str, ...] = SEATS,
    address: Address = ADDRESS,
) -> House:
    async def main() -> House:
        context, stop = House(folder, panels, camera, optics, places, address), asyncio.Event()
        await context.server.listen()
        running = asyncio.ensure_future(context.referee.run(stop=stop))
        try:
            await asyncio.wait_for(scenario(context), 100)
        finally:
            stop.set()
            await running
            context.journal.close()
        return context

    return asyncio.run(main())


def test_a_seat_that_plays_without_a_phone_says_so_to_whoever_opens_its_page(tmp_path: Path) -> None:
    """Also to a phone that had it, and has it again once phones may take it."""

    async def joins(context: House) -> None:
        table, phone = (await context.gateway("table")).page(), (await context.gateway("a")).page()
        await until(lambda: len(table.sheet.get("codes", ())) == 4)
        phone.join(table.code("a"), KEY)
        await phone.sits()

    async def refused(context: House) -> None:
        table, phone = (await context.gateway("table")).page(), (await context.gateway("a")).page()
        await until(lambda: phone.why == [RefusalReason.OFF])
        await until(lambda: [each["seat"] for each in table.sheet.get("codes", ())] == ["b", "c", "d"])
        phone.back(KEY)
        await until(lambda: phone.why == [RefusalReason.OFF] * 2)
        phone.join("ABCDEFGHIJKLMNOP", OTHER)
        await until(lambda: phone.why == [RefusalReason.OFF] * 3)
        assert not phone.seat
        assert not phone.sheet
        assert "a" not in context.referee.core.session.phones

    async def returns(context: House) -> None:
        phone = (await context.gateway("a")).page()
        phone.back(KEY)
        await phone.sits()
        assert phone.seat == "a"

    living(tmp_path, joins, ("a", "b"))
    living(tmp_path, refused, ("a", "b"), places=("b", "c", "d"))
    living(tmp_path, returns, ("a", "b"))


def test_from_the_tables_page_a_phone_takes_a_seat_and_plays(tmp_path: Path) -> None:
    async def scenario(context: House) -> None:
        table = (await context.gateway("table")).page()
        await until(lambda: len(table.sheet.get("codes", ())) == 4)
        assert table.sheet["codes"][1]["address"].startswith("HTTP://TABLE.LOCAL:8141/#")
        phone = (await context.gateway("b")).page()
        phone.join(table.code("b"), KEY)
        await phone.sits()
        assert phone.seat == "b"
        await until(lambda: [each["seat"] for each in table.sheet["codes"]] == ["a", "c", "d"])
        assert [each["seat"] for each in table.sheet["players"]] == ["b"]
        await phone.tap(phone.place("Русский"))
        await until(lambda: context.referee.core.session.language == "ru")
        assert phone.numbers == list(range(1, len(phone.numbers) + 1))

    living(tmp_path, scenario)


def test_who_has_a_seat_comes_back_after_a_restart_and_others_do_not(tmp_path: Path) -> None:
    codes = {}

    async def first(context: House) -> None:
        table = (await context.gateway("table")).page()
        await until(lambda: len(table.sheet.get("codes", ())) == 4)
        phone = (await context.gateway("a")).page()
        codes["a"] = table.code("a")
        phone.join(codes["a"], KEY)
        await phone.sits()

    async def second(context: House) -> None:
        gateway = await context.gateway("a")
        phone, stranger, late = gateway.page(), gateway.page("ru"), gateway.page()
        phone.back(KEY)
        await phone.sits()
        assert context.referee.core.session.phones == {"a"}
        stranger.back(OTHER)
        await stranger.hears(RefusalReason.UNKNOWN)
        late.join(codes["a"], OTHER)
        await late.hears(RefusalReason.SPENT)
        assert (stranger.sheet, late.sheet) == ({}, {})

    living(tmp_path, first)
    living(tmp_path, second)
    data = (tmp_path / "journal.db").read_bytes()
    assert KEY.key.encode() not in data
    assert codes["a"].encode() not in data


def test_a_phone_says_how_its_player_is_called(tmp_path: Path) -> None:
    async def first(context: House) -> None:
        table = (await context.gateway("table")).page()
        await until(lambda: len(table.sheet.get("codes", ())) == 4)
        phone = (await context.gateway("a")).page()
        phone.join(table.code("a"), KEY)
        await phone.sits()
        phone.say(Name, "Wilhelmina von Habsburg")
        await phone.hears("name")
        phone.say(Name, "  Anna ")
        await until(lambda: [each["name"] for each in table.sheet["players"]] == ["Anna"])

    async def second(context: House) -> None:
        assert [person.name for person in context.referee.core.session.people] == ["Anna"]

    living(tmp_path, first)
    living(tmp_path, second)


def test_the_tables_page_names_only_who_has_no_phones_code_and_says_what_displays_do_not_show(tmp_path: Path) -> None:
    async def scenario(context: House) -> None:
        table = (await context.gateway("table")).page()
        await until(lambda: len(table.sheet.get("codes", ())) == 4)
        table.say(Name, "Anna", None, "a")
        await until(lambda: "You can't enter a name for this player now." in table.texts[-1])
        core = context.referee.core
        seats = core.table.places
        core.session = msgspec.structs.replace(
            core.session, stage=Setup(SetupPage.GAME, game="tellstones", seats=("a", "b")), displayed=frozenset(seats)
        )
        table.say(Name, "अनिका", "green", "a")
        await until(lambda: [each["colour"] for each in table.sheet["nameable"]] == ["green", "red"])
        assert table.sheet["nameable"][0]["name"] == "अनिका"
        await until(lambda: any("The displays can't show this name." in text for text in table.texts))

    living(tmp_path, scenario)


def test_a_finished_match_is_saved_by_a_process_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entries = played("tellstones", 3, 20)
    about = About(names={"a": "Anna", "b": "Bert"}, agreed=("a",), ended=Ending(None, False, "A wins.", ("a",), 20.0))

    async def scenario(context: House) -> None:
        table = (await context.gateway("table")).page()
        await until(lambda: bool(table.sheet))
        table.say(Save)
        await until(lambda: "could not be saved" in table.texts[-1])
        (number,) = context.journal.add_all([(entries, about)])
        monkeypatch.setattr(Core, "finished", number)
        table.say(Save)
        await until(lambda: '"part"' in table.texts[-1])
        record = base64.b64decode(json.loads(table.texts[-1])["part"]).decode()
        assert record == write_record(tellstones(), entries, about)
        assert "Anna" in record
        assert "Bert" not in record, "he has not agreed"

    living(tmp_path, scenario)


def test_a_seat_is_given_up_and_is_free_for_the_next(tmp_path: Path) -> None:
    async def scenario(context: House) -> None:
        table = (await context.gateway("table")).page()
        await until(lambda: len(table.sheet.get("codes", ())) == 4)
        gateway = await context.gateway("a")
        phone, used = gateway.page(), table.code("a")
        phone.join(used, KEY)
        await until(lambda: len(table.sheet["codes"]) == 3)
        phone.say(Go)
        await phone.hears(RefusalReason.REVOKED)
        assert phone.ended
        await until(lambda: len(table.sheet["codes"]) == 4)
        assert table.code("a") != used
        again, following = gateway.page(), gateway.page()
        again.back(KEY)
        await again.hears(RefusalReason.REVOKED)
        following.join(table.code("a"), OTHER)
        await following.sits()
        assert context.referee.core.session.phones == {"a"}

    living(tmp_path, scenario)


@pytest.mark.thorough
def test_a_seat_that_changes_hands_again_and_again_has_to_wait(tmp_path: Path) -> None:
    """Each time goes to the disk, and is told to everybody."""

    async def scenario(context: House) -> None:
        table, gateway = (await context.gateway("table")).page(), await context.gateway("a")
        await until(lambda: len(table.sheet.get("codes", ())) == 4)
        for _ in range(int(JOINS)):
            await swapped(table, gateway, Phone())
        kept, late = context.server._phones, gateway.page()
        late.join(table.code("a"), KEY)
        await late.hears(RefusalReason.CROWDED)
        assert context.server._phones is kept
        other = (await context.gateway("b")).page()
        other.join(table.code("b"), OTHER)
        await other.sits()

    living(tmp_path, scenario)


def test_strangers_who_guess_numbers_from_many_addresses_do_not_keep_the_right_one_out() -> None:
    """They get few tries, and none of those of another address."""
    tries, now = Tries(), 0.0
    guessed = sum(tries.take(f"10.0.0.{number}", now) for _ in range(20) for number in range(100))
    assert guessed == 100 * FREE + TRIES
    assert [tries.take("10.9.9.9", now) for _ in range(FREE + 1)] == [True] * FREE + [False]
    hours = sum(tries.take(f"10.0.0.{number % 100}", float(number)) for number in range(6 * 3600))
    assert hours <= 6 * 60 + TRIES, "in an evening"


def test_a_try_more_than_an_address_may_spends_none_of_everybodys() -> None:
    tries = Tries()
    assert [tries.take("10.0.0.1", 0.0) for _ in range(50)].count(True) == TRIES
    assert [tries.take("10.0.0.2", 0.0) for _ in range(50)].count(True) == 2 * FREE


def test_a_lost_phones_player_takes_the_seat_back_with_its_number(tmp_path: Path) -> None:
    """Whoever else sits there cannot: of two players nobody is left who could agree to a new code."""
    numbers, right = list[str](), Phone()

    async def first(context: House) -> None:
        table, gateway = (await context.gateway("table")).page(), await context.gateway("a")
        await until(lambda: len(table.sheet.get("codes", ())) == 4)
        phone, guesser = gateway.page(network="10.0.0.1"), gateway.page(network="10.0.0.2")
        phone.join(table.code("a"), KEY)
        await phone.sits()
        numbers.append(KEY.number)
        for tried in range(int(TRIES) + 1):
            guesser.join(f"{(int(numbers[0]) + 1 + tried) % 10**6:06}", OTHER)
            await until(lambda: len(guesser.why) == tried + 1)  # noqa: B023
        assert guesser.why == [*[RefusalReason.WRONG] * int(TRIES), RefusalReason.TRIES]
        guesser.join(numbers[0], OTHER)
        await until(lambda: len(guesser.why) == TRIES + 2)
        assert guesser.why[-1] == RefusalReason.TRIES, "not even the right one, for a while"
        other = gateway.page(network="10.0.0.3")
        other.join(numbers[0], right)
        await other.sits()
        numbers.append(right.number)

    async def second(context: House) -> None:
        gateway = await context.gateway("a")
        phone, lost = gateway.page(), gateway.page()
        phone.join(numbers[1], THIRD)
        await phone.sits()
        assert THIRD.number != numbers[1] != numbers[0]
        lost.back(KEY)
        await lost.hears(RefusalReason.REVOKED)

    living(tmp_path, first)
    living(tmp_path, second)


def test_a_seat_whose_display_answers_is_offered_there_alone_with_a_code_that_stood_nowhere_else(
    tmp_path: Path,
) -> None:
    async def scenario(context: House) -> None:
        table = (await context.gateway("table")).page()
        await until(lambda: len(table.sheet.get("codes", ())) == 4)
        before = dict(context.referee.core.session.invited)
        context.server._displays = lambda: frozenset("a")
        context.server.look()
        await until(lambda: [each["seat"] for each in table.sheet["codes"]] == ["b", "c", "d"])
        after = context.referee.core.session.invited
        assert {seat for seat in before if before[seat] != after[seat]} == {"a"}
        context.server._displays = frozenset
        context.server.look()
        await until(lambda: len(table.sheet["codes"]) == 4)

    living(tmp_path, scenario, panels=("a",))


def test_at_another_address_a_seat_is_offered_again_though_its_phone_may_come_back_by_its_number(
    tmp_path: Path,
) -> None:
    async def joins(context: House) -> None:
        table, phone = (await context.gateway("table")).page(), (await context.gateway("a")).page()
        await until(lambda: len(table.sheet.get("codes", ())) == 4)
        phone.join(table.code("a"), KEY)
        await phone.sits()

    async def again(context: House) -> None:
        table = (await context.gateway("table")).page()
        await until(lambda: len(table.sheet.get("codes", ())) == 4)
        assert context.server.secret("a")

    living(tmp_path, joins)
    living(tmp_path, again, address=Address("192.0.2.9", 8139))


async def swapped(table: Page, gateway: Gateway, mine: Phone) -> None:
    """A phone takes seat a and gives it up; returns once its next code is there."""
    phone, code = gateway.page(), table.code("a")
    phone.join(code, mine)
    await phone.sits()
    phone.say(Go)
    await phone.hears(RefusalReason.REVOKED)
    await until(lambda: codes(table).get("a", code) != code)


def codes(table: Page) -> dict[str, str]:
    return {each["seat"]: each["address"].partition("#")[2] for each in table.sheet["codes"]}


def test_of_two_phones_the_first_has_the_seat(tmp_path: Path) -> None:
    async def scenario(context: House) -> None:
        table = (await context.gateway("table")).page()
        await until(lambda: len(table.sheet.get("codes", ())) == 4)
        gateway = await context.gateway("a")
        one, other = gateway.page(), gateway.page()
        one.join(table.code("a"), KEY)
        other.join(table.code("a"), OTHER)
        await one.sits()
        await other.hears(RefusalReason.SPENT)
        assert other.sheet == {}

    living(tmp_path, scenario)


def test_a_worker_that_is_killed_loses_its_pages_and_not_the_seat(tmp_path: Path) -> None:
    async def scenario(context: House) -> None:
        table = (await context.gateway("table")).page()
        await until(lambda: len(table.sheet.get("codes", ())) == 4)
        gateway = await context.gateway("a")
        phone = gateway.page()
        phone.join(table.code("a"), KEY)
        await phone.sits()
        await gateway.close()
        await until(lambda: context.server.seat_pages.seated == frozenset())
        again = (await context.gateway("a")).page()
        again.back(KEY)
        await again.sits()

    living(tmp_path, scenario)


def test_a_join_that_the_disk_does_not_take_did_not_happen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario(context: House) -> None:
        table = (await context.gateway("table")).page()
        await until(lambda: len(table.sheet.get("codes", ())) == 4)
        phone = (await context.gateway("a")).page()
        with monkeypatch.context() as patched:
            patched.setattr(Journal, "write", full)
            phone.join(table.code("a"), KEY)
            await phone.hears(RefusalReason.UNKEPT)
        assert (phone.sheet, context.referee.core.session.phones) == ({}, frozenset())
        phone.join(table.code("a"), KEY)
        await phone.sits()

    def full(_journal: Journal, *_given: object, **_named: object) -> None:
        raise JournalError(str(sqlite3.OperationalError("database or disk is full")))

    living(tmp_path, scenario)


def test_a_flood_of_taps_pushes_out_no_press(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A few taps a second reach the queue, of thousands, one at a time; every press is taken."""

    async def scenario(context: House) -> None:
        table = (await context.gateway("table")).page()
        await until(lambda: len(table.sheet.get("codes", ())) == 4)
        gateway = await context.gateway("b")
        phone = gateway.page()
        phone.join(table.code("b"), KEY)
        await phone.sits()
        serial = phone.sheet["answers"]["serial"]
        gateway.write(pack(PageTouch(phone.link, serial, 99)) * 5_000)
        stage = context.referee.core.session.stage
        assert isinstance(stage, Setup)
        cursor = stage.cursor
        for _ in range(input_queue.MOST - 20):
            context.referee.listen(Key("a", Button.NEXT, Gesture.PRESS, context.referee.clock.now()))
        await context.referee.wait_settled()
        stage = context.referee.core.session.stage
        assert isinstance(stage, Setup)
        assert stage.cursor == (cursor + input_queue.MOST - 20) % 4
        await phone.hears(RefusalReason.BUSY)

    with caplog.at_level(logging.ERROR):
        living(tmp_path, scenario, panels=("a",))
    assert "is lost" not in caplog.text


def test_whatever_a_worker_sends_the_referee_goes_on(tmp_path: Path) -> None:
    dice = Random(7)
    frames: list[FromWorker] = [
        *(Join(1, VALUE, VALUE), Back(1, VALUE), PageTouch(1, 0, -1), Speak(1, "ru"), Go(2), Closed(3))
    ]

    def noise() -> bytes:
        kind = dice.randrange(4)
        if kind == 0:
            return dice.randbytes(dice.randrange(60))
        if kind == 1:
            return (LONGEST_IN + 1 + dice.randrange(1 << 30)).to_bytes(4, "big") + dice.randbytes(50)
        data = bytearray(pack(dice.choice(frames)))
        if kind == 2:
            data[dice.randrange(len(data))] = dice.randrange(256)
        return bytes(data)

    async def scenario(context: House) -> None:
        for audience in AUDIENCES:
            for _ in range(30):
                gateway = await context.gateway(audience)
                gateway.page()
                for _ in range(8):
                    gateway.write(noise())
                await asyncio.sleep(0)
                await gateway.close()
        table = (await context.gateway("table")).page()
        await until(lambda: len(table.sheet.get("codes", ())) == 4)

    living(tmp_path, scenario)


@pytest.mark.thorough
def test_a_busy_table_answers_a_tap_soon(tmp_path: Path) -> None:
    """Who taps too fast is told, and the next tap counts."""

    async def scenario(context: House) -> None:
        table = (await context.gateway("table")).page()
        await until(lambda: len(table.sheet.get("codes", ())) == 4)
        phone = (await context.gateway("a")).page()
        phone.join(table.code("a"), KEY)
        await phone.sits()
        while RefusalReason.BUSY not in phone.why:
            for _ in range(int(TAPS) + 3):
                phone.say(PageTouch, phone.sheet["answers"]["serial"], 99)
            await asyncio.sleep(0.6)
        while phone.sheet["answers"]["asks"] == "Which language does the table speak?":
            await phone.tap(phone.place("English"))
            await asyncio.sleep(0.6)

    living(tmp_path, scenario)


def test_addresses_are_short_and_every_audience_has_a_port() -> None:
    assert [port_of(audience, 8139) for audience in ("table", "a", "b", "c", "d")] == [8139, 8140, 8141, 8142, 8143]
    assert Address("10.0.0.5", 8139).inviting("a", "CODE") == "HTTP://10.0.0.5:8140/#CODE"
    assert Address("10.0.0.5", 8139, tls=True).inviting("d", "CODE") == "HTTPS://10.0.0.5:8143/#CODE"
    assert str(Address("table.local", 8139, tls=True)) == "https://table.local:8139/"
    assert AT_ONCE > TAPS


def served(manager: Manager, scenario: Callable[[Path], Awaitable[None]]) -> None:
    asyncio.run(asyncio.wait_for(scenario(manager.run / "pages"), 100))


def paged(manager: Manager) -> None:
    """The service with pages."""
    manager.table.write_text(manager.table.read_text() + '\n[pages]\non = true\ngroup = ""\n')


@pytest.mark.thorough
def test_the_service_is_killed_and_its_phones_come_back(manager: Manager) -> None:
    paged(manager)
    manager.start()
    manager.hear("READY=1")

    async def first(folder: Path) -> None:
        table = (await Gateway.connect(folder, "table")).page()
        await until(lambda: len(table.sheet.get("codes", ())) == 4)
        phone = (await Gateway.connect(folder, "c")).page()
        phone.join(table.code("c"), KEY)
        await phone.sits()

    async def second(folder: Path) -> None:
        phone = (await Gateway.connect(folder, "c")).page()
        phone.back(KEY)
        await phone.sits()
        assert phone.seat == "c"

    served(manager, first)
    assert manager.end(signal.SIGKILL) == -signal.SIGKILL
    manager.start()
    manager.hear("READY=1")
    served(manager, second)
    assert manager.end(signal.SIGTERM) == 0


@pytest.mark.thorough
def test_without_a_place_for_its_sockets_the_service_says_so_and_goes_on(manager: Manager) -> None:
    paged(manager)
    manager.run.mkdir(mode=0o700)
    (manager.run / "pages").write_text("a file in its place")
    manager.start()
    manager.hear("READY=1")
    assert "Phones can't join." in str(manager.shown("a").screen.alert)
    assert manager.end(signal.SIGTERM) == 0


@pytest.mark.thorough
def test_in_safe_mode_phones_may_come_too(manager: Manager) -> None:
    """Its journal is another one, so they need the codes again; and their pages say what the displays say."""
    paged(manager)
    manager.run.mkdir(mode=0o700)
    for _ in range(safe_mode.FAILED):
        safe_mode.record_start(manager.run, time.monotonic())
    manager.start()
    manager.hear("READY=1")

    async def scenario(folder: Path) -> None:
        table = (await Gateway.connect(folder, "table")).page()
        await until(lambda: len(table.sheet.get("codes", ())) == 4)
        assert "Safe mode" in " ".join(table.sheet["alert"])

    served(manager, scenario)
    assert manager.end(signal.SIGTERM) == 0
