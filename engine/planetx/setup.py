"""The state before the first action (X10-X13)."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from engine.draws import Stream
from engine.errors import Invalid
from engine.game import Options
from engine.planetx.codes import code_from_seed
from engine.planetx.draw import draw_game
from engine.planetx.names import SEASONS
from engine.planetx.sky import MODES
from engine.planetx.state import Acting, Asking, Choosing, Phase, Player, Rules, Setting, State, Typing
from engine.table import Seat
from engine.text import say

SEATS = ("a", "b", "c", "d")


def setup(settings: Mapping[str, Setting], options: Options, seats: tuple[Seat, ...], seed: int) -> State:
    """A new match. Raises Invalid if the options do not go together or with the seats."""
    rules = _rules(options, seats)
    setting = settings[rules.mode]
    taking_part = seats if rules.opponent is None else (*seats, rules.opponent)
    order = Stream(f"planetx/pawns/{seed}").shuffled(range(len(taking_part)))  # X11
    level = None if rules.level == "each" else rules.level
    players = tuple(
        Player(
            seat=seat,
            season=SEASONS[number],
            arrival=order[number],
            tokens=dict(setting.tokens),
            level=_OPPONENT_LEVEL if seat == rules.opponent else level,
        )
        for number, seat in enumerate(taking_part)
    )
    game = draw_game(MODES[rules.mode], code_from_seed(seed))
    state = State(rules, setting, game, players, Typing(), arrivals=len(players))
    return state if rules.typed else msgspec.structs.replace(state, phase=first_phase(state))


def first_phase(state: State) -> Phase:
    """What comes after the code is known."""
    if any(player.level is None for player in state.players):
        return Choosing()
    return opening(state)


def opening(state: State) -> Phase:
    """What comes after the starting facts."""
    return Asking() if state.rules.app_only else Acting()


_OPPONENT_LEVEL = "experienced"
"""The opponent starts with as many facts at every strength: strengths differ in reasoning."""


def _rules(options: Options, seats: tuple[Seat, ...]) -> Rules:
    if len(set(seats)) != len(seats) or not 1 <= len(seats) <= len(SEASONS) or not set(seats) <= set(SEATS):
        raise Invalid(say("Planet X is played by one to four seats, not by {count}.", count=len(seats)), ("X10",))
    strength, app_only = str(options["opponent"]), options["app_only"] is True
    if strength != "none" and len(seats) != 1:
        raise Invalid(say("The automatic opponent plays against one player."), ("X70",))
    if strength != "none" and app_only:
        raise Invalid(say("The automatic opponent needs the referee to keep the time track."), ("X71",))
    opponent = next(seat for seat in SEATS if seat not in seats) if strength != "none" else None
    return Rules(
        mode=str(options["mode"]),
        level=str(options["level"]),
        strength=strength,
        opponent=opponent,
        typed=options["code"] == "typed",
        app_only=app_only,
        marks=options["marks"] is True,
        consistency=options["consistency"] is True,
        possible=options["possible"] is True,
        years=int(options["years"]),
        camera=options["camera"] is True and not app_only,
    )
