"""Puts the players into a screen: names for seats in sentences, initials on clocks and on the sky."""

from __future__ import annotations

from typing import Any

import msgspec

from device.screens.screen import Screen
from engine.text import Names, Text, called
from engine.view import Ring


def with_players(screen: Screen) -> Screen:
    """The screen as it is read: each player by name, or by the letter of the seat if there is none."""
    if not screen.players:
        return screen
    names = {seat: player.name for seat, player in screen.players.items()}
    initials = {seat: player.initial for seat, player in screen.players.items() if player.initial is not None}
    shown: Screen = _put(msgspec.structs.replace(screen, clocks=(), players={}), names, initials)
    return msgspec.structs.replace(shown, clocks=_put(screen.clocks, initials, initials))


def _put(value: Any, names: Names, initials: Names) -> Any:
    """The value with the players in all of its sentences."""
    if isinstance(value, Text):
        return called(value, names)
    if isinstance(value, Ring):
        return msgspec.structs.replace(value, marks=_put(value.marks, initials, initials))
    if isinstance(value, msgspec.Struct):
        return type(value)(*(_put(part, names, initials) for part in msgspec.structs.astuple(value)))
    if isinstance(value, tuple):
        return tuple(_put(part, names, initials) for part in value)
    return value
