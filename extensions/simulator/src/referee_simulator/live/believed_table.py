"""The virtual table as a match in progress believes it: what "set out anew" puts back while a match goes on.

A match says what lies where, but not which piece a face-down one truly is. So the table is remembered whenever it rests
and agrees with the match; where hands have not yet done what was recorded, it is thought on as they would do it. What
cannot be thought on is made to look right.
"""

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
from referee_simulator.live.arranging import arranged
from referee_simulator.live.cards import Hands, alike, looks
from referee_simulator.table.ground_truth import Truth
from referee_simulator.table.places import Maintenance, zones
from vision.mat import Mat

REMEMBERED = 100


class Agreed(msgspec.Struct, frozen=True):
    """A table that agreed with a state of the game, and the cards that the seats held then."""

    state: Any
    truth: Truth
    hands: Hands


class Believed:
    """One match's memory of its table."""

    def __init__(self, known: KnownGame, mat: Mat) -> None:
        self._known, self._mat = known, mat
        self._agreed: list[Agreed] = []

    def saw(self, match: Match, truth: Truth, hands: Hands) -> None:
        """The table rests so. It is remembered if it looks as the match wants it, unless it is known that other pieces
        lie hidden there."""
        agreed = Agreed(standing(match), truth, hands)
        shown = self._known.game.layout(agreed.state)
        if self._agreed and self._agreed[-1] == agreed:
            return
        if not self._here(shown) or not looks(truth, self._mat, shown):
            return
        known = self._at(agreed.state)
        if known is None or alike(known.truth, truth, self._mat, shown):
            self._remember(agreed)

    def acted(self, before: Match, after: Match, seat: str, words: tuple[str, ...]) -> None:
        """An action was recorded, and no card is held by anybody: hands would leave the table so."""
        game, known = self._known.game, self._at(before.state)
        if known is None:
            return
        trace, shown = game.trace(before.state, seat, game.read(before.state, seat, words)), game.layout(before.state)
        doer, rng = Doer(seat, "bottom"), random.Random(0)
        try:
            scripts = carry_out(trace, shown, known.truth, mat=self._mat, doer=doer, rng=rng, begins=0.0)
        except KeyError:
            return  # what it handles did not lie there
        self._remember(Agreed(after.state, finish(known.truth, scripts), known.hands))

    def lies(self, state: Any, truth: Truth) -> bool:
        """Return True if the table is as in this state, hidden pieces too, as far as they are known."""
        known, shown = self._at(state), self._known.game.layout(state)
        if not self._here(shown):
            return True
        return looks(truth, self._mat, shown) and (known is None or alike(known.truth, truth, self._mat, shown))

    def forget(self, state: Any) -> None:
        """Forget a state that was taken back: another piece may be hidden next time."""
        self._agreed = [each for each in self._agreed if each.state != state]

    def table(self, match: Match, now: Callable[[], Agreed]) -> Agreed | None:
        """The table that the match believes in: as it was seen, or else the last that was, made to look so. now: gives
        the table as it is, for when none ever was. None if the match is not played on this mat."""
        state = standing(match)
        known, shown = self._at(state), self._known.game.layout(state)
        if known is not None or not self._here(shown):
            return known
        last = self._agreed[-1] if self._agreed else now()
        return Agreed(state, arranged(last.truth, self._mat, shown, Maintenance()), last.hands)

    def _here(self, shown: Layout) -> bool:
        """Return True if the match is played on this mat at all."""
        there = zones(self._mat)
        return all(zone.zone in there for zone in shown.zones)

    def _at(self, state: Any) -> Agreed | None:
        return next((each for each in reversed(self._agreed) if each.state == state), None)

    def _remember(self, agreed: Agreed) -> None:
        self._agreed = [*(each for each in self._agreed if each.state != agreed.state), agreed][-REMEMBERED:]


def standing(match: Match) -> Any:
    """The state in which the table stands: an order that is still to be carried out has changed nothing there."""
    return match.state if match.owed is None else match.owed.state
