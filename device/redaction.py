"""Finds a name in what is kept, and puts another word in its place."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping


def same_name(one: str, other: str) -> bool:
    """Return True for two spellings of one name: capitals and blanks do not matter."""
    return _fold_case(one) == _fold_case(other)


def _fold_case(name: str) -> str:
    return unicodedata.normalize("NFC", " ".join(name.split())).casefold()


def replace_names(text: str, names: Mapping[str, str]) -> str:
    """Return a sentence in which each name, where it is a word of its own, is another."""
    longest_first = sorted(filter(None, names), key=len, reverse=True)  # Anna Lee is not Anna
    if not longest_first:
        return text
    pattern = "|".join(map(re.escape, longest_first))
    return re.sub(rf"(?<!\w)(?:{pattern})(?!\w)", lambda found: names[found[0]], text)
