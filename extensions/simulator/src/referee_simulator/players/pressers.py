"""Players with buttons and displays only, who press actions and check the journal."""

from __future__ import annotations

import random
from collections.abc import Generator, Mapping, Sequence

import msgspec

from device.key_gestures import Button
from device.screens.render import pages
from device.screens.screen import Screen
from device.session.table import SHARED, KnownGame
from engine.catalogue import complete
from engine.entry import Act, Entry, Resign, Settle, Source, Start
from engine.game import OptionValue, Words
from engine.match import Match, advance, begin
from engine.table import Seat
from engine.text import Text, say
from engine.view import Outcome
from referee_simulator.harness.timed_daemon import Timed
from referee_simulator.judge.tally import Tally
from referee_simulator.players import menus
from referee_simulator.players.menus import NotThere
from referee_simulator.players.random_play import sentence
from referee_simulator.players.world import Course, Hold, Pause, Tap, Wish

_TURN = say("{seat}: your turn", seat="").message
_HAND_TO = say("Pass to {seat}: hold BACK", seat="").message
_HOLD = say("{seat}: hold BACK to see your view.", seat="").message
_READ = say("CHOOSE: pass to {seat}.", seat="").message
_READ_OPENLY = say("{hold} CHOOSE: pass to {seat}.").message
"""Status and prompts of the shared panel."""


TIRES_S = 20.0
"""Most seconds a finger holds a button; a minute counts as stuck."""


class Habits(msgspec.Struct, frozen=True):
    fidget_rate: float = 0.15
    longest: int = 240


class Pressers:
    """All players of a match, with own panels or a shared one. An action is right if exactly it is recorded."""

    def __init__(self, world: Timed, known: KnownGame, seats: int, seed: int, habits: Habits | None = None) -> None:
        self._world, self._known, self._game, self._count = world, known, known.game, seats
        self._habits = habits or Habits()
        self._rng = random.Random(f"{seed}/presses")
        self._shared = SHARED in world.oleds
        self._holds: float | None = None
        """Time since which the shared panel's BACK is held, or None."""
        self._match: Match | None = None
        self._meant: list[Act | Resign] = []
        self.resigned = False
        self._read = 0
        self.tally = Tally(lambda: world.now)

    def whole_match(self, options: Mapping[str, OptionValue]) -> Course:
        try:
            yield from self._set_up(options)
            yield Pause(1.0)
            self._check_start(options)
            yield from self._play_turn()
        except NotThere as lost:
            self.tally.jam(str(lost)[:600])

    def _set_up(self, options: Mapping[str, OptionValue]) -> Course:
        host = SHARED if self._shared else "a"
        yield from menus.set_up(self._world, host, self._known.spec, self._count, options)

    def _play_turn(self) -> Course:
        begun = self.tally.actions
        while self._following():
            yield from self._turn() if self.tally.actions - begun < self._habits.longest else self._resign()
        yield from self._let_back_go()
        yield Pause(1.0)
        self._check_end()

    # The record.

    def _following(self) -> bool:
        for entry in self._world.entries()[self._read :]:
            if isinstance(entry, Start):
                self._match = begin(self._game, entry)
            elif self._match is not None:
                self._match = advance(self._game, self._match, entry)[0]
            self._read += 1
        return not self.tally.stuck and (self._now.result is None or self._now.pending is not None)

    @property
    def _now(self) -> Match:
        if self._match is None:
            raise NotThere("the match has not begun")
        return self._match

    def _check_start(self, options: Mapping[str, OptionValue]) -> None:
        self._following()
        start = self._now.start
        wanted = complete(self._known.spec.options, options)
        if start.options != wanted or len(start.seats) != self._count:
            self.tally.jam(f"begun with {start.options} for {start.seats}, meant {wanted} for {self._count}")

    def _check_end(self) -> None:
        """Check the shown result, and that intended actions replay to the recorded state."""
        if self.tally.stuck:
            return
        result = self._now.result
        if result is None:
            self.tally.jam(f"not over after {self.tally.actions} actions")
            return
        self._check_shown(result)
        match = begin(self._game, self._now.start)
        for entry in self._meant:
            match = advance(self._game, match, msgspec.structs.replace(entry, at=match.at))[0]
            if match.pending is not None:
                match = advance(self._game, match, Settle(match.at, Source.BUTTONS))[0]
        if match.state != self._now.state:
            self.tally.jam("what was meant leads to another end than what was recorded")

    def _check_shown(self, result: Outcome) -> None:
        for name in self._world.oleds:
            if self._world.screen(name).prompt != result.text or not shows(self._world, name):
                self.tally.jam(f"display {name} does not show the result: {self._world.screen(name)}")

    # One action.

    def _turn(self) -> Course:
        if not (yield from self._free()):
            return
        seat = yield from self._next()
        if self._rng.random() < self._habits.fidget_rate:
            yield from self._fidget(seat)
        words = sentence(self._game, self._now.state, seat, self._rng.randrange)
        mark = len(self._world.entries())
        yield from self._press(seat, words)
        yield from self._press_done()
        self._judge(seat, words, self._world.entries()[mark:])

    def _judge(self, seat: Seat, words: Words, fresh: Sequence[Entry]) -> None:
        self.tally.actions += 1
        self._meant.append(Act(0.0, seat, words))
        found = [entry for entry in fresh if not isinstance(entry, Settle)]
        right = [(e.seat, e.words, e.source) for e in found if isinstance(e, Act)] == [(seat, words, Source.BUTTONS)]
        self.tally.worth["right" if right and len(found) == 1 else "wrong"] += 1
        if not right or len(found) != 1:
            self.tally.jam(f"{seat} meant {' '.join(words)}, recorded: {list(fresh)}, {self._screen(seat)}"[:600])

    def _resign(self) -> Course:
        if not (yield from self._free()):
            return
        seat = yield from self._next()
        mark = len(self._world.entries())
        yield from self._let_back_go()
        yield from self._resign_match(seat)
        fresh = self._world.entries()[mark:]
        if [entry.seat for entry in fresh if isinstance(entry, Resign)] != [seat]:
            self.tally.jam(f"{seat} resigned, recorded: {list(fresh)}")
        self._meant.append(Resign(0.0, seat))
        self.resigned = True

    def _resign_match(self, seat: Seat) -> Course:
        yield from menus.resign(self._world, self._panel(seat), seat)

    def _free(self) -> Generator[Wish, None, bool]:
        yield from self._press_done()
        if self._following() and self._now.pending is not None:
            yield from self._do_pending_order(self._now.pending.seat)
            return False
        return self._following()

    def _next(self) -> Generator[Wish, None, Seat]:
        actors = sorted(self._game.actors(self._now.state))
        if not self._shared:
            return self._rng.choice(actors)
        yield Pause(menus.READ_S)
        for _ in range(2 * len(self._now.start.seats) + 2):
            screen = self._world.screen(SHARED)
            if screen.prompt is None or screen.prompt.message not in {_HAND_TO, _READ, _READ_OPENLY}:
                break
            yield Pause(menus.READ_S)
            yield from self._take_back() if screen.prompt.message == _HAND_TO else iter((Tap(SHARED, Button.CHOOSE),))
        holder = _seat_of(self._world.screen(SHARED).status)
        if holder not in actors:
            raise NotThere(f"the panel is with {holder}, {actors} may act: {self._world.screen(SHARED)}")
        return holder

    def _press(self, seat: Seat, words: Words) -> Course:
        """Enter an action; with secret menus, hold the shared panel's BACK until passed on or the finger tires."""
        state, panel = self._now.state, self._panel(seat)
        if self._secret and not self._sees_own:
            yield from self._let_back_go()
            yield from self._back_held()
        yield from menus.enter(self._world, panel, lambda prefix: self._game.choices(state, seat, prefix), words)

    @property
    def _sees_own(self) -> bool:
        prompt = self._world.screen(SHARED).prompt
        hidden = prompt is not None and prompt.message in {_HOLD, _READ_OPENLY}
        return self._holds is not None and not hidden and self._world.now - self._holds < TIRES_S

    def _take_back(self) -> Course:
        yield from self._let_back_go()
        yield from self._back_held()
        yield Pause(menus.LONG_S)

    def _back_held(self) -> Course:
        yield Hold(SHARED, Button.BACK, True)
        self._holds = self._world.now

    def _let_back_go(self) -> Course:
        if self._holds is not None:
            yield Hold(SHARED, Button.BACK, False)
            self._holds = None

    def _press_done(self) -> Course:
        done = say("Done")
        for name in self._world.oleds:
            menu = self._world.screen(name).menu
            if menu is not None and done in menu.items:
                yield from menus.pick(self._world, name, lambda text: text == done)

    def _do_pending_order(self, seat: Seat) -> Course:
        panel = self._panel(seat)
        if self._world.screen(panel).menu is None:
            yield from menus.press(self._world, panel)
        yield from self._press_done()
        if self._following() and self._now.pending is not None:
            raise NotThere(f"the order is still owed: {self._world.screen(panel)}")

    def _fidget(self, seat: Seat) -> Course:
        others = [] if self._shared else sorted(set(self._now.start.seats) - self._game.actors(self._now.state))
        if others and self._rng.random() < 0.5:
            other = self._rng.choice(others)
            for button in (Button.NEXT, Button.NEXT, Button.BACK):
                yield Tap(other, button)
        elif not self._secret:
            panel = self._panel(seat)
            if self._world.screen(panel).menu is None:
                yield from menus.press(self._world, panel)
            for button in [Button.NEXT] * self._rng.randrange(4):
                yield Tap(panel, button)
            while self._world.screen(panel).menu is not None:
                yield Tap(panel, Button.BACK)

    @property
    def _secret(self) -> bool:
        return self._shared and not self._known.spec.open_menus and self._count > 1

    def _panel(self, seat: Seat) -> str:
        return SHARED if self._shared else seat

    def _screen(self, seat: Seat) -> Screen:
        return self._world.screen(self._panel(seat))


class Onward(Pressers):
    """Players who continue a match after a power cut, or begin one."""

    def whole_match(self, options: Mapping[str, OptionValue]) -> Course:
        self._meant.extend(entry for entry in self._world.entries() if isinstance(entry, Act | Resign))
        if not self._meant or self._following():  # nobody shows any more how it ended
            yield Pause(1.0)
            yield from menus.heed(self._world, self._world.oleds)
            yield from super().whole_match(options)


def shows(world: Timed, display: str) -> bool:
    """Return True if a display's pixels are a page of its screen."""
    oled = world.oleds[display]
    drawn = {page.tobytes() for page in pages(world.screen(display), oled.size, world.language(display))}
    return oled.pixels().tobytes() in drawn


def _seat_of(status: Text | None) -> Seat | None:
    if status is None:
        return None
    if status.message != _TURN:
        parts = (value for _, value in status.args if isinstance(value, Text))
        return next((seat for seat in map(_seat_of, parts) if seat is not None), None)
    return str(dict(status.args)["seat"]).lower()
