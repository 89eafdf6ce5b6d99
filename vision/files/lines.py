"""Finds the lines of TOML keys, which tomllib does not tell."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

_LAST = re.compile(r"(?:\.?[^.\[\]]+|\[\d+\]|.)$", re.DOTALL)

READ_AGAIN = 8
"""Parsing budget in text lengths, against values of many lines."""


class Lines:
    """Line numbers (from 1) of TOML keys and sections. text: valid."""

    def __init__(self, text: str) -> None:
        self._lines: dict[str, int] = {}
        self._counts: dict[str, int] = {}
        section = ""
        for line, statement in _statements(text.replace("\r\n", "\n")):
            data = tomllib.loads(statement)
            if statement.lstrip().startswith("["):
                section = self._section(data, line)
            else:
                self._keys(data, section, line)

    def of(self, key: str) -> int | None:
        """Return the line of a dotted key ("cards[3].sp") or of its nearest section, or None."""
        while key and key not in self._lines:
            key = _LAST.sub("", key)
        return self._lines.get(key)

    def _section(self, data: Mapping[str, Any], line: int) -> str:
        at, held = "", data
        while held:
            ((name, inner),) = held.items()
            at = join(at, name)
            self._lines.setdefault(at, line)
            if isinstance(inner, list):
                self._counts[at] = self._counts.get(at, 0) + 1
                inner = {}
            if at in self._counts:
                at = f"{at}[{self._counts[at] - 1}]"
                self._lines.setdefault(at, line)
            held = inner
        return at

    def _keys(self, data: Any, at: str, line: int) -> None:
        if isinstance(data, Mapping):
            for name, value in data.items():
                key = join(at, name)
                self._lines.setdefault(key, line)
                self._keys(value, key, line)
        elif isinstance(data, list):
            for number, value in enumerate(data):
                self._lines.setdefault(f"{at}[{number}]", line)
                self._keys(value, f"{at}[{number}]", line)


def join(section: str, name: str) -> str:
    """Return a section's key of this name."""
    return f"{section}.{name}" if section else name


def _statements(text: str) -> Iterator[tuple[int, str]]:
    """Yield headers and key-value statements with their lines."""
    first, pending, budget = 0, "", READ_AGAIN * len(text)
    for number, line in enumerate(text.split("\n"), 1):
        if not pending and not line.partition("#")[0].strip():
            continue
        first, pending = (number, line) if not pending else (first, f"{pending}\n{line}")
        budget -= len(pending)
        if budget < 0:
            return
        try:
            tomllib.loads(pending)
        except tomllib.TOMLDecodeError:
            continue  # inside a value of several lines
        except RecursionError:
            return  # the whole text parsed only with less stack in use
        yield first, pending
        pending = ""
