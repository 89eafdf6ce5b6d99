"""Lets the owner maintain the table with its buttons, showing the daemon's current step."""

from __future__ import annotations

import msgspec

from device.owner.steps import TaskStep, question_signature
from device.screens.screen import Menu, Screen
from device.session.messages import Effect, Keep, LanguageChosen, MaintenanceShown
from device.session.state import Item, Session, Setup, SetupPage
from device.session.table import Table
from engine.text import Text, in_row, say

replace = msgspec.structs.replace
TITLE = say("Table settings")
ELSEWHERE = say("Somebody is using the table settings.")


def entrance(table: Table, setup: Setup) -> tuple[Item, ...]:
    """Return the menu line for table settings; () without buttons."""
    there = table.maintenance and (table.panels or table.shared)
    return (Item(TITLE, replace(setup, page=SetupPage.CARE, cursor=0)),) if there else ()


def items(session: Session, setup: Setup) -> tuple[Item, ...]:
    """Return the current step's choices; () without one."""
    return () if session.maintenance is None else tuple(Item(text, setup) for text in session.maintenance.choices)


def apply_owned(session: Session, given: LanguageChosen | MaintenanceShown) -> tuple[Session, tuple[Effect, ...]]:
    """Apply a new language or maintenance step, wherever chosen."""
    if isinstance(given, MaintenanceShown):
        return _show_step(session, given.step), ()
    return replace(session, language=given.language, languages={}), (Keep("language", given.language),)


def _show_step(session: Session, step: TaskStep) -> Session:
    before, stage = session.maintenance, session.stage
    session = replace(session, maintenance=step)
    same = before is not None and question_signature(before) == question_signature(step)
    if same or not isinstance(stage, Setup) or stage.page is not SetupPage.CARE:
        return session
    return replace(session, stage=replace(stage, cursor=0))


def step_signature(session: Session) -> tuple[Text, ...]:
    """Return texts that identify the current step."""
    return () if session.maintenance is None else (session.maintenance.doing, session.maintenance.now)


def screen(session: Session, setup: Setup) -> Screen:
    """Return the step as a screen: its choices above its text, or its code."""
    step = session.maintenance
    if step is None:
        return Screen(TITLE, prompt=say("One moment."))
    if step.address:
        return Screen(step.doing, prompt=say("Scan with a phone."), code=step.address)
    said = (step.now, *((step.seen,) if step.seen else ()), *step.remarks)
    menu = Menu(step.choices, min(setup.cursor, max(0, len(step.choices) - 1)))
    status = step.doing if not step.of else say("{what} {done}/{of}", what=step.doing, done=step.done + 1, of=step.of)
    return Screen(status, menu=menu, prompt=in_row(said, " "))
