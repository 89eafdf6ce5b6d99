"""The owner looks after the table at its buttons: the page shows the step that it is given, and phones have no part."""

from __future__ import annotations

from functools import cache

import msgspec
import pytest

from device.key_gestures import Button, Gesture, Key
from device.locale import LANGUAGES
from device.owner import upkeep
from device.owner.context import Facts, KnownItem
from device.owner.start_page import LISTED, first_run, home
from device.owner.steps import GO_ON, Notice, Task, TaskStep
from device.screens.render import fits
from device.session import maintenance, setup, tapping
from device.session.messages import Effect, Joined, Keep, LanguageChosen, MaintenanceShown, Tap, Tend
from device.session.page_views import sheet
from device.session.screens import screen
from device.session.state import Session, Setup, SetupPage
from device.session.step import step
from device.session.table import Table
from device.settings import load, template
from device.settings.owner_settings import OwnedSetting, settings_of
from device.settings.table import Value
from engine.text import Text, say
from referee_record.public_key import in_groups, qr_text
from tests.device.session.conftest import tellstones

STEP = TaskStep(
    say("Check the table"), say("Needs your attention:"), remarks=(say("Clock"),), choices=(say("Continue"),)
)
OTHER = msgspec.structs.replace(STEP, now=say("Current status:"), choices=(say("Back"), say("Later")))


@pytest.fixture
def table() -> Table:
    return Table(("a",), {"tellstones": tellstones()}, pages=True, screen=True, maintenance=True)


def begun(table: Table) -> Session:
    session = Session(Setup(), 0.0, 1, "en")
    return step(table, session, Joined("b", 0.1))[0]


def pressed(table: Table, session: Session, button: Button) -> tuple[Session, tuple[Effect, ...]]:
    at = session.now + 5.0
    session, _ = step(table, session, Key("a", button, Gesture.DOWN, at))
    return step(table, session, Key("a", button, Gesture.PRESS, at + 0.1))


def opened(table: Table) -> Session:
    """The page is open, and shows its first step."""
    session, _ = pressed(table, begun(table), Button.CHOOSE)
    session, _ = pressed(table, session, Button.NEXT)
    session, effects = pressed(table, session, Button.CHOOSE)
    assert effects == (Tend(None),)
    session, _ = step(table, session, MaintenanceShown(session.now + 0.1, STEP))
    return session


def test_the_way_there_is_the_last_of_the_games_and_only_where_there_are_buttons(table: Table) -> None:
    page = Setup(page=SetupPage.GAME)
    assert setup.items(table, begun(table), page)[-1].text == maintenance.TITLE
    for without in (msgspec.structs.replace(table, maintenance=False), msgspec.structs.replace(table, panels=())):
        assert all(item.text != maintenance.TITLE for item in setup.items(without, begun(table), page))


def test_the_display_shows_the_step_and_a_press_chooses_its_line(table: Table) -> None:
    session = opened(table)
    shown = screen(table, session, "a")
    assert shown.status == STEP.doing
    assert shown.menu is not None
    assert shown.menu.items == STEP.choices
    session, effects = pressed(table, session, Button.CHOOSE)
    assert effects == (Tend(0, STEP),)


def test_another_step_begins_at_its_first_line_and_the_same_one_leaves_the_cursor(table: Table) -> None:
    session, _ = step(table, opened(table), MaintenanceShown(50.0, OTHER))
    session, _ = pressed(table, session, Button.NEXT)
    assert isinstance(session.stage, Setup)
    assert session.stage.cursor == 1
    again, _ = step(table, session, MaintenanceShown(60.0, msgspec.structs.replace(OTHER, remarks=())))
    assert isinstance(again.stage, Setup)
    assert again.stage.cursor == 1
    first, _ = step(table, session, MaintenanceShown(60.0, STEP))
    assert isinstance(first.stage, Setup)
    assert first.stage.cursor == 0


def test_a_press_for_the_step_before_chooses_nothing(table: Table) -> None:
    session = opened(table)
    session, _ = step(table, session, Key("a", Button.CHOOSE, Gesture.DOWN, session.now + 5.0))
    session, _ = step(table, session, MaintenanceShown(session.now + 0.05, OTHER))
    _, effects = step(table, session, Key("a", Button.CHOOSE, Gesture.PRESS, session.now + 0.1))
    assert effects == ()


def test_a_phone_neither_sees_nor_chooses_any_of_it(table: Table) -> None:
    session = opened(table)
    for audience in ("b", None):
        seen = sheet(table, session, audience)
        assert seen.wanted == maintenance.ELSEWHERE
        assert seen.answers.lines == ()
    for line in (0, -1):
        tap = Tap("b", session.lists["b"].answers.serial, line, False, session.now + 5, session.now + 0.5)
        tapped, effects = step(table, session, tap)
        assert (tapped.stage, effects) == (session.stage, ())
    games = msgspec.structs.replace(session, stage=Setup(page=SetupPage.GAME))
    assert maintenance.TITLE not in tapping.answers(table, games, "b").texts


def test_the_owners_language_is_the_tables_and_is_kept(table: Table) -> None:
    session, effects = step(
        table, msgspec.structs.replace(begun(table), languages={"a": "en"}), LanguageChosen(3.0, "ru")
    )
    assert (session.language, session.languages) == ("ru", {})
    assert effects == (Keep("language", "ru"),)


@cache
def _settings() -> tuple[OwnedSetting, ...]:
    return settings_of(load(template("four-seats")))


class House:
    """A daemon of which everything is known."""

    def __init__(self, facts: Facts, stage: int = 0, page: str = "") -> None:
        self._facts, self._stage, self._page = facts, stage, page

    language = "en"
    buttons = True

    def settings(self) -> tuple[OwnedSetting, ...]:
        return _settings()

    def change(self, key: str, value: Value | None) -> None: ...

    def speak(self, code: str) -> None: ...

    def facts(self) -> Facts:
        return self._facts

    def games(self) -> tuple[KnownItem, ...]:
        return (KnownItem("tellstones", Text("Tellstones")), KnownItem("planetx", Text("The Search for Planet X")))

    def owner_page(self) -> str:
        return self._page

    def key(self) -> tuple[str, str]:
        return in_groups("ab" * 32), qr_text("ab" * 32)

    def table_page(self) -> str:
        return "http://referee.local:8139/"

    def stage(self) -> int:
        return self._stage

    def reach_step(self, stage: int) -> None:
        self._stage = stage

    def at_the_table(self) -> bool:
        return True

    def looking(self) -> Task:
        return Notice(lambda: STEP)

    def enrolling(self, name: str) -> Task:
        return Notice(lambda: STEP)

    def names(self) -> tuple[str, ...]:
        return ("W" * 12, *(f"Name {n}" for n in range(2 * LISTED)))

    def forget(self, name: str) -> None: ...

    def saving(self) -> Task:
        return Notice(lambda: STEP)

    def printing(self, game: str, paper: str) -> Task:
        return Notice(lambda: STEP)


BAD = Facts(
    displays={"a": False, "table": False, "shared": True},
    looks=True,
    sets=(KnownItem("stones", Text("Tellstones")),),
    pages={"table": 0, "a": 0},
    free_bytes=10_000_000,
    free_memory_bytes=100_000_000,
    heat_c=82.0,
    throttled=0x50005,
    saved=False,
    safe=True,
    version="0.1.0",
)


def walked(task: Task, most: int = 400) -> list[TaskStep]:
    """Steps that are met by choosing every line once, and the last of each list after that."""
    found, chosen = [], set()
    for _ in range(most):
        if task.over:
            break
        shown = task.step()
        found.append(shown)
        key = (shown.doing, shown.now)
        line = next((n for n in range(len(shown.choices)) if (key, n) not in chosen), len(shown.choices) - 1)
        chosen.add((key, line))
        task.choose(line)
    return found


@cache
def every_step() -> tuple[TaskStep, ...]:
    """They are the same in every language."""
    claims = "HTTP://REFEREE.LOCAL:8144/#ABCDEFGH22345677"
    met = [*walked(home(House(BAD, page=claims))), *walked(first_run(House(BAD)))]
    asked = (TaskStep(upkeep.TITLE, text, choices=(upkeep.YES, upkeep.NO)) for text in upkeep.ASKED.values())
    ended = (TaskStep(upkeep.TITLE, text, choices=(GO_ON,)) for text in upkeep.FAILED.values())
    return (*met, *asked, *ended)


@pytest.mark.parametrize("buttons", [True, False])
def test_only_a_table_with_buttons_offers_an_update(monkeypatch: pytest.MonkeyPatch, buttons: bool) -> None:
    monkeypatch.setattr("device.owner.start_page.there", lambda: True)
    context = House(BAD, page="HTTP://REFEREE.LOCAL:8144/")
    context.buttons = buttons
    assert (upkeep.TITLE in home(context).step().choices) == buttons


@pytest.mark.quick(1)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_step_fits_the_smallest_display(table: Table, language: str) -> None:
    met = every_step()
    assert "Brightness (D)" in {str(each.doing) for each in met}
    assert {str(each.doing) for each in met} >= {
        "The owner's page",
        "The first game",
        "Table status",
        "The table's key",
    }
    for each in met:
        session, _ = step(table, opened(table), MaintenanceShown(99.0, each))
        assert fits(screen(table, session, "a"), (128, 64), language) == []
