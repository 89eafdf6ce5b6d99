"""Stores the owner's choices, which override the table file at the next start.

`Owned` marks the fields in `device.settings.table`. Choices that no longer fit are ignored.
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
"""In the state folder: values by key."""

DAMAGED = f"{KEPT}.damaged"
"""An unreadable earlier file."""

LONGEST = 64 * 1024
"""Bytes of the file."""

ANEW = "choose it again on the owner's page, under Settings, or remove the file"
UNTIL = "until then nothing can be chosen on the owner's page"
_log = logging.getLogger(__name__)


class OwnedSetting(msgspec.Struct, frozen=True):
    """An editable setting. key: such as "timing.dim_s". whose: the panel among several. kind: its type."""

    key: str
    owned: Owned
    whose: Text | None
    value: Value
    kind: Any

    @property
    def title(self) -> Text:
        if self.whose is None:
            return self.owned.title
        return say("{setting} ({whose})", setting=self.owned.title, whose=self.whose)


class OwnedTable(msgspec.Struct, frozen=True):
    """A table with the owner's choices. chosen: valid ones. wrong: ignored ones."""

    table: TableSettings
    chosen: Mapping[str, Value] = {}
    wrong: tuple[Fault, ...] = ()


def settings_of(table: TableSettings) -> tuple[OwnedSetting, ...]:
    """Return the settings that this table's owner can change, in table-file order."""
    found = _within(table, "")
    return tuple(each for each in found if not each.owned.needs or getattr(table, each.owned.needs)())


def laid_over(table: TableSettings) -> OwnedTable:
    """Return the table with the owner's choices, ignoring unfit or unreadable ones."""
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
    """Return the table with the owner's choices; log them and those left out."""
    laid = laid_over(table)
    for key, value in laid.chosen.items():
        _log.info("%s is %r, as chosen on the owner's page", key, value)
    for fault in laid.wrong:
        _log.warning("what was chosen on the owner's page is left out: %s", fault)
    return laid.table


def changes(table: TableSettings, key: str, value: Value) -> TableSettings:
    """Return the table with this value at a key. Raises ValueError if either is wrong."""
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
    """Store a choice for the next start; None removes it. A damaged file is set aside. Raises Refused if the file can't
    be read, OSError."""
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
    try:
        return read_json(state / KEPT, dict[str, Value], limit=LONGEST)
    except NoFile:
        return {}


def _within(part: Any, at: str) -> Iterator[OwnedSetting]:
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
    return get_type_hints(part, include_extras=True)


def _whose(at: str) -> Text | None:
    section, _, rest = at.partition(".")
    if section == "seats":
        return who(rest.partition(".")[0])
    return {"shared": say("shared"), "table_display": say("table")}.get(section)


def _with(part: Any, path: list[str], value: Value) -> Any:
    if not path:
        return value
    name, *rest = path
    if isinstance(part, dict):
        return {**part, name: _with(part[name], rest, value)}
    return msgspec.structs.replace(part, **{name: _with(getattr(part, name), rest, value)})
