"""Compares people's names, and replaces them in texts."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping


def same_name(one: str, other: str) -> bool:
    """Return True for spellings of one name, ignoring case and blanks."""
    return fold_case(one) == fold_case(other)


def fold_case(name: str) -> str:
    """Return a name that is equal for all spellings of it."""
    return unicodedata.normalize("NFC", " ".join(name.split())).casefold()


def replace_names(text: str, names: Mapping[str, str]) -> str:
    """Return the text with keys of `names`, as whole words, replaced by their values."""
    longest_first = sorted(filter(None, names), key=len, reverse=True)  # Anna Lee is not Anna
    if not longest_first:
        return text
    pattern = "|".join(map(re.escape, longest_first))
    return re.sub(rf"(?<!\w)(?:{pattern})(?!\w)", lambda found: names[found[0]], text)
