"""The virtual table as a running match believes it, for "Reset table".

A match does not name face-down pieces, so agreeing tables are remembered, and recorded actions carried out on them.
Otherwise the table only looks right."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import msgspec

from device.session.table import KnownGame
from engine.match import Match
from engine.table import Layout
from referee_simulator.hands.acts import Doer, carry_out
from referee_simulator.hands.scripts import finish
from referee_simulator.live.arranging import arrange_zones
from referee_simulator.live.cards import Hands, alike
from referee_simulator.table.ground_truth import Truth, looks
from referee_simulator.table.places import Maintenance, zones
from vision.mat import Mat

REMEMBERED = 100


class Agreed(msgspec.Struct, frozen=True):
    """A table that agreed with a state, and the hands then."""

    state: Any
    truth: Truth
    hands: Hands


class Believed:
    def __init__(self, known: KnownGame, mat: Mat) -> None:
        self._known, self._mat = known, mat
        self._agreed: list[Agreed] = []

    def saw(self, match: Match, truth: Truth, hands: Hands) -> None:
        """Remember a resting table if it looks right and hides no wrong pieces."""
        agreed = Agreed(standing(match), truth, hands)
        shown = self._known.game.layout(agreed.state)
        if self._agreed and self._agreed[-1] == agreed:
            return
        if not self._here(shown) or not looks(truth, self._mat, shown):
            return
        known = self._at(agreed.state)
        if known is None or alike(known.truth, truth, self._mat, shown):
            self._remember(agreed)

    def apply_action(self, before: Match, after: Match, seat: str, words: tuple[str, ...]) -> None:
        """Carry out a recorded action on the remembered table, for games without cards in hands. Does nothing if none
        is remembered, or a handled piece is missing."""
        game, known = self._known.game, self._at(before.state)
        if known is None:
            return
        trace, shown = game.trace(before.state, seat, game.read(before.state, seat, words)), game.layout(before.state)
        doer, rng = Doer(seat, "bottom"), random.Random(0)
        try:
            scripts = carry_out(trace, shown, known.truth, mat=self._mat, doer=doer, rng=rng, begins=0.0)
        except KeyError:
            return
        self._remember(Agreed(after.state, finish(known.truth, scripts), known.hands))

    def lies(self, state: Any, truth: Truth) -> bool:
        """Return True if the table is as believed, or the state needs another mat."""
        known, shown = self._at(state), self._known.game.layout(state)
        if not self._here(shown):
            return True
        return looks(truth, self._mat, shown) and (known is None or alike(known.truth, truth, self._mat, shown))

    def forget(self, state: Any) -> None:
        """Forget an undone state: another piece may be hidden next time."""
        self._agreed = [each for each in self._agreed if each.state != state]

    def table(self, match: Match, now: Callable[[], Agreed]) -> Agreed | None:
        """Return the remembered table, or the last one made to look right; None on another mat. now: returns the
        present table."""
        state = standing(match)
        known, shown = self._at(state), self._known.game.layout(state)
        if known is not None or not self._here(shown):
            return known
        last = self._agreed[-1] if self._agreed else now()
        return Agreed(state, arrange_zones(last.truth, self._mat, shown, Maintenance()), last.hands)

    def _here(self, shown: Layout) -> bool:
        there = zones(self._mat)
        return all(zone.zone in there for zone in shown.zones)

    def _at(self, state: Any) -> Agreed | None:
        return next((each for each in reversed(self._agreed) if each.state == state), None)

    def _remember(self, agreed: Agreed) -> None:
        self._agreed = [*(each for each in self._agreed if each.state != agreed.state), agreed][-REMEMBERED:]


def standing(match: Match) -> Any:
    """Return the table's state, before any pending order."""
    return match.state if match.pending is None else match.pending.state
