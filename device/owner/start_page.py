"""Builds the owner's main menu, first run, and the removal of a person's name."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from functools import partial
from typing import Protocol

from device.locale import LANGUAGES, NAMES
from device.owner import health, settings_tasks, upkeep
from device.owner.context import KnownItem, OwnerContext
from device.owner.steps import BACK, GO_ON, Line, Notice, Stages, Task, TaskMenu, TaskStep
from device.owner.upkeep import there
from device.session.maintenance import TITLE
from engine.text import Text, say, verbatim

LANGUAGE_TITLE = say("The table's language")
NAME_TITLE = say("Remove a person's name")
LISTED = 12
"""Names per list."""

FORGOTTEN = say("The name has been removed. Matches show the seat's letter instead.")
FAILED = say("It could not be saved: the disk can't be written to.")

_log = logging.getLogger(__name__)

KEY = say("The table's key")
PAPERS: tuple[tuple[str, Text], ...] = (("a4", say("A4 paper")), ("letter", say("US Letter paper")))


def home(context: OwnerContext) -> TaskMenu:
    """Return the main menu, with an unfinished first run open unless the table is yet to be claimed."""
    now = say("What would you like to do?")
    made = TaskMenu(
        TITLE, now, lambda: (*_unclaimed_lines(context), *_unfinished_lines(context), *_everything(context)), None
    )
    if _unfinished_lines(context) and not context.owner_page():
        made.enter(first_run(context))
    return made


def first_run(context: OwnerContext, at: int | None = None) -> Task:
    """Return the first run, from its stored or a given stage."""
    return Stages(stages(context), context.stage() if at is None else at, context.reach_step)


def stages(context: OwnerContext) -> Sequence[Callable[[], Task]]:
    """Return the first run's stages."""
    return (
        partial(language, context),
        partial(sheets, context, GO_ON),
        context.looking,  # after the sheets, as it looks for the printed mat
        partial(pieces, context, GO_ON),
        partial(check, context),
        partial(first_game, context),
    )


def _unclaimed_lines(context: OwnerContext) -> tuple[Line, ...]:
    return ((say("With a phone"), partial(_with_a_phone, context)),) if context.owner_page() else ()


def _with_a_phone(context: OwnerContext) -> Task:
    return Notice(lambda: TaskStep(say("The owner's page"), say("Scan with a phone."), address=context.owner_page()))


def _unfinished_lines(context: OwnerContext) -> tuple[Line, ...]:
    if context.stage() >= len(stages(context)):
        return ()
    return ((say("Continue setup"), partial(first_run, context)),)


def _everything(context: OwnerContext) -> tuple[Line, ...]:
    return (
        (say("Table status"), partial(running, context)),
        (say("Check the table"), partial(check, context)),
        (say("The camera's picture"), context.looking),
        (say("Enrol pieces"), partial(pieces, context)),
        (say("Sheets to print"), partial(sheets, context)),
        (LANGUAGE_TITLE, partial(language, context)),
        *(((settings_tasks.TITLE, partial(settings_tasks.settings, context)),) if context.settings() else ()),
        (say("Save pieces and cards"), context.saving),
        (say("Invite players"), partial(first_game, context)),
        (NAME_TITLE, partial(list_names, context)),
        (KEY, partial(key, context)),
        (say("Start setup again"), partial(first_run, context, 0)),
        *(((upkeep.TITLE, partial(upkeep.Upkeep, context.at_the_table)),) if context.buttons and there() else ()),
    )


def language(context: OwnerContext) -> Task:
    """Return the language menu, whose first lines are LANGUAGES."""
    lines: tuple[Line, ...] = tuple((Text(NAMES[code]), partial(context.speak, code)) for code in LANGUAGES)
    return TaskMenu(LANGUAGE_TITLE, say("Which language does the table speak?"), lambda: lines, None, ends=True)


def sheets(context: OwnerContext, leave: Text | None = None) -> Task:
    """Return the menu of sheets to print. leave: closing line."""
    return TaskMenu(
        say("Sheets to print"),
        say("Print at 100%. Which paper do you use?"),
        lambda: tuple((title, partial(_games, context, paper)) for paper, title in PAPERS),
        leave or BACK,
    )


def _games(context: OwnerContext, paper: str) -> Task:
    return TaskMenu(
        say("Sheets to print"),
        say("For which game? Print at 100%, not fitted to the page."),
        lambda: tuple((game.title, partial(context.printing, game.name, paper)) for game in context.games()),
    )


def pieces(context: OwnerContext, leave: Text | None = None) -> Task:
    """Return the menu of sets to enrol, or a notice without a camera."""

    def lines() -> tuple[Line, ...]:
        return tuple((_enrolled_text(known), partial(context.enrolling, known.name)) for known in context.facts().sets)

    facts = context.facts()
    if not (facts.looks and facts.sets):
        return Notice(lambda: TaskStep(say("Enrol pieces"), say("Without a camera, you don't need to enrol pieces.")))
    now = say("Show each piece to the camera. Which set do you have?")
    return TaskMenu(say("Enrol pieces"), now, lines, leave or BACK)


def _enrolled_text(known: KnownItem) -> Text:
    return say("{set}: enrolled", set=known.title) if known.done else known.title


def check(context: OwnerContext) -> Task:
    """Return a notice of faults and remedies."""

    def step() -> TaskStep:
        found = health.wrong(context.facts())
        now = say("Needs your attention:") if found else say("Everything is connected.")
        return TaskStep(say("Check the table"), now, remarks=found)

    return Notice(step)


def running(context: OwnerContext) -> Task:
    """Return a notice of the table's state."""

    def step() -> TaskStep:
        facts = context.facts()
        return TaskStep(
            say("Table status"), say("Current status:"), remarks=(*health.wrong(facts), *health.status(facts))
        )

    return Notice(step)


def key(context: OwnerContext) -> Task:
    """Return a notice of the table's public key."""
    written, code = context.key()
    now = say("This table has no usable key. The service's log says why.")
    if written:
        now = say("Every match that this table signs carries this key:")
    return Notice(lambda: TaskStep(KEY, now, seen=Text(written) if written else None, address=code))


def first_game(context: OwnerContext) -> Task:
    """Return a notice about joining the table."""

    def step() -> TaskStep:
        page = context.table_page()
        if not page:
            return TaskStep(say("The first game"), say("Choose the language and the game with any seat's buttons."))
        now = say("Open the table's page. Have each player scan a seat's code, then choose a game.")
        return TaskStep(say("The first game"), now, address=page)

    return Notice(step)


class People(Protocol):
    """The names in the table's data, as in `OwnerContext`."""

    def names(self) -> tuple[str, ...]: ...

    def forget(self, name: str) -> None: ...


def list_names(people: People, begin: int = 0) -> Task:
    """Return a menu of LISTED names from `begin` on, or a notice without names."""
    if not people.names():
        return Notice(lambda: TaskStep(NAME_TITLE, say("The table has no names.")))

    def lines() -> list[Line]:
        names = people.names()
        shown: list[Line] = [
            (verbatim(each), partial(_ask_name, people, each)) for each in names[begin : begin + LISTED]
        ]
        further = (say("More names"), partial(list_names, people, begin + LISTED))
        return [*shown, further] if len(names) > begin + LISTED else shown

    return TaskMenu(NAME_TITLE, say("Whose name should be removed?"), lines)


def _ask_name(people: People, name: str) -> Task:
    now = say("Remove {name} from all matches? This cannot be undone.", name=name)
    lines: list[Line] = [(say("Yes, remove the name"), partial(_forget, people, name))]
    return TaskMenu(NAME_TITLE, now, lambda: lines, BACK, ends=True)


def _forget(people: People, name: str) -> Task:
    told: Text = FORGOTTEN
    try:
        people.forget(name)
    except OSError as error:
        _log.error("a name cannot be removed: %s", error)
        told = FAILED
    return Notice(lambda: TaskStep(NAME_TITLE, told))
