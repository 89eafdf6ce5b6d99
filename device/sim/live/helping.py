"""A hand that helps whoever plays by phone at a virtual table: it carries out what was ordered and moves pieces.

The referee knows nothing of it: the camera sees that hand like any other. It waits a while, so that a person who plays
on the bench may be the first, and does what an order says once. As long as somebody has moved something meanwhile, it
is theirs to finish. Where nobody can say what there is to do before the top card of a pile shows its face, that hand
turns it up unasked.
"""

from __future__ import annotations

import random

from device.clock import Clock
from device.sim.hands.acts import Doer, carry_out
from device.sim.live.cards import looks
from device.sim.live.dealing import Dealing, Lacking
from device.sim.live.stage import LiveStage
from device.sim.live.turning import Turning
from device.sim.table.places import bodies_at, care_in
from device.sim.table.truth import Body, Truth
from device.sim.table.virtual import Refused
from engine.match import Owed
from engine.table import Face, Order
from engine.text import Text, say
from vision.mat import Mat

LOOK_S = 0.2
AFTER_S = 1.5
"""So long nobody else may have begun."""

PACE = 1.2
LACKING = say("Your cards cannot do that. Take it back in the menu, or correct the referee there.")


class Helping:
    """One hand for one table. Cards it takes out of the hand of whoever ordered it: that seat's page picks which one is
    laid face down, or else chance does."""

    def __init__(self, stage: LiveStage, dealing: Dealing, clock: Clock, seed: int) -> None:
        self._stage, self._dealing, self._clock = stage, dealing, clock
        self._rng = random.Random(seed)
        self._due: Owed | Turning | None = None
        self._since: float | None = None

    async def run(self) -> None:
        """Until cancelled."""
        while True:
            self.look()
            await self._clock.sleep_until(self._clock.now() + LOOK_S)

    def look(self) -> None:
        """Begins what is owed, or what the pile alone decides, if it is time."""
        due, now = self._dealing.owed or self._dealing.turning, self._clock.now()
        if due != self._due:
            self._due, self._since = due, now
            self._stage.lacks = {}
            if isinstance(due, Owed):
                self._stage.laid = {seat: card for seat, card in self._stage.laid.items() if seat != due.seat}
        if due is None or self._since is None or now < self._since + AFTER_S or not self._free():
            return
        if isinstance(due, Owed):
            self._carry_out(due)
        elif due.due.trace.declared:
            self._since = None
            self._stage.lacks = {
                due.due.seat: say("Top card of the pile: {card}. Choose that in the list.", card=Text(due.card))
            }
        else:
            self._carry_out(due.due)

    def _free(self) -> bool:
        stage = self._stage
        return stage.auto() == "off" and stage.table.resting(self._clock.now())

    def _carry_out(self, owed: Owed) -> None:
        stage, now = self._stage, self._clock.now()
        table = stage.table
        truth = table.settle(now)
        if not looks(truth, table.mat, owed.before):
            return  # it is looked at again: what is moved may be put back
        self._since = None
        picked = stage.picked(owed.seat) is not None
        try:
            truth, brought = self._dealing.readied(owed, truth, self._rng.random())
        except Lacking:
            if (turning := self._dealing.turning) is not None and not turning.due.trace.declared:
                self._carry_out(turning.due)  # whatever was said of the pile's top card, it shows what it shows
            else:
                stage.lacks = {owed.seat: LACKING}
            return
        seat = min(owed.trace.hands, default=owed.seat)
        doer = Doer(seat, table.sides[seat], care_in(table.scene), look=ord(seat) * 7, pace=PACE)
        try:
            stage.act(
                carry_out(
                    owed.trace,
                    owed.before,
                    truth,
                    mat=table.mat,
                    doer=doer,
                    rng=self._rng,
                    begins=now,
                    brought=brought,
                )
            )
        except Refused:
            self._since = now  # another hand is at work there
            return
        if brought and not picked:
            stage.laid = {**stage.laid, owed.seat: brought[0]}
        if seen := _looked_at(owed, truth, table.mat):
            stage.looked = {**stage.looked, seat: seen}


def _looked_at(owed: Owed, truth: Truth, mat: Mat) -> tuple[Body, ...]:
    """The pieces whose hidden faces an order has somebody look at; of a pile it takes up what it shows to nobody."""
    piles = {zone.zone for zone in owed.before.zones if zone.order is Order.PILE}
    here = bodies_at(owed.before, truth, mat)
    lifted = (here[spot] for spot in sorted(owed.trace.lifted) if spot.zone not in piles)
    return tuple(body for body in lifted if body.face is Face.DOWN)
