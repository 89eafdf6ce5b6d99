"""Simulated players in real time: presses and hand movements at the program's pace."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing

from device.clock import Clock
from device.journal import Journal
from device.key_gestures import Button
from device.screens.screen import BLANK, Screen
from device.session.match_start import fitting
from device.session.matches import over
from device.session.state import Play, Session, Setup, SetupPage
from device.session.table import KnownGame
from engine.catalogue import complete
from engine.entry import Entry
from engine.game import Options, OptionValue
from engine.table import Seat
from referee_simulator.hands.scripts import Script, delay
from referee_simulator.hardware.pins import seat_of
from referee_simulator.live.live_stage import LiveStage
from referee_simulator.panel import Auto
from referee_simulator.players import menus
from referee_simulator.players.players import Manner, Players
from referee_simulator.players.world import Course, Handle, Hold, Pause, Tap, Wish
from referee_simulator.table.virtual import AT_WORK, Refused, VirtualTable
from vision.messages import Report

HOLD_S = 0.12
AFTER_TAP_S = 0.35
QUIET_S = 1.2
"""Seconds of rest, as vision reports, before a player continues."""

PATIENCE_S = 10.0
LOOK_S = 0.2
SHOWN_S = 12.0
"""Seconds that a result is shown before the next match."""

TRIES = 3
CHEAT_RATE = 0.15
_log = logging.getLogger(__name__)


class AutoPlay:
    """Plays all seats on request, match after match, until somebody takes one; a `World`. cheats: share of actions.
    session: returns the daemon's session."""

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
        session: Callable[[], Session],
    ) -> None:
        self._stage, self._journal, self._clock, self._seed = stage, journal, clock, seed
        self._games, self._game, self._session = games, game, session
        self._cheat_rate = cheats
        self._screens: dict[str, Screen] = {}
        self._still_since = clock.now()
        self._held: set[tuple[str, Button]] = set()
        self._changed = asyncio.Event()
        self.asked_for_room = False
        """A match against the table is wanted."""
        self.makes_room = False
        """The players' match is being ended for people."""
        self.options: Mapping[str, OptionValue] = {}
        """Options of the match that is set up for people."""
        stage.played = lambda _: self._changed.set()

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

    def note_screen(self, display: str, screen: Screen, _language: str) -> None:
        self._screens[display] = screen

    def note_report(self, report: Report) -> None:
        if report.moving:
            self._still_since = report.at

    def ask_for_room(self) -> None:
        """Ask `run` to end the match, and begin one in which `teaching` plays the free seats."""
        self.asked_for_room = True
        self._changed.set()

    async def run(self) -> None:
        while True:
            self._changed.clear()
            if self.asked_for_room:
                await self._make_room()
            guests = self._session().phones
            while (auto := self._stage.auto()) != "off":
                if await self._play(auto, guests):
                    guests = self._session().phones
            await self._changed.wait()

    async def _play(self, auto: Auto, guests: frozenset[Seat]) -> bool:
        """Play one match; return True if it made room for people. guests: seats taken before, which only watch."""
        rate = self._cheat_rate if auto == "cheating" else 0.0
        known = self._games[self._game]
        players = Players(self, known, self._stage.seats, self._seed, Manner(cheat_rate=rate))
        self._seed += 1
        try:
            async with aclosing(self._match(players, fitting(known, self.options, len(self._stage.seats)))) as stops:
                async for _ in stops:
                    if self._session().phones - guests:
                        await self._make_room()
                        return True
                    if self._stage.auto() != auto:
                        return False
        except Refused as refused:
            players.tally.jam(f"what they want to move cannot be moved: {refused}")
        for note in players.tally.notes:
            _log.warning("the players: %s", note)
        _log.info("the players end a match of %d actions", players.tally.actions)
        await self._end_match()
        return False

    async def _match(self, players: Players, options: Mapping[str, OptionValue]) -> AsyncGenerator[None, None]:
        """Play one match and show its result, stopping wherever the players may be called away."""
        dealt = None
        for wish in players.whole_match(options):
            await self.grant(wish)
            if self._stage.dealt is not dealt:
                dealt = self._stage.dealt
                players.hold(dealt)
            if not self._held:
                yield
        shown = self.now + SHOWN_S
        while self.now < shown:
            await self.rest(LOOK_S)
            yield

    async def _make_room(self) -> None:
        """End the match, set up the same game, and start once people have all seats, or play against the table."""
        self.makes_room = True
        try:
            self._stage.play("off")
            await self._still()
            await self._end_match()
            await self._carry_out(self.to_check())
        finally:
            self.makes_room = False
        await self._seat_people()

    async def _seat_people(self) -> None:
        seats = self._stage.seats
        while self._checks() and not self.asked_for_room and not self._session().phones >= set(seats):
            if self._stage.auto() != "off":
                return  # somebody let the demo play after all
            await self.rest(LOOK_S)
        if self._checks():
            await self._carry_out(menus.start(self, seats[0]))
        self.asked_for_room = False

    def coming(self) -> tuple[str, Options, int]:
        """Return game, options and number of seats of the next match."""
        stage = self._session().stage
        if isinstance(stage, Setup) and stage.page is SetupPage.CHECK:
            game, options, seats = stage.game, stage.options, stage.seats
        elif isinstance(stage, Play) and over(stage):
            game, options, seats = stage.known.spec.name, stage.match.start.options, stage.match.start.seats
        else:
            game, seats = self._game, self._stage.seats
            options = fitting(self._games[game], self.options, len(seats))
        return game, complete(self._games[game].spec.options, options), len(seats)

    def to_check(self) -> Course:
        """Answer the set-up at the first seat, up to its last question. Raises NotThere."""
        known, seats = self._games[self._game], self._stage.seats
        options = fitting(known, self.options, len(seats))
        for wish in menus.set_up(self, seats[0], known.spec, len(seats), options):
            if not isinstance(self._session().stage, Setup) or self._checks():
                return
            yield wish

    def _checks(self) -> bool:
        stage = self._session().stage
        return isinstance(stage, Setup) and stage.page is SetupPage.CHECK

    async def _end_match(self) -> None:
        """Leave the match in the menu or after its result, as people do; give up after TRIES."""
        for _ in range(TRIES):
            stage = self._session().stage
            if not isinstance(stage, Play):
                return
            seats = self._stage.seats
            await self._carry_out(menus.rematch(self, seats[0]) if over(stage) else menus.leave_match(self, seats))

    async def _carry_out(self, course: Course) -> None:
        try:
            for wish in course:
                await self.grant(wish)
        except menus.NotThere as lost:
            _log.warning("the players: %s", lost)

    async def grant(self, wish: Wish) -> None:
        match wish:
            case Tap(panel, button):
                self._stage.pins.tap(seat_of(panel), button, self.now, HOLD_S)
                await self.rest(HOLD_S + AFTER_TAP_S)
            case Hold(panel, button, down):
                act = self._stage.pins.press if down else self._stage.pins.release
                act(seat_of(panel), button, self.now)
                (self._held.add if down else self._held.discard)((panel, button))
                await self.rest(AFTER_TAP_S)
            case Pause(seconds):
                await self.rest(seconds)
            case Handle(scripts):
                await self._begin(scripts)
                await self.rest(max(0.0, self.table.busy_until() - self.now))
                await self._still()

    async def _begin(self, scripts: tuple[Script, ...]) -> None:
        asked = self.now
        while True:
            try:
                self._stage.act(tuple(delay(script, self.now - asked) for script in scripts))
                return
            except Refused as refused:
                if refused.text != AT_WORK or self.now > asked + PATIENCE_S:
                    raise
            await self.rest(0.1)

    async def _still(self) -> None:
        left = self.now
        while self.now < left + PATIENCE_S and self.now < max(left, self._still_since) + QUIET_S:
            await self.rest(0.1)

    async def rest(self, seconds: float) -> None:
        await self._clock.sleep_until(self.now + seconds)
