"""The Search for Planet X: all the app's duties, and the table's as well. Rules: docs/rules/planetx.md."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from engine.game import Game
from engine.planetx.game import PlanetX
from engine.planetx.match import Order, Setting, State
from engine.planetx.sky import MODES


def create(data: Mapping[str, Any]) -> Game[State, Order]:
    """The game with `data["settings"]` (config/decks/planetx.toml). Raises KeyError or msgspec.ValidationError."""
    settings = msgspec.convert(data["settings"], dict[str, Setting])
    return PlanetX({mode: settings[mode] for mode in MODES})
