"""Players who continue after every fault until the match ends, reading displays afresh."""

from __future__ import annotations

import random
from abc import abstractmethod
from collections.abc import Mapping

import msgspec

from device.key_gestures import Button
from device.session.table import SHARED, KnownGame, Table
from engine.entry import Act, Entry, Resign, Start
from engine.game import OptionValue
from engine.match import Match
from engine.table import Seat
from engine.text import say
from referee_simulator.fault_runs.judge import digest, states
from referee_simulator.fault_runs.world import REPAINTED_S, FaultRun
from referee_simulator.hands.acts import carry_out
from referee_simulator.hands.scripts import finish
from referee_simulator.judge.tally import Tally
from referee_simulator.players import after_refusal, honest_play, menus, reading
from referee_simulator.players.circle import Circle
from referee_simulator.players.decisions import HONEST, Intent, honest
from referee_simulator.players.menus import NotThere
from referee_simulator.players.pressers import Habits, Pressers, shows
from referee_simulator.players.world import Course, Hold, Pause, Tap
from referee_simulator.table.ground_truth import Truth
from referee_simulator.table.holding import Holding
from referee_simulator.table.virtual import Faults

VAIN = 8

BACKS = 8
LOOK_S = 4.0


class Sleepless:
    """The base of both kinds of players. vain: times they went astray without a fault."""

    tally: Tally
    known: KnownGame

    def __init__(self, world: FaultRun, rules: Table, options: Mapping[str, OptionValue], seats: int) -> None:
        self.world, self._rules_known, self._options, self._places = world, rules, options, seats
        self.vain = self.astray = 0
        self.over = False

    def life(self) -> Course:
        self._resume()
        while self.vain <= VAIN:
            try:
                yield from self._let_go()
                yield from self._obey()
                yield from self._match_through()
                return
            except NotThere as lost:
                self.astray += 1
                self.vain += self.world.calm
                self.tally.notes.append(f"{self.world.now:.1f} s: astray: {lost}"[:300])
            try:
                yield from self._gather()
            except NotThere as lost:
                self.tally.notes.append(f"{self.world.now:.1f} s: astray: {lost}"[:300])
            self._resume()
        self.tally.jam("nothing is wrong any more, but the match does not go on")

    def _match_through(self) -> Course:
        panel = SHARED if SHARED in self.world.oleds else "a"
        yield from menus.set_up(self.world, panel, self.known.spec, self._places, self._options)
        yield Pause(2.0)
        self._resume()
        while self._on():
            yield from self._obey()
            yield from self._turn()
        self.world.call()
        while not self.world.calm:
            yield Pause(LOOK_S)
        yield from self._obey()
        yield from self._leaf_back()
        yield Pause(REPAINTED_S + 1.0)
        if self._on():
            raise NotThere("the match was over and is not any more")
        self._check_result()
        self.over = True

    def _obey(self) -> Course:
        """Restart when displays ask for it and no fault is left."""
        if self.world.unsaved and self.world.calm:
            self.world.switch_off()
            while True:  # until it is dark
                yield Pause(1.0)

    def _check_result(self) -> None:
        result = self._present.result
        assert result is not None
        for name in self.world.oleds:
            if self.world.screen(name).prompt != result.text or not shows(self.world, name):
                raise NotThere(f"display {name} does not show the result: {self.world.screen(name)}")

    def _leaf_back(self) -> Course:
        for name in self._panel_names():
            for _ in range(BACKS):
                if self.world.screen(name).menu is None and self.world.screen(name).prompt is not None:
                    break
                yield Tap(name, Button.BACK)

    def _let_go(self) -> Course:
        for name in self._panel_names():
            for button in (Button.BACK, Button.CHOOSE):
                yield Hold(name, button, False)
        yield Pause(1.0)
        yield from menus.heed(self.world, self._panel_names())

    def _gather(self) -> Course:
        yield Pause(LOOK_S)
        yield from self._let_go()
        for name in self._panel_names():
            for _ in range(BACKS):
                menu = self.world.screen(name).menu
                if menu is None:
                    break
                if say("Decline") in menu.items:
                    yield from menus.pick(self.world, name, lambda text: text == say("Decline"))
                else:
                    yield Tap(name, Button.BACK)
        if self._is_paused():
            yield from menus.open_menu(self._panel_names()[0])
            yield from menus.pick(self.world, self._panel_names()[0], lambda text: text == say("Continue"))

    def _is_paused(self) -> bool:
        entries = self.world.entries()
        return bool(entries) and states(self.known, entries)[-1].paused

    def _panel_names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(SHARED if seat is None else seat for seat, _ in self.world.pins.buttons))

    def _learn_game(self) -> None:
        entries = self.world.entries()
        if entries and isinstance(entries[0], Start):
            self.known = self._rules_known.games[entries[0].game]

    @property
    @abstractmethod
    def _present(self) -> Match: ...

    @abstractmethod
    def _on(self) -> bool:
        """Return True while the match goes on."""

    @abstractmethod
    def _turn(self) -> Course: ...

    @abstractmethod
    def _resume(self) -> None:
        """Reread displays and journal."""


class AtButtons(Sleepless, Pressers):
    def __init__(
        self,
        world: FaultRun,
        rules: Table,
        game: str,
        seats: int,
        seed: int,
        options: Mapping[str, OptionValue],
        most: int,
    ) -> None:
        """most: actions before everybody gives up."""
        Sleepless.__init__(self, world, rules, options, seats)
        Pressers.__init__(self, world, rules.games[game], seats, seed, Habits(longest=most))
        self.known = rules.games[game]

    @property
    def _present(self) -> Match:
        return self._now

    def _on(self) -> bool:
        return self._following()

    def _resume(self) -> None:
        self._learn_game()
        self._known, self._game = self.known, self.known.game
        self._match, self._read = None, 0
        self.tally.stuck = 0
        if self.world.entries():
            self._following()
        self._meant = [entry for entry in self.world.entries() if isinstance(entry, Act | Resign)]

    def _turn(self) -> Course:
        if self.tally.actions >= self._habits.longest:
            yield from self._resign()
        else:
            yield from Pressers._turn(self)
        if self.tally.stuck:
            raise NotThere(self.tally.notes[-1])


class AtTable(Sleepless):
    """Players with pieces, who remember each agreed table."""

    def __init__(
        self,
        world: FaultRun,
        rules: Table,
        game: str,
        seats: tuple[Seat, ...],
        seed: int,
        options: Mapping[str, OptionValue],
        most: int,
        holding: Holding | None,
    ) -> None:
        super().__init__(world, rules, options, len(seats))
        self.known, self._most, self._own = rules.games[game], most, rules.games[game]
        self._circle = Circle(world, self.known, seats, seed, holding)
        self._lay: dict[int, tuple[Truth, Holding | None]] = {}
        self._first = world.table.settle(0.0), holding
        self._rng = random.Random(f"{seed}/night")

    @property
    def tally(self) -> Tally:  # type: ignore[override]
        return self._circle.tally

    @property
    def _present(self) -> Match:
        return self._circle.match

    def _on(self) -> bool:
        return self._circle.following() or (self._begun_match() and self._circle.match.result is None)

    @property
    def _other_game(self) -> bool:
        """True if worn buttons have begun another game."""
        return self.known is not self._own

    def _begun_match(self) -> bool:
        return bool(self.world.entries())

    def _resume(self) -> None:
        """Lay pieces and cards as the match has them, unseen; another game has none."""
        self.known = self._own
        self._learn_game()
        self._circle.known, self._circle.game = self.known, self.known.game
        self.tally.stuck = 0
        if self._other_game:
            self._circle.again(None)
            return
        entries = self.world.entries()
        found = states(self.known, entries)
        known = max((n for n, match in enumerate(found) if digest(match) in self._lay), default=-1)
        truth, holding = self._lay[digest(found[known])] if known >= 0 else self._first
        self.world.table.lay(truth)
        self._circle.again(holding)
        for n in range(max(1, known + 1), len(found)):
            self._done_unseen(entries[n], found[n - 1], found[n])

    def _done_unseen(self, entry: Entry, before: Match, after: Match) -> None:
        if not isinstance(entry, Act):
            return
        game, circle, table = self.known.game, self._circle, self.world.table
        action = game.read(before.state, entry.seat, entry.words)
        trace, layout = game.trace(before.state, entry.seat, action), game.layout(before.state)
        brought = (
            () if circle.holding is None else circle.holding.cards_laid_down(before.state, entry.seat, entry.words, 0.5)
        )
        intent = Intent(HONEST, entry.seat, entry.words, True, None if trace.unseen else trace, brought=brought)
        circle.follow_cards(intent, (before.state, after.state))
        if intent.trace is None:
            return
        truth, doer = circle.truth, circle.hand(intent)
        scripts = carry_out(
            trace, layout, truth, mat=table.mat, doer=doer, rng=self._rng, begins=self.world.now, brought=brought
        )
        table.lay(finish(truth, scripts))

    def _turn(self) -> Course:
        circle = self._circle
        if self._other_game or self.tally.actions >= self._most:
            seat = min(circle.game.actors(circle.match.state) or set(circle.seats))
            yield from menus.resign(self.world, seat, seat)
            return
        if not self._is_agreed():
            what = f"owed {circle.match.pending is not None}, alert {circle.alert()}, asked {circle.question()}"
            raise NotThere(f"the table is not as the match has it: {what}, {circle.agrees()}, {circle.prompts()}")
        self._lay[digest(circle.match)] = circle.truth, circle.holding
        planned = honest(circle.game, circle.match.state, circle.rng, 0.3, circle.holding)
        if self.world.table.faults != Faults():
            planned = msgspec.structs.replace(planned, ordered=True)
        yield from honest_play.act(circle, planned)
        if self.tally.stuck:
            raise NotThere(self.tally.notes[-1])

    def _is_agreed(self) -> bool:
        circle = self._circle
        asked = circle.alert() is not None or circle.question() is not None
        return circle.match.pending is None and not asked and circle.agrees()

    def _gather(self) -> Course:
        yield from super()._gather()
        table, circle = self.world.table, self._circle
        table.faults = Faults(black=True)
        yield Pause(LOOK_S)
        self._resume()
        table.faults = Faults()
        yield Pause(2 * LOOK_S)
        yield from circle.answer(reading.NOTHING)
        if reading.asks_consent(self.world, circle.seats):
            yield from reading.agree_all(self.world, circle.seats)
        if not self._begun_match():
            return
        circle.following()
        if circle.match.pending is not None:
            yield from after_refusal.confirm_done(circle, circle.match.pending.seat)
        if circle.alert() is not None:
            yield from after_refusal.put_right(circle, circle.seats[0])
