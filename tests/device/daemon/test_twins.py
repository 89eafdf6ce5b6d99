"""Law 5 on every channel of the shipped program: bus, displays and log.

Two matches of a shipped game that differ only in what a seat must not know are played by the same presses, through the
daemon's core with its journal and its endpoints. That seat's display and the table's get the same bytes, and the log
the same lines, until somebody learns something or what others do makes the matches differ.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from device import games
from device.bus.display_sockets import Endpoints
from device.daemon.core import Core, Store
from device.daemon.match_identity import simulated_chance
from device.journal import Journal
from device.key_gestures import Button, Gesture, Key
from device.screens.screen import Screen
from device.session.state import Play
from device.session.table import SHARED, TABLE, KnownGame, Table
from engine.catalogue import complete
from engine.entry import Entry, Start
from engine.game import Words
from engine.table import Seat
from engine.view import Event
from tests.engine.fence import twins as fence
from tests.engine.planetx import twins as planetx
from tests.engine.runes import twins as runes
from tests.engine.test_tellstones_conformance import Tellstones
from vision.messages import ToWorker

Twin = Callable[[Random, Any, Seat | None], Any]
GAMES: dict[str, tuple[Twin, dict[str, object]]] = {
    "tellstones": (lambda rng, state, seat: Tellstones().twin(rng, state, seat), {}),
    "planetx": (planetx.twin, {"level": "youth", "marks": True}),
    "fence": (fence.twin, {"mode": "basic", "both_actions": False, "must_answer": False}),  # longer without differences
    "runes": (runes.twin, {"decision": "at-reveal"}),  # so that every turn has secret choices
}
SEATS = ("a", "b")
QUICK = 20
MANY = 1000
PRESSES = 14


@cache
def known(name: str) -> KnownGame:
    spec = games.spec(name)
    return KnownGame(spec, games.game(spec))


class Midway:
    """A shipped game whose matches begin in a given state. It notes when an action reveals something to somebody."""

    def __init__(self, game: Any, state: Any) -> None:
        self._game, self._state, self.revealed = game, state, False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._game, name)

    def setup(self, *_: object) -> Any:
        return self._state

    def apply(self, state: Any, seat: Seat, action: Any) -> tuple[Any, tuple[Event, ...]]:
        after, events = self._game.apply(state, seat, action)
        self.revealed |= any(event.reveals for event in events)
        return after, events


class Tape:
    """A context whose sockets keep what is sent on them."""

    def __init__(self) -> None:
        self.sent: dict[str, list[bytes]] = {}

    def socket(self, _kind: int) -> Tape.Socket:
        return Tape.Socket(self)

    class Socket:
        def __init__(self, tape: Tape) -> None:
            self._tape, self._name = tape, ""

        def setsockopt(self, option: int, value: int) -> None: ...

        def bind(self, address: str) -> None:
            self._name = address.rpartition("display-")[2].removesuffix(".sock")
            self._tape.sent[self._name] = []

        def send(self, data: bytes, _flags: int) -> None:
            self._tape.sent[self._name].append(data)

        def close(self, _linger: int) -> None: ...


class Moment(msgspec.Struct, frozen=True):
    """After one press: what each display was sent so far, what the log said, and whether the matches may now differ."""

    sent: dict[str, tuple[bytes, ...]]
    logged: tuple[str, ...]
    entries: tuple[Entry, ...]
    revealed: bool
    held: bool


class Sitting:
    """The core with journal and endpoints, on a match that begins in `state`."""

    def __init__(self, name: str, state: Any, folder: Path, *, shared: bool) -> None:
        self.game, self.tape = Midway(known(name).game, state), Tape()
        self._journal = Journal(folder / "journal.db")
        self._journal._db.execute("PRAGMA synchronous=OFF")  # nobody pulls the plug here
        options = dict(complete(known(name).spec.options, GAMES[name][1]))  # type: ignore[arg-type]
        self._journal.append((Start(0.0, name, options, SEATS, 1),))
        table = Table(
            () if shared else SEATS, {name: KnownGame(known(name).spec, self.game)}, shared=shared, screen=True
        )
        self._endpoints = Endpoints(self.tape, folder, table.displays)  # type: ignore[arg-type]  # keeps what is sent
        self.now = 0.0
        self._core = Core(table, Store(self._journal), simulated_chance(1), self, now=lambda: self.now)
        self._core.show_all()

    def show(self, display: str, screen: Screen, language: str) -> None:
        self._endpoints.publish(display, screen, language)

    def look(self, message: ToWorker) -> None:
        raise AssertionError(f"there is no camera to tell {message}")

    def wish(self, wish: object) -> None: ...

    def play(self, keys: list[Key], log: pytest.LogCaptureFixture) -> Iterator[Moment]:
        log.clear()
        with self._journal:
            for key in keys:
                self.now = key.at
                self._core.take(key)
                stage = self._core.session.stage
                assert isinstance(stage, Play)
                sent = {name: tuple(bytes_) for name, bytes_ in self.tape.sent.items()}
                lines = tuple(record.getMessage() for record in log.records)
                entries = self._journal.entries(self._journal.current or 1)
                yield Moment(sent, lines, entries, self.game.revealed, stage.shared.held and stage.shared.holder != "a")
                if stage.match.result is not None:
                    return


def midway(rng: Random, name: str) -> Any:
    """A state somewhere in a random match."""
    game = known(name).game
    options = complete(known(name).spec.options, GAMES[name][1])  # type: ignore[arg-type]
    state = game.setup(options, SEATS, rng.randrange(50))
    for _ in range(rng.randrange(4, 25)):
        actors = sorted(game.actors(state))
        if not actors:
            break
        seat, final = rng.choice(actors), False
        words: Words = ()
        while not final:
            choice = rng.choice(game.choices(state, seat, words))
            words, final = (*words, choice.word), choice.final
        following, _ = game.apply(state, seat, game.read(state, seat, words))
        if game.outcome(following) is not None:
            break
        state = following
    return state


def presses(rng: Random, panels: tuple[Seat | None, ...]) -> list[Key]:
    keys: list[Key] = []
    for number in range(PRESSES):
        at, panel = 1.0 + number, rng.choice(panels)
        button = rng.choice((Button.BACK, Button.NEXT, Button.CHOOSE, Button.CHOOSE, Button.CHOOSE))
        gesture = Gesture.LONG if rng.random() < 0.1 else Gesture.PRESS
        if panel is None and button is Button.BACK and rng.random() < 0.7:
            gesture = rng.choice((Gesture.DOWN, Gesture.UP))
        keys.append(Key(panel, button, gesture, at))
    return keys


def compared(rng: Random, name: str, folder: Path, log: pytest.LogCaptureFixture) -> tuple[int, bool]:
    """One pair: how many presses were compared, and whether the matches differed for those who may know."""
    for _ in range(60):
        state = midway(rng, name)
        other = GAMES[name][0](rng, state, "a")
        if other != state:
            break
    shared = rng.random() < 0.3
    keys = presses(rng, (None,) if shared else SEATS)
    sittings = []
    for number, each in enumerate((state, other)):
        (folder / f"{number}").mkdir(parents=True)
        sittings.append(Sitting(name, each, folder / f"{number}", shared=shared))
    here, there = (list(sitting.play(keys, log)) for sitting in sittings)
    count = 0
    for left, right in zip(here, there, strict=False):
        if left.revealed or right.revealed or left.entries != right.entries:
            break
        mine = (TABLE,) if shared else ("a", TABLE)
        for display in mine:
            assert left.sent[display] == right.sent[display], (name, display)
        if shared and not any(moment.held for moment in here[: count + 1]):
            assert left.sent[SHARED] == right.sent[SHARED], name
        assert left.logged == right.logged, name
        count += 1
    return count, state != other


def run(name: str, pairs: int, tmp_path: Path, log: pytest.LogCaptureFixture) -> None:
    log.set_level(logging.DEBUG)
    rng = Random(name)
    results = [compared(rng, name, tmp_path / f"{number}", log) for number in range(pairs)]
    assert sum(differ for _, differ in results) > 0.8 * pairs, "twins that do not differ prove nothing"
    assert sum(count for count, _ in results) > 3 * pairs


@pytest.mark.quick(1)
@pytest.mark.parametrize("name", GAMES)
def test_what_a_seat_must_not_know_changes_no_byte_that_it_gets(
    name: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    run(name, QUICK, tmp_path, caplog)


@pytest.mark.soak
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("name", GAMES)
def test_a_thousand_pairs(name: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    run(name, MANY, tmp_path, caplog)
