"""Numbers drawn from the match's seed, the same for ever."""

from __future__ import annotations

from hashlib import sha256


def draw(seed: int, purpose: str, count: int) -> int:
    """A number below `count` that depends on the seed and on what it is drawn for, and on nothing else."""
    return int.from_bytes(sha256(f"runes/{seed}/{purpose}".encode()).digest()[:8], "big") % count
