"""Coin tosses: drawn from the match's seed, the same on every machine (F16, F101)."""

from __future__ import annotations

from hashlib import sha256


def coin(seed: int, purpose: str) -> int:
    """0 or 1, by the seed and by what it is tossed for, and by nothing else."""
    return sha256(f"{seed}/{purpose}".encode()).digest()[0] % 2
