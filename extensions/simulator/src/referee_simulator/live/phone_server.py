"""Receives phones at a virtual table, where hands are known: pages list only possible actions, and taps on others are
refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from device.session.messages import Able, Append, Input, Objected, Tap
from device.session.sentences import action_text
from device.session.state import Play
from device.session.step import step
from device.session.tapping import NOWHERE
from engine.catalogue import AnyGame
from engine.entry import Act, Source
from engine.game import Words
from engine.table import Seat
from engine.text import Text, say
from referee_phones.daemon.page_server import PageServer
from referee_phones.frames import PageTouch

LOOK_S = 0.2


class Vetting(PageServer):
    """A `PageServer` that knows hands. able: tests if a seat's cards allow an action. listed: actions that its known
    cards allow; None if unknown."""

    able: Callable[[Any, Seat, Words], bool]
    listed: Callable[[AnyGame, Any, Seat], frozenset[Words] | None]

    _told: Any = None
    """State of the last look."""

    async def know_hands(self) -> None:
        """Keep the session informed of possible actions, until cancelled."""
        while True:
            self._tell_hands()
            await self._clock.sleep_until(self._clock.now() + LOOK_S)

    def on_step(self, given: Input | None, heeded: bool | None = None) -> None:
        super().on_step(given, heeded)
        play = self._at.core.session.stage
        if isinstance(play, Play) and play.match.state is not self._told:
            self._told = play.match.state
            self._tell_hands()

    def _tell_hands(self) -> None:
        if self._referee is None:
            return
        core = self._referee.core
        play = core.session.stage
        if not isinstance(play, Play) or play.known.spec.dealer is None:
            return
        game, state = play.known.game, play.match.state
        for seat in sorted(game.actors(state) & core.session.phones):
            found, told = self.listed(game, state, seat), core.session.able.get(seat)
            if told is None or told.state is not state or told.words != found:
                self._at.give(Able(self._clock.now(), seat, state, found))

    def tap(self, seat: Seat, touch: PageTouch, seen_at: float) -> bool:
        given = Tap(seat, touch.serial, touch.line, touch.menu, self._clock.now(), seen_at)
        why = self._against(given)
        if why is None:
            return self._at.give(given)
        heard = self._at.give(msgspec.structs.replace(given, line=NOWHERE))
        return self._at.give(Objected(given.at, seat, why)) and heard

    def _against(self, given: Tap) -> Text | None:
        core = self._at.core
        play = core.session.stage
        if not isinstance(play, Play):
            return None
        _, effects = step(core.table, core.session, given)
        entries = (entry for effect in effects if isinstance(effect, Append) for entry in effect.entries)
        for act in (entry for entry in entries if isinstance(entry, Act) and entry.source is Source.BUTTONS):
            if not self.able(play.match.state, act.seat, act.words):
                action = action_text(play.known, play.match.state, act.seat, act.words)
                return say("You don't hold the cards for this: {action}. Choose something else.", action=action)
        return None
