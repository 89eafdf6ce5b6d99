"""The state before the first action (T1-T8, T63-T65)."""

from __future__ import annotations

from engine.draws import draw
from engine.errors import Invalid
from engine.game import Options
from engine.table import Seat
from engine.tellstones.state import Mat, Opening, Ordering, Rules, State, Stone
from engine.tellstones.stones import KINDS
from engine.text import say


def setup(options: Options, seats: tuple[Seat, ...], seed: int) -> State:
    """A new match. Raises Invalid if the number of seats, the variant and the starting seat do not go together."""
    two_lines = options["mode"] == "two-line"
    if len(set(seats)) != len(seats) or len(seats) not in (2, 4):
        raise Invalid(say("Tellstones is played by two or by four seats, not by {count}.", count=len(seats)))
    if two_lines and len(seats) != 2:
        raise Invalid(say("The two-line variant is for two players (T64)."))
    chosen = options["first_stone"] == "chosen"
    mats = tuple(_mat(_first_stone(str(options["first_stone"]), seed, mat)) for mat in range(2 if two_lines else 1))
    return State(
        rules=Rules(
            peek_three=str(options["peek_three"]),
            boast_minimum=int(options["boast_minimum"]),
            fixed_spots=options["fixed_spots"] is True,
            declared=options["orders"] == "declared",
        ),
        seats=seats,
        mats=mats,
        score=(0, 0),
        turn=1,
        active=_starter(str(options["starter"]), seats, seed),
        scored=(0, 0),
        phase=Opening() if chosen else Ordering(),
    )


def _starter(option: str, seats: tuple[Seat, ...], seed: int) -> Seat:
    """T8: a coin toss, or the seat that the table agreed on (by custom the elder decides, T53)."""
    if option == "coin":
        return seats[draw(f"{seed}/starter", len(seats))]
    if option not in seats:
        raise Invalid(say("Nobody sits at seat {seat}, so it cannot start.", seat=option))
    return option


def _first_stone(option: str, seed: int, mat: int) -> str | None:
    """T7; each Line of the two-line variant has its own draw (T67). None: a player will choose."""
    if option == "chosen":
        return None
    if option == "scales":  # T53
        return "scales"
    return KINDS[draw(f"{seed}/first stone {mat}", len(KINDS))]


def _mat(first: str | None) -> Mat:
    pool = tuple(sorted(kind for kind in KINDS if kind != first))
    return Mat(line=(Stone(first),) if first else (), pool=pool)
