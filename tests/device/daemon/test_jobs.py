"""The owner's tasks that take time: who has the camera when, and what becomes of a task that is stopped or fails."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

import pytest

from device.camera_preview import CameraPreview
from device.clock import WallClock
from device.daemon.jobs import (
    HANGS,
    HELD,
    NEEDED,
    NOBODY,
    STOP,
    Looking,
    Remote,
    printing,
    saving,
)
from device.owner.steps import GO_ON, LONGEST_PICTURE, TASK_FAILED
from device.session.check import GONE, STARTING
from engine.text import Text, say
from extensions.phones.tests.daemon.phones import until
from tests.device.owner.kept import DECK
from vision.messages import Picture

DARK = say("Too dark for the camera.")


class Fast(WallClock):
    def now(self) -> float:
        return time.monotonic() * 10

    async def sleep_until(self, at: float) -> None:
        while (left := at - self.now()) > 0:
            await asyncio.sleep(left / 10)


class Lent:
    """A camera that is lent; out: whether somebody has it."""

    def __init__(self) -> None:
        self.out, self.times, self._one = False, 0, asyncio.Lock()

    @asynccontextmanager
    async def lend_camera(self) -> AsyncIterator[None]:
        async with self._one:
            self.out, self.times = True, self.times + 1
            try:
                yield
            finally:
                self.out = False


class Sees:
    """A lookout that sees what it is told."""

    def __init__(self) -> None:
        self.newest: Picture | None = None
        self.worker = self

    def picture(self) -> Picture | None:
        return self.newest

    async def run(self, _watcher: object) -> None:
        await asyncio.Event().wait()


def playing(scenario: Callable[[], Awaitable[None]]) -> None:
    async def main() -> None:
        await asyncio.wait_for(scenario(), 100)

    asyncio.run(main())


async def eventually(true: Callable[[], object]) -> None:
    for _ in range(12_000):
        if true():
            return
        await asyncio.sleep(0.005)
    raise AssertionError("it never came")


def looking(camera: Lent | None, sees: Sees, unseen: Callable[[], Text | None]) -> Looking:
    return Looking(Fast(), camera, lambda: cast(CameraPreview, sees), unseen)


def test_the_picture_comes_with_its_hints_and_the_camera_goes_back_when_it_is_over() -> None:
    async def scenario() -> None:
        camera, sees = Lent(), Sees()
        task = looking(camera, sees, lambda: None)
        running = asyncio.ensure_future(task.run())
        await eventually(lambda: camera.out)
        assert task.step().now == STARTING
        sees.newest = Picture(1, b"jpeg", (DARK,))
        await eventually(lambda: task.step().picture == b"jpeg")
        assert task.step().remarks == (DARK,)
        sees.newest = Picture(2, b"more", ())
        await eventually(lambda: task.step().picture == b"more")
        sees.newest = Picture(3, b"x" * (LONGEST_PICTURE + 1), (DARK,))
        await eventually(lambda: task.step().remarks == (DARK,))
        assert task.step().picture is None, "one that is too large for a phone's link is left out"
        task.choose(0)
        await running
        assert task.over
        assert not camera.out

    playing(scenario)


def test_a_phone_is_invited_to_be_the_camera_also_while_a_match_is_played() -> None:
    async def scenario() -> None:
        camera, address = Lent(), ["HTTPS://TABLE.LOCAL:8145/#CODE"]
        task = Looking(Fast(), camera, lambda: cast(CameraPreview, Sees()), lambda: NEEDED, lambda: address[0])
        running = asyncio.ensure_future(task.run())
        await eventually(lambda: task.step().address == address[0])
        address[0] = ""
        await eventually(lambda: task.step().now == NEEDED)
        assert task.step().address == ""
        assert camera.times == 0
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    playing(scenario)


def test_when_a_match_needs_it_the_camera_is_given_back_with_the_picture_and_comes_again() -> None:
    async def scenario() -> None:
        camera, sees, why = Lent(), Sees(), [None, NEEDED, NOBODY]
        task = looking(camera, sees, lambda: why[0])
        sees.newest = Picture(1, b"peek", ())
        running = asyncio.ensure_future(task.run())
        for reason in (NEEDED, NOBODY):
            await eventually(lambda: task.step().picture)
            why[0] = reason
            await eventually(lambda reason=reason: task.step().now == reason)  # type: ignore[misc]
            assert task.step().picture is None
            assert not camera.out
            why[0] = None
        await eventually(lambda: camera.times == 3)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        assert not camera.out

    playing(scenario)


@pytest.mark.thorough
def test_a_camera_that_sends_nothing_is_told_of_and_one_that_comes_back_is_seen() -> None:
    async def scenario() -> None:
        sees = Sees()
        task = looking(Lent(), sees, lambda: None)
        running = asyncio.ensure_future(task.run())
        await eventually(lambda: task.step().now == GONE)
        assert task.step().choices == (GO_ON,)
        sees.newest = Picture(1, b"jpeg", ())
        await eventually(lambda: task.step().picture == b"jpeg")
        task.choose(0)
        await running

    playing(scenario)


def test_without_a_camera_there_is_a_sentence() -> None:
    async def scenario() -> None:
        task = looking(None, Sees(), lambda: None)
        await task.run()
        assert "no camera" in str(task.step().now)
        task.choose(7)
        assert not task.over
        task.choose(0)
        assert task.over

    playing(scenario)


TASK = """
import sys
from device.owner.steps import TaskStep, decode_choice, encode
from engine.text import say
def tell(now):
    sys.stdout.buffer.write(encode(TaskStep(say("Clock"), say(now), choices=(say("Game"), say("Back")))))
    sys.stdout.buffer.flush()
tell("Language")
for line in sys.stdin.buffer:
    if decode_choice(line).line == 1:
        sys.exit(int(sys.argv[1]))
    tell("Seats")
"""


def remote(camera: Lent, free: Callable[[], bool], code: str = "0", program: str = TASK) -> Remote:
    return Remote(Fast(), say("Clock"), camera, (sys.executable, "-c", program, code), free)


def test_a_task_in_a_process_of_its_own_is_led_step_by_step() -> None:
    async def scenario() -> None:
        camera = Lent()
        task = remote(camera, lambda: True)
        running = asyncio.ensure_future(task.run())
        await eventually(lambda: task.step().now == say("Language"))
        task.choose(5)
        task.choose(0)
        await eventually(lambda: task.step().now == say("Seats"))
        task.choose(1)
        await running
        assert task.over
        assert not camera.out

    playing(scenario)


REASONED = """
import sys
from device.owner.steps import TASK_FAILED, GO_ON, TaskStep, encode
from engine.text import say
step = TaskStep(say("Clock"), TASK_FAILED, remarks=(say("Too dark for the camera."),), choices=(GO_ON,))
sys.stdout.buffer.write(encode(step))
sys.exit(1)
"""


def test_one_that_fails_may_say_why() -> None:
    async def scenario() -> None:
        task = remote(Lent(), lambda: True, program=REASONED)
        await task.run()
        assert (task.step().now, task.step().remarks) == (TASK_FAILED, (say("Too dark for the camera."),))
        task.choose(0)
        assert task.over

    playing(scenario)


def test_one_that_fails_says_so_and_one_that_cannot_start_too() -> None:
    async def scenario() -> None:
        failing = remote(Lent(), lambda: True, "3")
        running = asyncio.ensure_future(failing.run())
        await eventually(lambda: failing.step().now == say("Language"))
        failing.choose(1)
        await running
        strange = Remote(Fast(), say("Clock"), Lent(), ("/nowhere/to/be/found",), lambda: True)
        await strange.run()
        for task in (failing, strange):
            assert task.step().choices == (GO_ON,)
            assert not task.over
            task.choose(0)
            assert task.over

    playing(scenario)


HANGING = """
import os, sys, time
from device.owner.steps import TaskStep, encode
from engine.text import say
def tell(now):
    sys.stdout.buffer.write(encode(TaskStep(say("Clock"), say(now), choices=(say("Game"), say("Back")))))
    sys.stdout.buffer.flush()
tell("Language")
if sys.argv[1] == "dumb":
    os.close(1)
if sys.argv[1] == "slow":
    time.sleep(3)
    tell("Seats")
time.sleep(60)
"""


@pytest.mark.thorough
def test_one_that_does_not_answer_can_be_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("device.daemon.jobs.QUIT_S", 0.2)

    async def scenario() -> None:
        camera = Lent()
        task = remote(camera, lambda: True, "mute", HANGING)
        running = asyncio.ensure_future(task.run())
        await eventually(lambda: task.step().now == say("Language"))
        task.choose(1)
        await eventually(lambda: task.step().now == HANGS)
        assert task.step().choices == (STOP,)
        task.choose(0)
        await running
        assert task.over
        assert not camera.out

    playing(scenario)


@pytest.mark.thorough
def test_one_that_was_slow_to_answer_is_led_on() -> None:
    async def scenario() -> None:
        task = remote(Lent(), lambda: True, "slow", HANGING)
        running = asyncio.ensure_future(task.run())
        await eventually(lambda: task.step().now == HANGS)
        await eventually(lambda: task.step().now == say("Seats"))
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    playing(scenario)


def test_one_that_says_nothing_any_more_and_does_not_end_has_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("device.daemon.jobs.QUIT_S", 0.2)

    async def scenario() -> None:
        camera = Lent()
        task = remote(camera, lambda: True, "dumb", HANGING)
        await task.run()
        assert "failed" in str(task.step().now)
        assert not camera.out

    playing(scenario)


def test_one_that_its_cameras_driver_holds_against_a_kill_keeps_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The table goes on, and the owner reads why there is no camera."""
    monkeypatch.setattr("device.daemon.jobs.QUIT_S", 0.2)
    kill, held = asyncio.subprocess.Process.kill, list[asyncio.subprocess.Process]()
    monkeypatch.setattr(asyncio.subprocess.Process, "kill", lambda process: held.append(process))  # noqa: PLW0108 - a method is looked for

    async def scenario() -> None:
        camera, free = Lent(), [True]
        task = remote(camera, lambda: free[0], "", program=HANGING)
        running = asyncio.ensure_future(task.run())
        await eventually(lambda: task.step().now == say("Language"))
        free[0] = False
        await running
        assert not camera.out
        assert (task.step().now, task.over) == (HELD, False)
        task.choose(0)
        assert task.over
        for process in held:
            kill(process)
            await process.wait()

    playing(scenario)


@pytest.mark.thorough
def test_stop_before_its_first_step_is_heard_here() -> None:
    async def scenario() -> None:
        camera = Lent()
        task = remote(camera, lambda: True, program="import time; time.sleep(60)")
        running = asyncio.ensure_future(task.run())
        await eventually(lambda: camera.out)
        task.choose(0)
        assert task.over
        await running
        assert not camera.out

    playing(scenario)


def test_a_match_that_begins_ends_it_and_its_process() -> None:
    async def scenario() -> None:
        camera, free = Lent(), [True]
        task = remote(camera, lambda: free[0])
        running = asyncio.ensure_future(task.run())
        await eventually(lambda: task.step().now == say("Language"))
        free[0] = False
        await running
        assert task.step().now == NEEDED
        assert task.step().picture is None
        assert not camera.out
        again = remote(camera, lambda: False)
        await again.run()
        assert again.step().now == NEEDED
        assert camera.times == 1

    playing(scenario)


def test_what_it_says_that_is_no_step_is_left_out() -> None:
    async def scenario() -> None:
        program = "print('garbage', flush=True)\n" + TASK
        task = remote(Lent(), lambda: True, program=program)
        running = asyncio.ensure_future(task.run())
        await eventually(lambda: task.step().now == say("Language"))
        task.choose(1)
        await running

    playing(scenario)


@pytest.fixture
def busy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where all processors are at work, what runs idly would wait for all others' tests."""
    monkeypatch.setattr("device.child_process.IDLY", "from device.cli import main; main()")


@pytest.mark.thorough
@pytest.mark.usefixtures("busy")
def test_sheets_are_drawn_as_a_file_to_take_along(tmp_path: Path) -> None:
    async def scenario() -> None:
        task = printing(Fast(), Text("Tellstones"), ("calibration", "--paper", "a4"), tmp_path)
        assert task.step().file is None
        await task.run()
        file: Any = task.step().file
        assert file.name.endswith(".pdf")
        assert file.data.startswith(b"%PDF")
        assert list(tmp_path.iterdir()) == []

    playing(scenario)


@pytest.mark.thorough
@pytest.mark.usefixtures("busy")
def test_sheets_that_cannot_be_drawn_are_a_sentence(tmp_path: Path) -> None:
    async def scenario() -> None:
        for words, folder in ((("no-such-game",), tmp_path), (("calibration",), tmp_path / "nowhere")):
            task = printing(Fast(), Text("Tellstones"), words, folder)
            await task.run()
            assert "could not be created" in str(task.step().now)
            assert task.step().choices == (GO_ON,)

    playing(scenario)


@pytest.mark.thorough
@pytest.mark.usefixtures("busy")
def test_what_was_enrolled_is_saved_as_a_file_to_take_along_and_what_is_damaged_is_named(tmp_path: Path) -> None:
    async def scenario() -> None:
        empty = saving(Fast(), tmp_path, tmp_path / "a table.toml")
        await empty.run()
        assert "No pieces" in str(empty.step().now)
        piece = tmp_path / "enrolled" / "stones" / "enrolled.json"
        piece.parent.mkdir(parents=True)
        piece.write_bytes(b"{}")
        task = saving(Fast(), tmp_path, tmp_path / "a table.toml")
        await task.run()
        assert "usable" in str(task.step().now)
        (tmp_path / "decks").mkdir()
        (tmp_path / "decks" / "fence.toml").write_bytes(DECK)
        task = saving(Fast(), tmp_path, tmp_path / "a table.toml")
        await task.run()
        file: Any = task.step().file
        assert file.data.startswith(b"PK")
        command = f"referee owner --table '{tmp_path}/a table.toml' restore FILE"
        assert str(task.step().now).endswith(f" To put it back: {command}")
        assert [str(each) for each in task.step().remarks] == [
            "Left out because it can't be used:",
            "Set stones: damaged. Enrol its pieces again, or use an earlier file.",
        ]

    playing(scenario)


def test_a_phone_that_is_to_be_the_camera_is_invited_until_it_sends_pictures() -> None:
    async def scenario() -> None:
        sees, address = Sees(), ["HTTPS://TABLE.LOCAL:8145/#CODE"]
        task = Looking(Fast(), Lent(), lambda: cast(CameraPreview, sees), lambda: None, lambda: address[0])
        running = asyncio.ensure_future(task.run())
        await until(lambda: task.step().address == address[0])
        assert task.step().choices == (GO_ON,)
        address[0], sees.newest = "", Picture(1, b"picture")
        await until(lambda: task.step().picture == b"picture")
        assert not task.step().address
        address[0] = "HTTPS://TABLE.LOCAL:8145/#CODE"  # the phone was lost
        await until(lambda: task.step().address == address[0])
        task.choose(0)
        await running

    playing(scenario)
