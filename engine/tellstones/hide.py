"""Hide: turn a stone face down in place until it is named (T20-T22)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from engine.errors import Violation
from engine.game import Attempt, Prefilter
from engine.grammar import reading
from engine.table import Face, Piece, Seat, Trace
from engine.tellstones.line import At, hidden_spots, layout, line_spot, shown_spots, stone_at, turn_stone, turned_up
from engine.tellstones.match import (
    Order,
    Ordering,
    State,
    culprit,
    elsewhere,
    executor,
    left_of,
    next_turn,
    other_hand,
    other_stones,
)
from engine.tellstones.words import FACE_UP, Target, call_name, on_line, place_name
from engine.text import Text, say, who


class Hide(Order, frozen=True, tag="hide"):
    """Turn a stone face down (T20)."""

    stone: Annotated[Target, FACE_UP]

    name = reading(say("Hide"), say("Hide {a}"))  # Translators: a stone, with its place
    clauses = ("T20",)
    when = (Ordering,)

    def violations(self, state: State, seat: Seat) -> Iterator[Violation]:
        if not isinstance(self.stone, At) or stone_at(state.mats, self.stone).down:
            text = say("{stone} does not lie face up on the Line.", stone=call_name(state, self.stone))
            yield Violation("T20", text)
        if isinstance(self.stone, At):
            yield from elsewhere(state, seat, self.stone.mat)

    def after(self, state: State, seat: Seat) -> State:
        """Turn the stone in its place (T21); all seven may be hidden (T22)."""
        return next_turn(state, mats=turn_stone(state.mats, on_line(self.stone), Face.DOWN))

    def sentence(self, state: State, seat: Seat) -> Text:
        hand, place = who(left_of(state, seat)), place_name(state, self.stone)
        return say("{hand} turns stone {place} face down.", hand=hand, place=place)

    def trace(self, state: State, seat: Seat) -> Trace:
        at = on_line(self.stone)
        return Trace(
            layout(turn_stone(state.mats, at, Face.DOWN)),
            turned=frozenset({line_spot(state.mats, at)}),
            hands=executor(state, seat),
            declared=state.rules.declared,
        )

    def may_be_seen(self, state: State, seat: Seat, glance: Prefilter) -> bool:
        spot = line_spot(state.mats, on_line(self.stone))
        return glance.is_touched(spot) and glance.lies(spot.zone, Piece(None, Face.DOWN))

    def execution_errors(self, state: State, seat: Seat) -> Iterator[Attempt]:
        said = say("Another stone was hidden.")
        yield from other_stones(
            state, seat, self, map(Hide, shown_spots(state.mats)), "wrong stone hidden", "T20", said
        )
        yield from other_hand(state, seat, self)


def unasked_flip(state: State) -> Iterator[Attempt]:
    said = say("A hidden stone was turned up.")
    for at in hidden_spots(state.mats):
        seen, breach = turned_up(state.mats, at, frozenset()), state.phase.still_down(state, at)
        yield Attempt("unasked flip", culprit(state), seen, (breach,), what=said)
