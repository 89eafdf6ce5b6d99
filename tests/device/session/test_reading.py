"""What to do comes first, its reason behind NEXT; what to put back is said; a slow camera is no alarm."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from device.session.alerts import raised
from engine.table import Health
from engine.text import say
from tests.device.session.conftest import Mat, Seated
from vision.link import Report

BACK, REASON = say("Put it back."), say("To an end only.")


def report(table: Seated, health: Health) -> None:
    table.now += 1.0
    table.give(Report(0, table.now, False, health))


def test_next_turns_to_the_reason_and_the_alert_stands(seated: Callable[..., Seated]) -> None:
    table = seated()
    table.start()
    table.session = replace(table.session, stage=raised(table.session, table.play, (BACK, REASON)))
    assert (table.screen("b").alert, table.screen("b").leaf) == (BACK, 0)
    table.press("b", "next")
    assert (table.screen("b").alert, table.screen("b").leaf) == (BACK, 1)
    assert "why" in str(table.screen("b").turns)
    table.press("b", "choose")
    assert table.screen("b").alert is None


def test_an_alert_is_read_from_its_beginning(seated: Callable[..., Seated]) -> None:
    table = seated()
    table.start()
    table.press("b", "back", "back")
    assert table.screen("b").leaf == 2
    table.session = replace(table.session, stage=raised(table.session, table.play, (BACK, REASON)))
    assert table.screen("b").leaf == 0


@pytest.mark.parametrize(
    ("ordered", "told"),
    [
        (("Place", "Crown", "Left end"), ("Take away what lies here: place 1 of line.", "Put crown in pool.")),
        (("Hide: 1: Scales",), ("Turn face up: place 1 of line.",)),
    ],
)
def test_after_a_take_back_it_says_what_to_put_back(
    seated: Callable[..., Seated], ordered: tuple[str, ...], told: tuple[str, ...]
) -> None:
    table = seated()
    table.start(first_stone="scales")
    table.act("a", *ordered)
    table.long("a")
    table.pick("a", "Take back")
    table.pick("b", "Agree")
    alert = [str(text) for text in table.play.alert]
    assert set(told) <= set(alert), alert
    assert table.screen("b").alert == table.play.alert[0]
    table.now += 60.0
    table.press("b", "choose")
    assert table.screen("b").alert is None


def test_a_slow_camera_is_not_called_gone(begun: tuple[Seated, Mat], seated: Callable[..., Seated]) -> None:
    table = seated(camera=True)
    table.start()
    report(table, Health.NO_FRAMES)
    assert "The camera is gone" not in table.text("a")
    assert "No picture from the camera yet" in table.text("a")
    seen, lying = begun
    seen.see(lying.observe(0.0))
    report(seen, Health.NO_FRAMES)
    assert "The camera is gone" in seen.text("a")
