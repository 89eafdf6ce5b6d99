"""Ready... Fence!: tutorial, basic and advanced mode. Rules: docs/rules/fence.md."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.fence.bout import Order, State
from engine.fence.cards import read_deck
from engine.fence.game import Fence
from engine.game import Game


def create(data: Mapping[str, Any]) -> Game[State, Order]:
    """The game with `data["deck"]` (config/decks/fence.toml). Raises KeyError or msgspec.ValidationError."""
    return Fence(read_deck(data["deck"]))
