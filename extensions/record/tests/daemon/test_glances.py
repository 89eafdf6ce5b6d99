"""When a glance is news, and when it was made."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import msgspec

from device.bus.endpoints import socket_path
from device.bus.framing import HEAD
from device.clock import WallTime
from device.daemon.core import Core
from device.session.state import SetupPage
from engine.text import Text
from extensions.record.tests.daemon.test_public_socket import Hurried, frame, run, serving, until
from referee_record.daemon.glances import Glances
from referee_record.daemon.public_socket import NAME
from referee_record.listening import frames
from referee_record.public_frames import FRAME, Glance
from tests.device.session import stages

replace = msgspec.structs.replace


class Hall:
    """A table with a running clock, of which the time of day, the session and what is wrong are a test's to change."""

    def __init__(self) -> None:
        session = stages.session(stages.entries("tellstones", 1, 3))
        self.core = SimpleNamespace(table=stages.table(), session=session, match="7" * 32)
        self.wall, self.wrong = WallTime(1000.5, True), tuple[Text, ...]()
        self.glances = Glances(cast("Core", self.core), lambda: self.wall, lambda: self.wrong)

    def look(self, at: float, anew: bool = False) -> Glance | None:
        frame = self.glances.look(at, anew)
        return msgspec.json.decode(frame[HEAD:], type=FRAME) if frame else None


def test_what_has_not_changed_is_no_news_though_a_clock_runs() -> None:
    hall = Hall()
    first = hall.look(10.0)
    assert first is not None
    assert any(clock.runs for clock in first.clocks)
    hall.core.session = replace(hall.core.session, now=hall.core.session.now + 5.0)
    assert hall.look(15.0) is None
    again = hall.look(20.0, anew=True)
    assert again is not None
    gone = {one.left_s - two.left_s for one, two in zip(first.clocks, again.clocks, strict=True) if one.runs}
    assert gone == {10.0}


def test_what_becomes_wrong_with_the_table_is_news() -> None:
    hall = Hall()
    hall.look(10.0)
    hall.wrong = (Text("The disk is nearly full."),)
    found = hall.look(10.25)
    assert found is not None
    assert found.needs == "The disk is nearly full."
    hall.wrong = ()
    assert hall.look(10.5) is not None


def test_its_time_is_told_only_of_a_clock_that_was_set() -> None:
    hall = Hall()
    found = hall.look(10.0)
    assert found is not None
    assert found.at == 1000.5
    hall.wall = WallTime(1001.0, False)
    unset = hall.look(11.0, anew=True)
    assert unset is not None
    assert unset.at is None


def test_how_a_match_looked_last_is_known_while_the_next_one_is_set_up() -> None:
    hall = Hall()
    assert hall.glances.last_frame() == b""
    frame = hall.glances.look(10.0, False)
    hall.core.session, hall.core.match = stages.set_up(SetupPage.LANGUAGE, "tellstones"), ""
    assert hall.glances.look(11.0, False) != b""
    assert hall.glances.last_frame() == frame


def test_who_comes_late_is_told_the_result_of_the_match_before_though_nobody_read_while_it_was_played(
    tmp_path: Path,
) -> None:
    hall = Hall()

    async def scenario() -> None:
        async with serving(tmp_path, Hurried()) as made:
            path = socket_path(tmp_path / "public", NAME)
            made.look(hall.glances.look, hall.glances.last_frame)
            made.begin((frame("first"),), frame("stands"))
            reading = frames(path)
            await asyncio.wait_for(anext(reading), 60)
            await reading.aclose()
            await until(lambda: made.readers == 0)
            made.begin((frame("second"),), frame("stands"))
            for moment in (3, 1000):
                hall.core.session = stages.session(stages.entries("tellstones", 1, moment))
                hall.core.match, before = "8" * 32, hall.glances.last_frame()
                made.on_step()
                async with asyncio.timeout(5):
                    while hall.glances.last_frame() == before:
                        await asyncio.sleep(0.01)
            made.begin((frame("third"),), frame("stands"))
            reading = frames(path)
            said = [await asyncio.wait_for(anext(reading), 60) for _ in range(2)]
            looked = msgspec.json.decode(said[1], type=FRAME)
            assert isinstance(looked, Glance)
            assert (looked.match, bool(looked.result), bool(looked.winners)) == ("8" * 32, True, True)

    run(scenario)
