"""What to do comes first, its reason behind NEXT; what to put back is said; a slow camera is no alarm."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from device.session.alerts import raise_alert
from device.session.check import GONE, STARTING
from device.session.matches import LiveMatch
from device.session.messages import Silence
from device.session.page_views import sheet
from device.session.tapping import answers
from engine.table import Health
from engine.text import say
from engine.view import Line
from tests.device.session.conftest import Mat, Seated
from vision.messages import Report

BACK, REASON = say("Put it back."), say("To an end only.")


def report(table: Seated, health: Health) -> None:
    table.now += 1.0
    table.give(Report(0, table.now, False, health))


def test_next_turns_to_the_reason_and_the_alert_stands(seated: Callable[..., Seated]) -> None:
    table = seated()
    table.start()
    table.session = raise_alert(LiveMatch(table.table, table.session), (BACK, REASON)).session
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
    table.session = raise_alert(LiveMatch(table.table, table.session), (BACK, REASON)).session
    assert table.screen("b").leaf == 0


@pytest.mark.parametrize(
    ("ordered", "told"),
    [
        (("Place", "Crown", "left end"), ("Clear place 1 of line.", "Put crown in pool.")),
        (("Hide the Scales (place 1)",), ("Turn place 1 of line face up.",)),
    ],
)
def test_after_a_take_back_it_says_what_to_put_back(
    seated: Callable[..., Seated], ordered: tuple[str, ...], told: tuple[str, ...]
) -> None:
    table = seated()
    table.start(first_stone="scales")
    table.act("a", *ordered)
    table.long("a")
    table.pick("a", "Undo")
    table.pick("b", "Agree")
    alert = [str(text) for text in table.play.alert]
    assert set(told) <= set(alert), alert
    assert table.screen("b").alert == table.play.alert[0]
    table.now += 60.0
    table.press("b", "choose")
    assert table.screen("b").alert is None


def test_one_sentence_says_everywhere_that_the_camera_sends_nothing(
    begun: tuple[Seated, Mat], seated: Callable[..., Seated]
) -> None:
    """Whether it was never there, was unplugged, or hangs while its worker is started again and again."""

    def says(table: Seated) -> None:
        assert str(GONE) in table.text("a")
        for audience in ("a", None):
            shown = sheet(table.table, table.session, audience)
            assert (shown.alert, shown.lacks) == ((GONE,), ()), audience

    slow = seated(camera=True)
    slow.start()
    report(slow, Health.NO_FRAMES)
    says(slow)
    seen, lying = begun
    seen.see(lying.observe(0.0))
    report(seen, Health.NO_FRAMES)
    says(seen)
    for text, starting in ((GONE, False), (STARTING, True), (say("The camera is getting ready: 1 of 4"), True)):
        seen.give(Silence(seen.now, text, starting))
        says(seen)
    report(seen, Health.OK)
    assert str(GONE) not in seen.text("a")


def test_a_camera_that_gets_ready_is_no_alarm(begun: tuple[Seated, Mat]) -> None:
    seen, lying = begun
    seen.see(lying.observe(0.0))
    seen.give(Silence(seen.now, STARTING, starting=True))
    shown = sheet(seen.table, seen.session, "a")
    assert (shown.alert, shown.lacks) == ((), (STARTING,))
    assert not any(isinstance(line, Line) and line.strong for line in seen.screen("a").panels)


def test_at_the_virtual_table_a_match_waits_until_the_camera_is_ready(seated: Callable[..., Seated]) -> None:
    def offered(*, simulated: bool) -> list[tuple[str, ...]]:
        table = seated(camera=True)
        table.table = replace(table.table, simulated=simulated)
        table.pick("a", "English", "Continue", "No clock", "Continue")
        found = []
        for given in (
            Silence(table.now, STARTING, starting=True),
            Silence(table.now, say("The camera is getting ready: 24 of 34"), starting=True),
            Report(1, table.now, False, Health.OK, None),
            Silence(table.now, GONE),
        ):
            table.give(given)
            lines = tuple(map(str, answers(table.table, table.session, "a").texts))
            prompt = table.screen("a").prompt
            assert str(prompt) == (f"CHOOSE: {lines[0]}" if lines else "None")
            found.append(lines)
            if not lines:
                table.press("a", "choose")
                assert not table.entries
        return found

    anyway = ("Start anyway",)
    assert offered(simulated=True) == [(), (), (), anyway]
    assert offered(simulated=False) == [anyway] * 4


def test_a_page_draws_what_was_seen_until_the_table_is_as_the_match_believes(begun: tuple[Seated, Mat]) -> None:
    table, lying = begun
    table.see(lying.observe(0.0))

    def crown() -> list[tuple[str, int]]:
        (board, own) = (sheet(table.table, table.session, audience).board for audience in (None, "a"))
        assert board is not None
        assert board == own
        return [(piece.zone, piece.index) for piece in board.pieces if piece.kind == "crown"]

    (pool,) = crown()
    table.act("a", "Place", "Crown", "left end")
    assert table.match.pending is not None
    assert crown() == [pool], "no hand has moved it yet"
    lying.do(table.match.pending.trace)
    table.see(lying.observe(0.0, frozenset("b")))
    assert table.match.pending is None
    assert crown() == [("line", 0)]
