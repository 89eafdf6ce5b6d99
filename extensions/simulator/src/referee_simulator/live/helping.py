"""A hand that carries out orders for people on phones at a virtual table.

It lets people act first, and puts back undone actions. If things were moved otherwise, it waits, then lays the table as
believed. It turns up a pile's top card if that decides the action."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection

from device.clock import Clock
from engine.match import PendingOrder
from engine.table import Arrangement, Face, Layout, Seat, Trace
from engine.text import Text, say
from referee_simulator.hands.acts import Doer, carry_out
from referee_simulator.live.dealing import Dealing, Lacking
from referee_simulator.live.hidden_pile import Turning
from referee_simulator.live.live_stage import PICK, LiveStage
from referee_simulator.live.undoing import Back
from referee_simulator.panel.words import LABEL, WORDS
from referee_simulator.table.ground_truth import Body, Truth, looks
from referee_simulator.table.places import bodies_at, care_in
from referee_simulator.table.virtual import Refused
from vision.mat import Mat

LOOK_S = 0.2
AFTER_S = 1.5

STUCK_S = 6.0
"""Seconds that a wrong table must rest before it is laid for an order, or pages explain the wait."""

PACE = 1.2
LACKING = say("You don't hold the cards for this. Undo it or correct the referee in the menu; otherwise tap Done.")
WAITS = say(
    "The demo's pieces don't match the game. Tap “{set_out}” under “{bench}” on the table's page.",
    set_out=WORDS["set-out"],
    bench=LABEL,
)


class Helping:
    """A table's helping hand. The ordering seat's page picks cards to lay face down; chance does for seats without a
    page."""

    def __init__(
        self,
        stage: LiveStage,
        dealing: Dealing,
        clock: Clock,
        seed: int,
        paged: Callable[[], Collection[Seat]] = frozenset,
    ) -> None:
        """paged: returns the seats with a page."""
        self._stage, self._dealing, self._clock, self._paged = stage, dealing, clock, paged
        self._rng = random.Random(seed)
        self._wanted: tuple[Back | PendingOrder | Turning | None, int] = (None, 0)
        self._since: float | None = clock.now()
        self._stirred = clock.now()
        """When something moved last."""

    async def run(self) -> None:
        while True:
            self.look()
            await self._clock.sleep_until(self._clock.now() + LOOK_S)

    def look(self) -> None:
        """Begin due work: undone actions first, then orders, then piles."""
        dealing, now = self._dealing, self._clock.now()
        if not self._stage.table.resting(now):
            self._stirred = now
        if self._stage.times_set_out != self._wanted[1]:
            dealing.set_out()
        wanted = dealing.back or dealing.pending or dealing.turning
        if (wanted, self._stage.times_set_out) != self._wanted:
            self._wanted, self._since = (wanted, self._stage.times_set_out), now
            self._stage.lacks, self._stage.waits = {}, None
        if self._since is None or now < self._since + AFTER_S or not self._free():
            return
        match wanted:
            case None:
                self._look_over()
            case Back():
                self._put_back(wanted)
            case PendingOrder():
                self._carry_out(wanted)
            case Turning(due=due, card=card) if due.trace.declared:
                self._since = None
                self._stage.lacks = {
                    due.seat: say("Top card of the pile: {card}. Choose that in the list.", card=Text(card))
                }
            case Turning(due=due):
                self._carry_out(due)

    def _free(self) -> bool:
        stage = self._stage
        return stage.auto() == "off" and stage.table.resting(self._clock.now())

    def _look_over(self) -> None:
        now = self._clock.now()
        if self._dealing.right(self._stage.table.settle(now)):
            self._since, self._stage.waits = now, None
        elif self._stuck():
            self._stage.waits = WAITS

    def _put_back(self, back: Back) -> None:
        truth = self._stage.table.settle(self._clock.now())
        if self._dealing.put_back(truth):
            return
        if not looks(truth, self._stage.table.mat, back.lies):
            self._set_out()
            return
        if self._act(back.seat, back.trace, back.lies, truth):
            self._since = self._clock.now()

    def _carry_out(self, pending: PendingOrder) -> None:
        stage = self._stage
        truth = stage.table.settle(self._clock.now())
        if not looks(truth, stage.table.mat, pending.before):
            if self._dealing.right(truth):
                self._dealing.set_out()  # somebody did it first
            else:
                self._set_out()
            return
        chooses = pending.seat in self._paged() and self._dealing.leaves_choice(pending, truth)
        stage.lacks = {pending.seat: PICK} if chooses else {}
        if chooses:
            return
        picked = stage.picked_piece(pending.seat) is not None
        try:
            truth, brought = self._dealing.prepare_order(pending, truth, self._rng.random())
        except Lacking:
            if (turning := self._dealing.turning) is not None and not turning.due.trace.declared:
                self._carry_out(turning.due)  # a pile's top card shows itself, whatever was said
                return
            self._since = None
            stage.lacks = {pending.seat: LACKING}
            self._dealing.note_carried(pending)  # no hand ever will
            return
        seat = min(pending.trace.hands, default=pending.seat)
        if not self._act(seat, pending.trace, pending.before, truth, brought):
            return
        self._dealing.note_carried(pending)
        if brought:
            others = {seat: card for seat, card in stage.laid.items() if seat != pending.seat}
            stage.laid = others if picked else {**others, pending.seat: brought[0]}
        if seen := _looked_at(pending, truth, stage.table.mat):
            stage.looked = {**stage.looked, seat: seen}

    def _stuck(self) -> bool:
        return self._since is not None and self._clock.now() > max(self._since, self._stirred) + STUCK_S

    def _set_out(self) -> None:
        if self._stuck():
            self._stage.lay()

    def _act(self, seat: Seat, trace: Trace, before: Layout, truth: Truth, brought: tuple[str, ...] = ()) -> bool:
        table, now = self._stage.table, self._clock.now()
        doer = Doer(seat, table.sides[seat], care_in(table.scene), look=ord(seat) * 7, pace=PACE)
        try:
            self._stage.act(
                carry_out(trace, before, truth, mat=table.mat, doer=doer, rng=self._rng, begins=now, brought=brought)
            )
        except Refused:
            return False
        except KeyError:
            self._set_out()
            return False
        self._since, self._stage.waits = None, None
        return True


def _looked_at(pending: PendingOrder, truth: Truth, mat: Mat) -> tuple[Body, ...]:
    piles = {zone.zone for zone in pending.before.zones if zone.order is Arrangement.PILE}
    here = bodies_at(pending.before, truth, mat)
    lifted = (here[spot] for spot in sorted(pending.trace.lifted) if spot.zone not in piles)
    return tuple(body for body in lifted if body.face is Face.DOWN)
