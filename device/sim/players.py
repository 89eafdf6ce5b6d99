"""Simulated players: they decide, press, handle pieces, answer what they are asked, and put right what was refused."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

import msgspec

from device.session.table import Known
from device.sim import menus
from device.sim.acts import Doer, carry_out, put_back
from device.sim.deeds import Deed, cheat, honest
from device.sim.gestures import gesture
from device.sim.menus import NotThere
from device.sim.places import Care
from device.sim.tally import Ending, Tally
from device.sim.world import Course, Handle, Pause, World
from engine.entry import Act, Entry, Settle
from engine.game import OptionValue, Words
from engine.match import Match, advance, begin
from engine.table import Seat
from engine.text import Text, say

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
    """Everybody at one table, through one match."""

    def __init__(self, world: World, known: Known, seats: tuple[Seat, ...], seed: int, manner: Manner) -> None:
        self._world, self._known, self._seats, self._manner = world, known, seats, manner
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
            self._match = self._folded(entry)
            self._read += 1
        return self._match is not None and self._match.result is None and not self.tally.stuck

    def _folded(self, entry: Entry) -> Match:
        if self._match is None:
            return begin(self._known.game, entry)  # type: ignore[arg-type]  # the first entry is the Start
        return advance(self._known.game, self._match, entry)[0]

    @property
    def _now(self) -> Match:
        assert self._match is not None
        return self._match

    def _turn(self) -> Course:
        planned = honest(self._known.game, self._now.state, self._rng, self._manner.press_rate)
        if self._rng.random() < self._manner.gesture_rate:
            yield Handle((gesture(self._world, self._doer(planned.by), self._rng),))
        wrong = None
        if self._rng.random() < self._manner.cheat_rate:
            wrong = cheat(self._known.game, self._now.state, planned, self._seats, self._rng)
        if wrong is None:
            yield from self._honestly(planned)
        else:
            yield from self._wrongly(wrong, planned)

    # An honest action.

    def _honestly(self, deed: Deed) -> Course:
        state, mark = self._now.state, len(self._world.entries())
        before = self._known.game.layout(state)
        if deed.ordered:
            yield from self._order(deed)
        if deed.trace is not None:
            scripts = carry_out(
                deed.trace,
                before,
                self._world.table.settle(self._world.now),
                mat=self._world.table.mat,
                doer=self._hand(deed),
                rng=self._rng,
                begins=self._world.now,
            )
            yield Handle(scripts)
            if self._honest_ending(deed, state, mark).worth == "wrong" and self._alert() is None:
                yield Pause(SETTLE_S)
        ending = self._honest_ending(deed, state, mark)
        if ending.worth == "asked":
            yield from self._answer(deed)
            yield Pause(0.5)
            ending = self._after_answer(ending, deed, state, mark)
        elif ending.accused or ending.worth == "wrong":
            ending = msgspec.structs.replace(ending, note=f"{ending.note} {self._seen()}")
        self.tally.honest(deed, ending)
        self._following()
        if ending.worth == "wrong":
            self.tally.jam(f"the referee believes something else than what {deed.by} did: {' '.join(deed.words)}")

    def _order(self, deed: Deed) -> Course:
        game, state = self._known.game, self._now.state
        yield from menus.enter(self._world, deed.by, lambda prefix: game.choices(state, deed.by, prefix), deed.words)
        yield Pause(0.2)

    def _honest_ending(self, deed: Deed, state: object, mark: int) -> Ending:
        fresh = self._world.entries()[mark:]
        if self._question() is not None:
            return Ending("asked", note=str(self._question()))
        if self._alert() is not None:
            return Ending("wrong", accused=True, note=f"refused: {self._alert()}")
        return self._worth(deed, state, fresh)

    def _worth(self, deed: Deed, state: object, fresh: Sequence[Entry]) -> Ending:
        """Right if exactly this was recorded, and nothing that was ordered is still owed."""
        acts = [entry for entry in fresh if isinstance(entry, Act)]
        settled = any(isinstance(entry, Settle) for entry in fresh)
        expected = [(deed.by, self._known.game.read(state, deed.by, deed.words))]
        found = [(act.seat, self._known.game.read(state, act.seat, act.words)) for act in acts[:1]]
        if found != expected or len(acts) != 1:
            return Ending("wrong", note=f"recorded {[(a.seat, *a.words) for a in acts]}")
        self._following()
        if deed.ordered and deed.trace is not None and not settled and self._now.result is None:
            return Ending("wrong", note="not seen to be carried out")
        return Ending("right")

    def _after_answer(self, asked: Ending, deed: Deed, state: object, mark: int) -> Ending:
        worth = self._worth(deed, state, self._world.entries()[mark:])
        return asked if worth.worth == "right" else worth

    # A cheat, and putting it right again.

    def _wrongly(self, deed: Deed, planned: Deed) -> Course:
        assert deed.trace is not None
        state = self._now.state
        if deed.ordered:
            first = len(self._world.entries())
            yield from self._order(planned)
            if not self._following():  # the order ended the match: what hands do now is nobody's business
                self.tally.honest(planned, self._worth(planned, state, self._world.entries()[first:]))
                return
        mark = len(self._world.entries())
        wanted = self._world.table.settle(self._world.now)
        before = self._known.game.layout(state)
        scripts = carry_out(
            deed.trace,
            before,
            wanted,
            mat=self._world.table.mat,
            doer=self._hand(deed),
            rng=self._rng,
            begins=self._world.now,
        )
        yield Handle(scripts)
        if self._alert() is None and self._question() is None and len(self._world.entries()) == mark:
            yield Pause(SETTLE_S)
        ending = self._cheat_ending(mark)
        self.tally.cheat(deed, ending)
        if ending.worth == "asked":
            yield from self._answer(deed)
        if len(self._world.entries()) > mark:
            self._following()
            self._after_belief(deed)
            return
        yield from self._put_back(wanted, deed)
        if deed.ordered:
            yield from self._finish_order(planned, before, mark)

    def _cheat_ending(self, mark: int) -> Ending:
        fresh = self._world.entries()[mark:]
        if fresh:
            return Ending("wrong", note=f"believed: {list(fresh)} {self._seen()}")
        if self._question() is not None:
            return Ending("asked", note=str(self._question()))
        if self._alert() is not None:
            return Ending("right", note=str(self._alert()))
        return Ending("wrong", note=f"not noticed {self._seen()}")

    def _after_belief(self, deed: Deed) -> None:
        """What was believed and could not be told from a legal action is taken for it; otherwise belief has parted."""
        if deed.visible:
            self.tally.jam(f"a cheat was believed: {deed.kind}")
        elif not self._agrees():
            self.tally.jam(f"an invisible cheat parted belief and truth: {deed.kind}")

    def _agrees(self) -> bool:
        from device.sim.truth import layout

        names = [zone.zone for zone in self._known.game.layout(self._now.state).zones]
        shown = layout(self._world.table.settle(self._world.now), self._world.table.mat, names)
        return {z.zone: sorted(map(str, z.pieces)) for z in shown.zones} == {
            z.zone: sorted(map(str, z.pieces)) for z in self._known.game.layout(self._now.state).zones
        }

    def _put_back(self, wanted: object, deed: Deed) -> Course:
        from device.sim.truth import Truth

        assert isinstance(wanted, Truth)
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
        if self._question() is not None:
            yield from self._answer(deed, nothing=True)
        moved = bool(deed.trace and (deed.trace.moves or deed.trace.turned))
        if self._alert() is not None and deed.visible and moved and not deed.ordered:
            self.tally.accusations += 1
            self.tally.jam(f"put back after {deed.kind}, but still refused: {self._alert()} {self._seen()}")

    def _finish_order(self, planned: Deed, before: object, mark: int) -> Course:
        """After a wrong execution was put right, the order is carried out as it was given."""
        from engine.table import Layout

        assert planned.trace is not None
        assert isinstance(before, Layout)
        if self.tally.stuck:
            return
        table = self._world.table
        scripts = carry_out(
            planned.trace,
            before,
            table.settle(self._world.now),
            mat=table.mat,
            doer=self._hand(planned),
            rng=self._rng,
            begins=self._world.now,
        )
        yield Handle(scripts)
        if self._question() is not None:
            yield from self._answer(planned)
        settled = any(isinstance(entry, Settle) for entry in self._world.entries()[mark:])
        worth = "right" if settled else "wrong"
        self.tally.honest(planned, Ending(worth, accused=not settled and self._alert() is not None, note=self._seen()))
        if not settled:
            self.tally.jam(f"an order was not seen to be carried out after {planned.words}")
        self._following()

    # What displays say.

    def _alert(self) -> str | None:
        """A refusal that everybody at the table reads."""
        alerts = {str(self._world.screen(seat).alert) for seat in self._seats if self._world.screen(seat).alert}
        return min(alerts) if alerts else None

    def _question(self) -> tuple[Seat, tuple[str, ...]] | None:
        for seat in self._seats:
            screen = self._world.screen(seat)
            if screen.prompt == say("What happened?") and screen.menu is not None:
                return seat, tuple(str(item) for item in screen.menu.items)
        return None

    def _answer(self, deed: Deed, *, nothing: bool = False) -> Course:
        question = self._question()
        if question is None:
            return
        seat, items = question
        done = "Nothing was done" if nothing else self._in_words(deed.by, deed.words)
        wanted = next((item for item in items if item == done and (nothing or deed.honest)), None)
        if wanted is None and deed.honest and "Done as ordered" in items:
            wanted = "Done as ordered"
        chosen = wanted or "Something else"
        yield from menus.pick(self._world, seat, lambda text: str(text) == chosen)
        yield Pause(0.3)

    def _in_words(self, seat: Seat, words: Words) -> str:
        """An action as the referee's menu reads it."""
        texts: list[Text | str] = []
        for depth, word in enumerate(words):
            choices = self._known.game.choices(self._now.state, seat, words[:depth])
            texts.append(next((choice.text for choice in choices if choice.word == word), word))
        return f"{seat.upper()}: {' '.join(map(str, texts))}"

    def _seen(self) -> str:
        return str({seat: str(self._world.screen(seat).prompt) for seat in self._seats})

    # Hands.

    def _hand(self, deed: Deed) -> Doer:
        """The hand that does it: one of those that the trace allows, otherwise the seat's own."""
        hands = deed.trace.hands if deed.trace is not None else frozenset()
        seat = self._rng.choice(sorted(hands)) if hands else deed.by
        return self._doer(seat)

    def _doer(self, seat: Seat) -> Doer:
        table = self._world.table
        look = (table.scene.seed * 7 + ord(seat) * 11) % 30
        return Doer(seat, table.sides[seat], self._care, look, self._rng.uniform(0.8, 1.3))
