"""Simulated players: they decide, press, handle pieces, answer questions, and recover from refusals."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from device.session.table import KnownGame
from engine.game import OptionValue
from engine.table import Seat
from referee_simulator.hands.acts import gesture
from referee_simulator.judge.tally import Tally
from referee_simulator.players import cheating, honest_play, menus
from referee_simulator.players.circle import Circle
from referee_simulator.players.decisions import Intent, cheat, honest, improvise_cheat
from referee_simulator.players.improvised import mischief
from referee_simulator.players.menus import NotThere
from referee_simulator.players.world import Course, Handle, Pause, World
from referee_simulator.table.holding import Holding


class Manner(msgspec.Struct, frozen=True):
    """Playing style. Rates per action: cheats, unneeded orders, idle gestures.

    whim_rate: share of cheats that are improvised
    longest: actions after which a match is broken off"""

    cheat_rate: float = 0.0
    whim_rate: float = 0.25
    press_rate: float = 0.1
    gesture_rate: float = 0.3
    longest: int = 150


class Players:
    """All players of one match. `tally` is the judge's, who knows the ground truth."""

    def __init__(
        self,
        world: World,
        known: KnownGame,
        seats: tuple[Seat, ...],
        seed: int,
        manner: Manner,
        *,
        holding: Holding | None = None,
    ) -> None:
        """holding: the real cards."""
        self._circle = Circle(world, known, seats, seed, holding)
        self._manner = manner

    @property
    def tally(self) -> Tally:
        return self._circle.tally

    @property
    def broken_off(self) -> bool:
        """Return True if the match was left after the manner's longest."""
        return self.tally.actions >= self._manner.longest and self._circle.match.result is None

    def hold(self, holding: Holding | None) -> None:
        """Set the real cards once dealt, if options were unknown before."""
        self._circle.holding = holding

    def whole_match(self, options: Mapping[str, OptionValue]) -> Course:
        circle = self._circle
        try:
            yield from menus.set_up(circle.world, circle.seats[0], circle.known.spec, len(circle.seats), options)
            yield Pause(2.0)
            while circle.following() and circle.tally.actions < self._manner.longest:
                yield from self._turn()
        except NotThere as lost:
            circle.tally.jam(str(lost)[:400])

    def _turn(self) -> Course:
        circle, rng = self._circle, self._circle.rng
        planned = honest(circle.game, circle.match.state, rng, self._manner.press_rate, circle.holding)
        if rng.random() < self._manner.gesture_rate:
            yield Handle((gesture(circle.world, circle.doer(planned.by), rng),))
        wrong = self._temptation(planned) if rng.random() < self._manner.cheat_rate else None
        if wrong is None:
            yield from honest_play.act(circle, planned)
        else:
            yield from cheating.act(circle, wrong, planned)

    def _temptation(self, planned: Intent) -> Intent | None:
        circle, rng = self._circle, self._circle.rng
        state = circle.match.state
        if rng.random() >= self._manner.whim_rate:
            wrong = cheat(circle.game, state, planned, rng, circle.holding)
            possible = wrong is not None and circle.feasible(wrong, circle.game.layout(state))
            return wrong if possible else None
        mat, now, seat = circle.world.table.mat, circle.world.now, rng.choice(circle.seats)
        trick = mischief(circle.truth, circle.zones, mat=mat, doer=circle.doer(seat), rng=rng, begins=now)
        return None if trick is None else improvise_cheat(circle.game, state, seat, trick, circle.seats)
