"""What the hall sees at a glance: what the table's own page shows, less of it, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from device.screens.page_view import PageView, wire
from device.session import names
from device.session.alerts import raise_alert
from device.session.matches import LiveMatch, record
from device.session.messages import NameGiven, Silence, Tick
from device.session.names import NAME_PAGES
from device.session.page_views import sheet
from device.session.state import Person, Play, Session, Setup, SetupPage
from device.session.step import step
from device.session.table import Table
from engine.entry import Pause
from engine.table import Seat
from engine.text import Text, seat_of
from referee_record.daemon import glances
from referee_record.daemon.glances import summarise
from referee_record.public_frames import Glance
from tests.device.session import leaks, stages
from tests.device.session.stages import GAMES, table
from tests.device.session.twins import compared

replace = msgspec.structs.replace
MATCH = "7" * 32
PAIRS = 120


def seen(session: Session, *wrong: Text) -> Glance:
    return summarise(table(), session, MATCH, session.now, wrong)


def playing(game: str = "tellstones", count: int = 3) -> tuple[Session, Play]:
    session = stages.session(stages.entries(game, 1, count))
    assert isinstance(session.stage, Play)
    return session, session.stage


@pytest.mark.thorough
@pytest.mark.parametrize("game", GAMES)
def test_it_says_what_the_tables_page_says(game: str) -> None:
    for _, session in stages.stages(game):
        page, found = wire(sheet(table(), session, None), "en"), seen(session)
        assert found.game == page["heading"]
        assert found.status == (page["status"] or page["wanted"] or "")
        if isinstance(session.stage, Play):
            assert found.match == MATCH
            seats = [(each["seat"], each["side"] or "", each["turn"]) for each in page["players"]]
            assert [(each.seat, each.side, each.turn) for each in found.seats] == seats
            counted = [each for each in page["panels"] if each["kind"] in ("score", "gauge")]
            assert [each.of for each in found.scores] == [each["label"] for each in counted]
        else:
            assert (found.match, found.seats) == ("", ())


def test_a_running_clock_says_what_is_left_when_it_is_looked_at() -> None:
    session, play = playing()
    found = seen(replace(session, now=100.0))
    (runs,) = (each for each in found.clocks if each.runs)
    (stands,) = (each for each in found.clocks if not each.runs)
    assert (runs.seat in play.clocks.running, stands.seat in play.clocks.running) == (True, False)
    later = seen(replace(session, now=130.5))
    assert [each.left_s for each in later.clocks if each.runs] == [pytest.approx(runs.left_s - 30.5)]
    assert all(each.left_s == 0.0 for each in seen(replace(session, now=1e6)).clocks if each.runs)


def test_a_name_is_told_only_if_its_owner_agreed() -> None:
    session, play = playing()
    people = {"a": Person("Anna", leaves=True), "b": Person("Boris")}
    found = seen(replace(session, stage=replace(play, people=people)))
    assert found.seats[0].name == "Anna"
    assert b"Boris" not in msgspec.json.encode(found)
    waiting = stages.set_up(SetupPage.OPTIONS, "tellstones")
    guests = replace(waiting, stage=replace(waiting.stage, people=people))
    assert b"Boris" not in msgspec.json.encode(seen(guests))


@pytest.mark.parametrize("page", sorted(NAME_PAGES))
def test_while_names_are_asked_it_says_only_that(page: SetupPage) -> None:
    remembered = (Person("Anna", leaves=True), Person("Boris"))
    asking = replace(stages.set_up(SetupPage.NAMES, "tellstones"), people=remembered)
    assert isinstance(asking.stage, Setup)
    twins = (
        replace(asking.stage, page=page, asked="a", spelt="Anna"),
        replace(asking.stage, page=page, asked="b", spelt="Bo", letters="RSTUV"),
        replace(asking.stage, page=page, asked="a", spelt="", alert=names.TAKEN),
    )
    said = {msgspec.json.encode(seen(replace(asking, stage=stage))) for stage in twins}
    assert len(said) == 1, said
    assert seen(asking).status == "Choose at a seat: Who is playing?"
    assert seen(asking).needs == ""


@pytest.mark.parametrize("text", ["Anna", "anna", "a", "x" * 13])
def test_a_name_that_is_refused_by_phone_is_not_told_of(text: str) -> None:
    """Whatever the set-up asks then: that it is refused says something of a name that nobody agreed to tell."""
    asking = stages.set_up(SetupPage.OPTIONS, "tellstones")
    asking = replace(asking, stage=replace(asking.stage, people={"a": Person("Anna", leaves=True)}))
    refused, _ = step(table(), asking, NameGiven(asking.now, "b", text))
    assert isinstance(refused.stage, Setup)
    assert refused.stage.alert in names.REFUSALS
    assert seen(refused) == seen(asking)


def test_what_is_wrong_at_power_on_is_told_before_a_match() -> None:
    asking = stages.set_up(SetupPage.OPTIONS, "tellstones")
    assert seen(replace(asking, stage=replace(asking.stage, alert=Text("It is spoiled.")))).needs == "It is spoiled."


def test_a_name_that_is_given_step_by_step_leaves_only_once_its_owner_agreed() -> None:
    found, told = stages.set_up(SetupPage.NAMES, "tellstones"), set[bytes]()
    for wanted in (seat_of("a"), "A new name", "F G H I J", "F", "Done"):
        found = answered(found, str(wanted))
        told.add(msgspec.json.encode(seen(found)))
    assert isinstance(found.stage, Setup)
    assert (found.stage.page, found.stage.spelt, len(told)) == (SetupPage.CONSENT, "F", 1)


def answered(session: Session, wanted: str) -> Session:
    """The session after that answer of its page."""
    assert isinstance(session.stage, Setup)
    texts = [str(item.text) for item in names.items(session, session.stage)]
    return names.follow_answer(session, session.stage, texts.index(wanted))


def alerted(session: Session, play: Play) -> Session:
    return raise_alert(LiveMatch(table(), session), (Text("Put it back."),)).session


def attempted(session: Session, play: Play) -> Session:
    texts = (Text("Put it back."),)
    return raise_alert(LiveMatch(table(), session), texts, texts, frozenset("a")).session


NEEDS: dict[str, tuple[Callable[[Session, Play], Session], str]] = {
    "nothing": (lambda session, _: session, ""),
    "alert": (alerted, "Put it back."),
    "attempt": (attempted, ""),
    "disk": (lambda session, _: replace(session, unsaved=Text("Not saved.")), "Not saved."),
    "refused": (lambda session, play: replace(alerted(session, play), unkept=Text("Full.")), "Full."),
}


@pytest.mark.parametrize("case", NEEDS)
def test_it_says_what_the_table_needs_a_person_for(case: str) -> None:
    change, told = NEEDS[case]
    assert seen(change(*playing())).needs == told


def test_what_is_wrong_with_the_table_comes_before_what_the_players_see() -> None:
    session, play = playing()
    assert seen(alerted(session, play), Text("A display is away.")).needs == "A display is away."


def test_a_match_that_is_paused_and_one_that_is_over_say_so() -> None:
    session, play = playing()
    assert not seen(session).paused
    assert seen(replace(session, stage=record(play, (Pause(play.match.at + 1.0, True),)))).paused
    over = [found for found in (seen(each) for _, each in stages.stages("tellstones")) if found.result]
    assert over
    assert all(found.status == "The match is over." for found in over)


def test_of_a_camera_it_says_how_it_is() -> None:
    session, _ = playing()
    assert seen(session).camera == "none", "this table has none"
    watched = replace(table(), camera=True)
    assert summarise(watched, session, MATCH, 0.0).camera == session.health.value
    silent, _ = step(watched, session, Silence(session.now, Text("It does not answer.")))
    assert summarise(watched, silent, MATCH, 0.0).camera == "silent"
    assert summarise(watched, silent, MATCH, 0.0).needs == "It does not answer."


def test_a_step_that_changes_nothing_changes_no_glance() -> None:
    session, _ = playing()
    later, _ = step(table(), session, Tick(session.now + 1.0))
    assert summarise(table(), later, MATCH, 0.0) == summarise(table(), session, MATCH, 0.0)


def hall(session: Session, _audience: Seat | None, _language: str) -> dict[str, Any]:
    """As it is told at one moment, whenever the last step was."""
    return msgspec.to_builtins(summarise(table(), session, MATCH, 0.0))  # type: ignore[no-any-return]


@pytest.mark.thorough
def test_what_somebody_must_not_know_changes_no_byte_of_it() -> None:
    found = list(compared("glance", PAIRS, hall))
    assert [game for game, _, differ in found if differ] == []
    assert sum(pair.left.stage.match.state != pair.right.stage.match.state for _, pair, _ in found) > PAIRS / 4


LEAKS = (
    leaks.sealed_told_early,
    leaks.refusals_of_others,
    leaks.refusals_at_buttons,
    leaks.busy_elsewhere,
    leaks.order_told_to_all,
    leaks.clocks_read_at_each_step,
    leaks.time_of_the_last_step,
    leaks.secrets_in_the_names,
)
"""Those into fields of a sheet that a glance is made of."""


@pytest.mark.parametrize("leak", LEAKS, ids=lambda leak: leak.__name__)
def test_a_leak_into_the_sheet_is_found_in_it(leak: leaks.Leak, monkeypatch: pytest.MonkeyPatch) -> None:
    def leaking(known: Table, session: Session, audience: Seat | None) -> PageView:
        assert isinstance(session.stage, Play)
        return leak(sheet(known, session, audience), session, session.stage, audience)

    monkeypatch.setattr(glances, "sheet", leaking)
    assert any(differ for *_, differ in compared("leaks", 8 * PAIRS, hall))
