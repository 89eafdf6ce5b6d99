"""Law 5 on the pages' sockets of the shipped daemon: nobody counts what a seat does for itself alone.

Two evenings are the same but for the taps by which seat b leafs through its own lists: others, and the table's page,
get the same bytes at the same times. Games are played through the daemon's core with its journal; only the sockets are
stand-ins, which keep what goes out over them.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any, cast

import msgspec
import pytest

from device.bus.framing import pack
from device.daemon.core import Core, Store
from device.daemon.match_identity import simulated_chance
from device.daemon.referee import Ports, Referee
from device.journal import Journal
from device.owner.claim import BITS
from device.session.messages import Input, Tick
from device.session.state import Play
from extensions.phones.tests.daemon.phone import Phone
from referee_phones.daemon.page_server import Address, PageServer
from referee_phones.daemon.pages import OTHERS_S
from referee_phones.frames import Admit, Close, Hello, PageOpened, PageTouch, To
from referee_phones.frames import ToWorker as ToGateway
from tests.device.session import stages
from tests.pairing import seeds

SEATS = ("a", "b")
LEAFS = ("By phone", "Resign", "Correct the referee")
"""Lines of the menu behind which nothing happens yet."""


class Socket:
    """A worker's connection that keeps what goes out, and when."""

    def __init__(self, evening: Evening, audience: str) -> None:
        self._evening, self.audience, self.takes = evening, audience, True
        self.sent: list[tuple[float, bytes]] = []
        self.sheet: dict[str, Any] = {}
        self.public = ""

    def send(self, frame: ToGateway) -> None:
        if isinstance(frame, Hello):
            self.public = frame.public
        if isinstance(frame, Hello | Admit):
            return
        assert isinstance(frame, To | Close), "nobody gives a seat a file"
        self.sent.append((self._evening.at, pack(frame)))
        self.sheet |= msgspec.json.decode(frame.text).get("sheet", {})


class Evening:
    """A match of two phones, some actions after its beginning, with the table's page beside it."""

    def __init__(self, game: str, seed: int) -> None:
        self.at = 1000.0
        journal = Journal()
        journal.append(stages.entries(game, seed, seed % 5))
        dice = Random(seed)
        self.core = Core(stages.table(), Store(journal), simulated_chance(1), Ports(), now=self.now)
        clock = cast("Any", self)
        drawn, address = partial(dice.getrandbits, BITS), Address("x", 8139)
        self.server = PageServer(Path("pages"), clock, drawn=drawn, address=address)
        self.server.begin(cast("Referee", SimpleNamespace(core=self.core, give=self.give)))
        self.sockets = {name: Socket(self, name) for name in (*SEATS, "table")}
        for socket in self.sockets.values():
            self.server.seat_pages.meet_worker(socket)
        for name in SEATS:
            code = self.core.session.invited[name].partition("#")[2]
            self.server.seat_pages.on_frame(self.sockets[name], PageOpened(1))
            self.server.seat_pages.on_frame(self.sockets[name], Phone().join(self.sockets[name].public, 1, code))
        self.server.seat_pages.on_frame(self.sockets["table"], PageOpened(1))
        self.give(Tick(self.at))
        self.pass_s(2.0)
        self._go_on()
        self.pass_s(2.0)

    def _go_on(self) -> None:
        """After a restart, before anybody leafs: everybody sees that somebody is there, and the clocks go on."""
        for seat in SEATS:
            if "Continue" in self.lines(seat):
                self.tap(seat, "Continue")

    # What a core and a server of pages need.

    def now(self) -> float:
        return self.at

    def give(self, given: Input) -> bool:
        heeded = self.server.heeds(given)
        self.core.take(given)
        self.server.on_step(given, heeded)
        return True

    # What players do.

    def pass_s(self, seconds: float) -> None:
        end, pages = self.at + seconds, self.server.seat_pages
        while (due := pages.due) is not None and due <= end:
            self.at = max(self.at, due)
            pages.publish()
        self.at = end

    def lines(self, seat: str, *, menu: bool = False) -> list[str]:
        found: list[str] = self.sockets[seat].sheet["menu" if menu else "answers"]["lines"]
        return found

    def touch(self, seat: str, line: int, *, menu: bool = False) -> None:
        serial = self.sockets[seat].sheet["menu" if menu else "answers"]["serial"]
        self.server.seat_pages.on_frame(self.sockets[seat], PageTouch(1, serial, line, menu))

    def tap(self, seat: str, text: str, *, menu: bool = False) -> None:
        self.touch(seat, self.lines(seat, menu=menu).index(text), menu=menu)

    def leaf(self, dice: Random) -> None:
        """A tap of b that decides nothing: deeper into its own lists, back, or on something that is gone."""
        if dice.random() < 0.2:
            self.server.seat_pages.on_frame(self.sockets["b"], PageTouch(1, 0, 0))
        elif self.sockets["b"].sheet["answers"]["back"]:
            self.touch("b", -1)
        else:
            self.tap("b", dice.choice([line for line in self.lines("b", menu=True) if line in LEAFS]), menu=True)

    def stream(self, audience: str) -> list[tuple[float, bytes]]:
        return self.sockets[audience].sent

    @property
    def told(self) -> int:
        assert isinstance(self.core.session.stage, Play)
        return len(self.core.session.stage.told)


def played(game: str, seed: int, leafs: Iterator[int]) -> Evening:
    """The same public evening for each seed: a pauses and goes on. leafs: so often b leafs between."""
    evening, dice, private = Evening(game, seed), Random(seed), Random(next(leafs))
    for _ in range(4):
        start, length = evening.at, dice.uniform(1.5, 3.0)
        for _ in range(next(leafs)):
            evening.pass_s(private.uniform(0.05, length / 8))
            evening.leaf(private)
        evening.pass_s(start + length - evening.at)
        evening.tap("a", "Pause" if "Pause" in evening.lines("a", menu=True) else "Continue", menu=True)
        evening.pass_s(0.6)
    evening.pass_s(2.0)
    return evening


@pytest.mark.parametrize("seed", seeds(1, 3, 12))
@pytest.mark.parametrize("game", stages.GAMES)
def test_nobody_counts_what_a_seat_does_for_itself(game: str, seed: int) -> None:
    quiet = played(game, seed, iter([seed, 0, 0, 0, 0]))
    busy = played(game, seed, iter([seed, *(Random(seed).randrange(1, 7) for _ in range(4))]))
    for audience in ("a", "table"):
        assert busy.stream(audience) == quiet.stream(audience)
    assert len(busy.stream("b")) > len(quiet.stream("b"))
    assert len(quiet.stream("a")) > 4


@pytest.mark.parametrize("game", stages.GAMES)
def test_what_others_do_is_on_the_grid(game: str) -> None:
    """Also what the session does by itself."""
    evening = played(game, 3, iter([3, 2, 2, 2, 2]))
    times = [at for at, _ in evening.stream("table")[1:]]
    assert times
    assert all(at % OTHERS_S == 0 for at in times)
