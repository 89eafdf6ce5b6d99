"""All players at a table: their view of match and displays, and their hands."""

from __future__ import annotations

import random
from collections.abc import Sequence

from device.session.table import KnownGame
from engine.entry import Entry, Start
from engine.game import Words
from engine.match import Match, advance, begin
from engine.table import Layout, Seat, Trace
from referee_simulator.hands.acts import Doer, carry_out
from referee_simulator.hands.restoring import put_back
from referee_simulator.hands.scripts import finish
from referee_simulator.judge.tally import Tally
from referee_simulator.players import reading
from referee_simulator.players.decisions import Intent
from referee_simulator.players.menus import NotThere
from referee_simulator.players.world import Course, Handle, Pause, World
from referee_simulator.table.ground_truth import Truth, layout, looks
from referee_simulator.table.holding import Holding
from referee_simulator.table.places import bodies_at, care_in

SETTLE_S = 5.0


class Circle:
    """The seats of a match. `tally` belongs to the judge."""

    def __init__(
        self, world: World, known: KnownGame, seats: tuple[Seat, ...], seed: int, holding: Holding | None = None
    ) -> None:
        """holding: the real cards."""
        self.world, self.known, self.game, self.seats = world, known, known.game, seats
        self.rng = random.Random(f"{seed}/players")
        self.tally = Tally(lambda: world.now)
        self.holding = holding
        self._left = False
        self._match: Match | None = None
        self._read = 0
        scene = world.table.scene
        self._care = care_in(scene)

    def following(self) -> bool:
        """Catch up with the journal; return True while the match goes on, unless stuck or left."""
        for entry in self.world.entries()[self._read :]:
            if isinstance(entry, Start):
                self._match = begin(self.game, entry)
            elif self._match is not None:
                self._match = advance(self.game, self._match, entry)[0]
            self._read += 1
        return self._match is not None and self._match.result is None and not self.tally.stuck and not self._left

    def again(self, holding: Holding | None) -> None:
        """Reread the journal after a restart. holding: the present cards."""
        self._match, self._read, self._left, self.holding = None, 0, False, holding
        self.following()

    def leave(self) -> None:
        """Abandon a match whose belief invisibly differs from the truth."""
        self._left = True

    @property
    def match(self) -> Match:
        """The match as followed. Raises NotThere before it begins."""
        if self._match is None:
            raise NotThere("the match has not begun")
        return self._match

    def fresh(self, mark: int) -> Sequence[Entry]:
        return self.world.entries()[mark:]

    @property
    def mark(self) -> int:
        return len(self.world.entries())

    def alert(self) -> str | None:
        return reading.alert(self.world, self.seats)

    def question(self) -> tuple[Seat, tuple[str, ...]] | None:
        return reading.question(self.world, self.seats)

    def timeout(self) -> Course:
        """Wait for the referee's decision, and once more if it still waits."""
        yield Pause(SETTLE_S)
        if self.alert() is None and self.question() is None and reading.is_undecided(self.world, self.seats):
            yield Pause(SETTLE_S)

    def prompts(self) -> str:
        return reading.prompts(self.world, self.seats)

    def answer(self, truth: tuple[str, ...]) -> Course:
        yield from reading.answer(self.world, self.seats, truth)

    @property
    def truth(self) -> Truth:
        return self.world.table.settle(self.world.now)

    @property
    def zones(self) -> tuple[str, ...]:
        return tuple(zone.zone for zone in self.game.layout(self.match.state).zones)

    def check(self, words: Words) -> None:
        if self.holding is not None:
            shown = layout(self.truth, self.world.table.mat, self.zones)
            self.tally.compare(self.holding.figures(self.match.state, shown), words)

    def agrees(self) -> bool:
        """Return True if the table looks as the referee believes."""
        return looks(self.truth, self.world.table.mat, self.game.layout(self.match.state))

    def handle(self, intent: Intent, trace: Trace, before: Layout) -> Course:
        table = self.world.table
        truth, doer, begins = self.truth, self.hand(intent), self.world.now
        scripts = intent.scripts or carry_out(
            trace, before, truth, mat=table.mat, doer=doer, rng=self.rng, begins=begins, brought=intent.brought
        )
        yield Handle(scripts)

    def follow_cards(self, intent: Intent, states: tuple[object, object]) -> None:
        """Apply draws, shuffles and other changes of real cards."""
        if self.holding is None:
            return
        before, mat = self.game.layout(states[0]), self.world.table.mat
        truth = self.holding.rename_piles(self.truth, mat)
        self.holding = self.holding.after(states, intent.by, intent.words, intent.brought)
        trace = intent.trace or Trace(self.game.layout(states[1]))
        handled = bodies_at(before, truth, mat)
        self.world.table.lay(self.holding.restack_piles(truth, mat, trace, handled, intent.brought))

    def feasible(self, intent: Intent, before: Layout) -> bool:
        """Return True if the real pieces can produce the trace's layout."""
        table = self.world.table
        if intent.trace is None or intent.scripts:
            return True
        try:
            scripts = carry_out(
                intent.trace,
                before,
                self.truth,
                mat=table.mat,
                doer=self.doer(intent.by),
                rng=random.Random(0),
                begins=self.world.now,
                brought=intent.brought,
            )
        except KeyError:
            return False
        wanted = Layout(tuple(zone for zone in intent.trace.layout.zones if zone.zone in self.zones))
        return looks(finish(self.truth, scripts), table.mat, wanted)

    def restore(self, wanted: Truth, intent: Intent, anew: frozenset[int] = frozenset()) -> Course:
        """Put everything back. anew: see `put_back`."""
        mat, hand = self.world.table.mat, self.hand(intent)
        scripts = put_back(wanted, self.truth, anew, mat=mat, doer=hand, rng=self.rng, begins=self.world.now)
        if any(script.strokes for script in scripts):
            yield Handle(scripts)

    def hand(self, intent: Intent) -> Doer:
        """Return a hand that the trace allows, else the seat's own."""
        hands = intent.trace.hands if intent.trace is not None else frozenset[Seat]()
        return self.doer(self.rng.choice(sorted(hands)) if hands else intent.by)

    def doer(self, seat: Seat) -> Doer:
        table = self.world.table
        look = (table.scene.seed * 7 + ord(seat) * 11) % 30
        return Doer(seat, table.sides[seat], self._care, look, self.rng.uniform(0.8, 1.3))
