"""Shows and changes owner-editable settings (`device.settings.owner_settings`)."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from functools import partial

from device.owner.context import OwnerContext
from device.owner.steps import BACK, Line, Notice, Task, TaskMenu, TaskStep
from device.session.names import LONGEST, alphabet, letter, letters_line
from device.settings.owner_settings import OwnedSetting
from device.settings.table import Value
from engine.text import Text, say
from vision.files import Refused

TITLE = say("Settings")
AS_FILE = say("From the table file")
DONE = say("Done")
UNWRITTEN = say("It could not be saved: the disk can't be written to.")
UNREAD = say("It could not be saved: the earlier settings can't be read.")
DIGITS = ("01234", "56789")
_log = logging.getLogger(__name__)


def settings(context: OwnerContext) -> Task:
    """Return the menu of editable settings."""
    now = say("Changes take effect after a restart.")
    return TaskMenu(TITLE, now, lambda: tuple(_lines(context)))


def _lines(context: OwnerContext) -> Iterator[Line]:
    for setting in context.settings():
        said = say("{setting}: {value}", setting=setting.title, value=_value(setting))
        yield said, partial(_one, context, setting)


def _one(context: OwnerContext, setting: OwnedSetting) -> Task:
    if not setting.owned.values:
        return Spelling(context, setting)
    lines: list[Line] = [(text, partial(_keep, context, setting.key, value)) for value, text in setting.owned.values]
    lines.append((AS_FILE, partial(_keep, context, setting.key, None)))
    now = say("Now: {value}", value=_value(setting))
    return TaskMenu(setting.title, now, lambda: lines, BACK, ends=True)


def _value(setting: OwnedSetting) -> Text:
    known = dict(setting.owned.values).get(setting.value)
    return known or (Text(str(setting.value)) if setting.value != "" else say("none yet"))


def _keep(context: OwnerContext, key: str, value: Value | None) -> Task | None:
    try:
        context.change(key, value)
    except (OSError, Refused) as error:
        _log.error("a setting cannot be kept: %s", error)
        told = UNREAD if isinstance(error, Refused) else UNWRITTEN
        return Notice(lambda: TaskStep(TITLE, told))
    return None


class Spelling:
    """Asks for a text, letter by letter."""

    def __init__(self, context: OwnerContext, setting: OwnedSetting) -> None:
        self._house, self._setting = context, setting
        self._spelt, self._letters = "", ""
        self._told: Task | None = None
        self._left = False

    @property
    def over(self) -> bool:
        return self._left or (self._told is not None and self._told.over)

    def step(self) -> TaskStep:
        if self._told is not None:
            return self._told.step()
        now = say("So far: {text}", text=self._spelt) if self._spelt else say("Spell it, letter by letter.")
        return TaskStep(self._setting.title, now, choices=tuple(text for text, _ in self._lines()))

    def choose(self, line: int) -> None:
        if self._told is not None:
            self._told.choose(line)
            return
        lines = self._lines()
        if 0 <= line < len(lines):
            lines[line][1]()

    def _lines(self) -> Sequence[tuple[Text, partial[None]]]:
        if self._letters:
            return [(_one_of(char), partial(self._add, char)) for char in self._letters]
        wheel = (*alphabet(self._house.language, self._spelt), *DIGITS, *(("- ",) if self._spelt else ()))
        room = wheel if len(self._spelt) < LONGEST else ()
        ends = [(DONE, partial(self._keep, self._spelt.strip()))] if self._spelt.strip() else []
        back = (say("Delete the last letter"), partial(self._cut)) if self._spelt else (BACK, partial(self._leave))
        named = [] if self._spelt else [(AS_FILE, partial(self._keep, None))]
        return [*ends, *((_some(each), partial(self._open, each)) for each in room), *named, back]

    def _open(self, letters: str) -> None:
        self._letters = letters

    def _add(self, char: str) -> None:
        self._spelt, self._letters = self._spelt + char, ""

    def _cut(self) -> None:
        self._spelt = self._spelt[:-1]

    def _leave(self) -> None:
        self._left = True

    def _keep(self, value: str | None) -> None:
        self._told = _keep(self._house, self._setting.key, value)
        self._left = self._told is None


def _some(letters: str) -> Text:
    return say("Digits {digits}", digits=" ".join(letters)) if letters in DIGITS else letters_line(letters)


def _one_of(char: str) -> Text:
    return say("Digit {digit}", digit=char) if char.isdecimal() else letter(char)
