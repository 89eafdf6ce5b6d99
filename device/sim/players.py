"""Simulated players: they decide, press, handle pieces, answer what they are asked, and put right what was refused."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

import msgspec

from device.session.table import Known
from device.sim import menus, reading
from device.sim.acts import Doer, carry_out, put_back
from device.sim.deeds import Deed, cheat, honest
from device.sim.gestures import gesture
from device.sim.menus import NotThere
from device.sim.places import Care
from device.sim.tally import Ending, Tally
from device.sim.truth import Truth, layout
from device.sim.world import Course, Handle, Pause, World
from engine.entry import Act, Entry, Settle, Start
from engine.game import OptionValue
from engine.match import Match, advance, begin
from engine.table import Layout, Seat, Trace

SETTLE_S = 5.0
"""Longer than the referee waits before it reminds somebody."""


class Manner(msgspec.Struct, frozen=True):
    """How a table plays. Rates are per action: cheats, orders pressed where it need not be, idle gestures.

    longest: actions after which a match is broken off.
    """

    cheat_rate: float = 0.0
    press_rate: float = 0.1
    gesture_rate: float = 0.3
    longest: int = 150


class Players:
    """Everybody at one table, through one match. `tally` is the judge's, who knows what was truly done."""

    def __init__(self, world: World, known: Known, seats: tuple[Seat, ...], seed: int, manner: Manner) -> None:
        self._world, self._known, self._game, self._seats = world, known, known.game, seats
        self._manner = manner
        self._rng = random.Random(f"{seed}/players")
        self._match: Match | None = None
        self._read = 0
        scene = world.table.scene
        self._care = Care(scene.jitter_mm, scene.jitter_deg)
        self.tally = Tally()

    def evening(self, options: Mapping[str, OptionValue]) -> Course:
        """From power-on to the end of one match."""
        try:
            yield from menus.set_up(self._world, self._seats[0], self._known.spec, len(self._seats), options)
            yield Pause(2.0)
            while self._following() and self.tally.actions < self._manner.longest:
                yield from self._turn()
        except NotThere as lost:
            self.tally.jam(str(lost)[:400])

    def _following(self) -> bool:
        """True while the match goes on. Players keep up with the journal, as they do by watching."""
        for entry in self._world.entries()[self._read :]:
            if isinstance(entry, Start):
                self._match = begin(self._game, entry)
            elif self._match is not None:
                self._match = advance(self._game, self._match, entry)[0]
            self._read += 1
        return self._match is not None and self._match.result is None and not self.tally.stuck

    @property
    def _now(self) -> Match:
        if self._match is None:
            raise NotThere("the match has not begun")
        return self._match

    def _turn(self) -> Course:
        planned = honest(self._game, self._now.state, self._rng, self._manner.press_rate)
        if self._rng.random() < self._manner.gesture_rate:
            yield Handle((gesture(self._world, self._doer(planned.by), self._rng),))
        wrong = None
        if self._rng.random() < self._manner.cheat_rate:
            wrong = cheat(self._game, self._now.state, planned, self._seats, self._rng)
        if wrong is None:
            yield from self._honestly(planned)
        else:
            yield from self._wrongly(wrong, planned)

    # An honest action.

    def _honestly(self, deed: Deed) -> Course:
        state, mark = self._now.state, len(self._world.entries())
        before = self._game.layout(state)
        if deed.ordered:
            yield from self._order(deed)
        if deed.trace is not None:
            yield from self._handle(deed, deed.trace, before)
            if self._honest_ending(deed, state, mark).worth == "wrong" and self._alert() is None:
                yield Pause(SETTLE_S)
        ending = self._honest_ending(deed, state, mark)
        if ending.worth == "asked":
            yield from reading.answer(self._world, self._seats, reading.truths(self._game, state, deed))
            yield Pause(0.5)
            worth = self._worth(deed, state, mark)
            ending = ending if worth.worth == "right" else worth
        self.tally.honest(deed, ending)
        if ending.worth == "wrong":
            self.tally.jam(f"the referee believes something else than what {deed.by} did: {' '.join(deed.words)}")

    def _order(self, deed: Deed) -> Course:
        state = self._now.state
        yield from menus.enter(
            self._world, deed.by, lambda prefix: self._game.choices(state, deed.by, prefix), deed.words
        )
        yield Pause(0.2)

    def _honest_ending(self, deed: Deed, state: object, mark: int) -> Ending:
        if (asked := self._question()) is not None:
            return Ending("asked", note=str(asked))
        if self._alert() is not None:
            return Ending("wrong", accused=True, note=f"refused: {self._alert()}")
        return self._worth(deed, state, mark)

    def _worth(self, deed: Deed, state: object, mark: int) -> Ending:
        """Right if exactly this was recorded, and nothing that was ordered is still owed."""
        fresh: Sequence[Entry] = self._world.entries()[mark:]
        acts = [entry for entry in fresh if isinstance(entry, Act)]
        settled = any(isinstance(entry, Settle) for entry in fresh)
        expected = [(deed.by, self._game.read(state, deed.by, deed.words))]
        found = [(act.seat, self._game.read(state, act.seat, act.words)) for act in acts[:1]]
        if found != expected or len(acts) != 1:
            return Ending("wrong", note=f"recorded {[(a.seat, *a.words) for a in acts]}, {self._prompts()}")
        self._following()
        if deed.ordered and deed.trace is not None and not settled and self._now.result is None:
            return Ending("wrong", note=f"not seen to be carried out, {self._prompts()}")
        return Ending("right")

    # A cheat, and putting it right again.

    def _wrongly(self, deed: Deed, planned: Deed) -> Course:
        state = self._now.state
        before = self._game.layout(state)
        if deed.ordered:
            first = len(self._world.entries())
            yield from self._order(planned)
            if not self._following():  # the order ended the match: what hands do now is nobody's business
                self.tally.honest(planned, self._worth(planned, state, first))
                return
        mark = len(self._world.entries())
        wanted = self._world.table.settle(self._world.now)
        if deed.trace is not None:
            yield from self._handle(deed, deed.trace, before)
        if self._alert() is None and self._question() is None and len(self._world.entries()) == mark:
            yield Pause(SETTLE_S)
        ending = self._cheat_ending(mark)
        self.tally.cheat(deed, ending)
        if ending.worth == "asked":
            yield from reading.answer(self._world, self._seats, ())
        if len(self._world.entries()) > mark:
            self._following()
            self._after_belief(deed)
            return
        yield from self._put_back(wanted, deed)
        if deed.ordered and not self.tally.stuck:
            yield from self._finish_order(planned, before, mark)

    def _cheat_ending(self, mark: int) -> Ending:
        fresh = self._world.entries()[mark:]
        if fresh:
            return Ending("wrong", note=f"believed: {list(fresh)}")
        if (asked := self._question()) is not None:
            return Ending("asked", note=str(asked))
        if (refused := self._alert()) is not None:
            return Ending("right", note=refused)
        return Ending("wrong", note=f"not noticed, {self._prompts()}")

    def _after_belief(self, deed: Deed) -> None:
        """What was believed and looks like a legal action is one; otherwise belief and truth have parted."""
        if deed.visible:
            self.tally.jam(f"a cheat was believed: {deed.kind}")
        elif not self._agrees():
            self.tally.jam(f"an invisible cheat parted belief and truth: {deed.kind}")

    def _agrees(self) -> bool:
        believed = self._game.layout(self._now.state)
        names = [zone.zone for zone in believed.zones]
        table = self._world.table
        shown = layout(table.settle(self._world.now), table.mat, names)
        return all(
            sorted(map(str, was.pieces)) == sorted(map(str, now.pieces))
            for was, now in zip(believed.zones, shown.zones, strict=True)
        )

    def _put_back(self, wanted: Truth, deed: Deed) -> Course:
        table = self._world.table
        scripts = put_back(
            wanted,
            table.settle(self._world.now),
            mat=table.mat,
            doer=self._hand(deed),
            rng=self._rng,
            begins=self._world.now,
        )
        if any(script.strokes for script in scripts):
            yield Handle(scripts)
        yield Pause(1.0)
        if self._alert() is not None or self._question() is not None:
            yield Pause(SETTLE_S)
        yield from reading.answer(self._world, self._seats, reading.NOTHING)
        moved = deed.trace is not None and bool(deed.trace.moves or deed.trace.turned)
        if moved and self._alert() is not None and not deed.ordered:
            self.tally.accusations += 1
            self.tally.jam(f"put back after {deed.kind}, but still refused: {self._alert()}, {self._prompts()}")

    def _finish_order(self, planned: Deed, before: Layout, mark: int) -> Course:
        """After a wrong execution was put right, the order is carried out as it was given."""
        if planned.trace is None:
            return
        yield from self._handle(planned, planned.trace, before)
        asked = self._question() is not None
        yield from reading.answer(self._world, self._seats, reading.truths(self._game, self._now.state, planned))
        settled = any(isinstance(entry, Settle) for entry in self._world.entries()[mark:])
        accused = not settled and self._alert() is not None
        worth = "wrong" if not settled else "asked" if asked else "right"
        self.tally.honest(planned, Ending(worth, accused, self._prompts()))
        if not settled:
            self.tally.jam(f"an order was not seen to be carried out: {' '.join(planned.words)}")

    # Displays and hands.

    def _alert(self) -> str | None:
        return reading.alert(self._world, self._seats)

    def _question(self) -> tuple[Seat, tuple[str, ...]] | None:
        return reading.question(self._world, self._seats)

    def _prompts(self) -> str:
        return reading.prompts(self._world, self._seats)

    def _handle(self, deed: Deed, trace: Trace, before: Layout) -> Course:
        table = self._world.table
        truth, doer = table.settle(self._world.now), self._hand(deed)
        yield Handle(carry_out(trace, before, truth, mat=table.mat, doer=doer, rng=self._rng, begins=self._world.now))

    def _hand(self, deed: Deed) -> Doer:
        """The hand that does it: one of those that the trace allows, otherwise the seat's own."""
        hands = deed.trace.hands if deed.trace is not None else frozenset[Seat]()
        return self._doer(self._rng.choice(sorted(hands)) if hands else deed.by)

    def _doer(self, seat: Seat) -> Doer:
        table = self._world.table
        look = (table.scene.seed * 7 + ord(seat) * 11) % 30
        return Doer(seat, table.sides[seat], self._care, look, self._rng.uniform(0.8, 1.3))
