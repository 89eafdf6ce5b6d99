"""Plays the table's seats in a tab, and leads a newcomer through a lesson."""

from __future__ import annotations

import random
from collections.abc import Sequence

from device.lessons import Lesson, LessonCard, LessonStep, card_of, reply
from device.session import tapping
from device.session.aim import READING_S
from device.session.matches import over
from device.session.messages import Tap
from device.session.state import Play, Session
from device.session.table import Table
from engine.entry import Entry
from engine.table import Seat

AFTER_S = 1.5
"""Seconds between a change and the table's action, so people see both."""

PLAIN = LessonStep("", "")
"""A step that wants nothing: all actions are equal."""


class Opponent:
    """Acts for these seats. lesson: for the player at `learner`, or None."""

    def __init__(self, seats: Sequence[Seat], learner: Seat, lesson: Lesson | None, rng: random.Random) -> None:
        self._seats, self._learner, self._lesson, self._rng = seats, learner, lesson, rng
        self._at, self._read = 0, 0
        self._match: Entry | None = None
        """The first entry of the lesson's match."""
        self._since: tuple[tuple[object, ...], float] = ((), 0.0)

    def follow(self, entries: Sequence[Entry]) -> None:
        """Take all entries of the match so far; another match ends the lesson."""
        self._match = self._match or entries[0]
        if entries[0] != self._match:
            self._lesson = None
        if self._lesson is not None:
            self._at = self._lesson.follow(self._at, self._learner, entries[self._read :])
        self._read = len(entries)

    def wish(self, wish: str) -> None:
        """Go to the lesson's next step ("next", at a step only read), or end it ("leave")."""
        if self._lesson is None or wish == "leave":
            self._lesson = None
        elif wish == "next" and self._lesson.is_read(self._at):
            self._at += 1

    def card(self, play: Play, seat: Seat) -> LessonCard | None:
        """Return the learner's lesson card; None for other seats, without a lesson, or once the match is over."""
        if self._lesson is None or seat != self._learner or over(play):
            return None
        return card_of(self._lesson, self._at, seat, play.known.game, play.match.state)

    def due(self, session: Session, now: float) -> float | None:
        """Return when the table acts; None if it waits, or no match goes on."""
        play = session.stage
        if not isinstance(play, Play) or over(play) or not self._seats_to_act(play):
            return None
        changed = play.match.state, play.proposal, *(session.lists[seat].answers.serial for seat in self._seats)
        if changed != self._since[0]:
            self._since = changed, now
        return self._since[1] + AFTER_S

    def tap(self, table: Table, session: Session, now: float) -> Tap | None:
        """Return the opponent's next tap; None if it has nothing to choose."""
        assert isinstance(session.stage, Play)
        for seat in self._seats_to_act(session.stage):
            line = self._line(session.stage, seat, tapping.answers(table, session, seat))
            if line is not None:
                serial = session.lists[seat].answers.serial
                return Tap(seat, serial, line, menu=False, at=now, shown=now - READING_S)
        return None

    def _seats_to_act(self, play: Play) -> tuple[Seat, ...]:
        waits = self._lesson is not None and self._lesson.waits(self._at)
        actors = () if play.match.paused or waits else play.known.game.actors(play.match.state)
        return tuple(seat for seat in self._seats if play.asks(seat) or seat in actors)

    def _line(self, play: Play, seat: Seat, listing: tapping.Listing) -> int | None:
        if play.asks(seat):
            return len(listing.lines) - 1  # it agrees
        if not listing.moves.found:
            return 0 if listing.lines else None  # it is sure
        step = PLAIN if self._lesson is None else self._lesson.steps[self._at]
        offered = [move.words for move in listing.moves.found]
        words = reply(play.known.game, play.match.state, seat, step, self._rng, offered.__contains__)
        return len(listing.lines) + offered.index(words) if words else None
