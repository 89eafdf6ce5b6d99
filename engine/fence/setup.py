"""The state before the first action (F12-F16, F62-F68, F124)."""

from __future__ import annotations

from msgspec.structs import replace

from engine.draws import draw
from engine.errors import Invalid
from engine.fence.deck import Deck, faces
from engine.fence.knowledge import learnt, mandatory
from engine.fence.rules import HAND, OFFER, TIMER, Rules, rules_of
from engine.fence.state import Dealing, Fencer, Piles, State, home
from engine.game import Options
from engine.table import Seat
from engine.text import say


def setup(deck: Deck, options: Options, seats: tuple[Seat, ...], seed: int) -> State:
    """A new match. Raises Invalid if not two different seats play, or if the one that should start is empty."""
    if len(seats) != 2 or seats[0] == seats[1]:
        raise Invalid(say("Two fencers fence a bout, not {count}.", count=len(seats)))
    rules = rules_of(options)
    state = State(
        rules=rules,
        seats=seats,
        seed=seed,
        pool=faces(deck, rules.mode),
        fencers=(Fencer(home(rules, 0), hand=HAND), Fencer(home(rules, 1), hand=HAND)),
        piles=Piles(0, 0),
        active=_starter(rules, seats, seed),
        phase=Dealing((0, 1)),
        passivity=rules.passivity,
        offered=OFFER,
    )
    return replace(_with_mandatory(state), piles=_piles(state))


def _starter(rules: Rules, seats: tuple[Seat, ...], seed: int) -> int:
    """F16: a coin toss, or a seat."""
    if rules.starter == "coin":
        return draw(f"fence/{seed}/starter", 2)
    if rules.starter not in seats:
        raise Invalid(say("Nobody sits at seat {seat}, so it cannot start.", seat=rules.starter))
    return seats.index(rules.starter)


def _with_mandatory(state: State) -> State:
    """F66: each holds a yellow Straight Thrust, and everybody knows it."""
    yellow = mandatory(state)
    if yellow is None:
        return state
    green, red = (learnt(replace(fencer, hand=HAND - 1), (yellow,)) for fencer in state.fencers)
    return replace(state, fencers=(green, red))


def _piles(state: State) -> Piles:
    """F59, F67, F124: the timer deck, and the cards set aside."""
    rest = sum(figures.count for figures in state.pool.values()) - 2 * HAND
    if state.rules.tutorial and state.rules.tutorial_timer == "all":
        return Piles(rest, 0)
    timer = min(TIMER, rest)
    return Piles(timer, rest - timer)
