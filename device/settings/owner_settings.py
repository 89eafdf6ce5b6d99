"""What of a table file its owner changes without a terminal: kept beside the matches, laid over the file at a start.

Which settings these are, and what may be chosen, stands at the fields themselves (`Owned` in `device.settings.table`).
A choice that no longer fits the table file is left out, so that nothing of this ever keeps a table dark.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, get_type_hints

import msgspec

from device.settings.table import Owned, TableSettings, Value
from engine.text import Text, say, who
from vision.files import BadFile, Fault, NoFile, Refused, read_json, write_whole

KEPT = "settings.json"
"""Of the state folder: values by their keys."""

DAMAGED = f"{KEPT}.damaged"
"""What could not be understood of it when something was chosen anew."""

LONGEST = 64 * 1024
"""Bytes of the file."""

ANEW = "choose it anew on the owner's page, under Settings, or remove the file"
UNTIL = "until then nothing can be chosen on the owner's page"
_log = logging.getLogger(__name__)


class OwnedSetting(msgspec.Struct, frozen=True):
    """One that the owner may change. key: its place in the table file ("timing.dim_s"). whose: of several alike, of
    whom; None otherwise. value: now. kind: its type there."""

    key: str
    owned: Owned
    whose: Text | None
    value: Value
    kind: Any

    @property
    def title(self) -> Text:
        """Return the setting's name, in words."""
        if self.whose is None:
            return self.owned.title
        return say("{setting} ({whose})", setting=self.owned.title, whose=self.whose)


class OwnedTable(msgspec.Struct, frozen=True):
    """A table with its owner's choices. chosen: those that hold, by key. wrong: what was left out, and why."""

    table: TableSettings
    chosen: Mapping[str, Value] = {}
    wrong: tuple[Fault, ...] = ()


def settings_of(table: TableSettings) -> tuple[OwnedSetting, ...]:
    """All that its owner may change, in the order of the table file."""
    found = _within(table, "")
    return tuple(each for each in found if not each.owned.needs or getattr(table, each.owned.needs)())


def laid_over(table: TableSettings) -> OwnedTable:
    """The table of a file with what its owner chose. A choice that does not fit is left out; so are all, if they cannot
    be read."""
    try:
        kept = _read(table.state_dir)
    except BadFile as error:
        return OwnedTable(table, wrong=(Fault("", str(error), UNTIL if isinstance(error, Refused) else ANEW),))
    chosen: dict[str, Value] = {}
    wrong: list[Fault] = []
    for key, value in kept.items():
        try:
            table = changes(table, key, value)
            chosen[key] = value
        except ValueError as error:
            wrong.append(Fault(key, str(error), ANEW))
    return OwnedTable(table, chosen, tuple(wrong))


def at_start(table: TableSettings) -> TableSettings:
    """The same, and what became of it in the log."""
    laid = laid_over(table)
    for key, value in laid.chosen.items():
        _log.info("%s is %r, as chosen on the owner's page", key, value)
    for fault in laid.wrong:
        _log.warning("what was chosen on the owner's page is left out: %s", fault)
    return laid.table


def changes(table: TableSettings, key: str, value: Value) -> TableSettings:
    """The table with another value. Raises ValueError if that is none for it, or no setting of its owner's."""
    found = next((each for each in settings_of(table) if each.key == key), None)
    if found is None:
        raise ValueError("is no setting of this table that its owner chooses")
    try:
        fitting = msgspec.convert(value, found.kind, strict=True)
    except msgspec.ValidationError as error:
        raise ValueError(str(error)) from error
    made: TableSettings = _with(table, key.split("."), fitting)
    return made


def keep(state: Path, key: str, value: Value | None) -> None:
    """Store a choice from the next start on; None: as the table file says. A stored file that cannot be a choice is put
    aside. Raises Refused if it cannot be read, and OSError."""
    try:
        kept = _read(state)
    except Refused:
        raise
    except BadFile as error:
        _log.warning("what was chosen before is no such file, and lies in %s now: %s", DAMAGED, error)
        (state / KEPT).replace(state / DAMAGED)
        kept = {}
    left = {each: kept[each] for each in kept if each != key}
    write_whole(state / KEPT, msgspec.json.encode(left if value is None else {**left, key: value}), 0o600)


def _read(state: Path) -> dict[str, Value]:
    """Raises BadFile."""
    try:
        return read_json(state / KEPT, dict[str, Value], limit=LONGEST)
    except NoFile:
        return {}


def _within(part: Any, at: str) -> Iterator[OwnedSetting]:
    """Yield the settings of a struct of the table file and all below it."""
    for name, kind in _kinds(part.__class__).items():
        value = getattr(part, name)
        owned = next((each for each in getattr(kind, "__metadata__", ()) if isinstance(each, Owned)), None)
        if owned is not None:
            yield OwnedSetting(f"{at}{name}", owned, _whose(at), value, kind)
        elif isinstance(value, msgspec.Struct):
            yield from _within(value, f"{at}{name}.")
        elif isinstance(value, dict):
            for each in sorted(value):
                yield from _within(value[each], f"{at}{name}.{each}.")


@cache
def _kinds(part: type) -> dict[str, Any]:
    """The types of a struct's fields."""
    return get_type_hints(part, include_extras=True)


def _whose(at: str) -> Text | None:
    section, _, rest = at.partition(".")
    if section == "seats":
        return who(rest.partition(".")[0])
    return {"shared": say("for all"), "table_display": say("of the table")}.get(section)


def _with(part: Any, path: list[str], value: Value) -> Any:
    if not path:
        return value
    name, *rest = path
    if isinstance(part, dict):
        return {**part, name: _with(part[name], rest, value)}
    return msgspec.structs.replace(part, **{name: _with(getattr(part, name), rest, value)})
