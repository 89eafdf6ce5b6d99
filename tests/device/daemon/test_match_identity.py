"""What a match is known by: who it is, when and where it was played, and how it ended."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from device import clock
from device.clock import WallTime, wall_time
from device.daemon.core import Core, Store
from device.daemon.match_identity import Identity, simulated_chance
from device.journal import Archive, Journal
from device.key_gestures import Button, Gesture, Key
from tests.commands import app
from tests.device.daemon.test_core import Room

BEGUN = 1_795_000_000.0


class Wall:
    """The time of day at a table."""

    def __init__(self, *, known: bool) -> None:
        self.at, self.known = BEGUN, known

    def __call__(self) -> WallTime:
        return WallTime(self.at, self.known)


def room(folder: Path, wall: Wall | None) -> Room:
    made = Room(folder)
    identity = Identity(iter(range(7, 99)).__next__, wall, "The round table")
    made.core = Core(made.table, Store(made.journal), simulated_chance(6, identity), made, now=lambda: made.now)
    return made


def resigned(made: Room, seat: str) -> None:
    """Through the menu."""
    made.core.take(Key(seat, Button.CHOOSE, Gesture.LONG, made.now))
    while "Resign" not in str(made.screen(seat).menu.items[made.screen(seat).menu.cursor]):
        made.press(seat, "next")
    made.press(seat, "choose", "next", "choose")


def listed(path: Path) -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads(
        CliRunner().invoke(app, ["journal", "list", "--json", "-j", str(path)]).stdout
    )["matches"]
    return found


def test_a_match_has_an_identity_and_at_its_end_a_result(tmp_path: Path) -> None:
    wall = Wall(known=True)
    made = room(tmp_path, wall)
    made.begin()
    about = made.journal.about(1)
    assert (about.id, about.begun, about.clock_set, about.table, about.names) == (
        "00000000000040008000000000000007", BEGUN, True, "The round table", {},
    )  # fmt: skip
    assert about.ended is None
    assert made.core.begun == BEGUN
    made.now += 60.0
    wall.at += 60.0
    resigned(made, "a")
    ended = made.journal.about(1).ended
    assert ended is not None
    assert (ended.winners, ended.at, ended.clock_set) == (("b",), BEGUN + 60.0, True)
    assert ended.seconds >= 60.0
    assert ended.result == str(made.play.match.result.text)
    made.journal.close()
    (match,) = listed(made.path)
    assert match["begun"] == "2026-11-18T11:06:40+00:00"
    assert (match["result"], match["going_on"], match["table"]) == (ended.result, True, "The round table")
    said = CliRunner().invoke(app, ["journal", "list", "-j", str(made.path)], env={"TZ": "UTC"}).stdout
    assert "The round table" in said
    assert ended.result in said
    assert "(not finished)" not in said


def test_of_a_clock_that_nobody_had_set_the_list_says_so(tmp_path: Path) -> None:
    made = room(tmp_path, Wall(known=False))
    made.begin()
    made.journal.close()
    said = CliRunner().invoke(app, ["journal", "list", "-j", str(made.path)]).stdout
    assert "by a clock that nobody had set" in said


def test_a_clock_that_is_set_meanwhile_dates_the_match_from_its_end(tmp_path: Path) -> None:
    wall = Wall(known=False)
    made = room(tmp_path, wall)
    made.begin()
    made.now += 100.0
    wall.known, wall.at = True, BEGUN + 1_000_000.0
    resigned(made, "b")
    seconds = made.journal.about(1).ended.seconds
    made.journal.close()
    (match,) = listed(made.path)
    assert match["about"] is match["clock_set"] is True
    assert abs(seconds - 100.0) < 30.0
    assert str(match["begun"]).startswith("2026-11-30T")


def test_without_a_clock_a_match_is_undated_and_follows_from_its_seed(tmp_path: Path) -> None:
    ids = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        made = Room(tmp_path / name)
        made.begin()
        ids.append(made.journal.about(1).id)
        made.journal.close()
        assert made.journal.about(1).begun is None
    assert ids[0] == ids[1]
    assert len(ids[0]) == 32


def test_an_identity_outlasts_power_off(tmp_path: Path) -> None:
    made = room(tmp_path, Wall(known=True))
    made.begin()
    before = made.journal.about(1)
    made.journal.close()
    with Archive(made.path) as archive:
        assert archive.about(1) == before
    with Journal(made.path) as journal:
        assert journal.about(1) == before


def test_the_clock_counts_as_set_once_the_network_set_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "SYNCHRONIZED", tmp_path / "synchronized")
    monkeypatch.setattr(clock, "_kernel_says_so", lambda: False)
    assert not wall_time().set
    (tmp_path / "synchronized").touch()
    assert wall_time().set
    monkeypatch.undo()
    assert wall_time().at > 1_700_000_000.0
