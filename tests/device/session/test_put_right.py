"""Put right, and the camera does not see it: whoever sits there says so at the buttons, and play goes on."""

from __future__ import annotations

import msgspec
import pytest

from device import games
from device.session.messages import Restarted, Tick
from device.session.table import Table
from engine.entry import Act, Flag, Restored
from engine.table import Observation, Sight
from tests.device.session.conftest import Mat, Seated, tellstones

RIGHT = "Everything is back in place"
SEES = "The camera sees hammer at place 1 of line."


def misread(seen: Observation, kind: str = "hammer") -> Observation:
    """The first stone of the line, taken for another."""
    line, *rest = seen.zones
    first, *others = line.pieces
    assert first is not None
    wrong = msgspec.structs.replace(first, kind=kind)
    return msgspec.structs.replace(seen, zones=(msgspec.structs.replace(line, pieces=(wrong, *others)), *rest))


@pytest.fixture
def misseen(begun: tuple[Seated, Mat]) -> tuple[Seated, Mat]:
    """The Scales were laid, and are read as the hammer from then on."""
    table, lying = begun
    look(table, misread(lying.observe(0.0)))
    assert table.play.case.disorder
    return table, lying


def look(table: Seated, seen: Observation) -> None:
    """The table is seen so, and time goes on."""
    table.see(seen)
    table.now += 10.0
    table.give(Tick(table.now))


def menu(table: Seated, seat: str) -> list[str]:
    table.long(seat)
    shown = table.screen(seat).menu
    assert shown is not None
    return [str(item) for item in shown.items]


def test_a_flag_that_is_only_noted_puts_nothing_right() -> None:
    mats = games.mats(["tellstones"])
    table = Seated(Table(("a", "b"), {"tellstones": tellstones()}, screen=True, camera=True, mats=mats))
    table.start(clock="60 s a move, no loss on time", first_stone="scales")
    lying = Mat(table.layout())
    table.see(lying.observe(0.0))
    look(table, misread(lying.observe(0.0)))
    table.long("b")
    table.pick("b", "Offer a draw")
    said = table.play.alert
    assert table.play.case.disorder
    table.now += 60.0
    table.give(Tick(table.now))
    assert isinstance(table.entries[-1], Flag)
    assert table.play.case.disorder
    assert table.play.alert == said
    assert table.play.proposal is not None


def test_a_seat_says_so_and_play_goes_on(misseen: tuple[Seated, Mat]) -> None:
    table, lying = misseen
    assert RIGHT in menu(table, "b")
    table.pick("b", RIGHT)
    assert table.entries[-1] == Restored(table.entries[-1].at, "b")
    assert table.alert("a") == table.alert("b") == "B: everything is put right."
    look(table, misread(lying.observe(0.0)))
    assert not table.play.case.disorder
    lying.do(table.trace("a", ("place", "sword", "right")))
    table.see(misread(lying.observe(0.0, frozenset("b"))))
    assert isinstance(table.entries[-1], Act)
    assert RIGHT not in menu(table, "a")


def test_the_tables_display_goes_on_saying_what_the_camera_sees(misseen: tuple[Seated, Mat]) -> None:
    table, lying = misseen
    table.long("a")
    table.pick("a", RIGHT)
    look(table, misread(lying.observe(0.0)))
    assert SEES in table.text("table")
    assert SEES not in table.text("a")
    look(table, lying.observe(0.0))
    assert SEES not in table.text("table")
    assert table.play.case.overruled == ()
    look(table, misread(lying.observe(0.0)))
    assert table.play.case.disorder, "it was seen right, and lies wrong again"


def test_another_look_is_no_longer_covered_by_the_word(misseen: tuple[Seated, Mat]) -> None:
    table, lying = misseen
    table.long("a")
    table.pick("a", RIGHT)
    look(table, misread(lying.observe(0.0), "sword"))
    assert table.play.case.disorder


def test_what_was_refused_is_not_done_by_it(misseen: tuple[Seated, Mat]) -> None:
    table, lying = misseen
    before = table.match.state
    lying.do(table.trace("a", ("place", "sword", "right")))
    look(table, misread(lying.observe(0.0)))
    table.long("a")
    table.pick("a", RIGHT)
    assert table.match.state == before
    look(table, misread(lying.observe(0.0)))
    assert not any(isinstance(entry, Act) for entry in table.entries)


def test_nothing_is_offered_while_all_is_well(begun: tuple[Seated, Mat]) -> None:
    table, _ = begun
    assert RIGHT not in menu(table, "a")


def test_how_to_say_so_is_shown_once_something_was_done_about_it(misseen: tuple[Seated, Mat]) -> None:
    table, lying = misseen
    assert "Hold CHOOSE" not in table.text("a")
    look(table, misread(lying.observe(0.0)))
    assert "All back in place? Hold CHOOSE." in table.text("a")


def test_what_is_missing_or_cannot_be_told_is_not_said_to_lie_there(misseen: tuple[Seated, Mat]) -> None:
    table, lying = misseen
    seen = misread(lying.observe(0.0))
    line, *rest = seen.zones
    (first,) = line.pieces
    assert first is not None
    dim = msgspec.structs.replace(first, sight=Sight.UNKNOWN, kind=None, face=None)
    table.see(msgspec.structs.replace(seen, zones=(msgspec.structs.replace(line, pieces=(dim,)), *rest)))
    if table.play.case.disorder:
        table.long("a")
        table.pick("a", RIGHT)
    assert table.play.case.overruled == ()


def test_a_new_worker_knows_other_tracks(misseen: tuple[Seated, Mat]) -> None:
    table, _ = misseen
    table.long("a")
    table.pick("a", RIGHT)
    table.give(Restarted(table.now))
    assert table.play.case.overruled == ()


def test_what_is_put_back_and_covered_is_put_back(misseen: tuple[Seated, Mat]) -> None:
    """Something lies there, and nothing of it is plainly another: nobody has to say it."""
    table, lying = misseen
    line, *rest = lying.observe(0.0).zones
    (first,) = line.pieces
    assert first is not None
    dim = msgspec.structs.replace(first, track=99, sight=Sight.UNKNOWN, kind=None, face=None)
    seen = lying.observe(0.0)
    table.see(msgspec.structs.replace(seen, zones=(msgspec.structs.replace(line, pieces=(dim,)), *rest)))
    assert not table.play.case.disorder


def test_a_thing_told_twice_in_one_place_is_one(begun: tuple[Seated, Mat]) -> None:
    """What was turned over lies there, and the camera still tells it as it lay."""
    table, lying = begun
    seen = lying.observe(0.0)
    line, *rest = seen.zones
    (first,) = line.pieces
    assert first is not None
    anew = msgspec.structs.replace(first, track=99, x_mm=first.x_mm + 2.0)
    look(table, msgspec.structs.replace(seen, zones=(msgspec.structs.replace(line, pieces=(anew, first)), *rest)))
    assert not table.play.case.disorder
    assert table.play.case.question is not None
