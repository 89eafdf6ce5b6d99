"""The worker is missed within 2 s, replaced when it dies or hangs, and told everything again."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import sys
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import pytest
import zmq.asyncio

from device.bus.endpoints import runtime_dir
from device.daemon import vision_supervisor
from device.daemon.vision_supervisor import VisionWorker
from device.session.check import GONE, STARTING
from engine.text import Text
from vision.messages import Picture, Rebase, Report, RestPicture

SCRIPT = Path(__file__).with_name("scripted_worker.py")


TICK_S = 0.05


class Turned:
    """A clock that stands still but within `passing`, so that no patience ends while a process is slow to start."""

    def __init__(self) -> None:
        self.at, self.passes = 100.0, False

    def now(self) -> float:
        return self.at

    async def sleep_until(self, at: float) -> None:
        while self.at < at:
            await asyncio.sleep(0.002)

    async def tick(self, worker: VisionWorker) -> None:
        """Lets time pass, faster than at the wall. What is there to start, and has not reported yet, is waited for."""
        while True:
            if self.passes and (worker.pid is None or worker.state.health):
                self.at += TICK_S
            await asyncio.sleep(0.004)


async def passing(watcher: Listening, done: Callable[[], bool]) -> None:
    """Time passes until then."""
    watcher.clock.passes = True
    await eventually(done)
    watcher.clock.passes = False


async def passed(watcher: Listening, seconds: float) -> None:
    until = watcher.clock.at + seconds
    await passing(watcher, lambda: watcher.clock.at >= until)


class Listening:
    """What the referee would be told."""

    def __init__(self) -> None:
        self.clock = Turned()
        self.reports: list[Report] = []
        self.told: list[str | None] = []
        self.told_at: list[tuple[float, str | None]] = []
        self.starts = 0

    def on_report(self, report: Report) -> None:
        self.reports.append(report)

    def silent(self, text: Text | None, *, starting: bool = False) -> None:
        self.told.append(None if text is None else str(text))
        self.told_at.append((self.clock.now(), self.told[-1]))

    def worker_started(self) -> None:
        self.starts += 1


async def eventually(done: Callable[[], bool]) -> None:
    for _ in range(6000):
        if done():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it did not happen")


def run(
    folder: Path,
    scenario: Callable[[VisionWorker, Listening], Awaitable[None]],
    *mode: str,
    command: Sequence[str] | None = None,
    plugged: Callable[[], frozenset[str]] = frozenset,
) -> Listening:
    async def main() -> Listening:
        watcher = Listening()
        start = [sys.executable, str(SCRIPT)]
        worker = VisionWorker(lambda address: command or [*start, address, *mode], folder / "run", plugged=plugged)
        running = [asyncio.ensure_future(each) for each in (worker.run(watcher), watcher.clock.tick(worker))]
        try:
            await asyncio.wait_for(scenario(worker, watcher), 90)
        finally:
            for each in running:
                each.cancel()
            await asyncio.gather(*running, return_exceptions=True)
        assert worker.pid is None
        return watcher

    return asyncio.run(main())


@pytest.fixture(autouse=True)
def on_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[3]))


def test_reports_arrive_and_the_worker_ends_with_the_daemon(tmp_path: Path) -> None:
    async def scenario(worker: VisionWorker, watcher: Listening) -> None:
        await eventually(lambda: len(watcher.reports) > 3)

    watcher = run(tmp_path, scenario)
    assert watcher.starts == 1
    assert [report.frame for report in watcher.reports[:3]] == [1, 2, 3]
    assert list((tmp_path / "run").glob("*.sock")) == []


def test_if_memory_runs_out_the_worker_goes_and_not_the_daemon(tmp_path: Path) -> None:
    scores: list[int] = []

    async def scenario(worker: VisionWorker, watcher: Listening) -> None:
        await eventually(lambda: len(watcher.reports) > 1)
        scores.extend(int(Path(f"/proc/{pid}/oom_score_adj").read_text()) for pid in (worker.pid, os.getpid()))

    run(tmp_path, scenario)
    assert scores[0] > scores[1]


@pytest.mark.thorough
def test_a_killed_worker_is_replaced_and_told_anew(tmp_path: Path) -> None:
    async def scenario(worker: VisionWorker, watcher: Listening) -> None:
        await eventually(lambda: len(watcher.reports) > 1)
        assert worker.pid is not None
        os.kill(worker.pid, signal.SIGKILL)
        await passing(watcher, lambda: watcher.starts == 2)
        before = len(watcher.reports)
        await eventually(lambda: len(watcher.reports) > before + 1)

    watcher = run(tmp_path, scenario)
    assert str(GONE) in watcher.told


@pytest.mark.thorough
def test_a_silent_worker_is_told_of_within_two_seconds_and_then_replaced(tmp_path: Path) -> None:
    async def scenario(worker: VisionWorker, watcher: Listening) -> None:
        await eventually(lambda: len(watcher.reports) == 3)
        last = watcher.clock.now()
        await passing(watcher, lambda: watcher.starts == 2)
        told = next(at for at, text in watcher.told_at if text == str(GONE))
        silent_s = vision_supervisor.SILENT_S
        assert silent_s <= told - last <= silent_s + vision_supervisor.ROUND_S + 2 * TICK_S

    run(tmp_path, scenario, "silent-after", "3")


@pytest.mark.thorough
def test_a_worker_that_never_speaks_is_given_up(tmp_path: Path) -> None:
    async def scenario(worker: VisionWorker, watcher: Listening) -> None:
        await eventually(lambda: watcher.starts == 1)
        watcher.clock.at += vision_supervisor.START_S - 1.0
        await asyncio.sleep(0.1)
        assert worker.pid is not None
        watcher.clock.at += 2.0
        await eventually(lambda: worker.pid is None)
        await passing(watcher, lambda: watcher.starts == 2)

    assert run(tmp_path, scenario, "mute").reports == []


def test_slow_work_is_no_silence_and_players_read_how_far_it_has_come(tmp_path: Path) -> None:
    """Twelve steps of a second each, where 8 s without a word would be the end."""

    async def scenario(worker: VisionWorker, watcher: Listening) -> None:
        for done in range(12):
            await eventually(lambda done=done: worker.state.busy == f"reads set stones, {done} of 12")  # type: ignore[misc]
            await passed(watcher, 1.0)
            worker.send(Rebase())  # it goes on
        await eventually(lambda: len(watcher.reports) > 3)

    watcher = run(tmp_path, scenario, "loads", "12")
    assert watcher.starts == 1
    told = [
        int(found[1]) for text in watcher.told if text and (found := re.search(r"getting ready: (\d+) of 12", text))
    ]
    assert told == [*range(2, 12)], "what is done within two seconds troubles nobody"


def test_what_a_dead_worker_was_doing_is_no_longer_told(tmp_path: Path) -> None:
    async def scenario(worker: VisionWorker, watcher: Listening) -> None:
        await eventually(lambda: worker.state.busy != "")
        assert worker.pid is not None
        os.kill(worker.pid, signal.SIGKILL)
        await eventually(lambda: worker.state.busy == "")
        assert watcher.starts == 1, "it is told before the next one starts"

    run(tmp_path, scenario, "loads", "12")


@pytest.mark.thorough
def test_one_that_says_the_same_of_its_work_for_ever_is_given_up(tmp_path: Path) -> None:
    async def scenario(worker: VisionWorker, watcher: Listening) -> None:
        await passing(watcher, lambda: watcher.starts == 2)

    run(tmp_path, scenario, "stuck-after", "1")


def pauses(watcher: Listening) -> list[float]:
    """Between the end of each worker and the next try."""
    found, ended = list[float](), None
    for at, text in watcher.told_at:
        if text == str(GONE):  # once when it falls silent, and once more when it has ended
            ended = at
        elif text == str(STARTING) and ended is not None:
            found.append(at - ended)
            ended = None
    return found


def said(caplog: pytest.LogCaptureFixture) -> tuple[float, ...]:
    """The pauses that the log announces."""
    return tuple(float(number) for number in re.findall(r"starting another in ([\d.]+) s", caplog.text))


@pytest.mark.parametrize("command", ["/bin/false", "/nowhere/python"])
def test_a_worker_that_dies_at_once_or_cannot_be_started_is_tried_ever_more_rarely(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, command: str
) -> None:
    async def scenario(worker: VisionWorker, watcher: Listening) -> None:
        await passing(watcher, lambda: len(pauses(watcher)) == 3)

    watcher = run(tmp_path, scenario, command=(command,))
    assert watcher.reports == []
    assert said(caplog)[:3] == vision_supervisor.BACKOFF_S[1:4] == (1.0, 2.0, 4.0)
    assert all(kept >= announced for kept, announced in zip(pauses(watcher), said(caplog), strict=False))


@pytest.mark.quick(1)
@pytest.mark.parametrize("mode", ["die-after", "blind-after"])
def test_one_that_reports_and_then_dies_is_back_within_a_second_however_often(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, mode: str
) -> None:
    """Then it is the camera that comes and goes."""

    async def scenario(worker: VisionWorker, watcher: Listening) -> None:
        await passing(watcher, lambda: len(said(caplog)) == 3)

    watcher = run(tmp_path, scenario, mode, "1")
    assert len(watcher.reports) >= 3
    assert set(said(caplog)) == {vision_supervisor.AWAY_S}


class Plugs:
    """The nodes of cameras, as udev makes and removes them."""

    def __init__(self, *present: str) -> None:
        self.present = frozenset(present)

    def __call__(self) -> frozenset[str]:
        return self.present


@pytest.mark.thorough
def test_a_camera_that_is_plugged_in_ends_every_wait(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    plugs = Plugs("video0 1")

    async def scenario(worker: VisionWorker, watcher: Listening) -> None:
        await passing(watcher, lambda: len(said(caplog)) == 5)
        plugs.present = frozenset()
        await passed(watcher, 4 * vision_supervisor.ROUND_S)
        assert len(said(caplog)) == 5, "what is unplugged ends none"
        plugs.present = frozenset({"video0 2"})
        at, tries = watcher.clock.now(), watcher.starts
        await passing(watcher, lambda: watcher.starts > tries)
        assert watcher.told_at[-1][0] - at < 1.0 < said(caplog)[4]

    run(tmp_path, scenario, command=("/bin/false",), plugged=plugs)


@pytest.mark.thorough
def test_one_that_hangs_is_given_up_at_once_when_its_camera_is_plugged_in_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    plugs = Plugs("video0 1")

    async def scenario(worker: VisionWorker, watcher: Listening) -> None:
        await eventually(lambda: len(watcher.reports) == 3)
        plugs.present = frozenset({"video0 2"})
        await passing(watcher, lambda: watcher.starts == 2)

    run(tmp_path, scenario, "silent-after", "3", plugged=plugs)
    assert "waits for a camera that was unplugged, and one was plugged in" in caplog.text
    assert "did not answer for" not in caplog.text


@pytest.mark.thorough
def test_the_camera_is_back_within_two_seconds_of_its_return_however_often_it_was_gone(tmp_path: Path) -> None:
    """With a worker that dies while its camera is away; what its process takes to start comes on top."""
    camera, took = tmp_path / "camera", list[float]()

    async def scenario(worker: VisionWorker, watcher: Listening) -> None:
        for away in (0.0, 2.5, 0.0):
            await passed(watcher, away)
            camera.touch()
            begun, before = watcher.clock.now(), len(watcher.reports)
            await passing(watcher, lambda before=before: len(watcher.reports) > before)  # type: ignore[misc]
            took.append(watcher.clock.now() - begun)
            camera.unlink()
            await eventually(lambda: worker.pid is None)

    watcher = run(tmp_path, scenario, "camera", str(camera))
    assert max(took) < 2.0, took
    assert watcher.starts < 20, "and nothing spins"


@pytest.mark.quick(1)
@pytest.mark.parametrize("mode", ["die-after", "blind-after"])
def test_only_one_that_saw_for_long_is_back_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: str) -> None:
    monkeypatch.setattr(vision_supervisor, "STEADY_S", 0.5)

    async def scenario(worker: VisionWorker, watcher: Listening) -> None:
        seen = watcher.on_report

        def slowly(report: Report) -> None:
            seen(report)
            watcher.clock.at += 0.2

        watcher.on_report = slowly  # type: ignore[method-assign]
        await passing(watcher, lambda: len(pauses(watcher)) == 1)

    (pause,) = pauses(run(tmp_path, scenario, mode, "8"))
    shortest, longer, *_ = vision_supervisor.BACKOFF_S
    assert shortest <= pause < longer if mode == "die-after" else longer <= pause < 2 * longer


def test_what_nobody_expected_of_a_report_is_logged_by_its_place_alone_and_a_worker_is_started_anew(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def scenario(worker: VisionWorker, watcher: Listening) -> None:
        def break_(report: Report) -> None:
            raise KeyError("crown, face down")

        watcher.on_report = break_  # type: ignore[method-assign]
        await eventually(lambda: bool(said(caplog)))

    run(tmp_path, scenario)
    assert "is given up: KeyError at test_vision_worker.py:" in caplog.text
    assert "crown" not in caplog.text


def test_one_that_not_even_a_kill_ends_holds_up_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """As a process is that waits for a device in the kernel."""
    monkeypatch.setattr(vision_supervisor, "QUIT_S", 0.02)

    class Stuck:
        returncode, killed = None, False

        async def wait(self) -> int:
            await asyncio.Event().wait()
            return 0

        def kill(self) -> None:
            self.killed = True

    async def main() -> Stuck:
        with zmq.asyncio.Context() as context:
            child, stuck = vision_supervisor._Child(1, context, runtime_dir(tmp_path / "run")), Stuck()
            await child.start(lambda _address: ["/bin/sleep", "9"])
            assert child._process is not None
            child._process.kill()
            child._process = stuck  # type: ignore[assignment]
            await asyncio.wait_for(child.end(), 30)
        return stuck

    assert asyncio.run(main()).killed
    assert "cannot even be killed" in caplog.text


def test_what_it_says_that_is_no_message_is_dropped(tmp_path: Path) -> None:
    async def scenario(worker: VisionWorker, watcher: Listening) -> None:
        await eventually(lambda: len(watcher.reports) > 3)
        assert worker._inbox.dropped["undecodable"] >= 3

    run(tmp_path, scenario, "garbage")


def test_messages_reach_the_worker_also_before_it_has_connected(tmp_path: Path) -> None:
    pictures: list[Picture] = []
    rests: list[RestPicture] = []

    async def main() -> None:
        watcher = Listening()
        worker = VisionWorker(
            lambda address: [sys.executable, str(SCRIPT), address],
            tmp_path / "run",
            pictures=pictures.append,
            kept=rests.append,
        )
        watcher.worker_started = lambda: worker.send(Rebase())  # type: ignore[method-assign]
        running = asyncio.ensure_future(worker.run(watcher))
        await eventually(lambda: bool(rests))
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    asyncio.run(main())
    assert (pictures[0].jpeg, rests[0].jpeg) == (b"told", b"kept")


@pytest.mark.thorough
def test_while_the_camera_is_lent_no_worker_lives_and_afterwards_a_new_one_does(tmp_path: Path) -> None:
    async def scenario(worker: VisionWorker, watcher: Listening) -> None:
        await eventually(lambda: len(watcher.reports) > 3)
        watcher.clock.passes = True
        for starts in (1, 2):
            async with worker.lend_camera():
                assert worker.pid is None
                assert "The owner is using" in str(watcher.told[-1])
                count = len(watcher.reports)
                await passed(watcher, 3.0)
                watcher.clock.passes = True
                assert (len(watcher.reports), watcher.starts) == (count, starts)
            await eventually(lambda count=count: len(watcher.reports) > count)  # type: ignore[misc]
            assert watcher.starts == starts + 1
        assert str(GONE) not in watcher.told, "nobody is alarmed by what was wished"

    run(tmp_path, scenario)


@pytest.mark.thorough
def test_a_camera_whose_worker_keeps_failing_can_be_lent_at_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def scenario(worker: VisionWorker, watcher: Listening) -> None:
        await passing(watcher, lambda: len(said(caplog)) == 3)
        at, watcher.clock.passes = watcher.clock.now(), True
        async with worker.lend_camera():
            assert worker.pid is None
            assert watcher.clock.now() - at < 1.0 < said(caplog)[2]

    run(tmp_path, scenario, "die-after", "0")
