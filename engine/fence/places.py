"""What people call the cells on the mat: by the words and numbers of cards, displays and records (F2, F3)."""

from __future__ import annotations

from engine.fence.cards import WEAPONS, Weapon
from engine.fence.names import side_name
from engine.fence.rules import TRACK
from engine.fence.state import LAST
from engine.text import say

_SIDES = (side_name(0), side_name(1))

SQUARES = (
    say("the zone behind {side}", side=_SIDES[0]),
    *(say("square {square}", square=square) for square in range(1, LAST + 1)),
    say("the zone behind {side}", side=_SIDES[1]),
)
"""The strip, with the zones beyond its ends."""

BESIDE_SQUARES = tuple(say("beside {square}", square=square) for square in SQUARES)

POSITION_NAMES = tuple(
    tuple(say("{position} of {side}", position=WEAPONS[each], side=side) for each in Weapon) for side in _SIDES
)
"""The weapon positions of green and of red."""

POINT_NAMES = tuple(
    tuple(say("stamina {points} of {side}", points=points, side=side) for points in range(TRACK + 1)) for side in _SIDES
)
"""The stamina tracks of green and of red, which begin at 0."""
