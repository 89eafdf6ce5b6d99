"""Game codes: short, typed on three buttons, read aloud without look-alikes (X12)."""

from __future__ import annotations

from hashlib import sha256

from engine.errors import Invalid
from engine.text import say

VERSION = "A"
"""The first letter of every code that this program draws. Another way of drawing needs another letter."""
LETTERS = "ACEFHJKLMNPRTWXY"
"""Sixteen letters; none looks like another or like a digit."""
LENGTH = 4
"""Letters after the version."""
CODES = len(LETTERS) ** LENGTH


def code_of(number: int) -> str:
    """The code of a number from 0 to CODES-1."""
    letters = [LETTERS[number // len(LETTERS) ** k % len(LETTERS)] for k in reversed(range(LENGTH))]
    return VERSION + "".join(letters)


def code_from_seed(seed: int) -> str:
    """The code that a match's seed draws."""
    return code_of(int.from_bytes(sha256(f"planetx/seed/{seed}".encode()).digest()[:8], "big") % CODES)


def checked(code: str) -> str:
    """The code in capitals. Raises Invalid if it is none of this program's."""
    code = code.strip().upper()
    if len(code) != LENGTH + 1 or code[0] != VERSION or not set(code[1:]) <= set(LETTERS):
        raise Invalid(
            say(
                "{code} is no game code: it must be {version} and {length} of the letters {letters}.",
                code=code,
                version=VERSION,
                length=LENGTH,
                letters=LETTERS,
            ),
            ("X12",),
        )
    return code
