"""Receives phones at a virtual table. What a page orders that the cards of its seat cannot do is refused at once.

The referee knows nobody's hand, and would have to take it for done. Here the hand is known: the referee hears of a tap
on no line instead.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from device.bus.pages import Touch
from device.daemon.reception import Reception
from device.session.matches import known_of
from device.session.messages import Append, Tap
from device.session.pages import action_text
from device.session.state import Play
from device.session.step import step
from engine.entry import Act, Source
from engine.game import Words
from engine.table import Seat
from engine.text import Text, say

NOWHERE = -2
"""No line of any list."""


class Vetting(Reception):
    """A `Reception` that is told of the hands before anybody joins. able: whether the cards of a seat can do something
    in a state of the game. told: hears what a seat is told of its last tap; None if nothing is to be said of it."""

    able: Callable[[Any, Seat, Words], bool]
    told: Callable[[Seat, Text | None], None]

    def tap(self, seat: Seat, touch: Touch, seen_at: float) -> bool:
        given = Tap(seat, touch.serial, touch.line, touch.menu, self._clock.now(), seen_at)
        why = self._against(given)
        self.told(seat, why)
        return self._at.give(given if why is None else msgspec.structs.replace(given, line=NOWHERE))

    def _against(self, given: Tap) -> Text | None:
        core = self._at.core
        play = core.session.stage
        if not isinstance(play, Play):
            return None
        _, effects = step(core.table, core.session, given)
        entries = (entry for effect in effects if isinstance(effect, Append) for entry in effect.entries)
        for act in (entry for entry in entries if isinstance(entry, Act) and entry.source is Source.BUTTONS):
            if not self.able(play.match.state, act.seat, act.words):
                action = action_text(known_of(core.table, play), play.match.state, act.seat, act.words)
                return say("Your cards cannot do that: {action}. Choose something else.", action=action)
        return None
