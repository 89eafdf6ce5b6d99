"""Where the owner begins: the first run in its stages, and afterwards everything by itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from device.locale import LANGUAGES, NAMES
from device.owner import forgetting, health, settings_tasks, upkeep
from device.owner.context import KnownItem, OwnerContext
from device.owner.steps import Task, TaskStep
from device.owner.task_menus import BACK, GO_ON, Line, Notice, Stages, TaskMenu
from device.privileged_helper.asking import there
from device.session.maintenance import TITLE
from engine.text import Text, say

KEY = say("The table's key")
PAPERS: tuple[tuple[str, Text], ...] = (("a4", say("A4 paper")), ("letter", say("US Letter paper")))


def home(house: OwnerContext) -> TaskMenu:
    """All that an owner may do; while the first run is not over it is open, unless a phone may take it over first."""
    now = say("What would you like to do?")
    made = TaskMenu(
        TITLE, now, lambda: (*_unclaimed_lines(house), *_unfinished_lines(house), *_everything(house)), None
    )
    if _unfinished_lines(house) and not house.owner_page():
        made.enter(first_run(house))
    return made


def first_run(house: OwnerContext, at: int | None = None) -> Task:
    """Return the first run, from where it was left, or from a given stage."""
    return Stages(stages(house), house.stage() if at is None else at, house.reach_step)


def stages(house: OwnerContext) -> Sequence[Callable[[], Task]]:
    """Return what a table needs once, in order."""
    return (
        partial(language, house),
        house.looking,
        partial(sheets, house, GO_ON),
        partial(pieces, house, GO_ON),
        partial(check, house),
        partial(first_game, house),
    )


def _unclaimed_lines(house: OwnerContext) -> tuple[Line, ...]:
    """Return the lines at the table's own display: from a phone it is easier."""
    return ((say("With a phone"), partial(_with_a_phone, house)),) if house.owner_page() else ()


def _with_a_phone(house: OwnerContext) -> Task:
    return Notice(lambda: TaskStep(say("The owner's page"), say("Scan with a phone."), address=house.owner_page()))


def _unfinished_lines(house: OwnerContext) -> tuple[Line, ...]:
    if house.stage() >= len(stages(house)):
        return ()
    return ((say("Continue setup"), partial(first_run, house)),)


def _everything(house: OwnerContext) -> tuple[Line, ...]:
    return (
        (say("Table status"), partial(running, house)),
        (say("Check the table"), partial(check, house)),
        (say("The camera's picture"), house.looking),
        (say("Enrol pieces"), partial(pieces, house)),
        (say("Sheets to print"), partial(sheets, house)),
        (say("The table's language"), partial(language, house)),
        *(((settings_tasks.TITLE, partial(settings_tasks.settings, house)),) if house.settings() else ()),
        (say("Save pieces and cards"), house.saving),
        (say("Invite players"), partial(first_game, house)),
        (forgetting.TITLE, partial(forgetting.list_names, house)),
        (KEY, partial(key, house)),
        (say("Start setup again"), partial(first_run, house, 0)),
        *(((upkeep.TITLE, partial(upkeep.Upkeep, house.at_the_table)),) if house.buttons and there() else ()),
    )


def language(house: OwnerContext) -> Task:
    """Return the choice of the table's language."""
    lines: tuple[Line, ...] = tuple((Text(NAMES[code]), partial(house.speak, code)) for code in LANGUAGES)
    return TaskMenu(
        say("The table's language"), say("Which language does the table speak?"), lambda: lines, None, ends=True
    )


def sheets(house: OwnerContext, leave: Text | None = None) -> Task:
    """Return what there is to print, for the paper that the owner has."""
    return TaskMenu(
        say("Sheets to print"),
        say("Print at 100%. Which paper do you use?"),
        lambda: tuple((title, partial(_games, house, paper)) for paper, title in PAPERS),
        leave or BACK,
    )


def _games(house: OwnerContext, paper: str) -> Task:
    return TaskMenu(
        say("Sheets to print"),
        say("For which game? Print at 100%, not fitted to the page."),
        lambda: tuple((game.title, partial(house.printing, game.name, paper)) for game in house.games()),
    )


def pieces(house: OwnerContext, leave: Text | None = None) -> Task:
    """Return which pieces the camera is to know by sight."""

    def lines() -> tuple[Line, ...]:
        return tuple((_enrolled_text(known), partial(house.enrolling, known.name)) for known in house.facts().sets)

    facts = house.facts()
    if not (facts.looks and facts.sets):
        return Notice(lambda: TaskStep(say("Enrol pieces"), say("Without a camera, you don't need to enrol pieces.")))
    now = say("Show each piece to the camera once. Which set do you have?")
    return TaskMenu(say("Enrol pieces"), now, lines, leave or BACK)


def _enrolled_text(known: KnownItem) -> Text:
    return say("{set}: enrolled", set=known.title) if known.done else known.title


def check(house: OwnerContext) -> Task:
    """Return what does not answer, and what to do about it."""

    def step() -> TaskStep:
        found = health.wrong(house.facts())
        now = say("Needs your attention:") if found else say("Everything is connected.")
        return TaskStep(say("Check the table"), now, remarks=found)

    return Notice(step)


def running(house: OwnerContext) -> Task:
    """Return how the table is, as it runs."""

    def step() -> TaskStep:
        facts = house.facts()
        return TaskStep(
            say("Table status"), say("Current status:"), remarks=(*health.wrong(facts), *health.status(facts))
        )

    return Notice(step)


def key(house: OwnerContext) -> Task:
    """Return the key by which a signed match of the table is known: whoever verifies one compares it."""
    written, code = house.key()
    now = say("This table has no usable key. The service's log says why.")
    if written:
        now = say("A match that this table signed names this key:")
    return Notice(lambda: TaskStep(KEY, now, seen=Text(written) if written else None, address=code))


def first_game(house: OwnerContext) -> Task:
    """Return how players come to the table."""

    def step() -> TaskStep:
        page = house.table_page()
        if not page:
            return TaskStep(say("The first game"), say("Choose the language and the game with any seat's buttons."))
        now = say("Open the table's page. Each player scans a seat's code, then choose a game.")
        return TaskStep(say("The first game"), now, address=page)

    return Notice(step)
