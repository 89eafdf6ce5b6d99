"""Tellstones: two players, teams of four, and two Lines. Rules: docs/rules/tellstones.md."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.game import Game
from engine.tellstones.game import Tellstones
from engine.tellstones.match import Order, State


def create(data: Mapping[str, Any]) -> Game[State, Order]:
    """The game. It needs no data."""
    del data
    return Tellstones()
