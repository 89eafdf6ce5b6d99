"""The seven stones (T2), in the order in which the rules describe them."""

from __future__ import annotations

from engine.text import Text, say

KINDS: tuple[str, ...] = ("crown", "shield", "sword", "flag", "knight", "hammer", "scales")

NAMES: dict[str, Text] = {
    "crown": say("Crown"),
    "shield": say("Shield"),
    "sword": say("Sword"),
    "flag": say("Flag"),
    "knight": say("Knight"),
    "hammer": say("Hammer"),
    "scales": say("Scales"),
}

DOWN = "down"
"""What stands for a face-down stone wherever stones are listed (T54)."""
