"""The faults of a table file: all at once, each with its key and its remedy."""

from __future__ import annotations

from pathlib import Path

import msgspec

from engine.errors import RefereeError


class Fault(msgspec.Struct, frozen=True, order=True):
    """One fault. `key` is its dotted path in the file ("seats.a.input.next"), or its line if that cannot be parsed.

    line: where the key stands, or the section that lacks it; None if there is neither.
    """

    key: str
    wrong: str
    remedy: str
    line: int | None = None

    def __str__(self) -> str:
        return f"{self.key}: {self.wrong}; {self.remedy}"


class SettingsError(RefereeError, ValueError):
    """A table file that cannot be used."""

    def __init__(self, path: Path | str, faults: tuple[Fault, ...]) -> None:
        places = [f"{path}, line {fault.line}" if fault.line else str(path) for fault in faults]
        super().__init__("\n".join(f"{place}: {fault}" for place, fault in zip(places, faults, strict=True)))
        self.path = path
        self.faults = faults
