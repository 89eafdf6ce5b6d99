"""On which line of a TOML file a key stands: tomllib does not tell."""

from __future__ import annotations

import tomllib
from typing import Any


def line_of(text: str, key: str) -> int | None:
    """The line, counted from 1, on which a dotted key is given, or the nearest section above one that is not there.

    None if there is no such section either. text: TOML that can be read.
    """
    words = key.split(".")
    while words and not _given(tomllib.loads(text), words):
        words.pop()
    if not words:
        return None
    lines, first = text.splitlines(), 1
    for count in range(1, len(lines) + 1):
        try:
            known = tomllib.loads("\n".join(lines[:count]))
        except tomllib.TOMLDecodeError:
            continue  # in the midst of a value that takes several lines
        if _given(known, words):
            return next(number for number in range(first, count + 1) if _says(lines[number - 1]))
        first = count + 1
    return None


def _given(data: Any, words: list[str]) -> bool:
    for word in words:
        if not isinstance(data, dict) or word not in data:
            return False
        data = data[word]
    return True


def _says(line: str) -> bool:
    """False for an empty line and a comment."""
    return bool(line.partition("#")[0].strip())
