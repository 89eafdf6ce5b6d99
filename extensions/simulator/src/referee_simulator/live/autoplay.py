"""Simulated players in real time: presses and hand movements at the program's pace."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence

from device.clock import Clock
from device.journal import Journal
from device.screens.screen import BLANK, Screen
from device.session.opening import fitting
from device.session.table import KnownGame
from engine.entry import Entry
from referee_simulator.hands.scripts import Script, delayed
from referee_simulator.hardware.pins import seat_of
from referee_simulator.live.live_stage import LiveStage
from referee_simulator.panel import Auto
from referee_simulator.players.players import Manner, Players
from referee_simulator.players.world import Handle, Hold, Pause, Tap, Wish
from referee_simulator.table.virtual import AT_WORK, Refused, VirtualTable
from vision.messages import Report

HOLD_S = 0.12
AFTER_TAP_S = 0.35
QUIET_S = 1.2
"""Seconds of rest, as vision reports, before a player continues."""

PATIENCE_S = 10.0
CHEAT_RATE = 0.15
_log = logging.getLogger(__name__)


class AutoPlay:
    """Plays all seats on request; a `World`. cheats: share of all actions."""

    def __init__(
        self,
        stage: LiveStage,
        journal: Journal,
        clock: Clock,
        games: Mapping[str, KnownGame],
        game: str,
        *,
        seed: int,
        cheats: float,
    ) -> None:
        self._stage, self._journal, self._clock, self._seed = stage, journal, clock, seed
        self._games, self._game = games, game
        self._cheat_rate = cheats
        self._screens: dict[str, Screen] = {}
        self._still_since = clock.now()
        self._changed = asyncio.Event()
        stage.played = lambda _: self._changed.set()

    # What players see.

    @property
    def now(self) -> float:
        return self._clock.now()

    @property
    def table(self) -> VirtualTable:
        return self._stage.table

    def screen(self, panel: str) -> Screen:
        return self._screens.get(panel, BLANK)

    def entries(self) -> Sequence[Entry]:
        return self._journal.current_entries()

    # What they are told.

    def published(self, display: str, screen: Screen, _language: str) -> None:
        self._screens[display] = screen

    def seen(self, report: Report) -> None:
        if report.moving:
            self._still_since = report.at

    async def run(self) -> None:
        while True:
            self._changed.clear()
            auto = self._stage.auto()
            if auto == "off":
                await self._changed.wait()
            else:
                await self._play(auto)

    async def _play(self, auto: Auto) -> None:
        rate = self._cheat_rate if auto == "cheating" else 0.0
        known = self._games[self._game]
        players = Players(self, known, self._stage.seats, self._seed, Manner(cheat_rate=rate))
        dealt = None
        options = fitting(known, {}, len(self._stage.seats))
        try:
            for wish in players.whole_match(options):
                await self.grant(wish)
                if self._stage.dealt is not dealt:
                    dealt = self._stage.dealt
                    players.hold(dealt)
                if self._stage.auto() != auto:
                    return
        except Refused as refused:
            players.tally.jam(f"what they want to move cannot be moved: {refused}")
        self._seed += 1
        for note in players.tally.notes:
            _log.warning("the players: %s", note)
        _log.info("the players stop after %d actions", players.tally.actions)
        self._stage.play("off")

    async def grant(self, wish: Wish) -> None:
        match wish:
            case Tap(panel, button):
                self._stage.pins.tap(seat_of(panel), button, self.now, HOLD_S)
                await self._rest(HOLD_S + AFTER_TAP_S)
            case Hold(panel, button, down):
                act = self._stage.pins.press if down else self._stage.pins.release
                act(seat_of(panel), button, self.now)
                await self._rest(AFTER_TAP_S)
            case Pause(seconds):
                await self._rest(seconds)
            case Handle(scripts):
                await self._begin(scripts)
                await self._rest(max(0.0, self.table.busy_until() - self.now))
                await self._still()

    async def _begin(self, scripts: tuple[Script, ...]) -> None:
        asked = self.now
        while True:
            try:
                self._stage.act(tuple(delayed(script, self.now - asked) for script in scripts))
                return
            except Refused as refused:
                if refused.text != AT_WORK or self.now > asked + PATIENCE_S:
                    raise
            await self._rest(0.1)

    async def _still(self) -> None:
        left = self.now
        while self.now < left + PATIENCE_S and self.now < max(left, self._still_since) + QUIET_S:
            await self._rest(0.1)

    async def _rest(self, seconds: float) -> None:
        await self._clock.sleep_until(self.now + seconds)
