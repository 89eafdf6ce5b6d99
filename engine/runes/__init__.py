"""Dueling Runes: two to four wizards, or one against the automatic opponent. Rules: docs/rules/runes.md."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from engine.game import Game
from engine.runes.action import Order
from engine.runes.cards import Card
from engine.runes.game import Runes
from engine.runes.state import State


def create(data: Mapping[str, Any]) -> Game[State, Order]:
    """The game with `data["deck"]` (config/decks/decktet.toml). Raises KeyError or msgspec.ValidationError."""
    cards = msgspec.convert(data["deck"]["cards"], tuple[Card, ...])
    return Runes({card.id: card for card in cards})
