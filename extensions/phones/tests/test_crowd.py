"""A hostile machine with a thousand addresses: whoever has a seat's key is let in, and stays."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine
from types import SimpleNamespace
from typing import Any, cast

import msgspec
import pytest

from device.web.host_names import network
from extensions.phones.tests.daemon.phone import Phone
from extensions.phones.tests.stand_in import FILES, SENTENCES
from extensions.phones.tests.test_websocket import REQUEST, Wire
from referee_phones.daemon.handshake import KeyPair
from referee_phones.daemon.sockets import FRAMES_S
from referee_phones.frames import LINKS, Admit, Back, Closed, FromWorker, Hello, PageOpened, challenge
from referee_phones.http import Asked
from referee_phones.plan import Plan
from referee_phones.websocket import PageSocket
from referee_phones.worker import OF_ONE, Worker

PUBLIC, PHONE, FALSE = KeyPair().public, Phone("0"), "f" * 64
ADDRESSES = 1000
TICK_S = 0.01
"""A page needs as long to say its first word."""

RETRY_S = 0.5
"""A page that was closed comes back after so long."""


class Loop(asyncio.SelectorEventLoop):
    """Its clock stands until it is moved."""

    at = 0.0

    def time(self) -> float:
        return self.at


class Daemon:
    """It knows one key, and hears so many frames a second. heard: all of them."""

    def __init__(self) -> None:
        self.heard: list[FromWorker] = []
        self.worker: Worker | None = None

    def reads(self) -> bool:
        return True

    def send(self, frame: FromWorker) -> None:
        self.heard.append(frame)
        if isinstance(frame, Back) and frame == PHONE.back(PUBLIC, frame.link):
            assert self.worker is not None
            self.worker.handle_frames(msgspec.json.encode(Admit(frame.link)))


class Attack:
    """A worker and what comes to it."""

    def __init__(self, audience: str = "a") -> None:
        self.loop = cast(Loop, asyncio.get_running_loop())
        self.daemon = Daemon()
        self.worker = Worker(Plan((), FILES, (), SENTENCES, "en"), audience)
        self.daemon.worker, self.worker._daemon = self.worker, cast(Any, self.daemon)
        self.worker.handle_frames(msgspec.json.encode(Hello(PUBLIC)))
        self.count = 0

    def open(self, address: str) -> PageSocket:
        asked = SimpleNamespace(headers=REQUEST, target="/link", language="en")
        return self.worker.link(cast(Asked, asked), network(address), cast(asyncio.Transport, Wire()))

    def strangers(self, number: int, word: str | None = FALSE) -> None:
        """So many open a page, each from the next address, and say one word."""
        for _ in range(number):
            self.count += 1
            link = self.open(f"10.0.{self.count % ADDRESSES // 250}.{self.count % 250 + 1}")
            if word is not None:
                self.worker.handle_message(link.number, f'{{"prove":"{word}"}}')

    def back(self, link: PageSocket) -> None:
        """The phone that has the key says so."""
        self.worker.handle_message(link.number, json.dumps(PHONE.returns(challenge(PUBLIC, link.number))))

    def there(self, link: PageSocket) -> bool:
        return link.number in self.worker._links

    async def tick(self) -> None:
        self.loop.at += TICK_S
        for _ in range(3):
            await asyncio.sleep(0)


def run(scenario: Coroutine[Any, Any, None]) -> None:
    with asyncio.Runner(loop_factory=Loop) as runner:
        runner.run(scenario)


@pytest.mark.parametrize("word", [FALSE, None])
@pytest.mark.parametrize("begun_s", [0.0, 0.3, 1.5, 8.0])
def test_a_phone_with_the_key_is_let_in_within_two_seconds_and_stays(word: str | None, begun_s: float) -> None:
    """Three hundred pages a second from a thousand addresses, as long as it goes on. begun_s: before the phone."""

    async def scenario() -> None:
        attack, came, said = Attack(), 0.0, False
        phone: PageSocket | None = None
        while attack.loop.at < begun_s + 4.0:
            attack.strangers(3, word)
            await attack.tick()
            if attack.loop.at < begun_s:
                continue
            if phone is None or (not attack.there(phone) and attack.loop.at >= came + RETRY_S):
                phone, came, said = attack.open("10.9.9.9"), attack.loop.at, False
            elif attack.there(phone) and attack.loop.at >= came + TICK_S and not said:
                attack.back(phone)
                said = True
            assert phone.admitted or attack.loop.at < begun_s + 2.0
        assert phone is not None
        assert phone.admitted
        assert attack.there(phone), "no stranger takes its room"
        assert attack.count > ADDRESSES
        assert len(attack.worker._links) <= LINKS

    run(scenario())


def test_an_address_from_which_somebody_was_let_in_goes_first_however_many_come() -> None:
    async def scenario() -> None:
        attack = Attack()
        phone = attack.open("10.9.9.9")
        attack.back(phone)
        for number in range(200):
            attack.strangers(20)
            await attack.tick()
            if number == 50:
                attack.worker.handle_close(phone.number)
                phone = attack.open("10.9.9.9")
                attack.back(phone)
            if number == 53:
                assert phone.admitted
        assert attack.there(phone)

    run(scenario())


def test_the_daemon_hears_no_more_of_strangers_than_it_reads() -> None:
    async def scenario() -> None:
        attack = Attack()
        for _ in range(300):
            attack.strangers(30)
            await attack.tick()
        assert len(attack.daemon.heard) / attack.loop.at < FRAMES_S
        opened = {frame.link for frame in attack.daemon.heard if isinstance(frame, PageOpened)}
        assert {frame.link for frame in attack.daemon.heard if isinstance(frame, Closed)} < opened

    run(scenario())


@pytest.mark.parametrize("audience", ["a", "table", "owner"])
def test_who_comes_last_has_room_among_strangers(audience: str) -> None:
    """One machine has all addresses of an IPv6 /64, so these are one guest; an IPv4 address in IPv6 is itself."""

    async def scenario() -> None:
        attack = Attack(audience)
        attack.strangers(ADDRESSES, None)
        late = attack.open("10.9.9.9")
        assert attack.there(late)
        context = [attack.open(f"2001:db8:0:7::{number:x}") for number in range(1, 200)]
        assert sum(map(attack.there, context)) <= OF_ONE
        assert attack.there(attack.open("::ffff:10.9.9.8"))

    run(scenario())


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("192.168.1.7", "192.168.1.7"), ("::ffff:192.168.1.7", "192.168.1.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"), ("2001:db8:1:2::9", "2001:db8:1:2::"),
        ("fe80::1%wlan0", "fe80::"), ("", ""),
    ],
)  # fmt: skip
def test_an_ipv6_guest_is_its_64(address: str, expected: str) -> None:
    assert network(address) == expected
