"""Puts players' names into a screen, and initials on clocks and the sky."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from device.screens.fonts import illegible
from device.screens.screen import Called, Screen
from engine.table import Seat
from engine.text import Names, Text, with_names
from engine.view import Ring

S = TypeVar("S", bound=msgspec.Struct)


def with_players(screen: Screen) -> Screen:
    """Return the screen with names for seats; an undrawable name is replaced by the seat's letter."""
    if not screen.players:
        return screen
    players = {seat: called for seat, player in screen.players.items() if (called := _on_display(player)) is not None}
    initials = {seat: player.initial for seat, player in players.items() if player.initial is not None}
    shown = put_in(msgspec.structs.replace(screen, clocks=(), players={}), players, initials)
    return msgspec.structs.replace(shown, clocks=_put(screen.clocks, initials, initials))


def _on_display(player: Called) -> Called | None:
    if isinstance(player.name, Text) or not illegible(player.name):
        return player
    initial = player.initial if isinstance(player.initial, Text) else None
    return None if player.pieces is None else Called(player.pieces, initial)


def put_in(value: S, players: Mapping[Seat, Called], initials: Names | None = None) -> S:
    """Return the value with seats replaced by names in all sentences. initials: for the sky; None uses full names there
    too."""
    names = {seat: player.name for seat, player in players.items()}
    found: S = _put(value, names, names if initials is None else initials)
    return found


def _put(value: Any, names: Names, initials: Names) -> Any:
    if isinstance(value, Text):
        return with_names(value, names)
    if isinstance(value, Ring):
        marks, label = (_put(part, initials, initials) for part in (value.marks, value.label))
        return msgspec.structs.replace(value, marks=marks, label=label)
    if isinstance(value, msgspec.Struct):
        return type(value)(*(_put(part, names, initials) for part in msgspec.structs.astuple(value)))
    if isinstance(value, tuple):
        return tuple(_put(part, names, initials) for part in value)
    return value
