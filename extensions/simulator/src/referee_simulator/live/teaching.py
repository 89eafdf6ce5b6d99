"""Teaches a newcomer at a virtual table: follows the mode's lesson, and plays the seats without a phone."""

from __future__ import annotations

import logging
import random
from collections.abc import Callable
from functools import partial

from device.journal import Journal
from device.lessons import Lesson, LessonCard, card_of, lessons, reply
from device.session.matches import over
from device.session.state import Play, Session, Setup, SetupPage
from engine.game import OptionValue, Words
from engine.table import Seat
from referee_simulator.live.autoplay import AutoPlay
from referee_simulator.live.dealing import Dealing
from referee_simulator.live.live_stage import LiveStage
from referee_simulator.players import menus

LOOK_S = 0.3
AFTER_S = 1.5
"""Seconds from a change of the match to the table's own action, so that people see both."""

_log = logging.getLogger(__name__)


class Teaching:
    """One newcomer's lesson. The other seats act at their buttons; a helping hand carries out their orders."""

    def __init__(
        self,
        world: AutoPlay,
        stage: LiveStage,
        dealing: Dealing,
        journal: Journal,
        session: Callable[[], Session],
        seed: int,
    ) -> None:
        self._world, self._stage, self._dealing, self._journal = world, stage, dealing, journal
        self._session, self._rng = session, random.Random(seed)
        self.lessons = lessons()
        self._seat: Seat | None = None
        self._joined = False
        """The referee has heard of the newcomer's phone."""
        self._lesson: Lesson | None = None
        self._at, self._put_away = 0, False
        self._number: int | None = None
        """The match that was followed last; None before the lesson's own."""
        self._read = 0
        self._card: tuple[tuple[object, ...], LessonCard] | None = None
        """The last card, after the step and the state that it shows."""
        self._since: tuple[object, float] = (None, 0.0)
        stage.teacher = self

    def options(self, game: str, seats: int) -> dict[str, OptionValue]:
        """Return the options of a lesson meant for this number of players; {} without one."""
        lesson = next((each for each in self.lessons.get(game, ()) if seats in each.seats), None)
        return {} if lesson is None else {option: values[0] for option, values in lesson.when.items()}

    def learn(self, seat: Seat, wish: str) -> None:
        if wish == "begin" and self._may_begin(seat) and (lesson := self._coming()) is not None:
            self._seat, self._lesson, self._at, self._put_away, self._card = seat, lesson, 0, False, None
            self._joined, self._number = False, None
            self._world.ask_for_room()
        elif seat != self._seat or self._lesson is None:
            return
        elif wish == "leave":
            self._put_away = True
        elif wish == "next" and self._lesson.is_read(self._at) and self._ready():
            self._at += 1

    def _may_begin(self, seat: Seat) -> bool:
        """Return True unless people play."""
        return self.offers(seat) or self._stage.auto() != "off" or self._world.makes_room

    def offers(self, seat: Seat) -> bool:
        stage = self._session().stage
        checks = isinstance(stage, Setup) and stage.page is SetupPage.CHECK and seat in stage.seats
        return checks and not self._world.asked_for_room and self._coming() is not None

    def _coming(self) -> Lesson | None:
        """Return the next match's lesson, or None."""
        game, options, seats = self._world.coming()
        return next((each for each in self.lessons.get(game, ()) if each.fits(options, seats)), None)

    def card(self, seat: Seat) -> LessonCard | None:
        """Return the newcomer's card; None for other seats, and once the lesson or its match is over."""
        if seat != self._seat or self._put_away or self._lesson is None or self._has_ended():
            return None
        play, ready = self._session().stage, self._ready()
        looked = self._at, ready, play.match.state if isinstance(play, Play) else None
        if self._card is None or any(one is not two for one, two in zip(looked, self._card[0], strict=True)):
            game, state = (play.known.game, play.match.state) if isinstance(play, Play) and ready else (None, None)
            self._card = looked, card_of(self._lesson, self._at, seat, game, state)
        return self._card[1]

    def _has_ended(self) -> bool:
        """Return True once the lesson's own match is over, left or followed by another."""
        return self._number is not None and (self._number != self._journal.current or not self._ready())

    def _ready(self) -> bool:
        """Return True once the lesson's own match goes on."""
        play = self._session().stage
        return isinstance(play, Play) and not over(play) and not self._world.asked_for_room

    async def run(self) -> None:
        while True:
            await self._world.rest(LOOK_S)
            if self._seat is None or self._lesson is None:
                continue
            here = self._seat in self._session().phones
            if self._joined and not here:
                self._seat = None
                continue
            self._joined = here
            self._put_away = self._put_away or self._has_ended()  # the other seats act in the next match, too
            if here and self._ready():
                self._follow(self._lesson, self._seat)
                await self._act(self._lesson)

    def _follow(self, lesson: Lesson, seat: Seat) -> None:
        if self._journal.current != self._number:
            self._number, self._read = self._journal.current, 0
        entries = self._journal.current_entries()
        self._at = lesson.follow(self._at, seat, entries[self._read :])
        self._read = len(entries)

    async def _act(self, lesson: Lesson) -> None:
        play, now = self._session().stage, self._world.now
        assert isinstance(play, Play)
        match = play.match
        if match.state is not self._since[0]:
            self._since = match.state, now
        waits = match.paused or match.pending is not None or self._dealing.pending is not None
        reads = not self._put_away and lesson.waits(self._at)
        if waits or reads or now < self._since[1] + AFTER_S or not self._stage.table.resting(now):
            return
        game, state = play.known.game, match.state
        for seat in sorted(game.actors(state) - self._session().phones):
            if words := self._reply(lesson, play, seat):
                try:
                    for wish in menus.enter(self._world, seat, partial(game.choices, state, seat), words):
                        await self._world.grant(wish)
                except menus.NotThere as lost:
                    _log.warning("the table cannot act for seat %s: %s", seat, lost)
                    for wish in menus.leave(self._world, seat):
                        await self._world.grant(wish)
                return

    def _reply(self, lesson: Lesson, play: Play, seat: Seat) -> Words:
        able = None
        if play.known.spec.dealer is not None:
            able = self._dealing.list_actions(play.known.game, play.match.state, seat)
        step = lesson.steps[self._at]
        allows = (lambda _: True) if able is None else able.__contains__
        return reply(play.known.game, play.match.state, seat, step, self._rng, allows)
