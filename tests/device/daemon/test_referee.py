"""The loops: inputs in order, ticks on time, displays blanked at the end, the watchdog fed only by progress."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from device.buttons.panel import Stuck
from device.clock import Clock
from device.daemon.core import Core, EntryListener, Store
from device.daemon.displays import Pane
from device.daemon.match_identity import simulated_chance
from device.daemon.referee import ATTEST_S, REST_S, TIDY_S, LoopEnded, Ports, Referee
from device.daemon.systemd_notify import SystemdNotifier, Watchdog, watchdog_s
from device.displays.keeper import Keeper
from device.displays.oled import Oled
from device.journal import Journal
from device.key_gestures import Button, Gesture, Key
from device.screens.screen import Screen
from device.session.check import GONE
from device.session.messages import Dismiss, Input, Invite
from device.session.state import Play
from device.session.table import Table
from device.settings.table import Display, I2c
from engine.table import Health
from referee_record.daemon.listener import Signing
from referee_record.table_key import TableKey
from referee_simulator.hardware.oled import SimulatedOled
from tests.device.session.conftest import tellstones
from vision.messages import Report


class Stepped(Clock):
    """Time that a test moves."""

    def __init__(self) -> None:
        self._now = 0.0
        self._sleepers: list[tuple[float, asyncio.Future[None]]] = []

    def now(self) -> float:
        return self._now

    async def sleep_until(self, at: float) -> None:
        if at > self._now:
            future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._sleepers.append((at, future))
            await future

    async def advance(self, to: float) -> None:
        while True:
            await rest()
            due = sorted(at for at, future in self._sleepers if not future.done())
            if not due or due[0] > to:
                break
            self._now = max(self._now, due[0])
            for at, future in self._sleepers:
                if at <= self._now and not future.done():
                    future.set_result(None)
            self._sleepers = [(at, future) for at, future in self._sleepers if not future.done()]
        self._now = max(self._now, to)
        await rest()


async def rest() -> None:
    for _ in range(30):
        await asyncio.sleep(0)


class Glass:
    """A display that only remembers."""

    def __init__(self) -> None:
        self.screens: list[Screen] = []
        self.closed = False

    def show(self, screen: Screen, language: str) -> None:
        self.screens.append(screen)

    async def run(self) -> None:
        await asyncio.Event().wait()

    async def close(self) -> None:
        self.closed = True


class Kept(Glass):
    """A display in memory, with its keeper. sent: grows by a word with each picture that it gets."""

    def __init__(self, sent: list[str], clock: Clock) -> None:
        class Wired(Oled):
            def show(self, image: Image.Image) -> None:
                super().show(image)
                sent.append("sent")

        super().__init__()
        self.pane = Pane((128, 64), Keeper("a", lambda: Wired(Display(I2c()), SimulatedOled()), clock))

    def show(self, screen: Screen, language: str) -> None:
        self.pane.show(screen, language)

    async def run(self) -> None:
        await self.pane.run()

    async def close(self) -> None:
        await self.pane.close()


class Set:
    """A referee on a stepped clock."""

    def __init__(
        self,
        folder: Path,
        glass: Callable[[Clock], Glass] = lambda _clock: Glass(),
        *,
        listener: EntryListener | None = None,
        notifier: SystemdNotifier | None = None,
        tidy: Callable[[], None] | None = None,
        **ports: Any,
    ) -> None:
        self.clock = Stepped()
        self.glasses = {"a": glass(self.clock), "b": glass(self.clock)}
        table = Table(("a", "b"), {"tellstones": tellstones()}, clock={"kind": "move", "seconds": 30})
        self.journal = Journal(folder / "journal.db")
        wired = Ports(self.glasses, **ports)
        core = Core(table, Store(self.journal), simulated_chance(3), wired, now=self.clock.now, listener=listener)
        self.referee = Referee(core, wired, self.clock, notifier=notifier, tidy=tidy)

    def key(self, seat: str, button: Button) -> None:
        self.referee.listen(Key(seat, button, Gesture.PRESS, self.clock.now()))


def played(made: Set, scenario: Callable[[Set], Coroutine[Any, Any, None]], watchdog: Watchdog | None = None) -> None:
    async def main() -> None:
        stop = asyncio.Event()
        running = asyncio.ensure_future(made.referee.run(watchdog=watchdog, stop=stop))
        await rest()
        await scenario(made)
        stop.set()
        await asyncio.wait_for(running, 60)

    asyncio.run(main())


def test_keys_are_taken_in_order_and_a_flag_falls_on_time(tmp_path: Path) -> None:
    async def scenario(made: Set) -> None:
        for _ in range(5):
            made.key("a", Button.CHOOSE)
        await asyncio.wait_for(made.referee.wait_settled(), 60)
        await made.clock.advance(made.clock.now() + 1.0)  # the last page is read
        made.key("a", Button.CHOOSE)
        await asyncio.wait_for(made.referee.wait_settled(), 60)
        stage = made.referee.core.session.stage
        assert isinstance(stage, Play)
        await made.clock.advance(30.5)
        assert "A 0:01" in map(str, made.glasses["b"].screens[-1].clocks)
        await made.clock.advance(32.0)
        stage = made.referee.core.session.stage
        assert isinstance(stage, Play)
        assert stage.match.result is not None

    made = Set(tmp_path)
    played(made, scenario)
    assert all(glass.closed for glass in made.glasses.values())


def _no_key() -> TableKey:
    raise OSError("nothing is signed")


def test_what_was_taken_is_told_outside_once_nobody_presses_but_soon_though_somebody_goes_on(tmp_path: Path) -> None:
    told = list[float]()

    class Outside:
        def begin(self, said: Sequence[bytes], standing: bytes) -> None: ...

        def put(self, frame: bytes, standing: bytes) -> None: ...

        def leave(self) -> None: ...

        def on_step(self) -> None:
            told.append(round(made.clock.now(), 3))

    async def press(*times: float) -> None:
        for at in times:
            await made.clock.advance(at)
            made.key("a", Button.CHOOSE)
            await made.referee.wait_settled()

    async def scenario(made: Set) -> None:
        await press(1.0, 1.08)
        await made.clock.advance(2.0)
        await press(*(2.0 + n * 0.08 for n in range(9)))
        await made.clock.advance(3.0)
        assert told == [1.33, 2.5, 2.89]
        await made.clock.advance(4.0)
        told.clear()
        made.referee.on_report(Report(1, 4.0, True, Health.OK))
        await made.clock.advance(4.09)
        made.referee.on_report(Report(2, 4.09, True, Health.OK))
        await made.clock.advance(4.3)

    made = Set(tmp_path, listener=Signing(_no_key, Outside()))
    played(made, scenario)
    assert told == [4.25], "pictures come all the time, and nobody waits for a screen of them"


def test_what_can_wait_is_done_to_the_journal_when_the_table_rests_and_every_hour(tmp_path: Path) -> None:
    done = list[float]()

    def tidy() -> None:
        done.append(made.clock.now())

    async def scenario(made: Set) -> None:
        await made.clock.advance(2 * REST_S + TIDY_S)

    made = Set(tmp_path, tidy=tidy)
    played(made, scenario)
    first, second = done
    assert first == pytest.approx(ATTEST_S + REST_S)
    assert second - first == TIDY_S


def test_displays_have_what_follows_from_a_press_before_pages_are_told_of_it(tmp_path: Path) -> None:
    order = list[str]()

    class Pages:
        async def run(self, referee: Referee) -> None:
            await asyncio.Event().wait()

        def heeds(self, given: Input) -> bool | None:
            return None

        def on_step(self, given: Input | None, heeded: bool | None = None) -> None:
            order.append("told")

        def on_wish(self, wish: Invite | Dismiss) -> None: ...

    async def scenario(made: Set) -> None:
        order.clear()
        made.key("a", Button.NEXT)
        await asyncio.wait_for(made.referee.wait_settled(), 60)
        await rest()
        assert order == ["sent", "sent", "told"]

    made = Set(tmp_path, pages=Pages(), glass=partial(Kept, order))
    played(made, scenario)


def test_the_witness_follows_the_screens_and_at_rest_the_log_is_emptied(tmp_path: Path) -> None:
    async def scenario(made: Set) -> None:
        log = tmp_path / "journal.db-wal"
        for _ in range(5):
            made.key("a", Button.CHOOSE)
        await asyncio.wait_for(made.referee.wait_settled(), 60)
        await made.clock.advance(made.clock.now() + 1.0)
        made.key("a", Button.CHOOSE)
        await asyncio.wait_for(made.referee.wait_settled(), 60)
        assert made.journal.unattested
        await made.clock.advance(made.clock.now() + 0.2)
        assert made.journal.unattested, "not while screens are on their way"
        await made.clock.advance(made.clock.now() + 0.2)
        assert not made.journal.unattested
        assert log.stat().st_size > 0
        await made.clock.advance(made.clock.now() + 3.5)
        assert log.stat().st_size == 0

    played(Set(tmp_path), scenario)


def test_files_taken_away_are_told_of_when_the_table_rests(tmp_path: Path) -> None:
    async def scenario(made: Set) -> None:
        for _ in range(5):
            made.key("a", Button.CHOOSE)
        await asyncio.wait_for(made.referee.wait_settled(), 60)
        await made.clock.advance(made.clock.now() + 1.0)
        made.key("a", Button.CHOOSE)
        await asyncio.wait_for(made.referee.wait_settled(), 60)
        (tmp_path / "journal.db").unlink()
        await made.clock.advance(made.clock.now() + 5.0)
        assert "were missing" in str(made.glasses["a"].screens[-1].alert)
        assert len(made.journal.entries(1)) == 1
        assert (tmp_path / "journal.db").exists()

    played(Set(tmp_path), scenario)


class Woken:
    """Displays that rest. hands: how often one woke them."""

    hands = 0

    def wake_if_dark(self, key: Key) -> bool:
        return False

    def hand(self) -> None:
        self.hands += 1


def test_what_moves_wakes_displays_and_a_look_at_the_table_does_not(tmp_path: Path) -> None:
    woken = Woken()

    async def scenario(made: Set) -> None:
        made.referee.on_report(Report(1, 0.0, False, Health.OK, looking=True))
        assert woken.hands == 0
        made.referee.on_report(Report(2, 0.0, True, Health.OK))
        assert woken.hands == 1

    played(Set(tmp_path, waking=woken), scenario)


def test_reports_are_counted_so_that_time_can_wait_for_them(tmp_path: Path) -> None:
    async def scenario(made: Set) -> None:
        waiting = asyncio.ensure_future(made.referee.took(2))
        made.referee.on_report(Report(1, 0.0, False, Health.OK))
        await rest()
        assert not waiting.done()
        made.referee.on_report(Report(2, 0.2, False, Health.OK))
        await asyncio.wait_for(waiting, 60)
        made.referee.silent(GONE)
        await made.referee.wait_settled()
        assert made.referee.core.session.silence is not None

    played(Set(tmp_path), scenario)


def test_a_stuck_button_is_logged_and_changes_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def scenario(made: Set) -> None:
        before = made.referee.core.session
        made.referee.listen(Stuck("a", "choose", 0.0))
        await made.referee.wait_settled()
        assert made.referee.core.session == before

    played(Set(tmp_path), scenario)
    assert "stuck" in caplog.text


def test_a_loop_that_fails_ends_the_daemon_with_blank_displays(tmp_path: Path) -> None:
    class Breaking(Glass):
        async def run(self) -> None:
            raise OSError("wire cut")

    made = Set(tmp_path)
    made.glasses["b"] = Breaking()
    with pytest.raises(OSError, match="wire cut"):
        asyncio.run(made.referee.run())
    assert made.glasses["a"].closed
    assert made.glasses["b"].closed


def test_a_loop_that_comes_to_an_end_ends_the_daemon_with_a_failure(tmp_path: Path) -> None:
    class Ending(Glass):
        async def run(self) -> None: ...

    made = Set(tmp_path)
    made.glasses["b"] = Ending()
    with pytest.raises(LoopEnded, match=r"Ending\.run"):
        asyncio.run(made.referee.run())
    assert made.glasses["a"].closed


def test_the_watchdog_is_fed_while_every_loop_goes_round(tmp_path: Path) -> None:
    told: list[str] = []
    made = Set(tmp_path, notifier=SystemdNotifier(round_s=1.0))
    watchdog = Watchdog(made.referee.notifier, made.clock, 5.0, told.append)

    async def scenario(made: Set) -> None:
        assert told == ["READY=1\nSTATUS=refereeing"]
        await made.clock.advance(21.0)
        assert sum("WATCHDOG=1" in message for message in told) == 4

    played(made, scenario, watchdog)
    assert told[-1] == "STOPPING=1"


def test_a_core_that_hangs_starves_the_watchdog(tmp_path: Path) -> None:
    told: list[str] = []
    made = Set(tmp_path, notifier=SystemdNotifier(round_s=1.0))
    watchdog = Watchdog(made.referee.notifier, made.clock, 5.0, told.append)
    made.referee._take_inputs = _hanging  # type: ignore[method-assign]

    async def scenario(made: Set) -> None:
        await made.clock.advance(21.0)
        assert not any("WATCHDOG=1" in message for message in told)
        assert any("waiting for inputs" in message for message in told)

    played(made, scenario, watchdog)


async def _hanging() -> None:
    await asyncio.Event().wait()


def test_pulse_and_the_watchdogs_time(monkeypatch: pytest.MonkeyPatch) -> None:
    notifier = SystemdNotifier(("one", "two"))
    notifier.beat("one")
    assert notifier.missing() == {"two"}
    notifier.clear()
    assert notifier.missing() == {"one", "two"}
    monkeypatch.delenv("WATCHDOG_USEC", raising=False)
    assert watchdog_s() is None
    monkeypatch.setenv("WATCHDOG_USEC", "30000000")
    monkeypatch.delenv("WATCHDOG_PID", raising=False)
    assert watchdog_s() == 30.0
    monkeypatch.setenv("WATCHDOG_PID", "1")
    assert watchdog_s() is None
